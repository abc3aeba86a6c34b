## Records the calls of fitting functions while somebody's R script runs unchanged. Base R only.
##
##     R_PROFILE=<this file> PAIRPROOF_CAPTURE=<folder> R --no-echo --no-restore --no-save --file=analysis.R
##
## It takes the place of R's site profile, which it reads first, so that the script is run by R itself and the
## user's own .Rprofile is read afterwards, as always. Nothing of it can be seen from the script: its
## functions live in an environment of their own above base, and are reached only as values inside the
## functions they decorate.
##
## The files beside it hold one idea each: functions.R which functions; decorate.R how; calls.R the way into
## and out of a call; via.R who called; arguments.R evaluated arguments; fits.R which arguments are fits of
## this run; numbers.R what is kept of a result; json.R nodes as text; records.R lines, limits, start and end.
##
## PAIRPROOF_PROFILE names the site profile whose place was taken, where it is not R's own.
invisible(local({
  folder <- Sys.getenv("PAIRPROOF_CAPTURE")

  site <- Sys.getenv("PAIRPROOF_PROFILE")
  if (!nzchar(site) || identical(site, Sys.getenv("R_PROFILE"))) site <- file.path(R.home("etc"), "Rprofile.site")
  if (file.exists(site)) for (one in parse(site, keep.source = FALSE)) {
    shown <- withVisible(eval(one, baseenv()))
    if (shown$visible) print(shown$value)              # as R does when it reads a profile
  }
  if (!nzchar(folder)) return(NULL)

  here <- dirname(normalizePath(Sys.getenv("R_PROFILE")))
  house <- new.env(parent = baseenv())
  house$folder <- normalizePath(folder)
  parts <- c("json", "records", "functions", "fits", "via", "arguments", "numbers", "calls", "decorate")
  for (part in parts) sys.source(file.path(here, paste0(part, ".R")), envir = house, keep.source = FALSE)
  house$begin()
}))
