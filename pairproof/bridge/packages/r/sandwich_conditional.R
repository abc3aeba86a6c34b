
poisson_rows <- function(b) {
  e <- exp(drop(own %*% b)); p <- e / stats::ave(e, rows, FUN = sum); mu <- p * stats::ave(y, rows, FUN = sum)
  X <- own - apply(own, 2L, function(v) stats::ave(v * p, rows, FUN = sum))
  kept <- mu > 0
  w <- sqrt(mu[kept])
  list(W = w * X[kept, , drop = FALSE], e = (y - mu)[kept] / w, at = rows[kept])
}
rao_kupper_rows <- function(b) {
  eta <- drop(x %*% b[seq_len(ncol(x))]); d <- drop(z %*% b[-seq_len(ncol(x))])
  p1 <- stats::plogis(eta - d); p2 <- stats::plogis(-eta - d)
  a <- counts[, 1L] + counts[, 2L]; o <- counts[, 3L] + counts[, 2L]; t <- counts[, 2L]
  part <- function(count, p, X) {
    w <- sqrt(count * p * (1 - p))
    list(W = w * X, e = ifelse(w > 0, count * (1 - p) / w, 0), at = seq_len(n))
  }
  bend <- sqrt(t) / sinh(d)
  tie <- list(W = bend * cbind(0 * x, z), e = ifelse(t > 0, t * 2 / -expm1(-2 * d) / bend, 0), at = seq_len(n))
  all <- list(part(a, p1, cbind(x, -z)), part(o, p2, cbind(-x, -z)), tie)
  r <- list(W = do.call(rbind, lapply(all, `[[`, "W")), e = unlist(lapply(all, `[[`, "e")), at = unlist(lapply(all, `[[`, "at")))
  kept <- rowSums(r$W != 0) > 0
  list(W = r$W[kept, , drop = FALSE], e = r$e[kept], at = r$at[kept])
}
start <- function() {
  if (model == "rao-kupper") {
    found <- fit_polr()$fit
    return(c(stats::coef(found), (found$zeta[[2L]] - found$zeta[[1L]]) / 2))
  }
  if (nlevels(cell) <= most_nuisance) return(stats::coef(fit_poisson())[parameters])
  nuisance <- cell[rows]
  stats::coef(gnm::gnm(y ~ own - 1, eliminate = nuisance, family = stats::poisson(), tolerance = 1e-12, verbose = FALSE))[seq_len(k)]
}
whitened <- if (model == "rao-kupper") rao_kupper_rows else poisson_rows
b <- stats::setNames(as.numeric(start()), colnames(own))
if (anyNA(b)) stopped("aliased columns: ", toString(names(b)[is.na(b)]))
# At its own solution: the regression's coefficients are one Newton step from b.
for (step in 1:8) {
  r <- whitened(b)
  moved <- stats::lm.fit(r$W, r$e)$coefficients
  b <- b + moved
  if (max(abs(moved)) < 1e-14 * max(1, abs(b))) break
}
r <- whitened(b)
W <- r$W; colnames(W) <- NULL
response <- drop(W %*% b) + r$e
l <- stats::lm(response ~ W - 1)
at <- r$at
