
shares <- function(n) (alpha + n) / (3 * alpha + sum(n))
turned <- c(1, 3, 2)
row <- function(a, b) {
  of <- function(s) shares(apply(n[s, , , drop = FALSE], 3, sum))
  u <- of(a); v <- of(b)[turned]
  all <- apply(n, 3, sum) / 2
  t <- all[1] / sum(all)
  geo <- sqrt(u * v)
  c(t, (1 - t) / 2, (1 - t) / 2, shares(n[a, b, ]), u, (u + v) / 2, geo / sum(geo), geo)
}
t(mapply(row, first, second))
