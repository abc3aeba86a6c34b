
model <- if (is.null(eliminate)) as_typed("stats::glm", list(formula, family = quote(poisson), data = quote(design)), list()) else
  as_typed("gnm::gnm", list(formula, eliminate = eliminate[[2L]], family = quote(poisson), data = quote(design)), list(verbose = FALSE))
b <- stats::coef(model)
known <- which(!is.na(b))
V <- matrix(as.numeric(stats::vcov(model)), length(stats::vcov(model)[1L, ]), dimnames = NULL)
if (nrow(V) == length(b)) V <- V[known, known, drop = FALSE]
dimnames(V) <- list(names(b)[known], names(b)[known])
