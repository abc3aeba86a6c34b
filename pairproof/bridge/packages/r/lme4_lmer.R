
d <- as.data.frame(lapply(labels, factor))
form <- stats::as.formula(paste(c("y ~ 0 + X", sprintf("(1 | %s)", names(d))), collapse = " + "))
control <- function(optimizer, ...) lme4::lmerControl(optimizer = optimizer, optCtrl = list(...), calc.derivs = FALSE,
  check.nobs.vs.nlev = "ignore", check.nobs.vs.rankZ = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore",
  check.conv.singular = "ignore")
d$y <- y; d$X <- X
one <- lme4::lmer(form, d, REML = REML, control = control("nloptwrap", xtol_abs = 1e-12, ftol_abs = 1e-14, maxeval = 1e5))
# A second search, by another rule, from where the first one stopped.
fit <- lme4::lmer(form, d, REML = REML, start = lme4::getME(one, "theta"), control = control("bobyqa", rhobeg = 1e-3, rhoend = 1e-12, maxfun = 1e5))
if (stats::logLik(one) > stats::logLik(fit)) fit <- one
u <- lme4::ranef(fit, condVar = TRUE)
at <- names(labels)
list(coef = unname(lme4::fixef(fit)), vcov = unname(as.matrix(stats::vcov(fit))), residual = stats::sigma(fit)^2,
     variances = vapply(at, function(k) unname(attr(lme4::VarCorr(fit)[[k]], "stddev")^2), 0),
     predictions = unname(unlist(lapply(at, function(k) u[[k]][[1L]]))),
     conditional = unname(unlist(lapply(at, function(k) sqrt(as.numeric(attr(u[[k]], "postVar")))))),
     loglik = as.numeric(stats::logLik(fit)))
