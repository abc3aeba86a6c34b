# Scents: worse, same, better than the other; two rooms
source("helpers.R")

scents <- read.csv("scents.csv")
items <- sort(unique(scents$first))
scents$verdict <- factor(scents$verdict, levels = c("worse", "same", "better"), ordered = TRUE)
d <- cbind(scents, as_design(scents$first, scents$second, items))

m <- fit_ordered(d, items)
print(summary(m), digits = 4)
-2 * c(logLik(m))

rooms <- lapply(split(d, d$room), fit_ordered, items = items)
round(sapply(rooms, coef), 3)
sum(sapply(rooms, logLik)) - logLik(m)[1]

## without ties: a plain Bradley-Terry model by glm, and by our own likelihood
clear <- subset(d, verdict != "same")
clear$won <- as.integer(clear$verdict == "better")
bt <- glm(won ~ 0 + cedar + lemon + rose, family = binomial(), data = clear)
summary(bt)

negative <- function(theta, X, y) {
  eta <- drop(X %*% theta)
  -sum(y * eta - log1p(exp(eta)))
}
X <- as.matrix(clear[c("cedar", "lemon", "rose")])
own <- nlm(negative, c(0, 0, 0), X = X, y = clear$won, hessian = TRUE)
rbind(glm = coef(bt), nlm = round(own$estimate, 4))
optim(c(0, 0, 0), negative, X = X, y = clear$won, method = "BFGS")$value

## scores as in a league, for the slides
score <- tapply(as.integer(d$verdict) - 2, d$first, mean)
barplot <- NULL
fitline <- lm(score ~ c(coef(m), 0))
coef(fitline)
predict(m, d[1:3, ], type = "probs")
