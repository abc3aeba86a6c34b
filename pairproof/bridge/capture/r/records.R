## Lines of JSON: the start of a process, its calls, its end; and how many calls are kept.
##
## One file a process, opened, appended and closed for each line, by its absolute path: forks and workers
## write their own, and setwd, sink, closeAllConnections of the script do not matter.

keep_of_site <- 200L         # evaluations of one call of the script that are recorded in full
keep_via_package <- 20L      # of those that a package makes on its own (bootstrap, trees)
keep_in_all <- 2000L         # of all that are kept
most_bytes <- 3e8

state <- new.env(parent = emptyenv())
state$stack <- list()        # recorded calls that are running, outermost first
state$id <- 0L
state$whole <- 0L            # calls that are kept
state$task <- 0L             # top-level expressions that are over
state$busy <- FALSE          # inside our own code: nothing is recorded
state$sites <- new.env(parent = emptyenv())
state$bytes <- 0
state$lost <- 0L
state$why <- NULL
state$pid <- Sys.getpid()
state$loops <- character()
state$mark <- character()

number <- function(x) json_doubles(as.double(x))
string <- function(x) json_strings(as.character(x)[1L])
strings <- function(x) json_array(if (length(x)) json_strings(x))
truth <- function(x) if (isTRUE(x)) "true" else "false"

write_line <- function(parts) {
  line <- json_object(parts)
  out <- file(file.path(folder, paste0(Sys.getpid(), ".jsonl")), open = "ab")
  on.exit(close(out))
  writeLines(line, out, useBytes = TRUE)
  state$bytes <- state$bytes + nchar(line, "bytes")
}

lose <- function(condition) {
  state$lost <- state$lost + 1L
  if (is.null(state$why)) state$why <- conditionMessage(condition)
}

write_start <- function() {
  write_line(list(
    type = string("start"), pid = string(Sys.getpid()),
    r_version = string(paste(R.version$major, R.version$minor, sep = ".")),
    r_string = string(R.version.string), platform = string(R.version$platform), kind = strings(RNGkind())))
}

write_end <- function() {
  version <- function(p) tryCatch(as.character(getNamespaceVersion(p)), error = function(e) "")
  versions <- vapply(sort(loadedNamespaces()), version, "")
  write_line(list(
    type = string("end"), calls = number(state$id), tasks = number(state$task), lost = number(state$lost),
    why = if (!is.null(state$why)) string(state$why),
    packages = json_object(lapply(versions, string)), kind = strings(RNGkind())))
}

## A fork goes on with its parent's numbers in a file of its own, without a start or an end.
notice_fork <- function() {
  if (state$pid == Sys.getpid()) return(invisible())
  state$pid <- Sys.getpid()
  state$bytes <- 0
}

## How often this call of the script has been evaluated, this one included.
evaluations <- function(site) {
  seen <- get0(site, envir = state$sites, inherits = FALSE, ifnotfound = 0L) + 1L
  assign(site, seen, envir = state$sites)
  seen
}

is_kept <- function(nth, via) {
  most <- if (is.null(via) || via %in% refitting) keep_of_site else keep_via_package
  kept <- nth <= most && state$whole < keep_in_all && state$bytes < most_bytes
  if (kept) state$whole <- state$whole + 1L
  kept
}

most_shown <- 2000L          # numbers or texts of the value of an expression that is kept

## Vectors, matrices, data frames, and lists of such, of a size that people look at.
is_small <- function(x, deep = 2L) {
  if (isS4(x) || is.language(x) || is_fit(x)) return(FALSE)
  if (is.atomic(x)) return(length(x) <= most_shown)
  is.list(x) && deep > 0L && length(x) <= 200L && cells(x) <= most_shown &&
    all(vapply(unclass(x), function(one) is.null(one) || is_small(one, deep - 1L), NA))
}

## What a top-level expression gave, and whether R printed it.
write_value <- function(value, visible) {
  if (is.null(value) && !visible || state$bytes > most_bytes) return(invisible())
  write_line(list(type = string("value"), task = number(state$task), visible = truth(visible),
                  kinds = strings(class(value)), value = if (is_small(value)) node(value)))
}

## Where the output of a top-level expression ends: a mark on standard output, which is taken away again where the
## output is read; not while a sink diverts it.
read_mark <- function() {
  kept <- file.path(folder, "mark.txt")
  if (file.exists(kept)) state$mark <- readLines(kept, n = 1L, warn = FALSE)
}

write_mark <- function() {
  if (length(state$mark) && sink.number() == 0L)
    cat("\036", state$mark, ":", Sys.getpid(), ":", state$task, "\036", sep = "", file = stdout())
}

read_loops <- function() {
  listed <- file.path(folder, "loops.txt")
  if (!file.exists(listed)) return(invisible())
  state$loops <- unique(Filter(nzchar, readLines(listed, warn = FALSE, encoding = "UTF-8")))
}

## The task callback counts the script's top-level expressions; profiles are read without it.
begin <- function() {
  read_loops()
  read_mark()
  write_start()
  decorate_all()
  addTaskCallback(function(expr, value, ok, visible) {
    state$task <- state$task + 1L
    state$busy <- TRUE
    on.exit(state$busy <- FALSE)
    noticed <- function() {
      notice_changes(expr, value)
      write_value(value, visible)
      write_mark()
    }
    suppressWarnings(suppressMessages(tryCatch(noticed(), error = function(e) NULL)))
    TRUE
  }, name = "pairproof")
  ends <- function(e) tryCatch(suppressWarnings(write_end()), error = function(e) NULL)
  reg.finalizer(state, ends, onexit = TRUE)             # also after quit() and after an error that ends R
  invisible()
}
