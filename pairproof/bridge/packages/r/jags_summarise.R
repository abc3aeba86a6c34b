
summarise <- function(chains) {
  chains <- coda::mcmc.list(lapply(chains, coda::mcmc))
  s <- summary(chains)$statistics
  s <- if (is.matrix(s)) s else matrix(s, 1L, dimnames = list(NULL, names(s)))
  out <- cbind(mean = s[, "Mean"], sd = s[, "SD"], ess = coda::effectiveSize(chains), mcse = s[, "Time-series SE"])
  dimnames(out) <- list(NULL, colnames(out))
  out
}
