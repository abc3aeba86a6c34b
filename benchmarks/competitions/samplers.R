## R's samplers on the competition that r.py leaves in a folder:  Rscript samplers.R FOLDER
## Under the clock (user + system CPU of this process): set_up, what comes before the first iteration; brief, the
## iterations of a short run; draws, those of a longer one that goes on from there. Neither R's start nor reading nor
## writing is counted. The bridge's own code for the model is in model.R; it calls run(), which here keeps the time.

folder <- commandArgs(TRUE)[1L]
path <- function(name) file.path(folder, name)
settings <- as.list(read.csv(path("settings.csv"), check.names = FALSE))
list2env(settings, globalenv())  # n_systems, the model's constants, warmup, brief, settle, draws, seed
author <- scan(path("author.txt"), quiet = TRUE)
compared <- read.csv(path("compared.csv"))
one <- compared$one; two <- compared$two; outcome <- compared$outcome
code <- readLines(path("model.R"))

for (package in strsplit(readLines(path("needs.txt")), " ")[[1L]])
  if (!requireNamespace(package, quietly = TRUE)) {
    writeLines(paste("R package", package, "is not installed"), path("absent.txt"))
    quit(save = "no", status = 3L)
  }

tick <- 0.001  # of R's clock, s; nothing takes less
cpu <- function(expression) {
  invisible(gc(FALSE))
  before <- proc.time()
  force(expression)
  max(sum((proc.time() - before)[c(1L, 2L, 4L, 5L)]), tick)
}

## The draws, a row a draw, and what they took; then R ends, for what the bridge's code does next is summing up.
leave <- function(m, set_up, brief, draws) {
  writeBin(as.double(t(m)), path("draws.f64"), endian = "little")
  version <- function(p) as.character(packageVersion(p))
  write.csv(data.frame(set_up, brief, draws, columns = ncol(m)), path("seconds.csv"), row.names = FALSE)
  writeLines(c(paste("R", getRversion()), paste(loadedNamespaces(), sapply(loadedNamespaces(), version)),
               if ("rjags" %in% loadedNamespaces()) paste("JAGS", rjags::jags.version())), path("versions.txt"))
  quit(save = "no")
}

## In place of the bridge's run(): one chain, adapting in the warm-up, as many iterations as a short run has; then more.
run <- function(text, data, monitor, inits = list()) {
  inits <- c(inits, list(.RNG.name = "base::Mersenne-Twister", .RNG.seed = seed))
  connection <- textConnection(text)
  sampled <- function(n) as.matrix(rjags::coda.samples(model, monitor, n, progress.bar = "none"))
  set_up <- cpu(model <- rjags::jags.model(connection, data, inits, n.chains = 1L, n.adapt = 0L, quiet = TRUE))
  short <- cpu({ rjags::adapt(model, warmup, end.adaptation = TRUE, progress.bar = "none"); sampled(brief - warmup) })
  if (settle > 0) stats::update(model, settle, progress.bar = "none")
  spent <- cpu(m <- sampled(draws))
  columns <- switch(monitor, mu = sprintf("mu[%d]", seq_len(n_systems)),
                    theta = sprintf("theta[%d,%d]", rep(seq_len(n_systems), each = n_levels), rep(seq_len(n_levels), n_systems)))
  leave(m[, columns, drop = FALSE], set_up, short, spent)
}

## The Gaussian model once more, the difference of what is seen drawn too, as the native sampler does: then every
## conditional has a form that JAGS knows, and it needs no slice sampler. (Its module glm changes nothing here.)
augmented <- function() {
  text <- "model {
    for (s in 1:n_systems) { mu[s] ~ dnorm(0, pow(s0, -2)) }
    for (i in 1:n_items) { q[i] ~ dnorm(mu[author[i]], pow(sa, -2)) }
    for (k in 1:n) {
      delta[k] ~ dnorm(q[one[k]] - q[two[k]], pow(so, -2) / 2)
      y[k] ~ dinterval(delta[k], cut)
    }
  }"
  y <- c(1L, 2L, 0L)[outcome + 1L]  # below -d, between, above d
  data <- list(n_systems = n_systems, n_items = length(author), n = length(one), author = author, one = one, two = two, y = y,
               cut = c(-d, d), s0 = s0, sa = sa, so = so)
  run(text, data, "mu", list(delta = (y - 1) * (d + 1)))
}

## A call does everything before its first iteration anew, which takes longer than hundreds of iterations: one of a single
## iteration says how long, the rest of a long call is shared out among its iterations.
mcmcpack <- function() {
  table <- compared[outcome != 0L, ]
  name <- function(item) sprintf("s%03d", author[item])
  judged <- data.frame(rater = "one", first = name(table$one), second = name(table$two))
  judged$choice <- ifelse(table$outcome == 1L, judged$first, judged$second)
  call <- function(burnin, n) MCMCpack::MCMCpaircompare(judged, theta.constraints = list(), alpha.fixed = TRUE, burnin = burnin, mcmc = n, thin = 1L,
                                                        seed = seed, verbose = 0, store.theta = TRUE, store.alpha = FALSE)
  call(0L, 1L)  # the first call loads what it needs
  set_up <- cpu(call(0L, 1L))
  all <- brief + settle + draws
  iteration <- max(cpu(m <- call(brief + settle, draws)) - set_up, tick) / all
  leave(as.matrix(m)[, sprintf("theta.s%03d", seq_len(n_systems)), drop = FALSE], set_up, iteration * brief, iteration * draws)
}

eval(parse(text = code), globalenv())
