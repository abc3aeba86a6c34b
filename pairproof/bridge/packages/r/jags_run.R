
run <- function(text, data, monitor) {
  inits <- lapply(seq_len(chains), function(k) list(.RNG.name = "base::Mersenne-Twister", .RNG.seed = seed + k))
  connection <- textConnection(text)
  on.exit(close(connection))
  model <- rjags::jags.model(connection, data, inits, n.chains = chains, n.adapt = warmup, quiet = TRUE)
  stats::update(model, warmup, progress.bar = "none")
  lapply(rjags::coda.samples(model, monitor, draws * thin, thin = thin, progress.bar = "none"), as.matrix)
}
