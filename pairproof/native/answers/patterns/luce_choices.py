"""Rankings as choices in stages: Plackett and Luce's model, with ties of any order.

A row of ranks has 1 for the best item, equal ranks for a tie, and for an item without a rank ABSENT (not
presented) or BELOW (presented, and every item with a rank was preferred to it); prefmod's pattR takes it as below.

With worth a_i = exp(b_i), a group C is chosen among the items left A with probability (Turner, van Etten,
Firth and Kosmidis 2020, Computational Statistics 35, 1027-1057; the Davidson-Luce model)

    P(C | A) = f(C) / Z_A,    f(S) = delta_|S| (product of a_i in S)^(1/|S|),    delta_1 = 1,

Z_A the sum of f over all S in A whose number of items is a possible one.  In b and log delta this is an
exponential family: concave, observed and expected information the same.  Z needs no sum over sets: those of
size d add up to delta_d e_d(a^(1/d)), an elementary symmetric polynomial, e_d(w) the coefficient of x^d in
the product of (1 + w_i x): O(J d) by one item after the other (Baker and Harwell 1996, Applied Psychological
Measurement 20, 169-192).  A polynomial without an item is the product of those before and after it; dividing
by (1 + w_i x) would cancel.

The left sets of all rankings are kept once each.  A last group of one item is no choice; a last group of
several items of equal rank is one.  Items below all others are never chosen: the ranking stops before them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from scipy import sparse

from ....data.respondents.codes import ABSENT, BELOW
from ....errors import InputError, TooLargeError
from ....numerics.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Ranks:
    """Dense ranks of J items by n persons.
    ranks int[n, J]: 1, 2, ... without gaps, equal for ties; BELOW (0) for an item below all others, ABSENT
    (-1) for one that was not presented."""

    ranks: IntArray

    @property
    def presented(self) -> BoolArray:
        """bool[n, J]: whether the person saw the item."""
        return np.asarray(self.ranks != ABSENT)

    @property
    def groups(self) -> IntArray:
        """int[n, J]: number of the group of each item from the best, 0 on; -1 for absent items.
        Items below all others are the last group."""
        last = np.maximum(self.ranks.max(axis=1, keepdims=True), 0)
        return np.asarray(np.where(self.ranks > 0, self.ranks - 1, np.where(self.ranks == BELOW, last, -1)))


def above(ranks: Ranks) -> BoolArray:
    """Whether some person ranked item i strictly above item j.  Returns bool[J, J]."""
    groups = np.unique(ranks.groups, axis=0)
    found = np.zeros((groups.shape[1],) * 2, dtype=bool)
    for row in groups:
        there = row >= 0
        found |= there[:, None] & there[None, :] & (row[:, None] < row[None, :])
    return found


def linked_sets(edges: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Sets of items each of which can be reached from every other of its set along the edges, best set first.
    A set stands before those that its items are above of.  One set: the network is connected (Ford 1957).
    edges bool[J, J]."""
    from scipy.sparse.csgraph import connected_components, shortest_path

    number, label = connected_components(edges, directed=True, connection="strong")
    if number == 1:
        return (tuple(range(len(edges))),)
    reach = np.isfinite(shortest_path(edges, unweighted=True))
    order = np.argsort(-reach.sum(axis=1), kind="stable")
    seen: list[int] = []
    for item in order:
        if label[item] not in seen:
            seen.append(int(label[item]))
    return tuple(tuple(int(i) for i in np.flatnonzero(label == s)) for s in seen)


def products(weights: FloatArray, degree: int) -> tuple[FloatArray, FloatArray]:
    """Polynomials of the items before each, and of the items from each on.
    weights float[n, J]: of the items in n sets, >= 0; 0 for an item that is not in the set.  Returns (float[J
    + 1, n, degree + 1], float[J + 1, n, degree + 1]): entry j of the first is of items 0 to j - 1, of the
    second of items j to J - 1."""
    n, n_items = weights.shape
    before = np.zeros((n_items + 1, n, degree + 1))
    after = np.zeros((n_items + 1, n, degree + 1))
    before[0, :, 0] = after[n_items, :, 0] = 1.0
    for j in range(n_items):
        before[j + 1] = times_item(before[j], weights[:, j])
    for j in reversed(range(n_items)):
        after[j] = times_item(after[j + 1], weights[:, j])
    return before, after


def times_item(polynomial: FloatArray, weight: FloatArray) -> FloatArray:
    """The polynomials times (1 + w x), cut at their degree.
    polynomial float[n, degree + 1].  weight float[n].  Returns float[n, degree + 1]."""
    found: FloatArray = polynomial.copy()
    found[:, 1:] += polynomial[:, :-1] * weight[:, None]
    return found


def coefficient(first: FloatArray, second: FloatArray, degree: int) -> FloatArray:
    """The coefficient of x^degree in products of two polynomials.
    `first`, second float[n, d + 1].  degree: 0 to d.  Returns float[n]."""
    return np.asarray(np.einsum("ni,ni->n", first[:, : degree + 1], second[:, degree::-1]))


def without_one(weights: FloatArray, degree: int) -> FloatArray:
    """e_degree of each set without each of the items.
    weights float[n, J].  degree: >= 0.  Returns float[n, J]."""
    before, after = products(weights, degree)
    each = [coefficient(before[j], after[j + 1], degree) for j in range(weights.shape[1])]
    return np.stack(each, axis=1)


def without_two(weights: FloatArray, degree: int) -> Iterator[tuple[int, int, FloatArray]]:
    """e_degree of each set without each two of the items.
    weights float[n, J].  degree: >= 0.  Returns (int, int, float[n]): the two items, the first before the
    second, and the polynomials without them."""
    before, after = products(weights, degree)
    n_items = weights.shape[1]
    for i in range(n_items):
        so_far = before[i]
        for j in range(i + 1, n_items):
            yield i, j, coefficient(so_far, after[j + 1], degree)
            so_far = times_item(so_far, weights[:, j])


@dataclass(frozen=True, eq=False)
class Stages:
    """The choices of all rankings.
    row int[m]: the ranking of each choice.  `left` int[m]: number of the set that it was made from.  chosen
    bool[m, J].  sets bool[n_sets, J]: distinct sets of items left."""

    row: IntArray
    left: IntArray
    chosen: BoolArray
    sets: BoolArray

    @property
    def size(self) -> IntArray:
        """int[m]: number of items chosen."""
        return np.asarray(self.chosen.sum(axis=1))

    def counts(self, n_rows: int) -> sparse.csr_matrix:
        """float[n_rows, n_sets]: how often a ranking chose from a set."""
        ones = np.ones(len(self.row))
        return sparse.csr_matrix((ones, (self.row, self.left)), shape=(n_rows, len(self.sets)))


def stages_of(ranks: Ranks) -> Stages:
    """The choices of these rankings."""
    groups = ranks.groups
    row, left, chosen = [], [], []
    for s in range(max(int(ranks.ranks.max()), 0)):
        # Items without a rank have the last group where they are below: left, never chosen.
        own = (groups == s) & (ranks.ranks > 0)
        there = groups >= s
        choice = np.flatnonzero(own.any(axis=1) & (there.sum(axis=1) > 1))
        row.append(choice)
        left.append(there[choice])
        chosen.append(own[choice])
    n_items = ranks.ranks.shape[1]
    rows = np.concatenate(row) if row else np.zeros(0, dtype=np.int64)
    lefts = np.concatenate(left) if left else np.zeros((0, n_items), dtype=bool)
    picks = np.concatenate(chosen) if chosen else np.zeros((0, n_items), dtype=bool)
    order = np.argsort(rows, kind="stable")
    sets, number = np.unique(lefts[order], axis=0, return_inverse=True)
    return Stages(rows[order].astype(np.int64), np.asarray(number).reshape(-1), picks[order], sets)


#: Sets over which the search for infinite parameters goes.
MOST_SETS = 200_000
#: Left sets times items: each step holds some tables of this size, 400 MB each.
MOST_CELLS = 5 * 10**7


@dataclass(eq=False)
class LuceSpace:
    """Rankings of J items as choices in stages.
    orders: numbers of items that can tie, beside 1; those observed if not given (an order that never occurs
    has maximum-likelihood prevalence 0)."""

    ranks: Ranks
    orders: tuple[int, ...] | None = None

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
        self.stages = stages
        self.tie_orders = tuple(orders)
        self._statistics = total
        self._counts = stages.counts(n)

    @property
    def n_statistics(self) -> int:
        """J, and one for each order of ties."""
        return int(self.ranks.ranks.shape[1]) + len(self.tie_orders)

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


@dataclass(eq=False)
class LucePoint:
    """Choices at one value of log worths and log prevalences.
    beta float[q].  log_totals float[n_sets]: log Z of each left set.  means float[n_sets, q]: E[t] of a
    choice from each."""

    space: LuceSpace
    beta: FloatArray

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
        self.log_totals = top + np.log(z)
        self.means = np.column_stack([of_items, *of_orders])
        self._weights = weights
        self._scale = 1.0 / z

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        at, sets, counts = self.space.stages_left(rows)
        left = np.bincount(at, counts * self.log_totals[sets], len(rows))
        return np.asarray(self.space._statistics[rows] @ self.beta - left)

    def scores(self, rows: IntArray) -> FloatArray:
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
