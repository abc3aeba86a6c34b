## What stands in R scripts, by R's own parser; nothing of them is evaluated.
##
##     R --file=parse.R --args script.R [sourced.R ...]      JSON on standard output, one object a line
##
## places      r_home, libraries, home, r_version
## error       line, column, message: the script does not parse; nothing else is told of it
## expression  line, last, text, tree: a top-level expression, in order (trees.R)
## call        task, line, last, function, package, text, variable, within, loop, scope
##             within: the function of the script that it stands in, "=f" if it is its value
## package     name, needed (the script cannot run without it), installed
## loop        name: a variable of `for`, an argument of a function written inside a call
## string      text that may be the name of a file
## Each but the first has `file`, the number of the script among the arguments.
##
## The files beside it hold one idea each: json.R lines; words.R what an expression names; tree.R the
## parser's tree; trees.R expressions as JSON; calls.R calls, variables, packages; loops.R.
local({
  given <- commandArgs(FALSE)
  here <- sub("^--file=", "", grep("^--file=", given, value = TRUE)[1L])
  here <- dirname(gsub("~+~", " ", here, fixed = TRUE))          # how R passes a space on
  house <- new.env(parent = baseenv())
  for (part in c("json", "words", "trees")) sys.source(file.path(here, paste0(part, ".R")), envir = house)

  ## A syntax error: line, column and message of "<text>:3:1: unexpected symbol".
  broken <- function(e, said) {
    text <- conditionMessage(e)
    where <- regmatches(text, regexec("^[^\n]*?:([0-9]+):([0-9]+): ([^\n]*)", text))[[1L]]
    if (length(where) != 4L) where <- c("", "0", "0", text)
    said(type = "error", line = as.integer(where[2L]), column = as.integer(where[3L]), message = where[4L])
    NULL
  }

  report <- function(number, path) {
    said <- function(...) house$line_out(..., file = number)
    lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
    if (!all(validUTF8(lines))) lines <- iconv(lines, "latin1", "UTF-8")
    parsed <- tryCatch(parse(text = lines, keep.source = TRUE, encoding = "UTF-8"),
                       error = function(e) broken(e, said))
    spans <- attr(parsed, "srcref")
    for (k in seq_along(spans))
      said(type = "expression", line = as.integer(spans[[k]])[1L], last = as.integer(spans[[k]])[3L],
           text = house$text_of(parsed[[k]]), tree = house$as_is(house$tree_json(parsed[[k]])))
    data <- if (length(parsed)) utils::getParseData(parsed)
    if (is.null(data) || !nrow(data)) return(invisible())
    file <- new.env(parent = house)
    file$d <- data; file$lines <- lines; file$said <- said
    for (part in c("tree", "calls", "loops")) sys.source(file.path(here, paste0(part, ".R")), envir = file)
    file$tell_calls()
    file$tell_loops()
    file$tell_strings()
  }

  house$line_out(type = "places", r_home = normalizePath(R.home()), libraries = c(.libPaths(), ""),
                 home = path.expand("~"), r_version = paste(R.version$major, R.version$minor, sep = "."))
  files <- commandArgs(TRUE)
  for (i in seq_along(files)) report(i, files[i])
})
