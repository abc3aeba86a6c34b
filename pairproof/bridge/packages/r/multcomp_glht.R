
b <- stats::setNames(coef, colnames(K))
g <- multcomp::glht(multcomp::parm(b, V, df), linfct = K, alternative = alternative)
s <- summary(g, test = multcomp::adjusted("single-step", abseps = abseps, maxpts = maxpts))
limits <- stats::confint(g, level = level, calpha = multcomp::adjusted_calpha(abseps = abseps, maxpts = maxpts))
by <- function(type) as.numeric(summary(g, test = multcomp::adjusted(type))$test$pvalues)
error <- attr(s$test$pvalues, "error")
list(names = rownames(K), estimate = as.numeric(s$test$coefficients), se = as.numeric(s$test$sigma), statistic = as.numeric(s$test$tstat),
     single_step = as.numeric(s$test$pvalues), error = if (is.null(error)) 0 else as.numeric(error), holm = by("holm"), bh = by("BH"),
     separate = by("none"), low = as.numeric(limits$confint[, "lwr"]), high = as.numeric(limits$confint[, "upr"]),
     critical = as.numeric(attr(limits$confint, "calpha")))
