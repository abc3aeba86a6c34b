# Baseball with and without a home advantage, tables by broom.
library(BradleyTerry2)
library(broom)
data("baseball", package = "BradleyTerry2")

teams <- BTm(cbind(home.wins, away.wins), home.team, away.team, id = "team", data = baseball)
baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
home <- update(teams, formula = ~ team + at.home)

suppressWarnings(tidy(teams))
found <- suppressWarnings(tidy(home))
print(found, digits = 4)
found$odds <- exp(found$estimate)
found$low <- exp(found$estimate - qnorm(0.975) * found$std.error)
found$high <- exp(found$estimate + qnorm(0.975) * found$std.error)
found[order(-found$odds), c("term", "odds", "low", "high")] |> as.data.frame() |> print(digits = 4)

clear <- found[found$p.value < 0.001, ]
cat("clearly better than Baltimore:", paste(sub("team", "", clear$term), collapse = ", "), "\n")
lr <- deviance(teams) - deviance(home)
sprintf("home advantage: LR = %.3f, p = %.4f", lr, pchisq(lr, 1, lower.tail = FALSE))
