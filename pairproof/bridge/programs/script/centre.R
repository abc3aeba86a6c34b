# OVER sum to zero within each term: every block of items less their mean, the reference's 0 counted in.
for (suffix in SUFFIXES) {
  over <- paste0(NAMES, suffix)
  at_zero <- setdiff(over, names(b))
  if (length(at_zero) > 1) next  # not all items of this term are determined
  n <- length(b)
  if (length(at_zero) == 1) {
    b <- c(b, setNames(0, at_zero))
    V <- rbind(cbind(V, numeric(n)), numeric(n + 1L))
  }
  C <- diag(length(b))
  here <- names(b) %in% paste0(items, suffix)
  C[here, names(b) %in% over] <- C[here, names(b) %in% over] - 1 / length(over)
  V <- C %*% V %*% t(C)
  b <- setNames(drop(C %*% b), names(b))
}