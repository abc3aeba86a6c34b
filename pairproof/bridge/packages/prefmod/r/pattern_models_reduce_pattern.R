
reduce_pattern <- function(fit) {
  seen <- NULL
  failed <- ""
  shown <- utils::getS3method("print", "pattMod", envir = asNamespace("prefmod"))
  watching <- new.env(parent = environment(shown))
  watching$print <- function(x, ...) { seen <<- x; base::print(x, ...) }
  watching$solve <- function(a, ...) tryCatch(base::solve(a, ...), error = function(e) { failed <<- conditionMessage(e); a * NaN })
  environment(shown) <- watching
  tryCatch(suppressWarnings(shown(fit)), error = function(e) failed <<- conditionMessage(e))
  found <- fit$result
  b <- found$estimate
  V <- suppressWarnings(watching$solve(found$hessian))
  se <- suppressWarnings(sqrt(diag(V)))
  if (!is.null(seen) && !identical(round(b, 5), as.numeric(unname(seen[, 1L])))) stop("the estimates do not round to those that prefmod printed")
  counts <- unlist(fit$partsList)
  list(names = if (is.null(seen)) paste0("coef", seq_along(b)) else rownames(seen), coef = b, se = se, vcov = V,
       z = b / se, p = 2 * stats::pnorm(-abs(b / se)), llf = -found$minimum, ll = fit$ll, fl = fit$fl,
       deviance = 2 * abs(fit$ll - fit$fl), persons = sum(counts[grepl("counts[0-9]*$", names(counts))]), code = found$code,
       iterations = found$iterations, gradient = found$gradient,
       printed = if (!is.null(seen)) unname(unclass(seen)), print_error = failed)
}
