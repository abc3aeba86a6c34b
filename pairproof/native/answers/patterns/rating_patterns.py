"""Ratings as weak orders of the items, and the fit of their pattern model, prefmod's pattL.

    log P(order | s) = sum over pairs y_jk (lambda_js - lambda_ks) + gamma (number of ties)
                       + sum theta y_a y_b - log Z

over the weak orders with at most K different places, K the categories of the scale, not of the answers as
prefmod has it: 13, 75, 541 and 3,963 for 3 to 6 items and five categories, with as many categories as items
the Fubini numbers (Comtet 1974, Advanced Combinatorics, chapter V; Hatzinger and Dittrich 2012, Journal of
Statistical Software 48(10)).

All in one table: where ratings are missing, the patterns that agree are those in which the rated items stand
in their order, and with p the probabilities of the patterns

    sum_r w_r E[t t' | C_r] = T' diag(v) T,    v = p sum_r w_r 1[C_r] / P(C_r).

For more items than can be enumerated, a recursion over blocks from the worst up.  With S the items placed so
far and r the number of their blocks,

    F(S + B, r + 1) = sum over S, B of F(S, r) exp(t(S, B)' beta),

t(S, B) the comparisons that block B settles when it is put on top of S: 3^J - 2^J pairs (S, B) instead of J!
and more orders.  With P the probability of a step, and m_F, m_B the means of t before and after it,

    E[t t'] = sum over steps of P t (m_F + t + m_B)'    (cf. Baum 1972; missing ratings restrict the steps).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import sparse

from ....errors import InputError, TooLargeError
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from .answer_likelihood import (
    Likelihood,
    Moments,
    PartedPoint,
    PatternFit,
    Space,
    in_blocks,
    maximum_likelihood,
    pool,
)
from .natural_parameters import ItemTerm, Undecided, comparison_maps, pairs_of, sharing, statistics_of

#: 47,293 weak orders of 7 items; of 8 there are 545,835.
MOST_ORDERS = 50_000


def n_weak_orders(n_items: int, places: int) -> int:
    """Number of orders of J items with at most so many different places."""
    # onto[k]: maps of the items onto k places.
    onto = [1] + [0] * places
    for _ in range(n_items):
        onto = [0] + [k * (onto[k] + onto[k - 1]) for k in range(1, places + 1)]
    return sum(onto)


@lru_cache(maxsize=8)
def weak_orders(n_items: int, places: int) -> IntArray:
    """The orders themselves.  Returns int[n_orders, J]: the place of each item, 0 the best, without gaps."""
    number = n_weak_orders(n_items, places)
    if number > MOST_ORDERS:
        raise TooLargeError(
            f"ratings of {n_items} items have {number:,} patterns; the limit with dependence is {MOST_ORDERS:,} (7"
            " items). Leave the dependence out, or fit fewer items"
        )
    found = np.zeros((1, 1), dtype=np.int64)
    for _ in range(n_items - 1):
        top = found.max(axis=1)
        parts = []
        for place in range(int(top.max()) + 2):
            same = found[top >= place]  # the new item joins this place
            parts.append(np.column_stack([same, np.full(len(same), place)]))
            between = found[top + 1 >= place]  # or has a new place before it
            moved = between + (between >= place)
            parts.append(np.column_stack([moved, np.full(len(moved), place)]))
        found = np.concatenate(parts)
        found = found[found.max(axis=1) < places]
    found.setflags(write=False)
    return found


def as_comparisons(places: IntArray) -> IntArray:
    """The comparisons that places imply: +1 where the first item has the smaller place, 0 where they are
    alike.
    places int[n, J].  Returns int[n, C]."""
    first, second = pairs_of(places.shape[1])
    return np.asarray(np.sign(places[:, second] - places[:, first]), np.int64)


def dense_places(ratings: IntArray, seen: BoolArray) -> IntArray:
    """Ratings as places without gaps.
    ratings int[n, J]: small = preferred.  `seen` bool[n, J]: which ratings there are.  Returns int[n, J]: 0
    on; -1 where there is no rating."""
    last = np.iinfo(np.int64).max
    marked = np.where(seen, ratings, last)
    order = np.argsort(marked, axis=1, kind="stable")
    rising = np.take_along_axis(marked, order, axis=1)
    place = np.zeros(rising.shape, dtype=np.int64)
    place[:, 1:] = np.cumsum(rising[:, 1:] != rising[:, :-1], axis=1)
    found = np.empty_like(place)
    np.put_along_axis(found, order, place, axis=1)
    return np.where(seen, found, -1)


#: Sets of linear functions that are kept: one a covariate group.
MOST_KEPT = 8


def statistics(places: IntArray, depends: tuple[tuple[int, int], ...]) -> FloatArray:
    """y and u of the comparisons, and the products of those that depend on each other.
    places int[n, J].  Returns float[n, q]."""
    return statistics_of(as_comparisons(places), True, depends)


def agreeing(orders: IntArray, places: IntArray) -> sparse.csr_matrix:
    """Which orders agree with each answer.
    orders int[n_orders, J].  places int[n, J]: -1 where there is no rating.  Returns sparse float[n,
    n_orders]: 1 where they agree."""
    n_items = orders.shape[1]
    scale = (n_items + 1) ** np.arange(n_items, dtype=np.int64)
    row, column = [], []
    kinds, kind = np.unique(places >= 0, axis=0, return_inverse=True)
    for number, seen in enumerate(kinds):
        mine = np.flatnonzero(kind.reshape(-1) == number)
        short = dense_places(orders[:, seen], np.ones((len(orders), int(seen.sum())), dtype=bool))
        codes = short @ scale[: short.shape[1]]
        order = np.argsort(codes, kind="stable")
        wanted = places[mine][:, seen] @ scale[: short.shape[1]]
        start = np.searchsorted(codes[order], wanted, side="left")
        stop = np.searchsorted(codes[order], wanted, side="right")
        if (start == stop).any():
            person = int(mine[np.flatnonzero(start == stop)[0]])
            raise InputError(
                f"answer {person + 1} has {int(places[person].max()) + 1} different ratings, more than the scale's"
                f" {int(orders.max()) + 1} categories"
            )
        for one, i, j in zip(mine, start, stop):
            row.append(np.full(j - i, one))
            column.append(order[i:j])
    rows, columns = np.concatenate(row), np.concatenate(column)
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(places), len(orders)))


@dataclass(eq=False)
class OrderSpace:
    """Ratings of J items, as weak orders.
    places int[n, J]: 0 = best, without gaps; -1 where there is no rating.  depends: comparisons that depend
    on each other."""

    places: IntArray
    categories: int
    depends: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        orders = weak_orders(self.places.shape[1], min(self.categories, self.places.shape[1]))
        self._table = statistics(orders, self.depends)
        self._agree = agreeing(orders, self.places)
        self._functions: dict[bytes, FloatArray] = {}

    @property
    def n_statistics(self) -> int:
        """2 C and the number of dependences."""
        return int(self._table.shape[1])

    def at(self, beta: FloatArray) -> OrderPoint:
        """The probabilities of all weak orders at beta, float[q]."""
        eta = self._table @ beta
        top = float(eta.max())
        total = float(np.exp(eta - top).sum())
        return OrderPoint(self, eta - top - np.log(total))

    def functions(self, matrix: FloatArray) -> FloatArray:
        """float[n_orders, p]: linear functions of the statistics, for float[q, p]; kept from step to step."""
        key = np.ascontiguousarray(matrix).tobytes()
        if key not in self._functions:
            if len(self._functions) >= MOST_KEPT:
                self._functions.clear()
            self._functions[key] = self._table @ matrix
        return self._functions[key]

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of a complete answer minus those of every other pattern."""
        whole = rows[(self.places[rows] >= 0).all(axis=1)]
        seen = np.unique(statistics(self.places[whole], self.depends), axis=0)
        return (seen[:, None, :] - self._table[None]).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class OrderPoint:
    """Probabilities of the weak orders.  log_p float[n_orders]."""

    space: OrderSpace
    log_p: FloatArray

    def _shares(self, rows: IntArray) -> tuple[FloatArray, sparse.csr_matrix]:
        """Log-probability of each answer, and the shares of the patterns that agree with it."""
        agree = self.space._agree[rows].tocsr().copy()
        logs = self.log_p[agree.indices]
        row = np.repeat(np.arange(len(rows)), np.diff(agree.indptr))
        top = np.full(len(rows), -np.inf)
        np.maximum.at(top, row, logs)
        agree.data = np.exp(logs - top[row])
        total = np.asarray(agree.sum(axis=1)).ravel()
        agree.data = agree.data / total[row]
        return top + np.log(total), agree

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        return self._shares(rows)[0]

    def scores(self, rows: IntArray) -> FloatArray:
        table = self.space._table
        return np.asarray(self._shares(rows)[1] @ table - np.exp(self.log_p) @ table)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        return self.contracted_information(rows, weights, np.eye(self.space.n_statistics))

    def contracted_information(self, rows: IntArray, weights: FloatArray, matrix: FloatArray) -> FloatArray:
        """float[p, p]: of p linear functions of the statistics, for matrix float[q, p]."""
        p, table = np.exp(self.log_p), self.space.functions(matrix)
        shares = self._shares(rows)[1]
        off = shares @ table - p @ table  # centred, so that little cancels
        v = float(weights.sum()) * p - np.asarray(shares.T @ weights).ravel()
        centred = table - p @ table
        return np.asarray((centred.T * v) @ centred + (off.T * weights) @ off)


#: 3^10 steps with 90 statistics are 42 MB; each further item takes four times as much.
MOST_ITEMS = 10


@dataclass(frozen=True, eq=False)
class Steps:
    """All ways to put a block on top of a set of items, sorted by the set that results.
    below, block int[m]: bit masks of S and B. statistics float[m, q]: t(S, B): y and u of the comparisons
    that are settled."""

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
    """Which steps agree with an answer.  places int[J]: -1 where there is no rating.  Returns bool[m]."""
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
    all if not given."""
    steps = steps_of(n_items)
    kept = np.ones(len(steps.below), dtype=bool) if keep is None else keep
    below, block, t = steps.below[kept], steps.block[kept], steps.statistics[kept]
    above = below | block
    eta = t @ beta
    logs, means = _forward(below, above, eta, t, places, 2**n_items)
    if not np.isfinite(logs[1:, -1]).any():
        raise InputError("no weak order of this scale agrees with the answer")
    left, after = _backward(below, above, eta, t, places, 2**n_items)
    log_total, mean, q = float(left[0, 0]), after[0, 0], t.shape[1]
    second = np.zeros((q, q))
    p_all = np.zeros(len(t))
    for r in range(places):
        with np.errstate(invalid="ignore"):
            log_p = logs[r, below] + eta + left[r + 1, above] - log_total
        p = np.where(np.isfinite(log_p), np.exp(log_p), 0.0)
        p_all += p
        weighted = p[:, None] * t
        for state, own in ((below, means[r]), (above, after[r + 1])):
            total = np.zeros((2**n_items, q))
            np.add.at(total, state, weighted)
            second += total.T @ own
    second += (t.T * p_all) @ t
    covariance = second - np.outer(mean, mean)
    return Moments(log_total, mean, (covariance + covariance.T) / 2.0)


#: Log sums float[places + 1, 2^J] and means of t float[places + 1, 2^J, q] of one direction.
_Sums = tuple[FloatArray, FloatArray]


def _forward(below: IntArray, above: IntArray, eta: FloatArray, t: FloatArray, places: int, n: int) -> _Sums:
    """Of the ways to reach S with r blocks."""
    logs, means = np.full((places + 1, n), -np.inf), np.zeros((places + 1, n, t.shape[1]))
    logs[0, 0] = 0.0
    for r in range(places):
        logs[r + 1], means[r + 1] = _mixed(logs[r, below] + eta, means[r, below] + t, above, n)
    return logs, means


def _backward(below: IntArray, above: IntArray, eta: FloatArray, t: FloatArray, places: int, n: int) -> _Sums:
    """Of the ways to complete S, reached with r blocks, with no more than the remaining ones."""
    logs, means = np.full((places + 1, n), -np.inf), np.zeros((places + 1, n, t.shape[1]))
    logs[:, n - 1] = 0.0
    for r in reversed(range(places)):
        own, m = _mixed(logs[r + 1, above] + eta, means[r + 1, above] + t, below, n)
        own[n - 1] = 0.0
        logs[r], means[r] = own, m
        means[r, n - 1] = 0.0
    return logs, means


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
    places int[n, J]: 0 = best, without gaps; -1 where there is no rating."""

    places: IntArray
    categories: int

    def __post_init__(self) -> None:
        steps_of(self.places.shape[1])

    @property
    def n_statistics(self) -> int:
        """2 C."""
        n = int(self.places.shape[1])
        return n * (n - 1)

    def at(self, beta: FloatArray) -> BlockPoint:
        """The sums at beta, float[q]."""
        return BlockPoint(self, beta)

    def demands(self, rows: IntArray) -> FloatArray:
        """Never written out."""
        raise TooLargeError(
            f"the solver did not converge; with {self.places.shape[1]} items the search for infinite parameters is"
            " too large. Fit the comparisons that the ratings imply: items separated there are infinite here too"
        )


class BlockPoint(PartedPoint[BlockSpace]):
    """Sums over the weak orders, and over those that agree with each incomplete answer."""

    def _over_all(self) -> Moments:
        return block_moments(self.space.places.shape[1], self._places, self.beta)

    @property
    def _places(self) -> int:
        return min(self.space.categories, int(self.space.places.shape[1]))

    def _known(self, rows: IntArray) -> tuple[BoolArray, FloatArray]:
        places = self.space.places[rows]
        known = np.asarray((places >= 0).all(axis=1))
        return known, statistics(places[known], ())

    def _agreeing(self, row: int) -> Moments:
        own = self.space.places[row]
        return block_moments(len(own), self._places, self.beta, allowed(steps_of(len(own)), own))


def fit_ratings(
    ratings: IntArray,
    categories: int,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    undecided: Undecided = "one",
    dependence: bool = False,
    names: Sequence[str] | None = None,
) -> PatternFit:
    """Fit persons' ratings of J items.
    ratings int[n_persons, J]: small = preferred; 0 for no rating.  A person with fewer than two ratings
    compares nothing and is left out.  terms: of the items' parameters lambda; log-odds are twice their
    differences.  group int[n_persons]: covariate group of each person.  weights float[n_persons]: number of
    persons with the answer.  undecided: the parameter of equal ratings: 0, one for all pairs, one for each
    pair.  dependence: whether comparisons that share an item depend on each other."""
    places = dense_places(ratings, ratings > 0)
    pooled = pool(places, group, weights, silent=(places >= 0).sum(axis=1) < 2)
    n_items = ratings.shape[1]
    scale = min(categories, n_items)
    depends = sharing(n_items) if dependence else ()
    maps, usual = comparison_maps(terms, undecided, dependence)
    space: Space
    if dependence or n_weak_orders(n_items, scale) <= MOST_ORDERS:
        space = OrderSpace(pooled.answers, scale, depends)
    else:
        space = BlockSpace(pooled.answers, scale)
    there = pooled.answers >= 0
    likelihood = Likelihood(space, pooled.group, maps)
    called = usual if names is None else names
    estimate = maximum_likelihood(likelihood, pooled.weights, called, concave=bool(there.all()))
    return in_blocks(
        estimate, likelihood, pooled, there, lambda rated: n_weak_orders(int(rated.sum()), scale)
    )
