b <- stats::coef(fit)
known <- which(!is.na(b))
V <- matrix(as.numeric(stats::vcov(fit)), length(b), length(b), dimnames = list(names(b), names(b)))
V <- V[known, known, drop = FALSE]
worth <- tryCatch(unclass(prefmod::llbt.worth(fit, outmat = "worth")), error = function(e) conditionMessage(e))
attr(worth, "objtable") <- NULL
c(reduce(fit, b, V), list(worth = worth))
