"""The pairs of systems that a table compares, and the answers about one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.tracks import check_one_track
from ...data.where import hint
from ...errors import InputError, ItemError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PairAnswers:
    """The answers about two systems, row by row in the order of the table.

    rows int[n]: rows of the table that compare the two.  wins, ties, losses float[n]: from the side of the
    first of `names`.
    """

    table: Comparisons
    names: tuple[str, str]
    rows: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray

    @property
    def judge(self) -> Factor | None:
        """The judge of each row, or None without a judge column."""
        judge = self.table.columns.get("judge")
        if not isinstance(judge, Factor):
            return None
        codes = judge.codes[self.rows]
        if (codes < 0).any():
            row = int(self.rows[np.flatnonzero(codes < 0)[0]])
            raise InputError(
                f"{self.table.source}, row {row + 1}: no judge; every row needs one, or leave the column out"
            )
        return Factor(codes, judge.levels)

    @property
    def answered(self) -> PairAnswers:
        """Without the rows that hold no answer."""
        used = self.wins + self.ties + self.losses > 0
        return PairAnswers(
            self.table, self.names, self.rows[used], self.wins[used], self.ties[used], self.losses[used]
        )


def pairs_in_order(table: Comparisons) -> list[tuple[str, str]]:
    """(first, second) of every pair compared, in the order and the direction in which the table first names it."""
    check_one_track(table)
    used = table.wins + table.ties + table.losses > 0
    found: dict[frozenset[int], tuple[int, int]] = {}
    for a, b in zip(table.first[used].tolist(), table.second[used].tolist()):
        found.setdefault(frozenset((a, b)), (a, b))
    return [(table.items[a], table.items[b]) for a, b in found.values()]


def one_pair(table: Comparisons, first: str | None, second: str | None) -> tuple[str, str]:
    """The two systems that are named, or the only pair of the table."""
    pairs = pairs_in_order(table)
    if first is None and second is None:
        if len(pairs) != 1:
            raise InputError(
                f"{table.source}: {len(pairs)} pairs of systems are compared; name the two (--pair A,B), or compare"
                " all of them"
            )
        return pairs[0]
    for name in (first, second):
        if name not in table.items:
            raise ItemError(
                f"{table.source}: no system {name!r}; the systems are {', '.join(table.items[:20])}"
                + hint(table.narrowed, str(name))
            )
    a, b = str(first), str(second)
    if a == b:
        raise ItemError(f"{first!r} against itself is no comparison; name two systems")
    if (a, b) not in pairs and (b, a) not in pairs:
        raise InputError(f"{table.source}: {first!r} and {second!r} were never compared")
    return a, b


def answers_of(table: Comparisons, first: str, second: str) -> PairAnswers:
    """The answers about two systems, from the first one's side.

    `first`, second: two of its systems.
    """
    a, b = table.items.index(first), table.items.index(second)
    same, turned = (table.first == a) & (table.second == b), (table.first == b) & (table.second == a)
    rows = np.flatnonzero(same | turned)
    wins = np.where(turned, table.losses, table.wins)[rows]
    losses = np.where(turned, table.wins, table.losses)[rows]
    return PairAnswers(table, (first, second), rows, wins, table.ties[rows], losses)
