# ---- scoring on l + log det(I) / 2, the multinomial with Davidson's ties; its third cumulants give the adjustment
counts <- cbind(wins, ties, losses)
n <- rowSums(counts)
p <- ncol(X) + 1L
# Of the three outcomes: their columns are X, X / 2 and the tie's 1, and 0.
of <- list(cbind(X, 0), cbind(X / 2, 1), cbind(0 * X, 0))
more <- list(offset, offset / 2, 0 * offset)
probabilities <- function(theta) {
  e <- sapply(1:3, function(k) drop(of[[k]] %*% theta) + more[[k]])
  e <- exp(e - apply(e, 1L, max))
  e / rowSums(e)
}
at <- function(theta) {
  P <- probabilities(theta)
  mean <- Reduce(`+`, lapply(1:3, function(k) of[[k]] * P[, k]))
  centred <- lapply(of, function(z) z - mean)
  information <- Reduce(`+`, lapply(1:3, function(k) crossprod(centred[[k]], centred[[k]] * (n * P[, k]))))
  V <- solve(information, tol = 0)
  score <- colSums(Reduce(`+`, lapply(1:3, function(k) of[[k]] * counts[, k])) - n * mean)
  # d log det(I) / d theta_j = tr(V dI/d theta_j), dI/d theta_j = sum n E[c c' c_j]
  adjustment <- Reduce(`+`, lapply(1:3, function(k) crossprod(centred[[k]], n * P[, k] * rowSums((centred[[k]] %*% V) * centred[[k]])))) / 2
  list(P = P, V = V, score = drop(score + adjustment), logdet = -as.numeric(determinant(V)$modulus))
}
theta <- rep(0, p)
for (step in 1:5000) {
  here <- at(theta)
  move <- drop(here$V %*% here$score)
  length <- sqrt(sum(move * here$score))
  theta <- theta + move / max(1, length / 5)
  if (length < 1e-15) break
}
here <- at(theta)
b <- theta
V <- here$V
llf <- sum((counts * log(here$P))[counts > 0])
share <- counts / n
deviance <- 2 * (sum((counts * log(share))[counts > 0]) - llf)
largest <- max(abs(here$score * sqrt(diag(V))))
