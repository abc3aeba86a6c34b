"""Rankings as arrays: which items were presented, and the sequence of groups.

A row of ranks has 1 for the best item, equal ranks for a tie, 0 for an item without a rank.  What an item
without a rank means is never guessed (Turner, van Etten, Firth and Kosmidis 2020, Computational Statistics
35, 1027-1057, take it as absent; prefmod's pattR as below all others):

    absent    the item was not presented; the ranking is one of the others
    below     it was presented, and every item with a rank was preferred to it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: What an item without a rank means.
Unranked = Literal["absent", "below"]


#: The codes of an item without a rank.
BELOW, ABSENT = 0, -1


@dataclass(frozen=True, eq=False)
class Ranks:
    """Dense ranks of J items by n persons.

    ranks int[n, J]: 1, 2, ... without gaps, equal for ties; BELOW (0) for an item below all others, ABSENT
    (-1) for one that was not presented.
    """

    ranks: IntArray

    @property
    def presented(self) -> BoolArray:
        """bool[n, J]: whether the person saw the item."""
        return np.asarray(self.ranks != ABSENT)

    @property
    def groups(self) -> IntArray:
        """int[n, J]: number of the group of each item from the best, 0 on; -1 for absent items.

        Items below all others are the last group.
        """
        last = np.maximum(self.ranks.max(axis=1, keepdims=True), 0)
        return np.asarray(np.where(self.ranks > 0, self.ranks - 1, np.where(self.ranks == BELOW, last, -1)))


def dense_ranks(
    ranks: IntArray, unranked: Unranked | None = None, presented: BoolArray | None = None
) -> Ranks:
    """Ranks without gaps, once they are checked.

    ranks int[n, J]: 1 = best; 0 for an item without a rank.  A single item below all others gets the last
    rank.  unranked: what 0 means; to be said if there is any, unless `presented` says it.  presented bool[n,
    J]: whether the person saw the item: 0 means "below" where it is true and "absent" elsewhere.
    """
    table = np.asarray(ranks)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError(f"ranks of shape {table.shape}; expected one row a person, one column an item")
    if unranked not in (None, "absent", "below"):
        raise InputError(f"unranked is {unranked!r}; expected 'absent' or 'below'")
    wrong = np.argwhere(~(np.isfinite(table) & (table >= 0)))
    if len(wrong):
        person, item = wrong[0]
        raise InputError(
            f"person {person + 1}, item {item + 1}: the rank is {table[person, item]}; expected 1 for the best"
            " item, 2 for the next, 0 without a rank"
        )
    if unranked is None and presented is None:
        _refuse_zero_based(table)
    meaning = _meaning(table, unranked, presented)
    order = np.argsort(table, axis=1, kind="stable")
    rising = np.take_along_axis(table, order, axis=1)
    steps = np.cumsum(np.diff(rising, axis=1, prepend=0) > 0, axis=1)
    found = np.empty(table.shape, dtype=np.int64)
    np.put_along_axis(found, order, steps, axis=1)
    found = np.where(table > 0, found, meaning)
    one = ((found == BELOW).sum(axis=1) == 1) & (found.max(axis=1) > 0)
    last = found.max(axis=1) + 1
    return Ranks(np.where((found == BELOW) & one[:, None], last[:, None], found))


def _refuse_zero_based(table: IntArray) -> None:
    sequence = np.arange(table.shape[1])
    if len(table) > 1 and (np.sort(table, axis=1) == sequence).all():
        raise InputError(
            f"every row has the ranks 0 to {len(sequence) - 1}: 0 seems to be the best item; add 1 to all ranks"
        )


def _meaning(table: IntArray, unranked: Unranked | None, presented: BoolArray | None) -> IntArray:
    """int[n, J]: BELOW or ABSENT, for the items without a rank."""
    if presented is None:
        gaps = np.argwhere(table == 0)
        if len(gaps) and unranked is None:
            person, item = gaps[0]
            raise InputError(
                f'person {person + 1} has no rank for item {item + 1}; say what that means: unranked="absent" (not'
                ' presented) or unranked="below" (presented, and below all items with a rank)'
            )
        return np.full(table.shape, BELOW if unranked == "below" else ABSENT, dtype=np.int64)
    seen = np.asarray(presented, dtype=bool)
    if seen.shape != table.shape:
        raise InputError(f"presented has the shape {seen.shape}, ranks {table.shape}")
    wrong = np.argwhere((table > 0) & ~seen)
    if len(wrong):
        person, item = wrong[0]
        raise InputError(f"person {person + 1} ranked item {item + 1}, which was not presented")
    return np.where(seen, BELOW, ABSENT).astype(np.int64)


def above(ranks: Ranks) -> BoolArray:
    """Whether some person ranked item i strictly above item j.

    Returns bool[J, J].
    """
    groups = np.unique(ranks.groups, axis=0)
    found = np.zeros((groups.shape[1],) * 2, dtype=bool)
    for row in groups:
        there = row >= 0
        found |= there[:, None] & there[None, :] & (row[:, None] < row[None, :])
    return found


def linked_sets(edges: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Sets of items each of which can be reached from every other of its set along the edges, best set first.

    A set stands before those that its items are above of.  One set: the network is connected (Ford 1957).

    edges bool[J, J].
    """
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
