## Evaluated arguments of a call, without evaluating anything that the call itself would not, or earlier than
## it would.
##
## A constant is itself. A variable is looked up. Other arguments are read from the function's frame when it
## is over, unless its body assigns to that formal; then an expression of pure functions is evaluated anew on
## the way in, and anything else is left unrecorded. A promise is forced only where that cannot be noticed.

pure <- c(
  "c", "list", "data.frame", "cbind", "rbind", "factor", "ordered", "relevel", "as.factor", "as.matrix",
  "matrix", "as.data.frame", "diag", "subset", "paste", "paste0", "names", "colnames", "rownames", "levels",
  "nlevels", "rep", "seq", "seq_len", "seq_along", "length", "nrow", "ncol", "as.numeric", "as.integer",
  "as.character", "as.vector", "is.na", "which", "na.omit", "complete.cases", "transform", "droplevels",
  "ifelse", "setdiff", "unique", "rev", "sort", "order", "head", "tail", "t", "table", "unlist", "sum",
  "min", "max", "round", "log", "exp", "sqrt", "abs", "choose", "binomial", "poisson", "quasibinomial",
  "quasipoisson", "gaussian", "make.link", "as.formula", "formula", "reformulate", "glm.control", "[", "[[",
  "$", "@", ":", "-", "+", "*", "/", "^", "%%", "%/%", "%in%", "%x%", "(", "~", "!", "==", "!=", "<", ">",
  "<=", ">=", "&", "|", "&&", "||", "::")

called_name <- function(e) {
  f <- e[[1L]]
  if (is.call(f) && identical(f[[1L]], as.name("::"))) f <- f[[3L]]
  if (is.symbol(f)) as.character(f) else ""
}

## Parts of a call without the empty ones (`x[i, ]`), which R does not let a variable hold.
present <- function(parts) parts[!vapply(parts, function(part) identical(part, quote(expr = )), NA)]

## Whether evaluating an expression in an environment can be noticed by nobody.
## frame: number of the frame whose environment it is, 0 if it is none.
harmless <- function(e, space, frame, depth = 0L) {
  if (depth > 8L) return(FALSE)
  if (is.symbol(e)) return(!is.null(looked_up(as.character(e), space, frame, depth + 1L)))
  if (!is.call(e)) return(TRUE)
  name <- called_name(e)
  if (name %in% c("~", "::")) return(TRUE)
  if (!(name %in% pure) || is_redefined(name, space)) return(FALSE)
  parts <- present(as.list(e)[-1L])
  if (name %in% c("$", "@")) parts <- parts[1L]
  if (name %in% c("subset", "transform")) parts <- parts[1L]        # the others are evaluated in the data
  for (part in parts) if (!harmless(part, space, frame, depth + 1L)) return(FALSE)
  TRUE
}

## Whether the script has a function of its own by this name.
is_redefined <- function(name, space) {
  while (!identical(space, emptyenv()) && !isNamespace(space)) {
    own <- identical(space, globalenv()) || is.null(attr(space, "name"))
    if (own && !identical(space, baseenv()) && exists(name, envir = space, inherits = FALSE)) return(TRUE)
    if (identical(space, globalenv())) return(FALSE)
    space <- parent.env(space)
  }
  FALSE
}

## list(value) of a variable seen from an environment; NULL if it is absent, active, or a promise that might
## do something.
looked_up <- function(name, space, frame = 0L, depth = 0L) {
  if (name %in% c("", "...") || grepl("^\\.\\.[0-9]+$", name)) return(NULL)
  start <- space
  while (!identical(space, emptyenv())) {
    if (exists(name, envir = space, inherits = FALSE)) {
      if (bindingIsActive(as.name(name), space)) return(NULL)
      if (!identical(space, start) && is_local(space)) frame <- frame_of(space)
      if (!is_settled(name, space, frame, depth)) return(NULL)
      return(list(get(name, envir = space, inherits = FALSE)))
    }
    space <- parent.env(space)
  }
  NULL
}

is_local <- function(space) {
  !identical(space, globalenv()) && !isNamespace(space) && is.null(attr(space, "name"))
}

frame_of <- function(space) {
  for (i in rev(seq_len(sys.nframe()))) if (identical(sys.frame(i), space)) return(i)
  0L
}

## A variable is settled if it is no promise, or one whose expression is harmless where it was written.
is_settled <- function(name, space, frame, depth) {
  if (!is_local(space)) return(TRUE)
  said <- eval(call("substitute", as.name(name), space))
  if (!is.language(said) || identical(said, as.name(name))) return(TRUE)
  if (frame == 0L || missing_in(name, space)) return(FALSE)
  caller <- sys.parents()[frame]
  if (caller > 0L && is_base_apply(sys.function(caller))) return(TRUE)       # they force what they hand over
  harmless(said, sys.frame(caller), caller, depth + 1L)
}

missing_in <- function(name, space) {
  tryCatch(eval(call("missing", as.name(name)), space), error = function(e) FALSE)
}

is_base_apply <- function(f) {
  kin <- list(base::lapply, base::vapply, base::mapply, base::Reduce)
  for (one in kin) if (identical(f, one)) return(TRUE)
  FALSE
}

## The call's arguments under R's names for them; those in ... without a name are ..1, ..2, ...
matched <- function(f, call, up) {
  whole <- function(e) as.list(call)[-1L]
  full <- function() as.list(match.call(f, call, expand.dots = TRUE, envir = sys.frame(up)))[-1L]
  given <- tryCatch(full(), error = whole)
  labels <- names(given)
  if (is.null(labels)) labels <- rep("", length(given))
  bare <- labels == ""
  labels[bare] <- paste0("..", seq_len(sum(bare)))
  names(given) <- labels
  present(given)
}

argument_text <- function(e) substr(text_of(e), 1L, 4000L)

## What is known on the way in: list(value) by name, and the names that are read from the frame on the way
## out.
arguments_in <- function(given, key, f, up, assigned) {
  values <- list()
  later <- character()
  space <- sys.frame(up)
  for (name in setdiff(names(given), described(key)$unseen)) {
    e <- given[[name]]
    if (!is.language(e)) values[[name]] <- list(e)
    else if (is.symbol(e) && !is.null(value <- looked_up(as.character(e), space, up))) values[[name]] <- value
    else if (name %in% names(formals(f)) && !(name %in% assigned)) later <- c(later, name)
    else if (is.call(e) && harmless(e, space, up)) {
      value <- tryCatch(list(eval(e, space)), error = function(e) NULL)
      if (!is.null(value)) values[[name]] <- value
    }
  }
  list(values = values, later = later)
}

## Formals that a body assigns to, other than to give them a default (`if (missing(data)) data <- ...`).
assigned_in <- function(e, defaults = character()) {
  if (!is.call(e) || identical(e[[1L]], as.name("function"))) return(character())
  head <- if (is.symbol(e[[1L]])) as.character(e[[1L]]) else ""
  if (head == "if" && is.call(e[[2L]]) && identical(e[[2L]][[1L]], as.name("missing")))
    defaults <- c(defaults, as.character(e[[2L]][[2L]]))
  found <- character()
  if (head %in% c("<-", "=", "<<-", "for") && length(e) > 1L) {
    target <- e[[2L]]
    while (is.call(target)) target <- target[[2L]]
    found <- setdiff(as.character(target), defaults)
  }
  for (part in present(as.list(e))) if (is.call(part)) found <- c(found, assigned_in(part, defaults))
  unique(found)
}
