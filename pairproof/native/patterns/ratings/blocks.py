"""Sums over all weak orders by a recursion over blocks, for more items than can be enumerated.

A weak order is built from the worst block up.  With S the items placed so far and r the number of their
blocks,

    F(S + B, r + 1) = sum over S, B of F(S, r) exp(t(S, B)' beta)

where t(S, B) holds the comparisons that block B settles when it is put on top of S: each of its items is
preferred to each item in S, and alike within B.  There are 3^J - 2^J pairs (S, B), where J! and more orders
have to be summed otherwise.  Means and covariances come from the same recursion run both ways: with P the
probability of a step, and m_F, m_B the means of t before and after it,

    E[t t'] = sum over steps of P t (m_F + t + m_B)'.

An answer with missing ratings restricts the steps: a block holds all or none of a block that was observed, in
order (the idea is that of forward and backward sums, Baum 1972).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError, TooLargeError
from ..comparisons.pairs import pairs_of
from ..moments import Moments
from .space import statistics

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: 3^10 steps with 90 statistics are 42 MB; each further item takes four times as much.
MOST_ITEMS = 10


@dataclass(frozen=True, eq=False)
class Steps:
    """All ways to put a block on top of a set of items, sorted by the set that results.

    below, block int[m]: bit masks of S and B.  statistics float[m, q]: t(S, B): y and u of the comparisons
    that are settled.
    """

    below: IntArray
    block: IntArray
    statistics: FloatArray


@lru_cache(maxsize=4)
def steps_of(n_items: int) -> Steps:
    """The steps of J items."""
    if n_items > MOST_ITEMS:
        raise TooLargeError(
            f"{n_items} rated items have {3**n_items:,} steps of the recursion; the limit is {MOST_ITEMS} items. Take"
            " the comparisons that the ratings imply as independent, or fit fewer items"
        )
    # Each item is outside (0), in S (1) or in B (2).
    state = np.stack(np.meshgrid(*[np.arange(3)] * n_items, indexing="ij"), axis=-1).reshape(-1, n_items)
    state = state[(state == 2).any(axis=1)]
    bits = np.int64(1) << np.arange(n_items)
    below, block = (state == 1) @ bits, (state == 2) @ bits
    first, second = pairs_of(n_items)
    a, b = state[:, first], state[:, second]
    y = ((a == 2) & (b == 1)).astype(float) - ((a == 1) & (b == 2))
    t = np.hstack([y, ((a == 2) & (b == 2)).astype(float)])
    order = np.argsort(below | block, kind="stable")
    return Steps(below[order], block[order], t[order])


def allowed(steps: Steps, places: IntArray) -> BoolArray:
    """Which steps agree with an answer.

    places int[J]: -1 where there is no rating.  Returns bool[m].
    """
    bits = np.int64(1) << np.arange(len(places), dtype=np.int64)
    rated = int(bits[places >= 0].sum())
    under = np.zeros(len(steps.below), dtype=bool)
    found = np.zeros(len(steps.below), dtype=bool)
    # S holds the rated items of all places worse than some; B none of them, or those of the next place.
    for place in range(int(places.max()), -2, -1):
        worse = int(bits[places > place].sum())
        at = (steps.below & rated) == worse
        own = int(bits[(places == place) & (places >= 0)].sum())
        under |= at
        found |= at & (((steps.block & rated) == 0) | ((own > 0) & ((steps.block & rated) == own)))
    return np.asarray(found & under)


def block_moments(n_items: int, places: int, beta: FloatArray, keep: BoolArray | None = None) -> Moments:
    """Sum and moments over the weak orders with at most so many places.

    beta float[q]: natural parameters of y and u of the comparisons.  keep bool[m]: steps that are allowed;
    all if not given.
    """
    steps = steps_of(n_items)
    kept = np.ones(len(steps.below), dtype=bool) if keep is None else keep
    below, block, t = steps.below[kept], steps.block[kept], steps.statistics[kept]
    above = below | block
    eta = t @ beta
    forward = _forward(below, above, eta, t, places, 2**n_items)
    full = 2**n_items - 1
    ends = forward.logs[1:, full]
    if not np.isfinite(ends).any():
        raise InputError("no weak order of this scale agrees with the answer")
    backward = _backward(below, above, eta, t, places, 2**n_items)
    log_total = float(backward.logs[0, 0])
    q = t.shape[1]
    mean = backward.means[0, 0]
    second = np.zeros((q, q))
    p_all = np.zeros(len(t))
    for r in range(places):
        with np.errstate(invalid="ignore"):
            log_p = forward.logs[r, below] + eta + backward.logs[r + 1, above] - log_total
        p = np.where(np.isfinite(log_p), np.exp(log_p), 0.0)
        p_all += p
        weighted = p[:, None] * t
        for state, means in ((below, forward.means[r]), (above, backward.means[r + 1])):
            total = np.zeros((2**n_items, q))
            np.add.at(total, state, weighted)
            second += total.T @ means
    second += (t.T * p_all) @ t
    covariance = second - np.outer(mean, mean)
    return Moments(log_total, mean, (covariance + covariance.T) / 2.0)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Log sums float[places + 1, 2^J] and means of t float[places + 1, 2^J, q] of one direction."""

    logs: FloatArray
    means: FloatArray


def _forward(below: IntArray, above: IntArray, eta: FloatArray, t: FloatArray, places: int, n: int) -> _Sums:
    """Of the ways to reach S with r blocks."""
    logs, means = np.full((places + 1, n), -np.inf), np.zeros((places + 1, n, t.shape[1]))
    logs[0, 0] = 0.0
    for r in range(places):
        logs[r + 1], means[r + 1] = _mixed(logs[r, below] + eta, means[r, below] + t, above, n)
    return _Sums(logs, means)


def _backward(below: IntArray, above: IntArray, eta: FloatArray, t: FloatArray, places: int, n: int) -> _Sums:
    """Of the ways to complete S, reached with r blocks, with no more than the remaining ones."""
    logs, means = np.full((places + 1, n), -np.inf), np.zeros((places + 1, n, t.shape[1]))
    logs[:, n - 1] = 0.0
    for r in reversed(range(places)):
        own, m = _mixed(logs[r + 1, above] + eta, means[r + 1, above] + t, below, n)
        own[n - 1] = 0.0
        logs[r], means[r] = own, m
        means[r, n - 1] = 0.0
    return _Sums(logs, means)


def _mixed(logs: FloatArray, means: FloatArray, state: IntArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Log sums and means of the steps that lead to each state."""
    top = np.full(n, -np.inf)
    np.maximum.at(top, state, logs)
    there = np.isfinite(logs)
    share = np.zeros(len(logs))
    share[there] = np.exp(logs[there] - top[state[there]])
    total = np.bincount(state, share, n)
    found = np.zeros((n, means.shape[1]))
    seen = total > 0
    order = np.argsort(state, kind="stable")
    starts = np.flatnonzero(np.diff(state[order], prepend=-1))
    sums = np.add.reduceat((share[:, None] * means)[order], starts, axis=0)
    found[state[order][starts]] = sums
    found[seen] /= total[seen, None]
    with np.errstate(divide="ignore"):
        return np.where(seen, top + np.log(total), -np.inf), found


@dataclass(frozen=True, eq=False)
class BlockSpace:
    """Ratings of J items without dependence, by the recursion over blocks.

    places int[n, J]: 0 = best, without gaps; -1 where there is no rating.  categories: of the scale.
    """

    places: IntArray
    categories: int

    def __post_init__(self) -> None:
        steps_of(self.places.shape[1])

    @property
    def n_statistics(self) -> int:
        """2 C."""
        n = self.places.shape[1]
        return n * (n - 1)

    @property
    def n_rows(self) -> int:
        """Number of answers."""
        return len(self.places)

    def at(self, beta: FloatArray) -> BlockPoint:
        """The sums at beta, float[q]."""
        return BlockPoint(self, beta)

    def demands(self, rows: IntArray) -> FloatArray:
        """Never written out."""
        raise TooLargeError(
            f"the solver did not converge; with {self.places.shape[1]} items the search for infinite parameters is"
            " too large. Fit the comparisons that the ratings imply: items separated there are infinite here too"
        )


@dataclass(frozen=True, eq=False)
class BlockPoint:
    """Sums over the weak orders, and over those that agree with each incomplete answer.

    beta float[q].
    """

    space: BlockSpace
    beta: FloatArray
    whole: Moments = field(init=False)
    _parts: dict[int, Moments] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        whole = block_moments(self.space.places.shape[1], self._places, self.beta)
        object.__setattr__(self, "whole", whole)
        object.__setattr__(self, "_parts", {})

    @property
    def _places(self) -> int:
        return min(self.space.categories, self.space.places.shape[1])

    def _part(self, row: int) -> Moments:
        """Moments over the orders that agree with an answer."""
        if row not in self._parts:
            own = self.space.places[row]
            if (own >= 0).all():
                t = statistics(own[None], ())[0]
                self._parts[row] = Moments(float(t @ self.beta), t, np.zeros((len(t), len(t))))
            else:
                keep = allowed(steps_of(len(own)), own)
                self._parts[row] = block_moments(len(own), self._places, self.beta, keep)
        return self._parts[row]

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        return np.array([self._part(int(r)).log_total for r in rows]) - self.whole.log_total

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        return np.array([self._part(int(r)).mean for r in rows]).reshape(len(rows), -1) - self.whole.mean

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]."""
        found = float(weights.sum()) * self.whole.covariance
        for row, w in zip(rows, weights):
            if (self.space.places[row] < 0).any():
                found = found - w * self._part(int(row)).covariance
        return np.asarray(found)
