## R values as JSON text: the nodes of pairproof/bridge/values/nodes.py.
##
##     {"dbl": [0.1, "NA"], "attr": {"names": ["a", "b"]}}   {"named": {...}}   {"lang": "y ~ x"}   null
##
## Doubles have 17 digits, which read back to the same double. Attributes that are plain strings stand as
## lists.

deepest <- 40L
most_cells <- 6e6        # a value with more elements is {"opaque": "large"}

utf8 <- function(x) {
  x <- enc2utf8(as.character(x))
  bad <- !is.na(x) & !validUTF8(x)
  if (any(bad)) x[bad] <- iconv(x[bad], "latin1", "UTF-8", sub = "byte")
  x
}

json_strings <- function(x) {
  if (!length(x)) return(character())
  odd <- "[^ !#-\\[\\]-~]"                             # quotes, backslashes, control characters, not ASCII
  if (!anyNA(x) && !any(grepl(odd, x, perl = TRUE, useBytes = TRUE))) return(paste0("\"", x, "\""))
  x <- utf8(x)
  x <- gsub("\\", "\\\\", x, fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  if (any(grepl("[[:cntrl:]]", x))) {
    for (code in c(1:31, 127L)) x <- gsub(intToUtf8(code), sprintf("\\u%04x", code), x, fixed = TRUE)
  }
  out <- paste0("\"", x, "\"")
  out[is.na(x)] <- "null"
  out
}

decimal_mark <- function() substr(sprintf("%.1f", 0.5), 2L, 2L)

json_doubles <- function(x) {
  out <- sprintf("%.17g", x)
  if (decimal_mark() != ".") out <- gsub(decimal_mark(), ".", out, fixed = TRUE)
  odd <- !is.finite(x)
  if (any(odd)) {
    out[odd & is.nan(x)] <- "\"NaN\""
    out[odd & is.na(x) & !is.nan(x)] <- "\"NA\""
    out[odd & !is.na(x) & x > 0] <- "\"Inf\""
    out[odd & !is.na(x) & x < 0] <- "\"-Inf\""
  }
  out[out == "-0"] <- "-0.0"                           # -0 would be read as the integer 0
  out
}

json_integers <- function(x) {
  out <- sprintf("%d", x)                              # as.character(100000L) would be 1e+05
  out[is.na(x)] <- "null"
  out
}

json_array <- function(texts) paste0("[", paste(texts, collapse = ","), "]")

## An object of texts that are JSON already; NULL entries are left out.
json_object <- function(texts) {
  texts <- texts[!vapply(texts, is.null, NA)]
  if (!length(texts)) return("{}")
  paste0("{", paste0(json_strings(names(texts)), ":", unlist(texts), collapse = ","), "}")
}

text_of <- function(x, lines = 40L) {
  paste(utf8(deparse(x, width.cutoff = 500L, nlines = lines)), collapse = "\n")
}

opaque <- function(what) json_object(list(opaque = json_strings(what)))

## Elements of a value, counted no further than the limit.
cells <- function(x, depth = 0L) {
  if (depth > deepest) return(0)
  if (!is.list(x)) return(if (is.atomic(x)) length(x) else 1)
  x <- unclass(x)
  total <- length(x)
  for (i in seq_along(x)) {
    if (total > most_cells) break
    total <- total + cells(.subset2(x, i), depth + 1L)
  }
  total
}

plain_kinds <- c("logical", "integer", "double", "character", "raw", "complex", "list")

## A value as the text of a node; "null" for NULL.
node <- function(x) if (cells(x) > most_cells) opaque("large") else node_within(x, 0L)

node_within <- function(x, depth) {
  if (is.null(x)) return("null")
  if (depth > deepest) return(opaque("deep"))
  if (is.language(x)) return(json_object(list(lang = json_strings(text_of(x, -1L)))))
  if (isS4(x)) return(opaque(class(x)[1L]))
  if (is.pairlist(x)) x <- as.list(x)
  kind <- typeof(x)
  if (!(kind %in% plain_kinds)) return(opaque(kind))
  attached <- attributes(x)
  if (is.data.frame(x)) attached[["row.names"]] <- .row_names_info(x, 0L)   # keeps R's compact form c(NA, -n)
  bare <- x
  attributes(bare) <- NULL
  if (kind == "list") return(list_node(bare, attached, depth))
  payload <- switch(kind,
    logical = list(lgl = json_array(json_integers(as.integer(bare)))),
    integer = list(int = json_array(json_integers(bare))),
    double = list(dbl = json_array(json_doubles(bare))),
    character = list(chr = json_array(json_strings(bare))),
    raw = list(raw = json_array(json_integers(as.integer(bare)))),
    complex = list(cplx = json_array(paste0("[", json_doubles(Re(bare)), ",", json_doubles(Im(bare)), "]"))))
  json_object(c(payload, attributes_text(attached, depth)))
}

list_node <- function(bare, attached, depth) {
  texts <- lapply(bare, node_within, depth = depth + 1L)
  labels <- attached$names
  plain <- length(attached) == 1L && length(labels) && !anyNA(labels) && !anyDuplicated(labels)
  if (plain) {
    names(texts) <- labels
    return(json_object(list(named = json_object(texts))))
  }
  json_object(c(list(list = json_array(unlist(texts))), attributes_text(attached, depth)))
}

attributes_text <- function(attached, depth) {
  attached <- attached[setdiff(names(attached), c("srcref", "wholeSrcref", "srcfile", ".Environment"))]
  if (!length(attached)) return(NULL)
  one <- function(x) {
    if (is.character(x) && is.null(attributes(x))) return(json_array(json_strings(x)))
    node_within(x, depth + 1L)
  }
  list(attr = json_object(lapply(attached, one)))
}
