"""Rankings: a row is some systems and their ranks, and stands for every pair of ranked systems.

A smaller rank is better, equal ranks are a tie, -1 or blank is "not ranked"; only the order of the ranks within
a row is used.  WMT's own columns (`system1Id`, `system1rank`, `judgeId`, `srcIndex`) are read as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from ..comparisons import Comparisons
from ..errors import InputError, ItemError
from .assemble import assemble, has_tie_category
from .cells import BoolArray, FloatArray, numbers, shown
from .items import IntArray, Options, encode, item_column
from .table import Table

NOT_RANKED = -1.0
WMT_ROLES = {"judgeId": "judge", "srcIndex": "source"}


def is_wmt(names: Iterable[str]) -> bool:
    return {"system1Id", "system1rank", "system2Id", "system2rank"} <= set(names)


def is_rankings(names: Iterable[str]) -> bool:
    return {"system1", "rank1", "system2", "rank2"} <= set(names)


def from_wmt(table: Table) -> Table:
    """WMT's columns under our names; `system1Number`, ... name the systems a second time and are left out."""
    renamed: dict[str, str] = {}
    for name in table.columns:
        if re.fullmatch(r"system[0-9]+Number", name):
            continue
        role = re.sub(r"^system([0-9]+)rank$", r"rank\1", re.sub(r"^system([0-9]+)Id$", r"system\1", name))
        role = WMT_ROLES.get(role, role)
        # A column that was given the role by hand comes first; WMT's own is then one more covariate.
        renamed[name] = name if role in table.columns else role
    own_names = {**table.own_names, **{role: name for name, role in renamed.items() if role != name}}
    return replace(table, columns={renamed[name]: table.columns[name] for name in renamed}, own_names=own_names)


def read_rankings(table: Table, options: Options) -> Comparisons:
    """Every pair of ranked systems of every row, in the order 12 13 ... of the columns."""
    if is_wmt(table.columns) and not is_rankings(table.columns):
        table = from_wmt(table)
    places = _places(table.columns, table.source)
    systems = {f"system{k}": item_column(table, f"system{k}", options, may_be_blank=True) for k in places}
    given = {f"rank{k}": ranks(table, f"rank{k}") for k in places}
    items, positions = encode(systems, table.source, options)
    for (name, rank), (system, item) in zip(given.items(), zip(systems, positions)):
        _check_named(table, ~np.isnan(rank) & (item < 0), name, system)
    _check_once(table, list(systems), positions, items)
    first, second, results, row_of = _pairs(positions, list(given.values()))
    if not len(row_of):
        raise InputError(
            f"{table.source}: no row ranks two systems or more, so there is no comparison; -1 and blank mean not ranked"
        )
    tied = np.zeros(table.n_rows, bool)
    tied[row_of[results[1] > 0]] = True
    pairs = assemble(
        table, options, items, first, second, results,
        tie_category=has_tie_category(table, options, tied, "rank1"), used=(*systems, *given), row_of=row_of,
    )
    return replace(pairs, ranked_together=int((~np.isnan(np.stack(list(given.values())))).sum(axis=0).max()))


def _places(names: Iterable[str], source: str) -> tuple[int, ...]:
    """The numbers 1..K of the system and rank columns."""
    found: Mapping[str, set[int]] = {"system": set(), "rank": set()}
    for name in names:
        match = re.fullmatch(r"(system|rank)([1-9][0-9]*)", name)
        if match:
            found[match[1]].add(int(match[2]))
    last = max(found["system"] | found["rank"], default=0)
    absent = [f"{kind}{k}" for k in range(1, last + 1) for kind in ("system", "rank") if k not in found[kind]]
    if last < 2 or absent:
        raise InputError(
            f"{source}: column {', '.join(absent) or 'system2, rank2'} is not there; rankings need system1, rank1, "
            "system2, rank2, ... without a gap"
        )
    return tuple(range(1, last + 1))


def ranks(table: Table, name: str) -> FloatArray:
    """Ranks, nan where not ranked."""
    values, wrong = numbers(table, name)
    bad = wrong | np.isinf(values) | ((values < 0) & (values != NOT_RANKED))
    if bad.any():
        raise table.refuse(
            bad, name, f"the rank is {shown(table, name, bad)}", "expected a number >= 0, or -1 or blank for not ranked"
        )
    return np.where(values == NOT_RANKED, np.nan, values)


def _check_named(table: Table, bad: BoolArray, rank: str, system: str) -> None:
    if bad.any():
        raise table.refuse(
            bad, system, f"no system, but {rank} is {shown(table, rank, bad)}",
            "name the system, or leave its rank blank", ItemError,
        )


def _check_once(table: Table, names: list[str], positions: list[IntArray], items: tuple[str, ...]) -> None:
    for (a, i), (b, j) in combinations(zip(names, positions), 2):
        twice = (i == j) & (i >= 0)
        if twice.any():
            item = items[int(i[twice][0])]
            raise table.refuse(
                twice, b, f"{item!r} stands in {a} as well", "a ranking holds each system once; correct the row", ItemError
            )


def _pairs(
    positions: list[IntArray], ranks: list[FloatArray]
) -> tuple[IntArray, IntArray, tuple[FloatArray, FloatArray, FloatArray], IntArray]:
    """(first, second, (wins, ties, losses), row) of every pair of ranked systems, rows together."""
    left, right = np.array(list(combinations(range(len(ranks)), 2))).T
    item, rank = np.stack(positions, axis=1), np.stack(ranks, axis=1)
    gap = rank[:, right] - rank[:, left]
    both = ~np.isnan(gap)
    gap = gap[both]
    results = ((gap > 0).astype(float), (gap == 0).astype(float), (gap < 0).astype(float))
    return item[:, left][both], item[:, right][both], results, np.nonzero(both)[0]
