
stopped <- function(...) stop(..., call. = FALSE)
n <- nrow(counts); outcomes <- ncol(counts); rows <- rep(seq_len(n), outcomes); y <- as.vector(counts)
half <- function(sign) cbind(sign * x / 2, 0 * z)
own <- if (outcomes == 3L) rbind(half(1), cbind(0 * x, z), half(-1)) else rbind(half(1), half(-1))
colnames(own) <- c(colnames(x), colnames(z))
k <- ncol(own); parameters <- paste0("own", colnames(own))
if (k == 1L) parameters <- "own"
fit_poisson <- function() {
  nuisance <- cell[rows]
  formula <- if (nlevels(cell) > 1L) y ~ own + nuisance - 1 else y ~ own
  control <- stats::glm.control(epsilon = epsilon, maxit = maxit)
  first <- stats::glm(formula, family = stats::poisson(), control = control, x = TRUE)
  if (anyNA(stats::coef(first))) stopped("glm finds aliased columns: ", toString(names(which(is.na(stats::coef(first))))))
  refit(first, epsilon, maxit)$model
}
