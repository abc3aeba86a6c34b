# Control flow, scopes and copies, as R has them: jumps, locals, values that a copy leaves alone, loops that fill
library("BradleyTerry2")
d <- data.frame(
  A = factor(c("p", "p", "q", "p", "q", "r"), c("p", "q", "r", "s")),
  B = factor(c("q", "r", "r", "s", "s", "s"), c("p", "q", "r", "s")),
  x = c(12, 15, 9, 17, 11, 13), y = c(8, 5, 11, 3, 9, 7)
)
m <- BTm(cbind(x, y), A, B, data = d)
n <- BTm(cbind(x + 2, y), A, B, data = d)

# What is left early
verdict <- function(fit, level = .2) {
  p <- summary(fit)$coefficients["..r", 4]
  if (p > level) return(cat("no difference, p =", round(p, 3), "\n"))
  cat("a difference, p =", round(p, 3), "\n")
}
verdict(m)
verdict(m, level = .9)
count <- 0
for (name in names(coef(m))) {
  if (coef(m)[name] < -1) next
  count <- count + 1
  cat(name, "is kept\n")
}
cat(count, "are kept\n")
total <- 0
for (name in names(coef(m))) {
  total <- total + coef(m)[[name]]
  if (total < -1) break
  cat(name, round(total, 3), "\n")
}
cat("stopped at", name, "with", round(total, 3), "\n")
lost <- 0
for (name in names(coef(m))) {
  if (grepl("q", name)) next
  lost <- lost + 1
}
cat("lost", lost, "\n")
first <- function(fit) {
  for (name in names(coef(fit))) if (coef(fit)[name] < -1) return(cat("first is", name, "\n"))
  cat("there is none\n")
}
first(m)

for (by in 0:3) {
  if (by == 1) next
  g <- BTm(cbind(x + by, y), A, B, data = d)
  cat("by", by, round(deviance(g), 3), "\n")
}

# Names of a function
fit <- m
of.other <- function(by) {
  fit <- BTm(cbind(x + by, y), A, B, data = d)
  deviance(fit)
}
cat("other", round(of.other(1), 3), "\n")
cat("deviance", round(deviance(fit), 3), "\n")
k <- 3
ab <- coef(m)
best <- function(fit) {
  ab <- BTabilities(fit)[, 1]
  k <- length(ab)
  cat("best of", k, "is", names(ab)[which.max(ab)], "\n")
}
best(m)
cat("k is", k, "and the first", round(ab[1], 3), "\n")
calls <- 0
shown <- function(fit) {
  calls <<- calls + 1
  cat("call", calls, round(deviance(fit), 3), "\n")
}
shown(m)
shown(n)
cat("calls", calls, "\n")
s <- summary(fit)
fit <- n
cat("of the summary", round(s$coefficients[, 1], 3), "\n")
better <- m
if (deviance(n) < deviance(better)) better <- n
cat("better", round(deviance(better), 3), "\n")
invisible(lapply(list(m, n), function(fit) {
  k <- deviance(fit)
  cat("each", round(k, 3), "\n")
}))
cat("k is still", k, "\n")

# A copy is another value
w <- ab
w[1] <- 0
cat("first", round(ab[1], 3), "and", round(w[2], 3), "\n")
est <- matrix(NA, 2, 3)
se <- est
fits <- list(m, n)
for (i in 1:2) {
  est[i, ] <- coef(fits[[i]])
  se[i, ] <- sqrt(diag(vcov(fits[[i]])))
}
cat("estimates", round(est[2, ], 3), "errors", round(se[2, ], 3), "\n")
zero <- function(v) {
  v[1] <- 0
  cat("sum", round(sum(v), 3), "\n")
}
zero(ab)
cat("sum", round(sum(ab), 3), "\n")
l1 <- list(a = 1, b = deviance(m))
l2 <- l1
l2$a <- 2
cat(l1$a, l2$a, "\n")
tally <- c(0, 0)
for (i in 1:2) for (j in 1:3) if (coef(fits[[i]])[j] < -.7) tally[i] <- tally[i] + 1
cat("tally", tally, "\n")

# What a loop fills, and what it leaves
dev <- c()
for (f in fits) dev <- c(dev, deviance(f))
cat("sum", round(sum(dev), 3), "of", length(dev), "\n")
cut <- 0
for (f in fits) {
  cat("before", round(cut, 3), "\n")
  cut <- quantile(coef(f), .5)
}
cat("cut", round(cut, 3), "\n")
i <- 5
for (i in 1:2) invisible(i)
cat("i is", i, "\n")
