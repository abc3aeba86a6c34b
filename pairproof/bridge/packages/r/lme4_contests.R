
N <- length(wins)
turned <- rep_len(c(1, -1), N)
n <- wins + losses
y <- ifelse(turned > 0, wins, losses) / n
X <- X * turned
sizes <- vapply(blocks, ncol, 1L)
Z <- do.call(cbind, blocks) * turned
K <- sum(sizes)
ends <- cumsum(c(0L, sizes))
quiet <- lme4::glmerControl(check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore", check.rankX = "stop.deficient")
d <- list(y = y, X = X, n = n)
named <- paste0("g", seq_along(sizes))
for (k in seq_along(sizes)) d[[named[k]]] <- factor(rep_len(seq_len(min(sizes[k], N)), N))
family <- stats::binomial(link = link)
formula <- stats::as.formula(paste(c(if (ncol(X)) "y ~ 0 + X" else "y ~ 0", sprintf("(1 | %s)", named)), collapse = " + "))
gf <- lme4::glFormula(formula, data = d, family = family, weights = n, control = quiet)
rt <- gf$reTrms
rt$Zt <- methods::as(methods::as(Matrix::Matrix(t(Z), sparse = TRUE), "generalMatrix"), "CsparseMatrix")
rt$Lambdat <- methods::as(Matrix::sparseMatrix(i = seq_len(K), j = seq_len(K), x = 1), "generalMatrix")
rt$Lind <- rep(seq_along(sizes), sizes)
rt$theta <- rep(1, length(sizes))
rt$lower <- rep(0, length(sizes))
rt$Ztlist <- stats::setNames(lapply(seq_along(sizes), function(k) rt$Zt[(ends[k] + 1L):ends[k + 1L], , drop = FALSE]), paste0("1 | ", named))
rt$Gp <- as.integer(ends)
rt$flist <- structure(stats::setNames(lapply(sizes, function(s) factor(rep_len(seq_len(s), N), levels = seq_len(s))), named), assign = seq_along(sizes))
rt$cnms <- stats::setNames(rep(list("(Intercept)"), length(sizes)), named)
rt$nl <- stats::setNames(sizes, named)
GHrule <- lme4::GHrule                            # lme4's functions look for it where they are called
df <- lme4::mkGlmerDevfun(gf$fr, gf$X, rt, family = family, control = lme4::glmerControl(tolPwrss = 1e-13))
lme4::optimizeGlmer(df)
df <- lme4::updateGlmerDevfun(df, rt)
o <- lme4::optimizeGlmer(df, stage = 2, optimizer = "bobyqa", control = list(rhobeg = 0.1, rhoend = 1e-9, maxfun = 1e5))
value <- df(o$par)
list(sigma = as.numeric(o$par[seq_along(sizes)]), coef = as.numeric(o$par[-seq_along(sizes)]), loglik = -as.numeric(value) / 2,
     effects = as.numeric(environment(df)$pp$b(1)), sizes = as.numeric(sizes), evaluations = as.numeric(o$feval))
