
ways <- clusters[, used, drop = FALSE]
covariance <- function(fit, at, fold, factor) {
  V <- sandwich::vcovCL(fit, cluster = ways[at, , drop = FALSE], type = type, cadjust = cadjust, fix = fix)
  factor * fold %*% V %*% t(fold)
}
if (model == "rao-kupper") {
  # The thresholds -delta and delta as one; a quarter is what weights of 1/2 leave: they are in polr's information and
  # not in the scores that sandwich takes, so that each comparison needs a row.
  found <- fit_polr(TRUE)
  fold <- cbind(diag(k), 0); fold[k, k + 0:1] <- c(-0.5, 0.5)
  V <- covariance(found$fit, found$at, fold, 4)
} else if (nlevels(cell) <= most_nuisance) {
  g <- fit_poisson()
  fold <- matrix(0, k, length(stats::coef(g))); fold[cbind(seq_len(k), match(parameters, names(stats::coef(g))))] <- 1
  V <- covariance(g, rows, fold, 1)
} else V <- covariance(l, at, diag(k), 1)
dimnames(V) <- list(names(b), names(b))
list(names = names(b), coef = unname(b), vcov = V, se = unname(sqrt(pmax(diag(V), 0))), model_vcov = unname(chol2inv(qr.R(l$qr))),
     n_clusters = as.numeric(vapply(ways, function(g) length(unique(g)), 0L)))
