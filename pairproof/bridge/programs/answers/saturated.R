# ---- the deviance: against free probabilities of all answers that were possible for the same questions
arrangements <- function(k) {
  found <- 1
  for (m in seq_len(k)) found[m + 1L] <- sum(vapply(c(1, orders)[c(1, orders) <= m], function(d) choose(m, d) * found[m - d + 1L], 0))
  found[k + 1L]
}
of_time <- function(x, t) x[, (t - 1L) * (ncol(x) / times) + seq_len(ncol(x) / times), drop = FALSE]
if (gaps) {
  block <- group
  possible <- rep((length(category) + 1)^C, length(n))
} else if (kind == "choices" || kind == "rankings") {
  shown <- if (times == 1L) rowSums(presented) else rep(J, length(n))
  block <- paste(group, if (times == 1L) apply(presented, 1L, paste, collapse = " ") else "", apply(ranked, 1L, paste, collapse = " "))
  possible <- vapply(seq_along(n), function(i) prod(choose(shown[i], ranked[i, ]) * vapply(ranked[i, ], arrangements, 0)), 0)
} else {
  block <- paste(group, apply(known, 1L, paste, collapse = " "))
  possible <- length(category)^rowSums(known)
  if (kind == "ratings") possible <- vapply(seq_along(n), function(i) prod(vapply(seq_len(times), function(t) {
    asked <- of_time(known, t)[i, ]
    if (any(asked)) nrow(unique(once[, asked, drop = FALSE])) else 1
  }, 0)), 0)
}
deviance <- 2 * (sum(n * log(n / ave(n, block, FUN = sum))) - llf)
df <- sum(possible[!duplicated(block)] - 1) - (p - (pseudo > 0))
