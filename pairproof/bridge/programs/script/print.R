# ---- the numbers, to 17 digits
se <- sqrt(pmax(diag(V), 0))
if (exists("not_estimable")) {
  b[names(b) %in% not_estimable] <- se[names(b) %in% not_estimable] <- NA
  absent <- setdiff(not_estimable, names(b))
  b <- c(b, setNames(rep(NA, length(absent)), absent))
  se <- c(se, rep(NA, length(absent)))
}
say <- function(...) writeLines(enc2utf8(paste(..., sep = "\t")), useBytes = TRUE)
say("name", "estimate", "se")
say(names(b), sprintf("%.17g", b), sprintf("%.17g", se))
say("deviance", sprintf("%.17g", deviance))
say("df_resid", sprintf("%.17g", df))
say("llf", sprintf("%.17g", llf))
