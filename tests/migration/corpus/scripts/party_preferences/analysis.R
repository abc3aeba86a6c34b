# Preferences for German parties, before the election of 2009 (the data of psychotools): who likes which, and who differs?
library(psychotools)
data("GermanParties2009", package = "psychotools")
d <- GermanParties2009
fit <- btmodel(d$preference)
w <- worth(fit)
round(sort(w, decreasing = TRUE), 3)
coef(fit)
cat("log-likelihood", round(logLik(fit), 2), "\n")

# men and women, one model each
groups <- levels(d$gender)
fits <- lapply(groups, function(g) btmodel(d$preference[d$gender == g]))
names(fits) <- groups
lls <- sapply(fits, logLik)
round(lls, 2)
lr <- 2 * (sum(lls) - as.numeric(logLik(fit)))
cat("LR", round(lr, 2), "p", format(1 - pchisq(lr, length(coef(fit))), digits = 3), "\n")
worths <- sapply(fits, worth)
round(worths, 3)
cor(worths[, "male"], worths[, "female"], method = "spearman")
for (g in groups) cat(g, "best:", names(which.max(worths[, g])), "\n")

# the probabilities that the model gives
est <- c(coef(fit), 0)
prob <- outer(est, est, function(a, b) plogis(a - b))
round(prob[1:3, 1:3], 3)
