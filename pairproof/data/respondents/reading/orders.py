"""Rankings as orders: the best item, the next, and so on; in columns of places, or as text "A > B = C"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ....errors import InputError, ItemError
from ....text import listed, quoted
from ...columns import Factor, IntArray, natural_order
from ...options import one_of
from ...reading.assemble import has_tie_category
from ...reading.cells import MISSING_WORDS, labels, text_of
from ...reading.items import Options, encode
from ...reading.table import Table, suggestion
from ..checked import has_ties
from ..codes import dense
from ..respondents import Respondents
from .assemble import opened, respondents
from .unranked import Unranked, UnrankedLike

#: The items of each place of one ranking, the best first.
Order = list[tuple[str, ...]]


def from_orders(
    source: Any,
    *,
    places: Sequence[str],
    items: Sequence[str] | None = None,
    cells: Literal["names", "numbers"] = "names",
    ties: str | None = None,
    unranked: UnrankedLike = None,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings as orders: a row is a person, the first column of `places` names the best item.

    R's PlackettLuce takes such a table with `input = "orderings"`.  Places that a person left open stand at
    the end and are blank or NA.  Every other column is a subject covariate; `weight` is the number of persons
    with the answer.

    places: the columns of the places, the best first.  cells: whether a cell names an item, or has its number
    in `items`, from 1 (0 is an open place then).  ties: what stands between items that share a place, for
    example "="; default: nothing does.  unranked: what an item means that a person gave no place, to be said
    if there is one.  tie_category: whether places could be shared; default: if some are.  person: the column
    that says who answered, wherever it stands, where it is not called `person`.  levels, item_data, encoding:
    as in :func:`pairproof.data.respondents.from_pairs`.
    """
    one_of("cells", cells, ("names", "numbers"))
    table, options = opened(source, items, levels, tie_category, item_data, encoding, person)
    if isinstance(places, str) or not len(places) or len(set(places)) < len(places):
        raise InputError(
            f"places={quoted(places)}; expected the names of different columns, the best place first"
        )
    columns = [str(name) for name in places]
    if unknown := [name for name in columns if name not in table.columns]:
        raise InputError(
            f"{table.source}: no column {listed(unknown)} to be a place; found {listed(table.columns)}"
            + suggestion(unknown[0], table.columns)
        )
    if cells == "numbers" and options.items is None:
        raise ItemError("cells='numbers' are numbers of items; pass items=[...], which they count")
    filled = [_places(table, name, options, cells, ties) for name in columns]
    for k, name in enumerate(columns[1:], 1):
        bad = np.array([bool(now) and not before for now, before in zip(filled[k], filled[k - 1])])
        if bad.any():
            raise table.refuse(
                bad,
                name,
                f"an item, but none in the place before ({quoted(columns[k - 1])})",
                "close the gap",
            )
    orders = [[items_ for items_ in row if items_] for row in zip(*filled)]
    return _rankings(table, options, orders, columns, Unranked.read(unranked))


def from_ranking_text(
    source: Any,
    *,
    column: str,
    items: Sequence[str] | None = None,
    unranked: UnrankedLike = None,
    above: str = " > ",
    ties: str = " = ",
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings as text, "A > B = C", as R's PlackettLuce prints them.

    R shortens long rankings ("A > B > ..."); `format(x, width = 10000)` writes them whole.

    column: the column that holds the text; blank or NA where nothing was ranked.  person: the column that
    says who answered, wherever it stands, where it is not called `person`.  above, ties: what stands between
    places, and between items that share one.
    """
    table, options = opened(source, items, levels, tie_category, item_data, encoding, person)
    if column not in table.columns:
        raise InputError(
            f"{table.source}: no column {quoted(column)}; found {listed(table.columns)}"
            + suggestion(column, table.columns)
        )
    if not above.strip() or not ties.strip() or above in ties or ties in above:
        raise InputError(
            f"above={above!r} and ties={ties!r}; expected two different signs, such as ' > ' and ' = '"
        )
    texts = labels(table, column)
    split: list[Order] = []
    for k, text in enumerate(texts.levels):
        order = [tuple(part.strip() for part in place.split(ties)) for place in text.split(above)]
        if text.strip() in MISSING_WORDS:
            order = []
        bad = texts.codes == k
        if text.rstrip().endswith("..."):
            raise table.refuse(
                bad,
                column,
                f"the ranking is {quoted(text)}",
                "R has shortened it; format(x, width = 10000) does not",
            )
        if not all(name for place in order for name in place):
            raise table.refuse(
                bad,
                column,
                f"the ranking is {quoted(text)}",
                f"expected names with {above.strip()!r} or {ties.strip()!r} between them",
            )
        split.append(order)
    split.append([])
    return _rankings(table, options, [split[code] for code in texts.codes], [column], Unranked.read(unranked))


def _places(
    table: Table, column: str, options: Options, cells: str, ties: str | None
) -> list[tuple[str, ...]]:
    """The items of one place, row by row; () where it is open."""
    found = labels(table, column)
    stated = options.items or ()
    of_level: list[tuple[str, ...]] = []
    for k, text in enumerate(found.levels):
        names = tuple(part.strip() for part in text.split(ties)) if ties else (text,)
        if text in MISSING_WORDS and text not in stated or (cells == "numbers" and text_of(text) == "0"):
            names = ()
        if not all(names):
            raise table.refuse(
                found.codes == k,
                column,
                f"the place is {quoted(text)}",
                f"expected names with {ties!r} between them",
            )
        if cells == "numbers":
            wrong = [name for name in names if not (name.isdecimal() and 1 <= int(name) <= len(stated))]
            if wrong:
                raise table.refuse(
                    found.codes == k,
                    column,
                    f"the item is {quoted(wrong[0])}",
                    f"expected a number from 1 to {len(stated)}, or 0 or a blank cell for an open place",
                    ItemError,
                )
            names = tuple(stated[int(name) - 1] for name in names)
        of_level.append(names)
    of_level.append(())
    return [of_level[code] for code in found.codes]


def _rankings(
    table: Table, options: Options, orders: Sequence[Order], columns: list[str], unranked: Unranked
) -> Respondents:
    """The table of rankings, once every item of them is known and stands in one place."""
    names = options.items or _found(table, orders)
    place_of = {name: k for k, name in enumerate(names)}
    ranks = np.zeros((table.n_rows, len(names)), np.int64)
    for row, order in enumerate(orders):
        for rank, place in enumerate(order, 1):
            column = columns[rank - 1] if len(columns) > 1 else columns[0]
            for name in place:
                _place_once(table, ranks, row, rank, place_of.get(name, -1), column, name, names)
    unlisted = ranks == 0
    found = dense(
        np.where(
            unlisted, unranked.of_unlisted(table, unlisted, names, columns[0], np.arange(table.n_rows)), ranks
        )
    )
    ties = has_tie_category(table, options, has_ties(found), columns[0])
    return respondents(table, options, names, "rankings", found, columns, tie_category=ties)


def _found(table: Table, orders: Sequence[Order]) -> tuple[str, ...]:
    """The items of all rankings; two spellings of one name are refused."""
    names = natural_order(name for order in orders for place in order for name in place)
    items, _ = encode({"": Factor(np.arange(len(names)), names)}, table.source, Options())
    return items


def _place_once(
    table: Table,
    ranks: IntArray,
    row: int,
    rank: int,
    item: int,
    column: str,
    name: str,
    names: tuple[str, ...],
) -> None:
    """Write one item's rank; refuse an unknown item, and one that has a rank already."""
    if item < 0:
        raise ItemError(
            f"{table.where(row, column)}: found {quoted(name)}, not among the stated items {listed(names)}; state every"
            f" item that occurs{suggestion(name, names)}"
        )
    if ranks[row, item]:
        raise ItemError(
            f"{table.where(row, column)}: {quoted(name)} has place {ranks[row, item]} already; an item has one place"
        )
    ranks[row, item] = rank
