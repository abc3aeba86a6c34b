# An analysis as it is written every day: which team is best, and is it good to be at home?
# It reads baseball.csv: pairproof example baseball > baseball.csv
library(BradleyTerry2)

games <- read.csv("baseball.csv", stringsAsFactors = TRUE)
teams <- union(levels(games$first), levels(games$second))
games$first <- data.frame(team = factor(games$first, teams), at.home = 1)
games$second <- data.frame(team = factor(games$second, teams), at.home = 0)

without <- BTm(cbind(wins, losses), first, second, ~ team, id = "team", data = games)
with <- update(without, formula = ~ . + at.home)
anova(without, with, test = "Chisq")
summary(with)
print(sort(BTabilities(with)[, "ability"], decreasing = TRUE))
exp(coef(with)[["at.home"]])
