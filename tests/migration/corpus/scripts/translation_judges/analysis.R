# Binary system comparisons of seven judges (the table of Vilar et al. 2007), as log-linear models
# one line of the table -> three lines: x better, same, y better
library(gnm)

d <- read.csv("vilar2007_table2.csv")
systems <- sort(unique(c(d$x, d$y)))
pair <- factor(paste(d$x, d$y))

long <- data.frame(
  y     = c(d$n_x_better, d$n_same, d$n_y_better),
  pair  = rep(pair, 3),
  judge = factor(rep(d$judge, 3)),
  same  = rep(c(0, 1, 0), each = nrow(d)),
  sign  = rep(c(1, 0, -1), each = nrow(d)))
for (s in systems)
  long[[paste0("s", s)]] <- long$sign * (rep(d$x, 3) == s) - long$sign * (rep(d$y, 3) == s)

tapply(long$y, list(long$judge, long$sign), sum)

# all judges, totals over judges
total <- aggregate(y ~ ., data = long[names(long) != "judge"], FUN = sum)
total <- total[order(total$pair, -total$sign), ]
total$pair <- droplevels(total$pair)
m0 <- gnm(y ~ sA + sB + sC + sD + same, eliminate = pair, family = poisson, data = total)
summary(m0)
deviance(m0); df.residual(m0)

# the same with glm, the pairs as a factor
g0 <- glm(y ~ pair + sA + sB + sC + sD + same, family = poisson, data = total)
max(abs(coef(g0)[c("sA", "sB", "sC", "sD", "same")] - coef(m0)))
g1 <- glm(y ~ pair + sA + sB + sC + sD, family = poisson, data = total)
anova(g1, g0, test = "Chisq")

# does every judge have an own order?  E1 is the reference judge
m1 <- gnm(y ~ sA + sB + sC + sD + same, eliminate = pair:judge, family = poisson, data = long)
m2 <- gnm(y ~ (sA + sB + sC + sD) * judge + same - judge, eliminate = pair:judge, family = poisson, data = long)
anova(m1, m2, test = "Chisq")
round(head(coef(summary(m2)), 5), 4)

# judge by judge
loglik <- numeric(0)
for (j in levels(long$judge)) {
  one <- gnm(y ~ sA + sB + sC + sD + same, eliminate = pair, family = poisson,
             data = droplevels(subset(long, judge == j)), verbose = FALSE)
  loglik[j] <- logLik(one)
  print(c(coef(one), deviance = deviance(one)), digits = 4)
}
loglik
