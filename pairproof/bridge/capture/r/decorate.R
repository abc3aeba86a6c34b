## Putting the recording into a function, and the function into its place.
##
## A decorated function is the function itself: same formals, same environment, and the body
##     { on.exit(leave); .Internal(.addCondHands(classes, enter(...), environment(), NULL, TRUE)); <body> }
## so there is no frame more than before, and match.call, sys.call, missing, substitute, parent.frame,
## match.arg, return, visibility, and the calls named in warnings and errors are what they were.
## withCallingHandlers would put itself between; handlers added by the internal function live until the
## function's frame ends. Our own functions stand in the body as values, so that nothing of the script's can
## hide them.

originals <- new.env(parent = emptyenv())

is_decorated <- function(f) isTRUE(attr(body(f), "pairproof"))

## A body's own on.exit(add = FALSE) would wipe ours out: it becomes on.exit({theirs; ours}).
keep_our_exit <- function(e, ours) {
  if (!is.call(e) || identical(e[[1L]], as.name("function"))) return(e)
  if (identical(e[[1L]], as.name("on.exit"))) {
    said <- as.list(match.call(function(expr, add, after) NULL, e))[-1L]
    if (!is.null(said$add) && !identical(said$add, FALSE)) return(e)
    return(as.call(list(as.name("on.exit"), as.call(c(as.name("{"), said$expr, ours)))))
  }
  for (i in seq_along(e)) if (is.call(e[[i]])) e[[i]] <- keep_our_exit(e[[i]], ours)
  e
}

decorated <- function(f, key) {
  old <- body(f)
  assigned <- intersect(names(formals(f)), assigned_in(old))
  ours <- bquote(if (.(leave)(environment())) return(.(mended)()))
  begun <- as.call(list(enter, key, quote(environment()), assigned))
  handlers <- as.call(list(
    as.name(".addCondHands"), c("warning", "error"), begun, quote(environment()), NULL, TRUE))
  new <- as.call(list(
    as.name("{"), as.call(list(as.name("on.exit"), ours)), as.call(list(as.name(".Internal"), handlers)),
    keep_our_exit(old, ours)))
  attr(new, "pairproof") <- TRUE
  g <- f
  body(g) <- new
  attributes(g) <- attributes(f)
  if (is.null(attr(f, "srcref"))) attr(g, "srcref") <- shown_as(f)
  environment(g) <- environment(f)
  g
}

## What R prints of the function: the text of the original.
shown_as <- function(f) {
  lines <- deparse(f)
  last <- lines[length(lines)]
  where <- c(1L, 1L, length(lines), nchar(last, "bytes"), 1L, nchar(last), 1L, length(lines))
  srcref(srcfilecopy("", lines), where)
}

put <- function(name, value, space) {
  locked <- bindingIsLocked(name, space)
  if (locked) unlockBinding(name, space)
  assign(name, value, envir = space)
  if (locked) lockBinding(name, space)
}

holds <- function(space, name, f) {
  if (!is.environment(space) || !exists(name, envir = space, inherits = FALSE)) return(FALSE)
  !bindingIsActive(as.name(name), space) && identical(get(name, envir = space, inherits = FALSE), f)
}

## In the namespace, the attached copy, the imports of packages loaded before, and the tables of S3 methods.
decorate_function <- function(package, name) {
  space <- asNamespace(package)
  f <- get0(name, envir = space, inherits = FALSE)
  if (!is.function(f) || is.primitive(f) || is_decorated(f)) return(invisible())
  key <- paste0(package, "::", name)
  new <- decorated(f, key)
  assign(key, f, envir = originals)
  put(name, new, space)
  at <- match(paste0("package:", package), search())
  if (!is.na(at) && holds(as.environment(at), name, f)) put(name, new, as.environment(at))
  for (other in setdiff(loadedNamespaces(), "base")) {
    imports <- parent.env(asNamespace(other))
    if (other != package && holds(imports, name, f)) put(name, new, imports)
    methods <- asNamespace(other)[[".__S3MethodsTable__."]]
    if (holds(methods, name, f)) put(name, new, methods)
  }
  base_methods <- baseenv()[[".__S3MethodsTable__."]]
  if (holds(base_methods, name, f)) put(name, new, base_methods)
}

decorate_package <- function(package) {
  for (name in names(recorded_functions[[package]])) tryCatch(decorate_function(package, name), error = lose)
}

## A package that is loaded later is decorated by its hooks: onLoad comes before importers copy what they
## import.
decorate_all <- function() {
  for (package in names(recorded_functions)) local({
    this <- package
    if (this %in% loadedNamespaces()) decorate_package(this)
    again <- function(...) decorate_package(this)
    setHook(packageEvent(this, "onLoad"), again)
    setHook(packageEvent(this, "attach"), again)
  })
}
