# Agresti's baseball league (BradleyTerry2) as plain logistic and as log-linear models, by hand
data("baseball", package = "BradleyTerry2")
b <- baseball
teams <- levels(b$home.team)

# logistic: +1 home, -1 away
X <- matrix(0, nrow(b), length(teams), dimnames = list(NULL, teams))
for (i in seq_len(nrow(b))) {
  X[i, as.character(b$home.team[i])] <- 1
  X[i, as.character(b$away.team[i])] <- -1
}
X <- X[, teams != "Baltimore"]
m0 <- glm(cbind(home.wins, away.wins) ~ X - 1, family = binomial, data = b)
m1 <- glm(cbind(home.wins, away.wins) ~ X, family = binomial, data = b)
summary(m1)
anova(m0, m1, test = "LRT")
alpha <- coef(m1)[1]
beta <- coef(m1)[-1]
names(beta) <- sub("^X", "", names(beta))
st <- sort(c(beta, Baltimore = 0), decreasing = TRUE)
print(round(st, 3))
pi.hat <- exp(st) / sum(exp(st))
print(round(pi.hat, 3))
cat("Home advantage:", round(alpha, 3), "; P(win) of equals at home:", round(plogis(alpha), 3), "\n")

# Agresti's example: Boston against New York
ny <- "New York"; bos <- "Boston"
plogis(st[bos] - st[ny])
tab <- data.frame(where = c("neutral", "Boston", "New York"),
                  p = round(c(plogis(st[bos] - st[ny]), plogis(st[bos] - st[ny] + alpha), plogis(st[bos] - st[ny] - alpha)), 3))
tab

# quasi-symmetry: the same by a Poisson model of wins
long <- rbind(data.frame(winner = b$home.team, loser = b$away.team, n = b$home.wins),
              data.frame(winner = b$away.team, loser = b$home.team, n = b$away.wins))
wins <- xtabs(n ~ winner + loser, long)
round(rowSums(wins) / (rowSums(wins) + colSums(wins)), 3)
cell <- as.data.frame(wins)
cell <- cell[cell$winner != cell$loser, ]
cell$pair <- factor(apply(cell[, 1:2], 1, function(r) paste(sort(r), collapse = "/")))
qs <- glm(Freq ~ winner + pair, family = poisson, data = cell)
q <- coef(qs)[grep("winner", names(coef(qs)))]
round(q, 4)
c(poisson = deviance(qs), logistic = deviance(m0))

# residuals larger than two
r <- rstandard(m1)
big <- abs(r) > 2
if (any(big)) print(cbind(b[big, ], r = round(r[big], 2))) else cat("no residual is larger than 2\n")
step(m1, trace = 0)$deviance
confint.default(m1, level = .9)
