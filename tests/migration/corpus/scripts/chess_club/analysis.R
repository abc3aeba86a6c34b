## Club championship 2021-23.  Is there an advantage of white?  Does the rating say it all?
suppressPackageStartupMessages(library(BradleyTerry2))
library(gnm)

games   <- read.csv("games.csv")
players <- read.csv("players.csv", row.names = "player")
players$junior <- factor(players$junior)

# a draw is half a win
score <- c("1-0" = 1, "1/2" = 0.5, "0-1" = 0)
games$won <- score[games$result]
games$white <- factor(games$white, levels = rownames(players))
games$black <- factor(games$black, levels = rownames(players))
table(games$result, games$season)

club <- list(games = games[c("won", "season")], players = players)
club$games$white <- data.frame(player = games$white, first = 1)
club$games$black <- data.frame(player = games$black, first = 0)

fit.model <- function(formula, ...) {
  # everything in this club is fitted like this
  args <- list(outcome = quote(won), player1 = quote(white), player2 = quote(black),
               formula = formula, id = "player", data = quote(club), ...)
  do.call("BTm", args)
}

plain  <- suppressWarnings(fit.model(~ player))
colour <- suppressWarnings(fit.model(~ player + first))
anova(plain, colour, test = "Chisq")
round(coef(summary(colour)), 4)
cat("white is worth", signif(coef(colour)[["first"]], 4), "\n")

# players by their ratings
rated <- suppressWarnings(fit.model(~ rating[player] + first))
summary(rated)
junior <- suppressWarnings(update(rated, ~ . + junior[player]))
anova(rated, junior, test = "Chisq")

# one season at a time
by.season <- lapply(split(seq_len(nrow(games)), games$season), function(rows) {
  suppressWarnings(BTm(won, data.frame(player = white, first = 1), data.frame(player = black, first = 0),
                       ~ player + first, id = "player", data = games[rows, ]))
})
sapply(by.season, coef)
sapply(by.season, deviance)

# who would win next time, with white
new <- data.frame(a = "Adler", b = "Dahl")
b <- BTabilities(colour)
plogis(b[new$a, "ability"] - b[new$b, "ability"] + coef(colour)["first"])
head(predict(colour, type = "response"), 4)
