"""Solver for models that are not blocks: slopes, item covariates, uncrossed factors, infinite parameters.

Item terms are taken in an orthonormal basis of their columns (QR), so that a covariate like the year 1998
costs no digits.  Cells are grouped by pair; with w_c the weights of a pair's cells and z_c their terms the
information is

    H = sum over pairs of (d_p d_p') x (sum_c w_c z_c z_c'),    d_p = x_i - x_j  (e_i - e_j for free items)

so that 400 judges with a numeric covariate are pooled by matrix products before the items are looked at.
Where most patterns have most pairs the cells are held as a table, patterns x pairs; else as a list.

The sums over cells that a Newton step needs, with r, w the derivatives of a cell (module
`outcome_derivatives`), z_c its item terms and o_c, t_c its order and tie terms:

    r_items[., p] = sum_c z_c r_u     w_items[., ., p] = sum_c z_c z_c' w_uu      over the cells c of pair p
    w_border[k, ., p] = sum_c z_c o_ck w_uu, then sum_c z_c t_ck w_ug
    r_border = sum_c (o_c r_u, t_c r_g)
    w_corner = sum_c  [ o_c o_c' w_uu   o_c t_c' w_ug ]
                      [        .        t_c t_c' w_gg ]   (lower left not filled)

A table of cells is processed a block of strata at a time, so that the intermediate arrays stay in the
processor's cache and the derivatives of all cells are never held at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from ....errors import TooLargeError
from ....fit.estimates.covariance import (
    Covariance,
    DenseCovariance,
    LinearMap,
    MappedCovariance,
    variances_one_by_one,
)
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....numerics.maxima import by_cholesky, maximise
from .cells import Problem, distinct, empirical_logits, sums
from .outcome_derivatives import Counts, Derivatives, derivatives

#: Free parameters that are solved for together at most: a step costs their third power, half a minute at
#: 4,000 with the reference BLAS.
MOST_TOGETHER = 4000


def check_dense_size(problem: Problem) -> None:
    """Raise TooLargeError if there are too many parameters to solve for together."""
    n = problem.n_params - (problem.n_terms if problem.x is None else 0)
    if n > MOST_TOGETHER:
        further = "" if problem.further is None else " and those of single items and of the comparison"
        raise TooLargeError(
            f"{n:,} parameters ({problem.n_terms:,} effects on each of {problem.n_items:,} items{further}) have to be"
            f" solved for together, which takes matrices of {8e-9 * n * n:.1f} GB (limit"
            f" {MOST_TOGETHER:,} parameters); leave out a covariate, make it one factor, or take fewer items"
        )


@dataclass(frozen=True, eq=False)
class Differences:
    """The rows x_i - x_j of the pairs of items.
    For free items a row is the difference of two unit vectors and is kept as two positions; as a matrix,
    1,000 items with 500,000 pairs would take 4 GB.  matrix float[n_pairs, k] or None: none: free items.  i, j
    int[n_pairs].  free int[n_items] or None: column of each free item; k for the reference, which has
    none."""

    matrix: FloatArray | None
    i: IntArray
    j: IntArray
    free: IntArray | None
    k: int

    @property
    def written(self) -> FloatArray:
        if self.matrix is not None:
            return self.matrix
        assert self.free is not None
        out, at = np.zeros((len(self.i), self.k + 1)), np.arange(len(self.i))
        out[at, self.free[self.i]], out[at, self.free[self.j]] = 1.0, -1.0
        return out[:, : self.k]

    def of(self, columns: FloatArray) -> FloatArray:
        """float[m, n_pairs]: differences of abilities given by float[m, k]."""
        if self.matrix is not None:
            return np.asarray(columns @ self.matrix.T)
        assert self.free is not None
        level = np.concatenate([columns, np.zeros((len(columns), 1))], axis=1)[:, self.free]
        return np.asarray(level[:, self.i] - level[:, self.j])

    def onto(self, values: FloatArray) -> FloatArray:
        """float[m, k]: sums over the pairs of values, float[m, n_pairs], times their rows."""
        if self.matrix is not None:
            return values @ self.matrix
        n = len(self.free) if self.free is not None else 0
        both = [sums(self.i, v, n) - sums(self.j, v, n) for v in values]
        out = np.zeros((len(values), self.k + 1))
        if both:
            out[:, self.free] = both
        return out[:, : self.k]


@dataclass(frozen=True, eq=False)
class Basis:
    """A basis of the columns of a matrix: matrix = columns @ change.
    columns float[n, k].  inverse float[k, k]: inverse of the change: parameters of the matrix are inverse @
    parameters of the columns."""

    columns: FloatArray
    inverse: FloatArray


def orthonormal(matrix: FloatArray, saturated: bool = False) -> Basis:
    """An orthonormal basis (times sqrt(n), so that entries are of order 1), or the unit vectors if
    saturated."""
    n, k = matrix.shape
    if k == 0:
        return Basis(matrix, np.zeros((0, 0)))
    if saturated and n == k:
        return Basis(np.eye(n), np.asarray(np.linalg.inv(matrix), float))
    q, r = np.linalg.qr(matrix)
    return Basis(q * np.sqrt(n), np.linalg.inv(r / np.sqrt(n)))


def share_kept(fine: Basis, coarse: Basis, width: FloatArray) -> float:
    """Smallest share of a term's sum of squares that is left between groups of strata, of this width each."""
    if fine.columns.shape[1] == 0:
        return 1.0
    left = np.linalg.solve(fine.columns.T @ fine.columns, coarse.columns.T @ (width * coarse.columns))
    return float(np.linalg.eigvals(left).real.min())


#: Cells in a block: arrays of 128 KB. 8,000 to 65,000 take the same time within a tenth; 174,000 at once take
#: 1.3 times as long, and their derivatives would have to be held.
_BLOCK = 16384


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of a Newton step (formulas in the module), with t item, q order and r tie terms.
    r_items float[t, n_pairs].  w_items float[t, t, n_pairs].  r_border float[q + r].  w_border float[q + r,
    t, n_pairs].  w_corner float[q + r, q + r]: upper triangle."""

    llf: float
    r_items: FloatArray
    w_items: FloatArray
    r_border: FloatArray
    w_border: FloatArray
    w_corner: FloatArray

    def __add__(self, other: Sums | None) -> Sums:
        if other is None:
            return self
        return Sums(*(a + b for a, b in zip(vars(self).values(), vars(other).values())))


#: Eight groups lose 1/64 of the information about a slope: the start is then within a fraction of a standard
#: error.
_GROUPS_PER_TERM = 8


@dataclass(frozen=True, eq=False)
class Dense:
    """A problem with orthonormal bases of its terms.
    z, order, tie: over strata: combinations of pattern and order sign.  x: over items; for free items the
    unit vectors without the reference.  pair_i, pair_j int[n_pairs].  grid: cells as a table, strata x pairs,
    instead of a list.  stratum, pair int[n_cells].  y: in the layout of the cells.  keep float[n_inner,
    n_free] or None: orthonormal complement of the directions that are not estimable; None: all are."""

    problem: Problem
    z: Basis
    order: Basis
    tie: Basis
    x: Basis
    pair_i: IntArray
    pair_j: IntArray
    d: Differences
    grid: bool
    stratum: IntArray
    pair: IntArray
    y: Counts
    keep: FloatArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of item terms, number of columns of x."""
        return self.z.columns.shape[1], self.x.columns.shape[1]

    @property
    def n_pairs(self) -> int:
        return len(self.pair_i)

    @property
    def n_inner(self) -> int:
        t, k = self.shape
        return t * k + int(self.order.columns.shape[1] + self.tie.columns.shape[1])

    @property
    def splits(self) -> tuple[int, int]:
        """Positions at which the order and the tie parameters begin."""
        t, k = self.shape
        return t * k, t * k + self.order.columns.shape[1]

    def origin(self) -> FloatArray:
        """The parameters at which all abilities are equal."""
        return self._with_tie(np.zeros(self.n_inner))

    def start(self) -> FloatArray:
        """Starting values: the maximum for a coarser table, or least squares on empirical logits."""
        coarse = self._coarse()
        if coarse is not None:
            found = maximise(coarse.evaluate, coarse._least_squares())
            if found.reached:
                return found.x
        return self._least_squares()

    def _least_squares(self) -> FloatArray:
        model, total = self.problem.model, None
        for rows, y in self.blocks:
            total = self.sums(empirical_logits(y, model), rows) + total
        assert total is not None  # there is a block
        return self._with_tie(self.inner(self._point(total, 0.0).newton_step(0.05)[0]))

    def _point(self, of: Sums, extent: float) -> TogetherPoint:
        gradient, information = partial(self._gradient, of), partial(self._information, of)
        return TogetherPoint(self, self.keep, of.llf, extent, gradient, information)

    def _coarse(self) -> Dense | None:
        """A coarser problem, in which neighbouring strata are merged and have their mean terms.
        None if there are few strata or merging loses too much about a term.  It saves two Newton steps.
        Patterns are sorted by their covariates, so neighbours are alike; not so the signs of an order
        effect."""
        n, t = self.z.columns.shape
        size = n // (_GROUPS_PER_TERM * t)
        if not self.grid or size < 4 or self.order.columns.shape[1]:
            return None
        starts = np.arange(0, n, size)
        width = np.diff(starts, append=n)[:, None]

        def total(values: FloatArray) -> FloatArray:
            return np.asarray(np.add.reduceat(values, starts, axis=0))

        z, tie = (replace(b, columns=total(b.columns) / width) for b in (self.z, self.tie))
        if min(share_kept(self.z, z, width), share_kept(self.tie, tie, width)) < 0.5:
            return None
        y = Counts(total(self.y.first), total(self.y.tie), total(self.y.second), total(self.y.total))
        return replace(self, z=z, order=replace(self.order, columns=self.order.columns[starts]), tie=tie, y=y)

    def _with_tie(self, inner: FloatArray) -> FloatArray:
        at = self.splits[1]
        if self.n_inner > at:
            # The constant, in the basis: the first tie column is 1.
            constant = np.linalg.solve(self.tie.inverse, np.eye(self.n_inner - at)[0])
            inner = np.append(inner[:at], constant * self.problem.start_tie())
        return inner if self.keep is None else self.keep.T @ inner

    def inner(self, x: FloatArray) -> FloatArray:
        return x if self.keep is None else self.keep @ x

    @cached_property
    def blocks(self) -> tuple[tuple[slice, Counts], ...]:
        """Strata and their counts; a list of cells is one block."""
        # Fewer strata than item terms, and adding the sums up would cost more than forming them.
        step = max(1, _BLOCK // max(self.n_pairs, 1), self.shape[0])
        n_strata = len(self.z.columns)
        if not self.grid or n_strata <= step:
            return ((slice(None), self.y),)
        starts = range(0, n_strata, step)
        return tuple((slice(k, k + step), self.y.at(slice(k, k + step))) for k in starts)

    def sums(self, d: Derivatives, rows: slice = slice(None)) -> Sums:
        """Sums over the cells of these strata, whose derivatives are `d`."""
        z, order, tie = (basis.columns[rows] for basis in (self.z, self.order, self.tie))
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
        return np.triu_indices(self.shape[0])

    def _per_pair(self, columns: FloatArray, values: FloatArray) -> FloatArray:
        """float[m, n_pairs]: sum over the cells of a pair of columns[stratum, m] * values."""
        if self.grid:
            return np.asarray(columns.T @ values)
        n = self.n_pairs
        found = [sums(self.pair, columns[self.stratum, m] * values, n) for m in range(columns.shape[1])]
        return np.array(found).reshape(-1, n)

    def _per_stratum(self, values: FloatArray) -> FloatArray:
        if self.grid:
            return np.asarray(values.sum(axis=1))
        return sums(self.stratum, values, len(self.z.columns))

    def products(self, values: FloatArray, rows: slice = slice(None)) -> FloatArray:
        """float[t, t, n_pairs]: sum over the cells of a pair of values * z z'."""
        z, n = self.z.columns[rows], self.n_pairs
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
            return np.asarray(out.transpose(1, 2, 0))
        a, b = self._upper
        upper = self._per_pair(z[:, a] * z[:, b], values)
        full = np.empty((t, t, n))
        full[a, b] = upper
        full[b, a] = upper
        return full

    def predictors(self, inner: FloatArray, rows: slice = slice(None)) -> tuple[FloatArray, FloatArray]:
        """u and g in the layout of the cells (g of a table is one column); `rows` are strata of a table."""
        t, k = self.shape
        at_order, at_tie = self.splits
        gaps = self.d.of(inner[:at_order].reshape(t, k))
        by_order = self.order.columns[rows] @ inner[at_order:at_tie]
        g = self.tie.columns[rows] @ inner[at_tie:]
        if self.grid:
            u: FloatArray = self.z.columns[rows] @ gaps
            return (u + by_order[:, None] if at_tie > at_order else u), g[:, None]
        u = np.einsum("ct,tc->c", self.z.columns[self.stratum], gaps[:, self.pair]) + by_order[self.stratum]
        return u, g[self.stratum]

    def of_cells(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """u and g of every cell."""
        u, g = self.predictors(self.inner(x))
        return (u[self.stratum, self.pair], g[self.stratum, 0]) if self.grid else (u, g)

    def evaluate(self, x: FloatArray) -> TogetherPoint:
        inner, model = self.inner(x), self.problem.model
        extent, total = 0.0, None
        for rows, y in self.blocks:
            u, g = self.predictors(inner, rows)
            of_u, of_g = float(np.abs(u).max(initial=0.0)), float(np.abs(g).max(initial=0.0))
            bad = not (of_u < np.inf and of_g < np.inf)  # nan included
            if bad or (model == "rao-kupper" and not y.in_order(g)):
                return TogetherPoint(self, self.keep, -np.inf, np.inf)
            extent = max(extent, of_u, of_g)
            total = self.sums(derivatives(u, g, y, model, of_u), rows) + total
        assert total is not None  # there is a block
        return self._point(total, extent)

    def _gradient(self, of: Sums) -> FloatArray:
        return np.append(self.d.onto(of.r_items), of.r_border)

    def _information(self, of: Sums) -> FloatArray:
        (t, k), (a, _), n = self.shape, self.splits, self.n_inner
        h = np.zeros((n, n))
        # sum_p d_p d_p' m_p as one product: (n_pairs x k k)' (n_pairs x t t)
        if self.problem.x is None:
            h[:a, :a] = self._laplacians(of.w_items).transpose(0, 2, 1, 3).reshape(a, a)
        else:
            d = self.d.written
            outer = (d[:, :, None] * d[:, None, :]).reshape(len(d), -1)
            items = (of.w_items.reshape(t * t, -1) @ outer).reshape(t, t, k, k)
            h[:a, :a] = items.transpose(0, 2, 1, 3).reshape(a, a)
        for c, border in enumerate(of.w_border):
            h[:a, a + c] = self.d.onto(border).ravel()
        h[a:, a:] = of.w_corner
        upper = np.triu(h)
        return np.asarray(upper + np.triu(h, 1).T)

    def _laplacians(self, m: FloatArray) -> FloatArray:
        """float[t, t, k, k]: weighted Laplacians of the free items, without the reference."""
        j, t = self.problem.n_items, m.shape[0]
        lap = np.zeros((t, t, j, j))
        lap[:, :, self.pair_i, self.pair_j] = -m
        lap[:, :, self.pair_j, self.pair_i] = -m
        at = np.arange(j)
        lap[:, :, at, at] = -lap.sum(axis=3)
        keep = np.delete(at, self.problem.reference)
        return np.asarray(lap[:, :, keep[:, None], keep])

    # Parameters of the problem from those solved for.

    def forward(self, values: FloatArray) -> FloatArray:
        """Parameters of the problem, float[n_params] or float[n_params, k], from what is solved for."""
        inner = self.inner(values)
        return np.asarray(self._outward(inner[None, :])[0] if inner.ndim == 1 else self._outward(inner.T).T)

    def _outward(self, inner: FloatArray) -> FloatArray:
        """float[m, n_inner] to float[m, n_params]."""
        t, k = self.shape
        a, b = self.splits
        items = self.z.inverse @ inner[:, :a].reshape(len(inner), t, k)
        if self.problem.x is None:
            items = np.insert(items, self.problem.reference, 0.0, axis=2)
        else:
            items = items @ self.x.inverse.T
        order, tie = inner[:, a:b] @ self.order.inverse.T, inner[:, b:] @ self.tie.inverse.T
        return np.concatenate([items.reshape(len(inner), self.problem.n_item_params), order, tie], axis=1)

    def variances(self, before: Covariance) -> FloatArray:
        """float[n_params]: of the parameters of the problem, from the covariance of what is solved for."""
        return variances_through(self, self.problem.n_params, before)

    def back(self, functions: FloatArray) -> FloatArray:
        """Linear functions of the parameters as functions of what is solved for: float[m, n_params] to
        float[m, n_free]."""
        t, k = self.shape
        n, q = self.problem.n_item_params, self.order.columns.shape[1]
        items = functions[:, :n].reshape(len(functions), t, n // t)
        if self.problem.x is None:
            items = np.delete(items, self.problem.reference, axis=2)
        else:
            items = items @ self.x.inverse
        items = np.einsum("mtk,ts->msk", items, self.z.inverse)
        order, tie = functions[:, n : n + q] @ self.order.inverse, functions[:, n + q :] @ self.tie.inverse
        inner: FloatArray = np.concatenate([items.reshape(len(functions), -1), order, tie], axis=1)
        return inner if self.keep is None else inner @ self.keep

    def outward_directions(self, directions: FloatArray) -> FloatArray:
        """float[n_inner, k] directions as directions of the parameters, each of length 1 in its largest
        entry."""
        out = self._outward(directions.T).T
        return np.asarray(out / np.abs(out).max(axis=0))


def as_dense(problem: Problem, alive: BoolArray | None = None, keep: FloatArray | None = None) -> Dense:
    """Choose the bases and the layout of the cells.
    alive bool[n_cells, 3] or None: outcomes that stay possible in the limit of a separated fit.  keep
    float[n_inner, n_free] or None."""
    cells, j = problem.cells, problem.n_items
    strata, stratum = distinct(cells.pattern * 3 + cells.sign + 1, len(problem.z) * 3)
    of, sign = strata // 3, strata % 3 - 1
    pairs, pair = distinct(cells.i * j + cells.j, j * j)
    item_rows, back = problem.item_patterns()
    saturated = problem.x is None and item_rows.shape[0] == item_rows.shape[1]
    z = orthonormal(item_rows, saturated)
    z = replace(z, columns=z.columns[back[of]])
    order = orthonormal(problem.order)
    order = replace(order, columns=order.columns[of] * sign[:, None])
    tie = orthonormal(problem.tie)
    tie = replace(tie, columns=tie.columns[of])
    if problem.x is None:
        x = Basis(np.delete(np.eye(j), problem.reference, axis=1), np.eye(j - 1))
        free = np.arange(j) - (np.arange(j) > problem.reference)
        free[problem.reference] = j - 1
    else:
        x, free = orthonormal(problem.x - problem.x.mean(axis=0)), None
    pair_i, pair_j = pairs // j, pairs % j
    written = None if free is not None else x.columns[pair_i] - x.columns[pair_j]
    d = Differences(written, pair_i, pair_j, free, x.columns.shape[1])
    y = problem.counts(alive)
    grid = alive is None and len(cells) * 2 >= len(strata) * len(pairs)
    if grid:
        y = as_table(y, stratum, pair, (len(strata), len(pairs)))
    return Dense(problem, z, order, tie, x, pair_i, pair_j, d, grid, stratum, pair, y, keep)


def as_table(y: Counts, stratum: IntArray, pair: IntArray, shape: tuple[int, int]) -> Counts:
    """A list of cells as a table, strata x pairs."""
    place = stratum * shape[1] + pair
    full = len(place) == shape[0] * shape[1] and bool((place[1:] > place[:-1]).all())

    def table(values: FloatArray) -> FloatArray:
        if full:
            return values.reshape(shape)
        out = np.zeros(shape)
        out.ravel()[place] = values
        return out

    return Counts(table(y.first), table(y.tie), table(y.second), table(y.total))


def variances_through(layout: LinearMap, n: int, before: Covariance) -> FloatArray:
    """float[n]: of the parameters of the problem, from the covariance of what is solved for."""
    assert isinstance(before, DenseCovariance)
    matrix = before.matrix

    def of(functions: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("mi,ij,mj->m", functions, matrix, functions, optimize=True))

    return variances_one_by_one(layout, n, of)


def _none() -> FloatArray:
    return np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class TogetherPoint:
    """Log-likelihood, gradient float[n_inner] and information float[n_inner, n_inner] at one parameter vector; no
    derivatives where the likelihood is not a double."""

    layout: LinearMap
    keep: FloatArray | None
    value: float
    extent: float
    gradient: Callable[[], FloatArray] = _none
    information: Callable[[], FloatArray] = _none

    @cached_property
    def _reduced(self) -> FloatArray:
        h, keep = self.information(), self.keep
        return h if keep is None else keep.T @ h @ keep

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        q = self.gradient() if self.keep is None else self.keep.T @ self.gradient()
        if len(q) == 0:
            return q, 0.0
        step = by_cholesky(self._reduced, q)
        return step, float(q @ step)

    def covariance(self) -> Covariance:
        n = len(self._reduced)
        inner = np.asarray(np.linalg.inv(self._reduced), float) if n else np.zeros((0, 0))
        return MappedCovariance(DenseCovariance(inner), self.layout)
