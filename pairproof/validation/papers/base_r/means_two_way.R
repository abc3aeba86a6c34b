
d <- data.frame(y = y, system = factor(system))
fit <- stats::lm(y ~ 0 + system, data = d)
V <- sandwich::vcovCL(fit, cluster = cbind(source, annotator), type = "HC0", cadjust = TRUE, multi0 = FALSE)
list(mean = unname(stats::coef(fit)), vcov = unname(as.matrix(V)))
