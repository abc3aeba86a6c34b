## What an expression names, and what it shows of a fit when it is printed.

## Functions whose value is that of an argument, or of the function given to them.
passing <- c(
  "(", "{", "try", "tryCatch", "suppressWarnings", "suppressMessages", "invisible", "return", "local", "with",
  "withCallingHandlers", "identity", "print", "system.time", "force", "Recall")
applying <- c(
  "lapply", "sapply", "vapply", "Map", "mapply", "by", "tapply", "mclapply", "parLapply", "clusterApply",
  "replicate", "outer", "Filter", "Reduce", "do.call", "aggregate", "map", "imap", "map2", "walk", "array")
## Functions of a fit whose value an analyst prints.
accessors <- c(
  "summary", "coef", "coefficients", "vcov", "confint", "deviance", "logLik", "AIC", "BIC", "fitted",
  "fitted.values", "residuals", "resid", "predict", "anova", "plot", "nobs", "df.residual", "family", "formula",
  "BTabilities", "qvcalc", "llbt.worth", "patt.worth", "worth", "itempar", "add1", "drop1", "vif", "plot.wmat",
  "threshpar", "discrpar", "personpar", "model.matrix", "weights", "lines", "points", "barplot", "rankings",
  "itempars", "profile", "quasivar", "se", "fixef", "ranef", "VarCorr")
## Components of a fit, and the function that gives the same.
components <- c(
  coefficients = "coef", coef = "coef", deviance = "deviance", aic = "AIC", df.residual = "df.residual",
  fitted.values = "fitted", residuals = "residuals", ll = "logLik", null.deviance = "null.deviance")
## Functions whose value R does not print, or which say nothing of a fit.
quiet <- c(
  "<-", "<<-", "=", "->", "invisible", "library", "require", "requireNamespace", "loadNamespace", "set.seed",
  "setwd", "options", "rm", "attach", "detach", "data", "par", "source", "for", "while", "repeat", "function",
  "suppressPackageStartupMessages", "assign", "sink", "quit", "q", "stopifnot", "write.csv", "write.table",
  "save", "saveRDS", "dev.off", "pdf", "png", "NULL", "load", "install.packages", "Sys.sleep", "~", "stop",
  "warning")
## Functions that print by themselves.
printing <- c("print", "show", "cat", "message", "writeLines", "plot", "barplot", "lines", "points", "View")

arguments <- function(e) as.list(e)[-1L]
is_empty <- function(a) identical(a, quote(expr = ))

## Name of a function as called: f, "f", p::f; "" for anything else.
name_of <- function(f) {
  if (is.symbol(f)) return(as.character(f))
  if (is.character(f) && length(f) == 1L) return(f)
  qualified <- is.call(f) && length(f) == 3L && is.symbol(f[[1L]]) && as.character(f[[1L]]) %in% c("::", ":::")
  if (qualified) as.character(f[[3L]]) else ""
}

## The variable that an expression names: m; fits$a and fits[["a"]] as "fits$a", fits[[r]] as "fits"; else "".
place_of <- function(e) {
  if (is.symbol(e)) return(as.character(e))
  if (is.character(e) && length(e) == 1L) return(e)
  if (!is.call(e) || length(e) < 3L || is_empty(e[[3L]]) || !is.symbol(e[[2L]])) return("")
  f <- name_of(e[[1L]])
  if (!f %in% c("$", "[[", "[", "@")) return("")
  base <- as.character(e[[2L]])
  if (f == "$" || is.character(e[[3L]])) return(paste0(base, "$", as.character(e[[3L]])[1L]))
  if (is.numeric(e[[3L]])) return(paste0(base, "$", format(e[[3L]])))
  base
}

## What a printed expression shows: a list of c(function, variable). `direct` is FALSE inside other calls, where a
## bare name is an argument and not what is shown.
showing <- function(e, direct = TRUE, depth = 0L) {
  if (depth > 30L || is_empty(e)) return(list())
  if (is.symbol(e)) return(if (direct) list(c("print", as.character(e))) else list())
  if (!is.call(e)) return(list())
  f <- name_of(e[[1L]])
  a <- Filter(function(x) !is_empty(x), arguments(e))
  through <- c("print", "show", "(", "print.default", "suppressWarnings", "suppressMessages", "try", "round", "signif",
               "zapsmall", "format", "kable")
  if (f %in% through && length(a)) return(showing(a[[1L]], direct, depth + 1L))
  if (f %in% c("$", "[[", "@") && length(a) == 2L) return(showing_part(e, a, direct, depth))
  if (f %in% accessors && length(a)) return(showing_value(f, a[[1L]], depth))
  if (f == "function") return(list())
  each <- f %in% applying && length(a) > 1L && is.symbol(a[[2L]]) && as.character(a[[2L]]) %in% accessors
  if (each) return(showing_value(as.character(a[[2L]]), a[[1L]], depth))      # sapply(fits, coef)
  unique(unlist(lapply(a, showing, FALSE, depth + 1L), recursive = FALSE))
}

## m$deviance as deviance(m), summary(m)$coefficients as coef(summary(m)).
showing_part <- function(e, a, direct, depth) {
  part <- if (is.symbol(a[[2L]]) || is.character(a[[2L]])) as.character(a[[2L]])[1L] else ""
  known <- part %in% names(components)
  word <- if (known) components[[part]] else part
  if (is.symbol(a[[1L]])) {
    if (known) return(list(c(word, as.character(a[[1L]]))))
    return(if (direct) list(c("print", place_of(e))) else list())
  }
  lapply(showing(a[[1L]], FALSE, depth + 1L), function(s) c(paste0(word, "(", s[1L], ")"), s[2L]))
}

## coef(m), coef(fits$a), coef(summary(m)), coef(BTm(...)).
showing_value <- function(f, first, depth) {
  if (!is.character(first) && nzchar(place_of(first))) return(list(c(f, place_of(first))))
  inner <- showing(first, FALSE, depth + 1L)
  if (!length(inner)) return(list(c(f, "")))
  lapply(inner, function(s) c(paste0(f, "(", s[1L], ")"), s[2L]))
}
