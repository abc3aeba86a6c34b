
asked <- list(fit, type = type, se.fit = se.fit)
if (!is.null(newdata)) asked$newdata <- newdata
if (!is.null(level)) asked$level <- level
found <- do.call(stats::predict, asked)
named <- c("population", "individual")
if (type == "terms") {
  a <- if (is.list(found)) found else list(fit = found)
  columns <- as.character(colnames(a$fit))
} else {
  parts <- if (all(named %in% names(found))) found[named] else list(found)
  columns <- if (length(parts) == 2L) named else named[1L + if (is.null(level)) !is.null(fit$random) else level[1L]]
  a <- list(fit = do.call(cbind, lapply(parts, function(p) as.numeric(if (is.list(p)) p$fit else p))),
            se.fit = if (se.fit) do.call(cbind, lapply(parts, function(p) as.numeric(p$se.fit))))
}
list(columns = columns, fit = matrix(as.numeric(a$fit), NROW(a$fit)),
     se = if (se.fit) matrix(as.numeric(a$se.fit), NROW(a$fit)) else matrix(numeric(), 0L, length(columns)))
