## Who called: the function of a package between the script and a call, the file it was sourced from, loop
## variables.

## Functions that only apply what the script hands them: a call from there is the script's own.
transparent <- c(
  "base", "parallel", "purrr", "plyr", "dplyr", "furrr", "future.apply", "foreach", "magrittr", "methods",
  "compiler", "knitr", "evaluate", "withr", "utils")
transparent_functions <- c(
  "stats::aggregate", "stats::aggregate.data.frame", "stats::aggregate.formula", "stats::aggregate.default",
  "stats::ave", "stats::setNames")

## Functions whose calls of fitting functions are the script's models, one by one.
refitting <- c("stats::update", "stats::step", "MASS::stepAIC")

most_callers <- 300L

## Frames that a call was made from, innermost first. An argument that is evaluated late belongs to the frame
## that wrote it, not to the one that needed it; what is passed to eval() belongs to the one that called
## eval().
callers <- function(n) {
  parents <- sys.parents()
  found <- integer()
  k <- n
  while (k > 0L && length(found) < most_callers) {
    parent <- caller_of(k, parents)
    if (parent >= k) break
    if (parent > 0L) found <- c(found, parent)
    k <- parent
  }
  found
}

caller_of <- function(k, parents) {
  parent <- parents[k]
  if (k == 1L) return(parent)
  before <- sys.function(k - 1L)
  if (is_eval_of(k - 1L, parent)) return(parents[k - 1L])
  if (identical(before, base::NextMethod)) return(last_method(k))
  if (is_dispatch(k - 1L, sys.call(k))) k - 1L else parent
}

## The method that said NextMethod(); R gives the frame of its generic's caller instead.
last_method <- function(k) {
  for (i in rev(seq_len(k - 2L))) if (same_arguments(sys.call(i), sys.call(k))) return(i)
  sys.parents()[k]
}

same_arguments <- function(one, other) identical(as.list(one)[-1L], as.list(other)[-1L])

## Whether frame i is where eval() evaluates in the environment of frame `parent`.
is_eval_of <- function(i, parent) {
  identical(sys.frame(i), sys.frame(parent)) && is.primitive(sys.function(i))
}

## Whether a frame is that of a generic which handed the call on.
is_dispatch <- function(i, call) {
  f <- sys.function(i)
  !is.primitive(f) && same_arguments(sys.call(i), call) && "UseMethod" %in% all.names(body(f))
}

package_of <- function(f) {
  if (is.primitive(f)) return("base")
  space <- topenv(environment(f))
  if (isNamespace(space)) unname(getNamespaceName(space)) else ""
}

name_of_function <- function(f, call, package) {
  said <- call[[1L]]
  if (is.call(said) && length(said) == 3L && is.symbol(said[[3L]])) said <- said[[3L]]
  space <- asNamespace(package)
  if (is.symbol(said) && exists(as.character(said), envir = space, inherits = FALSE)) {
    return(as.character(said))
  }
  for (name in ls(space)) if (identical(get0(name, envir = space, inherits = FALSE), f)) return(name)
  "(anonymous)"
}

## "stats::update": the outermost function of a package on the way to a call; NULL if the script made it
## itself.
via_package <- function(n, frames) {
  if (n > 1L && is_dispatch(n - 1L, sys.call(n))) frames <- setdiff(frames, n - 1L)       # its own generic
  applied <- character()            # packages of which a function only applies what the script gave it
  for (i in rev(frames)) {
    f <- sys.function(i)
    package <- package_of(f)
    if (package %in% c("", transparent)) next
    name <- name_of_function(f, sys.call(i), package)
    if (package %in% applied && name == "(anonymous)") next
    name <- paste0(package, "::", name)
    if (!(name %in% transparent_functions)) return(name)
    applied <- c(applied, package)
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

## The variables of loops.txt that are one string or number, seen from the calling frame outwards; not those
## of packages' own functions (lapply has an i of its own).
loop_keys <- function(frames) {
  found <- list()
  for (frame in c(frames[seq_len(min(length(frames), 30L))], 0L)) {
    if (length(found) == length(state$loops)) break
    if (frame > 0L && nzchar(package_of(sys.function(frame)))) next
    space <- sys.frame(frame)
    for (name in setdiff(state$loops, names(found))) {
      value <- looked_up(name, space, frame)
      if (!is.null(value) && is_key(value[[1L]])) found[[name]] <- value[[1L]]
    }
  }
  found
}

## The name, in the list or table that lapply, sapply, by, tapply or purrr's map go through, of the element that is
## worked on; NULL if it has none. lapply and purrr count in a variable i of their own frame.
list_name <- function(frames) {
  for (k in seq_len(min(length(frames), 30L))) {
    f <- sys.function(frames[k])
    space <- sys.frame(frames[k])
    purrr <- identical(package_of(f), "purrr") && exists("i", envir = space, inherits = FALSE)
    if (!identical(f, base::lapply) && !identical(f, base::vapply) && !purrr) next
    i <- get0("i", envir = space, inherits = FALSE)
    if (!is.numeric(i) || length(i) != 1L) return(NULL)
    labels <- names(get0(if (purrr) ".x" else "X", envir = space, inherits = FALSE))
    if (is.null(labels) && k < length(frames) && identical(sys.function(frames[k + 1L]), base::tapply))
      labels <- cell_names(sys.frame(frames[k + 1L]))
    name <- labels[i]
    return(if (length(name) && !is.na(name) && nzchar(name)) as.character(name))
  }
  NULL
}

## Names of the groups that tapply goes through, without the empty ones; those of several factors joined by ".".
cell_names <- function(space) {
  levels <- get0("namelist", envir = space, inherits = FALSE)
  used <- get0("index", envir = space, inherits = FALSE)
  if (!is.list(levels) || !is.logical(used) || prod(lengths(levels)) != length(used)) return(NULL)
  cells <- expand.grid(levels, stringsAsFactors = FALSE, KEEP.OUT.ATTRS = FALSE)
  do.call(paste, c(unname(as.list(cells)), sep = "."))[used]
}

is_key <- function(x) (is.character(x) || is.numeric(x) || is.factor(x)) && length(x) == 1L && !is.na(x)

key_text <- function(x) {
  if (is.factor(x)) x <- as.character(x)
  if (is.character(x)) string(x) else number(x)
}
