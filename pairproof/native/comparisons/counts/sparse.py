"""Solver for models with selective terms or terms of the comparison: each cell is a row of a sparse matrix.

    u = U theta,  g = G theta,  H = U'WU + U'VG + G'V'U + G'YG        (weights of module `ties`)

A row of U has two entries for each pair of item terms and one for each term of the comparison, so that nothing
depends on how many patterns of covariates there are.  theta is the parameters in another basis, parameters =
T theta: terms of the same item (or item covariate) that have a slope among them are made orthogonal over the
patterns, and so are the terms of the comparison and of the tie parameter over the cells, so that a covariate like
the year 1998 costs no digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from ....fit.estimates.covariance import Covariance
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ..formula.subject_design import aliased
from .cells import Problem, empirical_logits
from .dense import TogetherPoint, variances_through
from .outcome_derivatives import Counts, Derivatives, derivatives

#: Terms of one item that are made orthogonal at most; beyond, they are hundreds of levels of a factor.
MOST_ORTHOGONAL = 60


@dataclass(frozen=True, eq=False)
class Rows:
    """A problem as linear predictors of its cells.
    u, g sparse[n_cells, n_inner].  to_params sparse[n_params, n_inner]: T. keep float[n_inner, n_free] or
    None: orthonormal complement of the directions that are not estimable; None: all are."""

    problem: Problem
    u: sparse.csr_matrix
    g: sparse.csr_matrix
    to_params: sparse.csr_matrix
    y: Counts
    keep: FloatArray | None = None

    @property
    def n_inner(self) -> int:
        return int(self.to_params.shape[1])

    def origin(self) -> FloatArray:
        """The parameters at which all abilities are equal."""
        return self._with_tie(np.zeros(self.n_inner))

    def start(self) -> FloatArray:
        """Starting values: least squares on empirical logits."""
        d = empirical_logits(self.y, self.problem.model)
        return self._with_tie(self.inner(self._point(d, 0.0).newton_step(0.05)[0]))

    def _with_tie(self, inner: FloatArray) -> FloatArray:
        """What is solved for, with the tie parameter near its estimate: the part that makes g constant."""
        r = self.problem.tie.shape[1]
        if r:
            level = np.zeros(r)
            level[0] = self.problem.start_tie()  # the first tie column is 1
            inner[-r:] = np.linalg.solve(self.to_params[-r:, -r:].toarray(), level)
        return inner if self.keep is None else self.keep.T @ inner

    def inner(self, x: FloatArray) -> FloatArray:
        return np.array(x) if self.keep is None else self.keep @ x

    def of_cells(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """u and g of every cell."""
        inner = self.inner(x)
        return np.asarray(self.u @ inner), np.asarray(self.g @ inner)

    def evaluate(self, x: FloatArray) -> TogetherPoint:
        u, g = self.of_cells(x)
        of_u, of_g = float(np.abs(u).max(initial=0.0)), float(np.abs(g).max(initial=0.0))
        bad = not (of_u < np.inf and of_g < np.inf)
        if bad or (self.problem.model == "rao-kupper" and not self.y.in_order(g)):
            return TogetherPoint(self, self.keep, -np.inf, np.inf)
        return self._point(derivatives(u, g, self.y, self.problem.model, of_u), max(of_u, of_g))

    def _point(self, d: Derivatives, extent: float) -> TogetherPoint:
        gradient = partial(score_of, self.u, self.g, d)
        information = partial(information_of, self.u, self.g, d)
        return TogetherPoint(self, self.keep, d.llf, extent, gradient, information)

    def forward(self, values: FloatArray) -> FloatArray:
        """Parameters of the problem, float[n_params], from what is solved for, float[n_free]."""
        return np.asarray(self.to_params @ self.inner(values))

    def variances(self, before: Covariance) -> FloatArray:
        """float[n_params]: of the parameters of the problem, from the covariance of what is solved for."""
        return variances_through(self, self.problem.n_params, before)

    def back(self, functions: FloatArray) -> FloatArray:
        """Linear functions of the parameters as functions of what is solved for: float[m, n_params] to
        float[m, n_free]."""
        inner = np.asarray((self.to_params.T @ functions.T).T)
        return inner if self.keep is None else inner @ self.keep

    def outward_directions(self, directions: FloatArray) -> FloatArray:
        """float[n_inner, k] directions as directions of the parameters, each of length 1 in its largest entry."""
        out = np.asarray(self.to_params @ directions)
        return np.asarray(out / np.abs(out).max(axis=0))


def score_of(u: Any, g: Any, d: Derivatives) -> FloatArray:
    """float[p]: U'r_u + G'r_g, for sparse or float[n_cells, p] U and G."""
    score = u.T @ d.r_u
    return np.asarray(score if d.r_g is None else score + g.T @ d.r_g)


def information_of(u: Any, g: Any, d: Derivatives) -> FloatArray:
    """float[p, p]: U'WU + U'VG + G'V'U + G'YG."""
    h = _product(u, d.w_uu, u)
    if d.w_ug is None or d.w_gg is None:
        return h
    across = _product(u, d.w_ug, g)
    return np.asarray(h + across + across.T + _product(g, d.w_gg, g))


def _product(a: Any, weights: FloatArray, b: Any) -> FloatArray:
    """float[p, p]: A' diag(w) B, as a dense matrix."""
    if isinstance(b, np.ndarray):
        return np.asarray(a.T @ (b * weights[:, None]))
    scaled = b.copy()
    scaled.data = scaled.data * np.repeat(weights, np.diff(b.indptr))
    return np.asarray((a.T @ scaled).toarray())


def as_rows(problem: Problem, alive: BoolArray | None = None, keep: FloatArray | None = None) -> Rows:
    """Lay a problem out as rows.
    alive bool[n_cells, 3] or None: outcomes that stay possible in the limit of a separated fit.  keep
    float[n_inner, n_free] or None."""
    u, g, outward = predictors(problem)
    to_inner = _basis(problem, u, g, outward)
    change = sparse.csr_matrix(outward @ to_inner)
    u, g = sparse.csr_matrix(u @ change), sparse.csr_matrix(g @ change)
    return Rows(problem, u, g, change, problem.counts(alive), keep)


def predictors(problem: Problem) -> tuple[sparse.csr_matrix, sparse.csr_matrix, sparse.csr_matrix]:
    """u and g of every cell as linear functions of the parameters, sparse[n_cells, n_params], and the columns
    of the identity of the parameters that are not held at 0."""
    cells, n = problem.cells, len(problem.cells)
    items = _differences(problem)
    parts = [_times(items, problem.z[cells.pattern, t]) for t in range(problem.n_terms)]
    further = problem.further
    if further is not None:
        own = sparse.csr_matrix(further.z)[cells.pattern].tocoo()
        own.data = own.data * (further.x[own.col, cells.i[own.row]] - further.x[own.col, cells.j[own.row]])
        parts.append(own.tocsr())
    parts.append(sparse.csr_matrix(problem.order[cells.pattern] * cells.sign[:, None]))
    if further is not None and further.c:
        parts.append(sparse.csr_matrix(further.comparison[cells.value]))
    r = problem.tie.shape[1]
    of_tie = sparse.csr_matrix(problem.tie[cells.pattern])
    u = sparse.hstack([*parts, sparse.csr_matrix((n, r))]).tocsr()
    g = sparse.hstack([sparse.csr_matrix((n, problem.n_params - r)), of_tie]).tocsr()
    free = np.ones(problem.n_params, bool)
    if problem.x is None:
        free[problem.reference : problem.n_item_params : problem.n_items] = False
    return u, g, sparse.identity(problem.n_params, format="csr")[:, np.flatnonzero(free)]


def _differences(problem: Problem) -> sparse.csr_matrix:
    """x_i - x_j of the cells, sparse[n_cells, k]."""
    cells = problem.cells
    if problem.x is not None:
        return sparse.csr_matrix(problem.x[cells.i] - problem.x[cells.j])
    return unit_differences(cells.i, cells.j, problem.n_items)


def unit_differences(i: IntArray, j: IntArray, k: int) -> sparse.csr_matrix:
    """Rows e_i - e_j, sparse[n, k]."""
    n = len(i)
    entries = (np.repeat([1.0, -1.0], n), (np.tile(np.arange(n), 2), np.concatenate([i, j])))
    return sparse.csr_matrix(entries, shape=(n, k))


def _times(matrix: sparse.csr_matrix, column: FloatArray) -> sparse.csr_matrix:
    """diag(column) @ matrix without the zeros."""
    out = matrix.copy()
    out.data = out.data * np.repeat(column, np.diff(out.indptr))
    out.eliminate_zeros()
    return out


def _basis(
    problem: Problem, u: sparse.csr_matrix, g: sparse.csr_matrix, outward: sparse.csr_matrix
) -> sparse.csr_matrix:
    """The change of basis of the free parameters, sparse[n_free, n_free]: block-diagonal in groups of terms."""
    change = sparse.identity(problem.n_params, format="lil")
    for at, columns in [*_of_one_item(problem), *_border(problem, u, g)]:
        change[np.ix_(at, at)] = _orthogonal(columns)
    # What is held at 0 is left out on both sides; no block joins it to other parameters.
    return sparse.csr_matrix(outward.T @ change.tocsr() @ outward)


def _of_one_item(problem: Problem) -> list[tuple[IntArray, FloatArray]]:
    """Places of the terms of each item or item covariate, and their columns over the patterns."""
    k = problem.n_item_params // problem.n_terms
    places = [np.arange(problem.n_terms) * k + c for c in range(k)]
    columns = [problem.z] * k
    size = np.ones(k)
    if problem.x is not None:
        size = np.maximum(problem.x.std(axis=0), 1e-300)
    further, start = problem.further, problem.n_item_params
    x = np.eye(problem.n_items) if problem.x is None else problem.x.T
    for m in range(0 if further is None else further.m):
        assert further is not None
        same = np.flatnonzero((x == further.x[m]).all(axis=1))
        if len(same) and not (problem.x is None and same[0] == problem.reference):
            c = int(same[0])
            places[c] = np.append(places[c], start + m)
            columns[c] = np.column_stack([columns[c], further.z[:, m]])
        else:
            x = np.concatenate([x, further.x[[m]]])
            places.append(np.array([start + m]))
            columns.append(further.z[:, [m]])
            size = np.append(size, max(float(further.x[m].std()), 1e-300) if further.x[m].max() > 1 else 1.0)
    return [(at, z * s) for at, z, s in zip(places, columns, size)]


def _border(
    problem: Problem, u: sparse.csr_matrix, g: sparse.csr_matrix
) -> list[tuple[IntArray, FloatArray]]:
    """The same for the terms of the comparison (order among them) and of the tie parameter, over the cells."""
    _, order, _, tie = problem.splits
    out = []
    for columns, a, b in ((u, order, tie), (g, tie, problem.n_params)):
        if b > a:
            out.append((np.arange(a, b), columns[:, a:b].toarray()))
    return out


def _orthogonal(columns: FloatArray) -> FloatArray:
    """float[k, k]: R^-1 sqrt(n) of the columns' QR; the identity for columns of 0 and 1, units of length if
    there are too many or they are not independent."""
    n, k = columns.shape
    if np.isin(columns, (-1.0, 0.0, 1.0)).all():
        return np.eye(k)
    if k > MOST_ORTHOGONAL or n < k or aliased(columns) is not None:
        size = np.sqrt((columns**2).mean(axis=0))
        return np.diag(1.0 / np.where(size > 0, size, 1.0))
    return np.asarray(np.linalg.inv(np.linalg.qr(columns, mode="r")) * np.sqrt(n))
