"""Unbounded scores: TrueSkill's update of two items after a win or a tie.

Herbrich, Minka and Graepel (2006) in the form of Sakaguchi and Van Durme (2018), equations 3 to 10: item i is
N(mu_i, s_i^2), c^2 = 2 gamma^2 + s_i^2 + s_j^2, t = (mu_i - mu_j)/c, e = epsilon/c, and after i wins or ties

    mu_i += s_i^2/c v(t, e),   mu_j -= s_j^2/c v(t, e)                                               (3, 4)
    s^2  <- s^2 (1 - s^2/c^2 w(t, e))                                                                (7, 8)
    win:  v = phi(t - e) / Phi(t - e),   w = v (v + t - e)                                           (5, 9)
    tie:  v = (phi(-e - t) - phi(e - t)) / (Phi(e - t) - Phi(-e - t))                                (6)
          w = v^2 + ((e - t) phi(e - t) + (e + t) phi(e + t)) / (Phi(e - t) - Phi(-e - t))           (10)

v + t and 1 - w are the mean and variance of a normal N(t, 1) cut to (e, inf) or (-e, e), and they are
computed as such, so that no tail is lost: eq. 6 as printed is 0/0 at |t| = 10.  As TrueSkill has it there is
no drift (tau = 0).

Where the paper is wrong: v of a win does not grow exponentially as t falls but linearly (v is 10.594
at t = -10, e = 0.5); gamma is not the difference at which the better one wins with 80 % (that is 1.190 gamma;
at gamma it is Phi(1/sqrt 2) = 76.0 %).  The variance does always decrease.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .beta import EPSILON, GAMMA, FloatArray, PairOutcome

#: Start of an item: the mean and variance of the bounded model's uniform start, so that gamma and epsilon
#: mean the same.
START_MEAN, START_VARIANCE = 0.5, 1.0 / 12.0
_SQRT2 = math.sqrt(2.0)
_DENSITY0 = 1.0 / math.sqrt(2.0 * math.pi)


class VW(NamedTuple):
    """The factors by which a judgment changes mean and variance.
    v, w: of the mean, any; of the variance, in (0, 1]."""

    v: float
    w: float


def win(t: float, e: float) -> VW:
    """The factors after a win (equations 5 and 9).  e: epsilon / c, >= 0."""
    x = t - e
    if x > -3.0:
        # Above -3 the ratio loses nothing, and v + x at most a digit (v + 3 = 0.283 there).
        v = _density(x) / _below(x)
        return VW(v, v * (v + x))
    gap = _above_cut(-x)
    return VW(-x + gap, (-x + gap) * gap)


def tie(t: float, e: float) -> VW:
    """The factors after a tie (equations 6 and 10); at e = 0 their limit, v = -t and w = 1.
    e: epsilon / c, >= 0."""
    if e < 0.0:
        raise ValueError(f"tie: e is {e}; epsilon must be >= 0")
    v, w = _tie(abs(t), e)
    return VW(-v if t > 0 else v, w)


def _tie(t: float, e: float) -> VW:
    """|v| and w for t >= 0."""
    if e == 0.0:
        return VW(t, 1.0)
    if t - e <= 4.0 and e >= 0.05 and (t <= 4.0 or t <= e):
        # Cancellation costs at most a factor t^2 / e here: 14 digits of 16 at t = 4, e = 0.05.
        low, high = -e - t, e - t
        held = _below(high) - _below(low) if high <= 0 else (_below(-low) - _below(-high))
        v = -_density(high) * math.expm1(-2.0 * t * e) / held  # phi(low) = phi(high) exp(-2 t e)
        return VW(v, v * v + (high * _density(high) - low * _density(low)) / held)
    if t * e > 50.0 and t > e:
        # The far end of the interval has less than exp(-100) of the near one's density: cut on one side only.
        gap = _above_cut(t - e)
        return VW(t - e + gap, (t - e + gap) * gap)
    # The cut normal is a short interval with a smooth density; positive weights, so nothing cancels.
    nodes, weights = _gauss()
    y = e * nodes
    log_density = t * y - 0.5 * y * y
    mass = weights * np.exp(log_density - log_density.max())
    mass /= mass.sum()
    mean = float(mass @ y)
    return VW(t - mean, 1.0 - float(mass @ (y - mean) ** 2))


def _density(x: float) -> float:
    return _DENSITY0 * math.exp(-0.5 * x * x)


def _below(x: float) -> float:
    return 0.5 * math.erfc(-x / _SQRT2)


def _above_cut(a: float) -> float:
    """E[Z | Z > a] - a of a standard normal, a >= 3, as Laplace's fraction 1/(a + 2/(a + 3/(a + ...)))."""
    # 20 + 600/a^2 levels give every digit: 87 at a = 3 against 50-digit values, worst relative error 2e-16.
    tail = a
    for k in range(20 + int(600.0 / (a * a)), 1, -1):
        tail = a + k / tail
    return 1.0 / tail


@lru_cache(maxsize=1)
def _gauss() -> tuple[FloatArray, FloatArray]:
    """64 Gauss-Legendre nodes: exact to double precision for exponents of up to 100 across the interval."""
    rule: Callable[[int], tuple[FloatArray, FloatArray]] = np.polynomial.legendre.leggauss
    return rule(64)


class Skills(NamedTuple):
    """Means and variances of the scores of a pair of items.
    mean_i, variance_i, mean_j, variance_j: variances > 0."""

    mean_i: float
    variance_i: float
    mean_j: float
    variance_j: float


def update_pair(pair: Skills, outcome: PairOutcome, gamma: float = GAMMA, epsilon: float = EPSILON) -> Skills:
    """One judgment of two items (equations 3, 4, 7 and 8).
    outcome: from the first item's side.  gamma, epsilon: skill chain > 0, tie rate >= 0."""
    mi, vi, mj, vj = pair
    if outcome == "loss":
        mj, vj, mi, vi = update_pair(Skills(mj, vj, mi, vi), "win", gamma, epsilon)
        return Skills(mi, vi, mj, vj)
    c2 = 2.0 * gamma * gamma + vi + vj
    c = math.sqrt(c2)
    t, e = (mi - mj) / c, epsilon / c
    v, w = win(t, e) if outcome == "win" else tie(t, e)
    return Skills(mi + vi / c * v, vi * (1.0 - vi / c2 * w), mj - vj / c * v, vj * (1.0 - vj / c2 * w))


def chance_to_win(difference: float, gamma: float) -> float:
    """P(the better one wins) at a known difference of means, without ties: Phi(difference / (sqrt 2 gamma)).
    difference, gamma: >= 0, > 0, on one scale."""
    return _below(difference / (_SQRT2 * gamma))
