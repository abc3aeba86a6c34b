"""The sums over cells that a Newton step needs: by pair of items, and over all cells.

With r, w the derivatives of a cell (module `ties`), z_c its item terms and o_c, t_c its order and tie terms:

    r_items[., p] = sum_c z_c r_u     w_items[., ., p] = sum_c z_c z_c' w_uu      over the cells c of pair p
    w_border[k, ., p] = sum_c z_c o_ck w_uu, then sum_c z_c t_ck w_ug
    r_border = sum_c (o_c r_u, t_c r_g)
    w_corner = sum_c  [ o_c o_c' w_uu   o_c t_c' w_ug ]
                      [        .        t_c t_c' w_gg ]   (lower left not filled)

A table of cells, strata x pairs, is processed a block of strata at a time, so that the intermediate arrays
stay in the processor's cache and the derivatives of all cells are never held at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .cells import sums
from .ties import Counts, Derivatives

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Cells in a block: arrays of 128 KB. 8,000 to 65,000 take the same time within a tenth; 174,000 at once take
#: 1.3 times as long, and their derivatives would have to be held.
_BLOCK = 16384


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of a Newton step (formulas in the module), with t item, q order and r tie terms.

    r_items float[t, n_pairs].  w_items float[t, t, n_pairs].  r_border float[q + r].  w_border float[q + r,
    t, n_pairs].  w_corner float[q + r, q + r]: upper triangle.
    """

    llf: float
    r_items: FloatArray
    w_items: FloatArray
    r_border: FloatArray
    w_border: FloatArray
    w_corner: FloatArray

    def __add__(self, other: Sums | None) -> Sums:
        if other is None:
            return self
        return Sums(
            self.llf + other.llf,
            self.r_items + other.r_items,
            self.w_items + other.w_items,
            self.r_border + other.r_border,
            self.w_border + other.w_border,
            self.w_corner + other.w_corner,
        )


@dataclass(frozen=True, eq=False)
class Pool:
    """The cells by stratum and pair, with the terms of the strata.

    z, order, tie float[n_strata, t], float[n_strata, q], float[n_strata, r].  grid: cells as a table, strata
    x pairs; else as a list.  stratum, pair int[n_cells].  y: in the layout of the cells.
    """

    z: FloatArray
    order: FloatArray
    tie: FloatArray
    n_pairs: int
    grid: bool
    stratum: IntArray
    pair: IntArray
    y: Counts

    @cached_property
    def blocks(self) -> tuple[tuple[slice, Counts], ...]:
        """Strata and their counts; a list of cells is one block."""
        # Fewer strata than item terms, and adding the sums up would cost more than forming them.
        step = max(1, _BLOCK // max(self.n_pairs, 1), self.z.shape[1])
        if not self.grid or len(self.z) <= step:
            return ((slice(None), self.y),)
        starts = range(0, len(self.z), step)
        return tuple((slice(k, k + step), self.y.at(slice(k, k + step))) for k in starts)

    def sums(self, d: Derivatives, rows: slice = slice(None)) -> Sums:
        """Sums over the cells of these strata, whose derivatives are `d`."""
        z, order, tie = self.z[rows], self.order[rows], self.tie[rows]
        q, n_border = order.shape[1], order.shape[1] + tie.shape[1]
        border, corner = np.zeros((n_border, z.shape[1], self.n_pairs)), np.zeros((n_border, n_border))
        r_border = np.zeros(n_border)
        if q:
            r_border[:q] = order.T @ self._per_stratum(d.r_u)
            along = self._per_stratum(d.w_uu)
            for k in range(q):
                border[k] = self._per_pair(z * order[:, [k]], d.w_uu)
                corner[:q, k] = order.T @ (along * order[:, k])
        if n_border > q:
            assert d.r_g is not None and d.w_ug is not None and d.w_gg is not None
            r_border[q:] = tie.T @ self._per_stratum(d.r_g)
            across, along = self._per_stratum(d.w_ug), self._per_stratum(d.w_gg)
            for k in range(n_border - q):
                border[q + k] = self._per_pair(z * tie[:, [k]], d.w_ug)
                corner[:q, q + k] = order.T @ (across * tie[:, k])
                corner[q:, q + k] = tie.T @ (along * tie[:, k])
        return Sums(d.llf, self._per_pair(z, d.r_u), self.products(d.w_uu, rows), r_border, border, corner)

    @cached_property
    def _upper(self) -> tuple[IntArray, IntArray]:
        return np.triu_indices(self.z.shape[1])

    def _per_pair(self, columns: FloatArray, values: FloatArray) -> FloatArray:
        """float[m, n_pairs]: sum over the cells of a pair of columns[stratum, m] * values."""
        if self.grid:
            out: FloatArray = columns.T @ values
            return out
        n = self.n_pairs
        return (
            np.stack([sums(self.pair, columns[self.stratum, m] * values, n) for m in range(columns.shape[1])])
            if columns.shape[1]
            else np.zeros((0, n))
        )

    def _per_stratum(self, values: FloatArray) -> FloatArray:
        if self.grid:
            by_row: FloatArray = values.sum(axis=1)
            return by_row
        return sums(self.stratum, values, len(self.z))

    def products(self, values: FloatArray, rows: slice = slice(None)) -> FloatArray:
        """float[t, t, n_pairs]: sum over the cells of a pair of values * z z'."""
        z, n = self.z[rows], self.n_pairs
        t = z.shape[1]
        if t > 8 and not self.grid:  # one small matrix product a pair beats t(t+1)/2 passes over the cells
            order = np.argsort(self.pair, kind="stable")
            ends = np.searchsorted(self.pair[order], np.arange(n + 1))
            out = np.empty((n, t, t))
            of_cell = z[self.stratum[order]]
            weighted = of_cell * values[order, None]
            for p in range(n):
                a, b = ends[p], ends[p + 1]
                out[p] = of_cell[a:b].T @ weighted[a:b]
            return out.transpose(1, 2, 0)
        a, b = self._upper
        upper = self._per_pair(z[:, a] * z[:, b], values)
        full = np.empty((t, t, n))
        full[a, b] = upper
        full[b, a] = upper
        return full
