# Values as R has them: fits in a loop that leave out different items, tables with vectors, texts in tables, NA
library("BradleyTerry2")
library("prefmod")
d <- data.frame(
  A = factor(c("p", "p", "q", "p", "q", "r"), c("p", "q", "r", "s")),
  B = factor(c("q", "r", "r", "s", "s", "s"), c("p", "q", "r", "s")),
  x = c(12, 15, 9, 17, 11, 13), y = c(8, 5, 11, 3, 9, 7)
)
m <- BTm(cbind(x, y), A, B, data = d)
h <- BTm(cbind(x, y), data.frame(A = A, first = 1), data.frame(A = B, first = 0), ~ A + first, id = "A", data = d)
fits <- list(a = m, b = BTm(cbind(x, y), A, B, data = d, refcat = "s"))
sapply(fits, function(f) max(coef(f)))
for (f in fits) cat(names(coef(f)), round(coef(f), 3), "\n")
for (n in names(fits)) { f <- fits[[n]]; cat(n, round(coef(f), 3), "\n") }
sapply(list(m, h), function(f) -2 * c(logLik(f)) + 2 * length(coef(f)))

a <- BTabilities(m)[, 1]
P <- outer(a, a, function(u, v) plogis(u - v))
round(P / rowSums(P), 3)
a * P
P - P[4:1, ]
P[1:2, ] / 1:8
diag(P) <- NA
rowSums(P, na.rm = TRUE)
rowSums(P)

est <- function(b, s) paste0(formatC(b, 2, format = "f"), " (", formatC(s, 2, format = "f"), ")")
data.frame(item = names(coef(m)), est = est(coef(m), sqrt(diag(vcov(m)))), row.names = NULL)
ifelse(coef(m) > -0.5, "near", "far")
summary(BTabilities(m))
head(residuals(m, "deviance"), 3)
p.adjust(coef(summary(m))[, 4])
p.adjust(coef(summary(m))[, 4], "BH")
quantile(coef(m), c(0.1, 0.9))
mean(c(3, NA, 4), na.rm = TRUE) + coef(m)[1]

data(dat4)
l <- llbtPC.fit(dat4, nitems = 4, formel = ~1, elim = ~1)
b <- coef(l)
round(exp(b), 3)
mean(b)
for (i in 1:3) cat(i, round(b[i], 4), "\n")
b[is.na(b)] <- 0
exp(2 * b) / sum(exp(2 * b))
