# Preferences of boys and girls for school subjects (Kendall & Babington Smith 1940; eba)
library(eba)
data(schoolsubjects)
boys <- schoolsubjects$boys
girls <- schoolsubjects$girls

for (who in c("boys", "girls")) {
  M <- schoolsubjects[[who]]
  u <- kendall.u(M)
  cat(who, ": u =", round(u$u, 3), " chi2 =", round(u$chi, 1), " df =", round(u$df, 1), "\n")
  s <- strans(M)
  cat("  violations: weak", s$weak, " moderate", s$moderate, " strong", s$strong, "\n")
}

btl.b <- eba(boys)
btl.g <- eba(girls)
summary(btl.b)
gof <- rbind(boys = btl.b$goodness.of.fit, girls = btl.g$goodness.of.fit)
round(gof, 3)

ub <- uscale(btl.b)
ug <- uscale(btl.g)
print(round(sort(ub, decreasing = TRUE), 4))
print(round(sort(ug, decreasing = TRUE), 4))
common <- intersect(names(ub), names(ug))
both <- cbind(boys = ub[common] / sum(ub[common]), girls = ug[common] / sum(ug[common]))
both <- both[order(both[, "boys"], decreasing = TRUE), ]
round(both, 3)
cor(rank(both[, 1]), rank(both[, 2]))

# the scale with intervals, relative to arithmetic
ci <- 1.96 * sqrt(diag(cov.u(btl.b))) / sum(coef(btl.b))
data.frame(u = round(ub, 4), lower = round(ub - ci, 4), upper = round(ub + ci, 4))
logs <- log(ub) - log(ub["arit"])
round(logs, 3)
th <- thurstone(boys)
round(th$estimate, 3)
cat("Thurstone, G2:", round(th$goodness.of.fit[1], 2), "BTL, G2:", round(btl.b$goodness.of.fit[1], 2), "\n")
AIC(btl.b)
