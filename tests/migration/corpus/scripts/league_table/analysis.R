## A baseball league: a table of strengths, with and without home advantage
library(BradleyTerry2)
data("baseball", package = "BradleyTerry2")
baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)

m1 <- BTm(cbind(home.wins, away.wins), home.team, away.team, formula = ~ team, id = "team", data = baseball)
m2 <- update(m1, formula = ~ team + at.home)
models <- list(plain = m1, home = m2)

# fit by fit
for (n in names(models)) {
  m <- models[[n]]
  cat("Model:", n, "\n")
  cat("  deviance", format(deviance(m), nsmall = 2), "df", df.residual(m), "\n")
  print(sort(coef(m), decreasing = TRUE)[1:3])
}
sapply(models, AIC)

# the table
ab <- BTabilities(m2)
ab <- ab[order(ab[, "ability"], decreasing = TRUE), ]
head(ab, 3)
ranking <- data.frame(rank = 1:nrow(ab), team = rownames(ab), ability = ab[, "ability"], row.names = NULL)
print(ranking)
strength <- exp(ab[, "ability"])
strength <- strength / sum(strength)
round(strength, 3)
names(which.max(strength))

# what home advantage is worth
home <- coef(m2)["at.home"]
cat("home advantage:", round(home, 3), " odds", round(exp(home), 2), "\n")
cat("Milwaukee at home against Cleveland:", round(plogis(ab["Milwaukee", 1] - ab["Cleveland", 1] + home), 3), "\n")
1 - pchisq(deviance(m1) - deviance(m2), 1)
teams <- c("Boston", "Detroit", "Toronto")
for (i in seq_along(teams)) {
  cat(i, ". ", teams[i], ": ", round(ab[teams[i], "ability"], 2), "\n", sep = "")
}
