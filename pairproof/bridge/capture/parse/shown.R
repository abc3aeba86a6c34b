## What one script shows of its fits: what R prints by itself, and explicit prints wherever they stand.

told <- integer()

## `otherwise`: say that something is printed even if it is nothing of a variable. "print": BTm(...) by itself;
## "other": print(f(m)), of which only the text is known.
tell <- function(i, e, loop, printed, otherwise = "") {
  if (i %in% told || is.null(e)) return(invisible())
  told <<- c(told, i)
  if (otherwise == "other" && !length(all.vars(e))) otherwise <- ""
  found <- showing(e)
  if (!length(found) && nzchar(otherwise)) found <- list(c(if (otherwise == "print") "print" else "", ""))
  for (s in found)
    said(type = "shown", task = top_of[i], line = d$line1[i], last = d$line2[i], "function" = s[1L],
         variable = s[2L], text = text_of(e), loop = loop, printed = printed)
}

## A statement; `value`: R prints it by itself.
statement <- function(i, loop, value) {
  e <- exprs(i)
  if (!length(kids(i))) return(invisible())
  if (is_assignment(i) || is_function(i)) return(descend(i, loop))
  if (has(i, "'{'")) {
    for (j in e) statement(j, loop, value && j == last_of(e))
  } else if (is_loop(i)) {
    for (j in e) statement(j, TRUE, FALSE)
  } else if (has(i, "IF")) {
    descend(e[1L], loop)
    for (j in e[-1L]) statement(j, loop, value)
  } else {
    expression_statement(i, loop, value)
    descend(i, loop)
  }
  invisible()
}

expression_statement <- function(i, loop, value) {
  inner <- exprs(i)[1L]
  in_brackets <- has(i, "'('") && is.na(head_of(i)) && length(exprs(i)) == 1L
  if (in_brackets && is_assignment(inner)) return(tell(i, as.name(target_name(inner)), loop, value))
  e <- language_of(i)
  f <- if (is.call(e)) name_of(e[[1L]]) else ""
  if (f %in% printing) tell(i, e, loop, TRUE, otherwise = "other")
  else if (f %in% quiet || !(is.symbol(e) || is.call(e))) invisible()
  else if (value) tell(i, e, loop, TRUE, otherwise = "print")
  else if (is.symbol(e) || f %in% accessors) tell(i, e, loop, FALSE)
}

## Deeper down: explicit prints, and the values of functions.
descend <- function(i, loop) {
  for (j in kids(i)) if (length(kids(j))) {
    inside <- loop || is_function(j)
    if (function_name(j) %in% printing) tell(j, language_of(j), inside, TRUE, otherwise = "other")
    if (is_function(j)) statement(last_of(exprs(j)), TRUE, FALSE)
    descend(j, inside)
  }
}

tell_shown <- function() for (i in tops) statement(i, FALSE, TRUE)
