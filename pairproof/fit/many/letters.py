"""Letters beside items: two items share one exactly if they were not told apart.

Each letter stands for a maximal set of items of which no two were told apart: Piepho's letter display (2004, J. Comput.
Graph. Statist. 13, 456-466) before letters that can be spared are swept out.  The sets are the maximal cliques of the
graph of pairs not told apart (Bron and Kerbosch 1973, Commun. ACM 16, 575-577, with pivots).  Sharing a letter is not
evidence that two items are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import TooLargeError

#: Sets beyond which nobody reads letters, and which bound the time.
MOST_SETS = 2_000
ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def groups(n: int, apart: Iterable[tuple[int, int]], order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Maximal sets of items of which no two were told apart, best first; an item may be in several.

    n: number of items.  apart: items that were told apart.  order: all items, best first.
    """
    near = [((1 << n) - 1) & ~(1 << i) for i in range(n)]
    for i, j in apart:
        near[i] &= ~(1 << j)
        near[j] &= ~(1 << i)
    place = {item: k for k, item in enumerate(order)}
    found: list[tuple[int, ...]] = []
    # Items taken, items that may still join, items whose sets were already listed; each a set of bits.
    waiting = [(0, (1 << n) - 1, 0)]
    while waiting:
        taken, may_join, done = waiting.pop()
        if not may_join and not done:
            found.append(tuple(sorted(_members(taken), key=place.__getitem__)))
            if len(found) > MOST_SETS:
                raise TooLargeError(
                    f"{n} items have more than {MOST_SETS:,} overlapping groups that cannot be told apart; rank sets and"
                    " contrasts do not need them"
                )
            continue
        pivot = max(_members(may_join | done), key=lambda v: (may_join & near[v]).bit_count())
        for v in _members(may_join & ~near[pivot]):
            waiting.append((taken | 1 << v, may_join & near[v], done & near[v]))
            may_join &= ~(1 << v)
            done |= 1 << v
    return tuple(sorted(found, key=lambda column: [place[item] for item in column]))


def groups_or_caution(
    n: int, apart: Iterable[tuple[int, int]], order: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[str, ...]]:
    """`groups` and no caution; or no groups and the sentence that says why."""
    try:
        return groups(n, apart, order), ()
    except TooLargeError as error:
        return (), (f"no letters: {error}",)


def _members(bits: int) -> list[int]:
    out = []
    while bits:
        low = bits & -bits
        out.append(low.bit_length() - 1)
        bits ^= low
    return out


def letters(n: int, columns: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """The letters of each item, from `groups`: a, ..., z, A, ..., Z, then (53), (54), ..."""
    marks: list[list[str]] = [[] for _ in range(n)]
    for k, column in enumerate(columns):
        for item in column:
            marks[item].append(ALPHABET[k] if k < len(ALPHABET) else f"({k + 1})")
    return tuple("".join(mark) for mark in marks)
