"""Orders of pairs in wide tables, and the wide table of a `Comparisons`.

A wide table has one column per pair and one row a respondent.  The J(J-1)/2 pairs come in one of two orders
that look alike and differ from four items on::

    prefmod         12 13 23 14 24 34 ...     the second item is the outer index
    lexicographic   12 13 14 23 24 34 ...     the first item is the outer index

A table read in the wrong order gives other numbers and no warning; Dras (2015) prints 30.646 and 221.22 where
his table in the right order gives 30.455 and 220.947.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ..errors import InputError, PairOrderError
from .columns import Factor, IntArray, is_missing, refuse_rows
from .comparisons import Comparisons

if TYPE_CHECKING:
    import pandas as pd


PairOrder = Literal["prefmod", "lexicographic"]
Pairs = tuple[tuple[int, int], ...]


def prefmod_pair_order(n_items: int) -> Pairs:
    """Positions of the pairs as R's package prefmod reads columns: 12 13 23 14 24 34 ..."""
    return tuple((i, j) for j in range(n_items) for i in range(j))


def lexicographic_pair_order(n_items: int) -> Pairs:
    """Positions of the pairs in the order of a dictionary: 12 13 14 23 24 34 ..."""
    return tuple((i, j) for i in range(n_items) for j in range(i + 1, n_items))


def named_pair_order(order: str, n_items: int) -> Pairs:
    """The order of pairs with this name."""
    if order == "prefmod":
        return prefmod_pair_order(n_items)
    if order == "lexicographic":
        return lexicographic_pair_order(n_items)
    raise PairOrderError(f"pair_order={order!r}; expected 'prefmod' or 'lexicographic'")


class Wide(NamedTuple):
    """A wide table and the meaning of its codes."""

    frame: pd.DataFrame
    coding: dict[str, float]


def to_wide(
    comparisons: Comparisons, pair_order: PairOrder = "prefmod", covariates: Sequence[str] = ()
) -> Wide:
    """Counts as responses: the layout that `llbtPC.fit` and `llbt.design` of R's package prefmod take.

    Every comparison becomes one cell.  Rows are filled up within each combination of the covariates, so a row
    is a respondent only in form: models without dependence between comparisons (the LLBT) do not see the
    difference, pattern models with dependence do.  Which item was named first in the input is lost; an order
    effect cannot be fitted from this table.

    comparisons: with whole counts.  pair_order: order of the pair columns, which are called V1_2, V1_3, V2_3,
    ... (items by their number from 1).  covariates: columns to append: a Factor as 1..K in the order of its
    levels, numbers as they are.  Returns Wide: `frame` holds 0 for the item first in `items` preferred, 1 for
    a tie, 2 for the other (0 and 1 where there is no tie category), nan where the pair was not compared.
    prefmod takes the smallest non-negative code as "first preferred".  It takes the number of categories from
    the values it meets: a table with a tie category in which no tie (or nothing but ties) occurs is another
    model to it.
    """
    import pandas as pd

    pairs = named_pair_order(pair_order, len(comparisons.items))
    _check_whole(comparisons)
    _check_covariates(comparisons, covariates)
    group, first_row = _groups(comparisons, covariates)
    counts = _counts(comparisons, group, len(first_row), pairs)
    cells, group_of = _filled(counts)
    tied = {"first": 0.0, "tie": 1.0, "second": 2.0}
    coding = tied if comparisons.tie_category else {"first": 0.0, "second": 1.0}
    codes = np.array([0.0, 1.0, coding["second"], np.nan])
    data = {f"V{i + 1}_{j + 1}": codes[cells[:, k]] for k, (i, j) in enumerate(pairs)}
    for name in covariates:
        column = comparisons.columns[name]
        values = column.codes + 1 if isinstance(column, Factor) else column
        data[name] = values[first_row][group_of]
    return Wide(pd.DataFrame(data), {**coding, "missing": float("nan")})


def _check_whole(table: Comparisons) -> None:
    for name, counts in (("wins", table.wins), ("ties", table.ties), ("losses", table.losses)):
        broken = counts != np.floor(counts)
        refuse_rows(
            table.source,
            broken,
            lambda r: f"{name} of {table.items[table.first[r]]!r} vs. {table.items[table.second[r]]!r} is"
            f" {counts[r]:g} ({int(broken.sum())} such row(s)); a wide table has one cell per response, so counts must"
            " be whole; keep fractional weights in the counts layout",
        )


def _check_covariates(table: Comparisons, covariates: Sequence[str]) -> None:
    for name in covariates:
        if name not in table.columns:
            raise InputError(
                f"{table.source}: no column {name!r}; found {', '.join(table.columns) or 'none'}"
            )
        column = table.columns[name]
        missing = is_missing(column)
        refuse_rows(table.source, missing, f"{name!r} has no value ({int(missing.sum())} such row(s))")
        if isinstance(column, Factor):
            # A row without counts becomes no response, so its level would be a gap in the codes.
            counted = table.wins + table.ties + table.losses > 0
            unused = np.flatnonzero(np.bincount(column.codes[counted], minlength=len(column.levels)) == 0)
            if len(unused):
                raise InputError(
                    f"{table.source}: no comparison has level {column.levels[unused[0]]!r} of {name!r};"
                    " prefmod needs the codes 1..K without a gap; drop the level"
                )


def _groups(table: Comparisons, covariates: Sequence[str]) -> tuple[IntArray, IntArray]:
    """(group of each row, a row of each group), sorted by the covariates, the first one first."""
    group = np.zeros(table.n_rows, np.int64)
    for name in covariates:
        column = table.columns[name]
        values = column.codes if isinstance(column, Factor) else column
        _, inner = np.unique(values, return_inverse=True)
        _, group = np.unique(group * (int(inner.max()) + 1) + inner, return_inverse=True)
    _, first_row = np.unique(group, return_index=True)
    return group.astype(np.int64), first_row.astype(np.int64)


def _counts(table: Comparisons, group: IntArray, n_groups: int, pairs: Pairs) -> IntArray:
    """int[n_groups, n_pairs, 3]: first preferred, tie, second preferred."""
    n = len(table.items)
    place = np.empty((n, n), np.int64)
    i, j = np.array(pairs).T
    place[i, j] = np.arange(len(pairs))
    flip = table.first > table.second
    pair = place[np.minimum(table.first, table.second), np.maximum(table.first, table.second)]
    won, lost = np.where(flip, table.losses, table.wins), np.where(flip, table.wins, table.losses)
    cell = group * len(pairs) + pair
    sums = [np.bincount(cell, c, n_groups * len(pairs)) for c in (won, table.ties, lost)]
    return np.stack(sums, axis=-1).astype(np.int64).reshape(n_groups, len(pairs), 3)


def _filled(counts: IntArray) -> tuple[IntArray, IntArray]:
    """(answers 0, 1, 2, or 3 for none, one row a respondent; the group of each row)."""
    n_groups, n_pairs, _ = counts.shape
    per_cell = counts.sum(axis=2)
    rows_of = per_cell.max(axis=1)
    start = np.cumsum(rows_of) - rows_of
    cells = np.full((int(rows_of.sum()), n_pairs), 3, np.int64)
    answers = np.repeat(np.tile([0, 1, 2], n_groups * n_pairs), counts.ravel())
    cell = np.repeat(np.arange(n_groups * n_pairs), per_cell.ravel())
    nth = np.arange(len(cell)) - np.repeat(np.cumsum(per_cell.ravel()) - per_cell.ravel(), per_cell.ravel())
    cells[start[cell // n_pairs] + nth, cell % n_pairs] = answers
    return cells, np.repeat(np.arange(n_groups), rows_of)
