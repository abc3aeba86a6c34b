"""Fit ratings or rankings of the same persons at several points in time, prefmod's pattLrep and pattRrep.

Each time has item parameters and, for ratings, a parameter of ties of its own; comparisons may depend on each
other within a time, and each comparison on the same one at the time before (Hatzinger and Dittrich 2012,
Journal of Statistical Software 48(10)).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import factorial, prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....errors import InputError, TooLargeError
from ..comparisons.pairs import n_pairs, sharing
from ..estimate import maximum_likelihood
from ..likelihood import Likelihood
from ..maps import ItemTerm, comparison_maps, diagonal_blocks
from ..pooled import PatternFit, blocks, exact_counts, pool
from ..rankings.ranks import Ranks, dense_ranks
from ..ratings.space import agreeing, statistics
from ..ratings.weak_orders import as_comparisons, dense_places, n_weak_orders, weak_orders
from .chain import ChainSpace

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

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
    others); a time at which a person rated fewer than two items, or ranked none, is missing.  terms: of the
    items' parameters lambda, at each time.  categories: of the rating scale.  group int[n_persons]: covariate
    group of each person.  weights float[n_persons]: number of persons with the answers.  dependence: whether
    comparisons that share an item depend on each other within a time (ratings only).  between_times: whether
    each comparison depends on the same comparison at the time before.  Returns PatternFit: parameters "A:T1"
    and so on, then "UT1" and so on, "I12.13:T1" and so on, "12:IT12" and so on.
    """
    table = np.asarray(answers)
    if table.ndim != 3 or table.shape[1] < 2 or not terms or table.shape[2] != len(terms[0].columns):
        raise InputError(
            f"answers of shape {table.shape}; expected persons x times (2 or more) x the items of the terms"
        )
    if kind not in ("ratings", "rankings"):
        raise InputError(f"kind is {kind!r}; expected 'ratings' or 'rankings'")
    if kind == "ratings":
        own = _ratings(table, categories)
    else:
        if dependence:
            raise InputError(
                "dependence within a time has no meaning for rankings, whose comparisons are transitive"
            )
        own = _rankings(table)
    n, times, n_items = table.shape
    silent = (own <= _NOTHING).all(axis=(1, 2))
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    pooled = pool(own.reshape(n, -1), group, np.where(silent, 0.0, w) if w.shape == silent.shape else w)
    patterns = (
        weak_orders(n_items, _places(categories, n_items)) if kind == "ratings" else _all_rankings(n_items)
    )
    by_time = pooled.answers.reshape(-1, times, n_items)
    agree = [
        agreeing(patterns, by_time[:, k]) if kind == "ratings" else _consistent(patterns, by_time[:, k])
        for k in range(times)
    ]
    depends = sharing(n_items) if dependence else ()
    signs = as_comparisons(patterns)
    stats = statistics(patterns, depends) if kind == "ratings" else signs.astype(float)
    maps, usual = _maps(terms, kind, dependence, between_times, times)
    space = ChainSpace(stats, signs.astype(float), agree)
    complete = all(a.nnz == len(by_time) for a in agree)
    estimate = maximum_likelihood(
        Likelihood(space, pooled.group, maps),
        pooled.weights,
        usual if names is None else names,
        concave=complete,
    )
    block, possible = _blocks(by_time, pooled.group, kind, categories)
    return PatternFit(estimate, Likelihood(space, pooled.group, maps), pooled, block, possible)


#: A code without information: no rating (-1), or no item ranked.
_NOTHING = -1


def _places(categories: int | None, n_items: int) -> int:
    return min(int(categories or 0), n_items)


def _ratings(table: IntArray, categories: int | None) -> IntArray:
    """int[n, T, J]: places, -1 where there is none or only one rating."""
    if categories is None or categories < 2:
        raise InputError(f"categories is {categories}; say how many the rating scale has, 2 or more")
    wrong = np.argwhere(~np.isin(table, np.arange(categories + 1)))
    if len(wrong):
        i, k, j = wrong[0]
        raise InputError(
            f"person {i + 1}, time {k + 1}, item {j + 1}: the rating is {table[i, k, j]}; expected 1 to {categories},"
            " or 0 for none"
        )
    flat = table.reshape(-1, table.shape[2])
    seen = (flat > 0) & ((flat > 0).sum(axis=1) > 1)[:, None]
    return dense_places(flat.astype(np.int64), seen).reshape(table.shape)


def _rankings(table: IntArray) -> IntArray:
    """int[n, T, J]: number of the group of each item, -1 at a time without a rank."""
    ranks = dense_ranks(table.reshape(-1, table.shape[2]), "below")
    tied = (ranks.ranks > 0).sum(axis=1) > ranks.ranks.max(axis=1)
    if tied.any():
        person, time = divmod(int(np.flatnonzero(tied)[0]), table.shape[1])
        raise InputError(f"person {person + 1} has equal ranks at time {time + 1}; rankings here are strict")
    groups = Ranks(ranks.ranks).groups
    groups = np.where((ranks.ranks > 0).any(axis=1)[:, None], groups, _NOTHING)
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


def _blocks(
    by_time: IntArray, group: IntArray, kind: str, categories: int | None
) -> tuple[IntArray, FloatArray]:
    """Blocks: what was rated at each time, or how many items were ranked."""
    n, times, n_items = by_time.shape
    if kind == "ratings":
        rated = by_time >= 0
        block = blocks(np.column_stack([group, rated.reshape(n, -1)]))
        size = rated.sum(axis=2)
        each = {m: n_weak_orders(m, _places(categories, n_items)) if m > 1 else 1 for m in range(n_items + 1)}
    else:
        last = by_time.max(axis=2)  # the number of the last group: J - 1, or how many were ranked above it
        size = np.where((by_time < 0).any(axis=2), 0, np.where(last == n_items - 1, n_items, last))
        block = blocks(np.column_stack([group, size]))
        each = {m: factorial(n_items) // factorial(n_items - m) for m in range(n_items + 1)}
    possible = [0] * (int(block.max()) + 1)
    for number, sizes in zip(block, size):
        possible[number] = prod(each[int(m)] for m in sizes)
    return block, exact_counts(possible)
