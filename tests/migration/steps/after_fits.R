# What analysts do after a fit: parts by place, lists that a loop fills, choices, sums by group, matrices with names
library("BradleyTerry2")
d <- data.frame(
  A = factor(c("p", "p", "q", "p", "q", "r"), c("p", "q", "r", "s")),
  B = factor(c("q", "r", "r", "s", "s", "s"), c("p", "q", "r", "s")),
  x = c(12, 15, 9, 17, 11, 13), y = c(8, 5, 11, 3, 9, 7), half = c(1, 0.5, 0, 1, 1, 0.5),
  day = c("Mon", "Mon", "Tue", "Tue", "Wed", "Wed")
)
m <- BTm(cbind(x, y), A, B, data = d)
by.day <- tapply(residuals(m, "deviance"), d$day, function(r) sum(r^2))
by.day
coef(m)
q <- tapply(fitted(m), d$day, mean)
if (any(is.na(q))) q[is.na(q)] <- 0
deviance(m)
head(sort(abs(residuals(m, "pearson")), decreasing = TRUE), 3)
print(round(exp(coef(m)), 3))

fits <- list()
for (k in unique(d$day)) fits[[k]] <- BTm(cbind(x, y), A, B, data = d[d$day == k, ])
deviance(fits[["Mon"]]) + deviance(fits$Tue)
sapply(fits, logLik)

a <- BTabilities(m)[, 1]
P <- outer(a, a, function(u, v) plogis(u - v))
rownames(P) <- colnames(P) <- c("one", "two", "three", "four")
round(P, 3)
dimnames(P) <- list(names(a), names(a))
round(P["p", ], 4)
cat(paste0(names(a), ": ", round(a, 3)), sep = "\n")
cat("that is all\n")
cbind(odds = exp(coef(m)), exp(confint.default(m)))

halves <- BTm(cbind(half, 1 - half), A, B, data = d)
summary(halves)

# log-linear: R's coefficients have constants of the contests before and after those of the items
long <- data.frame(y = c(30, 20, 25, 15, 28, 22), pair = gl(3, 2), A = c(1, -1, 1, -1, 0, 0), B = c(-1, 1, 0, 0, 1, -1))
g <- glm(y ~ A + B + pair, poisson, long)
summary(g)$coefficients[2:3, ]
coef(g)[3]
confint.default(g)[3, ]
