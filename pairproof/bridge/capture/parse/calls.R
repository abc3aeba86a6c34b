## Every call of one script: where it stands, the variable that its value reaches, and the packages it names.

## assign("m", BTm(...)): "m" for the call that is its second argument.
assigned_by <- function(i, argument) {
  e <- exprs(i)
  name <- if (length(e) > 2L && e[3L] == argument) language_of(e[2L])
  if (is.character(name)) name[1L] else ""
}

## fits <- list(a = BTm(...)): "fits$a"; without a name, its number.
element_of <- function(name, element) {
  if (!nzchar(element)) return(name)
  if (!nzchar(name) || grepl("$", name, fixed = TRUE)) "" else paste0(name, "$", element)
}

element_in <- function(i, p) {
  k <- kids(p)
  before <- k[seq_len(match(i, k) - 1L)]
  named <- length(before) > 1L && d$token[last_of(before)] == "EQ_SUB"
  if (named) bare(gsub('^"|"$', "", d$text[before[length(before) - 1L]])) else format(match(i, exprs(p)) - 1L)
}

## Up the tree from a node. `up`: the variable that its value reaches, the named function it stands in ("=f": as its
## value), the variables of the loops and functions around it, and whether it may not be evaluated at all.
climb <- function(i) {
  up <- list(flows = TRUE, element = "", variable = "", within = "", loop = FALSE, conditional = FALSE, scope = character())
  while (!is.na(p <- at[i])) {
    up <- if (is_assignment(p)) through_assignment(up, i, p)
          else if (is_function(p)) through_function(up, i, p)
          else if (is_loop(p)) through_loop(up, i, p)
          else through_other(up, i, p)
    i <- p
  }
  up
}

through_assignment <- function(up, i, p) {
  if (up$flows && i != target_of(p) && !nzchar(up$variable)) up$variable <- element_of(target_name(p), up$element)
  up$flows <- FALSE
  up
}

through_function <- function(up, i, p) {
  outer <- at[p]
  value <- up$flows && i == last_of(exprs(p))
  up$scope <- c(formals_of(p), up$scope)
  up$loop <- up$conditional <- TRUE
  up$flows <- value && !is.na(outer) && function_name(outer) %in% c(applying, passing)
  if (is_naming(outer) && !nzchar(up$within)) up$within <- paste0(if (value) "=" else "", target_name(outer))
  up
}

through_loop <- function(up, i, p) {
  if (d$token[i] == "forcond") return(up)           # what is looped over is evaluated once, before
  up$scope <- c(loop_variable(p), up$scope)
  up$loop <- TRUE
  up$flows <- FALSE
  up
}

through_other <- function(up, i, p) {
  e <- exprs(p)
  if (has(p, "IF")) {
    up$conditional <- TRUE
    up$flows <- up$flows && i != e[1L]
  } else if (has(p, "'{'")) {
    up$flows <- up$flows && i == last_of(e)
  } else if (has(p, "AND2", "OR2")) {
    up$conditional <- TRUE
    up$flows <- FALSE
  } else if (has(p, "'('")) {
    f <- function_name(p)
    if (f == "assign" && up$flows && !nzchar(up$variable)) up$variable <- assigned_by(p, i)
    if (f %in% c("try", "tryCatch", "withCallingHandlers")) up$conditional <- TRUE
    if (f == "list" && up$flows && i != kids(p)[1L] && !nzchar(up$element)) up$element <- element_in(i, p)
    else if (!is.na(head_of(p)) && i != kids(p)[1L] && (nzchar(up$element) || !(f %in% c(passing, applying))))
      up$flows <- FALSE
  } else if (is_pipe(p)) {
    up$flows <- up$flows && i == last_of(e)
  } else if (length(kids(p)) > 1L) up$flows <- FALSE
  up
}

## --- packages --------------------------------------------------------------------------------------------------

loading <- c("library", "require", "loadNamespace", "attachNamespace")

## The package that a call loads or takes data from; "" if none is written.
package_named <- function(f, e) {
  if (!is.call(e)) return("")
  a <- arguments(e)
  if (f %in% c("data", "system.file")) return(if (is.character(a$package)) a$package[1L] else "")
  if (!f %in% c(loading, "requireNamespace") || !length(a)) return("")
  p <- if (!is.null(a$package)) a$package else a[[1L]]
  unquoted <- f %in% c("library", "require") && is.null(a$character.only)
  if (is.character(p) || (is.symbol(p) && unquoted && !is_empty(p))) as.character(p)[1L] else ""
}

tell_calls <- function() {
  packages <- list()                                # name -> whether the script cannot run without it
  note <- function(name, needed) if (nzchar(name)) packages[[name]] <<- isTRUE(packages[[name]]) || needed
  for (h in which(d$token == "SYMBOL_FUNCTION_CALL")) {
    i <- at[at[h]]
    if (is.na(i)) next
    f <- bare(d$text[h])
    beside <- kids(at[h])
    package <- c(d$text[beside[d$token[beside] == "SYMBOL_PACKAGE"]], "")[1L]
    e <- language_of(i)
    up <- climb(i)
    said(type = "call", task = top_of[i], line = d$line1[i], last = d$line2[i], "function" = f,
         package = package, text = if (is.null(e)) "" else text_of(e), variable = up$variable,
         within = up$within, loop = up$loop, scope = c("", "", unique(up$scope)))
    note(package_named(f, e), !up$conditional && f %in% c(loading, "data"))
    note(package, !up$conditional)
  }
  for (p in unique(d$text[d$token == "SYMBOL_PACKAGE"])) note(p, FALSE)
  for (p in grep("^[A-Za-z][A-Za-z0-9.]*$", names(packages), value = TRUE))
    said(type = "package", name = p, needed = packages[[p]], installed = nzchar(system.file(package = p)))
}
