## What stands in R scripts, by R's own parser; nothing of them is evaluated.
##
##     Rscript parse.R script.R [sourced.R ...]        -> JSON, one object a line, on standard output
##
## {"type": "error", "file", "line", "column", "message"}       the script does not parse; nothing else of this file
## {"type": "expression", "file", "line", "last"}                a top-level expression, in order
## {"type": "call", "file", "task", "line", "last", "function", "package", "text", "variable", "within",
##  "loop", "scope"}                                              within: function of the script; "=f": it is its value
## {"type": "shown", "file", "task", "line", "last", "function", "variable", "text", "loop", "printed"}
## {"type": "package", "file", "name", "needed", "installed"}    needed: the script cannot run without it
## {"type": "loop", "file", "name"}                              a variable of `for`, an argument of an inline function
## {"type": "string", "file", "text"}                            a string that may be the name of a file
## {"type": "places", "r_home", "libraries", "home", "temporary"}
local({
  most_text <- 20000L

  ## --- JSON -------------------------------------------------------------------------------------------------------
  quoted <- function(x) {
    x <- enc2utf8(as.character(x))
    x[is.na(x)] <- "NA"
    x[!validUTF8(x)] <- "?"
    x <- gsub("\\", "\\\\", x, fixed = TRUE)
    x <- gsub("\"", "\\\"", x, fixed = TRUE)
    x <- gsub("\n", "\\n", x, fixed = TRUE)
    x <- gsub("\t", "\\t", x, fixed = TRUE)
    x <- gsub("\r", "\\r", x, fixed = TRUE)
    paste0("\"", gsub("[\001-\037\177]", "?", x), "\"")
  }
  one <- function(v) {
    if (is.logical(v)) return(if (isTRUE(v)) "true" else "false")
    if (is.numeric(v)) return(format(v, scientific = FALSE))
    if (length(v) == 1L) return(quoted(substr(v, 1L, most_text)))
    paste0("[", paste(quoted(v), collapse = ","), "]")
  }
  line_out <- function(...) {
    parts <- list(...)
    text <- paste0("{", paste0(quoted(names(parts)), ":", vapply(parts, one, ""), collapse = ","), "}")
    writeLines(text, out, useBytes = TRUE)
  }
  ## Wraps as capture.R writes the text of a call, so that the two can be compared.
  text_of <- function(e) paste(deparse(e, width.cutoff = 500L, nlines = 40L), collapse = "\n")
  or_empty <- function(expr) tryCatch(expr, error = function(e) "")

  ## --- words ------------------------------------------------------------------------------------------------------
  ## Functions whose value is that of their argument, or of the function given to them.
  passing <- c("(", "{", "try", "tryCatch", "suppressWarnings", "suppressMessages", "invisible", "return", "local",
               "with", "withCallingHandlers", "identity", "print", "system.time", "force", "Recall")
  applying <- c("lapply", "sapply", "vapply", "Map", "mapply", "by", "tapply", "mclapply", "parLapply", "clusterApply",
                "replicate", "outer", "Filter", "Reduce", "do.call", "aggregate", "map", "imap", "map2", "walk", "array")
  accessors <- c("summary", "coef", "coefficients", "vcov", "confint", "deviance", "logLik", "AIC", "BIC", "fitted",
                 "fitted.values", "residuals", "resid", "predict", "anova", "plot", "nobs", "df.residual", "family",
                 "formula", "BTabilities", "qvcalc", "llbt.worth", "patt.worth", "worth", "itempar", "add1", "drop1",
                 "vif", "plot.wmat", "threshpar", "discrpar", "personpar", "model.matrix", "weights", "lines", "points",
                 "barplot", "rankings", "itempars", "profile", "quasivar", "se")
  parts <- c(coefficients = "coef", coef = "coef", deviance = "deviance", aic = "AIC", df.residual = "df.residual",
             fitted.values = "fitted", residuals = "residuals", ll = "logLik", null.deviance = "null.deviance")
  quiet <- c("<-", "<<-", "=", "->", "invisible", "library", "require", "requireNamespace", "loadNamespace", "set.seed",
             "setwd", "options", "rm", "attach", "detach", "data", "par", "source", "for", "while", "repeat", "function",
             "suppressPackageStartupMessages", "assign", "sink", "quit", "q", "stopifnot", "write.csv", "write.table",
             "save", "saveRDS", "dev.off", "pdf", "png", "NULL", "load", "install.packages", "Sys.sleep", "~")
  name_of <- function(f) {
    if (is.symbol(f)) return(as.character(f))
    if (is.character(f) && length(f) == 1L) return(f)
    if (is.call(f) && length(f) == 3L && or_empty(as.character(f[[1L]])[1L]) %in% c("::", ":::")) return(as.character(f[[3L]]))
    ""
  }
  arguments <- function(e) as.list(e)[-1L]
  empty <- function(a) identical(a, quote(expr = ))

  ## The variable that an expression names: m, fits$a and fits[["a"]] as "fits$a", fits[[r]] as "fits"; "" otherwise.
  place_of <- function(e) {
    if (is.symbol(e)) return(as.character(e))
    if (is.character(e) && length(e) == 1L) return(e)
    if (!is.call(e) || length(e) < 3L || empty(e[[3L]])) return("")
    f <- name_of(e[[1L]])
    if (!f %in% c("$", "[[", "[", "@")) return("")
    base <- if (is.symbol(e[[2L]])) as.character(e[[2L]]) else ""
    if (!nzchar(base)) return("")
    if (f == "$" || is.character(e[[3L]])) return(paste0(base, "$", as.character(e[[3L]])[1L]))
    if (is.numeric(e[[3L]])) return(paste0(base, "$", format(e[[3L]])))
    base
  }

  ## What a printed expression shows of a fit: list of c(function, variable).
  showing <- function(e, direct = TRUE, depth = 0L) {
    if (depth > 30L) return(list())
    if (is.symbol(e)) return(if (direct && !empty(e)) list(c("print", as.character(e))) else list())
    if (!is.call(e)) return(list())
    f <- name_of(e[[1L]]); a <- arguments(e)
    a <- a[!vapply(a, empty, NA)]
    if (f %in% c("print", "show", "(", "print.default", "suppressWarnings", "suppressMessages", "try") && length(a))
      return(showing(a[[1L]], direct, depth + 1L))
    if (f %in% c("$", "[[", "@") && length(a) == 2L) {
      part <- if (is.symbol(a[[2L]]) || is.character(a[[2L]])) as.character(a[[2L]])[1L] else ""
      whole <- is.symbol(a[[1L]])
      if (whole && direct && !(part %in% names(parts))) return(list(c("print", place_of(e))))
      word <- if (part %in% names(parts)) parts[[part]] else part
      if (whole) return(if (nzchar(word) && part %in% names(parts)) list(c(word, as.character(a[[1L]]))) else list())
      inner <- showing(a[[1L]], FALSE, depth + 1L)
      return(lapply(inner, function(s) c(paste0(word, "(", s[1L], ")"), s[2L])))
    }
    if (f %in% accessors && length(a)) {
      first <- a[[1L]]
      if (nzchar(place_of(first)) && !is.character(first)) return(list(c(f, place_of(first))))
      inner <- showing(first, FALSE, depth + 1L)
      if (length(inner)) return(lapply(inner, function(s) c(paste0(f, "(", s[1L], ")"), s[2L])))
      return(list(c(f, "")))
    }
    if (f == "function") return(list())
    found <- list()
    for (x in a) found <- c(found, showing(x, FALSE, depth + 1L))
    unique(found)
  }

  ## --- a file -----------------------------------------------------------------------------------------------------
  report <- function(number, path) {
    said <- function(...) line_out(..., file = number)
    lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
    parsed <- tryCatch(
      parse(text = lines, keep.source = TRUE, encoding = "UTF-8"),
      error = function(e) {
        where <- regmatches(conditionMessage(e), regexec("^[^\n]*?:([0-9]+):([0-9]+): ([^\n]*)", conditionMessage(e)))[[1L]]
        if (length(where) == 4L)
          said(type = "error", line = as.integer(where[2L]), column = as.integer(where[3L]), message = where[4L])
        else said(type = "error", line = 0L, column = 0L, message = conditionMessage(e))
        NULL
      })
    if (is.null(parsed)) return(invisible())
    spans <- lapply(attr(parsed, "srcref"), function(r) as.integer(r)[c(1L, 3L)])
    for (s in spans) said(type = "expression", line = s[1L], last = s[2L])
    data <- utils::getParseData(parsed)
    if (is.null(data) || !nrow(data)) return(invisible())
    report_data(said, data, lines, spans)
  }

  report_data <- function(said, d, lines, spans) {
    n <- nrow(d)
    at <- match(d$parent, d$id)                       # row of the parent; NA at the top
    children <- split(seq_len(n), factor(at, levels = seq_len(n)))
    first_line <- vapply(spans, `[`, 1L, 1L); last_line <- vapply(spans, `[`, 1L, 2L)
    tops <- which(is.na(at) & d$token != "COMMENT" & d$token != "';'")
    top_of <- rep(NA_integer_, n)
    for (i in seq_len(n)) {                           # an expression's number: by its ancestor without a parent
      j <- i
      while (!is.na(at[j])) j <- at[j]
      top_of[i] <- match(j, tops)
    }
    source_of <- function(i) {
      l1 <- d$line1[i]; l2 <- d$line2[i]
      if (l1 == l2) return(substring(lines[l1], d$col1[i], d$col2[i]))
      paste(c(substring(lines[l1], d$col1[i]), lines[seq_len(l2 - l1 - 1L) + l1], substring(lines[l2], 1L, d$col2[i])), collapse = "\n")
    }
    language <- new.env()
    expression_of <- function(i) {
      key <- as.character(i)
      if (is.null(language[[key]])) language[[key]] <- list(tryCatch(str2lang(source_of(i)), error = function(e) NULL))
      language[[key]][[1L]]
    }
    tokens <- function(i) d$token[children[[i]]]
    kids <- function(i) children[[i]]
    is_function <- function(i) any(tokens(i) %in% c("FUNCTION", "'\\\\'"))
    is_loop <- function(i) any(tokens(i) %in% c("FOR", "WHILE", "REPEAT"))
    exprs <- function(i) { k <- kids(i); k[d$token[k] %in% c("expr", "expr_or_assign_or_help", "equal_assign")] }
    ## Head of a call: row of its SYMBOL_FUNCTION_CALL, or NA.
    head_of <- function(i) {
      k <- kids(i); if (length(k) < 2L || d$token[k[1L]] != "expr" || !any(d$token[k] == "'('")) return(NA_integer_)
      h <- kids(k[1L]); h <- h[d$token[h] == "SYMBOL_FUNCTION_CALL"]
      if (length(h)) h[1L] else NA_integer_
    }
    calls <- which(d$token == "SYMBOL_FUNCTION_CALL")
    call_rows <- at[at[calls]]
    keep <- !is.na(call_rows); calls <- calls[keep]; call_rows <- call_rows[keep]
    formals_of <- function(i) gsub("^`|`$", "", d$text[kids(i)[d$token[kids(i)] == "SYMBOL_FORMALS"]])
    loop_variable <- function(i) {
      k <- kids(i); k <- unlist(lapply(k[d$token[k] == "forcond"], kids))
      gsub("^`|`$", "", d$text[k[d$token[k] == "SYMBOL"]])
    }
    is_named <- function(i) !is.na(i) && any(tokens(i) %in% c("LEFT_ASSIGN", "EQ_ASSIGN"))
    function_name <- function(i) { h <- head_of(i); if (is.na(h)) "" else gsub("^`|`$", "", d$text[h]) }

    ## Up the tree: (variable that the value reaches, function it is the value of, in a loop, conditional).
    climb <- function(i) {
      flows <- TRUE; variable <- ""; within <- ""; loop <- FALSE; conditional <- FALSE; scope <- character(); j <- i
      repeat {
        p <- at[j]
        if (is.na(p)) break
        t <- tokens(p)
        assign <- intersect(t, c("LEFT_ASSIGN", "EQ_ASSIGN", "RIGHT_ASSIGN"))
        if (length(assign)) {
          e <- exprs(p)
          target <- if (assign[1L] == "RIGHT_ASSIGN") e[length(e)] else e[1L]
          if (flows && j != target && !nzchar(variable)) variable <- place_of(expression_of(target))
          flows <- FALSE
        } else if (is_function(p)) {
          body <- exprs(p); outer <- at[p]
          if (j != body[length(body)]) flows <- FALSE
          scope <- c(formals_of(p), scope)
          loop <- TRUE; conditional <- TRUE
          if (is_named(outer)) {                       # a function with a name: followed where that is called
            if (!nzchar(within)) within <- paste0(if (flows) "=" else "", place_of(expression_of(exprs(outer)[1L])))
            flows <- FALSE
          } else if (is.na(outer) || !(function_name(outer) %in% c(applying, passing))) flows <- FALSE
        } else if (is_loop(p) && d$token[j] != "forcond") {
          scope <- c(loop_variable(p), scope)
          loop <- TRUE; flows <- FALSE
        } else if ("IF" %in% t) {
          conditional <- TRUE
          e <- exprs(p); if (j == e[1L]) flows <- FALSE
        } else if ("'{'" %in% t) {
          e <- exprs(p); if (j != e[length(e)]) flows <- FALSE
        } else if (any(c("AND2", "OR2") %in% t)) {
          conditional <- TRUE; flows <- FALSE
        } else if ("'('" %in% t) {
          f <- function_name(p)
          if (f %in% c("try", "tryCatch", "withCallingHandlers")) conditional <- TRUE
          if (!is.na(head_of(p)) && j != kids(p)[1L] && !(f %in% c(passing, applying))) flows <- FALSE
        } else if ("PIPE" %in% t) {
          e <- exprs(p); if (j != e[length(e)]) flows <- FALSE
        } else if (length(t) > 1L && !identical(t, "expr")) flows <- FALSE
        j <- p
      }
      list(variable = variable, within = within, loop = loop, conditional = conditional, scope = unique(scope))
    }

    needed <- list()
    for (q in seq_along(calls)) {
      i <- call_rows[q]; h <- calls[q]
      f <- gsub("^`|`$", "", d$text[h])
      siblings <- kids(at[h])
      package <- d$text[siblings[d$token[siblings] == "SYMBOL_PACKAGE"]]
      if (!length(package)) package <- ""
      e <- expression_of(i)
      up <- climb(i)
      said(type = "call", task = top_of[i], line = d$line1[i], last = d$line2[i], "function" = f, package = package[1L],
           text = if (is.null(e)) "" else or_empty(text_of(e)), variable = up$variable, within = up$within, loop = up$loop,
           scope = c("", "", up$scope))
      named <- character()
      if (!is.null(e)) {
        if (f %in% c("library", "require", "requireNamespace", "loadNamespace", "attachNamespace")) {
          m <- arguments(e); p <- if (!is.null(m$package)) m$package else if (length(m)) m[[1L]]
          if (!is.null(p) && !empty(p) && (is.character(p) || (is.symbol(p) && is.null(m$character.only) && f %in% c("library", "require"))))
            named <- as.character(p)[1L]
        } else if (f %in% c("data", "system.file") && is.character(arguments(e)$package)) named <- arguments(e)$package[1L]
      }
      if (length(named)) needed[[named]] <- isTRUE(needed[[named]]) || (!up$conditional && f %in% c("library", "loadNamespace", "attachNamespace", "data", "require"))
      if (nzchar(package[1L])) needed[[package[1L]]] <- isTRUE(needed[[package[1L]]]) || !up$conditional
    }
    for (p in unique(d$text[d$token == "SYMBOL_PACKAGE"])) if (is.null(needed[[p]])) needed[[p]] <- FALSE
    for (p in names(needed)) if (grepl("^[A-Za-z][A-Za-z0-9.]*$", p))
      said(type = "package", name = p, needed = needed[[p]], installed = nzchar(system.file(package = p)))

    ## --- loop variables, arguments of inline functions, and of functions given by name -------------------------------
    variables <- unlist(lapply(at[d$token == "FOR"], loop_variable))
    by_name <- list()
    for (f in at[d$token %in% c("FUNCTION", "'\\\\'")]) {
      outer <- at[f]
      if (is_named(outer)) by_name[[place_of(expression_of(exprs(outer)[1L]))]] <- formals_of(f)
      else if (!is.na(outer)) variables <- c(variables, formals_of(f))
    }
    symbols <- which(d$token == "SYMBOL" & d$text %in% names(by_name))
    targets <- vapply(symbols, function(i) is_named(at[at[i]]) && exprs(at[at[i]])[1L] == at[i], NA)
    for (f in unique(d$text[symbols[!targets]])) variables <- c(variables, by_name[[f]])
    for (v in setdiff(unique(variables), "...")) said(type = "loop", name = v)

    ## --- what is shown ----------------------------------------------------------------------------------------------
    explicit <- c("print", "show", "cat", "message", "writeLines", "plot", "barplot", "lines", "points", "View", "knitr::kable")
    done <- integer()
    tell <- function(i, e, loop, printed, fallback) {
      if (i %in% done) return(invisible())
      done <<- c(done, i)
      found <- showing(e)
      if (!length(found) && fallback) found <- list(c("print", ""))
      for (s in found) said(type = "shown", task = top_of[i], line = d$line1[i], last = d$line2[i], "function" = s[1L],
                            variable = s[2L], text = or_empty(text_of(e)), loop = loop, printed = printed)
    }
    statement <- function(i, loop, value) {           # value: R prints it by itself
      t <- tokens(i)
      if (!length(t)) return(invisible())
      if (any(t %in% c("LEFT_ASSIGN", "EQ_ASSIGN", "RIGHT_ASSIGN"))) return(descend(i, loop))
      if ("'{'" %in% t) { e <- exprs(i); for (j in e) statement(j, loop, value && j == e[length(e)]); return(invisible()) }
      if (is_loop(i)) { e <- exprs(i); for (j in e) statement(j, TRUE, FALSE); return(invisible()) }
      if (is_function(i)) return(descend(i, loop))
      if ("IF" %in% t) { e <- exprs(i); descend(e[1L], loop); for (j in e[-1L]) statement(j, loop, value); return(invisible()) }
      e <- expression_of(i)
      if (is.null(e)) return(invisible())
      if ("'('" %in% t && is.na(head_of(i)) && length(exprs(i)) == 1L) {
        inner <- exprs(i)[1L]
        if (any(tokens(inner) %in% c("LEFT_ASSIGN", "EQ_ASSIGN"))) { tell(i, as.name(place_of(expression_of(exprs(inner)[1L]))), loop, value, FALSE); return(descend(inner, loop)) }
      }
      f <- if (is.call(e)) name_of(e[[1L]]) else ""
      if (f %in% explicit) tell(i, e, loop, TRUE, FALSE)
      else if (!(f %in% quiet) && (is.symbol(e) || is.call(e))) {
        if (value) tell(i, e, loop, TRUE, TRUE)
        else if (is.symbol(e) || f %in% accessors) tell(i, e, loop, FALSE, FALSE)
      }
      descend(i, loop)
    }
    descend <- function(i, loop) {                    # explicit prints deeper down: in functions, in arguments
      for (j in kids(i)) if (length(kids(j))) {
        f <- function_name(j)
        inside <- loop || is_function(j)
        if (f %in% explicit) { e <- expression_of(j); if (!is.null(e)) tell(j, e, inside, TRUE, FALSE) }
        if (is_function(j)) { b <- exprs(j); statement(b[length(b)], TRUE, FALSE) }
        descend(j, inside)
      }
    }
    for (i in tops) statement(i, FALSE, TRUE)

    strings <- unique(d$text[d$token == "STR_CONST"])
    strings <- strings[nchar(strings) < 1000L & grepl("^[\"'][^\"'\\\\]+[\"']$", strings) & grepl("[./]", strings)]
    for (s in strings[seq_len(min(length(strings), 2000L))]) said(type = "string", text = substr(s, 2L, nchar(s) - 1L))
  }

  out <- stdout()
  files <- commandArgs(TRUE)
  line_out(type = "places", r_home = normalizePath(R.home()), libraries = c(.libPaths(), ""), home = path.expand("~"), r_version = paste(R.version$major, R.version$minor, sep = "."))
  for (i in seq_along(files)) report(i, files[i])
})
