
nuisance <- if (nlevels(cell) > 1L) stats::model.matrix(~ 0 + cell)[rows, , drop = FALSE] else matrix(1, length(y), 1L)
refitted <- function(X, offset) {
  once <- function(start, etastart) stats::glm.fit(cbind(X, nuisance), y, family = stats::poisson(), offset = offset, start = start,
    etastart = etastart, control = stats::glm.control(epsilon = epsilon, maxit = maxit), intercept = FALSE)
  once(NULL, log(y + 0.1))$deviance
}
best <- refitted(own, rep(0, length(y)))
limits_of <- function(c0) {
  j <- which.max(abs(c0))
  X <- own[, -j, drop = FALSE] - own[, j] %o% (c0[-j] / c0[j])
  loss <- function(v) refitted(X, own[, j] * v / c0[j]) - best - stats::qchisq(level, 1)
  at <- sum(c0 * b)
  se <- sqrt(drop(t(c0) %*% chol2inv(qr.R(l$qr)) %*% c0))
  side <- function(sign) {
    far <- 2
    while (loss(at + sign * far * se) < 0 && far < 64) far <- 2 * far
    stats::uniroot(loss, sort(at + sign * c(0.5, far) * se), tol = 1e-13)$root
  }
  c(side(-1), side(1))
}
limits <- apply(C, 1L, limits_of)
list(low = as.numeric(limits[1L, ]), high = as.numeric(limits[2L, ]))
