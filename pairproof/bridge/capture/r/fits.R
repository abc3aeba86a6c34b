## Which arguments are fitted models of this run: those with the same class, call and coefficients as a
## recorded result.
##
## Digests are kept in an environment of ours; nothing is put on the objects.

made <- new.env(parent = emptyenv())

is_fit <- function(x) {
  any(class(x) %in% c(
    "glm", "gnm", "BTm", "BTglmmPQL", "polr", "btmodel", "PlackettLuce", "PLADMM", "pattMod", "pattNPML",
    "brglm", "eba", "eba.order", "thurstone", "glmerMod", "BTabilities", "itempar", "bttree", "coxph"))
}

call_of <- function(x) {
  if (isS4(x)) return(x@call)
  if (!is.list(x)) return(attr(x, "modelcall"))
  bare <- unclass(x)
  call <- if (is.null(bare$call)) bare$labels else bare$call     # btmodel keeps no call
  if (is.call(call) && is.function(call[[1L]])) call[[1L]] <- as.name("f")
  call
}

## Text that two different fits do not share; NULL if x is none.
digest <- function(x) {
  if (!is_fit(x)) return(NULL)
  call <- call_of(x)
  numbers <- if (isS4(x)) quietly(c(lme4::fixef(x), x@theta)) else unclass(x)
  if (!isS4(x) && is.list(x)) numbers <- if (is.null(numbers$coefficients)) numbers$estimate else numbers$coefficients
  numbers <- unlist(numbers)
  if (!is.numeric(numbers)) return(NULL)
  paste(c(class(x), names(numbers), sprintf("%.17g", numbers), text_of(call)), collapse = "\r")
}

## The call that the script made last is the one that its variables hold; step hands back a fit made on its
## way.
remember <- function(x, id, via) {
  key <- digest(x)
  if (is.null(key)) return(invisible())
  same <- short(paste(c(class(x), text_of(call_of(x))), collapse = "\r"))
  assign(same, unique(c(get0(same, envir = made_whole, inherits = FALSE), whole(x))), envir = made_whole)
  key <- short(key)
  before <- get0(key, envir = made, inherits = FALSE)
  if (is.null(before) || is.null(via) || !is.null(before$via)) {
    assign(key, list(id = id, via = via), envir = made)
  }
  invisible()
}

## Id of the call that made a value; NULL if it is no fit of this run.
made_by <- function(x) {
  key <- digest(x)
  if (is.null(key)) return(NULL)
  get0(short(key), envir = made, inherits = FALSE)$id
}

## Names of variables are at most 10,000 bytes: a long text is cut into a start and sums over the rest.
short <- function(text) {
  codes <- as.numeric(utf8ToInt(utf8(text)))
  at <- seq_along(codes)
  sums <- c(length(codes), sum(codes * (at %% 9973)), sum(codes * (at^2 %% 99991)))
  paste(c(substr(text, 1L, 2000L), sprintf("%.0f", sums)), collapse = "\r")
}

## Whether the script has changed a fit since it was made: the numbers of what the same function made by the same
## call are all others. Names may change; a fit that is none of this run is not known.
made_whole <- new.env(parent = emptyenv())

whole <- function(x) {
  if (isS4(x)) return(digest(x))
  parts <- if (is.list(x)) Filter(is.numeric, unclass(x)) else list(unclass(x))
  sums <- vapply(parts, function(part) {
    v <- as.double(part)
    v <- v[is.finite(v)]
    sprintf("%d %.17g %.17g", length(part), sum(v), sum(v * (seq_along(v) %% 9973)))
  }, "")
  short(paste(c(names(parts), sums), collapse = "\r"))
}

is_changed <- function(x) {
  before <- get0(short(paste(c(class(x), text_of(call_of(x))), collapse = "\r")), envir = made_whole, inherits = FALSE)
  !is.null(before) && !(whole(x) %in% before)
}

## Whether it is a vector with the class of worths that was computed from such: worth(a) - worth(b).
is_computed <- function(x) is.atomic(x) && !isS4(x) && is_changed(x)

fits_in <- function(x) {
  if (is_fit(x)) return(list(x))
  if (is.list(x) && !is.object(x) && length(x) <= 100L) Filter(is_fit, x) else list()
}

## After a top-level expression: variables in it that hold fits, by an earlier assignment at top level (others may be
## promises, which are not ours to force), and whether these are as they were made.
holding <- new.env(parent = emptyenv())

notice_changes <- function(expr, value) {
  assigns <- is.call(expr) && as.character(expr[[1L]])[1L] %in% c("<-", "=", "<<-") && length(expr) == 3L
  if (assigns && is.name(expr[[2L]]) && length(fits <- fits_in(value))) {
    assign(as.character(expr[[2L]]), all(vapply(fits, is_computed, NA)), envir = holding)
  }
  for (name in intersect(all.names(expr, functions = FALSE, unique = TRUE), ls(holding))) {
    if (get(name, envir = holding) || !exists(name, envir = globalenv(), inherits = FALSE)) next
    if (bindingIsActive(as.name(name), globalenv())) next
    if (any(vapply(fits_in(get(name, envir = globalenv())), is_changed, NA))) {
      assign(name, TRUE, envir = holding)                        # said once
      write_line(list(type = string("changed"), variable = string(name), task = number(state$task)))
    }
  }
}
