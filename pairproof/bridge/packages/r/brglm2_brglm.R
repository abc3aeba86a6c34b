
family <- get(family, envir = asNamespace("stats"), mode = "function")(link = link)
colnames(x) <- columns
response <- if (is.null(losses)) wins else cbind(wins, losses)
fit <- stats::glm(response ~ 0 + x, family = family, offset = offset, method = brglm2::brglmFit,
                  control = list(type = type, epsilon = epsilon, maxit = maxit))
b <- stats::coef(fit)
V <- matrix(as.numeric(stats::vcov(fit)), length(b))
dimnames(V) <- list(columns, columns)
list(coef = as.numeric(b), vcov = V, deviance = fit$deviance, loglik = as.numeric(stats::logLik(fit)), aic = fit$aic,
     df_residual = fit$df.residual, converged = isTRUE(fit$converged), iterations = fit$iter[1L], fitted = unname(as.numeric(fit$fitted.values)))
