"""Slips of the data: the model is right, but is fitted to a table that was read in the wrong way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ...data.columns import natural_order
from ...data.wide import lexicographic_pair_order, prefmod_pair_order
from .registry import Draft, RowChange, Situation
from .rows import Rows

IntArray = NDArray[np.int64]

# -- changes of rows -----------------------------------------------------------------------------------------


def outcomes(order: Sequence[int]) -> RowChange:
    """Exchange answers: the answers at these positions are taken for (first, tie, second)."""
    return lambda rows: rows.with_counts(rows.y[:, list(order)])


def reversed_pair(pair: int) -> RowChange:
    """Exchange wins and losses of one pair."""
    return lambda rows: rows.with_counts(np.where((rows.pair == pair)[:, None], rows.y[:, ::-1], rows.y))


def read_as(pairs: IntArray) -> RowChange:
    """Take the counts of pair k for those of pair `pairs[k]`; in both the earlier item counts as first."""
    return lambda rows: replace(rows, pair=pairs[rows.pair])


def relabelled(place: Sequence[int]) -> RowChange:
    """Take item k for item `place[k]`."""

    def change(rows: Rows) -> Rows:
        at = np.asarray(place)[rows.pairs[rows.pair]]
        back = at[:, 0] > at[:, 1]
        low, high, n = at.min(axis=1), at.max(axis=1), len(rows.items)
        return replace(
            rows,
            pair=low * n - low * (low + 1) // 2 + high - low - 1,
            sign=np.where(back, -rows.sign, rows.sign),
            y=np.where(back[:, None], rows.y[:, ::-1], rows.y),
        )

    return change


def missing_as_ties(rows: Rows) -> Rows:
    """Add ties to every pair (of every judge and pattern) until it has as many answers as the largest."""
    cell = np.column_stack([rows.pattern, rows.judge, rows.pair])
    _, first, box = np.unique(cell, axis=0, return_index=True, return_inverse=True)
    total = np.bincount(np.ravel(box), rows.counts.sum(axis=1))
    missing = total.max() - total
    add = first[missing > 0]
    columns = {name: getattr(rows, name) for name in ("pair", "pattern", "sign", "judge")}
    more = {name: np.concatenate([c, c[add]]) for name, c in columns.items()}
    ties = np.tile([0.0, 1.0, 0.0], (len(add), 1))
    y, times = np.concatenate([rows.y, ties]), np.concatenate([rows.times, missing[missing > 0]])
    return replace(rows, **more, y=y, times=times)


def recycled(by_pair: bool) -> RowChange:
    """Label a table of judges x pairs column by column that was written out row by row, or the other way
    round.
    """

    def change(rows: Rows) -> Rows:
        judges, pairs = np.unique(rows.judge), np.unique(rows.pair)
        row, column = np.searchsorted(judges, rows.judge), np.searchsorted(pairs, rows.pair)
        j, p = len(judges), len(pairs)
        place = column * j + row if by_pair else row * p + column
        new_row, new_column = (place // p, place % p) if by_pair else (place % j, place // j)
        return replace(rows, pair=pairs[new_column], judge=judges[new_row])

    return change


# -- families ------------------------------------------------------------------------------------------------


def _whole(rows: Rows) -> bool:
    """Whether every pair was compared, so that the columns of a wide table can be mixed up."""
    return len(np.unique(rows.pair)) == len(rows.pairs)


def _pair_name(s: Situation, pair: int) -> str:
    i, j = s.rows.pairs[pair]
    return f"{s.rows.items[i]}:{s.rows.items[j]}"


def pair_order(s: Situation) -> Iterator[Draft]:
    n = len(s.rows.items)
    if n < 4 or not _whole(s.rows):
        return
    dictionary = {p: k for k, p in enumerate(lexicographic_pair_order(n))}
    taken = np.array([dictionary[p] for p in prefmod_pair_order(n)])
    yield Draft("the columns are read in prefmod's order", rows=read_as(taken))
    if (np.argsort(taken) != taken).any():
        yield Draft(
            "the columns are in prefmod's order and are read in that of a dictionary",
            rows=read_as(np.argsort(taken)),
            cost=2,
        )


def all_reversed(s: Situation) -> Iterator[Draft]:
    what = (
        "the rows of the matrix are taken for its columns"
        if s.matrix
        else "winners are taken for losers in every pair"
    )
    yield Draft(what, rows=outcomes((2, 1, 0)))


def response_coding(s: Situation) -> Iterator[Draft]:
    if not s.rows.tie_category:
        return
    names = ("a win of the first", "a tie", "a win of the second")
    for p in permutations(range(3)):
        if p not in ((0, 1, 2), (2, 1, 0)):
            read = "; ".join(
                f"the code of {names[k]} for that of {names[place]}"
                for place, k in enumerate(p)
                if place != k
            )
            yield Draft(f"the answers are coded otherwise ({read})", rows=outcomes(p))


def missing_as_undecided(s: Situation) -> Iterator[Draft]:
    filled = missing_as_ties(s.rows)
    added = float(filled.counts.sum() - s.rows.counts.sum())
    if s.rows.tie_category and added > 0:
        yield Draft(f"{added:g} missing answers are counted as undecided", rows=missing_as_ties)


def one_pair_reversed(s: Situation) -> Iterator[Draft]:
    wins = np.zeros(len(s.rows.pairs))
    np.add.at(wins, s.rows.pair, np.abs(s.rows.counts[:, 0] - s.rows.counts[:, 2]))
    for pair in np.flatnonzero(wins > 0):  # where wins are equal in every row, nothing would change
        yield Draft(
            f"the pair {_pair_name(s, pair)} is read the other way round", rows=reversed_pair(int(pair))
        )


def judge_major(s: Situation) -> Iterator[Draft]:
    judges, pairs = len(np.unique(s.rows.judge)), len(np.unique(s.rows.pair))
    regular = len(np.unique(np.column_stack([s.rows.judge, s.rows.pair]), axis=0)) == judges * pairs
    if judges > 1 and pairs > 1 and regular and not s.fit.spec.by:
        yield Draft("answers written out pair by pair are labelled judge by judge", rows=recycled(True))
        yield Draft("answers written out judge by judge are labelled pair by pair", rows=recycled(False))


def alphabetical(s: Situation) -> Iterator[Draft]:
    items = s.rows.items
    orders = {
        tuple(sorted(items, key=lambda i: (i.casefold(), i))),
        tuple(sorted(items)),
        natural_order(items),
    } - {items}
    seen = set()
    for order in sorted(orders):
        place = [order.index(i) for i in items]
        for way, words in (
            (place, "names in the order of the data stand beside numbers in alphabetical order"),
            (
                list(np.argsort(place)),
                "names in alphabetical order stand beside numbers in the order of the data",
            ),
        ):
            if tuple(way) not in seen:
                seen.add(tuple(way))
                yield Draft(words, rows=relabelled(way))


def labels_exchanged(s: Situation) -> Iterator[Draft]:
    n = len(s.rows.items)
    if n > 2:  # of two items it is the same as all pairs reversed
        for k in range(n - 1):
            place = list(range(n))
            place[k], place[k + 1] = k + 1, k
            yield Draft(
                f"{s.rows.items[k]} and {s.rows.items[k + 1]} carry each other's names",
                rows=relabelled(place),
            )
