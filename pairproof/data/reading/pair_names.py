"""A check that the names of pair columns agree with the order that was stated for them.

A header such as `A:B, A:C, A:D, B:C, B:D, C:D` tells which pair each column is.  Read in another order
it gives other numbers and no warning (Dras 2015: 30.646 for 30.455), so a header that contradicts the stated
order is refused.

Names count only if each of them states a different pair in one and the same way: two item names (or two
item numbers, from 1 or from 0) with the same thing between them, after the same beginning: `A:B`, `A-B`,
`AB`, `A vs B`, `A>B`, `1:2`, `12`, `comp12`, `V1_2`, `o1.o2`.  If they can be read in several ways, it is
enough that one fits the stated order.  Other names (V1, V2, V3, ...) are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from os.path import commonprefix
from typing import Any

from ...errors import PairOrderError
from ...text import quoted
from ..wide import Pairs, lexicographic_pair_order, prefmod_pair_order

#: What stands between the two items of a pair; the longer first, so that " vs " is not read as "v" and
#: blanks.
BETWEEN = (
    " versus ", " vs. ", " vs ", "_vs_", ".vs.", "-vs-", "versus", "vs", " v ", " > ", " : ", " - ", " / ",
    ">", ":", "-", "_", ".", "/", "|", ",", ";", "~", "&", "+", "x", " ", "",
)  # fmt: skip
#: Characters that all names may begin with before the pair, as `comparison_`.
_LONGEST_BEGINNING = 40


def check_pair_names(
    names: Sequence[str], items: Sequence[str], order: Pairs, stated: str | None, source: str
) -> None:
    """Refuse an order that the names of its columns contradict.

    order: positions of the items of each column, as stated.  stated: "prefmod" or "lexicographic"; None for
    pairs that were listed one by one, where ("B", "A") on a column `A:B` says that its codes are seen from
    B's side.
    """
    contradiction: Pairs | None = None
    for found in _readings(names, items):
        if _fits(found, order, stated):
            return
        contradiction = contradiction or found
    if contradiction is not None:
        raise PairOrderError(_refusal(names, items, order, stated, contradiction, source))


def _fits(found: Pairs, order: Pairs, stated: str | None) -> bool:
    if stated is None:
        return all(set(a) == set(b) for a, b in zip(found, order))
    return found == order


def _readings(names: Sequence[str], items: Sequence[str]) -> Iterator[Pairs]:
    """Every way in which all the names are different pairs, the most telling first."""
    beginning = commonprefix(list(names))[:_LONGEST_BEGINNING]
    for vocabulary in _vocabularies(names, items):
        for between in BETWEEN:
            for start in range(len(beginning) + 1):
                found = _read(names, start, between, vocabulary)
                if found is not None:
                    yield found


def _vocabularies(names: Sequence[str], items: Sequence[str]) -> Iterator[Mapping[str, int]]:
    """Label -> position: the items' names, also in other case; their numbers from 1 and from 0, also as o1,
    o2, ...
    """
    n = len(items)
    yield {item: k for k, item in enumerate(items)}
    folded = {item.casefold(): k for k, item in enumerate(items)}
    if len(folded) == n and any(item != item.casefold() for item in items):
        yield _AnyCase(folded)
    if n < 3:  # two items have one pair, and no order: a lone "V21" is a column, not a pair
        return
    lettered = re.match(r"([A-Za-z]+)[0-9]", names[0])
    for first in (1, 0):
        for width in (1, len(str(n + first - 1)), 2):
            yield {str(k + first).zfill(width): k for k in range(n)}
        if lettered:
            yield {f"{lettered[1]}{k + first}": k for k in range(n)}


class _AnyCase(dict[str, int]):
    """Labels found in any case."""

    def get(self, label: Any, default: Any = None) -> Any:
        """The position of a label, whatever its case."""
        return super().get(label.casefold(), default)


def _read(names: Sequence[str], start: int, between: str, vocabulary: Mapping[str, int]) -> Pairs | None:
    """The pairs that the names state; None if a name is no pair, has two readings, or repeats a pair."""
    found: list[tuple[int, int]] = []
    seen: set[tuple[int, int]] = set()
    for name in names:
        pair = _pair(name[start:], between, vocabulary)
        if pair is None or (min(pair), max(pair)) in seen:
            return None
        seen.add((min(pair), max(pair)))
        found.append(pair)
    return tuple(found)


def _pair(text: str, between: str, vocabulary: Mapping[str, int]) -> tuple[int, int] | None:
    found: tuple[int, int] | None = None
    at = text.find(between, 1)
    while 0 < at < len(text):
        a, b = vocabulary.get(text[:at]), vocabulary.get(text[at + len(between) :])
        if a is not None and b is not None and a != b:
            if found is not None:
                return None
            found = (a, b)
        at = text.find(between, at + 1)
    return found


def _refusal(
    names: Sequence[str], items: Sequence[str], order: Pairs, stated: str | None, found: Pairs, source: str
) -> str:
    odd = [k for k, (a, b) in enumerate(zip(found, order)) if (a != b if stated else set(a) != set(b))]
    shown = [
        f"{quoted(names[k], 40)} (column {k + 1}) {'would be' if stated else 'is'} read as"
        f" {_words(order[k], items)}"
        for k in odd[:3]
    ]
    more = f" and {len(odd) - 3:,} more" if len(odd) > 3 else ""
    what = f"pair_order={stated!r}" if stated else "the pairs listed in pair_order"
    return (
        f"{source}: the names of {len(odd)} of the {len(names)} pair columns contradict {what}:"
        f" {'; '.join(shown)}{more}. {_cure(found, order, items, stated)}; if the names mean something else"
        " say pair_names='ignore' (--pair-names ignore)"
    )


def _cure(found: Pairs, order: Pairs, items: Sequence[str], stated: str | None) -> str:
    n = len(items)
    for name, usual in (("prefmod", prefmod_pair_order), ("lexicographic", lexicographic_pair_order)):
        if len(found) == n * (n - 1) // 2 and found == usual(n):
            return f"The names are in the order pair_order={name!r}: say that"
    if stated and all(set(a) == set(b) for a, b in zip(found, order)):
        return (
            "The names have the other item first, whose preference the code for 'first' would be: list the"
            " pairs in pair_order as they are meant"
        )
    listed = ", ".join(f"({items[a]!r}, {items[b]!r})" for a, b in found[:3]) + (
        ", ..." if len(found) > 3 else ""
    )
    return (
        f"As the names have it the order is {listed}: list the pairs so in pair_order, or put the columns in"
        " order"
    )


def _words(pair: tuple[int, int], items: Sequence[str]) -> str:
    return " against ".join(quoted(items[k], 40) for k in pair)
