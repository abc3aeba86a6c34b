"""Every pair of ranked systems of every ranking, as comparisons.

A ranking of n systems is cut into n(n - 1)/2 comparisons, which are not independent; the table remembers how many were
ranked together, so that fits warn.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ...errors import InputError
from ..comparisons import Comparisons
from .assemble import assemble, has_tie_category
from .cells import FloatArray
from .items import IntArray, Options
from .rankings import placed
from .table import Table

#: Comparisons that rankings may stand for, and numbers and codes of covariates beside them: about 2 GB.  One
#: ranking of 4,472 systems has ten million pairs; all of WMT 2013 has one.
MOST_PAIRS, MOST_CELLS = 10_000_000, 100_000_000


def read_rankings(table: Table, options: Options) -> Comparisons:
    """Every pair of ranked systems of every ranking."""
    of = placed(table, options)
    ranked = ~np.isnan(of.rank)
    ranking, row, item = (part[ranked] for part in (of.ranking, of.row, of.item))
    pairs = _pairs(of.table, ranking, of.used, of.nothing, of.cure)
    return _compared(of.table, options, of.items, item, of.rank[ranked], (ranking, row), pairs, of.used)


def _pairs(
    table: Table, ranking: IntArray, used: Collection[str], nothing: str, cure: str
) -> tuple[IntArray, IntArray]:
    """Places of both systems of every pair, from the ranking of each place; refuses none and too many."""
    _check_number_of_pairs(table, np.bincount(ranking), used)
    left, right = _pairs_within(ranking)
    if not len(left):
        raise InputError(
            f"{table.source}: {nothing}, so there is no comparison; {cure}-1 and blank mean not ranked"
        )
    return left, right


def _compared(
    table: Table,
    options: Options,
    items: tuple[str, ...],
    item: IntArray,
    ranks: FloatArray,
    of: tuple[IntArray, IntArray],
    pairs: tuple[IntArray, IntArray],
    used: tuple[str, ...],
) -> Comparisons:
    """Comparisons of pairs of places, from each place's item, rank and (ranking, row of the table)."""
    (ranking, row), (left, right) = of, pairs
    gap = ranks[right] - ranks[left]
    tied = np.zeros(table.n_rows, bool)
    tied[row[left[gap == 0]]] = True
    found = assemble(
        table,
        options,
        items,
        item[left],
        item[right],
        ((gap > 0).astype(float), (gap == 0).astype(float), (gap < 0).astype(float)),
        tie_category=has_tie_category(table, options, tied, next(name for name in used if "rank" in name)),
        used=used,
        row_of=row[left],
    )
    return replace(found, ranked_together=int(np.bincount(ranking).max()))


def _check_number_of_pairs(table: Table, sizes: IntArray, used: Collection[str]) -> None:
    """Refuse rankings that stand for more comparisons than can be held: n systems are n(n-1)/2 pairs.

    sizes int[n_rankings]: systems ranked.  used: columns that do not become covariates; every other one is
    repeated for each pair.
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


def _pairs_within(group: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of both members of every pair inside the runs of equal values of `group`: 12 13 ... 23 ...,
    runs in their order.

    group int[n]: sorted, each >= 0.
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
