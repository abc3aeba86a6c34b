# Contests between male Cape dwarf chameleons (Stuart-Fox et al. 2006, data in BradleyTerry2)
library(BradleyTerry2)
attach(chameleons)

# which structure of previous wins?
m.none <- BTm(player1 = winner, player2 = loser, formula = ~ prop.patch[ID] + (1 | ID), id = "ID", data = chameleons, trace = FALSE)
m.1 <- update(m.none, ~ prev.wins.1 + .)
m.2 <- update(m.none, ~ prev.wins.2 + .)
summary(m.2)

# all predictors, no random effect: quick look
full <- BTm(player1 = winner, player2 = loser,
            formula = ~ prev.wins.2 + ch.res[ID] + jl.res[ID] + tl.res[ID] + mass.res[ID] + SVL[ID] + prop.main[ID] + prop.patch[ID],
            id = "ID", data = chameleons)
summary(full)
drop1(full, test = "Chisq")

red <- update(full, ~ . - tl.res[ID] - mass.res[ID] - prop.main[ID])
LR <- red$deviance - full$deviance
P <- 1 - pchisq(LR, red$df.residual - full$df.residual)
paste("LR =", round(LR, 2), "P =", round(P, 3))

# table for the paper
cf <- coef(summary(red))
ci <- confint.default(red)
paper <- cbind(Estimate = cf[, 1], SE = cf[, 2], lower = ci[, 1], upper = ci[, 2], P = cf[, 4])
round(paper, 3)
rownames(paper)[paper[, "P"] < 0.05]

# effect of a win before, and of ten percent more patch
eff <- c(win = exp(coef(red)[["prev.wins.2"]]), patch10 = exp(10 * coef(red)[["prop.patch[ID]"]]))
eff
mods <- list(full = full, reduced = red)
aic <- sapply(mods, AIC)
delta <- aic - min(aic)
w <- exp(-delta / 2) / sum(exp(-delta / 2))
data.frame(k = sapply(mods, function(m) length(coef(m))), logLik = sapply(mods, logLik), AIC = aic, delta, weight = round(w, 3))
detach(chameleons)
