sigma <- if (at_zero) 0 else exp(x[1L])
fixed <- if (at_zero) seq_len(p) else 1L + seq_len(p)
b <- x[fixed]
V <- covariance[fixed, fixed, drop = FALSE]
sigma_se <- if (at_zero) NA_real_ else sigma * sqrt(covariance[1L, 1L])
llf <- -minus_llf(x)
lr <- if (at_zero) 0 else 2 * (llf - plain$llf)
effects <- sigma * mode
means <- numeric()
deviance <- NA_real_
