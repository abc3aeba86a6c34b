
family <- get(family, envir = asNamespace("stats"), mode = "function")(link = link)
d <- data.frame(y = y)
d$X <- x
d$cell <- factor(cell, levels = unique(cell))
d$w <- weights
d$o <- offset
set.seed(1L)
fit <- gnm::gnm(y ~ X - 1, eliminate = cell, family = family, data = d, weights = w, offset = o, tolerance = tolerance, iterMax = iterMax,
                verbose = FALSE, na.action = stats::na.fail)
if (is.null(fit)) stop("gnm found no solution")
b <- as.numeric(stats::coef(fit)); names(b) <- colnames(x)
known <- !is.na(b)
V <- matrix(as.numeric(stats::vcov(fit)), length(b))[known, known, drop = FALSE]
dimnames(V) <- list(colnames(x)[known], colnames(x)[known])
reduce(fit, b, V)
