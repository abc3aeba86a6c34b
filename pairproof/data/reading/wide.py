"""prefmod's layout: one column a pair, one row a respondent.

Nothing here has a default that could be wrong in silence: the items, the order of the pairs and the meaning
of the codes are stated or it is an error.  A row is one respondent, whose comparisons go together: a column
`judge` or `person` says who, else the number of the row does, as `person`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Union

import numpy as np
from numpy.typing import NDArray

from ...errors import CodingError, InputError, ItemError, PairOrderError
from ...text import listed, named, quoted
from ..comparisons import Comparisons
from ..wide import Pairs, named_pair_order
from .assemble import assemble, has_tie_category
from .cells import labels
from .coding import FIRST, MISSING, SECOND, TIE, Coding, CodingLike
from .items import Options
from .pair_names import check_pair_names
from .table import Table, repeated, suggestion

#: "prefmod", "lexicographic", "AB,AC,...", ["AB", "AC", ...] or [("A", "B"), ...].
PairOrderLike = Union[str, Sequence[Union[str, tuple[str, str]]]]
#: Whether the names of the pair columns are held against their order.
PairNames = Literal["check", "ignore"]
#: Roles of a column that holds no responses, wherever it stands.
NO_PAIRS = ("judge", "person", "weight", "source", "order")
#: Characters of a stated pair in which the end of the first name is looked for.
_LONGEST_PAIR = 10_000
#: Between the two names of a stated pair, if anything.
SEPARATORS = ("", "-", ":", "_", " ", "/")


def read_wide(
    table: Table,
    options: Options,
    pair_order: PairOrderLike | None,
    pairs: Sequence[str] | None,
    coding: CodingLike | None,
    pair_names: PairNames | None = None,
) -> Comparisons:
    """Comparisons of a wide table; arguments as in :func:`pairproof.data.reading.from_wide`."""
    names, order, answers = wide_answers(table, options, pair_order, pairs, coding, pair_names)
    made = answers != MISSING
    row_of, pair_of = np.nonzero(made)
    given = answers[made]
    first, second = np.array(order).T
    tied = (answers == TIE).any(axis=1)
    tie_column = names[int(np.argmax((answers == TIE).any(axis=0)))]
    return assemble(
        table,
        options,
        options.items or (),
        first[pair_of],
        second[pair_of],
        ((given == FIRST).astype(float), (given == TIE).astype(float), (given == SECOND).astype(float)),
        tie_category=has_tie_category(table, options, tied, tie_column),
        used=names,
        row_of=row_of,
        of_persons=True,
    )


def wide_answers(
    table: Table,
    options: Options,
    pair_order: PairOrderLike | None,
    pairs: Sequence[str] | None,
    coding: CodingLike | None,
    pair_names: PairNames | None = None,
) -> tuple[list[str], Pairs, NDArray[np.int8]]:
    """(pair columns, positions of their items, int[n_rows, n_columns] FIRST, TIE, SECOND or MISSING)."""
    items = options.items
    if items is None:
        raise ItemError(
            f"{table.source}: the items are not stated, and a table with a column a pair does not name them; "
            "pass items=['A', 'B', ...] in the order in which the pairs are built from them"
        )
    if len(items) < 2 or len(set(items)) != len(items):
        raise ItemError(f"items are {quoted(list(items))}; expected two or more different names")
    names = _stated_columns(table, pairs)
    order = _order(table, items, pair_order, names)
    names = names if names is not None else _candidates(table)[: len(order)]
    named_order = (
        pair_order if isinstance(pair_order, str) and pair_order in ("prefmod", "lexicographic") else None
    )
    if pair_names != "ignore":
        check_pair_names(names, items, order, named_order, table.source)
    if coding is None:
        raise CodingError(_coding_not_stated(table, names))
    stated = Coding.read(coding)
    if pairs is None:
        _check_rest(table, names, stated)
        _check_first(table, names, stated)
    answers = np.stack([stated.answers(table, name, may_be_missing=True) for name in names], axis=1)
    if not (answers != MISSING).any():
        raise InputError(f"{table.source}: every response is missing; at least one comparison is needed")
    return names, order, answers


def _candidates(table: Table) -> list[str]:
    """The columns that may hold responses: those that no role says something else of."""
    return [name for name in table.columns if name not in NO_PAIRS]


def _check_first(table: Table, names: list[str], coding: Coding) -> None:
    """Refuse a first column that is none of the pairs, such as a number of the respondent, where the columns that
    come after it are."""
    n = len(names)
    following = [name for name in _candidates(table) if name != names[0]][:n]
    if len(following) == n and not coding.fits(table, names[0]) and coding.fits(table, following[-1]):
        raise PairOrderError(
            f"{table.source}: the first column, {quoted(names[0])}, does not hold the codes stated, and {quoted(following[-1])}"
            f" after the first {n} columns does; if {quoted(names[0])} says who answered, call it the person,"
            f" columns={{'person': {quoted(names[0])}}} (--col person={names[0]}; read_respondents: person={quoted(names[0])},"
            f" --person {names[0]}), else name the columns of the pairs, pairs=[...]"
        )


def _check_rest(table: Table, names: list[str], coding: Coding) -> None:
    """Refuse a table all of whose columns look like pairs of more items than were stated."""
    of_pairs = set(names)
    rest = [name for name in _candidates(table) if name not in of_pairs]
    total = len(names) + len(rest)
    more = [n for n in range(2, total + 2) if n * (n - 1) // 2 == total]
    if rest and more and all(coding.fits(table, name) for name in rest):
        raise PairOrderError(
            f"{table.source}: the items stated have {len(names)} pairs, but all {total} columns hold nothing"
            f" but stated codes, as the pairs of {more[0]} items would; state every item, or with pairs=[...]"
            " which columns are pairs"
        )


def _stated_columns(table: Table, pairs: Sequence[str] | None) -> list[str] | None:
    if pairs is None:
        return None
    names = (
        [name.strip() for name in pairs.split(",")]
        if isinstance(pairs, str)
        else [str(name) for name in pairs]
    )
    unknown = [name for name in names if name not in table.columns]
    if unknown:
        raise InputError(
            f"{table.source}: no column {listed(unknown)} to be a pair; found {listed(table.columns)}"
            + suggestion(unknown[0], table.columns)
        )
    if len(set(names)) != len(names):
        raise InputError(f"{table.source}: a column is named twice in pairs: {named(repeated(names))}")
    return names


def _order(
    table: Table, items: tuple[str, ...], pair_order: PairOrderLike | None, names: list[str] | None
) -> Pairs:
    """Positions of the items of each pair column, checked against the number of columns."""
    n = len(items)
    expected = n * (n - 1) // 2
    found = _candidates(table)
    columns = f"{len(names)} pair columns" if names is not None else f"{len(table.columns)} columns"
    if pair_order is None:
        raise PairOrderError(
            f"{table.source}: {columns} for {n} items, but the order is not stated. prefmod reads "
            f"{_in_numbers('prefmod', n)}; lexicographic is {_in_numbers('lexicographic', n)}. "
            "Pass pair_order='prefmod', 'lexicographic', or the pairs themselves"
        )
    if isinstance(pair_order, str) and pair_order in ("prefmod", "lexicographic"):
        # A hundred thousand items would have five billion pairs: they are counted before they are listed.
        order = named_pair_order(pair_order, n) if expected <= len(found) else ()
        n_pairs = expected
        why = f"{n} items ({named(items)}) have {expected} pairs"
    else:
        order = _stated_pairs(items, pair_order)
        n_pairs = len(order)
        why = f"pair_order states {len(order)} pairs"
    of_roles = (
        f" ({named(name for name in table.columns if name in NO_PAIRS)} among them, which hold no responses)"
        if names is None and len(found) < len(table.columns)
        else ""
    )
    if (len(names) != n_pairs) if names is not None else (len(found) < n_pairs):
        raise PairOrderError(
            f"{table.source}: {columns}{of_roles}, but {why}; state the items that were compared, and with pairs=[...]"
            " the columns that hold the responses"
        )
    return order


def _in_numbers(name: str, n: int, most: int = 6) -> str:
    order = named_pair_order(name, min(n, 12))  # the first six pairs of twelve items are those of any more
    joint = "" if n < 10 else "-"
    return " ".join(f"{i + 1}{joint}{j + 1}" for i, j in order[:most]) + (" ..." if len(order) > most else "")


def _stated_pairs(items: tuple[str, ...], pair_order: PairOrderLike) -> Pairs:
    stated: list[str | tuple[str, str]] = []
    stated.extend(map(str.strip, pair_order.split(",")) if isinstance(pair_order, str) else pair_order)
    place = {item: k for k, item in enumerate(items)}
    order = tuple(_one_pair(place, pair) for pair in stated)
    seen: set[frozenset[int]] = set()
    for pair, text in zip(order, stated):
        if frozenset(pair) in seen:
            raise PairOrderError(f"pair_order states the pair {quoted(text)} twice; each pair has one column")
        seen.add(frozenset(pair))
    return order


def _one_pair(place: Mapping[str, int], pair: str | tuple[str, str]) -> tuple[int, int]:
    if isinstance(pair, str):
        heads = [(pair[:k], pair[k:]) for k in range(1, min(len(pair), _LONGEST_PAIR)) if pair[:k] in place]
        found = {
            (a, rest[len(s) :])
            for a, rest in heads
            for s in SEPARATORS
            if rest.startswith(s) and rest[len(s) :] in place and rest[len(s) :] != a
        }
    else:
        a, b = map(str, pair) if isinstance(pair, Sequence) and len(pair) == 2 else ("", "")
        found = {(a, b)} if a in place and b in place and a != b else set()
    if len(found) != 1:
        what = "can be read in more than one way" if found else "is not a pair of two of the items"
        items = list(place)
        raise PairOrderError(
            f"pair_order has {quoted(pair)}, which {what} ({named(items)}); pass 'prefmod', 'lexicographic', "
            f"or pairs such as ({quoted(items[0])}, {quoted(items[1])})"
        )
    first, second = found.pop()
    return place[first], place[second]


def _coding_not_stated(table: Table, names: Sequence[str]) -> str:
    codes = sorted({level for name in names for level in labels(table, name).levels})
    shown = named(codes, 8)
    return (
        f"{table.source}: columns {named(names, 6)} hold {shown}, but the coding "
        "is not stated; pass for example coding={'first': 1, 'tie': 0, 'second': -1, 'missing': 'NA'} "
        "(--coding first=1,tie=0,second=-1,missing=NA)"
    )
