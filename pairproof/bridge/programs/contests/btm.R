# ---- BradleyTerry2's BTm: item covariates by the player's name, what is of the contest on the side of player1
suppressMessages(library(BradleyTerry2))
side <- function(player, C) {
  d <- data.frame(player = factor(items[player], levels = items))
  for (k in seq_len(ncol(C))) d[[paste0("z", k)]] <- C[, k]
  d
}
abilities <- as.data.frame(W)
names(abilities) <- paste0("w", seq_len(ncol(W)), recycle0 = TRUE)
parts <- c(if (free) "player", paste0("w", seq_len(ncol(W)), "[player]", recycle0 = TRUE), paste0("z", seq_len(ncol(C)), recycle0 = TRUE),
  if (random) "(1 | player)")
if (random && length(parts) == 1L) parts <- c("0", parts)
arguments <- list(outcome = cbind(wins, losses), player1 = side(first, C), player2 = side(second, 0 * C),
  formula = as.formula(paste("~", paste(parts, collapse = " + "))), id = "player", data = list(abilities = abilities),
  family = binomial(link), offset = offset, br = br, x = TRUE)
if (free) arguments$refcat <- reference
if (random && tight) arguments <- c(arguments, list(tol = 1e-14, maxiter = 2000))
fit <- suppressWarnings(do.call(BTm, arguments))
b <- coef(fit)
V <- unname(as.matrix(vcov(fit)))
attributes(V) <- attributes(V)["dim"]
deviance <- df <- llf <- NA_real_
converged <- isTRUE(fit$converged)
sigma <- sigma_se <- NA_real_
effects <- numeric()
if (random) {
  effects <- as.numeric(attr(b, "random"))
  sigma <- if (is.null(fit$sigma)) 0 else as.numeric(fit$sigma)
  sigma_se <- if (sigma > 0) summary(fit)$ranef[1L, 2L] else NA_real_
  if (!length(effects)) effects <- numeric(length(unique(c(first, second))))
} else {
  if (tight) {
    # glm's standard errors are one step early; fitted again from its own solution they are not.
    known <- !is.na(b)
    x <- fit$x[, known, drop = FALSE]
    for (again in 1:20) {
      before <- b[known]
      better <- suppressWarnings(glm.fit(x, fit$y, weights = fit$prior.weights, offset = fit$offset, family = fit$family,
        start = b[known], intercept = FALSE, control = glm.control(epsilon = 1e-14, maxit = 500)))
      b[known] <- coef(better)
      if (all(abs(b[known] - before) <= 1e-15 * abs(before))) break
    }
    fit[names(better)] <- better
    V <- unname(summary.glm(structure(better, class = c("glm", "lm")), dispersion = 1)$cov.unscaled)
    converged <- isTRUE(better$converged)
  }
  deviance <- fit$deviance
  df <- fit$df.residual
}
names_of_r <- if (length(b)) names(b) else character()
known <- !is.na(b)
b <- as.numeric(b)
