"""R programs that fit models of contests: in base R, by brglm2, gnm, BradleyTerry2 and lme4.

They share their variables (:mod:`.contest_models` makes them): ``wins, ties, losses, X, offset, home, link``
are the rows; ``X`` has a column for each free parameter but those of ties.  By BradleyTerry2 and gnm:
``items``, ``first, second`` (from 1), ``free`` (whether items have free abilities), ``reference``, ``W``
(item covariates, NA for items with an ability of their own) and ``C`` (columns of the contest).  Each program
leaves ``b`` and ``V`` (estimates and covariance), ``llf`` without constants of the counts, and ``deviance``.

In base R: Newton's method on the log-likelihood itself, whose derivatives R's own ``deriv3`` works out from
its formula

    log P(first) = log F(eta), with Davidson's generalised ties (Fiocco 2011, in BradleyTerry2's GenDavidson)
    log m = eta | tie.max + s H(q) + s q eta + (1 - s) log(1 + e^eta) | 0,    s = exp(tie.scale),
    q = plogis(tie.mode * home), H(q) = -q log q - (1 - q) log(1 - q)

and scoring on l + log det(I) / 2, Jeffreys' prior, for Davidson's ties.  By packages: glm.fit, brglm2 and gnm
at tight stops; BTm as it is called in BradleyTerry2.

With random effects (lme4's Laplace approximation, quadrature in base R)

    eta = X b + offset + sigma (z[plus] - z[minus]),      z independent standard normal,

``plus, minus`` are the effects of each row, from 1, 0 for none; ``K`` how many there are; ``set`` the set of
effects that each row belongs to (one for each judge, or one alone), whose effects are integrated out
together.
"""

from __future__ import annotations

#: Log-probabilities with value, gradient and Hessian by eta and the tie parameters.
LIKELIHOOD = """\
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
"""

NEWTON = (
    LIKELIHOOD
    + """\
# ---- Newton's method, from the logit's maximum for the other links
start <- rep(0, ncol(X))
if (link != "logit") start <- newton(likelihood_of("logit", FALSE, FALSE, FALSE), start, X, offset, home, counts)$theta
L <- likelihood_of(link, with_ties, shift, scale)
fit <- newton(L, c(start, if (with_ties) -1, rep(0, shift + scale)), X, offset, home, counts)
b <- fit$theta
V <- solve(fit$information, tol = 0)
if (with_ties) b[ncol(X) + 1L] <- b[ncol(X) + 1L] + log(2)   # log nu, Davidson's tie parameter
llf <- fit$llf
deviance <- 2 * (saturated(counts) - llf)
largest <- max(abs(fit$score * sqrt(diag(V))), 0)
"""
)

#: glm.fit at a tight stop. Standard errors are of the observed information at its estimates.
GLM = (
    LIKELIHOOD
    + """\
# ---- glm.fit, at a tight stop and again from its own solution, so that its weights are those of the solution
family <- binomial(link)
quiet <- suppressWarnings   # of counts that are not whole
first <- quiet(glm.fit(X, cbind(wins, losses), offset = offset, family = family, intercept = FALSE))
start <- coef(first)
for (again in 1:20) {
  before <- start
  fit <- quiet(glm.fit(X, cbind(wins, losses), offset = offset, family = family, intercept = FALSE,
    start = start, control = glm.control(epsilon = 1e-14, maxit = 500)))
  start <- coef(fit)
  if (all(abs(start - before) <= 1e-15 * abs(before))) break
}
b <- unname(coef(fit))
at <- evaluate(likelihood_of(link, FALSE, FALSE, FALSE), b, X, offset, home, counts)
# glm's covariance is of the expected information; with probit and cauchit the observed one is another.
V <- if (link == "logit") unname(summary.glm(structure(fit, class = c("glm", "lm")), dispersion = 1)$cov.unscaled) else solve(at$information, tol = 0)
llf <- at$llf
deviance <- fit$deviance
"""
)

#: brglm2: bias reduction of the mean, of the median, or Jeffreys' prior.
BRGLM2 = (
    LIKELIHOOD
    + """\
# ---- brglm2's brglmFit, at a tight stop
suppressMessages(library(brglm2))
frame <- list(y = cbind(wins, losses), X = X, offset = offset)
reduced <- function(...) suppressWarnings(glm(y ~ 0 + X, family = binomial(link), data = frame, offset = offset,
  method = "brglmFit", type = type, ...))
fit <- reduced(epsilon = 1e-10, maxit = 2000, max_step_factor = 40)
fit <- reduced(epsilon = epsilon, maxit = 5000, max_step_factor = 60, start = coef(fit))
b <- unname(coef(fit))
V <- unname(vcov(fit))
at <- evaluate(likelihood_of(link, FALSE, FALSE, FALSE), b, X, offset, home, counts)
llf <- at$llf
deviance <- fit$deviance
largest <- max(abs(fit$grad), 0)
"""
)

#: Jeffreys' prior for Davidson's ties: scoring on the conditional likelihood.
JEFFREYS_WITH_TIES = """\
# ---- scoring on l + log det(I) / 2, the multinomial with Davidson's ties; its third cumulants give the adjustment
counts <- cbind(wins, ties, losses)
n <- rowSums(counts)
p <- ncol(X) + 1L
# Of the three outcomes: their columns are X, X / 2 and the tie's 1, and 0.
of <- list(cbind(X, 0), cbind(X / 2, 1), cbind(0 * X, 0))
more <- list(offset, offset / 2, 0 * offset)
probabilities <- function(theta) {
  e <- sapply(1:3, function(k) drop(of[[k]] %*% theta) + more[[k]])
  e <- exp(e - apply(e, 1L, max))
  e / rowSums(e)
}
at <- function(theta) {
  P <- probabilities(theta)
  mean <- Reduce(`+`, lapply(1:3, function(k) of[[k]] * P[, k]))
  centred <- lapply(of, function(z) z - mean)
  information <- Reduce(`+`, lapply(1:3, function(k) crossprod(centred[[k]], centred[[k]] * (n * P[, k]))))
  V <- solve(information, tol = 0)
  score <- colSums(Reduce(`+`, lapply(1:3, function(k) of[[k]] * counts[, k])) - n * mean)
  # d log det(I) / d theta_j = tr(V dI/d theta_j), dI/d theta_j = sum n E[c c' c_j]
  adjustment <- Reduce(`+`, lapply(1:3, function(k) crossprod(centred[[k]], n * P[, k] * rowSums((centred[[k]] %*% V) * centred[[k]])))) / 2
  list(P = P, V = V, score = drop(score + adjustment), logdet = -as.numeric(determinant(V)$modulus))
}
theta <- rep(0, p)
for (step in 1:5000) {
  here <- at(theta)
  move <- drop(here$V %*% here$score)
  length <- sqrt(sum(move * here$score))
  theta <- theta + move / max(1, length / 5)
  if (length < 1e-15) break
}
here <- at(theta)
b <- theta
V <- here$V
llf <- sum((counts * log(here$P))[counts > 0])
share <- counts / n
deviance <- 2 * (sum((counts * log(share))[counts > 0]) - llf)
largest <- max(abs(here$score * sqrt(diag(V))))
"""


#: BTm as its help page has it: abilities by a formula, contest columns given for player1.
BTM = """\
# ---- BradleyTerry2's BTm: item covariates by the player's name, what is of the contest on the side of player1
suppressMessages(library(BradleyTerry2))
side <- function(player, C) {
  d <- data.frame(player = factor(items[player], levels = items))
  for (k in seq_len(ncol(C))) d[[paste0("z", k)]] <- C[, k]
  d
}
abilities <- as.data.frame(W)
names(abilities) <- paste0("w", seq_len(ncol(W)), recycle0 = TRUE)
parts <- c(if (free) "player", paste0("w", seq_len(ncol(W)), "[player]", recycle0 = TRUE), paste0("z", seq_len(ncol(C)), recycle0 = TRUE),
  if (random) "(1 | player)")
if (random && length(parts) == 1L) parts <- c("0", parts)
arguments <- list(outcome = cbind(wins, losses), player1 = side(first, C), player2 = side(second, 0 * C),
  formula = as.formula(paste("~", paste(parts, collapse = " + "))), id = "player", data = list(abilities = abilities),
  family = binomial(link), offset = offset, br = br, x = TRUE)
if (free) arguments$refcat <- reference
if (random && tight) arguments <- c(arguments, list(tol = 1e-14, maxiter = 2000))
fit <- suppressWarnings(do.call(BTm, arguments))
b <- coef(fit)
V <- unname(as.matrix(vcov(fit)))
attributes(V) <- attributes(V)["dim"]
deviance <- df <- llf <- NA_real_
converged <- isTRUE(fit$converged)
sigma <- sigma_se <- NA_real_
effects <- numeric()
if (random) {
  effects <- as.numeric(attr(b, "random"))
  sigma <- if (is.null(fit$sigma)) 0 else as.numeric(fit$sigma)
  sigma_se <- if (sigma > 0) summary(fit)$ranef[1L, 2L] else NA_real_
  if (!length(effects)) effects <- numeric(length(unique(c(first, second))))
} else {
  if (tight) {
    # glm's standard errors are one step early; fitted again from its own solution they are not.
    known <- !is.na(b)
    x <- fit$x[, known, drop = FALSE]
    for (again in 1:20) {
      before <- b[known]
      better <- suppressWarnings(glm.fit(x, fit$y, weights = fit$prior.weights, offset = fit$offset, family = fit$family,
        start = b[known], intercept = FALSE, control = glm.control(epsilon = 1e-14, maxit = 500)))
      b[known] <- coef(better)
      if (all(abs(b[known] - before) <= 1e-15 * abs(before))) break
    }
    fit[names(better)] <- better
    V <- unname(summary.glm(structure(better, class = c("glm", "lm")), dispersion = 1)$cov.unscaled)
    converged <- isTRUE(better$converged)
  }
  deviance <- fit$deviance
  df <- fit$df.residual
}
names_of_r <- if (length(b)) names(b) else character()
known <- !is.na(b)
b <- as.numeric(b)
"""

#: Davidson's ties with shift and scale, by gnm.
GENDAVIDSON = """\
# ---- GenDavidson by gnm: Poisson counts, the contests' totals eliminated; it starts at random
suppressMessages({library(gnm); library(BradleyTerry2)})
set.seed(1)
label <- sprintf("p%05d", seq_along(items))
n <- length(wins)
row <- rep(seq_len(n), each = 3)
d <- data.frame(count = c(rbind(wins, ties, losses)), result = rep(c(1, 0, -1), n), match = factor(row),
  first = factor(label[first], levels = label)[row], second = factor(label[second], levels = label)[row], home = home[row])
formula <- as.formula(paste0("count ~ GenDavidson(result == 1, result == 0, result == -1, first, second, tie.max = ~1",
  if (ordered) ", home.adv = ~1", if (ordered || shift) ", at.home1 = home == 1, at.home2 = home == -1",
  if (scale) ", tie.scale = ~1", if (shift) ", tie.mode = ~1", ") - 1"))
fit <- suppressWarnings(gnm(formula, eliminate = match, family = poisson, data = d, tolerance = 1e-13, iterMax = 1000, verbose = FALSE))
if (is.null(fit)) stop("gnm found no solution")
found <- coef(fit)
from <- matrix(as.numeric(vcov(fit)), length(found))
at <- function(name) which(names(found) == name)
# Abilities are known up to a constant: contrasts with the reference.
contrast <- function(k) { row <- numeric(length(found)); row[at(label[k])] <- 1; row[at(label[match(reference, items)])] <- -1; row }
single <- function(name) { row <- numeric(length(found)); row[at(name)] <- 1; row }
D <- do.call(rbind, c(lapply(which(items != reference), contrast),
  if (ordered) list(single("home.adv")), list(single("tie.max")), if (shift) list(single("tie.mode")), if (scale) list(single("tie.scale"))))
b <- drop(D %*% as.numeric(found))
V <- D %*% from %*% t(D)
place <- sum(items != reference) + ordered + 1L
b[place] <- b[place] + log(2)   # log nu = tie.max + log 2
deviance <- fit$deviance
df <- fit$df.residual
llf <- NA_real_
converged <- isTRUE(fit$converged)
"""


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
