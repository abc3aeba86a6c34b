
one <- function(x) if (length(x) == 1L) as.numeric(x)
rows <- function(x) if (length(x) <= 500L) unname(as.numeric(x)) else numeric()
reduce_btm <- function(fit, b = fit$coefficients, V = stats::vcov(fit)) {
  kept <- which(!is.na(b))
  V <- matrix(as.numeric(V), nrow(V))
  if (nrow(V) == length(b)) V <- V[kept, kept, drop = FALSE]
  dimnames(V) <- list(names(b)[kept], names(b)[kept])
  ll <- tryCatch(stats::logLik(fit), error = function(e) NULL)
  u <- attr(b, "random")
  list(coef = stats::setNames(as.numeric(b), names(b)), vcov = V, deviance = one(fit$deviance), null_deviance = one(fit$null.deviance),
       df_residual = one(fit$df.residual), df_null = one(fit$df.null), loglik = one(ll), df = one(attr(ll, "df")), aic = one(fit$aic),
       penalized_deviance = one(fit$penalized.deviance), converged = isTRUE(fit$converged), iterations = one(fit$iter[1L]),
       fitted = rows(fit$fitted.values), eta = rows(fit$linear.predictors), weights = rows(fit$prior.weights), used = length(fit$fitted.values), fitter = setdiff(class(fit), "BTm")[1L],
       sigma = one(fit$sigma), sigma_se = if (!is.null(fit$varSigma)) one(sqrt(fit$varSigma)),
       random = if (length(u)) as.numeric(u) else numeric(), random_names = if (length(u)) as.character(colnames(fit$random)) else character(),
       players = as.character(levels(fit$player1[[if (is.null(fit$id)) 1L else fit$id]])), refcat = as.character(fit$refcat), term_labels = as.character(fit$term.labels))
}
