# What packages of models print of their fits: eba's worths, persons of btmodel, predicted effects
library(BradleyTerry2)
library(eba)
library(psychotools)
data(celebrities)
strans(celebrities)
btl <- eba(celebrities)
summary(btl)
u <- uscale(btl)
ci <- 1.96 * sqrt(diag(cov.u(btl)))
round(cbind(u, low = u - ci, high = u + ci), 4)
coef(btl)
btl$goodness.of.fit
c(AIC(btl), BIC(btl))
thurstone(celebrities)$estimate
data(heaviness)
ord <- eba.order(heaviness)
summary(ord)

d <- data.frame(g = rep(c("a", "b"), c(5, 7)))
answers <- paircomp(matrix(c(1, -1, 1, 1, 1, -1, -1, 1, 1, 1, -1, 1, 1, 1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1, 1, -1, 1, -1, 1, -1, 1, 1, -1, 1), ncol = 3),
  labels = c("x", "y", "z"))
fits <- lapply(split(seq_along(d$g), d$g), function(rows) btmodel(answers[rows]))
n <- sapply(fits, function(m) m$n)
long <- data.frame(w = c(deviance(BTm(cbind(9, 4), factor("p", c("p", "q")), factor("q", c("p", "q")))), 2, 3, 5.5), g = c("a", "a", "b", "b"), h = c("k", "l", "k", "l"))
round(tapply(long$w, list(long$g, long$h), mean), 3)

half <- data.frame(A = factor(c("p", "p", "q"), c("p", "q", "r")), B = factor(c("q", "r", "r"), c("p", "q", "r")), x = c(12, 15, 9), y = c(8, 5, 11))
m <- BTm(cbind(x, y), A, B, data = half)

result <- rep(1, nrow(flatlizards$contests))
pql <- BTm(result, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards)
coef(pql)
seasons <- data.frame(season = c("2008-9", "2009-10"), deviance = c(deviance(m), 0.5))
seasons
tests <- sapply(1:3, function(i) binom.test(half$x[i], half$x[i] + half$y[i])$p.value)
round(p.adjust(tests, "holm"), 3)
