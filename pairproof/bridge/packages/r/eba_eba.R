
arguments <- list(M)
if (!is.null(aspects)) arguments$A <- lapply(aspects, as.integer)
if (!is.null(start)) arguments$s <- start
fit <- do.call(eba::eba, c(arguments, list(constrained = constrained)))
V <- matrix(as.numeric(fit$cov.p), length(fit$estimate))
u <- eba::uscale(fit)
list(names = paste0("aspect", seq_along(fit$estimate)), coef = as.numeric(fit$estimate), se = sqrt(diag(V)), vcov = V,
     items = names(u), scale = as.numeric(u), loglik = as.numeric(fit$logL.eba), loglik_saturated = as.numeric(fit$logL.sat),
     deviance = fit$goodness.of.fit[[1L]], df_residual = fit$goodness.of.fit[[2L]], p_value = fit$goodness.of.fit[[3L]], fitted = unname(fit$fitted))
