# ---- Newton's method, from the logit's maximum for the other links
start <- rep(0, ncol(X))
if (link != "logit") start <- newton(likelihood_of("logit", FALSE, FALSE, FALSE), start, X, offset, home, counts)$theta
L <- likelihood_of(link, with_ties, shift, scale)
fit <- newton(L, c(start, if (with_ties) -1, rep(0, shift + scale)), X, offset, home, counts)
b <- fit$theta
V <- solve(fit$information, tol = 0)
if (with_ties) b[ncol(X) + 1L] <- b[ncol(X) + 1L] + log(2)   # log nu, Davidson's tie parameter
llf <- fit$llf
deviance <- 2 * (saturated(counts) - llf)
largest <- max(abs(fit$score * sqrt(diag(V))), 0)
