"""One cell's log-likelihood and its first two derivatives, for the three outcome models.

With u the log-odds of i against j, g the tie parameter, P the probabilities of `pairproof.outcomes` and counts
y = (first, tie, second), n their sum::

    binary, davidson  dl/du = ((y_1 - n P_1) - (y_2 - n P_2)) / 2        dl/dg = y_0 - n P_0
                      -d2l/du2 = n (P_0 (P_1 + P_2) + 4 P_1 P_2) / 4     -d2l/dudg = -n P_0 (P_1 - P_2) / 2
                      -d2l/dg2 = n P_0 (P_1 + P_2)
    rao-kupper        l = y_1 log P_1 + y_2 log P_2 + y_0 (log P_1 + log P_2 + log(exp(2g) - 1))

No difference of nearly equal numbers is formed but y - n P itself, so that the derivatives keep their digits when a
probability is close to 0 or 1.  For rao-kupper the information is the observed one (the expected one gives .141272
where the observed gives .142634 for A in Dras 2015, Table 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..outcomes import OutcomeModel

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Log-likelihood of all cells and derivatives of each; arrays have the shape of u.

    Attributes
    ----------
    llf : float
    r_u, r_g : float[...]
        dl/du, dl/dg; r_g is None for binary outcomes.
    w_uu, w_ug, w_gg : float[...]
        Minus second derivatives.
    """

    llf: float
    r_u: FloatArray
    w_uu: FloatArray
    r_g: FloatArray | None = None
    w_ug: FloatArray | None = None
    w_gg: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of the cells, outcome by outcome, and which outcomes are possible in the limit.

    Attributes
    ----------
    first, tie, second, total : float[...]
    alive : bool[3, ...] or None
        None: all.  In a separated fit, outcomes whose probability tends to 0 are not alive.
    """

    first: FloatArray
    tie: FloatArray
    second: FloatArray
    total: FloatArray
    alive: NDArray[np.bool_] | None = None


def derivatives(u: FloatArray, g: FloatArray, y: Counts, model: OutcomeModel) -> Derivatives:
    """See the module's formulas.  `g` broadcasts against `u`; it is not looked at for binary outcomes."""
    if model == "binary":
        return _binary(u, y)
    return _davidson(u, g, y) if model == "davidson" else _rao_kupper(u, g, y)


def _binary(u: FloatArray, y: Counts) -> Derivatives:
    e = np.exp(-np.abs(u))
    p_less = e / (1.0 + e)  # of the less likely outcome
    p_more = 1.0 / (1.0 + e)
    up = u > 0
    p_first = np.where(up, p_more, p_less)
    residual = y.first - y.total * p_first
    weight = y.total * (p_less * p_more)
    # log P = -log(1 + e), minus |u| where the less likely outcome occurred.
    upset = np.where(up, y.second, y.first)
    llf = -float(np.sum(y.total * np.log1p(e))) - float(np.sum(upset * np.abs(u)))
    return Derivatives(llf, residual, weight)


def _davidson(u: FloatArray, g: FloatArray, y: Counts) -> Derivatives:
    size = np.abs(u)
    e_less = np.exp(-size)
    e_tie = np.exp(np.minimum(g - size / 2, 700.0))
    e_more = np.ones_like(e_less)
    up = u > 0
    if y.alive is not None:
        more, less = np.where(up, y.alive[0], y.alive[2]), np.where(up, y.alive[2], y.alive[0])
        e_more, e_less, e_tie = e_more * more, e_less * less, e_tie * y.alive[1]
    total = e_more + e_less + e_tie
    p_more, p_less, p_tie = e_more / total, e_less / total, e_tie / total
    p_first, p_second = np.where(up, p_more, p_less), np.where(up, p_less, p_more)
    either = p_more + p_less
    n = y.total
    upset = np.where(up, y.second, y.first)
    llf = float(np.sum(y.tie * (g - size / 2)) - np.sum(upset * size) - np.sum(n * np.log(total)))
    n_tie = n * p_tie
    return Derivatives(
        llf,
        r_u=0.5 * ((y.first - n * p_first) - (y.second - n * p_second)),
        w_uu=0.25 * (n_tie * either + 4.0 * n * (p_more * p_less)),
        r_g=y.tie - n_tie,
        w_ug=-0.5 * n_tie * (p_first - p_second),
        w_gg=n_tie * either,
    )


def _rao_kupper(u: FloatArray, g: FloatArray, y: Counts) -> Derivatives:
    g = np.broadcast_to(g, u.shape)
    one, two = np.exp(-np.abs(u - g)), np.exp(-np.abs(u + g))
    # first: logit u - g; second: logit -(u + g).  q = 1 - p, each without cancellation.
    p1, q1 = np.where(u > g, 1.0, one) / (1.0 + one), np.where(u > g, one, 1.0) / (1.0 + one)
    p2, q2 = np.where(u + g < 0, 1.0, two) / (1.0 + two), np.where(u + g < 0, two, 1.0) / (1.0 + two)
    pull = 2.0 / -np.expm1(-2.0 * g)  # d log(exp(2g) - 1) / dg
    bend = pull * pull * np.exp(-2.0 * g)  # minus its derivative
    log_p1 = -np.log1p(one) - np.where(u > g, 0.0, np.abs(u - g))
    log_p2 = -np.log1p(two) - np.where(u + g < 0, 0.0, np.abs(u + g))
    log_gap = 2.0 * g + np.log(-np.expm1(-2.0 * g))
    if y.alive is not None:
        # An outcome whose probability tends to 0 leaves the other two as a logistic pair.
        pair = ~(y.alive[0] & y.alive[2])
        p1, q1 = np.where(y.alive[0], p1, 0.0), np.where(y.alive[0], q1, 1.0)
        p2, q2 = np.where(y.alive[2], p2, 0.0), np.where(y.alive[2], q2, 1.0)
        pull, bend = np.where(pair, 2.0, pull), np.where(pair, 0.0, bend)
        log_p1, log_p2 = np.where(y.alive[0], log_p1, u - g), np.where(y.alive[2], log_p2, -(u + g))
        log_gap = np.where(pair, 2.0 * g, log_gap)
    first, second = y.first + y.tie, y.second + y.tie
    tie = y.tie
    llf = float(np.sum(first * log_p1) + np.sum(second * log_p2) + np.sum(tie * log_gap))
    w1, w2 = first * p1 * q1, second * p2 * q2
    return Derivatives(
        llf, r_u=first * q1 - second * q2, w_uu=w1 + w2, r_g=tie * pull - first * q1 - second * q2,
        w_ug=w2 - w1, w_gg=w1 + w2 + tie * bend,
    )
