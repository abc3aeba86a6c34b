"""Solver for models that are not blocks: slopes, item covariates, uncrossed factors, infinite parameters.

Item terms are taken in an orthonormal basis of their columns (QR), so that a covariate like the year 1998
costs no digits.  Cells are grouped by pair; with w_c the weights of a pair's cells and z_c their terms the
information is

    H = sum over pairs of (d_p d_p') x (sum_c w_c z_c z_c'),    d_p = x_i - x_j  (e_i - e_j for free items)

so that 400 judges with a numeric covariate are pooled by matrix products before the items are looked at.
Where most patterns have most pairs the cells are held as a table, patterns x pairs; else as a list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...fit.covariance import Covariance, DenseCovariance, MappedCovariance, variances_one_by_one
from ..numerics.linear_systems import by_cholesky
from ..numerics.newton import maximise
from .cells import distinct
from .differences import Basis, Differences, orthonormal, share_kept
from .pooling import Pool, Sums
from .problem import Problem, empirical_logits
from .ties import Counts, derivatives

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
#: Eight groups lose 1/64 of the information about a slope: the start is then within a fraction of a standard
#: error.
_GROUPS_PER_TERM = 8


@dataclass(frozen=True, eq=False)
class Dense:
    """A problem with orthonormal bases of its terms.

    z, order, tie: over strata: combinations of pattern and order sign.  x: over items; for free items the
    unit vectors without the reference.  pair_i, pair_j int[n_pairs].  d: of the rows of x.  grid: cells as a
    table, strata x pairs, instead of a list.  stratum, pair int[n_cells].  y: in the layout of the cells.
    keep float[n_inner, n_free] or None: orthonormal complement of the directions that are not estimable;
    None: all are.
    """

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
    def n_inner(self) -> int:
        t, k = self.shape
        return t * k + self.order.columns.shape[1] + self.tie.columns.shape[1]

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
        for rows, y in self.pool.blocks:
            total = self.pool.sums(empirical_logits(y, model), rows) + total
        x, _ = DensePoint(self, total, 0.0).newton_step(0.05)
        return self._with_tie(self.inner(x))

    def _coarse(self) -> Dense | None:
        """A coarser problem, in which neighbouring strata are merged and have their mean terms.

        None if there are few strata or merging loses too much about a term.  It saves two Newton steps.

        Patterns are sorted by their covariates, so neighbours are alike; not so the signs of an order effect.
        """
        n, t = self.z.columns.shape
        size = n // (_GROUPS_PER_TERM * t)
        if not self.grid or size < 4 or self.order.columns.shape[1]:
            return None
        starts = np.arange(0, n, size)
        width = np.diff(starts, append=n)[:, None]

        def total(values: FloatArray) -> FloatArray:
            summed: FloatArray = np.add.reduceat(values, starts, axis=0)
            return summed

        z, tie = (replace(b, columns=total(b.columns) / width) for b in (self.z, self.tie))
        if min(share_kept(self.z, z, width), share_kept(self.tie, tie, width)) < 0.5:
            return None
        y = Counts(total(self.y.first), total(self.y.tie), total(self.y.second), total(self.y.total))
        return replace(self, z=z, order=replace(self.order, columns=self.order.columns[starts]), tie=tie, y=y)

    def _with_tie(self, inner: FloatArray) -> FloatArray:
        at = self.splits[1]
        if self.n_inner > at:
            # The constant, in the basis: the first tie column is 1.
            inner = np.concatenate(
                [
                    inner[:at],
                    np.linalg.solve(self.tie.inverse, np.eye(self.n_inner - at)[0])
                    * self.problem.start_tie(),
                ]
            )
        return inner if self.keep is None else self.keep.T @ inner

    def inner(self, x: FloatArray) -> FloatArray:
        return x if self.keep is None else self.keep @ x

    @cached_property
    def pool(self) -> Pool:
        return Pool(
            self.z.columns,
            self.order.columns,
            self.tie.columns,
            len(self.pair_i),
            self.grid,
            self.stratum,
            self.pair,
            self.y,
        )

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

    def evaluate(self, x: FloatArray) -> DensePoint:
        inner, model = self.inner(x), self.problem.model
        extent, total = 0.0, None
        for rows, y in self.pool.blocks:
            u, g = self.predictors(inner, rows)
            of_u, of_g = float(np.abs(u).max(initial=0.0)), float(np.abs(g).max(initial=0.0))
            if not (of_u < np.inf and of_g < np.inf) or (
                model == "rao-kupper" and not _inside(g, y)
            ):  # nan included
                return DensePoint(self, None, np.inf)
            extent = max(extent, of_u, of_g)
            total = self.pool.sums(derivatives(u, g, y, model, of_u), rows) + total
        return DensePoint(self, total, extent)

    # Parameters of the problem from those solved for.

    def forward(self, values: FloatArray) -> FloatArray:
        """Parameters of the problem, float[n_params], from what is solved for, float[n_free]."""
        params: FloatArray = self._outward(self.inner(values)[None, :])[0]
        return params

    def _outward(self, inner: FloatArray) -> FloatArray:
        """float[m, n_inner] to float[m, n_params]."""
        t, k = self.shape
        a, b = self.splits
        items = self.z.inverse @ inner[:, :a].reshape(len(inner), t, k)
        if self.problem.x is None:
            items = np.insert(items, self.problem.reference, 0.0, axis=2)
        else:
            items = items @ self.x.inverse.T
        return np.concatenate(
            [
                items.reshape(len(inner), -1),
                inner[:, a:b] @ self.order.inverse.T,
                inner[:, b:] @ self.tie.inverse.T,
            ],
            axis=1,
        )

    def variances(self, before: Covariance) -> FloatArray:
        """float[n_params]: of the parameters of the problem, from the covariance of what is solved for."""
        assert isinstance(before, DenseCovariance)
        matrix = before.matrix

        def of(functions: FloatArray) -> FloatArray:
            diagonal: FloatArray = np.einsum("mi,ij,mj->m", functions, matrix, functions, optimize=True)
            return diagonal

        return variances_one_by_one(self, self.problem.n_params, of)

    def back(self, functions: FloatArray) -> FloatArray:
        """Linear functions of the parameters as functions of what is solved for: float[m, n_params] to
        float[m, n_free].
        """
        t, k = self.shape
        n, q = self.problem.n_item_params, self.order.columns.shape[1]
        items = functions[:, :n].reshape(len(functions), t, n // t)
        if self.problem.x is None:
            items = np.delete(items, self.problem.reference, axis=2)
        else:
            items = items @ self.x.inverse
        items = np.einsum("mtk,ts->msk", items, self.z.inverse)
        inner: FloatArray = np.concatenate(
            [
                items.reshape(len(functions), -1),
                functions[:, n : n + q] @ self.order.inverse,
                functions[:, n + q :] @ self.tie.inverse,
            ],
            axis=1,
        )
        if self.keep is None:
            return inner
        kept: FloatArray = inner @ self.keep
        return kept

    def outward_directions(self, directions: FloatArray) -> FloatArray:
        """float[n_inner, k] directions as directions of the parameters, each of length 1 in its largest
        entry.
        """
        if directions.shape[1] == 0:
            return np.zeros((self.problem.n_params, 0))
        out = self._outward(directions.T).T
        scaled: FloatArray = out / np.abs(out).max(axis=0)
        return scaled


def _inside(g: FloatArray, y: Counts) -> bool:
    """Whether the Rao-Kupper thresholds are in order, in every cell whose three outcomes are all possible."""
    return bool((g > 0).all() if y.alive is None else (g > 0)[y.alive.all(axis=0)].all())


def as_dense(problem: Problem, alive: BoolArray | None = None, keep: FloatArray | None = None) -> Dense:
    """Choose the bases and the layout of the cells.

    alive bool[n_cells, 3] or None: outcomes that stay possible in the limit of a separated fit.  keep
    float[n_inner, n_free] or None.
    """
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
    d = Differences(
        None if free is not None else x.columns[pair_i] - x.columns[pair_j],
        pair_i,
        pair_j,
        free,
        x.columns.shape[1],
    )
    y = problem.counts(None if alive is None else alive.T)
    grid = alive is None and len(cells) * 2 >= len(strata) * len(pairs)
    if grid:
        shape = len(strata), len(pairs)
        place = stratum * len(pairs) + pair
        full = len(cells) == shape[0] * shape[1] and bool((place[1:] > place[:-1]).all())

        def table(values: FloatArray) -> FloatArray:
            if full:
                return values.reshape(shape)
            out = np.zeros(shape)
            out.ravel()[place] = values
            return out

        y = Counts(table(y.first), table(y.tie), table(y.second), table(y.total))
    elif alive is not None:
        certain = alive.sum(axis=1) == 1  # such a cell has probability 1 in the limit
        zero = np.where(certain, 0.0, 1.0)
        y = Counts(y.first * zero, y.tie * zero, y.second * zero, y.total * zero, alive.T)
    return Dense(problem, z, order, tie, x, pair_i, pair_j, d, grid, stratum, pair, y, keep)


@dataclass(frozen=True, eq=False)
class DensePoint:
    """Log-likelihood, gradient and information at one parameter vector."""

    dense: Dense
    sums: Sums | None
    extent: float

    @property
    def value(self) -> float:
        return self.sums.llf if self.sums is not None else -np.inf

    def _gradient(self) -> FloatArray:
        assert self.sums is not None
        return np.concatenate([self.dense.d.onto(self.sums.r_items).ravel(), self.sums.r_border])

    def _information(self) -> FloatArray:
        dense, of = self.dense, self.sums
        assert of is not None
        (t, k), (a, _), n = dense.shape, dense.splits, dense.n_inner
        h = np.zeros((n, n))
        # sum_p d_p d_p' m_p as one product: (n_pairs x k k)' (n_pairs x t t)
        if dense.problem.x is None:
            h[:a, :a] = self._laplacians(of.w_items).transpose(0, 2, 1, 3).reshape(a, a)
        else:
            d = dense.d.written
            outer = (d[:, :, None] * d[:, None, :]).reshape(len(d), -1)
            h[:a, :a] = (
                (of.w_items.reshape(t * t, -1) @ outer)
                .reshape(t, t, k, k)
                .transpose(0, 2, 1, 3)
                .reshape(a, a)
            )
        for c, border in enumerate(of.w_border):
            h[:a, a + c] = dense.d.onto(border).ravel()
        h[a:, a:] = of.w_corner
        upper = np.triu(h)
        return upper + np.triu(h, 1).T

    def _laplacians(self, m: FloatArray) -> FloatArray:
        """float[t, t, k, k]: weighted Laplacians of the free items, without the reference."""
        dense = self.dense
        j, t = dense.problem.n_items, m.shape[0]
        lap = np.zeros((t, t, j, j))
        lap[:, :, dense.pair_i, dense.pair_j] = -m
        lap[:, :, dense.pair_j, dense.pair_i] = -m
        at = np.arange(j)
        lap[:, :, at, at] = -lap.sum(axis=3)
        keep = np.delete(at, dense.problem.reference)
        out: FloatArray = lap[:, :, keep[:, None], keep]
        return out

    @cached_property
    def _reduced(self) -> FloatArray:
        h, keep = self._information(), self.dense.keep
        return h if keep is None else keep.T @ h @ keep

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        keep = self.dense.keep
        if keep is not None and keep.shape[1] == 0:
            return np.zeros(0), 0.0
        q = self._gradient() if keep is None else keep.T @ self._gradient()
        if len(q) == 0:
            return q, 0.0
        step = by_cholesky(self._reduced, q)
        return step, float(q @ step)

    def covariance(self) -> Covariance:
        n = len(self._reduced)
        inner = np.linalg.inv(self._reduced) if n else np.zeros((0, 0))
        return MappedCovariance(DenseCovariance(inner), self.dense)
