
d <- as.data.frame(X)
names(d) <- paste0("x", seq_along(d))
form <- stats::as.formula(paste("~", paste(names(d), collapse = " + ")))
ranked <- PlackettLuce::as.rankings(rankings)
if (is.null(.weights)) .weights <- rep.int(1, nrow(rankings))
fit <- PlackettLuce::pladmm(ranked, form, data = d, weights = .weights, rho = rho, n_iter = n_iter, rtol = rtol)
V <- as.matrix(stats::vcov(fit))
b <- stats::coef(fit)
ll <- stats::logLik(fit)
list(intercept = unname(b[1L]), coef = unname(b[-1L]), se = unname(sqrt(diag(V))), vcov = unname(V), worth = unname(as.numeric(fit$pi)),
     loglik = as.numeric(ll), df = attr(ll, "df"), df_residual = fit$df.residual, iterations = fit$iter, converged = isTRUE(fit$conv))
