"""Step 4 of a fit: fitted counts, deviance and degrees of freedom, on the specified table of cells.

That table has a row for every pair of items and combination of the model's own covariates, or, with `cells`,
of further columns as well; the null model has all items equal and keeps the tie parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...fit.cell_table import CellTable, WhenAsked
from . import design
from .build import Model
from .cells import Cells, count_cells, count_cells_by_value
from .deviance import deviance, saturated
from .formula import Formula
from .solve import Solved, solve

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tabulated:
    """Deviances, degrees of freedom and cells; attributes as in :class:`pairproof.fit.record.FitRecord`."""

    cell_table: Callable[[], CellTable]
    deviance: float
    df_resid: int
    null_deviance: float
    df_null: int


@dataclass(frozen=True, eq=False)
class _Table:
    """The cells of the deviance table, and the cells of the likelihood to which they belong.

    `of` int[n_cells]: pattern of the model each cell belongs to.  coarse: cells of the likelihood.
    """

    cells: Cells
    of: IntArray
    coarse: Cells
    n_items: int

    def expected(self, probabilities: FloatArray) -> FloatArray:
        """float[n_cells, 3]: expected counts, from probabilities of the coarse cells or float[3] for all."""
        if probabilities.ndim == 2 and self.cells is not self.coarse:
            probabilities = probabilities[self._match()]
        return self.cells.totals[:, None] * probabilities

    def _match(self) -> IntArray:
        """For each cell the coarse cell of the same pattern, pair and sign."""

        n = int(self.coarse.pattern.max(initial=0)) + 1
        known = self.coarse.key(self.n_items, n)
        by_key = np.argsort(known)
        return by_key[np.searchsorted(known[by_key], self.cells.key(self.n_items, n, self.of))]


def tabulate(model: Model, found: Solved) -> Tabulated:
    """Deviance, degrees of freedom and the table of cells."""
    table = _table(model)
    cells, outcomes = table.cells, 3 if model.table.tie_category else 2
    full = saturated(cells.counts if outcomes == 3 else cells.counts[:, ::2], cells.totals)

    def deviance_of(llf: float, probabilities: Callable[[], FloatArray]) -> float:
        close = full.deviance(llf)
        return deviance(cells.counts, table.expected(probabilities())) if close is None else close

    null, n_free = _null_model(model), len(cells) * (outcomes - 1)
    return Tabulated(
        WhenAsked(lambda: _cell_table(model, table, found)),
        deviance_of(found.llf, found.fitted),
        n_free - found.rank - int(model.tie_is_infinite),
        deviance_of(null.llf, null.probabilities),
        n_free - null.rank,
    )


def _table(model: Model) -> _Table:
    coarse, own = model.problem.cells, model.patterns.of_row
    n_items = len(model.table.items)
    if not model.spec.cells:
        return _Table(coarse, coarse.pattern, coarse, n_items)
    if model.spec.cells == ("row",):
        finer, n, of = np.arange(model.table.n_rows), model.table.n_rows, own
    else:
        extra = design.find_patterns(Formula(), model.table, model.spec.cells)
        distinct, finer = np.unique(own * extra.n + extra.of_row, return_inverse=True)
        n, of = len(distinct), distinct // extra.n
    finer, rows = np.ravel(finer), model.directed
    if rows is None:
        cells = count_cells(model.table, finer, n, model.order)
    else:
        cells = count_cells_by_value(model.table, finer, n, model.order, rows.of_row, rows.n)
    return _Table(cells, of[cells.pattern], coarse, n_items)


def _cell_table(model: Model, table: _Table, found: Solved) -> CellTable:
    own, cells = design.pattern_labels(model.patterns), table.cells
    labels = [own[s] for s in table.of]
    if model.spec.cells:
        labels = [f"{lb}#{k + 1}" for lb, k in zip(labels, cells.pattern)]
    if model.spec.order_effect:
        order = {1: "first named", -1: "second named", 0: "neutral"}
        labels = [",".join(filter(None, [lb, f"order={order[int(s)]}"])) for lb, s in zip(labels, cells.sign)]
    if model.directed is not None and cells.value is not None:
        of_rows = [model.directed.label(int(k)) for k in range(model.directed.n)]
        labels = [",".join(filter(None, [lb, of_rows[int(k)]])) for lb, k in zip(labels, cells.value)]
    return CellTable(cells.i, cells.j, tuple(labels), cells.counts, table.expected(found.fitted()))


@dataclass(frozen=True, eq=False)
class _Null:
    """The model in which all items are equal and nothing else favours one of them, tie parameters kept.

    probabilities function of no argument to float[n_cells, 3] or float[3]: of the outcomes, cell by cell or
    the same for all.
    """

    llf: float
    rank: int
    probabilities: Callable[[], FloatArray]


def _null_model(model: Model) -> _Null:
    problem = model.problem
    y = problem.cells.counts.sum(axis=0)
    n = float(y.sum())
    if problem.model == "binary":
        return _Null(-n * math.log(2.0), int(model.tie_is_infinite), lambda: np.array([0.5, 0.0, 0.5]))
    r = problem.tie.shape[1]
    if r == 0:
        return _Null(-n * math.log(3.0), 0, lambda: np.full(3, 1.0 / 3.0))
    if r == 1:
        tied, decided = float(y[1]), n - float(y[1])
        llf = tied * math.log(tied / n) + (decided * math.log(decided / (2.0 * n)) if decided else 0.0)
        return _Null(llf, 1, lambda: np.array([decided / 2, tied, decided / 2]) / n)
    equal = replace(
        problem,
        x=np.zeros((problem.n_items, 0)),
        order=np.zeros((len(problem.z), 0)),
        z=problem.z[:, :1],
        further=None,
    )
    found = solve(equal)
    return _Null(found.llf, found.rank, found.fitted)
