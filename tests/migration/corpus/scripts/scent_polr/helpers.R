# used by several of our scripts

as_design <- function(first, second, items) {
  D <- matrix(0, length(first), length(items), dimnames = list(NULL, items))
  D[cbind(seq_along(first), match(first, items))] <- 1
  D[cbind(seq_along(second), match(second, items))] <- -1
  as.data.frame(D)
}

# three answers -> ordered model with the item effects; reference is the last item
fit_ordered <- function(data, items) {
  form <- reformulate(head(items, -1), response = "verdict")
  MASS::polr(form, data = data, Hess = TRUE)
}
