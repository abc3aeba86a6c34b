"""The cases: data, our public function, and the peers.

R's data frame `d` has the numbers of both players, the result and the covariates of both sides; what a package needs in
another form (BTm's data frames, differences of covariates, lme4's modules of a model that its formulae cannot say) is made
before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pairproof

from .data import Contests, contests

SIZES = (30, 100, 300, 1000)
#: Contests for each player.
EACH = 20
BTM = """
k <- (ncol(d) - 3) / 2; n <- max(d$first, d$second); label <- sprintf("P%04d", seq_len(n))
side <- function(who, at, home) data.frame(player = factor(label[who], label), home = home, setNames(d[, 3 + at], paste0("x", seq_len(k))))
d1 <- side(d$first, seq_len(k), 1); d2 <- side(d$second, k + seq_len(k), 0); y <- cbind(d$won, 1 - d$won)
covariates <- reformulate(c(paste0("x", seq_len(k)), "home"))
random <- reformulate(c(paste0("x", seq_len(k)), "home", "(1 | player)"))
"""
FREE = """
n <- max(d$first, d$second); X <- matrix(0, nrow(d), n); r <- seq_len(nrow(d))
X[cbind(r, d$first)] <- 1; X[cbind(r, d$second)] <- -1; X <- X[, -1]
"""
#: The differences of the players as random effects, in the modules of lme4 (glmer has no formula for it).
GLMER = """
library(Matrix); k <- (ncol(d) - 3) / 2; N <- nrow(d); K <- max(d$first, d$second)
X <- cbind(as.matrix(d[, 3 + seq_len(k)] - d[, 3 + k + seq_len(k)]), order = 1)
Z <- sparseMatrix(i = rep(seq_len(N), 2), j = c(d$first, d$second), x = rep(c(1, -1), each = N), dims = c(N, K))
laplace <- function() {
  control <- glmerControl(check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore")
  gf <- glFormula(y ~ 0 + X + (1 | g), data = list(y = d$won, X = X, g = factor(rep_len(seq_len(min(K, N)), N))), family = binomial(),
                  control = control)
  rt <- gf$reTrms; rt$Zt <- t(Z); rt$Lambdat <- as(Diagonal(K), "CsparseMatrix"); rt$Lambdat <- as(rt$Lambdat, "generalMatrix")
  rt$Lind <- rep(1L, K); rt$theta <- 1; rt$lower <- 0; rt$Ztlist <- list(rt$Zt); rt$Gp <- c(0L, K)
  rt$flist <- structure(list(g = factor(rep_len(seq_len(K), N), levels = seq_len(K))), assign = 1L); rt$nl <- c(g = K)
  f <- mkGlmerDevfun(gf$fr, gf$X, rt, family = binomial(), control = glmerControl())
  optimizeGlmer(f); f <- updateGlmerDevfun(f, rt)
  optimizeGlmer(f, stage = 2)
}
"""


@dataclass(frozen=True)
class Peer:
    """Who fits the same model, and how.

    Attributes
    ----------
    name : str
    package : str
        Of R; "" for statsmodels.
    setup, call, llf, estimates : str
        R expressions; `setup` is not timed.
    """

    name: str
    package: str = ""
    setup: str = ""
    call: str = ""
    llf: str = "NA_real_"
    estimates: str = "coef(fit)"


@dataclass(frozen=True)
class Case:
    """A model and a size.

    Attributes
    ----------
    group : str
    data : function of no argument to Contests
    fit : function of the table to the fit
    estimates : function of the fit to float[p]
        In the order of the peers.
    peers : tuple of Peer
    seconds : float or None
        Aimed at for ours.
    design : function of Contests to float[n, p]
        For statsmodels.
    """

    group: str
    data: Callable[[], Contests]
    fit: Callable[[Any], pairproof.Fit]
    estimates: Callable[[Any], Any]
    peers: tuple[Peer, ...] = ()
    seconds: float | None = None
    design: Callable[[Contests], Any] | None = field(default=None)


def covariate_fit(m: int, **options: Any) -> Callable[[Any], pairproof.Fit]:
    """`m` player covariates and the order effect."""
    names = [f"x{k + 1}" for k in range(m)]
    return lambda table: pairproof.fit_bradley_terry(table, item_terms=names, order_effect=True, **options)


def free_fit(**options: Any) -> Callable[[Any], pairproof.Fit]:
    """An ability for each player."""
    return lambda table: pairproof.fit_bradley_terry(table, **options)


def fixed(fit: Any) -> Any:
    """Without the reference's 0."""
    return fit.beta[fit.free]


def with_sigma(fit: Any) -> list[float]:
    """sigma, then the fixed parameters."""
    return [fit.sigma, *fixed(fit)]


def cases(tiny: bool) -> list[Case]:
    """All of them; tiny ones of the same kinds, to see whether everything runs."""
    out = []
    for size in (12, 15) if tiny else SIZES:
        out += list(_of_size(size))
    return [*out, *_large(30 if tiny else 1000, 3_000 if tiny else 1_000_000, tiny)]


def _of_size(size: int) -> list[Case]:
    def data() -> Contests:
        return contests(size, EACH * size)

    btm = "BTm(y, d1, d2, {formula}, id = 'player'{more})"
    loglik = "as.numeric(logLik(fit))"

    def design(of: Contests) -> Any:
        import numpy as np

        return np.column_stack([of.differences(), np.ones(len(of.first))])

    covariates = (
        Peer("BTm", "BradleyTerry2", BTM, btm.format(formula="covariates", more=""), loglik),
        Peer("statsmodels GLM"),
    )
    free = (
        Peer("BTm", "BradleyTerry2", BTM, btm.format(formula="~ player", more=""), loglik),
        Peer("statsmodels GLM"),
    )
    reduced = (
        Peer("BTm, br = TRUE", "BradleyTerry2", BTM, btm.format(formula="~ player", more=", br = TRUE")),
        Peer(
            "brglm2",
            "brglm2",
            FREE,
            "brglmFit(X, d$won, family = binomial(), intercept = FALSE, control = brglmControl(type = 'AS_mean'))",
            estimates="fit$coefficients",
        ),
    )
    pql = (
        Peer(
            "BTm, random (glmmPQL)",
            "BradleyTerry2",
            BTM,
            btm.format(formula="random", more=""),
            estimates="c(fit$sigma, as.vector(fit$coefficients))",
        ),
    )
    laplace = (Peer("glmer, Z by hand", "lme4", GLMER, "laplace()", "-fit$fval / 2", "fit$par"),)
    quick = 10.0 if size == 1000 else None
    return [
        Case("3 player covariates, order effect", data, covariate_fit(3), fixed, covariates, design=design),
        Case("free abilities", data, free_fit(), fixed, free, design=Contests.incidence),
        Case("free abilities, mean bias reduction", data, free_fit(reduce_bias="mean"), fixed, reduced),
        Case("random effects, PQL", data, covariate_fit(3, random="item", method="pql"), with_sigma, pql),
        Case(
            "random effects, Laplace",
            data,
            covariate_fit(3, random="item", method="laplace"),
            with_sigma,
            laplace,
            quick,
        ),
    ]


def _large(players: int, n: int, tiny: bool) -> list[Case]:
    """What is aimed at: a million contests in seconds."""

    def data() -> Contests:
        return contests(players, n, 10)

    aimed = None if tiny else 10.0
    return [
        Case("a million contests, 10 player covariates", data, covariate_fit(10), fixed, seconds=aimed),
        Case("a million contests, free abilities", data, free_fit(), fixed, seconds=aimed),
    ]
