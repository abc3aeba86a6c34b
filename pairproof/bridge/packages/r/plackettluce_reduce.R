
b <- stats::coef(fit, log = TRUE)
failed <- ""
V <- tryCatch({ v <- as.matrix(stats::vcov(fit)); attributes(v) <- attributes(v)["dim"]; v },
              error = function(e) { failed <<- conditionMessage(e); matrix(NA_real_, length(b), length(b)) })
worth <- PlackettLuce::itempar(fit, vcov = FALSE)
ll <- stats::logLik(fit)
list(names = names(b), coef = unname(as.numeric(b)), se = sqrt(diag(V)), vcov = V, vcov_error = failed, items = colnames(ranked),
     worth = as.numeric(worth), tie_orders = as.numeric(fit$ties), loglik = as.numeric(ll), null_loglik = fit$null.loglik,
     log_posterior = fit$logposterior, df = attr(ll, "df"), rank = fit$rank, df_residual = fit$df.residual, aic = stats::AIC(fit),
     iterations = fit$iter[1L], converged = fit$conv[1L] == 0, adherence = if (!is.null(fit$adherence)) as.numeric(fit$adherence))
