"""Sets of items between which differences are finite, and how the sets stand to one another.

Two items belong to one set if the data determine their difference.  Without further terms these are the items that
have beaten or tied one another through chains, the strong components of the graph "was preferred to or tied with" (Ford
1957, American Mathematical Monthly 64(8), 28-33); in general those whose abilities move together along every direction
in which the likelihood is flat or grows without end.  Between sets the difference is plus infinity where a chain of
wins leads from the one to the other: along each such direction the winner's ability keeps up with the loser's.  Where
no chain leads either way nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Factor
from ..data.comparisons import Comparisons
from .record import NULL_TOLERANCE
from .warning import listed

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

ABOVE, BELOW, BETWEEN, APART = "above all", "below all", "between sets", "apart"
#: Items of a set that a sentence names.
MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class ItemSets:
    """Sets of items whose differences are finite.

    `of` int[n_items]: number of each item's set; 0 is the set with the most comparisons among its own items.
    above bool[n_sets, n_sets]: row differs from column by plus infinity.
    """

    of: IntArray
    above: BoolArray

    @property
    def n(self) -> int:
        """Number of sets."""
        return len(self.above)

    def members(self, k: int = 0) -> IntArray:
        """Places of the items of a set."""
        return np.flatnonzero(self.of == k)

    @cached_property
    def items_above(self) -> BoolArray:
        """bool[n_items, n_items]: row differs from column by plus infinity."""
        out: BoolArray = self.above[np.ix_(self.of, self.of)]
        return out

    @cached_property
    def status(self) -> tuple[str, ...]:
        """Of each item: "" in the set with the most comparisons, else how its set stands to the other sets.

        "above all" and "below all" are of all sets that can be compared with it; "between sets" has some above and
        some below, "apart" none.  Where each item is a set by itself none has comparisons, and all are told.
        """
        over, under = (np.atleast_1d(self.above.any(axis=k)).tolist() for k in (1, 0))
        words = [
            BETWEEN if up and down else ABOVE if up else BELOW if down else APART
            for up, down in zip(over, under)
        ]
        alone = self.n == len(self.of) > 1
        return tuple("" if k == 0 and not alone else words[k] for k in self.of)


def one_set(n_items: int) -> ItemSets:
    """All items in one set."""
    return ItemSets(np.zeros(n_items, np.int64), np.zeros((1, 1), bool))


def of_two_or_more(sets: ItemSets) -> Iterator[IntArray]:
    """Places of the items of each set of two items or more, and of the only set."""
    size = np.bincount(sets.of, minlength=sets.n)
    return (sets.members(int(k)) for k in np.flatnonzero((size > 1) | (sets.n == 1)))


def moving_together(moved: FloatArray) -> IntArray:
    """int[n]: equal labels for rows that are equal, of how abilities move along null directions, float[n, k].

    Rows are sorted by two random sums: that two rows which differ share both is as likely as two collisions of nine
    digits.
    """
    label = np.zeros(len(moved), np.int64)
    for at in np.random.default_rng(0).standard_normal((2, moved.shape[1])):
        along = moved @ at
        order = np.lexsort((along, label))
        new = (np.diff(along[order]) > NULL_TOLERANCE) | (np.diff(label[order]) != 0)
        label[order] = np.concatenate([[0], np.cumsum(new)])
    return label


def item_sets(moved: FloatArray, table: Comparisons, rows: BoolArray, chains: bool = True) -> ItemSets:
    """The sets of items.

    moved float[n_items, k]: how their abilities move along the null directions.  table: as it entered the
    likelihood.  rows bool[n_rows]: those that are about these abilities.  chains: whether a win says that the
    winner's ability keeps up: not where an order effect moves as well.
    """
    n = len(moved)
    if not moved.shape[1] or n == 0:
        return one_set(n)
    label = moving_together(moved)
    first, second = table.first[rows], table.second[rows]
    wins, losses = table.wins[rows], table.losses[rows]
    inside = label[first] == label[second]
    games = np.bincount(
        label[first[inside]], (wins + table.ties[rows] + losses)[inside], minlength=int(label.max()) + 1
    )
    size, start = np.bincount(label), np.unique(label, return_index=True)[1]
    number = np.empty(len(size), np.int64)
    number[np.lexsort((start, -size, -games))] = np.arange(len(size))
    of = number[label]
    above = np.zeros((len(size), len(size)), bool)
    if chains:
        above[of[first[wins > 0]], of[second[wins > 0]]] = True
        above[of[second[losses > 0]], of[first[losses > 0]]] = True
    above = chained(above)
    return ItemSets(of, above & ~above.T)


def rows_of(table: Comparisons, values: Iterable[tuple[str, object]]) -> BoolArray:
    """bool[n_rows]: rows with these values of covariates; a number (a slope), or what is no column, leaves none out."""
    rows = np.ones(table.n_rows, bool)
    for covariate, value in values:
        column = table.columns.get(covariate)
        if isinstance(column, Factor) and str(value) in column.levels:
            rows &= column.codes == column.levels.index(str(value))
    return rows


def chained(above: BoolArray) -> BoolArray:
    """Which chains lead from one to another, the diagonal left out."""
    reach = above | np.eye(len(above), dtype=bool)
    while True:
        further: BoolArray = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0.0
        if np.array_equal(further, reach):
            break
        reach = further
    np.fill_diagonal(reach, False)
    return reach


def in_words(sets: ItemSets, items: Sequence[str]) -> tuple[str, ...]:
    """What to know of several sets: how the items of each stand to the others."""
    out = []
    for k in range(1, sets.n):
        names = [items[i] for i in sets.members(k)]
        out.append(f"{listed(names, MOST_NAMED)}: {sets.status[int(sets.members(k)[0])]}")
    return tuple(out)
