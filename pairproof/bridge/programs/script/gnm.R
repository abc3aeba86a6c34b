# ---- the fit: log-linear, one constant a cell, eliminated
suppressMessages(library(gnm))  # 1.1-3 or later
fit <- suppressWarnings(gnm(y ~ X - 1, eliminate = cell, family = poisson, tolerance = 1e-14, iterMax = 500, verbose = FALSE))
# Once more from its own solution by gnm's Newton method: its shortcut for linear models stops 4e-10 before the maximum.
X <- X[, !is.na(coef(fit)), drop = FALSE]
start <- c(attr(coef(fit), "eliminated"), coef(fit)[!is.na(coef(fit))])
fit <- suppressWarnings(gnm(y ~ X - 1, eliminate = cell, family = poisson, tolerance = 1e-14, iterMax = 500, verbose = FALSE,
  checkLinear = FALSE, start = unname(start)))
b <- setNames(as.numeric(coef(fit)), colnames(X))
V <- matrix(as.numeric(vcov(fit)), length(b))
