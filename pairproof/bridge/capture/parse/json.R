## Lines of JSON.

most_text <- 20000L

quoted <- function(x) {
  x <- enc2utf8(as.character(x))
  x[is.na(x)] <- "NA"
  x[!validUTF8(x)] <- "?"
  x <- gsub("\\", "\\\\", x, fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  x <- gsub("\n", "\\n", x, fixed = TRUE)
  x <- gsub("\t", "\\t", x, fixed = TRUE)
  x <- gsub("\r", "\\r", x, fixed = TRUE)
  paste0("\"", gsub("[\001-\037\177]", "?", x), "\"")
}

## One string, number or truth value as it is; several strings as an array.
as_json <- function(v) {
  if (inherits(v, "json")) return(unclass(v))
  if (is.logical(v)) return(if (isTRUE(v)) "true" else "false")
  if (is.numeric(v)) return(sprintf("%d", as.integer(v)))
  if (length(v) == 1L) return(quoted(substr(v, 1L, most_text)))
  paste0("[", paste(quoted(v), collapse = ","), "]")
}

line_out <- function(...) {
  parts <- list(...)
  text <- paste0(quoted(names(parts)), ":", vapply(parts, as_json, ""), collapse = ",")
  writeLines(paste0("{", text, "}"), stdout(), useBytes = TRUE)
}

## A call as the R side of a recording writes it, so that the two can be compared.
text_of <- function(e) tryCatch(paste(deparse(e, width.cutoff = 500L, nlines = 40L), collapse = "\n"),
                                error = function(e) "")
