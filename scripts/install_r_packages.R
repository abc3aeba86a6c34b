# Installs R packages where they can be had: tarballs at hand, then CRAN, then CRAN's archive.  Called by setup.sh.
#
#   lacking FILE [all]       prints "LACKING name" for each package of FILE that is missing or too old, and "LIBRARY folder";
#                            those that are marked on-request only with "all"
#   kept FILE                prints "KEPT folder" for each package of base R, those that FILE marks as required, and what
#                            these need in turn; "STAYS name" for those that are not base R's, "HIDDEN name" for the rest
#                            that is installed, and "OPTIONAL name" for what FILE marks as optional and none of these need
#   plan NAME...             prints "PLAN name" for the NAMEs and what they need in turn, and "CRAN yes" if CRAN answers
#   install FOLDER NAME...   installs the NAMEs into FOLDER; "STANDIN ..." says what takes the place of a package that cannot
#                            be had
#
# "lacking" and "kept" are run without user profiles, as pairproof's own R is, so they see the libraries that count; the
# other two read them, because a mirror may be chosen there.
# Mirrors and proxies are those of R's own configuration (options("repos"), Rprofile, environment).  R_TARBALLS names a
# directory, or files, of source packages brought from elsewhere.  What is printed for the caller starts with a capital
# keyword, because a user's own Rprofile may print too.

arguments <- commandArgs(TRUE)
verb <- arguments[1]
names_given <- arguments[-1]
options(timeout = 120, warn = 1)

say <- function(...) message("        ", ...)

# One row a package: name, minimum, whether it is required, and whether it is brought on request only.  A line that does not read as
# "name >= version required|optional [on-request]" is an error.
read_requirements <- function(file) {
  lines <- trimws(sub("#.*", "", readLines(file)))
  lines <- lines[nzchar(lines)]
  pattern <- "^([A-Za-z][A-Za-z0-9.]*)[[:space:]]*>=[[:space:]]*([0-9][0-9.-]*)[[:space:]]+(required|optional|optional[[:space:]]+on-request)$"
  wrong <- lines[!grepl(pattern, lines)]
  if (length(wrong)) stop("cannot read in ", file, ": ", wrong[1], call. = FALSE)
  data.frame(name = sub(pattern, "\\1", lines), minimum = sub(pattern, "\\2", lines),
             required = grepl("[[:space:]]required$", lines), on_request = endsWith(lines, "on-request"))
}

usable <- function(name, minimum = "0.0") {
  loads <- suppressWarnings(suppressMessages(requireNamespace(name, quietly = TRUE)))
  loads && utils::packageVersion(name) >= minimum
}

# The first library that can be written to, else the user's own.
library_to_use <- function() {
  writable <- Filter(function(folder) dir.exists(folder) && file.access(folder, 2) == 0, .libPaths())
  if (length(writable)) writable[1] else strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1]
}

repositories <- function() {
  repos <- getOption("repos")
  if (is.null(repos) || is.na(repos["CRAN"]) || repos["CRAN"] == "@CRAN@") {
    try(utils::chooseCRANmirror(graphics = FALSE, ind = 1), silent = TRUE)
    repos <- getOption("repos")
  }
  repos
}

# NULL, with the reason said, when no repository answers.  A warning alone is no answer: R tries PACKAGES.rds, .gz and the
# plain file in turn, and warns of each that a mirror does not have.
index_of <- function(repos) {
  reasons <- character()
  note <- function(condition) reasons <<- c(reasons, trimws(conditionMessage(condition)))
  index <- tryCatch(
    withCallingHandlers(utils::available.packages(repos = repos), warning = function(w) {
      note(w)
      invokeRestart("muffleWarning")
    }),
    error = function(e) {
      note(e)
      NULL
    }
  )
  if (!is.null(index) && nrow(index) > 0) return(index)
  say("CRAN is not reached: ", utils::tail(c("its index is empty", reasons), 1))
  NULL
}

tarballs_at_hand <- function(name) {
  given <- strsplit(Sys.getenv("R_TARBALLS"), "[ :]+")[[1]]
  files <- as.character(unlist(lapply(given, function(path) {
    if (dir.exists(path)) list.files(path, "[.]tar[.]gz$", full.names = TRUE) else path
  })))
  files[startsWith(basename(files), paste0(name, "_"))]
}

install_file <- function(file, library_folder) {
  say(basename(file))
  try(utils::install.packages(file, lib = library_folder, repos = NULL, type = "source", quiet = TRUE))
}

# Newest archived source of a package that CRAN no longer lists; character(0) when there is none.
archived <- function(name, cran) {
  folder <- paste0(cran, "/src/contrib/Archive/", name, "/")
  nothing <- function(condition) character()
  page <- tryCatch(readLines(folder, warn = FALSE), error = nothing, warning = nothing)
  files <- unique(unlist(regmatches(page, gregexpr(paste0(name, "_[0-9][0-9.-]*[.]tar[.]gz"), page))))
  versions <- gsub(paste0("^", name, "_|[.]tar[.]gz$"), "", files)
  if (length(files)) paste0(folder, files[order(numeric_version(versions), decreasing = TRUE)][1]) else character()
}

# PlackettLuce imports CVXR, for its `pladmm` alone, and CVXR asks for R 4.3 and for Rust.  Where it cannot be had, a
# package of that name whose functions stop takes its place, so that the rest of PlackettLuce loads.
of_cvxr <- c("Minimize", "Problem", "Variable", "psolve", "quad_form", "value")

stand_in_for_cvxr <- function(library_folder, why) {
  cat("STANDIN CVXR ", why, ": an empty stand-in takes its place, so that PlackettLuce loads (its pladmm stops)\n", sep = "")
  folder <- file.path(tempfile("standin"), "CVXR")
  dir.create(file.path(folder, "R"), recursive = TRUE)
  writeLines(c("Package: CVXR", "Version: 0.0.1", "Title: Stand-in for CVXR Where It Is Not Installed",
               "Description: Made by pairproof so that PlackettLuce loads. Its functions stop.", "License: MIT",
               "Author: pairproof", "Maintainer: pairproof <pairproof@localhost>"), file.path(folder, "DESCRIPTION"))
  writeLines(paste0("export(", paste(of_cvxr, collapse = ", "), ")"), file.path(folder, "NAMESPACE"))
  stops <- 'function(...) stop("CVXR is not installed; this is a stand-in made by pairproof", call. = FALSE)'
  writeLines(paste(of_cvxr, "<-", stops), file.path(folder, "R", "standin.R"))
  install_file(folder, library_folder)
}

lacking <- function(file, all = "") {
  wanted <- read_requirements(file)
  if (all != "all") wanted <- wanted[!wanted$on_request, ]
  have <- mapply(usable, wanted$name, wanted$minimum)
  for (name in wanted$name[!have]) cat("LACKING", name, "\n")
  cat("LIBRARY", library_to_use(), "\n")
}

kept <- function(file) {
  wanted <- read_requirements(file)
  here <- utils::installed.packages()
  here <- here[!duplicated(rownames(here)), , drop = FALSE]  # the first of several libraries is the one that is loaded
  base <- rownames(here)[here[, "Priority"] %in% "base"]
  needed <- tools::package_dependencies(wanted$name[wanted$required], db = here, which = c("Depends", "Imports"), recursive = TRUE)
  stays <- setdiff(intersect(rownames(here), c(wanted$name[wanted$required], unlist(needed))), base)
  for (name in c(base, stays)) cat("KEPT ", file.path(here[name, "LibPath"], name), "\n", sep = "")
  for (name in sort(stays)) cat("STAYS", name, "\n")
  for (name in setdiff(rownames(here), c(base, stays))) cat("HIDDEN", name, "\n")
  for (name in setdiff(wanted$name[!wanted$required], stays)) cat("OPTIONAL", name, "\n")
}

plan <- function(names) {
  index <- index_of(repositories())
  needed <- names
  if (!is.null(index)) {
    needed <- unique(c(unlist(tools::package_dependencies(names, db = index, recursive = TRUE)), names))
    needed <- setdiff(needed, rownames(utils::installed.packages(priority = "base")))
    needed <- union(Filter(Negate(usable), needed), names)
    cat("CRAN yes\n")
  }
  for (name in needed) cat("PLAN", name, "\n")
}

install <- function(library_folder, names) {
  dir.create(library_folder, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(library_folder, .libPaths()))
  stands_in <- "PlackettLuce" %in% names && !usable("CVXR")
  if (stands_in && getRversion() < "4.3") {
    stand_in_for_cvxr(library_folder, paste0("needs R 4.3, this is R ", format(getRversion())))
  }
  install_all(library_folder, names)
  if (stands_in && !usable("PlackettLuce") && !usable("CVXR")) {
    stand_in_for_cvxr(library_folder, "could not be installed")
    install_all(library_folder, "PlackettLuce")
  }
}

install_all <- function(library_folder, names) {
  for (name in names) for (file in utils::head(tarballs_at_hand(name), 1)) install_file(file, library_folder)
  names <- Filter(function(name) length(tarballs_at_hand(name)) == 0 || !usable(name), names)
  repos <- repositories()
  index <- if (length(names)) index_of(repos)
  if (is.null(index)) return(invisible())
  listed <- intersect(names, rownames(index))
  if (length(listed)) {
    utils::install.packages(listed, lib = library_folder, repos = repos, quiet = TRUE, Ncpus = parallel::detectCores())
  }
  # No longer listed, or listed only for a newer R.
  for (name in Filter(Negate(usable), names)) for (file in archived(name, repos["CRAN"])) install_file(file, library_folder)
}

switch(verb,
  lacking = do.call(lacking, as.list(names_given)),
  kept = kept(names_given),
  plan = plan(names_given),
  install = install(names_given[1], names_given[-1]),
  stop("expected lacking, kept, plan or install, found ", verb, call. = FALSE)
)
