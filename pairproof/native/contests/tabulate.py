"""Cells, deviance and degrees of freedom of contests.

A cell holds the rows with the same pair and the same linear predictor, whoever is named first, divided further by the
columns that `cells` names; "row" makes each row a cell, as R's glm has it.  With y outcomes of n comparisons of a cell
and fitted probabilities p the deviance is 2 sum y log(y / (n p)).  In the null model all items are equal, nothing
favours either of them but the offset, and ties have one probability.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fit.cell_table import CellTable, WhenAsked
from ...fit.residuals import poisson_divergence
from ..structured.contests import distinct_rows
from ..structured.links import link
from .rows import ContestRows
from .solved import Solved, binary

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


def tabulate(rows: ContestRows, found: Solved, rank: int) -> Tabulated:
    """The cells of contests, with deviance and degrees of freedom.

    rank: parameters fitted, infinite ones included.
    """
    table, spec = rows.table, rows.spec
    used = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    turned = (table.first > table.second)[used]
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)[used]
    of, keys = _cells(rows, used, turned)
    n = len(keys)
    observed, fitted, nothing = (
        _sums(of, n, _turn(part, turned))
        for part in (
            counts,
            counts.sum(axis=1, keepdims=True) * found.fitted[used],
            counts.sum(axis=1, keepdims=True) * _null(rows)[used],
        )
    )
    first, second = np.minimum(table.first, table.second)[used], np.maximum(table.first, table.second)[used]
    outcomes = slice(None) if rows.has_ties else slice(None, None, 2)
    free = n * (2 if rows.has_ties else 1)

    def cell_table() -> CellTable:
        by_row = spec.cells == ("row",)
        labels = tuple(f"row {used[k] + 1}" for k in keys) if by_row else _labels(rows, used[keys])
        return CellTable(first[keys], second[keys], labels, observed, fitted)

    return Tabulated(
        WhenAsked(cell_table),
        2.0 * float(poisson_divergence(observed[:, outcomes], fitted[:, outcomes]).sum()),
        free - rank,
        2.0 * float(poisson_divergence(observed[:, outcomes], nothing[:, outcomes]).sum()),
        free - int(rows.has_ties and bool(table.ties.any())),
    )


def _cells(rows: ContestRows, used: IntArray, turned: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """The cell of each used row, and a used row of each cell."""
    table, spec, design = rows.table, rows.spec, rows.design
    if spec.cells == ("row",):
        return np.arange(len(used)), np.arange(len(used))
    side = np.where(turned, -1.0, 1.0)
    columns = [np.minimum(table.first, table.second)[used], np.maximum(table.first, table.second)[used]]
    n_directed = sum(
        t.kind in ("order", "comparison") for t in rows.terms
    )  # covariates of items follow from the pair
    columns += [side * column for column in design.dense[used, design.dense.shape[1] - n_directed :].T]
    if design.offset.any():
        columns.append(side * design.offset[used])
    if spec.tie_shift:
        columns.append(side * rows.home[used])
    for name in spec.cells:
        columns.append(_codes(rows, name)[used])
    first, of = distinct_rows(np.stack([np.asarray(c, dtype=float) for c in columns], axis=1))
    return of, first


def _codes(rows: ContestRows, name: str) -> FloatArray:
    from ...data.columns import Factor

    column = rows.data.columns.get(name)
    if column is None:
        raise InputError(
            f"cells={list(rows.spec.cells)}: no column {name!r}; there are {', '.join(rows.data.columns) or 'none'}"
        )
    return np.asarray(column.codes if isinstance(column, Factor) else column, dtype=float)


def _turn(values: FloatArray, turned: NDArray[np.bool_]) -> FloatArray:
    """float[n, 3], outcomes from the side of the item that comes first in the item order."""
    out = values.copy()
    out[turned] = values[turned][:, ::-1]
    return out


def _sums(of: IntArray, n: int, values: FloatArray) -> FloatArray:
    return np.stack([np.bincount(of, column, n) for column in values.T], axis=1)


def _labels(rows: ContestRows, chosen: IntArray) -> tuple[str, ...]:
    """`order=1,length=2.5`: what each comparison has beside its pair."""
    n_comparison = sum(t.kind in ("order", "comparison") for t in rows.terms)
    names = [t.name for t in rows.terms[len(rows.terms) - n_comparison :]] + [rows.spec.offset]
    side = np.where(rows.table.first[chosen] > rows.table.second[chosen], -1.0, 1.0)
    values = rows.design.dense[chosen, rows.design.dense.shape[1] - n_comparison :]
    first, of = distinct_rows(np.column_stack([side[:, None] * values, side * rows.design.offset[chosen]]))
    words = []
    for k in first:
        here = [*(side[k] * values[k]), side[k] * rows.design.offset[chosen[k]]]
        words.append(",".join(f"{name}={value:g}" for name, value in zip(names, here) if value))
    return tuple(words[k] for k in of)


def _null(rows: ContestRows) -> FloatArray:
    """float[n_rows, 3]: probabilities where all items are equal and nothing but the offset favours either."""
    table = rows.table
    if not rows.has_ties:
        return binary(link(rows.spec.link).probability(rows.design.offset))
    total = float((table.wins + table.ties + table.losses).sum())
    tied = float(table.ties.sum()) / total
    p = link("logit").probability(rows.design.offset)
    return np.stack([(1.0 - tied) * p, np.full(len(p), tied), (1.0 - tied) * (1.0 - p)], axis=1)
