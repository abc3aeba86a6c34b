## Which arguments are fitted models of this run: those with the same class, call and coefficients as a
## recorded result.
##
## Digests are kept in an environment of ours; nothing is put on the objects.

made <- new.env(parent = emptyenv())

is_fit <- function(x) {
  any(class(x) %in% c(
    "glm", "gnm", "BTm", "BTglmmPQL", "polr", "btmodel", "PlackettLuce", "PLADMM", "pattMod", "pattNPML",
    "brglm", "eba", "eba.order", "thurstone", "glmerMod", "BTabilities", "itempar"))
}

## Text that two different fits do not share; NULL if x is none.
digest <- function(x) {
  if (!is_fit(x)) return(NULL)
  if (isS4(x)) {
    numbers <- quietly(c(lme4::fixef(x), x@theta))
    call <- x@call
  } else if (is.list(x)) {
    bare <- unclass(x)
    numbers <- if (is.null(bare$coefficients)) bare$estimate else bare$coefficients
    call <- bare$call
    if (is.null(call)) call <- bare$labels                       # btmodel keeps no call
    if (is.call(call) && is.function(call[[1L]])) call[[1L]] <- as.name("f")
  } else {
    numbers <- unclass(x)
    call <- attr(x, "modelcall")
  }
  numbers <- unlist(numbers)
  if (!is.numeric(numbers)) return(NULL)
  paste(c(class(x), names(numbers), sprintf("%.17g", numbers), text_of(call)), collapse = "\r")
}

## The call that the script made last is the one that its variables hold; step hands back a fit made on its
## way.
remember <- function(x, id, via) {
  key <- digest(x)
  if (is.null(key)) return(invisible())
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
