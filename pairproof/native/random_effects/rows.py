"""Log-likelihood of every row of contests, and its derivatives by the row's linear predictor.

    l_r = wins_r log F(eta_r) + losses_r log F(-eta_r)

with the curvature w = -l'', its derivative t = dw/d eta and that one's q = d2w/d eta2.  For the logit, with p =
F(eta) and n = wins + losses, they are n p (1-p), n p (1-p) (1-2p) and n p (1-p) (1-6p(1-p)), of one exponential a
row (McCullagh and Nelder 1989, section 4.4); an approximation of a marginal likelihood takes them at a million rows many times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..structured.contests import Contests
from ..structured.links import Link

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowTerms:
    """The log-likelihood of n rows and its derivatives.

    value: sum over the rows, without binomial coefficients.  score float[n]: dl/d eta.  curvature float[n]:
    w, >= 0 for logit and probit.  third float[n]: t.  fourth float[n]: q.
    """

    value: float
    score: FloatArray
    curvature: FloatArray
    third: FloatArray
    fourth: FloatArray


def row_terms(contests: Contests, chosen: Link, eta: FloatArray) -> RowTerms:
    """The log-likelihood of the rows at these linear predictors.

    contests: n rows.  chosen: logit or probit.  eta float[n].
    """
    wins, losses = contests.wins, contests.losses
    if chosen.name == "logit":
        return _of_logit(wins, losses, eta)
    up, up2 = chosen.derivatives(eta)
    down, down2 = chosen.derivatives(-eta)
    log_cdf = chosen.log_cdf
    value = _sum(wins, log_cdf(eta)) + _sum(losses, log_cdf(-eta))
    third = losses * chosen.third(-eta) - wins * chosen.third(eta)
    fourth = -wins * _probit_fourth(eta, up) - losses * _probit_fourth(-eta, down)
    return RowTerms(value, wins * up - losses * down, -wins * up2 - losses * down2, third, fourth)


def _of_logit(wins: FloatArray, losses: FloatArray, eta: FloatArray) -> RowTerms:
    small = np.exp(-np.abs(eta))
    whole = 1.0 / (1.0 + small)
    rest = small * whole
    p = np.where(eta >= 0, whole, rest)
    q = np.where(eta >= 0, rest, whole)
    n = wins + losses
    value = -float(wins @ np.maximum(-eta, 0.0)) - float(losses @ np.maximum(eta, 0.0))
    value -= float(n @ np.log1p(small))
    spread = whole * rest
    weight = n * spread
    return RowTerms(value, wins * q - losses * p, weight, weight * (q - p), weight * (1.0 - 6.0 * spread))


def _probit_fourth(eta: FloatArray, r: FloatArray) -> FloatArray:
    """Fourth derivative of log Phi; r = phi / Phi has r' = -r (eta + r)."""
    one = -r * (eta + r)
    two = -one * (eta + r) - r * (1.0 + one)
    return np.asarray(-two * (eta + 2.0 * r) - 2.0 * one * (1.0 + one))


def _sum(counts: FloatArray, logs: FloatArray) -> float:
    """Sum of counts times logarithms, where 0 times -inf is 0."""
    return float(counts @ np.where(counts > 0, logs, 0.0))
