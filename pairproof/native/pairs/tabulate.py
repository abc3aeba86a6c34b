"""Step 4 of a fit: fitted counts, deviance and degrees of freedom, on the specified table of cells.

That table has a row for every pair of items and combination of the model's own covariates, or, with `cells`,
of further columns as well; the null model has all items equal and keeps the tie parameters.

Deviance of a table of counts, computed without cancellation.

    D = 2 sum (y log(y/m) - y + m)

Each term is >= 0, and near y = m it is computed from (y - m)/m by its series, so that a small deviance of
large counts keeps its digits (the usual y log(y/m) summed with both signs loses them).
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
from .formula import Formula
from .solve import Solved, solve

FloatArray = NDArray[np.float64]

#: Below this relative difference the series is used; the terms left out are below 0.02**10.
_NEAR, _TERMS = 0.02, 11
#: In tables of more cells than this, 2 (saturated - fitted) log-likelihood stands in for the sum of positive
#: terms while it is no smaller than this share of the terms it is made of: rounding of 1e-16 of them then
#: leaves 13 digits.
_MANY, _SHARE = 1000, 5e-3

_BLOCK = 16384


@dataclass(frozen=True)
class Saturated:
    """Log-likelihood of counts under their own shares in each cell, sum y log y - sum n log n.

    terms: sum n log n, on which its rounding depends.
    """

    llf: float
    terms: float
    n_cells: int

    def deviance(self, llf: float) -> float | None:
        """2 (saturated - llf), or None if that difference would lose digits or the sum costs next to
        nothing.
        """
        value = 2.0 * (self.llf - llf)
        return value if self.n_cells > _MANY and value > _SHARE * self.terms else None


def saturated(observed: FloatArray, totals: FloatArray) -> Saturated:
    """The saturated log-likelihood of counts, float[n_cells, k], with totals, float[n_cells]."""
    terms = _sum_y_log_y(totals)
    return Saturated(_sum_y_log_y(observed) - terms, terms, len(totals))


def _sum_y_log_y(y: FloatArray) -> float:
    flat, total = np.ravel(y, order="K"), 0.0
    for k in range(0, len(flat), _BLOCK):  # what fits into the processor's cache
        part = flat[k : k + _BLOCK]
        total += float(part.dot(np.log(np.maximum(part, 1e-300))))  # 0 log 0 is 0
    return total


def deviance(observed: FloatArray, fitted: FloatArray) -> float:
    """Poisson (= product multinomial, totals being equal) deviance.

    observed, fitted: same totals in each cell; fitted is 0 only where observed is.
    """
    y, m = np.ravel(observed), np.ravel(fitted)
    live = m > 0
    y, m = y[live], m[live]
    x = (y - m) / m
    near = np.abs(x) < _NEAR
    far_y, far_m = y[~near], m[~near]
    ratio = np.where(far_y > 0, far_y, far_m) / far_m
    far = np.vdot(far_y, np.log(ratio)) - np.sum(far_y - far_m)
    return 2.0 * float(far + (np.vdot(m[near], _gap(x[near])) if near.any() else 0.0))


def _gap(x: FloatArray) -> FloatArray:
    """(1 + x) log(1 + x) - x = sum over k >= 2 of (-x)**k / (k (k - 1)), for small x."""
    total = np.zeros_like(x)
    for k in range(_TERMS, 1, -1):
        total = total * -x + 1.0 / (k * (k - 1))
    return total * x * x


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
