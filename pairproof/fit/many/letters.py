"""Letters beside items: two items share one exactly if they were not told apart.

Insert and absorb (Piepho 2004, J. Comput. Graph. Statist. 13, 456-466): one column holds all items; each pair that
was told apart splits every column that holds both; columns inside another are dropped.  Sharing a letter is not
evidence that two items are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def groups(n: int, apart: Iterable[tuple[int, int]], order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Maximal sets of items of which no two were told apart, best first; an item may be in several.

    Parameters
    ----------
    n : int
        Number of items.
    apart : pairs of int
        Items that were told apart.
    order : sequence of int
        All items, best first.
    """
    columns = [frozenset(range(n))]
    for i, j in apart:
        split: dict[frozenset[int], None] = {}
        for column in columns:
            for part in (column - {i}, column - {j}) if i in column and j in column else (column,):
                split[part] = None
        columns = [c for c in split if not any(c < other for other in split)]
    place = {item: k for k, item in enumerate(order)}
    ranked = [tuple(sorted(column, key=place.__getitem__)) for column in columns]
    return tuple(sorted(ranked, key=lambda column: [place[item] for item in column]))


def letters(n: int, columns: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """The letters of each item, from `groups`: a, b, ..., z, then (27), (28), ..."""
    marks = [chr(ord("a") + k) if k < 26 else f"({k + 1})" for k in range(len(columns))]
    return tuple("".join(m for m, column in zip(marks, columns) if item in column) for item in range(n))
