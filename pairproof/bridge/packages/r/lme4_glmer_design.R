
d <- groups
d$.y <- y
d$X <- X
of_term <- lapply(seq_along(Z), function(k) sprintf("Z%d_%d", k, seq_len(ncol(Z[[k]]))))
for (k in seq_along(Z)) for (j in seq_along(of_term[[k]])) d[[of_term[[k]][j]]] <- Z[[k]][, j]
terms <- sprintf("(0 + %s | g%d)", vapply(of_term, paste, "", collapse = " + "), seq_along(Z))
form <- stats::as.formula(paste(c(if (ncol(X)) ".y ~ 0 + X" else ".y ~ 0", terms), collapse = " + "))
family <- get(family, envir = asNamespace("stats"), mode = "function")(link = link)
fit <- lme4::glmer(form, data = d, family = family, weights = .weights, offset = .offset, nAGQ = nAGQ)
V <- as.matrix(stats::vcov(fit))
sd <- unlist(lapply(unname(unclass(lme4::VarCorr(fit))), function(v) attr(v, "stddev")))[unlist(of_term)]
ll <- stats::logLik(fit)
list(coef = unname(lme4::fixef(fit)), se = unname(sqrt(diag(V))), vcov = matrix(as.numeric(V), nrow(V)), sd = as.numeric(sd),
     theta = as.numeric(lme4::getME(fit, "theta")), loglik = as.numeric(ll), df = attr(ll, "df"), df_residual = as.numeric(stats::df.residual(fit)))
