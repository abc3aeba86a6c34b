
family <- get(family, envir = asNamespace("stats"), mode = "function")(link = link)
fit <- stats::glm.fit(x, y, weights = weights, offset = offset, family = family,
                      control = stats::glm.control(epsilon = epsilon, maxit = maxit), intercept = intercept)
fit$call <- quote(glm.fit(x, y))
class(fit) <- c("glm", "lm")
V <- stats::summary.glm(fit)$cov.scaled
reduce(fit, fit$coefficients, V)
