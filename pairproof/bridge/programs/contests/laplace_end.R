sigma <- if (at_zero) 0 else exp(x[1L])
fixed <- if (at_zero) seq_len(p) else 1L + seq_len(p)
b <- x[fixed]
V <- covariance[fixed, fixed, drop = FALSE]
sigma_se <- if (at_zero) NA_real_ else sigma * sqrt(covariance[1L, 1L])
llf <- -minus_llf(x) - sum(lchoose(n, wins))
effects <- if (at_zero) numeric(K) else as.numeric(environment(objective)$pp$b(1))
counts <- cbind(wins, ties, losses)
plain <- newton(likelihood_of(link, FALSE, FALSE, FALSE), rep(0, p), X, offset, home, counts)
lr <- if (at_zero) 0 else 2 * (llf - plain$llf)
means <- numeric()
deviance <- NA_real_
