
strata <- survival::strata
fit <- survival::coxph(survival::Surv(time, chosen) ~ item + strata(ranking), data = d, weights = d$weight, ties = "breslow",
                       control = survival::coxph.control(eps = 1e-12, iter.max = 50L))
V <- unname(as.matrix(stats::vcov(fit)))
if (length(stats::coef(fit)) != nlevels(d$item) - 1L) stop("coxph took the strata for covariates")
scale <- sum((d$weight * log(d$weight))[d$chosen])
list(names = levels(d$item)[-1L], coef = unname(stats::coef(fit)), se = sqrt(diag(V)), vcov = V, loglik = fit$loglik[2L] + scale,
     null_loglik = fit$loglik[1L] + scale, iterations = fit$iter)
