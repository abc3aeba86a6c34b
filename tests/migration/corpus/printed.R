# What R prints of a script, expression by expression:  Rscript --vanilla printed.R FOLDER  writes FOLDER/printed.txt
#
# An expression is "of models" if it names a fitting function, or anything that an expression of models gave before:
# this is decided by the names alone, as they stand in the script, and knows nothing of what can be translated.
local({
FITTING <- c("BTm", "btmodel", "bttree", "eba", "eba.order", "thurstone", "kendall.u", "strans", "group.test", "gnm", "glm",
             "glmer", "polr", "PlackettLuce", "pattPC.fit", "pattR.fit", "pattL.fit", "llbtPC.fit", "clm", "gnm::gnm")

lines_of <- function(folder) {
  rmd <- file.path(folder, "analysis.Rmd")
  if (!file.exists(rmd)) return(list(file.path(folder, "analysis.R"), readLines(file.path(folder, "analysis.R"))))
  lines <- readLines(rmd)
  inside <- FALSE
  for (k in seq_along(lines)) {
    if (grepl("^```", lines[k])) { inside <- !inside; lines[k] <- ""; next }
    if (inside) next
    found <- regmatches(lines[k], gregexpr("`r [^`]*`", lines[k]))[[1]]
    code <- sub("`$", "", sub("^`r ", "", found))
    lines[k] <- paste0("cat(", code, ", '\\n')", collapse = "; ")
    if (!length(found)) lines[k] <- ""
  }
  list(rmd, lines)
}

given <- function(e) {
  # Names that an expression assigns, at any depth.
  if (!is.call(e)) return(character())
  out <- character()
  if (as.character(e[[1]])[1] %in% c("<-", "=", "<<-", "for")) {
    target <- e[[2]]
    while (is.call(target)) target <- target[[2]]
    out <- as.character(target)
  }
  c(out, unlist(lapply(as.list(e), function(x) if (missing(x)) character() else given(x))))
}

mentioned <- function(e) {
  # Names and words of an expression: do.call("BTm", ...) is a call of models.
  words <- if (is.call(e)) unlist(lapply(as.list(e), function(x) if (!missing(x) && (is.call(x) || is.character(x))) mentioned(x)))
           else if (is.character(e)) e
  c(all.names(e), words)
}

printed <- function(folder) {
  found <- lines_of(folder)
  home <- setwd(folder)
  on.exit(setwd(home))
  unlink("printed.txt")
  before <- list.files()
  parsed <- parse(text = found[[2]], keep.source = TRUE)
  places <- attr(parsed, "srcref")
  tainted <- FITTING
  shown <- c()
  for (k in seq_along(parsed)) {
    e <- parsed[[k]]
    names <- mentioned(e)
    if (is.call(e) && identical(e[[1]], as.name("source"))) {
      for (own in as.list(parse(e[[2]]))) if (any(all.names(own) %in% tainted)) tainted <- c(tainted, given(own))
    }
    of.models <- any(names %in% tainted)
    if (of.models) tainted <- unique(c(tainted, given(e)))
    else if (is.call(e) && identical(e[[1]], as.name("<-")) && is.name(e[[2]])) tainted <- setdiff(tainted, as.character(e[[2]]))
    out <- capture.output({
      seen <- withVisible(eval(e, globalenv()))
      if (seen$visible) print(seen$value)
    })
    if (length(out)) {
      place <- places[[k]]
      shown <- c(shown, sprintf("#: line %d%s", place[1], if (of.models) ", of models" else ""), out)
    }
  }
  made <- setdiff(list.files(), before)
  unlink(made)
  writeLines(shown, "printed.txt")
}

options(width = 80)
pdf(NULL)
invisible(lapply(commandArgs(TRUE), printed))
})
