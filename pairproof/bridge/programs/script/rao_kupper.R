# ---- the fit: logit P(first) = u - g, logit P(second) = -u - g, a tie is the rest, with u = b_i - b_j and g >= 0
tie_columns <- colnames(X) == "tie" | startsWith(colnames(X), "tie:")
of_first <- outcome == 1
D <- X[of_first, !tie_columns, drop = FALSE]   # u = D b
G <- X[outcome == 0, tie_columns, drop = FALSE]  # g = G d
D[, ] <- D / ifelse(grepl("^order(:|$)", colnames(D)) | colnames(D) %in% comparison, 0.5, 1)[col(D)]
# Columns that the data do not determine are left out.
D <- D[, sort(qr(D)$pivot[seq_len(qr(D)$rank)]), drop = FALSE]
if (ncol(G) == 1L) {
  # polr's thresholds are symmetric if every row stands there twice, the second time with its sides exchanged.
  suppressMessages(library(MASS))
  long <- data.frame(w = c(cells$wins, cells$ties, cells$losses) / 2)
  result <- rep(c(3, 2, 1), each = nrow(cells))
  Z <- rbind(D, D, D)
  twice <- data.frame(result = factor(c(result, 4 - result), levels = 1:3), w = c(long$w, long$w))
  twice$Z <- rbind(Z, -Z)
  # Half weights make R warn of successes that are not whole.
  first_fit <- suppressWarnings(polr(result ~ Z, data = twice[twice$w > 0, ], weights = w,
    control = list(reltol = 1e-16, maxit = 1000)))
  theta <- c(coef(first_fit), diff(first_fit$zeta) / 2)
} else theta <- c(numeric(ncol(D)), 0.2, numeric(ncol(G) - 1L))
# polr stops at 7 to 8 digits: Newton's method from there, on the log-likelihood itself
#   (wins + ties) log F(u - g) + (losses + ties) log F(-u - g) + ties log(exp(2 g) - 1),  F = plogis
A <- cells$wins + cells$ties
B <- cells$losses + cells$ties
loglik <- function(theta) {
  u <- drop(D %*% theta[seq_len(ncol(D))])
  g <- drop(G %*% theta[-seq_len(ncol(D))])
  if (any(g <= 0)) return(-Inf)
  sum(A * plogis(u - g, log.p = TRUE) + B * plogis(-u - g, log.p = TRUE) + cells$ties * log(expm1(2 * g)))
}
for (step in 1:50) {
  u <- drop(D %*% theta[seq_len(ncol(D))])
  g <- drop(G %*% theta[-seq_len(ncol(D))])
  q1 <- plogis(g - u)   # 1 - P(first)
  q2 <- plogis(g + u)   # 1 - P(second)
  score <- c(crossprod(D, A * q1 - B * q2), crossprod(G, -A * q1 - B * q2 - 2 * cells$ties / expm1(-2 * g)))
  w1 <- A * q1 * (1 - q1)
  w2 <- B * q2 * (1 - q2)
  information <- rbind(cbind(crossprod(D, D * (w1 + w2)), crossprod(D, G * (w2 - w1))),
                       cbind(crossprod(G, D * (w2 - w1)), crossprod(G, G * (w1 + w2 + cells$ties / sinh(g)^2))))
  move <- solve(information, score, tol = 0)
  while (isTRUE(loglik(theta + move) < loglik(theta) - 1e-9)) move <- move / 2
  theta <- theta + move
  if (sum(move * score) < 1e-24) break
}
b <- setNames(theta, c(colnames(D), colnames(G)))
V <- solve(information, tol = 0)   # of the observed information
p <- rbind(plogis(u - g), plogis(u - g) * plogis(-u - g) * expm1(2 * g), plogis(-u - g))
m <- c(p) * ave(y, cell, FUN = sum)
llf <- sum((y * log(c(p)))[y > 0])
deviance <- 2 * sum((y * log(y / m))[y > 0])
df <- 2 * nrow(cells) - length(b)
