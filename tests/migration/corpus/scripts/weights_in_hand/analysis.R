# Heaviness of weights lifted in pairs, both orders (Beaver & Gokhale 1975; heaviness of eba)
library(eba)
data(heaviness)
h1 <- heaviness[, , 1]
h2 <- heaviness[, , 2]

m <- eba.order(h1, h2)
summary(m)
m$estimate
u <- uscale(m)
round(u, 4)
grams <- seq(90, 110, by = 5)
fit <- lm(log(u) ~ log(grams))
cat("exponent of heaviness:", round(coef(fit)[2], 2), " R2:", round(summary(fit)$r.squared, 4), "\n")

# no effect of the order
pooled <- h1 + h2
m0 <- eba(pooled)
m0
cat("the second weight is multiplied by", round(1 / tail(m$estimate, 1), 3), "\n")

# by Thurstone and by glm
th <- thurstone(pooled)
th
pairs <- combn(5, 2)
long <- data.frame(i = pairs[1, ], j = pairs[2, ])
long$w <- pooled[cbind(long$i, long$j)]
long$l <- pooled[cbind(long$j, long$i)]
for (k in 2:5) long[[paste0("x", k)]] <- (long$i == k) - (long$j == k)
probit <- glm(cbind(w, l) ~ x2 + x3 + x4 + x5 - 1, family = binomial(probit), data = long)
logit <- update(probit, family = binomial)
round(cbind(probit = coef(probit), logit = coef(logit), ratio = coef(logit) / coef(probit)), 3)
gof <- sapply(list(probit = probit, logit = logit), function(f) c(G2 = deviance(f), df = df.residual(f), p = pchisq(deviance(f), df.residual(f), lower.tail = FALSE)))
round(gof, 4)
scale01 <- c(0, coef(logit)) / max(coef(logit))
plot(grams, scale01, type = "b")
print(round(scale01, 3))
jnd <- diff(c(0, coef(logit)))
jnd / mean(jnd)
