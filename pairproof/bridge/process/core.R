## R side of the bridge: takes one request made of tagged nodes, evaluates it with nothing left behind, and
## gives one reply made of tagged nodes. Base R only. The value of this file is list(run =, info =, guard =).
##
## A node is a list: [[1]] its tag, [[2]] its payload, [[3]] its attributes as list(names, nodes) or list().
## Tags: null lgl int dbl cplx raw chr list lang opaque, and on the way in also formula and expr.
## Logical, raw and complex values travel as int and dbl, so that the Python side meets four vector types only.
## Its functions see base R and nothing that a call puts into the global environment or onto the search path.
local({
  max_depth <- 40L

  set_attributes <- function(x, attrs, env) {
    if (!length(attrs)) return(x)
    values <- lapply(attrs[[2L]], decode, env = env)
    names(values) <- attrs[[1L]]
    attributes(x) <- values
    x
  }

  decode <- function(node, env) {
    payload <- if (length(node) > 1L) node[[2L]]
    attrs <- if (length(node) > 2L) node[[3L]]
    bare <- switch(node[[1L]],
      null = NULL,
      lgl = as.logical(payload),
      int = , dbl = , chr = payload,
      raw = as.raw(payload),
      cplx = complex(real = payload[[1L]], imaginary = payload[[2L]]),
      list = lapply(payload, decode, env = env),
      formula = return(stats::as.formula(payload, env = env)),
      expr = return(str2lang(payload)),
      stop("unknown tag ", node[[1L]]))
    set_attributes(bare, attrs, env)
  }

  utf8 <- function(x) {
    x <- enc2utf8(as.character(x))
    bad <- !is.na(x) & !validUTF8(x)
    if (any(bad)) x[bad] <- iconv(x[bad], "UTF-8", "UTF-8", sub = "byte")
    x
  }

  encode_attributes <- function(x, depth) {
    a <- attributes(x)
    if (is.null(a)) return(list())
    if (is.data.frame(x)) a[["row.names"]] <- .row_names_info(x, 0L)   # keeps R's compact form c(NA, -n)
    list(names(a), unname(lapply(a, encode, depth = depth + 1L)))
  }

  text_of <- function(x) paste(utf8(deparse(x, width.cutoff = 500L)), collapse = "\n")

  encode <- function(x, depth = 0L) {
    if (is.null(x)) return(list("null"))
    if (depth > max_depth) stop("the value is nested more than ", max_depth, " levels deep")
    type <- typeof(x)
    if (is.language(x)) return(list("lang", text_of(x)))
    if (type == "pairlist") { x <- as.list(x); type <- "list" }
    attrs <- encode_attributes(x, depth)
    bare <- x
    attributes(bare) <- NULL
    switch(type,
      logical = list("lgl", as.integer(bare), attrs),
      integer = list("int", bare, attrs),
      double = list("dbl", bare, attrs),
      character = list("chr", utf8(bare), attrs),
      raw = list("raw", as.integer(bare), attrs),
      complex = list("cplx", list(Re(bare), Im(bare)), attrs),
      list = list("list", lapply(bare, encode, depth = depth + 1L), attrs),
      list("opaque", type))
  }

  find_function <- function(name) {
    parts <- strsplit(name, "::", fixed = TRUE)[[1L]]
    if (length(parts) == 2L) getExportedValue(parts[1L], parts[2L]) else get(name, mode = "function", envir = globalenv())
  }

  ## Long arguments are handed over by name (.data, .y), so that calls in errors and in models stay readable.
  as_call <- function(fun, args, env) {
    labels <- names(args)
    if (is.null(labels)) labels <- rep("", length(args))
    for (i in seq_along(args)) {
      a <- args[[i]]
      if (is.language(a) || (length(a) <= 5L && !is.list(a) && is.null(dim(a)))) next
      symbol <- if (nzchar(labels[i])) paste0(".", labels[i]) else paste0(".arg", i)
      assign(symbol, a, envir = env)
      args[[i]] <- as.name(symbol)
    }
    as.call(c(list(str2lang(fun)), args))
  }

  evaluate <- function(request, env) {
    args <- decode(request$args, env)
    parsed <- function(text) parse(text = text, keep.source = FALSE)
    if (is.null(request$code)) {
      find_function(request$fun)                       # a clear error for a function that is not there
      shown <- withVisible(eval(as_call(request$fun, args, env), env))
    } else {
      for (name in names(args)) {
        a <- args[[name]]
        assign(name, if (is.language(a) && !inherits(a, "formula")) eval(a, env) else a, envir = env)
      }
      shown <- withVisible(eval(parsed(request$code), env))
    }
    value <- shown$value
    if (!is.null(request$extract)) {
      assign("value", value, envir = env)
      value <- eval(parsed(request$extract), env)
    }
    list(value = encode(value), visible = shown$visible)
  }

  ## What the call may disturb, and how to put it back.
  snapshot <- function() list(
    options = options(), wd = getwd(), locale = Sys.getlocale(), devices = grDevices::dev.list(), search = search(),
    globals = ls(globalenv(), all.names = TRUE), kind = RNGkind(), namespaces = loadedNamespaces(), connections = getAllConnections(), environment = Sys.getenv(),
    seed = get0(".Random.seed", envir = globalenv(), inherits = FALSE))

  restore_options <- function(before) {
    added <- setdiff(names(options()), names(before))
    if (length(added)) options(stats::setNames(vector("list", length(added)), added))
    options(before)
  }

  restore_locale <- function(before) {
    if (identical(before, Sys.getlocale())) return(invisible())
    for (pair in strsplit(strsplit(before, ";", fixed = TRUE)[[1L]], "=", fixed = TRUE))
      if (length(pair) == 2L && pair[1L] %in% c("LC_COLLATE", "LC_CTYPE", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"))
        suppressWarnings(Sys.setlocale(pair[1L], pair[2L]))
  }

  restore_environment <- function(before) {
    now <- Sys.getenv()
    if (identical(now, before)) return(invisible())
    Sys.unsetenv(setdiff(names(now), names(before)))
    changed <- names(before)[!names(before) %in% names(now) | before != now[names(before)]]
    if (length(changed)) do.call(Sys.setenv, as.list(before[changed]))
  }

  restore <- function(before) {
    setTimeLimit()
    setSessionTimeLimit()
    restore_options(before$options)
    if (!identical(before$wd, getwd())) setwd(before$wd)
    restore_environment(before$environment)
    do.call(RNGkind, as.list(before$kind))
    rm(list = setdiff(ls(globalenv(), all.names = TRUE), before$globals), envir = globalenv())
    if (!is.null(before$seed)) assign(".Random.seed", before$seed, envir = globalenv())
    else suppressWarnings(rm(list = ".Random.seed", envir = globalenv()))
    for (device in setdiff(grDevices::dev.list(), before$devices)) grDevices::dev.off(device)
    for (place in setdiff(search(), before$search)) try(detach(place, character.only = TRUE), silent = TRUE)
    for (id in setdiff(getAllConnections(), before$connections)) try(close(getConnection(id)), silent = TRUE)
    restore_locale(before$locale)
  }

  ## What a call may have changed that cannot be put back. Functions of these namespaces and of the search path are
  ## remembered when R has started, those of a package when a call first needs it.
  guarded <- new.env(parent = emptyenv())

  remember <- function(name, place) {
    values <- as.list.environment(place, all.names = TRUE)
    at <- which(vapply(values, is.function, NA))
    assign(name, list(place = place, names = names(values)[at], at = at, values = unname(values[at])), envir = guarded)
  }

  remember_package <- function(package) {
    if (isNamespaceLoaded(package) && !exists(package, envir = guarded, inherits = FALSE)) remember(package, asNamespace(package))
  }

  ## Loading a package may exchange methods of other packages (MASS has its own confint.glm), which is as it should be.
  remember_methods <- function() for (package in c("base", "stats")) {
    methods <- get0(".__S3MethodsTable__.", envir = asNamespace(package), inherits = FALSE)
    if (is.environment(methods)) remember(paste("the S3 methods of", package), methods)
  }

  guard <- function() {
    for (package in c("base", "stats", "utils", "methods")) remember_package(package)
    remember_methods()
    for (place in c("package:stats", "package:utils", "package:methods")) if (place %in% search()) remember(place, as.environment(place))
  }

  changed_functions <- function(name) {
    known <- get(name, envir = guarded)
    now <- as.list.environment(known$place, all.names = TRUE)
    if (identical(unname(now[known$at]), known$values)) return(character())     # a third of the time of asking by name
    now <- unname(now[known$names])                                             # something may have been added
    other <- known$names[!mapply(identical, now, known$values)]
    if (length(other)) paste0("it changed ", toString(utils::head(other, 3L)), if (length(other) > 3L) ", ...", " of ", name)
  }

  beyond_repair <- function(before) {
    now <- snapshot()
    if (!setequal(now$namespaces, before$namespaces)) remember_methods()
    options <- names(before$options)[!mapply(identical, before$options, now$options[names(before$options)])]
    c(unlist(lapply(names(guarded), changed_functions)),
      if (length(options)) paste("it left other options:", toString(options)),
      if (!identical(now$search, before$search)) paste("it left the search path as", toString(now$search)),
      if (!identical(now$wd, before$wd)) "it left another working folder",
      if (!identical(now$devices, before$devices)) "it left graphics devices open or closed",
      if (length(setdiff(now$connections, before$connections))) "it left connections open",
      if (!identical(now$kind, before$kind)) "it left another random number generator",
      if (!identical(now$globals, before$globals)) "it left objects in the global environment that cannot be removed")
  }

  ## R's own defaults, whatever a site profile says, so that the same call gives the same value everywhere.
  fixed_options <- function() options(
    warn = 0L, digits = 7L, scipen = 0L, OutDec = ".", width = 100L, device = function(...) grDevices::pdf(NULL),
    stringsAsFactors = FALSE, contrasts = c("contr.treatment", "contr.poly"), na.action = "na.omit", browser = NULL,
    error = NULL, keep.source = FALSE, expressions = 5000L, warning.expression = NULL, warnPartialMatchDollar = FALSE)

  ## The bridge's own frames mean nothing to a reader.
  ours <- "^(withVisible\\()?eval\\((parsed\\(request|as_call\\(request)"

  one_line <- function(call, n = 2L) {
    text <- if (is.null(call)) "" else paste(utf8(trimws(deparse(call, nlines = n))), collapse = " ")
    if (grepl(ours, text)) "" else text
  }

  describe <- function(condition, stack = character())
    list(message = utf8(conditionMessage(condition)), call = one_line(conditionCall(condition)),
         class = class(condition), stack = stack)

  ## The last calls before the error, without the bridge's frames below and the handler's above.
  stack_tail <- function(calls) {
    text <- vapply(calls, function(k) paste(utf8(deparse(k, nlines = 1L, width.cutoff = 80L)), collapse = " "), "")
    mine <- grep(ours, text)
    first <- if (length(mine)) max(mine) + 1L else 1L
    if (first <= length(text) && startsWith(text[first], "eval(")) first <- first + 1L
    text <- utils::head(text[seq_along(text) >= first], -2L)
    utils::tail(text, 15L)
  }

  run <- function(request) {
    request <- stats::setNames(lapply(request[[2L]], function(node) if (node[[1L]] == "list") node else decode(node, NULL)),
                               request[[1L]])
    started <- proc.time()[[3L]]
    ## Namespaces are loaded before the snapshot: options a package sets on loading must stay, or it breaks later.
    loaded <- length(loadedNamespaces())
    for (package in request$needs) {
      try(suppressWarnings(suppressPackageStartupMessages(loadNamespace(package))), silent = TRUE)
      remember_package(package)
    }
    if (length(loadedNamespaces()) != loaded) remember_methods()
    warnings <- list(); messages <- character(); error <- NULL; reply <- NULL
    before <- snapshot()
    sinks <- sink.number()
    ## In its own environment, so that closing it delivers a last line without a newline as well.
    lines <- new.env()
    console <- eval(quote(textConnection("printed", "w", local = TRUE)), lines)
    sink(console)
    fixed_options()
    if (!is.null(request$seed)) { RNGkind("Mersenne-Twister", "Inversion", "Rejection"); set.seed(request$seed) }
    env <- new.env(parent = globalenv())
    reply <- tryCatch(
      withCallingHandlers(
        evaluate(request, env),
        warning = function(w) {
          warnings[[length(warnings) + 1L]] <<- describe(w)
          invokeRestart("muffleWarning")
        },
        message = function(m) {
          messages <<- c(messages, utf8(conditionMessage(m)))
          invokeRestart("muffleMessage")
        },
        error = function(e) error <<- describe(e, stack_tail(sys.calls()))),
      ## On "evaluation nested too deeply" the calling handler itself fails, so the error is taken here again.
      error = function(e) { if (is.null(error) || !identical(error$message, utf8(conditionMessage(e)))) error <<- describe(e); NULL },
      interrupt = function(e) { error <<- list(message = "interrupted", call = "", class = class(e), stack = character()); NULL })
    if (!is.null(reply)) error <- NULL             # an error the code itself caught is no error of the call
    while (sink.number() > sinks) sink()
    if (sink.number(type = "message") != 2L) sink(type = "message")
    output <- tryCatch({ close(console); utf8(lines$printed) }, error = function(e) "(the call closed all connections; its output is lost)")
    restore(before)
    poisoned <- beyond_repair(before)
    if (sink.number() != sinks) poisoned <- c(poisoned, "it left output diverted")
    wrapped <- list(visible = if (is.null(reply)) NA else reply$visible, output = output, warnings = warnings,
                    messages = messages, error = error, seconds = proc.time()[[3L]] - started, poisoned = as.character(poisoned))
    list("list", c(list(if (is.null(reply)) list("null") else reply$value), unname(lapply(wrapped, encode))),
         list("names", list(list("chr", c("value", names(wrapped)), list()))))
  }

  last_parts <- function(path, n = 2L) {
    if (!length(path) || is.na(path) || !nzchar(path)) return(NA_character_)
    paste(utils::tail(strsplit(path, "/", fixed = TRUE)[[1L]], n), collapse = "/")
  }

  ## Versions, and `places`: the machine's own paths, known so that they can be kept out of records.
  info <- function(packages) {
    stopifnot(utils::packageVersion("base") == getRversion(), "stats" %in% loadedNamespaces())
    version_of <- function(p) {
      version <- tryCatch(suppressWarnings(utils::packageDescription(p, fields = "Version")), error = function(e) NA)
      if (is.character(version)) version else NA_character_        # not there, or broken: either way of no use
    }
    lapack <- tryCatch(La_library(), error = function(e) "")
    loc <- strsplit(Sys.getlocale(), ";", fixed = TRUE)[[1L]]
    encode(list(
      r_version = as.character(getRversion()), r_string = R.version.string, platform = R.version$platform,
      blas = last_parts(unname(extSoftVersion()["BLAS"])), lapack = last_parts(lapack), lapack_version = La_version(),
      os = utils::osVersion, locale = paste(grep("COLLATE|CTYPE", loc, value = TRUE), collapse = ";"), rng = RNGkind(),
      packages = vapply(packages, version_of, ""),
      places = list(library = .libPaths(), r_home = R.home(), tmp = tempdir(), wd = getwd(), home = path.expand("~"))))
  }

  list(run = run, info = info, guard = guard)
}, new.env(parent = baseenv()))
