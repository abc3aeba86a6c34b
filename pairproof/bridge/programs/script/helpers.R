# Subject covariates: levels of a factor but its first, numbers, products; names as :judge[3] or :age.
constant <- setNames(list(1), "")
by_level <- function(column, name) {
  levels <- levels(column)[-1]
  setNames(lapply(levels, function(l) as.numeric(column[row] == l)), paste0(":", name, "[", levels, "]"))
}
by_number <- function(column, name) setNames(list(column[row]), paste0(":", name))
times <- function(a, b) setNames(
  unlist(lapply(a, function(u) lapply(b, function(v) u * v)), recursive = FALSE), c(t(outer(names(a), names(b), paste0))))
spread <- function(columns, effects) do.call(cbind, Map(function(effect, name) {
  out <- columns * effect
  colnames(out) <- paste0(colnames(columns), name)
  out
}, effects, names(effects)))