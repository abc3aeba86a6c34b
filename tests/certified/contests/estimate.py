"""Roots of the score, and of the score with its bias-reducing adjustment, at 100 digits and more.

With w = n f^2 / (F (1 - F)), V the inverse of the expected information, h = w x'Vx, k = f'/f and
d = f/F - f/(1 - F), the adjustments of contests without ties are sums over the rows of x times

    mean      h k / 2                                                       (Firth 1993)
    jeffreys  h (k - d / 2)
    median    mean, and beside it the information times sum_r w (d/6 - k/2) (x'V)_j^3 / V_jj
              (Kenne Pagui, Salvan and Sartori 2017; Kosmidis, Kenne Pagui and Sartori 2020, equation 10)

and of Davidson's model, which is canonical, the gradient of log det I / 2: with the statistics d_o of outcome
o minus their mean, the sum over rows and outcomes of n p_o (d_o'V d_o) d_o / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mpmath import mp, mpf

from tests.certified.contests.designs import Design
from tests.certified.contests.likelihood import Point, columns, link, parameter_names, point
from tests.certified.contests.models import Model

#: Working precision in decimal digits; 50 are published.
DIGITS = 100
#: The (adjusted) score must be below this in every component.
SCORE_LIMIT = "1e-80"
MOST_STEPS = 500


def maximum(found: Design, model: Model) -> list[mpf]:
    """The maximum of the likelihood: scoring with halved steps until it is near, then Newton's method."""
    theta = [mpf(0)] * len(parameter_names(found, model))
    if model.ties == "general":
        # At 0 the shift and the scale do nothing: Davidson's maximum is the start.
        plain = maximum(found, replace(model, ties="davidson", tie_shift=False, tie_scale=False))
        theta = plain + theta[len(plain) :]
    here = point(found, model, theta)
    for _ in range(MOST_STEPS):
        if max(abs(g) for g in here.gradient) < mpf(SCORE_LIMIT):
            return theta
        step = mp.lu_solve(here.expected, here.gradient)
        decrement = mp.fdot(step, here.gradient)
        if decrement < mpf("1e-8"):
            step = mp.lu_solve(here.observed, here.gradient)
        theta, here = _uphill(found, model, theta, here, step)
    raise ArithmeticError(f"no maximum in {MOST_STEPS} steps")


def _uphill(
    found: Design, model: Model, theta: list[mpf], here: Point, step: mp.matrix
) -> tuple[list[mpf], Point]:
    for halved in range(60):
        other = [value + s / 2**halved for value, s in zip(theta, step)]
        there = point(found, model, other)
        # Near the maximum a step gains less than the rounding of the sum.
        if there.llf >= here.llf - abs(here.llf) * mpf(10) ** (5 - mp.dps):
            return other, there
    raise ArithmeticError("no step uphill")


def adjusted_score(found: Design, model: Model, theta: list[mpf]) -> tuple[mp.matrix, mp.matrix]:
    """The score with its adjustment, and the expected information."""
    here = point(found, model, theta)
    covariance = here.expected**-1
    add = _canonical if model.ties == "davidson" else _of_a_link
    return here.gradient + add(found, model, theta, covariance, here.expected), here.expected


def _of_a_link(
    found: Design, model: Model, theta: list[mpf], covariance: mp.matrix, information: mp.matrix
) -> mp.matrix:
    k = len(theta)
    added, cubes = mp.zeros(k, 1), mp.zeros(k, 1)
    for x, offset, counts in zip(found.x, found.offset, found.counts):
        up, down, f, bend = link(model.link, offset + mp.fdot(x, theta))
        weight, gap = sum(counts) * f * f / (up * down), f / up - f / down
        along = covariance * mp.matrix(x)
        hat = weight * mp.fdot(x, along)
        size = hat * (bend - gap / 2) if model.estimator == "jeffreys" else hat * bend / 2
        for a in range(k):
            added[a] += x[a] * size
            cubes[a] += weight * (gap / 6 - bend / 2) * along[a] ** 3 / covariance[a, a]
    return added + information * cubes if model.estimator == "median" else added


def _canonical(
    found: Design, model: Model, theta: list[mpf], covariance: mp.matrix, information: mp.matrix
) -> mp.matrix:
    k = len(theta)
    added = mp.zeros(k, 1)
    for row, counts in enumerate(found.counts):
        x, tied, *_ = columns(found, model, row)
        # With utilities eta / 2, log nu, -eta / 2.
        statistics = [[v / 2 for v in x], tied, [-v / 2 for v in x]]
        utilities = [mp.fdot(d, theta) + found.offset[row] * s for d, s in zip(statistics, (0.5, 0, -0.5))]
        total = mp.log(mp.fsum(mp.exp(u) for u in utilities))
        chances = [mp.exp(u - total) for u in utilities]
        mean = [mp.fsum(p * d[a] for p, d in zip(chances, statistics)) for a in range(k)]
        for p, d in zip(chances, statistics):
            off = mp.matrix([d[a] - mean[a] for a in range(k)])
            added += sum(counts) * p * mp.fdot(off, covariance * off) / 2 * off
    return added


def adjusted_root(found: Design, model: Model) -> list[mpf]:
    """Where the adjusted score is 0: scoring until it is near, then Newton with a numerical Jacobian."""

    def score(theta: list[mpf]) -> mp.matrix:
        return adjusted_score(found, model, theta)[0]

    theta = [mpf(0)] * len(parameter_names(found, model))
    for _ in range(MOST_STEPS):
        value, information = adjusted_score(found, model, theta)
        step = mp.lu_solve(information, value)
        if max(abs(s) for s in step) < mpf("1e-6"):
            return _polished(score, theta)
        theta = [t + s * min(mpf(1), 1 / max(abs(v) for v in step)) for t, s in zip(theta, step)]
    raise ArithmeticError(f"no root in {MOST_STEPS} steps")


def _polished(score: Callable[[list[mpf]], mp.matrix], theta: list[mpf]) -> list[mpf]:
    h = mpf(10) ** (-mp.dps // 2)
    for _ in range(30):
        value = score(theta)
        if max(abs(v) for v in value) < mpf(SCORE_LIMIT):
            return theta
        slope = mp.zeros(len(theta), len(theta))
        for a in range(len(theta)):
            moved = score([t + h * (k == a) for k, t in enumerate(theta)])
            for b in range(len(theta)):
                slope[b, a] = (moved[b] - value[b]) / h
        step = mp.lu_solve(slope, -value)
        theta = [t + s for t, s in zip(theta, step)]
    raise ArithmeticError("Newton's method did not end")
