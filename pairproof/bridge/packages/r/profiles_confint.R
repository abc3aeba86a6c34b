
requireNamespace("MASS")
if (model == "rao-kupper") {
  g <- fit_polr()$fit
  limits <- suppressMessages(stats::confint(g, level = level))
  limits <- if (is.null(dim(limits))) matrix(limits, 1L) else limits
} else {
  g <- fit_poisson()
  limits <- suppressMessages(stats::confint(g, parm = match(parameters, names(stats::coef(g))), level = level))
  limits <- if (is.null(dim(limits))) matrix(limits, 1L) else limits
}
list(low = as.numeric(limits[, 1L]), high = as.numeric(limits[, 2L]))
