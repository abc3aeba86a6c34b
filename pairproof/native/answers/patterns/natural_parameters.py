"""The comparisons of J items in prefmod's order, and the maps from free parameters to natural parameters.

    pairs: (1 2) (1 3) (2 3) (1 4) (2 4) (3 4) ...; the second item runs in the outer loop
    dependence: for each item, all pairs of the comparisons that it is part of, J (J - 1) (J - 2) / 2 in all

An answer to a comparison is +1 (first item preferred), 0 (undecided), -1 (second) or MISSING (Hatzinger and
Dittrich 2012, Journal of Statistical Software 48(10)).  An item's parameter in covariate group s is a sum of
terms,

    lambda_js = sum_k x_sk (Z_k b_k)_j,

x_sk the value of a subject covariate (1 for the main effects), Z_k columns over the items: all items but the
reference, an item covariate, or a single item.  Each term chooses its own Z_k, so that an item covariate may
interact with one subject covariate and not with another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from ....errors import InputError
from ....numerics.arrays import FloatArray, IntArray


def n_pairs(n_items: int) -> int:
    """Number C = J (J - 1) / 2 of comparisons."""
    return n_items * (n_items - 1) // 2


def pairs_of(n_items: int) -> tuple[IntArray, IntArray]:
    """First and second item of each comparison."""
    both = [(i, j) for j in range(n_items) for i in range(j)]
    return np.array([i for i, _ in both], dtype=np.int64), np.array([j for _, j in both], dtype=np.int64)


def pair_names(items: Sequence[str]) -> list[str]:
    """`A:B` of each comparison, in prefmod's order."""
    return [f"{items[i]}:{items[j]}" for i, j in zip(*pairs_of(len(items)))]


def incidence(n_items: int) -> FloatArray:
    """The matrix that takes items' parameters to those of comparisons: +1 first, -1 second.
    Returns float[C, J]."""
    first, second = pairs_of(n_items)
    found = np.zeros((len(first), n_items))
    at = np.arange(len(first))
    found[at, first] = 1.0
    found[at, second] = -1.0
    return found


@lru_cache(maxsize=32)
def sharing(n_items: int) -> tuple[tuple[int, int], ...]:
    """Pairs of comparisons that share an item, in prefmod's order of its `ia` parameters.
    Returns tuple of (int, int): numbers of comparisons, for each common item in turn."""
    first, second = pairs_of(n_items)
    found = []
    for common in range(n_items):
        own = [int(c) for c in np.flatnonzero((first == common) | (second == common))]
        found += [(a, b) for k, a in enumerate(own) for b in own[k + 1 :]]
    return tuple(found)


def sharing_names(n_items: int) -> tuple[str, ...]:
    """prefmod's names of the `ia` parameters."""
    first, second = pairs_of(n_items)
    label = [f"{i + 1}{j + 1}" for i, j in zip(first, second)]
    return tuple(f"I{label[a]}.{label[b]}" for a, b in sharing(n_items))


def statistics_of(y: IntArray, ternary: bool, depends: Sequence[tuple[int, int]]) -> FloatArray:
    """float[n, q]: of complete answers int[n, C]: y_c, u_c if ternary, and y_a y_b of those that depend on each
    other."""
    a, b = np.array(depends, dtype=np.int64).reshape(-1, 2).T
    undecided = [y == 0] if ternary else []
    return np.hstack([y, *undecided, y[:, a] * y[:, b]]).astype(float)


#: How "undecided" enters: not at all (its parameter is 0), one parameter for all comparisons, one for each.
Undecided = Literal["zero", "one", "each"]


@dataclass(frozen=True, eq=False)
class ItemTerm:
    """A term of the items' parameters.
    columns float[J, r]: over the items.  subject float[n_groups]: the subject covariate's value in each
    group; 1 for main effects.  names: of the r parameters.  items: names of the J items, for messages; "item
    1" and so on if not given."""

    columns: FloatArray
    subject: FloatArray
    names: tuple[str, ...]
    items: tuple[str, ...] = ()


def main_effects(items: Sequence[str], n_groups: int = 1, reference: int = -1) -> ItemTerm:
    """One parameter for each item but the reference, the same in all groups."""
    kept = np.delete(np.arange(len(items)), reference)
    return ItemTerm(
        np.eye(len(items))[:, kept], np.ones(n_groups), tuple(items[k] for k in kept.tolist()), tuple(items)
    )


def interaction(term: ItemTerm, subject: FloatArray, name: str) -> ItemTerm:
    """A term whose parameters are slopes along a subject covariate.
    subject float[n_groups]: the covariate's value in each group."""
    return ItemTerm(term.columns, subject, tuple(f"{own}:{name}" for own in term.names), term.items)


def item_maps(terms: Sequence[ItemTerm]) -> tuple[list[FloatArray], tuple[str, ...]]:
    """The matrices from the terms' parameters to the items', one for each group, and the parameters'
    names."""
    names = tuple(name for term in terms for name in term.names)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"two parameters are named {twice[0]!r}; name the terms apart")
    maps = [np.hstack([t.subject[s] * t.columns for t in terms]) for s in range(len(terms[0].subject))]
    return maps, names


def comparison_maps(
    terms: Sequence[ItemTerm], undecided: Undecided | None, dependence: bool
) -> tuple[list[FloatArray], tuple[str, ...]]:
    """The matrices from parameters to the natural parameters of comparisons.
    dependence: whether a parameter for each two comparisons that share an item follows.  Returns (list of
    float[q, p], tuple of str): natural parameters are those of y_c, of u_c unless `undecided` is None, and of
    y_a y_b if there is dependence; "U" or "U12" and so on, "I12.13" and so on, are the names of the last
    parameters."""
    of_items, names = item_maps(terms)
    n_items = len(of_items[0])
    n = n_pairs(n_items)
    u = {"one": np.ones((n, 1)), "each": np.eye(n)}.get(str(undecided), np.zeros((n, 0)))
    parts = [] if undecided is None else [u]
    more = ["U"] if undecided == "one" else []
    if undecided == "each":
        more = [f"U{j + 1}{k + 1}" for k in range(n_items) for j in range(k)]
    if dependence:
        parts.append(np.eye(len(sharing(n_items))))
        more += sharing_names(n_items)
    maps = [diagonal_blocks([incidence(n_items) @ matrix, *parts]) for matrix in of_items]
    return maps, (*names, *more)


def diagonal_blocks(parts: Sequence[FloatArray]) -> FloatArray:
    """The matrix with these blocks along its diagonal, blocks without rows or columns among them.
    Returns float[sum of n, sum of p]."""
    found = np.zeros((sum(len(p) for p in parts), sum(p.shape[1] for p in parts)))
    row = column = 0
    for part in parts:
        found[row : row + len(part), column : column + part.shape[1]] = part
        row, column = row + len(part), column + part.shape[1]
    return found
