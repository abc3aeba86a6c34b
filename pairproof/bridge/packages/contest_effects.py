"""lme4 on contests: random effects of players, of judges, or of both, by Laplace's approximation.

lme4 has no term for "winner's effect minus loser's".  So its modules are put together by hand: eta = X beta + sum_k sigma_k Z_k z_k with z normal,
each Z_k a matrix of rows and effects (+1 the first player, -1 the second; for judges one column an item and judge).  What lme4
maximises is Laplace's log-likelihood, with the binomial coefficients.  Its search stops at 8 or 9 digits of sigma, 10 of the log-likelihood;
where the likelihood is flat, fewer (flatlizards: 4.58638 for 4.586548).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from .answers import Floats, RAnswer, ask, asks, check_option, reals

NEEDS = ("lme4", "Matrix")
Link = Literal["logit", "probit"]

#: R: every second row is turned (y -> losses, X and Z negated), because lme4 refuses a response that is
#: constant; the links are symmetric.
CONTESTS = """
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
"""


@dataclass(frozen=True, eq=False)
class ContestEffects(RAnswer):
    """Random effects in contests, by Laplace's approximation.

    sigma float[blocks]: standard deviations; 0 at the boundary.  coef float[p].  loglik: laplace's, with the
    binomial coefficients.  effects float[all effects]: modes, block after block, sigma times z.  sizes
    float[blocks]: effects in each.  evaluations: of the search.
    """

    sigma: Floats
    coef: Floats
    loglik: float
    effects: Floats
    sizes: Floats
    evaluations: float


@asks(*NEEDS)
def glmer_contests(
    wins: Sequence[float],
    losses: Sequence[float],
    blocks: Sequence[Any],
    x: Any = None,
    link: Link = "logit",
    *,
    backend: BackendLike = None,
) -> ContestEffects:
    """R's ``lme4::glmer``, nAGQ = 1, with design matrices of the random effects.

    Parameters
    ----------
    wins, losses : float[rows]
        Of the first player; each row has a contest.
    blocks : sequence of float[rows, effects]
        A matrix for each standard deviation.
    x : float[rows, p], optional
        Differences of covariates; default none.
    link : {"logit", "probit"}
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ContestEffects

    Raises
    ------
    ValueError, InputError
        Another link; matrices of other rows; a row without contests.
    RError
        R's own: "(maxstephalfit) PIRLS step-halvings failed" where sigma runs away.

    Examples
    --------
    >>> glmer_contests([3, 6, 1], [7, 4, 9], [[[1, -1, 0], [1, 0, -1], [0, 1, -1]]]).sigma  # doctest: +SKIP
    """
    check_option("link", link, Link)
    won, lost = reals(wins), reals(losses)
    n = len(won)
    matrices = [reals(b) for b in blocks]
    fixed = np.zeros((n, 0)) if x is None else reals(x)
    if not matrices:
        raise InputError("blocks is empty: without a random effect this is a glm")
    for name, found in {
        "losses": lost,
        "x": fixed,
        **{f"block {k + 1}": m for k, m in enumerate(matrices)},
    }.items():
        if len(found) != n or name != "losses" and found.ndim != 2:
            raise InputError(f"{name} has shape {found.shape} for {n} rows of wins")
    empty = np.flatnonzero(won + lost <= 0)
    if len(empty):
        raise InputError(f"row {int(empty[0]) + 1} has no contest; leave such rows out")
    arguments = {"wins": won, "losses": lost, "X": fixed, "blocks": matrices, "link": link}
    return ContestEffects.read(ask(backend, "lme4::glmer of contests", CONTESTS, arguments, NEEDS))
