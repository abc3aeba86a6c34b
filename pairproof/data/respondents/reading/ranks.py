"""Rankings as tables of ranks: a row a person and a column an item, or a row an item of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....errors import InputError
from ....text import listed, quoted
from ...columns import IntArray
from ...reading.assemble import has_tie_category
from ...reading.cells import labels
from ...reading.items import encode, item_column
from ...reading.table import Table, suggestion, with_person
from ..checked import has_ties
from ..codes import dense
from ..respondents import Respondents
from .assemble import Times, answer_columns, cells, opened, respondents
from .unranked import Unranked, UnrankedLike


def from_ranks(
    source: Any,
    *,
    items: Sequence[str] | None = None,
    answers: Sequence[str] | None = None,
    unranked: UnrankedLike = None,
    zero_based: bool = False,
    times: Times = None,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings as ranks: a row is a person, a column an item, a cell its rank.

    The smallest rank is the best.  Only the order of the ranks counts: gaps and fractions are fine, equal
    ranks are a tie.  Every other column is a subject covariate; `weight` is the number of persons with the
    answer.

    answers: columns that hold ranks, in the order of the items; default: those called as the items are.
    unranked: what an item without a rank means, to be said if there is one.  A word is for blank cells and
    NA; a mapping for codes: {0: "below", "NA": "absent"}.  R's PlackettLuce: {0: "absent", "NA": "absent"};
    prefmod's pattR: "below".  zero_based: whether 0 is the best rank.  times: for repeated rankings: the
    number of blocks of J columns, time by time (as `tpoints` in prefmod), or the ends of the columns' names.
    tie_category: whether equal ranks could be given; default: if they occur.  person: the column that says
    who answered, wherever it stands, where it is not called `person`.  levels, item_data, encoding: as in
    :func:`pairproof.data.respondents.from_pairs`.
    """
    table, options = opened(source, items, levels, tie_category, item_data, encoding, person)
    meaning = Unranked.read(unranked)
    names, when, blocks = answer_columns(table, options.items, answers, times)
    ranks = []
    for columns in blocks:
        values = np.column_stack([cells(table, name, "rank") for name in columns])
        ranks.append(dense(meaning.codes(table, columns, values, zero_based)))
    found = np.stack(ranks, axis=1)
    used = [name for columns in blocks for name in columns]
    ties = has_tie_category(table, options, has_ties(found).any(axis=1), used[_tied_column(found)])
    return respondents(table, options, names, "rankings", found, used, tie_category=ties, times=when)


def _tied_column(ranks: IntArray) -> int:
    """Position of the column that repeats a rank, in the first row with a tie, for a message; 0 without one."""
    for row, time in np.argwhere(has_ties(ranks))[:1]:
        own = ranks[row, time]
        again = [k for k, rank in enumerate(own) if rank > 0 and rank in own[:k]]
        return int(time) * len(own) + again[0]
    return 0


def from_long_ranks(
    source: Any,
    *,
    person: str,
    item: str,
    rank: str,
    items: Sequence[str] | None = None,
    unranked: UnrankedLike = None,
    zero_based: bool = False,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings of which each row is an item of a person, as `rankings(data, id, item, rank)` of R's
    PlackettLuce takes.

    Every other column says something of the person and must not change between the person's rows.

    person, item, rank: names of the columns.  unranked: what an item means that a person has no row for, or
    no rank in the row, to be said if there is one.  zero_based, tie_category, levels, item_data, encoding: as
    in :func:`from_ranks`.  Returns Respondents: persons in the order of their first rows.
    """
    table, options = opened(source, items, levels, tie_category, item_data, encoding)
    for role, name in (("person", person), ("item", item), ("rank", rank)):
        if name not in table.columns:
            raise InputError(
                f"{table.source}: no column {quoted(name)} to be the {role}; found {listed(table.columns)}"
                + suggestion(name, table.columns)
            )
    if "person" not in table.columns:
        table, person = with_person(table, person), "person"
    meaning = Unranked.read(unranked)
    who = _persons(table, person)
    names, (of_item,) = encode({item: item_column(table, item, options)}, table.source, options)
    _check_once(table, who, of_item, item, names)
    codes = meaning.codes(table, [rank], cells(table, rank, "rank")[:, None], zero_based)[:, 0]
    listed_there = np.zeros((int(who.max()) + 1, len(names)), bool)
    listed_there[who, of_item] = True
    _, first = np.unique(who, return_index=True)
    unlisted = meaning.of_unlisted(table, ~listed_there, names, item, first)
    found = np.full(listed_there.shape, unlisted, np.int64)
    found[who, of_item] = codes
    found = dense(found)
    tied = has_ties(found)
    ties = has_tie_category(table, options, tied[who], rank)
    used = (item, rank)
    return respondents(table, options, names, "rankings", found, used, tie_category=ties, person=who)


def _persons(table: Table, column: str) -> IntArray:
    """Number of each row's person, in the order of their first rows."""
    found = labels(table, column)
    blank = found.codes < 0
    if blank.any():
        raise table.refuse(blank, column, "no person", "say in every row whose rank it is")
    _, first, who = np.unique(found.codes, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))
    return np.asarray(place[who.reshape(-1)], np.int64)


def _check_once(table: Table, who: IntArray, item: IntArray, column: str, names: tuple[str, ...]) -> None:
    _, first, where = np.unique(who * len(names) + item, return_index=True, return_inverse=True)
    again = first[where.reshape(-1)] != np.arange(len(item))
    if again.any():
        raise table.refuse(
            again,
            column,
            f"{quoted(names[int(item[again][0])])} stands in an earlier row of the same person",
            "keep one of the ranks",
        )
