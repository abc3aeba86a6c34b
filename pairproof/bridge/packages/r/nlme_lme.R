
d <- data.frame(y = y, item = factor(item), annotator = factor(annotator), one = factor(1L))
control <- nlme::lmeControl(maxIter = 500, msMaxIter = 2000, niterEM = 50, tolerance = 1e-12, msTol = 1e-14, msMaxEval = 10000, opt = "nlminb",
                            returnObject = TRUE)
pdBlocked <- nlme::pdBlocked; pdIdent <- nlme::pdIdent
fit <- nlme::lme(y ~ 1, data = d, method = method, control = control, weights = nlme::varIdent(form = ~ 1 | annotator),
                 random = list(one = pdBlocked(list(pdIdent(~ item - 1), pdIdent(~ annotator - 1)))))
u <- unlist(nlme::ranef(fit)[1L, ])
k <- nlevels(d$item)
deviations <- as.numeric(nlme::VarCorr(fit)[, "StdDev"])
times <- stats::coef(fit$modelStruct$varStruct, unconstrained = FALSE, allCoef = TRUE)[levels(d$annotator)]
list(mean = unname(nlme::fixef(fit)), se = sqrt(as.matrix(stats::vcov(fit))[1L, 1L]), item_sd = deviations[1L], annotator_sd = deviations[k + 1L],
     noise = unname(fit$sigma * times), item = unname(u[seq_len(k)]), annotator = unname(u[-seq_len(k)]), loglik = as.numeric(stats::logLik(fit)))
