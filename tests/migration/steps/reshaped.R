# Tables put together, pairs of items, and sets of names, after a fit.
library(BradleyTerry2)
data("citations", package = "BradleyTerry2")
counts <- countsToBinomial(citations)
m <- BTm(cbind(win1, win2), player1, player2, data = counts)
ab <- BTabilities(m)
a <- ab[, "ability"]
se <- ab[, "s.e."]

d <- data.frame(journal = rownames(ab), ability = a, se = se, row.names = NULL)
d <- within(d, {
  low <- ability - 1.96 * se
  high <- ability + 1.96 * se
})
print(d)
print(merge(d, data.frame(journal = c("JASA", "Biometrika", "JRSS-B"), impact = c(2.1, 1.4, 3.3)), by = "journal"))
d$half <- ifelse(grepl("s", d$journal), "s", "none")
aggregate(ability ~ half, data = d, FUN = mean)
aggregate(cbind(ability, se) ~ half, data = d, FUN = max)
as.data.frame(ab)[, c("ability", "s.e.")]
coef(summary(m))[, c("Estimate", "Std. Error")]
coef(summary(m))["..JASA", c("Estimate", "Pr(>|z|)")]
stack(a)

# Pairs
pairs <- combn(names(a), 2)
for (k in seq_len(ncol(pairs))) cat(pairs[1, k], "over", pairs[2, k], round(plogis(a[pairs[1, k]] - a[pairs[2, k]]), 3), "\n")
gaps <- combn(a, 2, function(p) p[1] - p[2])
print(setNames(gaps, combn(names(a), 2, paste, collapse = " - ")))
do.call(rbind, lapply(combn(names(a), 2, simplify = FALSE), function(p) data.frame(of = p[1], gap = unname(a[p[1]] - a[p[2]]))))
g <- expand.grid(i = names(a), j = names(a), stringsAsFactors = FALSE)
g <- subset(g, i != j)
g$p <- plogis(a[g$i] - a[g$j])
print(g)
mapply(function(x, s) x / (s + 1), a, se)
mapply(function(n, x) paste0(n, "=", round(x, 2)), names(a), a)
sweep(outer(a, a, "-"), 1, se + 1, "/")
sweep(a %o% a, 2, a)
prop.table(exp(a))

# Numbers
weighted.mean(a, 1 / (se + 1))
c(IQR(a), mad(a))
trunc(100 * a)
is.finite(a)
table(sign(a))
ll <- logLik(m)
cat("AIC", -2 * as.numeric(ll) + 2 * attr(ll, "df"), "p", format.pval(5e-4 + 0 * a[[1]], 3), "\n")
cat(formatC(1500 + 100 * a, format = "f", digits = 0, big.mark = ",", width = 8), "\n")
cat(paste0(formatC(names(a), width = 14, flag = "-"), formatC(a, digits = 2, format = "f", flag = "+")), sep = "\n")
write.table(d, "abilities.txt", sep = "\t", quote = FALSE)

# Sets of names, one of which is a text
sapply(names(a), function(j) mean(a[setdiff(names(a), j)]))
sapply(names(a), function(j) sum(a[union("JASA", j)]))
for (j in names(a)) cat(j, length(intersect(j, c("JASA", "JRSS-B"))), j %in% "JASA", round(a[[j]], 2), "\n")

# An empty vector that is filled by names
dev <- c()
for (r in c("JASA", "JRSS-B")) dev[r] <- BTm(cbind(win1, win2), player1, player2, data = counts, refcat = r)$deviance
round(dev, 3)

# A table of probabilities by hand, whose first cell is NA
ab <- as.data.frame(ab)
ab$journal <- rownames(ab)
won <- sapply(ab$journal, function(i) sapply(ab$journal, function(j) if (i == j) NA else plogis(ab$ability[ab$journal == i] - ab$ability[ab$journal == j])))
round(won, 3)
rowMeans(won, na.rm = TRUE)
