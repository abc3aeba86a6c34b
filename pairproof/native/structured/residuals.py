"""Residuals of contests, one by one and grouped by player.

With y the share of wins, n contests, p the fitted probability and f = dp/d eta, of each row:

    response  y - p        working  (y - p) / f        pearson  (y - p) sqrt(n / (p (1 - p)))
    deviance  sign(y - p) sqrt(2 n (y log(y/p) + (1 - y) log((1 - y) / (1 - p))))

The grouped residual of a player is the mean of the working residuals of its contests, as second player with a
minus sign, with working weights n f^2 / (p (1 - p)) (Turner and Firth 2012, section 5, whose text calls
R's default residuals Pearson's: they are deviance residuals).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .contests import Contests
from .estimate import StructuredEstimate
from .likelihood import ContestPoint
from .links import link

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Residuals:
    """Residuals of n rows of contests; NaN in a row without any.

    fitted float[n]: probability that the first player wins.  response, working, pearson, deviance float[n].
    weights float[n]: working weights.
    """

    fitted: FloatArray
    response: FloatArray
    working: FloatArray
    pearson: FloatArray
    deviance: FloatArray
    weights: FloatArray


def residuals(contests: Contests, found: StructuredEstimate) -> Residuals:
    """The residuals of contests under an estimate.

    contests: those that were fitted, in rows of any kind.
    """
    chosen = link(found.link)
    point = ContestPoint(contests, chosen, found.theta)
    p, q = chosen.probability(point.eta), chosen.probability(-point.eta)
    n = contests.totals
    share = np.divide(contests.wins, n, out=np.full(len(n), np.nan), where=n > 0)
    response = np.where(share <= 0.5, share - p, q - (1.0 - share))
    slope = chosen.density(point.eta)[0]
    return Residuals(
        p,
        response,
        response / slope,
        response * np.sqrt(n) / np.sqrt(p * q),
        np.sign(response) * np.sqrt(2.0 * n * np.maximum(_divergence(share, p, q), 0.0)),
        point.row_weights,
    )


def _divergence(share: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """y log(y/p) + (1 - y) log((1 - y)/(1 - p)), with 0 log 0 = 0."""
    from scipy.special import xlogy

    return np.asarray(xlogy(share, share / p) + xlogy(1.0 - share, (1.0 - share) / q))


def grouped_residuals(
    found: Residuals, first: IntArray, second: IntArray, n_groups: int
) -> tuple[FloatArray, FloatArray]:
    """Residuals grouped by player, and their weights.

    `found`: of n rows.  `first`, second int[n]: player, or any other group, of each side: 0 .. n_groups - 1.
    Returns float[n_groups], float[n_groups]: weighted means of working residuals (NaN without a contest), and
    sums of the weights.
    """
    used = ~np.isnan(found.working)
    a, b, weights = first[used], second[used], found.weights[used]
    pull = weights * found.working[used]
    total = np.bincount(a, pull, n_groups) - np.bincount(b, pull, n_groups)
    weight = np.bincount(a, weights, n_groups) + np.bincount(b, weights, n_groups)
    mean = np.divide(total, weight, out=np.full(n_groups, np.nan), where=weight > 0)
    return mean, np.asarray(weight, dtype=float)
