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

# Loops in loops, helpers that fit, tables of what follows a fit
pairings <- data.frame(i = factor(wins$a, c("p", "q", "r", "s")), j = factor(wins$b, c("p", "q", "r", "s")), x = wins$x, y = wins$y)
pool <- rbind(cbind(pairings, day = "one", site = "n"), cbind(transform(pairings, x = y + 4), day = "two", site = "n"), cbind(transform(pairings, x = x + 2), day = "one", site = "s"))
nested <- sapply(c("day", "site"), function(v) {
  parts <- lapply(sort(unique(pool[[v]])), function(l) BTm(cbind(x, y), i, j, id = "item", data = pool[pool[[v]] == l, ]))
  sum(sapply(parts, deviance))
})
round(nested, 3)
for (v in c("day", "site")) {
  groups <- lapply(split(pool, pool[[v]]), function(d) BTm(cbind(x, y), i, j, id = "item", data = d))
  cat(v, round(sum(sapply(groups, deviance)), 3), "\n")
}
for (v in c("day", "site")) for (l in sort(unique(pool[[v]]))) {
  one <- BTm(cbind(x, y), i, j, id = "item", data = pool[pool[[v]] == l, ])
  cat(v, l, round(coef(one), 3), "\n")
}
fit_one <- function(d, label) {
  m <- BTm(cbind(x, y), i, j, id = "item", data = d)
  cat(label, "has deviance", round(deviance(m), 3), "\n")
  invisible(m)
}
by_day <- split(pool, pool$day)
of_days <- Map(fit_one, by_day, names(by_day))
whole <- fit_one(pool, "all")
round(deviance(whole) - sum(sapply(of_days, deviance)), 3)
contrast <- sapply(of_days, function(m) {
  k <- coef(m) * 0
  k["itemq"] <- 1
  k["itemr"] <- -1
  c(d = sum(k * coef(m)), se = sqrt(drop(k %*% vcov(m) %*% k)))
})
round(contrast, 3)
gap <- function(m, i, j) {
  ab <- BTabilities(m)[, "ability"]
  ab[i] - ab[j]
}
data.frame(one = round(gap(of_days$one, "q", "r"), 3), whole = round(gap(whole, "q", "r"), 3))
round(BTabilities(whole)["q", "ability"] - BTabilities(whole)["r", "ability"], 3)
slots <- numeric(2)
for (n in names(of_days)) slots[match(n, names(of_days))] <- AIC(of_days[[n]])
round(slots, 3)
new <- data.frame(Zq = c(1, 0), Zr = c(0, -1), Zs = 0)
w <- cbind(wins, Zq = Z[, 1], Zr = Z[, 2], Zs = Z[, 3])
by_hand <- glm(cbind(x, y) ~ Zq + Zr + Zs - 1, family = binomial, data = w)
round(predict(by_hand, new, type = "response"), 3)
pr <- predict(by_hand, newdata = new, se.fit = TRUE)
round(pr$fit + 1.96 * pr$se.fit, 3)
round(qvcalc::qvcalc(BTabilities(whole))$qvframe, 3)
best <- names(sort(BTabilities(whole)[, 1], decreasing = TRUE))[1:3]
worth <- BTabilities(whole)[, 1]
round(outer(best, best, Vectorize(function(i, j) plogis(worth[i] - worth[j]))), 3)
share_of <- fitted(by_hand)
round(tapply(share_of, cut(share_of, c(0, 0.5, 1)), mean), 3)
cat(format.pval(pchisq(200 + deviance(whole), 3, lower.tail = FALSE), digits = 2, eps = 1e-4), prettyNum(1234567, big.mark = ","), "\n")
noquote(rep(c("u", "v"), each = 2))
barplot(worth)
