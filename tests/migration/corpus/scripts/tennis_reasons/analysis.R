# What makes a good tennis match?  Paired comparisons of three attributes by men and women (prefmod's tennis)
library(prefmod)
data(tennis, package = "prefmod")
str(tennis)
rows <- tennis[rep(seq_len(nrow(tennis)), tennis$n), c("C1", "C2", "C3", "SEX")]
nrow(rows)

# llbt by the package, and by hand
des <- llbt.design(rows, nitems = 3, cat.scovs = "SEX", objnames = c("serve", "rally", "net"))
head(des)
h0 <- gnm(y ~ serve + rally, eliminate = mu:SEX, family = poisson, data = des)
h1 <- gnm(y ~ (serve + rally) * SEX, eliminate = mu:SEX, family = poisson, data = des)
summary(h1)
G <- deviance(h0) - deviance(h1)
d <- df.residual(h0) - df.residual(h1)
cat("Men and women the same?  G2 =", round(G, 3), "df =", d, "p =", round(pchisq(G, d, lower = FALSE), 4), "\n")

l <- coef(h1)
men <- c(serve = unname(l[1]), rally = unname(l[2]), net = 0)
women <- men + c(l[c("serve:SEX2", "rally:SEX2")], 0)
tab <- cbind(men = exp(2 * men) / sum(exp(2 * men)), women = exp(2 * women) / sum(exp(2 * women)))
print(round(tab, 3))
llbt.worth(h1)

barplot(tab, beside = TRUE, legend.text = rownames(tab))

# patterns with dependencies
p0 <- pattPC.fit(rows, nitems = 3, formel = ~ 1, elim = ~ SEX, obj.names = c("serve", "rally", "net"))
p1 <- pattPC.fit(rows, nitems = 3, formel = ~ SEX, elim = ~ SEX, obj.names = c("serve", "rally", "net"))
p0
lr <- 2 * (p1$ll - p0$ll)
cat(sprintf("patterns: LR %.3f, p %.4f\n", lr, 1 - pchisq(lr, 2)))
W <- patt.worth(p1)
W
for (k in colnames(W)) cat(k, ":", rownames(W)[which.max(W[, k])], round(max(W[, k]), 3), "\n")
