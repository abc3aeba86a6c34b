
refit <- function(first, epsilon, maxit) {
  ok <- !is.na(first$coefficients)
  x <- first$x[, ok, drop = FALSE]
  colnames(x) <- names(first$coefficients)[ok]
  again <- function(start) stats::glm.fit(
    x, first$y, weights = first$prior.weights, start = start, offset = first$offset, family = first$family,
    control = stats::glm.control(epsilon = epsilon, maxit = maxit),
    intercept = isTRUE(attr(first$terms, "intercept") > 0))
  second <- again(first$coefficients[ok])
  third <- again(second$coefficients)
  third$iter <- first$iter + second$iter + third$iter
  m <- first
  m[names(third)] <- third
  list(model = m, coef = replace(first$coefficients, ok, third$coefficients),
       vcov = stats::summary.glm(m)$cov.scaled)
}
