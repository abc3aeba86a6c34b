# Contests between lizards: who wins, and does it go with what they look like?
library(BradleyTerry2)
data("flatlizards", package = "BradleyTerry2")
contests <- flatlizards$contests
predictors <- flatlizards$predictors
cat("contests:", nrow(contests), " lizards:", nrow(predictors), "\n")

# abilities of the lizards that won and lost at least once
wins <- table(contests$winner)
losses <- table(contests$loser)
both <- names(wins)[wins > 0 & losses[names(wins)] > 0]
keep <- contests$winner %in% both & contests$loser %in% both
some <- contests[keep, ]
lv <- sort(unique(c(as.character(some$winner), as.character(some$loser))))
some$winner <- factor(some$winner, levels = lv)
some$loser <- factor(some$loser, levels = lv)

# covariates alone
std <- BTm(1, winner, loser, ~ SVL[..] + throat.PC1[..] + throat.PC3[..] + head.length[..],
           data = list(contests = contests, predictors = predictors))
b <- coef(std)
se <- sqrt(diag(vcov(std)))
z <- b / se
p <- 2 * pnorm(-abs(z))
res <- data.frame(estimate = b, se = se, z = z, p = p)
print(round(res, 4))
cat("odds ratio for one unit of throat.PC1:", round(exp(b["throat.PC1[..]"]), 3), "\n")
ci <- cbind(lower = b - 1.96 * se, upper = b + 1.96 * se)
round(exp(ci), 3)

# without head length: does it cost anything?
small <- update(std, ~ SVL[..] + throat.PC1[..] + throat.PC3[..])
lr <- deviance(small) - deviance(std)
df <- df.residual(small) - df.residual(std)
p.lr <- pchisq(lr, df, lower.tail = FALSE)
cat(sprintf("LR = %.3f on %d df, p = %.4f\n", lr, df, p.lr))
if (p.lr < 0.05) cat("head length matters\n") else cat("head length can go\n")
AIC(small, std)
write.csv(round(res, 4), "lizards.csv")
