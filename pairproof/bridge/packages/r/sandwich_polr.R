
fit_polr <- function(one_by_one = FALSE) {
  polish <- TRUE; step <- 1e-5
  at <- rep(rows, 2L); sign <- rep(c(1, -1), each = length(rows))
  outcome <- rep(rep(c(3L, 2L, 1L), each = n), 2L); outcome[sign < 0] <- 4L - outcome[sign < 0]
  count <- rep(y, 2L)
  used <- if (one_by_one) rep(seq_along(count), count) else which(count > 0)
  X <- (sign * x[at, , drop = FALSE])[used, , drop = FALSE]
  outcome <- factor(outcome, 1:3)[used]; w <- if (one_by_one) rep(0.5, length(used)) else count[used] / 2
  # own(MASS::polr) is defined here

  data <- list(outcome = outcome, X = X, w = w)
  fit <- own(MASS::polr)(outcome ~ X, data = data, weights = w, Hess = TRUE, control = list(reltol = 1e-16, maxit = 1000L))
  list(fit = fit, at = at[used])
}
