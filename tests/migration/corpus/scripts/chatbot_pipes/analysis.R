# Chatbot arena: two judges, six models, ties; elo-like ratings with the native pipe
library(BradleyTerry2)
votes <- read.csv("votes.csv")
models <- c(votes$model_a, votes$model_b) |> unique() |> sort()
clean <- votes |>
  subset(winner != "both bad") |>
  transform(a = factor(model_a, levels = models), b = factor(model_b, levels = models)) |>
  transform(s = ifelse(winner == "model_a", 1, ifelse(winner == "model_b", 0, 0.5)))
nrow(clean)
table(clean$winner, clean$judge)

quiet_bt <- \(d, ref = models[1]) suppressWarnings(BTm(s, a, b, ~ model, id = "model", data = d, refcat = ref))
fit <- quiet_bt(clean)
elo <- \(f, base = 1000, scale = 400 / log(10)) BTabilities(f)[, "ability"] |> (\(x) base + scale * (x - mean(x)))()
ratings <- elo(fit)
ratings |> sort(decreasing = TRUE) |> round(1) |> print()

# standard errors on the scale of elo
se <- BTabilities(fit)[, "s.e."] * 400 / log(10)
board <- data.frame(model = names(ratings), elo = ratings, se = se, games = as.vector(table(factor(c(clean$model_a, clean$model_b), levels = models))))
board <- board[order(-board$elo), ]
board$rank <- seq_len(nrow(board))
print(board, row.names = FALSE, digits = 5)

# judge by judge
per_judge <- split(clean, clean$judge) |> lapply(quiet_bt)
sapply(per_judge, elo) |> round(0)
dev <- per_judge |> sapply(deviance) |> sum()
lr <- deviance(fit) - dev
sprintf("judges differ: LR = %.2f, df = %d, p = %.3f", lr, 5, pchisq(lr, 5, lower.tail = FALSE))

# long answers win?
clean$longer <- sign(clean$words_a - clean$words_b)
with_len <- suppressWarnings(BTm(s, data.frame(model = a, len = words_a / 100), data.frame(model = b, len = words_b / 100), ~ model + len, id = "model", data = clean))
coef(summary(with_len))["len", ] |> round(4)
cat("a hundred words more multiply the odds by", exp(coef(with_len)["len"]) |> round(3), "\n")
shift <- elo(with_len) - ratings
data.frame(plain = round(ratings), controlled = round(elo(with_len)), shift = round(shift, 1)) |> print()

# win probabilities of the best
top <- board$model[1]
board$model[-1] |>
  sapply(\(m) 1 / (1 + 10^((ratings[[m]] - ratings[[top]]) / 400))) |>
  round(3)
