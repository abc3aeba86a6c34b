
n <- nrow(M)
best <- NULL
for (lower in c(0.005, 1e-4)) {
  f <- stats::factanal(M, 1L, lower = lower, control = list(opt = list(factr = 10, pgtol = 0, maxit = 10000L)))
  if (is.null(best) || f$criteria[["objective"]] < best$criteria[["objective"]]) best <- f
}
sd <- apply(M, 2L, function(x) sqrt(mean((x - mean(x))^2)))
r <- as.numeric(best$loadings); u <- as.numeric(best$uniquenesses)
if (sum(r) < 0) r <- -r
V <- outer(r * sd, r * sd) + diag(u * sd^2)
S <- crossprod(sweep(M, 2L, colMeans(M))) / n
list(mean = as.numeric(colMeans(M)), correlation = r, loading = r * sd, noise = sqrt(u) * sd,
     loglik = -n / 2 * (ncol(M) * log(2 * pi) + as.numeric(determinant(V)$modulus) + sum(diag(solve(V, S)))))
