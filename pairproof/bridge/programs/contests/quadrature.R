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
