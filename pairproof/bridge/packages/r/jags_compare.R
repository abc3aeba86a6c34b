
chain <- function(k) {
  found <- MCMCpack::MCMCpaircompare(data, theta.constraints = list(), alpha.fixed = TRUE, burnin = warmup, mcmc = draws * thin, thin = thin,
                                     seed = seed + k, verbose = 0, store.theta = TRUE, store.alpha = FALSE)
  m <- as.matrix(found)
  m <- m[, paste0("theta.", items), drop = FALSE]
  m - rowMeans(m)
}
summarise(lapply(seq_len(chains), chain))
