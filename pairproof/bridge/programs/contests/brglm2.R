# ---- brglm2's brglmFit, at a tight stop
suppressMessages(library(brglm2))
frame <- list(y = cbind(wins, losses), X = X, offset = offset)
reduced <- function(...) suppressWarnings(glm(y ~ 0 + X, family = binomial(link), data = frame, offset = offset,
  method = "brglmFit", type = type, ...))
fit <- reduced(epsilon = 1e-10, maxit = 2000, max_step_factor = 40)
fit <- reduced(epsilon = epsilon, maxit = 5000, max_step_factor = 60, start = coef(fit))
b <- unname(coef(fit))
V <- unname(vcov(fit))
at <- evaluate(likelihood_of(link, FALSE, FALSE, FALSE), b, X, offset, home, counts)
llf <- at$llf
deviance <- fit$deviance
largest <- max(abs(fit$grad), 0)
