# ---- the maximum of sum n log P, by Newton's method with halved steps
p <- ncol(design)
exact <- function(phi) {
  ll <- 0; llf <- 0; score <- numeric(p); hessian <- matrix(0, p, p)
  for (g in unique(in_group)) {
    M <- design[(g - 1L) * q + seq_len(q), , drop = FALSE]
    beta <- as.vector(M %*% phi)
    first <- numeric(q); second <- matrix(0, q, q)
    for (s in unique(at[in_group == g])) {
      S <- spaces[[s]]
      eta <- as.vector(S %*% beta)
      largest <- max(eta)
      prob <- exp(eta - largest)
      log_z <- largest + log(sum(prob))
      prob <- prob / sum(prob)
      mean_all <- colSums(S * prob)
      centred <- sweep(S, 2L, mean_all)
      cov_all <- crossprod(centred, centred * prob)
      for (i in which(in_group == g & at == s)) {
        rows <- rows_of[[i]]
        if (length(rows) == 1L) {
          log_p <- eta[rows] - log_z
          first <- first + weight[i] * centred[rows, ]
          second <- second - weight[i] * cov_all
        } else {
          top <- max(eta[rows])
          share <- exp(eta[rows] - top)
          log_p <- top + log(sum(share)) - log_z
          share <- share / sum(share)
          part <- centred[rows, , drop = FALSE]
          mean_i <- colSums(part * share)
          part <- sweep(part, 2L, mean_i)
          first <- first + weight[i] * mean_i
          second <- second + weight[i] * (crossprod(part, part * share) - cov_all)
        }
        ll <- ll + weight[i] * log_p
        if (told[i]) llf <- llf + weight[i] * log_p
      }
    }
    score <- score + as.vector(crossprod(M, first))
    hessian <- hessian + crossprod(M, second %*% M)
  }
  list(ll = ll, llf = llf, score = score, hessian = hessian)
}
phi <- numeric(p)
here <- exact(phi)
iterations <- 0L
while (max(abs(here$score)) > 1e-12 && iterations < 200L) {
  ridge <- 0
  repeat {
    U <- tryCatch(chol(-here$hessian + diag(ridge, p)), error = function(e) NULL)
    if (!is.null(U)) break
    ridge <- max(2 * ridge, 1e-3 * max(abs(diag(here$hessian))))
  }
  step <- backsolve(U, forwardsolve(t(U), here$score))
  part <- 1
  repeat {
    there <- exact(phi + part * step)
    # At the end the log-likelihood moves by its own rounding: the score decides.
    if (there$ll > here$ll + 1e-13 * abs(here$ll)) break
    if (there$ll > here$ll - 1e-13 * abs(here$ll) && max(abs(there$score)) < max(abs(here$score))) break
    part <- part / 2
    if (part < 1e-6) break
  }
  if (part < 1e-6) break
  phi <- phi + part * step
  here <- there
  iterations <- iterations + 1L
}
covariance <- solve(-here$hessian, tol = 0)
llf <- here$llf
