## The way into and out of a decorated function.
##
## Whatever is done here is done inside suppressWarnings, suppressMessages and tryCatch, with output to the
## null file and the random seed put back, so that the script cannot notice it. A call of a recorded function
## inside another one (BTm calls glm) is counted only; one in the outer call's arguments is the script's own.
## A helper that a package calls on its own (summary calls residuals) is not recorded.

running <- function() if (length(state$stack)) state$stack[[length(state$stack)]]

innermost_kept <- function() {
  for (one in rev(state$stack)) if (!one$nested) return(one)
  NULL
}

## Records of frames that are gone (left by a jump that ran no on.exit).
drop_stale <- function(n) {
  while (length(state$stack)) {
    top <- running()
    if (top$n < n && identical(sys.frame(top$n), top$frame)) break
    state$stack <- state$stack[-length(state$stack)]
  }
}

## The call as the script has it: that of the generic for a method, a name where do.call had the function
## itself.
as_written <- function(call, key, n) {
  generic <- described(key)$generic
  if (n > 1L && is_dispatch(n - 1L, call)) call <- sys.call(n - 1L)
  if (is.function(call[[1L]])) call[[1L]] <- as.name(if (is.null(generic)) sub(".*::", "", key) else generic)
  call
}

## Whether the innermost recorded call made this one; not if it only evaluates it, as anova does with
## anova(glm(..)).
is_nested <- function(key, frames) {
  outer <- innermost_kept()
  if (is.null(outer) || !(outer$n %in% frames)) return(FALSE)
  !(outer$role == "container" && described(key)$role == "fit")
}

## Statement of a decorated body: begins a record. Gives the handlers of its conditions, NULL if it is none.
enter <- function(key, frame, assigned) {
  if (state$busy) return(NULL)
  state$busy <- TRUE
  on.exit(state$busy <- FALSE)
  n <- sys.parent()
  suppressWarnings(suppressMessages(tryCatch(begin_record(key, frame, assigned, n), error = function(e) {
    lose(e)
    NULL
  })))
}

begin_record <- function(key, frame, assigned, n) {
  notice_fork()
  drop_stale(n)
  call <- sys.call(n)
  frames <- callers(n)
  record <- new.env(parent = emptyenv())
  record$n <- n
  record$key <- key
  record$frame <- frame
  record$call <- call
  record$role <- described(key)$role
  record$nested <- is_nested(key, frames)
  if (record$nested) {
    outer <- innermost_kept()
    outer$inner[key] <- if (is.na(outer$inner[key])) 1L else outer$inner[key] + 1L
  } else {
    via <- via_package(n, frames)
    record$nested <- !is.null(via) && record$role == "helper" && !(via %in% refitting)
  }
  if (record$nested) {
    state$stack <- c(state$stack, list(record))
    return(NULL)
  }
  describe_call(record, as_written(call, key, n), via)
  if (record$kept) describe_arguments(record, sys.function(n), assigned, frames)
  state$stack <- c(state$stack, list(record))
  list(function(w) note_warning(record, w), function(e) note_error(record, e))
}

describe_call <- function(record, written, via) {
  state$id <- state$id + 1L
  record$id <- state$id
  record$up <- sys.parents()[record$n]
  record$text <- text_of(written)
  record$task <- state$task + 1L
  record$via <- via
  record$source <- sourced_from(record$n)
  site <- paste(c(record$task, record$via, substr(record$text, 1L, 2000L)), collapse = " ")
  record$nth <- evaluations(site)
  record$kept <- is_kept(record$nth, record$via)
  record$time <- as.numeric(Sys.time())
  record$started <- proc.time()[[3L]]
  record$inner <- integer()
  record$warnings <- list()
  record$error <- NULL
  record$seed <- get0(".Random.seed", envir = globalenv(), inherits = FALSE)
  record$contrasts <- getOption("contrasts")
}

describe_arguments <- function(record, f, assigned, frames) {
  record$args <- matched(f, record$call, record$up)
  read <- arguments_in(record$args, record$key, f, record$up, assigned)
  record$values <- read$values
  record$later <- read$later
  record$keys <- loop_keys(frames)
  record$keys[["names(X)"]] <- list_name(frames)      # no variable is called so
}

note_warning <- function(record, w) {
  if (!state$busy && length(record$warnings) < 50L) {
    said <- conditionCall(w)
    record$warnings[[length(record$warnings) + 1L]] <-
      c(conditionMessage(w), if (is.null(said)) "" else substr(text_of(said, 1L), 1L, 500L))
  }
  NULL
}

## An error that nobody catches ends R without running on.exit, so it is written now; if it was caught after
## all, the way out writes the call again, and the last line of an id counts.
note_error <- function(record, e) {
  if (!state$busy) {
    record$error <- conditionMessage(e)
    lines <- function() c(call_lines(record), list(
      provisional = "true", seconds = elapsed(record), error = string(record$error)))
    tryCatch(suppressWarnings(write_line(lines())), error = function(e) NULL)
  }
  NULL
}

elapsed <- function(record) number(round(proc.time()[[3L]] - record$started, 4L))

call_lines <- function(record) {
  c(list(
    type = string("call"), id = number(record$id), pid = string(Sys.getpid()),
    time = sprintf("%.3f", record$time), "function" = string(record$key), text = string(record$text),
    task = number(record$task), nth = number(record$nth),
    source = if (!is.null(record$source)) string(record$source), via = string(c(record$via, "")),
    helper = truth(record$role != "fit"), kept = truth(record$kept),
    inner = json_object(lapply(as.list(record$inner), number))),
    if (record$kept) list(
      args = json_object(lapply(record$args, function(e) string(argument_text(e)))),
      keys = json_object(lapply(record$keys, key_text)),
      contrasts = strings(unname(record$contrasts)),
      warnings = json_array(vapply(record$warnings, strings, "")),
      values = values_text(record$values), fits = fits_text(record)))
}

values_text <- function(values) {
  one_text <- function(x) if (is_fit(x)) opaque(class(x)[1L]) else node(x)
  json_object(lapply(values, function(one) one_text(one[[1L]])))
}

## Arguments that are fits of this run: by their values, or because the call that made them stands there.
fits_text <- function(record) {
  ids <- lapply(record$values, function(one) made_by(one[[1L]]))
  for (one in record$arguments_made) for (name in names(record$args)) {
    if (identical(record$args[[name]], one$call)) ids[[name]] <- one$id
  }
  json_object(lapply(ids, function(id) if (!is.null(id)) number(id)))
}

no_value <- structure(list(), class = "pairproof_no_value")

## Statement of a decorated body's on.exit: ends the record. TRUE if the value must be mended.
leave <- function(frame) {
  value <- returnValue(no_value)
  if (state$busy) return(FALSE)
  record <- record_of(frame)
  if (is.null(record)) return(FALSE)
  state$busy <- TRUE
  on.exit(state$busy <- FALSE)
  pop_to(record)
  if (record$nested) return(FALSE)
  seed <- get0(".Random.seed", envir = globalenv(), inherits = FALSE)
  sinks <- sink.number()
  hole <- file(nullfile(), "w")
  sink(hole)
  suppressWarnings(suppressMessages(tryCatch(end_record(record, value, seed), error = function(e) {
    lose(e)
    tryCatch(write_line(c(call_lines_bare(record), list(error = string("")))), error = function(e) NULL)
  })))
  while (sink.number() > sinks) sink()
  close(hole)
  put_seed_back(seed)
  mend(record, value)
}

## A seed is 32 bits of any kind; R shows one of them as NA.
seed_text <- function(seed) {
  texts <- json_integers(seed)
  texts[is.na(seed)] <- "-2147483648"
  json_array(texts)
}

put_seed_back <- function(seed) {
  if (!is.null(seed)) assign(".Random.seed", seed, envir = globalenv())
  else if (exists(".Random.seed", envir = globalenv(), inherits = FALSE))
    rm(".Random.seed", envir = globalenv())
}

record_of <- function(frame) {
  for (one in rev(state$stack)) if (identical(one$frame, frame)) return(one)
  NULL
}

pop_to <- function(record) {
  while (length(state$stack)) {
    top <- running()
    state$stack <- state$stack[-length(state$stack)]
    if (identical(top, record)) break
  }
}

## A call that could not be written whole is counted, with what it is.
call_lines_bare <- function(record) {
  record$kept <- FALSE
  call_lines(record)
}

end_record <- function(record, value, seed) {
  failed <- identical(value, no_value)
  if (record$kept) {
    for (name in record$later) {
      got <- quietly(list(get(name, envir = record$frame)))
      if (!is.null(got)) record$values[[name]] <- got
    }
  }
  lines <- c(call_lines(record), list(seconds = elapsed(record)))
  if (failed) lines$error <- string(if (is.null(record$error)) "left without a value" else record$error)
  if (record$kept) {
    if (!is.null(record$seed) && !identical(seed, record$seed)) lines$seed <- seed_text(record$seed)
    if (!failed) lines$result <- json_object(numbers(value, record$key, record$frame, record$up))
  }
  write_line(lines)
  if (failed) return(invisible())
  remember(value, record$id, record$via)
  outer <- innermost_kept()
  if (!is.null(outer) && is_fit(value)) {
    outer$arguments_made <- c(outer$arguments_made, list(list(call = record$call, id = record$id)))
  }
}

## do.call(BTm, ...) with the function instead of its name: the object's call then holds the function, which
## print shows. The original is put back.
mend <- function(record, value) {
  if (!is.function(record$call[[1L]]) || !is.list(value)) return(FALSE)
  classes <- oldClass(value)
  bare <- unclass(value)
  if (!is.call(bare$call) || !is.function(bare$call[[1L]])) return(FALSE)
  bare$call[[1L]] <- originals[[record$key]]
  oldClass(bare) <- classes
  state$mended <- bare
  TRUE
}

mended <- function() {
  value <- state$mended
  state$mended <- NULL
  value
}
