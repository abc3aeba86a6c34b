# LLM judges: which model wins, do the judges agree, and is there a first-position bias?
suppressPackageStartupMessages(library(BradleyTerry2))
votes <- read.csv("votes.csv", stringsAsFactors = FALSE)
models <- sort(unique(c(votes$first, votes$second)))
judges <- unique(votes$judge)
votes$first <- factor(votes$first, levels = models)
votes$second <- factor(votes$second, levels = models)

position <- function(d) {
  d$first <- data.frame(model = d$first, pos = 1)
  d$second <- data.frame(model = d$second, pos = 0)
  d
}
fit_judge <- function(d) {
  BTm(cbind(win, loss), first, second, ~ model + pos, id = "model", data = position(d))
}
all_fit <- fit_judge(votes)
summary(all_fit)$coefficients
elo <- 1000 + 400 / log(10) * c(0, coef(all_fit)[1:3])
names(elo) <- models
round(sort(elo, decreasing = TRUE))

fits <- list()
for (j in judges) {
  fits[[j]] <- fit_judge(votes[votes$judge == j, ])
  cat(sprintf("%-8s deviance %7.3f  position bias %6.3f\n", j, deviance(fits[[j]]), coef(fits[[j]])["pos"]))
}
bias <- sapply(fits, function(f) coef(f)["pos"])
round(bias, 3)
mean(bias)
abil <- sapply(fits, function(f) coef(f)[1:3])
round(abil, 2)
cor(abil[, 1], abil[, 2])

# pooled against judge by judge
D <- deviance(all_fit) - sum(sapply(fits, deviance))
k <- length(coef(all_fit))
pval <- pchisq(-(sum(sapply(fits, logLik)) - logLik(all_fit)) * -2, df = k * (length(fits) - 1), lower.tail = FALSE)
print(as.numeric(pval))
out <- data.frame(model = models, elo = round(elo, 1), stringsAsFactors = FALSE)
out <- out[order(-out$elo), ]
print(out, row.names = FALSE)
write.csv(out, "leaderboard.csv", row.names = FALSE)
