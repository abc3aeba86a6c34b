"""Rankings with a row for each ranked system: `system`, `rank`, and what tells one ranking from the next.

Rows belong to one ranking if they have the same `ranking`; without that column, the same source, judge and
track (of those that are there).  Ranks are read as in :mod:`pairproof.data.reading.rankings`: every pair of
ranked systems of a ranking is a comparison, in the order of the rows.  Columns that say something of the
ranking become covariates; one that differs from system to system (its text, a score) says nothing of a pair
and is left out with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...errors import DataWarning, InputError, ItemError
from ...text import listed, quoted
from ..comparisons import Comparisons
from .assemble import assemble, has_tie_category
from .cells import BoolArray, FloatArray, labels
from .items import IntArray, Options, encode, item_column
from .rankings import WMT_ROLES, check_number_of_pairs, pairs_within, ranks
from .table import Table

#: What tells rankings apart where there is no column `ranking`.
TELLS_APART = ("source", "judge", "track", "srclang", "trglang")


def is_ranked_rows(names: Iterable[str]) -> bool:
    found = set(names)
    return {"system", "rank"} <= found and not {"system1", "system1Id"} & found


def read_ranked_rows(table: Table, options: Options) -> Comparisons:
    """Every pair of ranked systems of every ranking.

    Raises
    ------
    InputError
        Nothing tells the rankings apart, a system stands twice in one, or no ranking has two systems.
    """
    table = _with_wmts_names(table)
    item_of = {"system": item_column(table, "system", options)}
    rank = ranks(table, "rank")
    items, (item,) = encode(item_of, table.source, options)
    ranking = _ranking(table)
    _check_once(table, ranking, item, items)
    first, second = _pairs(table, ranking, rank)
    if not len(first):
        raise InputError(
            f"{table.source}: no ranking has two ranked systems or more, so there is no comparison; rows of"
            f" one ranking share {_words(table)}, and -1 and blank mean not ranked"
        )
    gap = rank[second] - rank[first]
    results = ((gap > 0).astype(float), (gap == 0).astype(float), (gap < 0).astype(float))
    tied = np.zeros(table.n_rows, bool)
    tied[first[results[1] > 0]] = True
    pairs = assemble(
        _of_rankings(table, ranking),
        options,
        items,
        item[first],
        item[second],
        results,
        tie_category=has_tie_category(table, options, tied, "rank"),
        used=("system", "rank"),
        row_of=first,
    )
    return replace(pairs, ranked_together=int(np.bincount(ranking[~np.isnan(rank)]).max()))


def _with_wmts_names(table: Table) -> Table:
    renamed = {
        name: role for name, role in WMT_ROLES.items() if name in table.columns and role not in table.columns
    }
    own_names = {**table.own_names, **{role: name for name, role in renamed.items()}}
    return replace(
        table,
        columns={renamed.get(name, name): column for name, column in table.columns.items()},
        own_names=own_names,
    )


def _keys(table: Table) -> tuple[str, ...]:
    keys = (
        ("ranking",)
        if "ranking" in table.columns
        else tuple(name for name in TELLS_APART if name in table.columns)
    )
    if not {"ranking", "source", "judge"} & set(keys):
        raise InputError(
            f"{table.source}: a row for each system and its rank, but nothing says which rows are one"
            f" ranking; found {listed(table.columns)}. Name a column 'ranking', or 'source' and 'judge'"
            " (columns={'source': ...})"
        )
    return keys


def _words(table: Table) -> str:
    return " and ".join(repr(table.own_names.get(key, key)) for key in _keys(table))


def _ranking(table: Table) -> IntArray:
    """int[n_rows]: the ranking of each row, numbered by first appearance.

    A blank key is refused: it would join rankings that nobody said were one.
    """
    code = np.zeros(table.n_rows, np.int64)
    for name in _keys(table):
        found = labels(table, name)
        if (found.codes < 0).any():
            raise table.refuse(
                found.codes < 0, name, "blank", "every row needs it, to say which ranking it belongs to"
            )
        _, code = np.unique(code * (len(found.levels) + 1) + found.codes, return_inverse=True)
    _, first_row, code = np.unique(code, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first_row))[code])


def _check_once(table: Table, ranking: IntArray, item: IntArray, items: tuple[str, ...]) -> None:
    key = ranking * len(items) + item
    _, first_row, where = np.unique(key, return_index=True, return_inverse=True)
    twice = first_row[where] != np.arange(len(key))
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        raise table.refuse(
            twice,
            "system",
            (
                f"{quoted(items[int(item[row])])} stands in row {int(first_row[where][row]) + 1} of the same"
                " ranking as well"
            ),
            (
                f"rows are one ranking if they share {_words(table)}; name what else tells them apart as"
                " 'source' or 'judge' (columns={'source': ...}), or a column 'ranking'"
            ),
            ItemError,
        )


def _pairs(table: Table, ranking: IntArray, rank: FloatArray) -> tuple[IntArray, IntArray]:
    """Rows of both systems of every pair, rankings together."""
    ranked = np.flatnonzero(~np.isnan(rank))
    rows = ranked[np.argsort(ranking[ranked], kind="stable")]
    if len(rows):
        check_number_of_pairs(table, np.bincount(ranking[rows]), ("system", "rank"))
    left, right = pairs_within(ranking[rows])
    return rows[left], rows[right]


def _of_rankings(table: Table, ranking: IntArray) -> Table:
    """Without the columns that differ between the systems of a ranking."""
    _, first_row = np.unique(ranking, return_index=True)

    def differs(name: str) -> BoolArray:
        codes = labels(table, name).codes
        return np.asarray(codes != codes[first_row][ranking])

    varying = {name: differs(name) for name in table.columns if name not in ("system", "rank")}
    varying = {name: rows for name, rows in varying.items() if rows.any()}
    for name in ("weight", "order"):
        if name in varying:
            raise table.refuse(
                varying[name],
                name,
                "another value than in the ranking's first row",
                "it belongs to the whole ranking; give each row the same",
            )
    if varying:
        warnings.warn(
            (
                f"{table.source}: {listed(varying)} left out: not the same for all systems of a ranking, so"
                " not of a pair"
            ),
            DataWarning,
            stacklevel=4,
        )
    return replace(
        table, columns={name: column for name, column in table.columns.items() if name not in varying}
    )
