## An expression as JSON, for a reader that translates it:
##
##     ["num", 1.5] ["str", "a"] ["lgl", true] ["na"] ["null"] ["sym", "x"] ["empty"]     leaves
##     ["call", function, [[name, argument], ...], text]       text: as a recording has it
##     ["function", [[name, default], ...], body]
##     ["other", text]                                         what the parser makes and no script writes

json_list <- function(parts) paste0("[", paste(parts, collapse = ","), "]")
leaf <- function(kind, ...) json_list(c(quoted(kind), ...))

named_trees <- function(parts, depth) {
  labels <- names(parts)
  if (is.null(labels)) labels <- rep("", length(parts))
  each <- function(k) json_list(c(quoted(labels[k]), tree_json(parts[[k]], depth + 1L)))
  json_list(vapply(seq_along(parts), each, ""))
}

constant_json <- function(e) {
  if (is.null(e)) return(leaf("null"))
  if (length(e) != 1L || !is.atomic(e) || is.complex(e)) return(leaf("other", quoted(text_of(e))))
  if (is.na(e)) return(leaf("na"))
  if (is.character(e)) return(leaf("str", quoted(substr(e, 1L, most_text))))
  if (is.logical(e)) return(leaf("lgl", if (e) "true" else "false"))
  leaf("num", if (is.finite(e)) sprintf("%.17g", e) else quoted(as.character(e)))
}

tree_json <- function(e, depth = 0L) {
  if (is_empty(e)) return(leaf("empty"))
  if (depth > 80L) return(leaf("other", quoted(text_of(e))))
  if (is.symbol(e)) return(leaf("sym", quoted(as.character(e))))
  if (!is.call(e)) return(constant_json(e))
  if (identical(e[[1L]], quote(`function`)))
    return(leaf("function", named_trees(as.list(e[[2L]]), depth), tree_json(e[[3L]], depth + 1L)))
  text <- quoted(substr(text_of(e), 1L, 4000L))
  leaf("call", tree_json(e[[1L]], depth + 1L), named_trees(arguments(e), depth), text)
}

## Text that is JSON already.
as_is <- function(text) structure(text, class = "json")
