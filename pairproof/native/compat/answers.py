"""Defects of reading answers: B1, B4, B18, B20, B22, B24, A18.

prefmod never asks what a code means.  It takes the number of categories from the values that occur and cuts at the
middle of the range (pattPC.fit, llbtPC.fit: of the values; llbt.design: the median of the different values; patt.design:
the range of the first J columns).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor, FloatArray, IntArray
from ...data.wide import lexicographic_pair_order, prefmod_pair_order
from .call import Call

MISSING = 9


def columns_in_another_order(call: Call) -> Call | None:
    """B24: columns 12 13 14 23 ... are read as 12 13 23 14 ..."""
    n = len(call.table.items)
    place = {pair: k for k, pair in enumerate(prefmod_pair_order(n))}
    given = [place[pair] for pair in lexicographic_pair_order(n)]
    return None if given == sorted(given) else call.rebuilt(call.table.answers[..., given])


def observed_categories(call: Call) -> Call | None:
    """B4: the categories are the values that occur (and, in pattPC.fit, B1 decides their number)."""
    if call.function == "patt.design":
        return _changed(call, *patt_design(call.coded(), None))
    x = _turned(call.coded())
    odd = _n_values(x) % 2 == 1
    if call.function == "llbt.design":
        middle = float(np.median(np.unique(x[~np.isnan(x)])))
    else:
        middle = _middle(x)
    return _changed(call, _cut(x, middle, odd), odd)


def ties_as_losses(call: Call) -> Call | None:
    """B1: binary if any comparison has an even number of different answers; cut at the middle of the instrument."""
    x = _turned(call.coded())
    even = any(_n_values(column) % 2 == 0 for column in x.T)
    if not even or not call.table.tie_category:
        return None
    return _changed(call, _cut(x, float(_turned(np.array(call.codes))[1]), False), False)


def product_of_observed(call: Call) -> Call | None:
    """B1 and B4 together, as pattPC.fit has them."""
    x = _turned(call.coded())
    odd = all(_n_values(column) % 2 == 1 for column in x.T)
    return _changed(call, _cut(x, _middle(x), odd), odd)


def range_of_the_first_columns(call: Call) -> Call | None:
    """B20: patt.design cuts at the middle of the range of the first J columns."""
    n = len(call.table.items)
    codes = call.coded()
    if codes.shape[1] <= n:
        return None
    found = patt_design(codes, n)
    whole = patt_design(codes, None)
    same = found[1] == whole[1] and np.array_equal(found[0], whole[0])
    return None if same else _changed(call, *found)


def patt_design(codes: FloatArray, first: int | None) -> tuple[IntArray, bool]:
    """Answers and whether there are ties, as patt.design reads complete rows.

    codes float[n_rows, C].  `first`: the range is that of this number of first columns; None: of all.
    """
    of_range = codes if first is None else codes[:, :first]
    n_categories = int(np.nanmax(of_range) - np.nanmin(of_range)) + 1
    low, high = float(np.nanmin(codes)), float(np.nanmax(codes))
    reverse = low + high == 0
    x, middle = codes - low + 1, (n_categories + 1) / 2
    odd = n_categories % 2 == 1 and bool((x == middle).any())
    answers = _cut(x, middle, odd)
    return (-answers_kept(answers) if reverse and n_categories % 2 == 1 else answers), odd


def answers_kept(answers: IntArray) -> IntArray:
    """Answers with the sign of missing ones taken back, so that a change of sign leaves them missing."""
    return np.where(answers == MISSING, -MISSING, answers)


def observed_range(call: Call) -> Call | None:
    """B18: the scale is the range of the ratings that occur, of persons with at least two (at one time)."""
    answers = call.table.answers
    flat = answers.reshape(call.n_rows, -1)
    kept = (flat > 0).sum(axis=1) > 1
    used = flat[kept]
    low, high = int(used[used > 0].min()), int(used.max())
    if (low, high) == (1, len(call.table.scale)):
        return None
    if low == high:
        return None  # prefmod stops: "non-conformable arguments"
    inside = np.where((answers > 0) & kept[:, None, None], answers - low + 1, 0)
    return call.rebuilt(inside, scale=call.table.scale[low - 1 : high])


def first_block_complete(call: Call) -> Call | None:
    """B22: a column `incomplete`, 1 for all patterns of gaps but the first in the order of prefmod."""
    gaps = (call.table.pair_answers[:, 0] == MISSING).astype(int)
    if not gaps.any():
        return None
    words = np.array(["".join(map(str, row)) for row in gaps])
    group = (words != min(words)).astype(np.int64)
    columns: dict[str, Column] = {**call.table.columns, "incomplete": Factor(group, ("no", "yes"))}
    changed = call.rebuilt(call.table.answers, columns=columns)
    return replace(changed, by="incomplete")


def tied_ranks_left_out(call: Call) -> Call | None:
    """A18: rankings in which two items have one rank are left out."""
    ranks = call.table.answers[:, 0]
    tied = (ranks > 0).sum(axis=1) > ranks.max(axis=1).clip(0)
    if not tied.any():
        return None
    left = call.select(~tied)
    return left.rebuilt(left.table.answers, tie_category=False)


def _turned(x: FloatArray) -> FloatArray:
    """Codes with a negative one change their sign: positive is then second preferred."""
    return -x if np.nanmin(x) < 0 else x


def _n_values(x: FloatArray) -> int:
    return len(np.unique(x[~np.isnan(x)]))


def _middle(x: FloatArray) -> float:
    return float(np.nanmin(x) + np.nanmax(x)) / 2.0


def _cut(x: FloatArray, middle: float, with_ties: bool) -> IntArray:
    """Below the middle the first item, above it the second; at it a tie, or the second."""
    with np.errstate(invalid="ignore"):
        found = np.where(x < middle, 1, np.where((x == middle) & with_ties, 0, -1))
    return np.where(np.isnan(x), MISSING, found).astype(np.int64)


def _changed(call: Call, answers: IntArray, ties: bool) -> Call | None:
    if ties == call.table.tie_category and np.array_equal(answers, call.table.once):
        return None
    return call.rebuilt(answers, tie_category=bool(ties))


def ties_lost(before: Call, after: Call) -> tuple[int, int]:
    """How many ties became preferences, and how many preferences ties.

    before, after: with the same persons and comparisons.
    """
    a, b = before.table.answers, after.table.answers
    changed: NDArray[np.bool_] = a != b
    return int((changed & (a == 0)).sum()), int((changed & (b == 0)).sum())
