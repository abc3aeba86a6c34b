# Makes a script of the examples of every help page, and of the vignette, of the packages installed here:
#   Rscript tools/pages/migrate_pages.R FOLDER
# They are the packages' own text (GPL) and are made afresh on each run; only the calls that the pages quote are kept,
# in migrated.json.  "Not run" stays a comment; a seed is set, since some pages draw their data and now and then draw
# some that no model fits.
folder <- commandArgs(trailingOnly = TRUE)[1]
whole <- c("BradleyTerry2", "prefmod", "PlackettLuce")
# Of a package for much else, the pages whose examples hold paired comparisons.
some <- c(psychotools = "paircomp|btmodel|GermanParties2009|FirstNames|SoundQuality")

write_pages <- function(package, only = NULL) {
  pages <- tools::Rd_db(package)
  into <- file.path(folder, "pages", package)
  dir.create(into, recursive = TRUE, showWarnings = FALSE)
  for (page in names(pages)) {
    file <- tempfile(fileext = ".R")
    tools::Rd2ex(pages[[page]], file, commentDontrun = TRUE)
    if (!file.exists(file)) next
    code <- readLines(file, encoding = "UTF-8")
    runs <- length(parse(text = code, keep.source = FALSE)) > 0
    if (!runs || (!is.null(only) && !any(grepl(only, code)))) next
    home <- file.path(into, sub("[.]Rd$", "", page))
    dir.create(home, showWarnings = FALSE)
    writeLines(c(sprintf("library(%s)", package), "set.seed(1)", code), file.path(home, "analysis.R"), useBytes = TRUE)
  }
}

for (package in whole) if (nzchar(system.file(package = package))) write_pages(package)
for (package in names(some)) if (nzchar(system.file(package = package))) write_pages(package, some[[package]])

doc <- system.file("doc", package = "BradleyTerry2")
for (kind in c("R", "Rnw")) {
  source <- file.path(doc, paste0("BradleyTerry.", kind))
  if (file.exists(source)) {
    home <- file.path(folder, "vignettes", paste0("BradleyTerry2_", kind))
    dir.create(home, recursive = TRUE, showWarnings = FALSE)
    file.copy(source, file.path(home, paste0("analysis.", kind)))
  }
}
