# Tartness of salad dressings (Critchlow & Fligner; prefmod's salad): 32 judges rank four dressings
suppressPackageStartupMessages(library(prefmod))
data(salad)
apply(salad, 2, mean)

# rankings as patterns
m <- pattR.fit(salad, nitems = 4)
m
w <- patt.worth(m)
print(round(w, 4))
best <- rownames(w)[order(w[, 1], decreasing = TRUE)]
cat("from the most to the least tart:", paste(best, collapse = " > "), "\n")
cat("ratio of the first two:", round(max(w) / sort(w, decreasing = TRUE)[2], 3), "\n")

# the same as a loglinear model of the patterns
des <- patt.design(salad, nitems = 4, resptype = "ranking")
head(des, 3)
g <- glm(y ~ A + B + C, family = poisson, data = des)
summary(g)
lambda <- c(coef(g)[2:4], D = 0)
worth <- exp(2 * lambda) / sum(exp(2 * lambda))
cbind(by.pattR = round(w[, 1], 4), by.glm = round(worth, 4))
dev <- g$deviance
cat("deviance", dev, "df", g$df.residual, "p", 1 - pchisq(dev, g$df.residual), "\n")

# expected counts of the six most frequent rankings
des$fit <- fitted(g)
o <- order(des$fit, decreasing = TRUE)[1:6]
print(data.frame(observed = des$y[o], expected = round(des$fit[o], 2)))
X2 <- sum((des$y - des$fit)^2 / des$fit)
X2

# is any dressing different at all?
g0 <- glm(y ~ 1, family = poisson, data = des)
anova(g0, g, test = "Chisq")
1 - deviance(g) / deviance(g0)
