
ways <- clusters[, used, drop = FALSE]
cluster <- if (length(used) == 1L) ways[[1L]] else as.integer(interaction(ways, drop = TRUE))
fit <- l; places <- seq_len(k)
if (raw_glm) {
  fit <- fit_poisson(); at <- rows
  places <- match(parameters, names(stats::coef(fit)))
}
V <- clubSandwich::vcovCR(fit, cluster = cluster[at], type = type)
full <- matrix(0, nrow(C), length(stats::coef(fit)))
full[, places] <- C
tests <- clubSandwich::linear_contrast(fit, V, contrasts = full, test = "Satterthwaite")
own_V <- as.matrix(V)[places, places, drop = FALSE]
attributes(own_V) <- list(dim = dim(own_V), dimnames = list(names(b), names(b)))
joint <- c(statistic = NA_real_, df = NA_real_, p = NA_real_)
if (length(together)) {
  found <- clubSandwich::Wald_test(fit, full[together, , drop = FALSE], V, test = "HTZ")
  joint <- c(statistic = found$Fstat, df = found$df_denom, p = found$p_val)
}
t <- tests$Est / tests$SE
list(names = names(b), coef = unname(b), vcov = own_V, estimate = as.numeric(tests$Est), se = as.numeric(tests$SE),
     df = as.numeric(tests$df), p = as.numeric(2 * stats::pt(-abs(t), tests$df)), f = joint[["statistic"]], f_df = joint[["df"]],
     f_p = joint[["p"]], model_vcov = unname(chol2inv(qr.R(l$qr))), n_clusters = length(unique(cluster)))
