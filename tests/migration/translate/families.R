# Fits of other families and links, of tables with interactions, and of eliminated terms
library(BradleyTerry2)
library(prefmod)
tea <- data.frame(
  a = c("A", "A", "A", "B", "B", "C"), b = c("B", "C", "D", "C", "D", "D"),
  w = c(14, 9, 17, 8, 15, 13), l = c(6, 11, 4, 10, 5, 9)
)
z <- sapply(c("A", "B", "C"), function(k) (tea$a == k) - (tea$b == k))
tea <- data.frame(tea, z)
q <- glm(cbind(w, l) ~ 0 + A + B + C, family = quasibinomial, data = tea)
summary(q)
summary(q)$coefficients
sqrt(diag(vcov(q)))
vcov(q)
confint.default(q)
cat("p of A", round(summary(q)$coefficients["A", 4], 4), "\n")

data(dat4)
data(issp2000)
d <- llbt.design(dat4, nitems = 4)
g <- gnm(y ~ o1 + o2 + o3, elim = mu, data = d, family = quasipoisson)
summary(g)

qp <- glm(cbind(w, l) ~ 0 + A + B + C, family = quasibinomial("probit"), data = tea)
summary(qp)

p <- glm(cbind(w, l) ~ 0 + A + B + C, family = binomial("probit"), data = tea)
summary(p)
coef(p)
vcov(p)

gp <- glm(y ~ o1 + o2 + o3, data = patt.design(dat4, nitems = 4), family = poisson)
gd <- glm(y ~ o1 + o2 + o3 + I12.13, data = patt.design(dat4, nitems = 4, ia = TRUE), family = poisson)
summary(gd)

L <- data.frame(issp2000[1:200, c("CAR", "IND", "WATER")], SEX = issp2000$SEX[1:200])
p0 <- pattL.fit(L, nitems = 3, formel = ~1, elim = ~SEX)
p0
print(p0)

data(cemspc)
m1 <- llbtPC.fit(cemspc, nitems = 6, formel = ~1, elim = ~SEX, undec = TRUE)
m2 <- llbtPC.fit(cemspc, nitems = 6, formel = ~SEX, elim = ~SEX, undec = TRUE)
anova(m1, m2, test = "Chisq")

liz <- BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards)
add1(liz, ~ . + head.length[..], test = "Chisq")
