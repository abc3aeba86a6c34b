# Newton's method on the same function, its derivatives by Richardson's differences.
extrapolated <- function(D) {
  for (level in seq_len(length(D) - 1L)) D <- (4^level * D[-1L] - D[-length(D)]) / (4^level - 1)
  D
}
unit <- function(k, h) replace(numeric(length(x)), k, h)
gradient <- function(x, h) vapply(seq_along(x), function(k) extrapolated(vapply(0:3, function(j) {
  s <- h[k] / 2^j
  (minus_llf(x + unit(k, s)) - minus_llf(x - unit(k, s))) / (2 * s)
}, 0)), 0)
second <- function(x, h) {
  H <- matrix(0, length(x), length(x))
  for (i in seq_along(x)) for (k in seq_len(i)) H[i, k] <- H[k, i] <- extrapolated(vapply(0:2, function(j) {
    a <- unit(i, h[i] / 2^j); c <- unit(k, h[k] / 2^j)
    (minus_llf(x + a + c) - minus_llf(x + a - c) - minus_llf(x - a + c) + minus_llf(x - a - c)) / (4 * h[i] * h[k] / 4^j)
  }, 0))
  H
}
h <- rep(0.02, length(x))
steps <- 0
if (length(x)) {
  h <- reach / sqrt(pmax(diag(second(x, h)), 1e-4))
  H <- second(x, h)
  for (steps in 1:20) {
    move <- solve(H, gradient(x, h), tol = 0)
    x <- x - move
    size <- max(abs(move) / h)
    if (size < 1e-10) break
    if (size > 1e-2) {   # far from where the second derivatives were taken
      h <- reach / sqrt(pmax(diag(H), 1e-4))
      H <- second(x, h)
    }
  }
  covariance <- solve(second(x, h), tol = 0)
} else covariance <- matrix(0, 0, 0)
