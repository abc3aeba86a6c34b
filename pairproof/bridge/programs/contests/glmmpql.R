# ---- BradleyTerry2's glmmPQL, given winner less loser as the matrix of the effects
suppressMessages(library(BradleyTerry2))
Z <- matrix(0, length(wins), K)
for (r in seq_along(wins)) {
  if (plus[r] > 0) Z[r, plus[r]] <- Z[r, plus[r]] + 1
  if (minus[r] > 0) Z[r, minus[r]] <- Z[r, minus[r]] - 1
}
stop_at <- if (tight) list(tol = 1e-14, maxiter = 2000) else list()
fit <- suppressWarnings(do.call(glmmPQL, c(list(cbind(wins, losses) ~ 0 + X, random = Z, family = binomial(link), offset = offset), stop_at)))
b <- as.numeric(coef(fit))
V <- unname(as.matrix(vcov(fit)))
attributes(V) <- attributes(V)["dim"]
llf <- deviance <- NA_real_
converged <- isTRUE(fit$converged)
effects <- as.numeric(attr(coef(fit), "random"))
sigma <- if (is.null(fit$sigma)) 0 else as.numeric(fit$sigma)
sigma_se <- if (sigma > 0) summary(fit)$ranef[1L, 2L] else NA_real_
if (!length(effects)) effects <- numeric(K)
