
d <- data.frame(.share = share)
d$X <- X
fit <- suppressWarnings(brglm::brglm(.share ~ 0 + X, family = stats::binomial(link = link), data = d, weights = .weights, offset = .offset))
b <- fit$coefficients
V <- as.matrix(stats::vcov(fit))
names(b) <- colnames(X)
dimnames(V) <- list(colnames(X)[!is.na(b)], colnames(X)[!is.na(b)])
reduce(fit, b, V)
