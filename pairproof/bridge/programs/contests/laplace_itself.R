# ---- log L = l(mode) - |mode|^2 / 2 - log det(I + sigma^2 Z'WZ) / 2, W minus the second derivatives of l
L <- likelihood_of(link, FALSE, FALSE, FALSE)
p <- ncol(X)
rows <- seq_along(wins)
Z <- matrix(0, length(wins), K)
Z[cbind(rows, plus)[plus > 0, , drop = FALSE]] <- 1
Z[cbind(rows, minus)[minus > 0, , drop = FALSE]] <- Z[cbind(rows, minus)[minus > 0, , drop = FALSE]] - 1
counts <- cbind(wins, ties, losses)
by_eta <- function(eta) {
  out <- list(value = 0, d1 = 0, d2 = 0)
  for (k in c(1L, 3L)) {
    d <- eval(L$of[[k]], list(eta = eta))
    some <- counts[, k] > 0
    add <- function(v) ifelse(some, counts[, k] * as.numeric(v), 0)
    out <- list(value = out$value + sum(add(d)), d1 = out$d1 + add(attr(d, "gradient")), d2 = out$d2 + add(attr(d, "hessian")))
  }
  out
}
mode <- numeric(K)
minus_llf <- function(x) {
  sigma <- if (at_zero) 0 else exp(x[1L])
  base <- drop(X %*% (if (at_zero) x else x[-1L])) + offset
  u <- mode
  value <- function(u) by_eta(base + sigma * drop(Z %*% u))$value - sum(u^2) / 2
  before <- value(u)
  for (step in 1:200) {
    l <- by_eta(base + sigma * drop(Z %*% u))
    Q <- diag(K) - sigma^2 * crossprod(Z, Z * l$d2)
    g <- sigma * drop(crossprod(Z, l$d1)) - u
    move <- solve(Q, g)
    part <- 1
    while (value(u + part * move) < before - 1e-9) part <- part / 2
    u <- u + part * move
    before <- value(u)
    if (max(abs(move)) < 1e-13) break
  }
  mode <<- u
  l <- by_eta(base + sigma * drop(Z %*% u))
  Q <- diag(K) - sigma^2 * crossprod(Z, Z * l$d2)
  -(l$value - sum(u^2) / 2 - as.numeric(determinant(Q)$modulus) / 2)
}
plain <- newton(L, rep(0, p), X, offset, home, counts)
at_zero <- FALSE
reach <- 0.05
tame <- function(x) if (abs(x[1L]) > 8) 1e6 * abs(x[1L]) else { value <- tryCatch(minus_llf(x), error = function(e) NA); if (is.finite(value)) value else { mode[] <<- 0; 1e6 } }
starts <- lapply(log(c(0.3, 1, 3)), function(s) c(s, plain$theta * sqrt(1 + exp(2 * s) / 3)))
x <- starts[[which.min(vapply(starts, tame, 0))]]
x <- optim(x, tame, method = "Nelder-Mead", control = list(maxit = 200 * length(x)))$par
x <- nlm(tame, x, gradtol = 1e-8, steptol = 1e-12, stepmax = 1, iterlim = 500)$estimate
if (x[1L] < log(1e-3)) { at_zero <- TRUE; x <- plain$theta }
