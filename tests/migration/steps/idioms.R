# Idioms of analysts: contrasts by hand, quadratic forms, rows of a glm, columns as variables, lists of lists
library("BradleyTerry2")
wins <- data.frame(
  a = c("p", "p", "p", "q", "q", "r"), b = c("q", "r", "s", "r", "s", "s"),
  x = c(14, 15, 9, 17, 11, 13), y = c(8, 5, 11, 3, 9, 7)
)
Z <- sapply(c("q", "r", "s"), function(i) (wins$a == i) - (wins$b == i))
g <- glm(cbind(x, y) ~ Z - 1, family = binomial, data = wins)
h <- glm(cbind(x, y) ~ Z, family = binomial, data = wins)
p <- glm(cbind(y, x) ~ Z - 1, family = binomial, data = wins)
items <- c("p", "q", "r", "s")
V <- rbind(0, cbind(0, vcov(g)))
dimnames(V) <- list(items, items)
b <- setNames(c(0, coef(g)), items)
pairs <- combn(items, 2)
res <- apply(pairs, 2, function(k) c(d = b[[k[1]]] - b[[k[2]]], s = sqrt(V[k[1], k[1]] + V[k[2], k[2]] - 2 * V[k[1], k[2]])))
colnames(res) <- apply(pairs, 2, paste, collapse = "-")
t(res)
k <- c(1, -1, 0)
drop(sqrt(t(k) %*% vcov(g) %*% k))
cov2cor(vcov(g))
round(confint(g)[, 1], 2)
low <- vcov(g)
low[upper.tri(low)] <- 0
low
round(residuals(g), 3)
round(resid(g, "pearson"), 3)
fitted(g)
predict(g)
predict(g, type = "response")
1 - pchisq(g$dev, g$df.res)
anova(g, h, test = "Chisq")
attr(logLik(h), "df")

est <- data.frame(item = items, b = unname(b), set = c("u", "v", "u", "v"))
with(est, sum(b[set == "u"]))
with(est, cat(sprintf("%s %.3f\n", item, b), sep = ""))
subset(est, b < -0.1)
transform(est, odds = exp(b))
tapply(est$b, est$set, mean)
sub("^q", "Q", "q1")

fit_link <- function(l) {
  f <- glm(cbind(x, y) ~ Z - 1, family = binomial(link = l), data = wins)
  list(link = l, coef = coef(f), dev = deviance(f))
}
both <- lapply(c("logit", "probit"), fit_link)
names(both) <- c("bt", "thurstone")
both$thurstone$coef
sapply(both, `[[`, "dev")
sapply(both, function(f) round(f$coef, 2))
Reduce(`+`, lapply(both, function(f) f$coef)) / 2

jack <- sapply(seq_len(nrow(wins)), function(i) coef(glm(cbind(x, y) ~ Z[-i, ] - 1, family = binomial, data = wins[-i, ])))
apply(jack, 1, sd)
apply(jack, 1, quantile, c(0.25, 0.75))
for (n in c("g", "p")) {
  s <- summary(get(n))$coefficients
  print(round(s[, 1:2], 3))
}
surface <- function(u, v) b["q"] * u + b["r"] * v
outer(c(1, 2), c(0, 1), surface)
A <- matrix(c(2, b["q"], b["q"], 2), 2)
solve(A, c(1, 2))
det(A)
