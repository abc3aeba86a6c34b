"""R programs for contests with random effects: lme4's Laplace approximation, and quadrature in base R.

    eta = X b + offset + sigma (z[plus] - z[minus]),      z independent standard normal

``plus, minus`` are the effects of each row, from 1, 0 for none; ``K`` how many there are; ``set`` the set of effects
that each row belongs to (one for each judge, or one alone), whose effects are integrated out together.
"""

from __future__ import annotations

from .programs import LIKELIHOOD

#: From `x`, near the minimum of `minus_llf`, to it.
BY_DIFFERENCES = """\
# Newton's method on the same function, its derivatives by Richardson's differences.
extrapolated <- function(D) {
  for (level in seq_len(length(D) - 1L)) D <- (4^level * D[-1L] - D[-length(D)]) / (4^level - 1)
  D
}
unit <- function(k, h) replace(numeric(length(x)), k, h)
gradient <- function(x, h) vapply(seq_along(x), function(k) extrapolated(vapply(0:3, function(j) {
  s <- h[k] / 2^j
  (minus_llf(x + unit(k, s)) - minus_llf(x - unit(k, s))) / (2 * s)
}, 0)), 0)
second <- function(x, h) {
  H <- matrix(0, length(x), length(x))
  for (i in seq_along(x)) for (k in seq_len(i)) H[i, k] <- H[k, i] <- extrapolated(vapply(0:2, function(j) {
    a <- unit(i, h[i] / 2^j); c <- unit(k, h[k] / 2^j)
    (minus_llf(x + a + c) - minus_llf(x + a - c) - minus_llf(x - a + c) + minus_llf(x - a - c)) / (4 * h[i] * h[k] / 4^j)
  }, 0))
  H
}
h <- rep(0.02, length(x))
steps <- 0
if (length(x)) {
  h <- reach / sqrt(pmax(diag(second(x, h)), 1e-4))
  H <- second(x, h)
  for (steps in 1:20) {
    move <- solve(H, gradient(x, h), tol = 0)
    x <- x - move
    size <- max(abs(move) / h)
    if (size < 1e-10) break
    if (size > 1e-2) {   # far from where the second derivatives were taken
      h <- reach / sqrt(pmax(diag(H), 1e-4))
      H <- second(x, h)
    }
  }
  covariance <- solve(second(x, h), tol = 0)
} else covariance <- matrix(0, 0, 0)
"""

#: lme4's modules with the matrix of effects put in by hand: it has no term for "winner less loser".
LAPLACE = (
    LIKELIHOOD
    + """\
# ---- Laplace's approximation by lme4's glmer, its modules given winner less loser as the matrix of the effects
suppressMessages({library(lme4); library(Matrix)})
n <- wins + losses
N <- length(n)
y <- wins / n
turn <- rep(1, N)
if (length(unique(y)) == 1L) turn[seq(2L, N, by = 2L)] <- -1   # glFormula refuses a constant response
y <- ifelse(turn > 0, y, 1 - y)
here <- which(plus > 0); there <- which(minus > 0)
Z <- sparseMatrix(i = c(here, there), j = c(plus[here], minus[there]), x = c(turn[here], -turn[there]), dims = c(N, K))
d <- data.frame(y = y, g = factor(rep_len(seq_len(min(K, N)), N)), off = turn * offset, n = n)
d$X <- turn * X
formula <- if (ncol(X)) y ~ 0 + X + (1 | g) else y ~ 0 + (1 | g)
ignore <- glmerControl(check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore", check.nobs.vs.rankZ = "ignore")
gf <- suppressWarnings(glFormula(formula, data = d, family = binomial(link), weights = n, offset = off, control = ignore))
rt <- gf$reTrms
rt$Zt <- as(t(Z), "CsparseMatrix")
rt$Lambdat <- sparseMatrix(i = seq_len(K), j = seq_len(K), x = rep(1, K))
rt$Lind <- rep(1L, K); rt$theta <- 1; rt$lower <- 0
rt$Ztlist <- list(rt$Zt); rt$Gp <- c(0L, K); rt$nl <- c(g = K)
rt$flist <- structure(list(g = factor(rep_len(seq_len(K), N), levels = seq_len(K))), assign = 1L)
objective <- suppressWarnings(mkGlmerDevfun(gf$fr, gf$X, rt, family = binomial(link), control = glmerControl(tolPwrss = 1e-13)))
first <- suppressWarnings(optimizeGlmer(objective))
objective <- updateGlmerDevfun(objective, rt)
found <- suppressWarnings(optimizeGlmer(objective, stage = 2, optimizer = "bobyqa", control = list(rhobeg = 0.1, rhoend = 1e-9, maxfun = 50000)))
# bobyqa stops at 8 digits.
reach <- 0.2   # of the differences, in standard errors: lme4's -2 log L is smooth to some 1e-10 only
p <- ncol(X)
at_zero <- found$par[1L] < 1e-3
minus_llf <- function(x) suppressWarnings(objective(if (at_zero) c(0, x) else c(exp(x[1L]), x[-1L]))) / 2
x <- if (at_zero) found$par[-1L] else c(log(found$par[1L]), found$par[-1L])
"""
    + BY_DIFFERENCES
    + """\
sigma <- if (at_zero) 0 else exp(x[1L])
fixed <- if (at_zero) seq_len(p) else 1L + seq_len(p)
b <- x[fixed]
V <- covariance[fixed, fixed, drop = FALSE]
sigma_se <- if (at_zero) NA_real_ else sigma * sqrt(covariance[1L, 1L])
llf <- -minus_llf(x) - sum(lchoose(n, wins))
effects <- if (at_zero) numeric(K) else as.numeric(environment(objective)$pp$b(1))
counts <- cbind(wins, ties, losses)
plain <- newton(likelihood_of(link, FALSE, FALSE, FALSE), rep(0, p), X, offset, home, counts)
lr <- if (at_zero) 0 else 2 * (llf - plain$llf)
means <- numeric()
deviance <- NA_real_
"""
)

#: PQL with any matrix of effects, by BradleyTerry2's own fitter.
GLMMPQL = """\
# ---- BradleyTerry2's glmmPQL, given winner less loser as the matrix of the effects
suppressMessages(library(BradleyTerry2))
Z <- matrix(0, length(wins), K)
for (r in seq_along(wins)) {
  if (plus[r] > 0) Z[r, plus[r]] <- Z[r, plus[r]] + 1
  if (minus[r] > 0) Z[r, minus[r]] <- Z[r, minus[r]] - 1
}
stop_at <- if (tight) list(tol = 1e-14, maxiter = 2000) else list()
fit <- suppressWarnings(do.call(glmmPQL, c(list(cbind(wins, losses) ~ 0 + X, random = Z, family = binomial(link), offset = offset), stop_at)))
b <- as.numeric(coef(fit))
V <- unname(as.matrix(vcov(fit)))
attributes(V) <- attributes(V)["dim"]
llf <- deviance <- NA_real_
converged <- isTRUE(fit$converged)
effects <- as.numeric(attr(coef(fit), "random"))
sigma <- if (is.null(fit$sigma)) 0 else as.numeric(fit$sigma)
sigma_se <- if (sigma > 0) summary(fit)$ranef[1L, 2L] else NA_real_
if (!length(effects)) effects <- numeric(K)
"""

#: Laplace's approximation as it is written: the mode of the effects by Newton's method, then its determinant.
LAPLACE_ITSELF = (
    LIKELIHOOD
    + """\
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
"""
    + BY_DIFFERENCES
    + """\
sigma <- if (at_zero) 0 else exp(x[1L])
fixed <- if (at_zero) seq_len(p) else 1L + seq_len(p)
b <- x[fixed]
V <- covariance[fixed, fixed, drop = FALSE]
sigma_se <- if (at_zero) NA_real_ else sigma * sqrt(covariance[1L, 1L])
llf <- -minus_llf(x)
lr <- if (at_zero) 0 else 2 * (llf - plain$llf)
effects <- sigma * mode
means <- numeric()
deviance <- NA_real_
"""
)

#: Quadrature by the trapezoidal rule about the mode of each set; derivatives by Fisher's and Louis's
#: identities.
QUADRATURE = (
    LIKELIHOOD
    + """\
# ---- the likelihood by the trapezoidal rule: for each set of effects a grid about the mode, in units of its curvature
L <- likelihood_of(link, FALSE, FALSE, FALSE)
p <- ncol(X)
both <- all(plus > 0 & minus > 0)
sets <- lapply(split(seq_along(wins), set), function(rows) {
  of <- sort(unique(c(plus[rows], minus[rows])))
  of <- of[of > 0]
  Z <- t(vapply(rows, function(r) (of == plus[r]) - (of == minus[r]), numeric(length(of))))
  if (length(of) == 1L) Z <- matrix(Z, ncol = 1L)
  # Where every row is a difference of two effects their mean is not seen: it is integrated out by itself.
  H <- if (both) unname(contr.helmert(length(of))) else diag(length(of))
  H <- sweep(H, 2L, sqrt(colSums(H^2)), "/")
  list(rows = rows, of = of, H = H, ZH = Z %*% H)
})
rule <- function(q) {
  if (q <= 2L) { step <- 0.4; radius <- 11 } else { step <- 0.5; radius <- 11 }
  z <- seq(-ceiling(radius / step), ceiling(radius / step)) * step
  list(z = as.matrix(expand.grid(rep(list(z), q))), log_weight = q * log(step))
}
rules <- lapply(seq_len(max(vapply(sets, function(s) ncol(s$H), 0L))), rule)
# Log-likelihood of some rows at eta, a column a row, with derivatives.
of_rows <- function(eta, w, l) {
  out <- list(value = 0, d1 = 0, d2 = 0)
  for (k in c(1L, 3L)) {
    count <- if (k == 1L) w else l
    d <- eval(L$of[[k]], list(eta = as.numeric(eta)))
    m <- matrix(rep(count, each = nrow(eta)), nrow(eta))
    add <- function(v) { v <- m * matrix(v, nrow(eta)); v[m == 0] <- 0; v }
    out <- list(value = out$value + add(as.numeric(d)), d1 = out$d1 + add(attr(d, "gradient")), d2 = out$d2 + add(attr(d, "hessian")))
  }
  out
}
at <- function(theta) {
  beta <- theta[seq_len(p)]
  sigma <- exp(theta[p + 1L])
  llf <- 0; score <- numeric(p + 1L); hessian <- matrix(0, p + 1L, p + 1L)
  effects <- means <- numeric(K)
  for (s in sets) {
    r <- s$rows; q <- ncol(s$H)
    base <- drop(X[r, , drop = FALSE] %*% beta) + offset[r]
    mode <- numeric(q)
    for (step in 1:200) {
      l <- of_rows(matrix(base + sigma * drop(s$ZH %*% mode), 1L), wins[r], losses[r])
      g <- sigma * drop(crossprod(s$ZH, drop(l$d1))) - mode
      Q <- diag(q) - sigma^2 * crossprod(s$ZH, s$ZH * drop(l$d2))
      move <- solve(Q, g)
      mode <- mode + move / max(1, sqrt(sum(move^2)) / 3)
      if (max(abs(move)) < 1e-12) break
    }
    root <- backsolve(chol(Q), diag(q))
    grid <- rules[[q]]
    c <- sweep(grid$z %*% t(root), 2L, mode, "+")
    W <- c %*% t(s$ZH)
    l <- of_rows(sweep(sigma * W, 2L, base, "+"), wins[r], losses[r])
    log_f <- rowSums(l$value) - rowSums(c^2) / 2 - q * log(2 * pi) / 2 + grid$log_weight + log(abs(det(root)))
    top <- max(log_f)
    f <- exp(log_f - top)
    llf <- llf + top + log(sum(f))
    f <- f / sum(f)
    S <- cbind(l$d1 %*% X[r, , drop = FALSE], sigma * rowSums(l$d1 * W))
    mean <- colSums(f * S)
    score <- score + mean
    D <- c(lapply(seq_len(p), function(k) matrix(rep(X[r, k], each = nrow(W)), nrow(W))), list(sigma * W))
    second <- matrix(0, p + 1L, p + 1L)
    for (i in seq_len(p + 1L)) for (k in seq_len(i)) second[i, k] <- second[k, i] <- sum(f * rowSums(l$d2 * D[[i]] * D[[k]]))
    second[p + 1L, p + 1L] <- second[p + 1L, p + 1L] + sum(f * sigma * rowSums(l$d1 * W))
    hessian <- hessian + second + crossprod(S, f * S) - tcrossprod(mean)
    effects[s$of] <- sigma * drop(s$H %*% mode)
    means[s$of] <- sigma * drop(s$H %*% colSums(f * c))
  }
  list(llf = llf, score = score, information = -hessian, effects = effects, means = means)
}
counts <- cbind(wins, ties, losses)
plain <- newton(L, rep(0, p), X, offset, home, counts)
theta <- c(plain$theta, log(0.7))
now <- at(theta)
at_zero <- FALSE
for (steps in 1:60) {
  information <- now$information
  ridge <- 0
  while (inherits(try(chol(information), silent = TRUE), "try-error")) {
    ridge <- max(0.1, 4 * ridge)
    information <- now$information + diag(ridge, p + 1L)
  }
  move <- solve(information, now$score, tol = 0)
  move <- move / max(1, abs(move[p + 1L]) / 1.5)
  part <- 1
  repeat {
    new <- at(theta + part * move)
    if (new$llf >= now$llf - 1e-10 || part < 1e-6) break
    part <- part / 2
  }
  theta <- theta + part * move
  done <- sum(move * now$score) < 1e-24 && ridge == 0
  now <- new
  at_zero <- theta[p + 1L] < log(1e-3)
  if (done || at_zero) break
}
if (at_zero) {
  b <- plain$theta; V <- solve(plain$information, tol = 0)
  sigma <- 0; sigma_se <- NA_real_; llf <- plain$llf; lr <- 0; effects <- means <- numeric(K)
} else {
  covariance <- solve(now$information, tol = 0)
  b <- theta[seq_len(p)]; V <- covariance[seq_len(p), seq_len(p), drop = FALSE]
  sigma <- exp(theta[p + 1L]); sigma_se <- sigma * sqrt(covariance[p + 1L, p + 1L])
  llf <- now$llf; lr <- 2 * (llf - plain$llf); effects <- now$effects; means <- now$means
}
deviance <- NA_real_
"""
)
