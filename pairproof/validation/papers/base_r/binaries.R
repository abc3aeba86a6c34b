
one <- function(w, t, l) {
  r <- rep(c(1, 0, -1), c(w, t, l))
  m <- length(r)
  c(mean(r), t.test(r)$stderr, sqrt(sum((r - mean(r))^2)) / (m - 1), binom.test(w, w + l)$p.value)
}
t(mapply(one, wins, ties, losses))
