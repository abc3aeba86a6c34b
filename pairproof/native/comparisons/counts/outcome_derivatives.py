"""Log-likelihood of a cell and its first two derivatives, for the three outcome models.

With u the log-odds of i against j, g the tie parameter, P the probabilities of `pairproof.fit.estimates.likelihood` and
counts y = (first, tie, second), n their sum::

    binary, davidson  dl/du = ((y_1 - n P_1) - (y_2 - n P_2)) / 2        dl/dg = y_0 - n P_0
                      -d2l/du2 = n (P_0 (P_1 + P_2) + 4 P_1 P_2) / 4     -d2l/dudg = -n P_0 (P_1 - P_2) / 2
                      -d2l/dg2 = n P_0 (P_1 + P_2)
    rao-kupper        l = y_1 log P_1 + y_2 log P_2 + y_0 (log P_1 + log P_2 + log(exp(2g) - 1))

The residuals y - n P of an outcome close to certain are taken from those of the others, and no other
difference of nearly equal numbers is formed, so that counts of a million to one keep their digits.  For
rao-kupper the information is the observed one (the expected one gives .141272 where the observed gives
.142634 for A in Dras 2015, Table 1).

`units` are the score and information of one comparison of each outcome, cell by cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....fit.estimates.likelihood import OutcomeModel
from ....numerics.arrays import BoolArray, FloatArray

#: In a cell of more comparisons, rounding n P, by up to n 1e-16, could cost the 13th digit of a standard
#: error of order 1.
MOST_SMALL = 1e3
#: exp of it, its inverse and their product with counts are ordinary doubles.
_NO_OVERFLOW = 600.0


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Log-likelihood of all cells and derivatives of each; arrays have the shape of u.
    r_u, r_g: dl/du, dl/dg; r_g is None for binary outcomes."""

    llf: float
    r_u: FloatArray
    w_uu: FloatArray
    r_g: FloatArray | None = None
    w_ug: FloatArray | None = None
    w_gg: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of the outcomes of each cell, and which outcomes remain possible in a limiting model.
    In a separated fit, outcomes whose probability tends to 0 are not alive."""

    first: FloatArray
    tie: FloatArray
    second: FloatArray
    total: FloatArray
    alive: BoolArray | None = None

    @classmethod
    def of(cls, counts: FloatArray, alive: BoolArray | None = None) -> Counts:
        """Of float[n, 3]; alive bool[n, 3]: a cell with one possible outcome is certain, and counts for nothing."""
        first, tie, second = np.ascontiguousarray(counts.T)
        total = first + tie + second
        if alive is None:
            return cls(first, tie, second, total)
        zero = np.where(alive.sum(axis=1) == 1, 0.0, 1.0)
        return cls(first * zero, tie * zero, second * zero, total * zero, alive.T)

    def in_order(self, g: FloatArray) -> bool:
        """Whether Rao and Kupper's thresholds are, in every cell whose three outcomes are all possible."""
        return bool((g > 0).all() if self.alive is None else (g > 0)[self.alive.all(axis=0)].all())

    def at(self, rows: slice) -> Counts:
        """The counts at these rows, without a copy."""
        alive = None if self.alive is None else self.alive[:, rows]
        return Counts(self.first[rows], self.tie[rows], self.second[rows], self.total[rows], alive)

    @cached_property
    def lead(self) -> FloatArray:
        """Wins of the first item less wins of the second."""
        return self.first - self.second

    @cached_property
    def n_ties(self) -> float:
        return float(self.tie.sum())

    @cached_property
    def large(self) -> bool:
        """Whether n P has to be formed with care."""
        return bool(self.total.max(initial=0.0) > MOST_SMALL)


def derivatives(
    u: FloatArray, g: FloatArray, y: Counts, model: OutcomeModel, extent: float = np.inf
) -> Derivatives:
    """See the module's formulas.
    `g` broadcasts against `u`; it is not looked at for binary outcomes.  No |u| is above `extent`; where that
    is a moderate number and counts are small, shorter formulas are used."""
    moderate = extent < _NO_OVERFLOW and y.alive is None and not y.large
    if model == "binary":
        return _plain_binary(u, y) if moderate else _binary(u, y)
    if model == "rao-kupper":
        return _rao_kupper(u, g, y)
    return _plain_davidson(u, g, y) if moderate else _davidson(u, g, y)


def _dot(a: FloatArray, b: FloatArray) -> float:
    return float(a.ravel().dot(b.ravel()))


def _plain_binary(u: FloatArray, y: Counts) -> Derivatives:
    """For counts so small that rounding n P costs nothing: the formulas as they stand, half the work."""
    p_first = np.exp(u)
    total = 1.0 + p_first
    weight = 1.0 / total
    p_first *= weight
    weight *= p_first
    weight *= y.total
    llf = _dot(y.first, u) - _dot(y.total, np.log(total, out=total))
    residual = p_first
    residual *= y.total
    np.subtract(y.first, residual, out=residual)
    return Derivatives(llf, residual, weight)


def _binary(u: FloatArray, y: Counts) -> Derivatives:
    size = np.abs(u)
    e = np.exp(-size)
    p_more = 1.0 / (1.0 + e)
    p_less = e * p_more
    up = u > 0
    upset = np.where(up, y.second, y.first)
    # y - n P of the less likely outcome: the other's is minus that, but would lose the digits of 1 - P.
    few = upset - y.total * p_less
    residual = np.where(up, -few, few)
    if y.large:
        residual = _near_even(u, 1.0 + e, y, residual)
    # log P = -log(1 + e), minus |u| where the less likely outcome occurred.
    llf = -_dot(y.total, np.log1p(e) if y.large else np.log(1.0 + e)) - _dot(upset, size)
    return Derivatives(llf, residual, y.total * (p_less * p_more))


def _near_even(u: FloatArray, total: FloatArray, y: Counts, residual: FloatArray) -> FloatArray:
    """dl/du where u is small: ((y_1 - y_2) - n (P_1 - P_2)) / 2 with P_1 - P_2 formed without
    cancellation."""
    gap = -np.sign(u) * np.expm1(-np.abs(u)) / total
    return np.where(np.abs(u) < 0.25, 0.5 * ((y.first - y.second) - y.total * gap), residual)


def _davidson(u: FloatArray, g: FloatArray, y: Counts) -> Derivatives:
    size = np.abs(u)
    root = np.exp(-0.5 * size)
    # Weights relative to the likelier win: 1, exp(-|u|) and exp(g - |u|/2); exp(700) is the largest there is.
    e_more: FloatArray = np.ones(1)
    e_less, e_tie = root * root, np.exp(np.minimum(g, 700.0)) * root
    up = u > 0
    if y.alive is not None:
        e_more = np.where(up, y.alive[0], y.alive[2]) * 1.0
        e_less = e_less * np.where(up, y.alive[2], y.alive[0])
        e_tie = e_tie * y.alive[1]
    total = e_more + e_less + e_tie
    share = 1.0 / total
    p_more, p_less, p_tie = e_more * share, e_less * share, e_tie * share
    n = y.total
    n_tie = n * p_tie
    upset = np.where(up, y.second, y.first)
    log_total = np.log1p(e_less + e_tie) if y.large and y.alive is None else np.log(total)
    llf = float(np.sum(y.tie * g)) - 0.5 * _dot(y.tie, size) - _dot(upset, size) - _dot(n, log_total)
    lead = p_more - p_less
    gap = np.where(up, lead, -lead)
    r_u, r_g = _careful_residuals(u, y, upset, total, (p_more, p_less, p_tie))
    n_tie_either = n_tie * (p_more + p_less)
    w_uu, w_ug = 0.25 * n_tie_either + n * (p_more * p_less), -0.5 * n_tie * gap
    return Derivatives(llf, r_u=r_u, w_uu=w_uu, r_g=r_g, w_ug=w_ug, w_gg=n_tie_either)


def _plain_davidson(u: FloatArray, g: FloatArray, y: Counts) -> Derivatives:
    """For small counts: weights exp(u/2), exp(g), exp(-u/2) as they stand, two thirds of the work."""
    half = 0.5 * u
    up = np.exp(half)
    down, tie = 1.0 / up, np.exp(np.minimum(g, _NO_OVERFLOW))
    total = up + down
    p_decided = total.copy()
    total += tie
    share = 1.0 / total
    p_decided *= share
    up *= share
    down *= share
    n = y.total
    np.log(total, out=total)
    of_ties = float(np.sum(y.tie * g)) if g.size > 1 else y.n_ties * g.item()
    llf = _dot(y.lead, half) + of_ties - _dot(n, total)
    gap = up - down
    n_tie = share
    n_tie *= n
    n_tie *= tie
    r_g = y.tie - n_tie
    w_gg = p_decided
    w_gg *= n_tie
    up *= down
    up *= n
    up += 0.25 * w_gg
    w_ug = n_tie
    w_ug *= gap
    w_ug *= -0.5
    gap *= n
    np.subtract(y.lead, gap, out=gap)
    gap *= 0.5
    return Derivatives(llf, r_u=gap, w_uu=up, r_g=r_g, w_ug=w_ug, w_gg=w_gg)


def _careful_residuals(
    u: FloatArray,
    y: Counts,
    upset: FloatArray,
    total: FloatArray,
    p: tuple[FloatArray, FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """dl/du and dl/dg of Davidson's model for large counts.
    The three residuals y - n P sum to 0: the one of the likeliest outcome, which would lose the digits of 1 -
    P, is taken from the other two."""
    n, (p_more, p_less, p_tie) = y.total, p
    less, tie = upset - n * p_less, y.tie - n * p_tie
    more = np.where(p_more >= 0.5, -(less + tie), (y.first + y.second - upset) - n * p_more)
    r_g = np.where(p_tie >= 0.5, -(less + more), tie)
    half = 0.5 * (more - less)
    r_u = np.where(u > 0, half, -half)
    return (r_u if y.alive is not None else _near_even(u, total, y, r_u)), r_g


def _rao_kupper(u: FloatArray, g: FloatArray, y: Counts) -> Derivatives:
    g = np.broadcast_to(g, u.shape)
    one, two = np.exp(-np.abs(u - g)), np.exp(-np.abs(u + g))
    # first: logit u - g; second: logit -(u + g).  q = 1 - p, each without cancellation.
    p1, q1 = np.where(u > g, 1.0, one) / (1.0 + one), np.where(u > g, one, 1.0) / (1.0 + one)
    p2, q2 = np.where(u + g < 0, 1.0, two) / (1.0 + two), np.where(u + g < 0, two, 1.0) / (1.0 + two)
    # Where one win has tended to probability 0 the gap is exp(2g) itself, and g need not be positive.
    pair = None if y.alive is None else ~(y.alive[0] & y.alive[2])
    positive = g if pair is None else np.where(pair, 1.0, g)
    pull = 2.0 / -np.expm1(-2.0 * positive)  # d log(exp(2g) - 1) / dg
    bend = pull * pull * np.exp(-2.0 * positive)  # minus its derivative
    log_p1 = -np.log1p(one) - np.where(u > g, 0.0, np.abs(u - g))
    log_p2 = -np.log1p(two) - np.where(u + g < 0, 0.0, np.abs(u + g))
    log_gap = 2.0 * g + np.log(-np.expm1(-2.0 * positive))
    if y.alive is not None and pair is not None:
        # An outcome whose probability tends to 0 leaves the other two as a logistic pair.
        p1, q1 = np.where(y.alive[0], p1, 0.0), np.where(y.alive[0], q1, 1.0)
        p2, q2 = np.where(y.alive[2], p2, 0.0), np.where(y.alive[2], q2, 1.0)
        pull, bend = np.where(pair, 2.0, pull), np.where(pair, 0.0, bend)
        log_p1, log_p2 = np.where(y.alive[0], log_p1, u - g), np.where(y.alive[2], log_p2, -(u + g))
        log_gap = np.where(pair, 2.0 * g, log_gap)
    first, second = y.first + y.tie, y.second + y.tie
    tie = y.tie
    llf = float(np.sum(first * log_p1) + np.sum(second * log_p2) + np.sum(tie * log_gap))
    w1, w2 = first * p1 * q1, second * p2 * q2
    r_u, r_g = first * q1 - second * q2, tie * pull - first * q1 - second * q2
    return Derivatives(llf, r_u=r_u, w_uu=w1 + w2, r_g=r_g, w_ug=w2 - w1, w_gg=w1 + w2 + tie * bend)


def units(
    u: FloatArray, g: FloatArray, model: OutcomeModel, alive: BoolArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Derivatives of log P(outcome) by log-odds and tie parameter: float[n, 3, 2], and minus the second
    derivatives, float[n, 3, 2, 2]; a tie parameter of -inf gives ties no probability.
    alive bool[n, 3]: outcomes that stay possible in a limit; an outcome that does not, or is certain, has none.
    """
    n = len(u)
    score, information = np.zeros((n, 3, 2)), np.zeros((n, 3, 2, 2))
    g = np.broadcast_to(g, u.shape)
    g = np.maximum(g, -700.0) if model == "davidson" else g
    for k in (0, 2) if model == "binary" else (0, 1, 2):
        one = np.zeros((3, n))
        one[k] = 1.0 if alive is None else alive[:, k] & (alive.sum(axis=1) > 1)
        y = Counts(one[0], one[1], one[2], one.sum(axis=0), None if alive is None else alive.T)
        d = derivatives(u, g, y, model)
        score[:, k, 0], information[:, k, 0, 0] = d.r_u, d.w_uu
        if d.r_g is not None and d.w_ug is not None and d.w_gg is not None:
            score[:, k, 1], information[:, k, 1, 1] = d.r_g, d.w_gg
            information[:, k, 0, 1] = information[:, k, 1, 0] = d.w_ug
    return score, information
