
k <- max(annotator)
by_item <- split(seq_along(y), item)
minus <- function(p) {
  mean <- p[seq_len(k)]; load <- p[k + seq_len(k)]; psi <- exp(p[2L * k + seq_len(k)])
  -sum(vapply(by_item, function(i) {
    a <- annotator[i]
    half <- chol(tcrossprod(load[a]) + diag(psi[a], length(a)))
    z <- backsolve(half, y[i] - mean[a], transpose = TRUE)
    -length(i) / 2 * log(2 * pi) - sum(log(diag(half))) - sum(z^2) / 2
  }, 0))
}
own <- function(f) as.numeric(tapply(y, annotator, f))
start <- c(own(mean), own(stats::sd) / 1.5, log(own(stats::var) / 2))
best <- list(par = start)
for (i in 1:4) best <- stats::nlminb(best$par, minus, control = list(rel.tol = 1e-15, x.tol = 1e-12, eval.max = 5000L, iter.max = 5000L))
p <- best$par
turn <- sign(sum(p[k + seq_len(k)]))
list(mean = p[seq_len(k)], loading = turn * p[k + seq_len(k)], noise = exp(p[2L * k + seq_len(k)] / 2),
     correlation = turn * p[k + seq_len(k)] / sqrt(p[k + seq_len(k)]^2 + exp(p[2L * k + seq_len(k)])), loglik = -best$objective)
