# ---- Laplace's approximation by lme4's glmer, its modules given winner less loser as the matrix of the effects
suppressMessages({library(lme4); library(Matrix)})
n <- wins + losses
N <- length(n)
y <- wins / n
turn <- rep(1, N)
if (length(unique(y)) == 1L) turn[seq(2L, N, by = 2L)] <- -1   # glFormula refuses a constant response
y <- ifelse(turn > 0, y, 1 - y)
here <- which(plus > 0); there <- which(minus > 0)
Z <- sparseMatrix(i = c(here, there), j = c(plus[here], minus[there]), x = c(turn[here], -turn[there]), dims = c(N, K))
d <- data.frame(y = y, g = factor(rep_len(seq_len(min(K, N)), N)), off = turn * offset, n = n)
d$X <- turn * X
formula <- if (ncol(X)) y ~ 0 + X + (1 | g) else y ~ 0 + (1 | g)
ignore <- glmerControl(check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore", check.nobs.vs.rankZ = "ignore")
gf <- suppressWarnings(glFormula(formula, data = d, family = binomial(link), weights = n, offset = off, control = ignore))
rt <- gf$reTrms
rt$Zt <- as(t(Z), "CsparseMatrix")
rt$Lambdat <- sparseMatrix(i = seq_len(K), j = seq_len(K), x = rep(1, K))
rt$Lind <- rep(1L, K); rt$theta <- 1; rt$lower <- 0
rt$Ztlist <- list(rt$Zt); rt$Gp <- c(0L, K); rt$nl <- c(g = K)
rt$flist <- structure(list(g = factor(rep_len(seq_len(K), N), levels = seq_len(K))), assign = 1L)
objective <- suppressWarnings(mkGlmerDevfun(gf$fr, gf$X, rt, family = binomial(link), control = glmerControl(tolPwrss = 1e-13)))
first <- suppressWarnings(optimizeGlmer(objective))
objective <- updateGlmerDevfun(objective, rt)
found <- suppressWarnings(optimizeGlmer(objective, stage = 2, optimizer = "bobyqa", control = list(rhobeg = 0.1, rhoend = 1e-9, maxfun = 50000)))
# bobyqa stops at 8 digits.
reach <- 0.2   # of the differences, in standard errors: lme4's -2 log L is smooth to some 1e-10 only
p <- ncol(X)
at_zero <- found$par[1L] < 1e-3
minus_llf <- function(x) suppressWarnings(objective(if (at_zero) c(0, x) else c(exp(x[1L]), x[-1L]))) / 2
x <- if (at_zero) found$par[-1L] else c(log(found$par[1L]), found$par[-1L])
