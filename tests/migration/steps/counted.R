# What R's constants, texts and definitions are in Python: numbers that R alone computed, words of cat, BIC, sorting
library(BradleyTerry2)
data(citations, package = "BradleyTerry2")
cit <- countsToBinomial(citations)
names(cit)[1:2] <- c("a", "b")
m <- BTm(cbind(win1, win2), a, b, data = cit)
est <- coef(m)

lev <- tapply(hatvalues(m), rep(names(est), 2), sum)
cbind(est, lev = lev[names(est)])
lr <- Reduce("+", est^2)
pchisq(lr, length(est), lower.tail = FALSE)
wins <- tapply(cit$win1, cit$a, sum)[1:3]
data.frame(ability = exp(est), wins = wins, ratio = est / lev[names(est)])
for (k in 1:2) cat(k, round(est[k], 4), round(lev[k], 4), "\n")
lev[1] <- est[1]
lev

best <- NULL
f <- function(r) { x <- update(m, refcat = r); best <<- coef(x); AIC(x) }
a <- sapply(c("JASA", "JRSS-B"), f)
best
by.list <- by(cit, rep(c("u", "v"), 3), function(z) coef(m) * nrow(z))
do.call(rbind, by.list)

p <- plogis(est)
paste0(names(p), ": ", round(100 * p), "%")
cat("positive:", any(p > 0.5), 100 * round(p, 2), 1e-7 * deviance(m), "\n")
cat("differ:", ifelse(deviance(m) > 7.8, "yes", "no"), fill = TRUE)
cat("next line\n")
message("lowest: ", names(which.min(p)))
sprintf("%s of %d", round(deviance(m)), 3L)

BIC(m)
nobs(m)
AIC(m, k = 3)
u <- exp(unname(est))
all.equal(u, u * c(1.002, 1.00001, 1.00001), tolerance = 1e-4)
all.equal(sum(u) - sum(u), 1e-10)

b <- setNames(est, c("alpha", "beta", "Beta"))
b[order(names(b))]
b[sort(names(b), decreasing = TRUE)]
r <- list(x = list(coef = est))
names(r) <- "BT"
r$BT$coef
fits <- list(a = m)
names(fits) <- levels(factor("all"))
sapply(fits, logLik)
res <- data.frame(item = character(), est = numeric())
for (n in names(b)) res[nrow(res) + 1, ] <- list(n, b[[n]])
outer(b, c("x", "y"), function(i, j) i + nchar(j)) - outer(names(b), c("x", "y"), "==")

separated <- transform(cit, win1 = ifelse(a == "JASA", win1 + win2, win1), win2 = ifelse(a == "JASA", 0, win2))
separated <- transform(separated, win2 = ifelse(b == "JASA", win1 + win2, win2), win1 = ifelse(b == "JASA", 0, win1))
s <- BTm(cbind(win1, win2), a, b, data = separated)
ab <- BTabilities(s)
mean(ab[, "ability"], na.rm = TRUE)
