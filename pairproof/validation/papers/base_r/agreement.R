
f <- factor(item); a <- factor(annotator)
n <- as.numeric(table(f)[f]); paired <- n > 1
observed <- 0
for (i in split(y[paired], droplevels(f[paired]))) observed <- observed + sum(outer(i, i, "-")^2) / (length(i) - 1)
m <- sum(paired)
expected <- sum(outer(y[paired], y[paired], "-")^2) / (m - 1)
table2 <- tapply(y, list(a, f), mean)
rest <- vapply(seq_len(nrow(table2)), function(k) {
  others <- colMeans(table2[-k, , drop = FALSE], na.rm = TRUE)
  use <- !is.na(table2[k, ]) & !is.nan(others)
  # Means that are equal but for rounding are ties.
  if (sum(use) < 3L) NA_real_ else stats::cor(table2[k, use], round(others[use], 8), method = "spearman")
}, 0)
pairs <- utils::combn(nrow(table2), 2L, function(p) {
  use <- !is.na(table2[p[1L], ]) & !is.na(table2[p[2L], ])
  if (sum(use) < 3L) NA_real_ else suppressWarnings(stats::cor(table2[p[1L], use], table2[p[2L], use], method = "spearman"))
})
complete <- all(table(f, a) == 1L)
one <- two <- NA_real_
if (all(n == n[1L])) {
  k <- n[1L]
  ms <- summary(stats::aov(y ~ f))[[1L]][["Mean Sq"]]
  one <- (ms[1L] - ms[2L]) / (ms[1L] + (k - 1) * ms[2L])
  if (complete) {
    ms <- summary(stats::aov(y ~ f + a))[[1L]][["Mean Sq"]]
    two <- (ms[1L] - ms[3L]) / (ms[1L] + (k - 1) * ms[3L] + k * (ms[2L] - ms[3L]) / nlevels(f))
  }
}
z <- stats::ave(y, a, FUN = function(x) as.numeric(scale(x)))
list(alpha = 1 - observed / expected, rest = rest, pairwise = mean(pairs, na.rm = TRUE), icc_one = one, icc_two = two, z = z)
