"""What base R says about translation competitions: baselines, the Gaussian model's mode by optim, and Vilar's comparison.

Written apart from the native code and in another form: R's own ``pnorm``, ``optim``, ``t.test`` and ``binom.test`` do the work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pairproof.bridge.models import Floats, asks, number
from pairproof.bridge.policy import BackendLike
from pairproof.bridge.policy import backend as policy
from pairproof.bridge.result import RResult
from pairproof.bridge.values import RVector

MODE = """
tau <- sqrt(2 * (sa^2 + so^2))
objective <- function(mu) {
  total <- -sum(dnorm(mu, 0, s0, log = TRUE))
  for (i in seq_along(mu)) for (j in seq_along(mu)) if (i < j) {
    m <- mu[i] - mu[j]
    p <- c(pnorm((d - m) / tau) - pnorm((-d - m) / tau), pnorm((m - d) / tau), pnorm((-m - d) / tau))
    k <- n[i, j, ]
    total <- total - sum(k[k > 0] * log(p[k > 0]))
  }
  total
}
# Two rounds of quasi-Newton: the second forgets the first one's curvature.
one <- optim(rep(0, dim(n)[1]), objective, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000, ndeps = rep(1e-5, dim(n)[1])))
two <- optim(one$par, objective, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000, ndeps = rep(1e-5, dim(n)[1])))
# Wider differences for second derivatives: with 1e-5 rounding alone would cost four of their digits.
hessian <- optimHess(two$par, objective, control = list(ndeps = rep(1e-3, dim(n)[1])))
list(mode = two$par, sd = sqrt(diag(solve(hessian))), objective = two$value, converged = two$convergence == 0)
"""


@dataclass(frozen=True, eq=False)
class RMode:
    """Mode of the abilities, Laplace standard deviations, minus the log posterior there, as ``optim`` finds them."""

    mode: Floats
    sd: Floats
    objective: float
    converged: bool
    result: RResult = field(repr=False)


@asks()
def irt_gaussian_mode(counts: Floats, sd_ability: float = 1.0, sd_quality: float = 0.5, sd_noise: float = 1.0, radius: float = 0.4, *,
                      backend: BackendLike = None) -> RMode:
    """The mode with fresh items by ``optim(method = "BFGS")``; its own derivatives are differences, so 6 digits or so.

    Parameters
    ----------
    counts : float[n, n, 3]
        Tie, first preferred, second preferred; both orders of a pair pooled.
    """
    arguments = {"n": np.asarray(counts, np.float64), "s0": float(sd_ability), "sa": float(sd_quality), "so": float(sd_noise), "d": float(radius)}
    result = policy(backend).call(code=MODE, args=arguments, label="stats::optim, irt-gaussian")
    found = result.as_list()
    return RMode(found.vector("mode").floats(), found.vector("sd").floats(), number(found["objective"]),
                 bool(found.vector("converged").scalar()), result)


BASELINES = """
shares <- function(n) (alpha + n) / (3 * alpha + sum(n))
turned <- c(1, 3, 2)
row <- function(a, b) {
  of <- function(s) shares(apply(n[s, , , drop = FALSE], 3, sum))
  u <- of(a); v <- of(b)[turned]
  all <- apply(n, 3, sum) / 2
  t <- all[1] / sum(all)
  geo <- sqrt(u * v)
  c(t, (1 - t) / 2, (1 - t) / 2, shares(n[a, b, ]), u, (u + v) / 2, geo / sum(geo), geo)
}
t(mapply(row, first, second))
"""
#: What the columns of :func:`baselines` are, three each.
BASELINE_NAMES = ("adjusted-uniform", "pairs", "students-asymmetric", "students-arithmetic", "students-geometric", "students-geometric, raw")


@asks()
def baselines(counts: Floats, first: Any, second: Any, alpha: float = 1.0, *, backend: BackendLike = None) -> tuple[dict[str, Floats], RResult]:
    """The baselines' P(tie), P(first), P(second) for pairs of systems, in base R.

    Parameters
    ----------
    counts : float[n, n, 3]
        As for :func:`irt_gaussian_mode`.
    first, second : int[k]
        Systems, from 0.

    Returns
    -------
    dict of name to float[k, 3]
        Names are `BASELINE_NAMES`.
    RResult
    """
    arguments = {"n": np.asarray(counts, np.float64), "first": np.asarray(first) + 1, "second": np.asarray(second) + 1, "alpha": float(alpha)}
    result = policy(backend).call(code=BASELINES, args=arguments, label="base R, baselines")
    table = vector_of(result).floats()
    return {name: table[:, 3 * k:3 * k + 3] for k, name in enumerate(BASELINE_NAMES)}, result


VILAR = """
r <- rep(c(1, 0, -1), c(wins, ties, losses))
m <- length(r)
list(R = mean(r), se_mean = unname(t.test(r)$stderr), se_vilar = sqrt(sum((r - mean(r))^2)) / (m - 1), p_sign = binom.test(wins, wins + losses)$p.value)
"""


@dataclass(frozen=True)
class RBinary:
    """R, the standard error of a mean by ``t.test``, equation 4 from the single votes, and ``binom.test``'s p."""

    R: float
    se_mean: float
    se_vilar: float
    p_sign: float
    result: RResult = field(repr=False)


@asks()
def binary(wins: int, ties: int, losses: int, *, backend: BackendLike = None) -> RBinary:
    """Vilar's comparison of two systems from its single votes; R stops where all are the same (``t.test``: data are constant)."""
    result = policy(backend).call(code=VILAR, args={"wins": int(wins), "ties": int(ties), "losses": int(losses)}, label="stats::t.test, binom.test")
    found = result.as_list()
    return RBinary(number(found["R"]), number(found["se_mean"]), number(found["se_vilar"]), number(found["p_sign"]), result)


def vector_of(result: RResult) -> RVector:
    """The value, which must be a vector or matrix."""
    if not isinstance(result.value, RVector):
        raise TypeError(f"expected numbers from {result.call.name}, found {result.value!r}")
    return result.value
