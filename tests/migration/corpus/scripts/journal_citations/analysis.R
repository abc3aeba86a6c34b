# Export scores of statistics journals (Stigler 1994; citations of BradleyTerry2)
library(BradleyTerry2)
data(citations, package = "BradleyTerry2")
citations

citations.sf <- countsToBinomial(citations)
names(citations.sf)[1:2] <- c("journal1", "journal2")
citations.sf

citeModel <- BTm(cbind(win1, win2), journal1, journal2, data = citations.sf)
citeModel
citeModel2 <- update(citeModel, refcat = "JASA")

# export scores, sum zero
score <- c(0, coef(citeModel))
names(score) <- sub("^\\.\\.", "", c("Biometrika", names(coef(citeModel))))
score <- score - mean(score)
print(sort(score, decreasing = TRUE), digits = 3)
odds <- exp(outer(score, score, "-"))
round(odds, 2)

# standard errors against JASA, and with the dispersion of the residuals
est <- summary(citeModel2)$coefficients
phi <- sum(residuals(citeModel2, type = "pearson")^2) / df.residual(citeModel2)
phi
cbind(est[, 1:2], adj.se = est[, 2] * sqrt(phi), adj.t = est[, 1] / (est[, 2] * sqrt(phi)))

# goodness of fit
G2 <- deviance(citeModel)
1 - pchisq(G2, df = df.residual(citeModel))
cat("G2 =", G2, "on", citeModel$df.residual, "df\n")

# the same by glm, as the book does
X <- with(citations.sf, sapply(levels(journal1)[-1], function(j) (journal1 == j) - (journal2 == j)))
byhand <- glm(cbind(win1, win2) ~ X - 1, family = binomial, data = citations.sf)
summary(byhand)
all.equal(unname(coef(byhand)), unname(coef(citeModel)))
fit <- fitted(citeModel)
out <- data.frame(citations.sf, fitted = round(fit, 3), res = round(residuals(citeModel, type = "pearson"), 2))
print(out)
out[which.max(abs(out$res)), c("journal1", "journal2", "res")]
