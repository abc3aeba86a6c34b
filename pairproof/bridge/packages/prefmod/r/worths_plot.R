
class(worths) <- c("wmat", class(worths))
place <- tempfile(fileext = paste0(".", format))
switch(format, svg = grDevices::svg(place, width, height), pdf = grDevices::pdf(place, width, height, compress = FALSE),
       png = grDevices::png(place, width, height, units = "in", res = 150))
given <- list(x = worths, main = main, ylab = ylab, psymb = psymb, pcol = pcol, ylim = ylim, log = log)
tryCatch(do.call(utils::getS3method("plot", "wmat", envir = asNamespace("prefmod")), given[!vapply(given, is.null, NA)]), finally = grDevices::dev.off())
drawn <- readBin(place, "raw", file.size(place))
unlink(place)
if (format == "pdf") {
  for (at in gregexpr("Date (D:", rawToChar(drawn), fixed = TRUE, useBytes = TRUE)[[1L]]) if (at > 0L) drawn[at + 7L + 1:14] <- charToRaw("0")
}
drawn
