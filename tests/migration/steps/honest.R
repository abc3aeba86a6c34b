# What Python cannot say of R's numbers, or says otherwise: tests and fits left out, labels, add1 with missing values
library(BradleyTerry2)
d <- data.frame(
  a = factor(c("x", "x", "y"), c("x", "y", "z")), b = factor(c("y", "z", "z"), c("x", "y", "z")),
  w = c(9, 12, 4), l = c(5, 3, 10)
)
m <- BTm(cbind(w, l), a, b, data = d)
st <- t(sapply(1:3, function(i) c(k = d$w[i], p = binom.test(d$w[i], d$w[i] + d$l[i])$p.value)))
st <- cbind(st, holm = p.adjust(st[, "p"], "holm"))
round(st, 4)
elo <- c(x = 2100, y = 2050, z = 2080)
lin <- glm(cbind(w, l) ~ I((elo[as.character(a)] - elo[as.character(b)]) / 100), binomial, d)
summary(lin)$coefficients
x <- c("2008-9" = NA, "2009-10" = 0.5)
x["2008-9"] <- round(deviance(m), 2)
print(x)
data.frame(season = c("2008-9", "2009-10"), dev = c(round(deviance(m), 2), 0))

data(flatlizards)
flat <- flatlizards
result <- rep(1, nrow(flat$contests))
few <- BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..], data = flat)
add1(few, ~ . + repro.tactic[..] + condition[..], test = "Chisq")
add1(few, ~ . + condition[..], test = "Chisq")
flat$predictors$SVL[is.na(flat$predictors$repro.tactic)] <- NA
own <- update(few, data = flat)
both <- update(few, ~ . + condition[..], data = flat)
deviance(own) - deviance(both)

# a function that prepares data, one that fits and names its reference, and a list with a place for each group
prep <- function(z) {
  z$k <- ave(z$w, z$a, FUN = sum)
  z[z$w > 0, ]
}
ranked <- function(z) {
  fit <- BTm(cbind(w, l), a, b, data = z)
  r <- c(setNames(0, levels(z$a)[1]), coef(fit))
  names(r) <- sub("^..", "", names(r))
  r <- sort(r - mean(r), decreasing = TRUE)
  list(model = fit, abil = r)
}
groups <- c("one", "two")
out <- vector("list", length(groups))
names(out) <- groups
for (g in groups) {
  z <- prep(transform(d, w = w + (g == "two")))
  out[[g]] <- ranked(z)
  cat(g, names(out[[g]]$abil)[1], format(round(out[[g]]$abil[1], 3), nsmall = 3), "\n")
}
sapply(out, function(o) o$abil[c("x", "y", "z")])
