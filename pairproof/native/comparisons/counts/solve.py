"""Step 2 of a fit: maximise the likelihood, also if some estimates are infinite.

1. Plain models of few items, or most of whose pairs met, are solved as matrices (module `squares`).  If that does not end at a maximum, and for
   all others, the solver is that of blocks if the item terms are saturated, else the dense one; with selective
   terms or terms of the comparison that of rows.
2. If Newton's method converges, every parameter that the comparisons connect is finite and estimable.
3. If not, the limiting model (module `existence`) is found and solved.  Without an order effect it follows
   from the strong components of the graph "was preferred to or tied with" (Ford 1957), for any number of
   items.  A single tie parameter stays finite if a tie was observed, unless the preferences have no cycle; in
   that case the method of `existence` decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ....data.graph import all_reached, strong_components
from ....errors import ConvergenceError
from ....fit.estimates.covariance import Covariance, DeferredCovariance
from ....fit.estimates.likelihood import outcome_probabilities
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....numerics.maxima import Solution, maximise
from .blocks import BlockPoint, Blocks, as_blocks
from .cells import Problem
from .dense import Dense, TogetherPoint, as_dense, check_dense_size
from .squares import SAFE, Squares, SquaresPoint, as_squares

if TYPE_CHECKING:  # it takes scipy.sparse, which no model of free items needs
    from .sparse import Rows


@dataclass(frozen=True, eq=False)
class Solved:
    """A solved problem.
    params float[n_params]: log-odds; item terms against the reference.  null_space float[n_params, k].  rank:
    of the model as R counts it, infinite parameters included.  fitted function of no argument to
    float[n_cells, 3]: probabilities of the problem's cells."""

    params: FloatArray
    covariance: Covariance
    null_space: FloatArray
    rank: int
    llf: float
    fitted: Callable[[], FloatArray]
    separated: bool
    steps: int
    decrement: float


#: From this many abilities on, separation is looked for before the first step.
_MANY = 300


def solve(problem: Problem) -> Solved:
    """Maximise the likelihood."""
    squares = as_squares(problem)
    if squares is not None:
        few = maximise(squares.evaluate, squares.start(), safe=SAFE)
        if few.reached:
            rank = problem.n_params - 1
            return _solved(squares, few, np.zeros((rank + 1, 0)), rank, lambda: squares.fitted(few.x), False)
    blocks = as_blocks(problem)
    if blocks is not None:
        if blocks.n_nodes >= _MANY:  # looked up before: Newton's way to infinity would cost minutes
            separated = solve_by_strong_components(problem, blocks)
            if separated is not None:
                return separated
        found = maximise(blocks.evaluate, _start(blocks))
        if found.reached:
            return _from_blocks(blocks, found, blocks.n_nodes - blocks.n_grounds + blocks.n_border)
        separated = solve_by_strong_components(problem, blocks) if blocks.n_nodes < _MANY else None
        if separated is not None:
            return separated
    else:
        check_dense_size(problem)
        layout = laid_out(problem)
        regular = maximise(layout.evaluate, _start(layout))
        if regular.reached:
            return _from_dense(layout, regular, layout.n_inner, None)
    return _solve_limit(problem)


def laid_out(
    problem: Problem, alive: BoolArray | None = None, keep: FloatArray | None = None
) -> Dense | Rows:
    """The layout of a problem whose item terms are not taken as blocks; arguments as in the layouts."""
    if problem.further is None:
        return as_dense(problem, alive, keep)
    from .sparse import as_rows

    return as_rows(problem, alive, keep)


def _start(layout: Blocks | Dense | Rows) -> FloatArray:
    try:
        return layout.start()
    except np.linalg.LinAlgError:  # something is not estimable; Newton will meet the same matrix and say so
        return layout.origin()


def _from_blocks(blocks: Blocks, found: Solution[BlockPoint], rank: int) -> Solved:
    def fitted() -> FloatArray:
        return outcome_probabilities(*blocks.predictors(found.x), blocks.problem.model)

    return _solved(blocks, found, blocks.null_space(), rank, fitted, False)


def _from_dense(
    dense: Dense | Rows,
    found: Solution[TogetherPoint],
    rank: int,
    alive: BoolArray | None,
    null: FloatArray | None = None,
) -> Solved:
    def fitted() -> FloatArray:
        from .existence import possible_probabilities

        u, g = dense.of_cells(found.x)
        return possible_probabilities(u, g, dense.problem.model, alive)

    directions = dense.outward_directions(np.zeros((dense.n_inner, 0)) if null is None else null)
    separated = alive is not None and bool((alive.sum(axis=1) < dense.problem.categories).any())
    return _solved(dense, found, directions, rank, fitted, separated)


def _solved(
    layout: Squares | Blocks | Dense | Rows,
    found: Solution[SquaresPoint] | Solution[BlockPoint] | Solution[TogetherPoint],
    null_space: FloatArray,
    rank: int,
    fitted: Callable[[], FloatArray],
    separated: bool,
) -> Solved:
    params, covariance = layout.forward(found.x), DeferredCovariance(found.point.covariance)
    numbers = (rank, found.point.value, fitted, separated, found.steps, found.decrement)
    return Solved(params, covariance, null_space, *numbers)


def _solve_limit(problem: Problem) -> Solved:
    """Solve the limiting model for what is estimable; without separation it is the model itself."""
    from .existence import check_size, examine

    check_size(problem)
    existence = examine(laid_out(problem))
    dense = laid_out(problem, existence.alive if existence.separated else None, existence.keep)
    found = maximise(dense.evaluate, _start(dense), far=700.0)
    if not found.reached:
        raise _not_reached(found, f"largest log-odds {found.point.extent:.3g}, {found.trouble})")
    return _from_dense(dense, found, existence.rank, existence.alive, existence.null)


def solve_by_strong_components(problem: Problem, blocks: Blocks) -> Solved | None:
    """Solve a separated problem whose items of different strong components differ infinitely.
    Returns None if the infinite parameters are others.  Along a direction of recession every winner keeps up
    with the loser and tied items stay together, so that abilities can part only between strong components.
    The tie parameter g could move with them: down only without a tie, and up only if each preference grows by
    as much, which a cycle of preferences forbids."""
    if blocks.order_columns.shape[1] or blocks.tie_columns.shape[1] > 1:
        return None
    y = problem.cells.counts
    won, tied, lost = y[:, 0] > 0, (y[:, 1] > 0) & (problem.model != "binary"), y[:, 2] > 0
    i, j = blocks.node_i, blocks.node_j
    if not blocks.sparse and blocks.n_sets == 1 and all_reached(_beaten(blocks, won, lost)):
        return None  # nor do ties, which join more, leave anything apart
    winner, loser = np.concatenate([i[won], j[lost]]), np.concatenate([j[won], i[lost]])
    if blocks.tie_columns.shape[1]:
        among_winners = strong_components(winner, loser, blocks.n_nodes)
        if not tied.any() or (among_winners == np.arange(blocks.n_nodes)).all():
            return None
    strong = strong_components(
        np.concatenate([winner, i[tied], j[tied]]), np.concatenate([loser, j[tied], i[tied]]), blocks.n_nodes
    )
    inside = strong[i] == strong[j]
    if inside.all():
        return None
    c = problem.cells
    kept = replace(problem, cells=c.at(inside, c.counts))
    within = as_blocks(kept, _sets(strong))
    assert within is not None  # the item terms are those of `blocks`
    found = maximise(within.evaluate, _start(within), far=700.0)
    if not found.reached:
        raise _not_reached(found, f"{found.trouble}) inside strongly connected sets")
    solved = _from_blocks(within, found, blocks.n_nodes - blocks.n_grounds + blocks.n_border)

    def fitted() -> FloatArray:
        p = np.zeros((len(c), 3))
        p[won & ~inside, 0] = 1.0
        p[lost & ~inside, 2] = 1.0
        p[inside] = solved.fitted()
        return p

    return replace(solved, fitted=fitted, separated=True)


def _not_reached(found: Solution[Any], where: str) -> ConvergenceError:
    return ConvergenceError(
        f"Newton's method did not converge in {found.steps} steps (squared decrement {found.decrement:.3g}, {where};"
        " please report these data"
    )


def _beaten(blocks: Blocks, won: BoolArray, lost: BoolArray) -> BoolArray:
    """bool[J, J]: whether the item of the row was preferred to that of the column at least once."""
    j = blocks.problem.n_items
    wins, losses = np.zeros((2, j * j), bool)
    wins[blocks.incidence.place[won]] = True
    losses[blocks.incidence.place[lost]] = True
    return np.asarray(wins.reshape(j, j) | losses.reshape(j, j).T)


def _sets(strong: IntArray) -> IntArray:
    """Labels of the sets for `as_blocks`: the smallest node of each set."""
    _, first, back = np.unique(strong, return_index=True, return_inverse=True)
    return np.asarray(first[np.ravel(back)])
