
family <- get(family, envir = asNamespace("stats"), mode = "function")
arguments <- list(formula = formula, family = family, data = data, iterMax = iterMax, verbose = FALSE, na.action = stats::na.fail, x = TRUE)
if (!is.null(.weights)) arguments$weights <- quote(.weights)
if (!is.null(eliminate)) arguments$eliminate <- eliminate[[2L]]
## gnm looks for its own terms where the formula is: its package is not attached
for (term in c("Const", "Diag", "Dref", "Exp", "Inv", "Mult", "MultHomog", "Symm", "Topo", "instances")) assign(term, getExportedValue("gnm", term))
fitted_by <- function(...) {
  set.seed(1L)                                       # gnm starts what is not linear at random
  do.call(gnm::gnm, c(arguments, list(...)))
}
fit <- fitted_by()
if (is.null(fit)) stop("gnm found no solution")
b <- stats::coef(fit)
known <- !is.na(b)
linear <- inherits(fit, "gnm") && all(attr(stats::terms(fit), "type") == "Linear") && any(known)
shortcut <- linear
if (!linear) {
  fit <- fitted_by(tolerance = tolerance)
  if (is.null(fit)) stop("gnm found no solution")
  b <- stats::coef(fit)
  known <- !is.na(b)
} else {
  if (!identical(colnames(fit$x), names(b))) stop("gnm's model matrix has other columns than its coefficients")
  .X <- matrix(as.numeric(fit$x[, known]), nrow(fit$x), sum(known))
  .offset <- fit$offset
  arguments$formula <- stats::update(formula, . ~ .X - 1)
  environment(arguments$formula) <- environment()
  arguments$offset <- quote(.offset)
  fit <- fitted_by(tolerance = tolerance)
  if (anyNA(stats::coef(fit))) stop("gnm finds more columns aliased at tolerance ", tolerance, " than at its own; ask it with a larger one")
}
if (tight && linear) {
  newton <- suppressWarnings(fitted_by(
    tolerance = tolerance, checkLinear = FALSE, start = unname(c(attr(stats::coef(fit), "eliminated"), as.numeric(stats::coef(fit))))))
  same <- !is.null(newton) && !anyNA(stats::coef(newton)) && identical(newton$df.residual, fit$df.residual) &&
    isTRUE(newton$deviance <= fit$deviance + no_worse * (abs(fit$deviance) + 1))
  if (same) {
    fit <- newton
    shortcut <- FALSE
  } else {
    said <- if (is.null(newton)) "gave no answer" else sprintf(
      "went to deviance %.6g on %d df", newton$deviance, as.integer(newton$df.residual))
    warning(sprintf("gnm's Newton method, started at the solution of its shortcut for linear models, %s; this is the shortcut's answer, deviance %.6g on %d df",
                    said, fit$deviance, as.integer(fit$df.residual)))
  }
}
found <- as.numeric(stats::coef(fit))
estimates <- if (linear) replace(as.numeric(b), known, found) else found
V <- matrix(as.numeric(stats::vcov(fit)), length(found))
if (!linear) V <- V[known, known, drop = FALSE]
dimnames(V) <- list(names(b)[known], names(b)[known])
c(reduce(fit, stats::setNames(estimates, names(b)), V), list(eliminated = attr(stats::coef(fit), "eliminated"), shortcut = shortcut))
