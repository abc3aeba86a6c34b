"""Rankings: a row is some systems and their ranks, and stands for every pair of ranked systems.

A smaller rank is better, equal ranks are a tie, -1 or blank is "not ranked"; only the order of the ranks
within a row is used.  WMT's own columns (`system1Id`, `system1rank`, `judgeId`, `srcIndex`) are read as they
are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from ...errors import InputError, ItemError
from ...text import quoted, shortened
from ..comparisons import Comparisons
from .assemble import assemble, has_tie_category
from .cells import LARGEST_EXACT, BoolArray, FloatArray, numbers, shown
from .items import IntArray, Options, encode, item_column
from .table import Table

NOT_RANKED = -1.0
#: Comparisons that rankings may stand for, and numbers and codes of covariates beside them: about 2 GB.  One
#: ranking of 4,472 systems has ten million pairs; all of WMT 2013 has one.
MOST_PAIRS, MOST_CELLS = 10_000_000, 100_000_000
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
    return replace(
        table, columns={renamed[name]: table.columns[name] for name in renamed}, own_names=own_names
    )


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
    first, second, results, row_of = _pairs(table, positions, list(given.values()), {*systems, *given})
    if not len(row_of):
        raise InputError(
            f"{table.source}: no row ranks two systems or more, so there is no comparison; -1 and blank mean"
            " not ranked"
        )
    tied = np.zeros(table.n_rows, bool)
    tied[row_of[results[1] > 0]] = True
    pairs = assemble(
        table,
        options,
        items,
        first,
        second,
        results,
        tie_category=has_tie_category(table, options, tied, "rank1"),
        used=(*systems, *given),
        row_of=row_of,
    )
    return replace(pairs, ranked_together=int((~np.isnan(np.stack(list(given.values())))).sum(axis=0).max()))


def _places(names: Iterable[str], source: str) -> tuple[int, ...]:
    """The numbers 1..K of the system and rank columns."""
    found: Mapping[str, set[int]] = {"system": set(), "rank": set()}
    for name in names:
        match = re.fullmatch(r"(system|rank)([1-9][0-9]{0,11})", name)
        if match:
            found[match[1]].add(int(match[2]))
    last = max(found["system"] | found["rank"], default=0)
    n_absent = 2 * last - len(found["system"]) - len(found["rank"])
    if last < 2 or n_absent:
        # A header may say system10000000: the gaps are counted, and only the first ones looked for.
        missing = (
            f"{kind}{k}" for k in range(1, last + 1) for kind in ("system", "rank") if k not in found[kind]
        )
        shown = ", ".join(islice(missing, 6)) or "system2, rank2"
        more = f" and {shortened(f'{n_absent - 6:,}', 40)} more" if n_absent > 6 else ""
        raise InputError(
            f"{source}: column {shown}{more} {'are' if n_absent > 1 else 'is'} not there; rankings need"
            " system1, rank1, system2, rank2, ... without a gap"
            + (f", and there is a {_last_column(found, last)}" if n_absent else "")
        )
    return tuple(range(1, last + 1))


def _last_column(found: Mapping[str, set[int]], last: int) -> str:
    return f"system{last}" if last in found["system"] else f"rank{last}"


def ranks(table: Table, name: str) -> FloatArray:
    """Ranks, nan where not ranked."""
    values, wrong = numbers(table, name)
    bad = wrong | np.isinf(values) | ((values < 0) & (values != NOT_RANKED)) | (values >= LARGEST_EXACT)
    if bad.any():
        raise table.refuse(
            bad,
            name,
            f"the rank is {shown(table, name, bad)}",
            "expected a number >= 0 (and below 2^53), or -1 or blank for not ranked",
        )
    return np.where(values == NOT_RANKED, np.nan, values)


def _check_named(table: Table, bad: BoolArray, rank: str, system: str) -> None:
    if bad.any():
        raise table.refuse(
            bad,
            system,
            f"no system, but {rank} is {shown(table, rank, bad)}",
            "name the system, or leave its rank blank",
            ItemError,
        )


def _check_once(table: Table, names: list[str], positions: list[IntArray], items: tuple[str, ...]) -> None:
    """Refuse a system that stands twice in a row; by sorting each row, since thousands of places have
    millions of pairs.
    """
    item = np.stack(positions, axis=1)
    order = np.argsort(item, axis=1, kind="stable")
    in_order = np.take_along_axis(item, order, axis=1)
    again = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)
    twice = again.any(axis=1)
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        place = int(np.flatnonzero(again[row])[0])
        a, b = (names[int(order[row, k])] for k in (place, place + 1))
        raise table.refuse(
            twice,
            b,
            f"{quoted(items[int(in_order[row, place])])} stands in {a} as well",
            "a ranking holds each system once; correct the row",
            ItemError,
        )


def _pairs(
    table: Table, positions: list[IntArray], ranks: list[FloatArray], used: Collection[str]
) -> tuple[IntArray, IntArray, tuple[FloatArray, FloatArray, FloatArray], IntArray]:
    """(first, second, (wins, ties, losses), row) of every pair of ranked systems, rows together."""
    item, rank = np.stack(positions, axis=1), np.stack(ranks, axis=1)
    row, place = np.nonzero(~np.isnan(rank))
    check_number_of_pairs(table, np.bincount(row, minlength=table.n_rows), used)
    left, right = pairs_within(row)
    gap = rank[row[right], place[right]] - rank[row[left], place[left]]
    results = ((gap > 0).astype(float), (gap == 0).astype(float), (gap < 0).astype(float))
    return item[row[left], place[left]], item[row[right], place[right]], results, row[left]


def check_number_of_pairs(table: Table, sizes: IntArray, used: Collection[str]) -> None:
    """Refuse rankings that stand for more comparisons than can be held: n systems are n(n-1)/2 pairs.

    Parameters
    ----------
    sizes : int[n_rankings]
        Systems ranked.
    used : collection of str
        Columns that do not become covariates; every other one is repeated for each pair.

    Raises
    ------
    InputError
    """
    n = float(np.sum(sizes.astype(float) * (sizes - 1) / 2))
    columns = sum(name not in used for name in table.columns)
    if n > MOST_PAIRS or n * columns > MOST_CELLS:
        beside = f", each with {columns:,} other columns" if n <= MOST_PAIRS else ""
        raise InputError(
            f"{table.source}: the rankings, of up to {int(sizes.max()):,} systems, stand for"
            f" {n:,.0f} pairs{beside}; at most {MOST_PAIRS:,} pairs and {MOST_CELLS:,} of their cells are"
            " read. "
            + (
                "Leave out columns that no model uses"
                if beside
                else (
                    "Read fewer rankings at a time, or state the comparisons as counts (first, second, wins,"
                    " losses)"
                )
            )
        )


def pairs_within(group: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of both members of every pair inside the runs of equal values of `group`: 12 13 ... 23 ...,
    runs in their order.

    Parameters
    ----------
    group : int[n]
        Sorted, each >= 0.
    """
    sizes = np.bincount(group) if len(group) else np.zeros(0, np.int64)
    starts = np.cumsum(sizes) - sizes
    found = [np.zeros((2, 0), np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        place = starts[sizes == size][:, None]
        left, right = np.triu_indices(int(size), 1)
        found.append(np.stack([(place + left).ravel(), (place + right).ravel()]))
    first, second = np.concatenate(found, axis=1)
    order = np.argsort(group[first], kind="stable")
    return first[order], second[order]
