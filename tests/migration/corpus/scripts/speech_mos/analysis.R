# Preference tests of four speech synthesisers: counts of "A better", "no preference", "B better"
library(MASS)
library(gnm)
counts <- read.csv("pref.csv")
n.pairs <- nrow(counts)
long <- data.frame(
  n = c(counts$a_better, counts$same, counts$b_better),
  pair = factor(rep(1:n.pairs, 3)),
  tie = rep(c(0, 1, 0), each = n.pairs),
  s = rep(c(1, 0, -1), each = n.pairs))
systems <- c("natural", "neural", "unit", "hmm")
for (k in systems) long[[k]] <- long$s * ((rep(counts$a, 3) == k) - (rep(counts$b, 3) == k))

fit <- gnm(n ~ natural + neural + unit + tie, eliminate = pair, family = poisson, data = long)
lambda <- c(coef(fit)[c("natural", "neural", "unit")], hmm = 0)
worth <- exp(2 * lambda) / sum(exp(2 * lambda))
print(round(rev(sort(worth)), 4))
se <- sqrt(diag(vcov(fit)))[1:3]
tab <- cbind(est = lambda[1:3], se = se, lo = lambda[1:3] - qnorm(0.975) * se, hi = lambda[1:3] + qnorm(0.975) * se)
round(tab, 3)
G2 <- deviance(fit)
cat("goodness of fit: G2 =", round(G2, 2), "df =", df.residual(fit), "p =", signif(1 - pchisq(G2, df.residual(fit)), 3), "\n")

# is there anything to the ties?
nofit <- update(fit, . ~ . - tie)
cat("ties:", deviance(nofit) - deviance(fit), "\n")
pairs <- combn(systems, 2)
apply(pairs, 2, function(p) paste(p, collapse = " vs "))
d <- lambda["neural"] - lambda["unit"]
unname(d)
prob <- exp(lambda["neural"]) / (exp(lambda["neural"]) + exp(lambda["unit"]))
cat("P(neural over unit | no tie) =", formatC(plogis(2 * d), digits = 3, format = "f"), "\n")
cat(paste0(names(worth), ": ", round(worth, 3), collapse = "; "), "\n")
