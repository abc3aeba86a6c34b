# Dominance among eight animals from a matrix of won contests (rows win), David's scores beside Bradley-Terry
library(BradleyTerry2)
ids <- c("Ada", "Bo", "Cleo", "Dot", "Eve", "Fay", "Gia", "Hal")
M <- matrix(c(0, 9, 7, 8, 6, 9, 7, 9,
              2, 0, 6, 7, 8, 6, 9, 8,
              1, 3, 0, 5, 6, 7, 8, 6,
              0, 2, 4, 0, 5, 6, 6, 7,
              1, 0, 2, 4, 0, 3, 6, 8,
              0, 1, 1, 2, 4, 0, 5, 6,
              1, 0, 0, 2, 1, 3, 0, 4,
              0, 1, 1, 0, 2, 1, 3, 0), 8, byrow = TRUE, dimnames = list(ids, ids))

# David's score
N <- M + t(M)
P <- M / N
diag(P) <- 0
w <- rowSums(P); l <- colSums(P)
DS <- w + as.vector(P %*% w) - l - as.vector(t(P) %*% l)
round(sort(DS, decreasing = TRUE), 2)

# Bradley-Terry
dom <- countsToBinomial(as.table(M))
bt <- BTm(cbind(win1, win2), player1, player2, ~ id, id = "id", data = dom)
ab <- BTabilities(bt)
ab <- ab[order(ab[, "ability"], decreasing = TRUE), ]
print(round(ab, 2))
cat("Spearman of DS and ability:", round(cor(DS[rownames(ab)], ab[, "ability"], method = "spearman"), 3), "\n")
cat("Pearson:", round(cor(DS[rownames(ab)], ab[, "ability"]), 3), "\n")

# how steep is the hierarchy?  slope of ability on rank
rank.id <- seq_len(nrow(ab))
lmfit <- lm(ab[, "ability"] ~ rank.id)
round(coef(lmfit), 3)
steps <- -diff(ab[, "ability"])
names(steps) <- paste(head(rownames(ab), -1), rownames(ab)[-1], sep = "-")
round(steps, 2)
prob <- plogis(steps)
for (s in names(prob)) cat(s, format(round(prob[s], 3), nsmall = 3), "\n")

# do the old ones win?
age <- c(Ada = 11, Bo = 9, Cleo = 9, Dot = 6, Eve = 7, Fay = 4, Gia = 3, Hal = 2)
dat <- list(dom = dom, traits = data.frame(age = age[ids], row.names = ids))
byage <- BTm(cbind(win1, win2), player1, player2, ~ age[id], id = "id", data = dat)
s <- summary(byage)$coefficients
s
x2 <- deviance(byage) - deviance(bt)
df <- df.residual(byage) - df.residual(bt)
message("age alone against free abilities: ", round(x2, 2), " on ", df, " df")
p <- pchisq(x2, df, lower.tail = FALSE)
cat("p =", if (p < 0.001) "< 0.001" else round(p, 3), "\n")
mods <- c("free", "age")
aicc <- sapply(list(bt, byage), function(m) AIC(m) + 2 * length(coef(m)) * (length(coef(m)) + 1) / (28 - length(coef(m)) - 1))
setNames(round(aicc, 2), mods)
