# Three rounds of a small league: home advantage and draws
library(BradleyTerry2)
library(gnm)
library(MASS)

matches <- read.csv("matches.csv", stringsAsFactors = TRUE)
matches$result <- ordered(matches$result)
levels(matches$home)
xtabs(~ home + result, matches)

## Davidson's ties, in the generalized form: one line for each possible result
tri <- expandCategorical(matches, "result", idvar = "match")
tri$at.home <- rep(TRUE, nrow(tri))
set.seed(1)
dav <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1,
                               home, away, home.adv = ~ 1, tie.max = ~ 1,
                               at.home1 = at.home, at.home2 = !at.home) - 1,
           eliminate = match, family = poisson, data = tri)
dav

## without ties at all
decided <- subset(matches, result != 0)
bt1 <- BTm(result == 1, home, away, id = "team", data = decided)
decided$h <- data.frame(team = decided$home, at.home = 1)
decided$a <- data.frame(team = decided$away, at.home = 0)
bt2 <- BTm(result == 1, h, a, formula = ~ team + at.home, id = "team", data = decided)
anova(bt1, bt2, test = "Chisq")
summary(bt2)
vcov(bt2)[1:2, 1:2]

## ordered answers: lost, drawn, won at home
X <- model.matrix(~ home - 1, matches) - model.matrix(~ away - 1, matches)
colnames(X) <- sub("home", "", colnames(X))
clubs <- as.data.frame(X[, -1])
ord <- polr(matches$result ~ Borough + City + Dynamo + Rovers + United, data = clubs, Hess = TRUE)
summary(ord)
logLik(ord)

## the table as the newspapers have it, beside it
points <- with(matches, tapply(c(0, 1, 3)[result], home, sum) + tapply(c(3, 1, 0)[result], away, sum))
sort(points, decreasing = TRUE)
cor(points, BTabilities(bt2)[, "ability"])
