"""The counts of a table in the form in which a search changes them: rows on unordered pairs.

A row is (pair, covariate pattern, who was named first, judge, counts); equal rows are stored once with their
number.  A slip of the data maps rows to rows.  `ModelCells` sums rows into the cells of a model, and
`partition` into the cells on which a deviance is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor
from ...data.comparisons import Comparisons
from ...data.wide import lexicographic_pair_order
from ...errors import InputError
from ...fit.fit import Fit
from ...native.pairs.design import Patterns, find_patterns
from ...native.pairs.formula import names_of, parse

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows of a table.

    pair int[n]: in the order of `lexicographic_pair_order`: (0, 1), (0, 2), ...  pattern int[n]: covariate
    pattern of the model.  sign int[n]: +1 if the item earlier in `items` was named first, -1 if the other one
    was, 0 on neutral ground.  judge int[n]: 0 where the table has no judges.  y float[n, 3]: counts of one
    such row: earlier item preferred, tie, later item preferred.  times float[n]: number of such rows.
    copies: how often every row stands in the table, where a program took the whole table so often.
    """

    items: tuple[str, ...]
    pair: IntArray
    pattern: IntArray
    sign: IntArray
    judge: IntArray
    y: FloatArray
    times: FloatArray
    tie_category: bool
    copies: int = 1

    @cached_property
    def counts(self) -> FloatArray:
        """float[n, 3]: the total counts of each kind of row."""
        counts: FloatArray = self.y * self.times[:, None]
        return counts

    @property
    def pairs(self) -> IntArray:
        """int[n_pairs, 2]: positions of the items of every pair, compared or not."""
        return np.array(lexicographic_pair_order(len(self.items)), np.int64).reshape(-1, 2)

    def with_counts(self, y: FloatArray) -> Rows:
        return replace(self, y=y)

    def comparisons(self, like: Comparisons) -> Comparisons:
        """The same rows as a table with judges, for a fit by the native fitters."""
        first, second = self.pairs[self.pair].T
        back = self.sign < 0
        y = np.where(back[:, None], self.y[:, ::-1], self.y) * self.times[:, None]
        columns: dict[str, Column] = {}
        judges = like.columns.get("judge")
        if isinstance(judges, Factor):
            columns["judge"] = Factor(self.judge, judges.levels)
        if "order" in like.columns:
            columns["order"] = np.abs(self.sign).astype(float)
        return Comparisons.build(
            self.items,
            np.where(back, second, first),
            np.where(back, first, second),
            y[:, 0],
            y[:, 1] if self.tie_category else None,
            y[:, 2],
            columns=columns,
            source=like.source,
        )


def rows_of(fit: Fit, kept: NDArray[np.bool_] | None = None) -> tuple[Rows, Patterns]:
    """Rows of a fit's table (or of those that are kept), and the covariate patterns of its model."""
    data = fit.data
    patterns = find_patterns(parse(fit.spec.by, names_of(data, fit.spec, tuple(fit.layout.separate))), data)
    back = data.first > data.second
    low, high = np.where(back, data.second, data.first), np.where(back, data.first, data.second)
    n = len(data.items)
    pair = low * n - low * (low + 1) // 2 + high - low - 1
    y = np.stack(
        [np.where(back, data.losses, data.wins), data.ties, np.where(back, data.wins, data.losses)], axis=1
    )
    sign = np.where(back, -1, 1) * _ground(data)
    judges = data.columns.get("judge")
    judge = judges.codes if isinstance(judges, Factor) else np.zeros(data.n_rows, np.int64)
    used = (y.sum(axis=1) > 0) & (True if kept is None else kept)
    key = np.column_stack([pair, patterns.of_row, sign, judge, y])[used]
    distinct, times = np.unique(key, axis=0, return_counts=True)
    whole = distinct[:, :4].astype(np.int64)
    return (
        Rows(
            data.items,
            whole[:, 0],
            whole[:, 1],
            whole[:, 2],
            whole[:, 3],
            distinct[:, 4:],
            times.astype(float),
            data.tie_category,
        ),
        patterns,
    )


def _ground(data: Comparisons) -> IntArray:
    """1 for each row, but 0 where the column `order` says that it was on neutral ground."""
    column = data.columns.get("order")
    if column is None:
        return np.ones(data.n_rows, np.int64)
    values = (
        np.array([float(v) for v in column.levels])[column.codes] if isinstance(column, Factor) else column
    )
    if not np.isin(values, (0.0, 1.0)).all():
        raise InputError(f"{data.source}: column order has values other than 0 and 1")
    ground: IntArray = values.astype(np.int64)
    return ground


@dataclass(frozen=True, eq=False)
class ModelCells:
    """The cells of a model: combinations of pair, covariate pattern and who was named first.

    pair, pattern, sign int[n_cells].  order: whether the model has an order effect, so that it matters who
    was named first.  possible: number of pairs times strata of the unchanged table; there are more cells if a
    slip may reverse who was named first.
    """

    pair: IntArray
    pattern: IntArray
    sign: IntArray
    n_pairs: int
    order: bool
    possible: int

    def tally(self, rows: Rows) -> FloatArray:
        """float[n_cells, 3]: the rows summed by cell."""
        cell = self.cell_of(rows)
        return np.stack([np.bincount(cell, rows.counts[:, k], len(self.pair)) for k in range(3)], axis=1)

    def cell_of(self, rows: Rows) -> IntArray:
        """int[n]: the cell of each row."""
        sign = rows.sign if self.order else np.zeros_like(rows.sign)
        cell: IntArray = self._places[(rows.pattern * 3 + sign + 1) * self.n_pairs + rows.pair]
        return cell

    @cached_property
    def _places(self) -> IntArray:
        key = (self.pattern * 3 + self.sign + 1) * self.n_pairs + self.pair
        places = np.full(int(self.pattern.max(initial=0) + 1) * 3 * self.n_pairs, -1, np.int64)
        places[key] = np.arange(len(key))
        return places


def model_cells(rows: Rows, order: bool) -> ModelCells:
    """The cells of every pair in every stratum that occurs: a slip may move counts to an empty pair."""
    sign = rows.sign if order else np.zeros_like(rows.sign)
    seen = np.unique(np.column_stack([rows.pattern, sign]), axis=0)
    strata = np.unique(np.vstack([seen, seen * [1, -1]]), axis=0)
    n = len(rows.pairs)
    return ModelCells(
        np.tile(np.arange(n), len(strata)),
        np.repeat(strata[:, 0], n),
        np.repeat(strata[:, 1], n),
        n,
        order,
        len(seen) * n,
    )


def partition(rows: Rows, cells: ModelCells, kind: str) -> tuple[FloatArray, FloatArray, IntArray]:
    """Sum rows into the cells on which a deviance and its degrees of freedom are taken.

    kind: "model": the model's own cells; "judge": these divided by judge; "row": every row is a cell.
    Returns float[m, 3]: counts of a cell.  Returns float[m]: number of cells with these counts; 1 unless the
    cells are rows.  Returns int[m]: the model's cell to which each belongs.
    """
    if kind == "row":
        return rows.y, rows.times, cells.cell_of(rows)
    if kind == "model":
        counts, cell = cells.tally(rows), np.arange(len(cells.pair))
    else:
        n_judges = int(rows.judge.max(initial=0)) + 1
        key, box = np.unique(cells.cell_of(rows) * n_judges + rows.judge, return_inverse=True)
        counts = np.stack([np.bincount(np.ravel(box), rows.counts[:, k]) for k in range(3)], axis=1)
        cell = key // n_judges
    return counts / rows.copies, np.full(len(counts), float(rows.copies)), cell
