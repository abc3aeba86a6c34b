
d <- data.frame(y = factor(y, levels = levels, ordered = TRUE))
d$X <- x
d$w <- weights
fit <- MASS::polr(y ~ X, data = d, weights = w, Hess = TRUE, method = method)
b <- c(stats::coef(fit), fit$zeta)
names(b) <- c(colnames(x), names(fit$zeta))
V <- stats::vcov(fit); dimnames(V) <- list(names(b), names(b))
ll <- stats::logLik(fit)
list(coef = b, vcov = V, deviance = fit$deviance, df_residual = fit$df.residual, null_deviance = NA_real_, df_null = NA_real_,
     loglik = as.numeric(ll), df = attr(ll, "df"), aic = stats::AIC(fit), fitted = as.numeric(t(fit$fitted.values)),
     converged = fit$convergence == 0L, iterations = as.integer(fit$niter[1L]))
