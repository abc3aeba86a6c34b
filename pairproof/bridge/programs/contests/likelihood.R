# ---- log-probabilities of first preferred, tie, second preferred; R's deriv3 differentiates them
likelihood_of <- function(link, with_ties, shift, scale) {
  s <- if (scale) quote(exp(tie.scale)) else 1
  q <- if (shift) quote(1 / (1 + exp(-tie.mode * home))) else 0.5
  tie <- substitute(tie.max - s * (q * log(q) + (1 - q) * log(1 - q)) + s * q * eta + (1 - s) * log1p(exp(eta)), list(s = s, q = q))
  all <- substitute(log(exp(eta) + exp(tie) + 1), list(tie = tie))
  of <- if (with_ties) list(substitute(eta - all, list(all = all)), substitute(tie - all, list(tie = tie, all = all)), substitute(-all, list(all = all)))
    else switch(link,
      logit = list(quote(-log1p(exp(-eta))), NULL, quote(-log1p(exp(eta)))),
      probit = list(quote(log(pnorm(eta))), NULL, quote(log(pnorm(-eta)))),
      cauchit = list(quote(log(0.5 + atan(eta) / pi)), NULL, quote(log(0.5 - atan(eta) / pi))))
  variables <- c("eta", if (with_ties) c("tie.max", if (shift) "tie.mode", if (scale) "tie.scale"))
  list(variables = variables, of = lapply(of, function(e) if (!is.null(e)) deriv3(e, variables)))
}
evaluate <- function(L, theta, X, offset, home, counts) {
  p <- ncol(X); n <- nrow(X); m <- length(L$variables)
  here <- list(eta = drop(X %*% theta[seq_len(p)]) + offset, home = home)
  for (k in seq_len(m - 1L)) here[[L$variables[k + 1L]]] <- rep(theta[p + k], n)
  value <- numeric(n); G <- matrix(0, n, m); H <- array(0, c(n, m, m))
  for (k in 1:3) if (!is.null(L$of[[k]])) {
    w <- counts[, k]
    d <- eval(L$of[[k]], here)
    some <- w > 0
    value[some] <- value[some] + w[some] * as.numeric(d)[some]
    G[some, ] <- G[some, ] + w[some] * matrix(attr(d, "gradient"), n)[some, ]
    H[some, , ] <- H[some, , , drop = FALSE] + w[some] * array(attr(d, "hessian"), c(n, m, m))[some, , , drop = FALSE]
  }
  one <- matrix(1, n, 1L)
  blocks <- c(list(X), rep(list(one), m - 1L))
  score <- unlist(lapply(seq_len(m), function(k) crossprod(blocks[[k]], G[, k])))
  information <- -do.call(rbind, lapply(seq_len(m), function(i) do.call(cbind, lapply(seq_len(m), function(j) crossprod(blocks[[i]], blocks[[j]] * H[, i, j])))))
  list(llf = sum(value), score = score, information = information)
}
newton <- function(L, theta, X, offset, home, counts) {
  if (!length(theta)) return(list(theta = theta, steps = 0, llf = evaluate(L, theta, X, offset, home, counts)$llf, score = theta, information = matrix(0, 0, 0)))
  for (step in 1:200) {
    at <- evaluate(L, theta, X, offset, home, counts)
    information <- at$information
    ridge <- 0
    # Where the log-likelihood is not concave, as with the cauchit, a multiple of the diagonal is added until it is.
    while (inherits(try(chol(information), silent = TRUE), "try-error")) {
      ridge <- max(1e-3, 4 * ridge)
      information <- at$information + diag(ridge * (1 + abs(diag(at$information))), length(theta))
    }
    move <- solve(information, at$score, tol = 0)
    part <- 1
    repeat {
      new <- evaluate(L, theta + part * move, X, offset, home, counts)
      if (is.finite(new$llf) && new$llf >= at$llf - 1e-9) break
      part <- part / 2
      if (part < 1e-10) break
    }
    theta <- theta + part * move
    if (sum(move * at$score) < 1e-26 && ridge == 0) break
  }
  c(list(theta = theta, steps = step), evaluate(L, theta, X, offset, home, counts))
}
deviance_of <- function(counts, p) {
  expected <- rowSums(counts) * p
  here <- counts > 0
  2 * sum(counts[here] * log(counts[here] / expected[here]))
}
# llf less that of the observed shares: the deviance of the rows.
saturated <- function(counts) {
  share <- counts / rowSums(counts)
  sum(counts[counts > 0] * log(share[counts > 0]))
}
counts <- cbind(wins, ties, losses)
