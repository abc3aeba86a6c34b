## What an expression names.

## Functions whose value is that of an argument, or of the function given to them.
passing <- c(
  "(", "{", "try", "tryCatch", "suppressWarnings", "suppressMessages", "invisible", "return", "local", "with",
  "withCallingHandlers", "identity", "print", "system.time", "force", "Recall")
applying <- c(
  "lapply", "sapply", "vapply", "Map", "mapply", "by", "tapply", "mclapply", "parLapply", "clusterApply",
  "replicate", "outer", "Filter", "Reduce", "do.call", "aggregate", "map", "imap", "map2", "walk", "array")

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
