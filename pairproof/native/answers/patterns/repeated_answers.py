"""Ratings or rankings of the same persons at several points in time, prefmod's pattLrep and pattRrep.

Each time has item parameters and, for ratings, a parameter of ties of its own; comparisons may depend on each
other within a time, and each comparison on the same one at the time before.  With t(y_k) the statistics of
the pattern at time k (Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10); prefmod's iaT),

    log P(y_1, ..., y_T) = sum_k t(y_k)' beta_k + sum_k sum_c theta_ck y_c,k y_c,k+1 - log Z.

The patterns are a chain, so that N patterns at T times take T - 1 sums of N x N terms instead of N^T.  With
P_k the joint probabilities at times k and k + 1, and m the means of all statistics up to a time, or after it,
given the pattern there, second moments are E[t t'] = sum over the steps of P t (m before + t + m after)'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial, prod
from typing import Literal

import numpy as np
from scipy import sparse

from ....data.respondents.codes import dense
from ....errors import InputError, TooLargeError
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from .answer_likelihood import (
    Likelihood,
    Moments,
    PartedPoint,
    PatternFit,
    in_blocks,
    maximum_likelihood,
    pool,
)
from .luce_choices import Ranks
from .natural_parameters import ItemTerm, comparison_maps, diagonal_blocks, n_pairs, sharing
from .rating_patterns import agreeing, as_comparisons, dense_places, n_weak_orders, statistics, weak_orders

#: Pairs of patterns at two times: 3,963 patterns of ratings of six items.
MOST_PAIRS = 2 * 10**7

#: Differences of sequences of which infinite parameters are found exactly: a linear programme takes a second.
MOST_SEQUENCES = 20_000


@dataclass(eq=False)
class ChainSpace:
    """Answers at T times, as sets of the N patterns of each time.
    Statistics are those of the first time, of the second and so on, then y_c,1 y_c,2 of the C comparisons,
    then y_c,2 y_c,3 and so on.  table float[N, q]: statistics of the patterns at one time.  signs float[N,
    C]: their comparisons y_c.  agree: for each time, which patterns agree with each person's answer; all of
    them where there is none."""

    table: FloatArray
    signs: FloatArray
    agree: Sequence[sparse.csr_matrix]

    def __post_init__(self) -> None:
        if len(self.table) ** 2 > MOST_PAIRS:
            raise TooLargeError(
                f"{len(self.table):,} patterns at each time are {len(self.table) ** 2:,} pairs of patterns at two times;"
                f" the limit is {MOST_PAIRS:,}. Leave the dependence between times out, or fit fewer items"
            )
        sets = [
            [a.indices[a.indptr[r] : a.indptr[r + 1]].astype(np.int64) for a in self.agree]
            for r in range(self.agree[0].shape[0])
        ]
        self._sets = sets
        complete = np.array([all(len(s) == 1 for s in own) for own in sets], dtype=bool)
        self._complete = complete
        self._own = self._statistics(complete)

    def _statistics(self, complete: BoolArray) -> FloatArray:
        """float[n, T q + (T - 1) C]: of persons with one possible pattern at each time; 0 for others."""
        found = np.zeros((len(complete), self.n_statistics))
        rows = np.flatnonzero(complete)
        seen = [np.array([self._sets[r][k][0] for r in rows], dtype=np.int64) for k in range(self.n_times)]
        links = [self.signs[a] * self.signs[b] for a, b in zip(seen, seen[1:])]
        found[rows] = np.concatenate([*(self.table[s] for s in seen), *links], axis=1)
        return found

    @property
    def n_times(self) -> int:
        """T."""
        return len(self.agree)

    @property
    def n_statistics(self) -> int:
        """T q + (T - 1) C."""
        return int(self.n_times * self.table.shape[1] + (self.n_times - 1) * self.signs.shape[1])

    def at(self, beta: FloatArray) -> ChainPoint:
        """The moments at beta, float[T q + (T - 1) C]."""
        return ChainPoint(self, beta)

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, T q + (T - 1) C]: statistics of the sequences seen minus those of all others.
        Where an answer is missing, or there are more than MOST_SEQUENCES of these differences, they are those
        of each time alone: with the links at 0 the times are independent, so that what a direction without
        links demands is found; one along links is not."""
        seen = np.unique(self._own[rows], axis=0)
        if self._complete.all() and len(seen) * len(self.table) ** self.n_times <= MOST_SEQUENCES:
            others = self._all_sequences()
            return np.asarray((seen[:, None] - others[None]).reshape(-1, self.n_statistics))
        q = self.table.shape[1]
        found = [np.zeros((0, self.n_statistics))]
        for k in range(self.n_times):
            single = sorted({int(self._sets[r][k][0]) for r in rows if len(self._sets[r][k]) == 1})
            own = np.zeros((len(single) * len(self.table), self.n_statistics))
            own[:, k * q : (k + 1) * q] = (self.table[single][:, None] - self.table[None]).reshape(-1, q)
            found.append(own)
        return np.concatenate(found)

    def _all_sequences(self) -> FloatArray:
        """float[N^T, T q + (T - 1) C]: statistics of all sequences of patterns."""
        at = np.indices((len(self.table),) * self.n_times).reshape(self.n_times, -1)
        links = [self.signs[a] * self.signs[b] for a, b in zip(at, at[1:])]
        return np.concatenate([*(self.table[a] for a in at), *links], axis=1)


class _Pass:
    """Forward and backward sums over all sequences of patterns, one of each of these sets.
    beta float[T q + (T - 1) C]."""

    def __init__(self, space: ChainSpace, sets: Sequence[IntArray], beta: FloatArray) -> None:
        self.times, self.q, self.c = len(sets), space.table.shape[1], space.signs.shape[1]
        self.size = len(beta)
        links = beta[self.times * self.q :].reshape(self.times - 1, self.c)
        self.t = [space.table[s] for s in sets]
        self.y = [space.signs[s] for s in sets]
        eta = [t @ beta[k * self.q : (k + 1) * self.q] for k, t in enumerate(self.t)]
        self.step = [(self.y[k] * links[k]) @ self.y[k + 1].T for k in range(self.times - 1)]
        forward = [eta[0]]
        for k, step in enumerate(self.step):
            forward.append(_log_sum(forward[k][:, None] + step, 0) + eta[k + 1])
        backward = [np.zeros(len(e)) for e in eta]
        for k in reversed(range(self.times - 1)):
            backward[k] = _log_sum(self.step[k] + eta[k + 1] + backward[k + 1], 1)
        self.log_total = float(_log_sum(forward[-1], 0))
        self.joint = [
            np.exp(forward[k][:, None] + step + eta[k + 1] + backward[k + 1] - self.log_total)
            for k, step in enumerate(self.step)
        ]
        self.single = [np.exp(f + b - self.log_total) for f, b in zip(forward, backward)]

    def _own(self, k: int) -> slice:
        """Places of the statistics of a time."""
        return slice(k * self.q, (k + 1) * self.q)

    def _link(self, k: int) -> slice:
        """Places of the links from a time to the next."""
        start = self.times * self.q + k * self.c
        return slice(start, start + self.c)

    def _before(self) -> list[FloatArray]:
        """Means of all statistics up to each time, its own among them, given the pattern there."""
        found: list[FloatArray] = []
        for k in range(self.times):
            m = np.zeros((len(self.t[k]), self.size))
            if k:
                p = self.joint[k - 1]
                share = np.divide(p, self.single[k], out=np.zeros_like(p), where=self.single[k] > 0)
                m += share.T @ found[k - 1]
                m[:, self._link(k - 1)] += self.y[k] * (share.T @ self.y[k - 1])
            m[:, self._own(k)] += self.t[k]
            found.append(m)
        return found

    def _after(self) -> list[FloatArray]:
        """Means of all statistics after each time, the link from it among them, given the pattern there."""
        found: list[FloatArray] = [np.zeros((len(self.t[-1]), self.size))]
        for k in reversed(range(self.times - 1)):
            p = self.joint[k]
            single = self.single[k][:, None]
            share = np.divide(p, single, out=np.zeros_like(p), where=single > 0)
            later = found[0].copy()
            later[:, self._own(k + 1)] += self.t[k + 1]
            m = share @ later
            m[:, self._link(k)] += self.y[k] * (share @ self.y[k + 1])
            found.insert(0, m)
        return found

    def moments(self) -> Moments:
        before, after = self._before(), self._after()
        mean = self.single[0] @ (before[0] + after[0])
        second = np.zeros((self.size, self.size))
        for k in range(self.times):
            weighted = self.single[k][:, None] * self.t[k]
            second[self._own(k)] += weighted.T @ (before[k] + after[k])
        for k, p in enumerate(self.joint):
            ya, yb = self.y[k], self.y[k + 1]
            later = after[k + 1].copy()
            later[:, self._own(k + 1)] += self.t[k + 1]
            second[self._link(k)] += (ya * (p @ yb)).T @ before[k] + (yb * (p.T @ ya)).T @ later
            second[self._link(k), self._link(k)] += self._of_links(p, ya, yb)
        covariance = second - np.outer(mean, mean)
        return Moments(self.log_total, mean, (covariance + covariance.T) / 2.0)

    def _of_links(self, p: FloatArray, ya: FloatArray, yb: FloatArray) -> FloatArray:
        """float[C, C]: means of the products of two links of the same step."""
        found = np.zeros((self.c, self.c))
        for d in range(self.c):
            found[:, d] = (ya * ya[:, [d]] * (p @ (yb * yb[:, [d]]))).sum(axis=0)
        return found


def _log_sum(logs: FloatArray, axis: int) -> FloatArray:
    top = logs.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(logs - top).sum(axis=axis)) + top.squeeze(axis))


class ChainPoint(PartedPoint[ChainSpace]):
    """Moments over all sequences, and over those that agree with each person's answers."""

    def _over_all(self) -> Moments:
        everything = [np.arange(len(self.space.table))] * self.space.n_times
        return _Pass(self.space, everything, self.beta).moments()

    def _known(self, rows: IntArray) -> tuple[BoolArray, FloatArray]:
        known = self.space._complete[rows]
        return known, self.space._own[rows[known]]

    def _agreeing(self, row: int) -> Moments:
        return _Pass(self.space, self.space._sets[row], self.beta).moments()


#: Rankings of 7 items are 5,040 and their pairs 25 million.
MOST_RANKED = 6


def fit_repeated(
    answers: IntArray,
    terms: Sequence[ItemTerm],
    kind: Literal["ratings", "rankings"],
    categories: int | None = None,
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    dependence: bool = False,
    between_times: bool = False,
    names: Sequence[str] | None = None,
) -> PatternFit:
    """Fit answers at T times.
    answers int[n_persons, T, J]: ratings (small = preferred, 0 = none) or ranks (1 = best, 0 = below all
    others); a time at which a person rated fewer than two items, or ranked none, is missing.  group
    int[n_persons]: covariate group of each person.  weights float[n_persons]: number of persons with the
    answers.  dependence: whether comparisons that share an item depend on each other within a time (ratings
    only).  between_times: whether each comparison depends on the same comparison at the time before.  Returns
    PatternFit: parameters "A:T1" and so on, then "UT1" and so on, "I12.13:T1" and so on, "12:IT12" and so
    on."""
    rated, own = kind == "ratings", _ratings(answers) if kind == "ratings" else _rankings(answers)
    n, times, n_items = answers.shape
    places = min(int(categories or 0), n_items)
    silent = np.asarray((own <= _NOTHING).all(axis=(1, 2)))
    pooled = pool(own.reshape(n, -1), group, weights, silent)
    patterns = weak_orders(n_items, places) if rated else _all_rankings(n_items)
    by_time = pooled.answers.reshape(-1, times, n_items)
    matched = agreeing if rated else _consistent
    agree = [matched(patterns, by_time[:, k]) for k in range(times)]
    depends = sharing(n_items) if dependence else ()
    signs = as_comparisons(patterns)
    stats = statistics(patterns, depends) if rated else signs.astype(float)
    maps, usual = _maps(terms, kind, dependence, between_times, times)
    likelihood = Likelihood(ChainSpace(stats, signs.astype(float), agree), pooled.group, maps)
    complete = all(a.nnz == len(by_time) for a in agree)
    called = usual if names is None else names
    estimate = maximum_likelihood(likelihood, pooled.weights, called, concave=complete)
    if rated:
        keys = (by_time >= 0).reshape(len(by_time), -1)
        each = [1, 1, *(n_weak_orders(m, places) for m in range(2, n_items + 1))]
    else:
        last = by_time.max(axis=2)  # the number of the last group: J - 1, or how many were ranked above it
        size = np.where(last == n_items - 1, n_items, last)
        keys = np.where((by_time < 0).any(axis=2), 0, size)
        each = [factorial(n_items) // factorial(n_items - m) for m in range(n_items + 1)]

    def count(row: IntArray) -> int:  # of what was rated, or of how many items were ranked, at each time
        return prod(each[m] for m in row.reshape(times, -1).sum(axis=1))

    return in_blocks(estimate, likelihood, pooled, keys, count)


#: A code without information: no rating (-1), or no item ranked.
_NOTHING = -1


def _ratings(table: IntArray) -> IntArray:
    """int[n, T, J]: places, -1 where there is none or only one rating."""
    flat = table.reshape(-1, table.shape[2])
    seen = (flat > 0) & ((flat > 0).sum(axis=1) > 1)[:, None]
    return dense_places(flat, seen).reshape(table.shape)


def _rankings(table: IntArray) -> IntArray:
    """int[n, T, J]: number of the group of each item, -1 at a time without a rank."""
    ranks = Ranks(dense(table.reshape(-1, table.shape[2])))
    tied = (ranks.ranks > 0).sum(axis=1) > ranks.ranks.max(axis=1)
    if tied.any():
        person, time = divmod(int(np.flatnonzero(tied)[0]), table.shape[1])
        raise InputError(f"person {person + 1} has equal ranks at time {time + 1}; rankings here are strict")
    groups = np.where((ranks.ranks > 0).any(axis=1, keepdims=True), ranks.groups, _NOTHING)
    return groups.reshape(table.shape)


def _all_rankings(n_items: int) -> IntArray:
    if n_items > MOST_RANKED:
        raise TooLargeError(
            f"repeated rankings of {n_items} items; the limit is {MOST_RANKED}. Fit each time alone: fit_mallows"
        )
    return np.array(list(permutations(range(n_items))), dtype=np.int64)


def _consistent(patterns: IntArray, groups: IntArray) -> sparse.csr_matrix:
    """sparse float[n, N]: rankings in which no item of a later group is ahead of one of an earlier group."""
    signs = as_comparisons(patterns)
    kinds, kind = np.unique(groups, axis=0, return_inverse=True)
    wanted = as_comparisons(kinds)
    agree = np.array([((signs == y) | (y == 0)).all(axis=1) for y in wanted], dtype=float)
    return sparse.csr_matrix(agree[kind.reshape(-1)])


def _maps(
    terms: Sequence[ItemTerm], kind: str, dependence: bool, between_times: bool, times: int
) -> tuple[list[FloatArray], list[str]]:
    """The maps of all times side by side, in prefmod's order: items of all times, ties, dependence, links."""
    maps, names = comparison_maps(terms, "one" if kind == "ratings" else None, dependence)
    c = n_pairs(len(terms[0].columns))
    links = (times - 1) * c
    between = np.eye(links) if between_times else np.zeros((links, 0))
    whole = [diagonal_blocks([m] * times + [between]) for m in maps]
    p = len(names)
    n_own = sum(len(t.names) for t in terms)
    n_tie = 1 if kind == "ratings" else 0
    parts = [range(n_own), range(n_own, n_own + n_tie), range(n_own + n_tie, p)]
    order = [k * p + j for part in parts for k in range(times) for j in part]
    order += list(range(times * p, times * p + between.shape[1]))
    every = [f"{name}T{k + 1}" if name == "U" else f"{name}:T{k + 1}" for k in range(times) for name in names]
    pairs = [f"{i + 1}{j + 1}" for j in range(len(terms[0].columns)) for i in range(j)]
    if between_times:
        every += [f"{pair}:IT{k + 1}{k + 2}" for k in range(times - 1) for pair in pairs]
    return [m[:, order] for m in whole], [every[k] for k in order]
