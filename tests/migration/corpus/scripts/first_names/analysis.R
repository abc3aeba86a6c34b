# Which first name for a boy?  Six names, 192 people (FirstNames of psychotools)
library("psychotools")
library("psychotree")
data("FirstNames", package = "psychotools")
summary(FirstNames[, c("gender", "age", "children")])

m <- btmodel(FirstNames$preference, ref = "Tim")
summary(m)
ip <- itempar(m, log = TRUE, ref = 1)
ip
v <- sqrt(diag(vcov(ip)))
data.frame(est = as.numeric(ip), se = v)

w <- worth(m)
w100 <- round(100 * w / max(w))
w100[order(w100, decreasing = TRUE)]

# with and without children, men and women
FirstNames$parent <- factor(ifelse(FirstNames$children > 0, "parent", "childless"))
cells <- split(FirstNames, list(FirstNames$gender, FirstNames$parent))
n <- sapply(cells, nrow)
n
cell.fit <- lapply(cells, function(x) btmodel(x$preference, ref = "Tim"))
est <- t(sapply(cell.fit, coef))
print(est, digits = 3)
ll <- sapply(cell.fit, function(f) as.numeric(logLik(f)))
gain <- 2 * (sum(ll) - as.numeric(logLik(m)))
p <- 1 - pchisq(gain, df = length(coef(m)) * (length(cells) - 1))
cat("Four groups instead of one: G2 =", round(gain, 3), "p =", round(p, 4), "\n")

tree <- bttree(preference ~ gender + age + children, data = FirstNames, ref = "Tim", minsize = 20)
print(tree)
round(worth(tree), 3)

# differences of the first three names from the fourth with their intervals
b <- coef(m)
V <- vcov(m)
contrast <- function(i, j) {
  est <- b[i] - b[j]
  se <- sqrt(V[i, i] + V[j, j] - 2 * V[i, j])
  c(est = unname(est), lwr = unname(est - 1.96 * se), upr = unname(est + 1.96 * se))
}
round(rbind(contrast(1, 2), contrast(1, 3), contrast(2, 3)), 3)
