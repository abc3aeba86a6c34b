"""R programs that fit models of contests; they share their variables, which :mod:`.arguments` makes.

``wins, ties, losses, X, offset, home, link`` are the rows; ``X`` has a column for each free parameter but those of ties.
Each program leaves ``b`` and ``V`` (estimates and covariance), ``llf`` without constants of the counts, and ``deviance``.

In base R:

    Newton's method on the log-likelihood itself, whose derivatives R's own ``deriv3`` works out from its formula

        log P(first) = log F(eta), with Davidson's generalised ties (Fiocco 2011, in BradleyTerry2's GenDavidson)
        log m = eta | tie.max + s H(q) + s q eta + (1 - s) log(1 + e^eta) | 0,    s = exp(tie.scale),
        q = plogis(tie.mode * home), H(q) = -q log q - (1 - q) log(1 - q)

    and scoring on l + log det(I) / 2, Jeffreys' prior, for Davidson's ties.

By packages: glm.fit, brglm2 and gnm at tight stops; BTm as it is called in BradleyTerry2.
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
