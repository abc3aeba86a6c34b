arguments <- list(formula = formula, eliminate = quote(match), family = stats::poisson, data = data,
                  tolerance = tolerance, iterMax = iterMax, verbose = FALSE, na.action = stats::na.fail)
fit <- do.call(gnm::gnm, arguments)
if (is.null(fit)) stop("gnm found no solution")
b <- stats::coef(fit)
V <- matrix(as.numeric(stats::vcov(fit)), length(b))
extra <- setdiff(seq_along(b), utils::tail(seq_along(b), nlevels(data$first)))
abilities <- utils::tail(seq_along(b), nlevels(data$first))
## gnm has its own order of the players, the sorted one, whatever that of the levels is: they are taken by name
if (!setequal(names(b)[abilities], levels(data$first)))
  stop("gnm names the abilities ", toString(names(b)[abilities]), "; the players are ", toString(levels(data$first)))
reference <- match(levels(data$first)[reference], names(b)) - min(abilities) + 1L
## abilities are known up to a constant: contrasts with the reference, then the other parameters as they are
C <- rbind(diag(length(b))[extra, , drop = FALSE],
           diag(length(b))[setdiff(abilities, abilities[reference]), , drop = FALSE])
C[length(extra) + seq_len(length(abilities) - 1L), abilities[reference]] <- -1
names_out <- names(b)[c(extra, setdiff(abilities, abilities[reference]))]
estimable <- gnm::checkEstimable(fit, t(C))
est <- stats::setNames(ifelse(estimable %in% TRUE, drop(C %*% as.numeric(b)), NA), names_out)
W <- C %*% V %*% t(C)
dimnames(W) <- list(names_out, names_out)
keep <- estimable %in% TRUE
reduce(fit, est, W[keep, keep, drop = FALSE])
