"""Plackett and Luce's model of rankings, with ties of any order.

With worth a_i = exp(b_i), a group C is chosen among the items left A with probability (Turner, van Etten,
Firth and Kosmidis 2020, Computational Statistics 35, 1027-1057; the Davidson-Luce model)

    P(C | A) = f(C) / Z_A,    f(S) = delta_|S| (product of a_i in S)^(1/|S|),    delta_1 = 1,

Z_A the sum of f over all S in A whose number of items is a possible one.  In b and log delta this is an
exponential family: the log-likelihood is concave, and observed and expected information are the same.  Z
needs no sum over sets: those of size d add up to delta_d e_d(a^(1/d)), an elementary symmetric polynomial.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....errors import InputError, TooLargeError
from .elementary import without_one, without_two
from .ranks import Ranks
from .stages import Stages, stages_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: Sets over which the search for infinite parameters goes.
MOST_SETS = 200_000
#: Left sets times items: each step holds some tables of this size, 400 MB each.
MOST_CELLS = 5 * 10**7


@dataclass(frozen=True, eq=False)
class LuceSpace:
    """Rankings of J items as choices in stages.

    orders: numbers of items that can tie, beside 1; those observed if not given (an order that never occurs
    has maximum-likelihood prevalence 0).
    """

    ranks: Ranks
    orders: tuple[int, ...] | None = None
    stages: Stages = field(init=False, repr=False)
    tie_orders: tuple[int, ...] = field(init=False)
    _statistics: FloatArray = field(init=False, repr=False)
    _counts: sparse.csr_matrix = field(init=False, repr=False)

    def __post_init__(self) -> None:
        stages = stages_of(self.ranks)
        size = stages.size
        if stages.sets.size > MOST_CELLS:
            raise TooLargeError(
                f"{stages.sets.shape[0]:,} different sets of items left times {stages.sets.shape[1]:,} items; the"
                f" limit is {MOST_CELLS:,}. Fit fewer items, or the best few places of each ranking"
            )
        seen = sorted(set(size.tolist()) - {1})
        orders = seen if self.orders is None else sorted(set(self.orders) - {1})
        strange = [d for d in seen if d not in orders]
        if strange:
            person = int(stages.row[np.flatnonzero(size == strange[0])[0]])
            raise InputError(
                f"ranking {person + 1} has a tie of {strange[0]} items; possible orders are"
                f" {', '.join(str(d) for d in orders) or 'none'}: add {strange[0]} to them"
            )
        kinds = (size[:, None] == np.array([*orders], dtype=np.int64)).astype(float)
        each = np.hstack([stages.chosen / np.maximum(size, 1)[:, None], kinds])
        n = len(self.ranks.ranks)
        total = np.zeros((n, each.shape[1]))
        np.add.at(total, stages.row, each)
        object.__setattr__(self, "stages", stages)
        object.__setattr__(self, "tie_orders", tuple(orders))
        object.__setattr__(self, "_statistics", total)
        object.__setattr__(self, "_counts", stages.counts(n))

    @property
    def n_statistics(self) -> int:
        """J, and one for each order of ties."""
        return int(self.ranks.ranks.shape[1]) + len(self.tie_orders)

    @property
    def n_rows(self) -> int:
        """Number of rankings."""
        return len(self.ranks.ranks)

    def at(self, beta: FloatArray) -> LucePoint:
        """The choices at log worths and log prevalences of ties, float[q]."""
        return LucePoint(self, beta)

    def stages_left(self, rows: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Of the stages of these rankings: place of the ranking in `rows`, number of the set left, how often."""
        start, end = self._counts.indptr[rows], self._counts.indptr[rows + 1]
        length = end - start
        at = np.repeat(np.arange(len(rows)), length)
        where = np.arange(len(at)) - np.repeat(np.cumsum(length) - length - start, length)
        return at, self._counts.indices[where].astype(np.int64), self._counts.data[where]

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: t of a group that was chosen minus t of every other set that could have been."""
        own = np.isin(self.stages.row, rows)
        both = np.unique(
            np.hstack([self.stages.sets[self.stages.left[own]], self.stages.chosen[own]]), axis=0
        )
        n_items = self.ranks.ranks.shape[1]
        lefts, chosen = both[:, :n_items], both[:, n_items:]
        sizes = (1, *self.tie_orders)
        n_sets = sum(comb(int(m), d) for m in lefts.sum(axis=1) for d in sizes)
        if n_sets > MOST_SETS:
            raise TooLargeError(
                f"the solver did not converge; to see why takes {n_sets:,} sets of items, and the limit is"
                f" {MOST_SETS:,}. Fit fewer items, or merge the ties of many items"
            )
        found = [np.zeros((0, self.n_statistics))]
        for left, group in zip(lefts, chosen):
            items = np.flatnonzero(left)
            every = [s for d in sizes for s in combinations(items.tolist(), d)]
            other = np.array([self._statistic(s) for s in every])
            found.append(self._statistic(tuple(np.flatnonzero(group).tolist())) - other)
        return np.concatenate(found)

    def _statistic(self, group: tuple[int, ...]) -> FloatArray:
        t = np.zeros(self.n_statistics)
        t[list(group)] = 1.0 / len(group)
        if len(group) > 1:
            t[self.ranks.ranks.shape[1] + self.tie_orders.index(len(group))] = 1.0
        return t


@dataclass(frozen=True, eq=False)
class LucePoint:
    """Choices at one value of log worths and log prevalences.

    beta float[q].  log_totals float[n_sets]: log Z of each left set.  means float[n_sets, q]: E[t] of a
    choice from each.
    """

    space: LuceSpace
    beta: FloatArray
    log_totals: FloatArray = field(init=False)
    means: FloatArray = field(init=False)
    _weights: tuple[FloatArray, ...] = field(init=False, repr=False)
    _scale: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sets = self.space.stages.sets
        n_items = sets.shape[1]
        b = self.beta[:n_items]
        top = np.where(sets, b, -np.inf).max(axis=1) if len(sets) else np.zeros(0)
        # delta_d (prod a)^(1/d) scales with the largest worth of the set whatever d is.
        gap = np.where(sets, b - top[:, None], -np.inf)
        delta = np.exp(self.beta[n_items:])
        weights = tuple(np.exp(gap / d) for d in (1, *self.space.tie_orders))
        items = [weights[0]]
        for w, d, prevalence in zip(weights[1:], self.space.tie_orders, delta):
            items.append(prevalence * w * without_one(w, d - 1))  # sum of f over the sets of size d with i
        z_of = [part.sum(axis=1) / d for part, d in zip(items, (1, *self.space.tie_orders))]
        z = np.sum(z_of, axis=0)
        of_items = np.sum([p / d for p, d in zip(items, (1, *self.space.tie_orders))], axis=0) / z[:, None]
        of_orders = [own / z for own in z_of[1:]]
        object.__setattr__(self, "log_totals", top + np.log(z))
        object.__setattr__(self, "means", np.column_stack([of_items, *of_orders]))
        object.__setattr__(self, "_weights", weights)
        object.__setattr__(self, "_scale", 1.0 / z)

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        at, sets, counts = self.space.stages_left(rows)
        left = np.bincount(at, counts * self.log_totals[sets], len(rows))
        return np.asarray(self.space._statistics[rows] @ self.beta - left)

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        at, sets, counts = self.space.stages_left(rows)
        found = self.space._statistics[rows]
        np.subtract.at(found, at, counts[:, None] * self.means[sets])
        return np.asarray(found)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]: sum over the left sets of n_A Cov_A[t]."""
        at, sets, counts = self.space.stages_left(rows)
        n = np.bincount(sets, counts * weights[at], len(self.log_totals))
        n_items = self.space.stages.sets.shape[1]
        found = -(self.means.T * n) @ self.means
        share = n * self._scale
        strict = self._weights[0]
        at = np.arange(n_items)
        found[at, at] += share @ strict
        delta = np.exp(self.beta[n_items:])
        for k, (d, w, prevalence) in enumerate(zip(self.space.tie_orders, self._weights[1:], delta)):
            factor = share * prevalence
            single = factor @ (w * without_one(w, d - 1))
            found[at, at] += single / d**2
            found[at, n_items + k] += single / d
            found[n_items + k, at] += single / d
            found[n_items + k, n_items + k] += single.sum() / d
            for i, j, rest in without_two(w, d - 2):
                both = float(factor @ (w[:, i] * w[:, j] * rest)) / d**2
                found[i, j] += both
                found[j, i] += both
        return np.asarray(found)
