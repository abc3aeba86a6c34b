# ---- glm.fit, at a tight stop and again from its own solution, so that its weights are those of the solution
family <- binomial(link)
quiet <- suppressWarnings   # of counts that are not whole
first <- quiet(glm.fit(X, cbind(wins, losses), offset = offset, family = family, intercept = FALSE))
start <- coef(first)
for (again in 1:20) {
  before <- start
  fit <- quiet(glm.fit(X, cbind(wins, losses), offset = offset, family = family, intercept = FALSE,
    start = start, control = glm.control(epsilon = 1e-14, maxit = 500)))
  start <- coef(fit)
  if (all(abs(start - before) <= 1e-15 * abs(before))) break
}
b <- unname(coef(fit))
at <- evaluate(likelihood_of(link, FALSE, FALSE, FALSE), b, X, offset, home, counts)
# glm's covariance is of the expected information; with probit and cauchit the observed one is another.
V <- if (link == "logit") unname(summary.glm(structure(fit, class = c("glm", "lm")), dispersion = 1)$cov.unscaled) else solve(at$information, tol = 0)
llf <- at$llf
deviance <- fit$deviance
