"""What a fit's parameters are multiplied with in each row of a table.

The log-odds and the tie parameter of a row are x'b and z'b, and x and z have few entries that are not 0.  They
depend on the two items, the order and the covariates that the model names; rows that agree in these are of one
*pattern*.  A million answers on 100 items have at most 9,900 patterns, and all that is not a count is computed
once for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor, numbers_as_levels, take
from ...data.comparisons import Comparisons
from ..predictions import item_covariate
from ..record import FitRecord
from ..spec import LOG_WORTH_PER_UNIT, Term

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Design:
    """A design matrix whose rows have few entries, padded to the same number of them.

    `at` int[n, k]: parameters; 0 where `value` is 0.  value float[n, k].
    """

    at: IntArray
    value: FloatArray

    def times(self, vector: FloatArray) -> FloatArray:
        """float[n] or float[n, m]: the design times float[n_params] or float[n_params, m]."""
        out = np.zeros((len(self.at), *vector.shape[1:]))
        for at, value in zip(self.at.T, self.value.T):
            out += vector[at] * (value if vector.ndim == 1 else value[:, None])
        return out

    def quadratic(self, matrix: FloatArray, other: Design) -> FloatArray:
        """float[n]: x' matrix z for each row's x of this design and z of the other."""
        out = np.zeros(len(self.at))
        for a, u in zip(self.at.T, self.value.T):
            for b, v in zip(other.at.T, other.value.T):
                out += u * v * matrix[a, b]
        return out

    def weighted_products(self, weights: FloatArray, other: Design, n_params: int) -> FloatArray:
        """float[n_params, n_params]: sum over rows of weight x z', z of the other design."""
        out = np.zeros(n_params * n_params)
        for a, u in zip(self.at.T, self.value.T):
            for b, v in zip(other.at.T, other.value.T):
                out += np.bincount(a * n_params + b, weights=weights * u * v, minlength=n_params * n_params)
        return out.reshape(n_params, n_params)

    def dense(self, rows: IntArray, n_params: int) -> FloatArray:
        """float[n_some, n_params]: these rows, zeros written out."""
        out = np.zeros((len(rows), n_params))
        for at, value in zip(self.at[rows].T, self.value[rows].T):
            out[np.arange(len(rows)), at] += value
        return out


def patterns(fit: FitRecord, table: Comparisons, more: Sequence[str] = ()) -> tuple[IntArray, Comparisons]:
    """Pattern of every row, int[n_rows], and a table with one row of each pattern (its counts mean nothing).

    more: further columns in which the rows of a pattern agree.
    """
    names = {*more, *(covariate for term in fit.terms for covariate, _ in (*term.of, *term.by))}
    if any(term.kind == "order" for term in fit.terms):
        names |= {"order"} & set(table.columns)
    n_items = len(fit.items)
    key, size = np.asarray(table.first * n_items + table.second), n_items * n_items
    for name in sorted(names):
        codes, n_levels = _coded(table.columns[name])
        if size * n_levels >= 2**62:
            key, size = _renumbered(key, size)
        key, size = key * n_levels + codes, size * n_levels
    key, size = _renumbered(key, size)
    example = np.empty(size, np.int64)
    example[key] = np.arange(table.n_rows)
    few = replace(
        table,
        first=table.first[example],
        second=table.second[example],
        wins=table.wins[example],
        ties=table.ties[example],
        losses=table.losses[example],
        columns={name: take(table.columns[name], example) for name in names},
    )
    return key, few


def _coded(column: Column) -> tuple[IntArray, int]:
    if isinstance(column, Factor):
        return column.codes + 1, len(column.levels) + 1
    distinct, inverse = np.unique(column, return_inverse=True)
    return np.ravel(inverse), len(distinct)


def _renumbered(key: IntArray, size: int) -> tuple[IntArray, int]:
    """Keys numbered from 0 without gaps, and how many there are; counted rather than sorted where that fits."""
    if size > max(4 * len(key), 100_000):
        distinct, inverse = np.unique(key, return_inverse=True)
        return np.ravel(inverse), len(distinct)
    present = np.zeros(size, bool)
    present[key] = True
    number = np.cumsum(present) - 1
    return number[key], int(number[-1]) + 1 if size else 0


#: Rows, their parameters and the values there.
Entries = tuple[IntArray, IntArray, FloatArray]


def designs(fit: FitRecord, table: Comparisons) -> tuple[Design, Design]:
    """What beta is multiplied with in the log-odds and in the tie parameter of every row."""
    unit = LOG_WORTH_PER_UNIT[fit.scale]
    of_odds: list[Entries] = []
    of_tie: list[Entries] = []
    products = _Products(table)
    place = np.full((len(fit.layout.blocks), len(fit.items)), -1)
    place[fit.layout.block, fit.layout.item] = fit.layout.place
    for block, term in zip(place, fit.layout.blocks):
        rows, value = products.of(term)
        of_odds.append((rows, block[table.first[rows]], unit * value))
        of_odds.append((rows, block[table.second[rows]], -unit * value))
    order = _order(table)
    for k, term in enumerate(fit.terms):
        if term.kind == "item":
            continue
        rows, value = products.of(term)
        if term.kind == "covariate":
            each = item_covariate(fit, term)
            value = unit * value * (each[table.first[rows]] - each[table.second[rows]])
        elif term.kind == "order":
            value = value * order[rows]
        (of_tie if term.kind == "tie" else of_odds).append((rows, np.full(len(rows), k), value))
    return _packed(of_odds, table.n_rows), _packed(of_tie, table.n_rows)


class _Products:
    """Products of subject covariates and the rows in which they are not 0: of 400 judges a row has one."""

    def __init__(self, table: Comparisons) -> None:
        self.table = table
        self._by_level: dict[str, dict[str, IntArray]] = {}

    def of(self, term: Term) -> tuple[IntArray, FloatArray]:
        """int[m] and float[m]: rows, and the product of the term's covariates there."""
        multiplied = (*term.of, *term.by)
        of_levels = [self._rows(name, level) for name, level in multiplied if level is not None]
        rows = of_levels[0] if of_levels else np.arange(self.table.n_rows)
        for here in of_levels[1:]:
            rows = np.intersect1d(rows, here, assume_unique=True)
        value = np.ones(len(rows))
        for name, level in multiplied:
            column = self.table.columns[name]
            if level is None and not isinstance(column, Factor):
                value = value * column[rows]
        return rows, value

    def _rows(self, name: str, level: str) -> IntArray:
        if name not in self._by_level:
            self._by_level[name] = dict(_split(self.table.columns[name]))
        return self._by_level[name].get(level, np.zeros(0, np.int64))


def _split(column: Column) -> Iterator[tuple[str, IntArray]]:
    """Every level of a factor with its rows; the levels of numbers, of C(column), are named as the model has them."""
    if isinstance(column, Factor):
        levels, codes = column.levels, column.codes
    else:
        levels, codes = numbers_as_levels(column)
    by = np.argsort(codes, kind="stable")
    start = np.searchsorted(codes[by], np.arange(len(levels) + 1))
    for k, level in enumerate(levels):
        yield level, by[start[k] : start[k + 1]]


def _packed(parts: list[Entries], n: int) -> Design:
    """Entries of each row moved together."""
    filled = np.zeros(n, np.int64)
    at, value = np.zeros((n, 4), np.int64), np.zeros((n, 4))
    for rows, place, entry in parts:
        told = (entry != 0.0) & (place >= 0)
        if not told.all():
            rows, place, entry = rows[told], place[told], entry[told]
        column = filled[rows]
        if len(rows) and column.max() >= at.shape[1]:
            at, value = np.pad(at, ((0, 0), (0, 4))), np.pad(value, ((0, 0), (0, 4)))
        at[rows, column], value[rows, column] = place, entry
        filled[rows] += 1
    k = int(filled.max(initial=0))
    return Design(at[:, :k], value[:, :k])


def _order(table: Comparisons) -> FloatArray:
    """float[n_rows]: 1 where the item named first has its advantage, 0 on neutral ground."""
    column = table.columns.get("order")
    if column is None:
        return np.ones(table.n_rows)
    return np.array([float(v) for v in column.levels])[column.codes] if isinstance(column, Factor) else column
