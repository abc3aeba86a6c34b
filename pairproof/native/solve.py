"""From a problem to its maximum: which solver, and what to do where the maximum lies at infinity.

1. Blocks if the item terms are saturated, else the dense solver.
2. If Newton ends regularly, every parameter the comparisons connect is finite and estimable.
3. If not, the limiting model is found (`existence`) and solved; for binary outcomes without an order effect it is
   known from the strong components of the comparison graph (Ford 1957), whatever the size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..connection import components, strong_components
from ..covariance import Covariance
from ..errors import ConvergenceError
from ..outcomes import outcome_probabilities
from .blocks import BlockPoint, Blocks, as_blocks
from .cells import Cells
from .dense import Dense, DensePoint, as_dense
from .existence import examine
from .newton import Solution, maximise
from .problem import Problem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Solved:
    """A solved problem.

    Attributes
    ----------
    params : float[n_params]
        Log-odds; item terms against the reference.
    covariance : Covariance
    null_space : float[n_params, k]
    rank : int
        Of the model as R counts it, infinite parameters included.
    llf : float
    probabilities : float[n_cells, 3]
        Fitted, of the problem's cells.
    separated : bool
    steps : int
    decrement : float
    """

    params: FloatArray
    covariance: Covariance
    null_space: FloatArray
    rank: int
    llf: float
    probabilities: FloatArray
    separated: bool
    steps: int
    decrement: float


class _Lazy:
    """A covariance made when first asked for: standard errors cost as much as the whole fit."""

    def __init__(self, point: _HasCovariance) -> None:
        self._point = point
        self._made: Covariance | None = None

    def _get(self) -> Covariance:
        if self._made is None:
            self._made = self._point.covariance()
        return self._made

    def variances(self) -> FloatArray:
        return self._get().variances()

    def between(self, functions: FloatArray) -> FloatArray:
        return self._get().between(functions)


class _HasCovariance(Protocol):
    def covariance(self) -> Covariance: ...


def solve(problem: Problem) -> Solved:
    """Maximise the likelihood.

    Raises
    ------
    ConvergenceError
        If Newton's method fails although the estimate exists, or the question cannot be settled.
    """
    blocks = as_blocks(problem)
    if blocks is not None:
        found = maximise(blocks.evaluate, blocks.start())
        if found.reached:
            return _from_blocks(blocks, found, _rank(blocks, blocks.label))
        if problem.model == "binary" and blocks.n_border == 0:
            return _solve_by_strong_components(problem, blocks)
    else:
        dense = as_dense(problem)
        regular = maximise(dense.evaluate, dense.start())
        if regular.reached:
            return _from_dense(dense, regular, dense.n_inner, None)
    return _solve_limit(problem)


def _rank(blocks: Blocks, label: IntArray) -> int:
    return blocks.n_nodes - len(np.unique(label)) + blocks.n_border


def _from_blocks(blocks: Blocks, found: Solution[BlockPoint], rank: int) -> Solved:
    a, border = found.x[: blocks.n_nodes], found.x[blocks.n_nodes :]
    q = blocks.order_columns.shape[1]
    u = a[blocks.node_i] - a[blocks.node_j] + blocks.order_columns @ border[:q]
    g = blocks.tie_columns @ border[q:]
    return Solved(blocks.to_params(found.x), _Lazy(found.point), blocks.null_space(), rank, found.point.value,
                  outcome_probabilities(u, g, blocks.problem.model), False, found.steps, found.decrement)


def _from_dense(dense: Dense, found: Solution[DensePoint], rank: int, alive: BoolArray | None,
                null: FloatArray | None = None) -> Solved:
    u, g = dense.predictors(dense.inner(found.x))
    if dense.grid:
        u, g = u[dense.stratum, dense.pair], g[dense.stratum, 0]
    p = outcome_probabilities(u, g, dense.problem.model)
    if alive is not None:
        p = np.where(alive, p, 0.0)
        p = p / p.sum(axis=1, keepdims=True)
        if dense.problem.model == "rao-kupper":
            # Without one outcome the other two are a logistic pair, the tie taking what the win leaves.
            full = outcome_probabilities(u, g, "rao-kupper")
            p = np.where((~alive[:, [0]] & alive[:, [1]] & alive[:, [2]]), np.stack([0 * u, 1 - full[:, 2], full[:, 2]], 1), p)
            p = np.where((alive[:, [0]] & alive[:, [1]] & ~alive[:, [2]]), np.stack([full[:, 0], 1 - full[:, 0], 0 * u], 1), p)
    directions = dense.outward_directions(np.zeros((dense.n_inner, 0)) if null is None else null)
    separated = alive is not None and bool((alive.sum(axis=1) < dense.problem.categories).any())
    return Solved(dense.to_params(found.x), _Lazy(found.point), directions, rank, found.point.value, p, separated,
                  found.steps, found.decrement)


def _solve_limit(problem: Problem) -> Solved:
    """Solve the limiting model on what is estimable; without separation that is the model itself."""
    existence = examine(as_dense(problem))
    dense = as_dense(problem, existence.alive if existence.separated else None, existence.keep)
    found = maximise(dense.evaluate, dense.start(), far=700.0)
    if not found.reached:
        raise ConvergenceError(
            f"Newton's method did not converge in {found.steps} steps (squared decrement {found.decrement:.3g}, largest "
            f"log-odds {found.point.extent:.3g}, {found.trouble}); please report these data")
    return _from_dense(dense, found, existence.rank, existence.alive, existence.null)


def _solve_by_strong_components(problem: Problem, blocks: Blocks) -> Solved:
    """Binary outcomes: items of different strong components are infinitely far apart, the rest is unchanged."""
    y = problem.cells.counts
    won, lost = y[:, 0] > 0, y[:, 2] > 0
    winner = np.concatenate([blocks.node_i[won], blocks.node_j[lost]])
    loser = np.concatenate([blocks.node_j[won], blocks.node_i[lost]])
    strong = strong_components(winner, loser, blocks.n_nodes)
    inside = strong[blocks.node_i] == strong[blocks.node_j]
    c = problem.cells
    kept = replace(problem, cells=Cells(c.i[inside], c.j[inside], c.pattern[inside], c.sign[inside], c.counts[inside]))
    within = as_blocks(kept, _sets(strong))
    assert within is not None  # the item terms are those of `blocks`
    found = maximise(within.evaluate, within.start(), far=700.0)
    if not found.reached:
        raise ConvergenceError(f"Newton's method did not converge in {found.steps} steps (squared decrement "
                               f"{found.decrement:.3g}, {found.trouble}) inside strongly connected sets; please report these data")
    solved = _from_blocks(within, found, _rank(blocks, components(blocks.node_i, blocks.node_j, blocks.n_nodes)))
    p = np.zeros((len(c), 3))
    p[won & ~inside, 0] = 1.0
    p[lost & ~inside, 2] = 1.0
    p[inside] = solved.probabilities
    return replace(solved, probabilities=p, separated=not inside.all())


def _sets(strong: IntArray) -> IntArray:
    """Labels as `as_blocks` wants them: the smallest node of each set."""
    _, first, back = np.unique(strong, return_index=True, return_inverse=True)
    labels: IntArray = first[np.ravel(back)]
    return labels
