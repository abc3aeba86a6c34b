## Who called: the function of a package between the script and a call, the file it was sourced from, loop variables.

## Functions that only apply what the script hands them: a call from there is the script's own.
transparent <- c("base", "parallel", "purrr", "plyr", "dplyr", "furrr", "future.apply", "foreach", "magrittr", "methods",
                 "compiler", "knitr", "evaluate", "withr", "utils")
transparent_functions <- c("stats::aggregate", "stats::aggregate.data.frame", "stats::ave", "stats::setNames")

## Whether a call stands, as written, in the text of another; not inside a function's text.
stands_in <- function(call, outer) {
  if (identical(call, outer)) return(TRUE)
  if (!is.call(outer) || identical(outer[[1L]], as.name("function"))) return(FALSE)
  for (part in present(as.list(outer))) if (is.call(part) && stands_in(call, part)) return(TRUE)
  FALSE
}

name_of_function <- function(f, call, package) {
  said <- call[[1L]]
  if (is.call(said) && length(said) == 3L && is.symbol(said[[3L]])) said <- said[[3L]]
  if (is.symbol(said) && exists(as.character(said), envir = asNamespace(package), inherits = FALSE)) return(as.character(said))
  space <- asNamespace(package)
  for (name in ls(space)) if (identical(get0(name, envir = space, inherits = FALSE), f)) return(name)
  "(anonymous)"
}

## "stats::update", or NULL if the script made the call itself. `written` is the call as the script would have it.
via_package <- function(n, call, written) {
  generic <- written[[1L]]
  for (i in seq_len(n - 1L)) {
    f <- sys.function(i)
    if (is.primitive(f)) next
    space <- topenv(environment(f))
    if (!isNamespace(space)) next
    package <- unname(getNamespaceName(space))
    if (package %in% transparent) next
    outer <- sys.call(i)
    if (identical(outer[[1L]], generic) && identical(as.list(outer)[-1L], as.list(call)[-1L])) next     # its own generic
    if (stands_in(call, outer) || stands_in(written, outer)) next            # an argument that was not yet evaluated
    name <- paste0(package, "::", name_of_function(f, outer, package))
    if (!(name %in% transparent_functions)) return(name)
  }
  NULL
}

sourced_from <- function(n) {
  for (i in rev(seq_len(n - 1L))) {
    if (!identical(sys.function(i), base::source)) next
    file <- get0("ofile", envir = sys.frame(i), inherits = FALSE)
    if (is.character(file) && length(file) == 1L) return(basename(file))
  }
  NULL
}

## The variables of loops.txt that are one string or number, seen from the calling frame outwards.
loop_keys <- function(up) {
  found <- list()
  frame <- up
  repeat {
    space <- sys.frame(frame)
    for (name in setdiff(state$loops, names(found))) {
      value <- looked_up(name, space, frame)
      if (!is.null(value) && is_key(value[[1L]])) found[[name]] <- value[[1L]]
    }
    if (frame == 0L || length(found) == length(state$loops)) break
    frame <- sys.parents()[frame]
  }
  found
}

is_key <- function(x) (is.character(x) || is.numeric(x) || is.factor(x)) && length(x) == 1L && !is.na(x)

key_text <- function(x) {
  if (is.factor(x)) x <- as.character(x)
  if (is.character(x)) string(x) else number(x)
}
