
tau <- sqrt(2 * (sa^2 + so^2))
objective <- function(mu) {
  total <- -sum(dnorm(mu, 0, s0, log = TRUE))
  for (i in seq_along(mu)) for (j in seq_along(mu)) if (i < j) {
    m <- mu[i] - mu[j]
    p <- c(pnorm((d - m) / tau) - pnorm((-d - m) / tau), pnorm((m - d) / tau), pnorm((-m - d) / tau))
    k <- n[i, j, ]
    total <- total - sum(k[k > 0] * log(p[k > 0]))
  }
  total
}
# Two rounds of quasi-Newton: the second forgets the first one's curvature.
one <- optim(rep(0, dim(n)[1]), objective, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000, ndeps = rep(1e-5, dim(n)[1])))
two <- optim(one$par, objective, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000, ndeps = rep(1e-5, dim(n)[1])))
# Wider differences for second derivatives: with 1e-5 rounding alone would cost four of their digits.
hessian <- optimHess(two$par, objective, control = list(ndeps = rep(1e-3, dim(n)[1])))
list(mode = two$par, sd = sqrt(diag(solve(hessian))), objective = two$value, converged = two$convergence == 0)
