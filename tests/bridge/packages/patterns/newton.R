
rows <- nrow(X) / groups
exact <- function(phi) {
  ll <- 0; score <- numeric(ncol(X)); H <- matrix(0, ncol(X), ncol(X))
  for (s in seq_len(groups)) {
    x <- X[(s - 1L) * rows + seq_len(rows), , drop = FALSE]
    eta <- as.vector(x %*% phi)
    top <- max(eta)
    p <- exp(eta - top)
    logZ <- top + log(sum(p))
    p <- p / sum(p)
    mean_all <- colSums(x * p)
    centred <- sweep(x, 2L, mean_all)
    cov_all <- crossprod(centred, centred * p)
    for (i in which(group == s)) {
      at <- members[first[i]:last[i]]
      e <- eta[at]
      top <- max(e)
      q <- exp(e - top)
      ll <- ll + n[i] * (top + log(sum(q)) - logZ)
      q <- q / sum(q)
      xi <- x[at, , drop = FALSE]
      mean_i <- colSums(xi * q)
      score <- score + n[i] * (mean_i - mean_all)
      ci <- sweep(xi, 2L, mean_i)
      H <- H + n[i] * (crossprod(ci, ci * q) - cov_all)
    }
  }
  list(ll = ll, score = score, H = H)
}
phi <- start
here <- exact(phi)
steps <- 0L
while (max(abs(here$score)) > gradient && steps < most) {
  ridge <- 0
  repeat {
    U <- tryCatch(chol(-here$H + diag(ridge, ncol(X))), error = function(e) NULL)
    if (!is.null(U)) break
    ridge <- max(2 * ridge, 1e-3 * max(abs(diag(here$H))))
  }
  step <- backsolve(U, forwardsolve(t(U), here$score))
  half <- 1
  repeat {
    there <- exact(phi + half * step)
    ## At the end log L moves by its own rounding: the score decides.
    if (there$ll > here$ll || (there$ll > here$ll - 1e-13 * abs(here$ll) && max(abs(there$score)) < max(abs(here$score)))) break
    half <- half / 2
    if (half < 1e-6) break
  }
  if (half < 1e-6) break
  phi <- phi + half * step
  here <- there
  steps <- steps + 1L
}
V <- solve(-here$H)
list(names = colnames(X), coef = unname(phi), se = unname(sqrt(diag(V))), vcov = unname(V), llf = here$ll,
     largest_score = max(abs(here$score)), iterations = steps)
