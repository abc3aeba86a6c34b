# Perceived health risk of drugs (Wickelmaier 2008; drugrisk of eba), four groups of people
suppressPackageStartupMessages(library(eba))
data(drugrisk)
groups <- dimnames(drugrisk)$group
A1 <- list(c(1), c(2), c(3), c(4), c(5), c(6))
A2 <- list(c(1), c(2), c(3), c(4, 7), c(5, 7), c(6, 7))

# all people together
tot <- apply(drugrisk, 1:2, sum)
btl <- eba(tot, A1)
ebam <- eba(tot, A2)
anova(btl, ebam)
x <- 2 * (logLik(ebam) - logLik(btl))
cat("BTL against an aspect of illegal drugs: ", round(as.numeric(x), 3), ", p = ",
    signif(pchisq(as.numeric(x), 1, lower.tail = FALSE), 3), "\n", sep = "")

# group by group
u <- matrix(NA, 6, length(groups), dimnames = list(rownames(tot), groups))
fit <- data.frame(group = groups, G2 = NA, df = NA, p = NA)
for (i in seq_along(groups)) {
  m <- eba(drugrisk[, , i], A2)
  u[, i] <- uscale(m, norm = 1)
  fit[i, 2:4] <- round(m$goodness.of.fit[c("-2logL", "df", "pval")], 3)
  cat("group", i, "done\n")
}
print(fit)
round(u, 2)
round(log(u), 3)
group.test(drugrisk, A2)

# a picture of the four scales
mx <- apply(u, 1, max)
mn <- apply(u, 1, min)
data.frame(drug = rownames(u), min = round(mn, 2), max = round(mx, 2), ratio = round(mx / mn, 2), row.names = NULL)

# probability that heroin is called riskier than alcohol
uh <- uscale(btl)
p <- uh["her"] / (uh["her"] + uh["alc"])
cat(sprintf("P(heroin over alcohol) = %.3f; observed %.3f\n", p, tot["her", "alc"] / (tot["her", "alc"] + tot["alc", "her"])))
