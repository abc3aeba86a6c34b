
n <- a + b + t
means <- stats::t.test((a - b) / n)
table <- cbind(a, t, b)
differ <- stats::chisq.test(table[, colSums(table) > 0], correct = FALSE)
# Beta-binomial: a of a + b with mean mu and r = 1 / (alpha + beta), each on a scale without bounds.
loglik <- function(mu, r) sum(lchoose(a + b, a) + lbeta(a + mu / r, b + (1 - mu) / r) - lbeta(mu / r, (1 - mu) / r))
both <- function(p) -loglik(stats::plogis(p[1L]), exp(p[2L]))
best <- list(par = c(stats::qlogis(sum(a) / sum(a + b)), log(0.05)))
for (i in 1:3) best <- stats::optim(best$par, both, method = "BFGS", control = list(reltol = 1e-16, maxit = 1000L, ndeps = c(1e-5, 1e-5)))
null <- stats::optimize(function(lr) loglik(0.5, exp(lr)), c(-12, 5), maximum = TRUE, tol = 1e-12)
r <- exp(best$par[2L])
list(mean = unname(means$estimate), t = unname(means$statistic), df = unname(means$parameter), p = means$p.value,
     chi2 = unname(differ$statistic), chi2_df = unname(differ$parameter), chi2_p = differ$p.value,
     logit = best$par[1L], icc = r / (1 + r), loglik = -best$value,
     lr_p = stats::pchisq(2 * (-best$value - null$objective), 1, lower.tail = FALSE))
