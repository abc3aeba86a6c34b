
here <- environment()
said <- function(value) if (inherits(value, "formula")) value[[2L]] else value
call <- list(quote(BradleyTerry2::glmmPQL), fixed, random = if (!is.null(Z)) quote(Z), family = quote(family), data = quote(data),
             subset = said(given$subset), weights = said(given$weights), offset = said(given$offset))
family <- get(family, envir = asNamespace("stats"), mode = "function")
family <- if (is.null(link)) family() else family(link = link)
fit <- eval(as.call(c(call[lengths(call) > 0L], pql)), here)
reduce_btm(fit)
