
reduce <- function(m, b = stats::coef(m), V = stats::vcov(m)) {
  ll <- stats::logLik(m)
  attributes(V) <- attributes(V)[c("dim", "dimnames")]
  list(coef = stats::setNames(as.numeric(b), names(b)), vcov = V, deviance = stats::deviance(m),
       df_residual = stats::df.residual(m), null_deviance = m$null.deviance, df_null = m$df.null,
       loglik = as.numeric(ll), df = attr(ll, "df"), aic = m$aic, fitted = unname(as.numeric(stats::fitted(m))),
       converged = m$converged, iterations = m$iter)
}
