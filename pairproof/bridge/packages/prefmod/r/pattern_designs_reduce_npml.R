
said <- summary(fit)
b <- stats::coef(fit)
known <- names(b)[!is.na(b)]
table <- said$lastglmsumm$coefficients
V <- said$lastglmsumm$cov.scaled
se <- stats::setNames(rep(NA_real_, length(b)), names(b))
se[rownames(table)] <- table[, 2L]
ll <- stats::logLik(fit)
y <- design$y
list(names = names(b), coef = unname(as.numeric(b)), se = unname(se), vcov = unname(V), vcov_names = rownames(V),
     masses = unname(as.numeric(fit$masses)), persons = as.numeric(colSums(fit$post.prob * y) / sum(y)),
     posterior = matrix(as.numeric(fit$post.prob), nrow(fit$post.prob)), disparity = fit$disparity, deviance = fit$deviance,
     loglik = as.numeric(ll), df = attr(ll, "df"), aic = stats::AIC(fit), bic = stats::BIC(fit), iterations = fit$EMiter,
     converged = isTRUE(fit$EMconverged))
