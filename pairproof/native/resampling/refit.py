"""The same model fitted to other counts of the same cells, thousands of times.

Newton's method starts from the estimates of the whole table, in the layout that was made for it, and takes two or
three steps.  Where a replicate lacks an item, or separates, or has no ties, the problem is laid out anew and solved as
any fit is: at infinity.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Union

import numpy as np
from numpy.typing import NDArray

from ...data.graph import components
from ...errors import ConvergenceError, PairproofWarning
from ...fit.covariance import Covariance
from ...fit.fit import Fit
from ..hypotheses.at_infinity import AtInfinity, at_infinity, held_at_minus_infinity, joined, predictors
from ..hypotheses.taken_apart import Coordinates, TakenApart
from ..numerics.newton import FAR, Solution, maximise
from ..pairs.block_step import BlockPoint
from ..pairs.blocks import Blocks, as_blocks
from ..pairs.build import Model
from ..pairs.cells import Cells
from ..pairs.dense import Dense, DensePoint
from ..pairs.fit import fit_model
from ..pairs.problem import Problem
from ..pairs.rows import Rows, RowsPoint
from ..pairs.solve import Solved, laid_out, solve, solve_by_strong_components
from ..pairs.ties import Counts
from .draws import AnyDraws, Weights, cells_with
from .units import units

FloatArray = NDArray[np.float64]
Layout = Union[Blocks, Dense, Rows]

#: A cell's log-odds move along a direction without an estimate, whose entries are of order 1.
MOVES = 1e-9
#: A replicate whose log-odds go this far beyond those of the table is likely to separate; it is solved anew.
AWAY = 6.0


@dataclass(frozen=True, eq=False)
class Refit:
    """The estimates from one table of counts.

    beta float[n_params]: in the fit's parameters; the finite part.  infinite: none: every estimate is finite.
    separated: whether some estimate is infinite, as distinct from not determined.  params
    float[n_problem_params]: in the parameters of `problem`.  null float[n_problem_params, k]: directions
    without an estimate, in the parameters of `problem`.  covariance: of `params`.  tie_added: whether the fit
    has a tie parameter that `problem` lacks.
    """

    beta: FloatArray
    infinite: AtInfinity | None
    separated: bool
    params: FloatArray
    problem: Problem
    null: FloatArray
    covariance: Covariance
    tie_added: bool

    def values(self, functions: FloatArray) -> FloatArray:
        """float[m]: linear functions of the fit's parameters, with inf, -inf and nan."""
        finite = np.asarray(functions @ self.beta)
        return finite if self.infinite is None else self.infinite.values(functions, finite)


class Refitter:
    """Fits of one model to other counts of its cells."""

    def __init__(self, apart: TakenApart) -> None:
        self.model: Model = apart.model
        self.n_params, self.scale = len(apart.fit.terms), apart.fit.scale
        self.ways: dict[int, Coordinates] = {k: apart.coordinates_of(k) for k in (0, 1)}
        self.full: FloatArray = apart.problem.cells.counts
        self.tie_place = next((k for k, t in enumerate(apart.fit.terms) if t.kind == "tie"), None)
        self._layout: Layout | None = None
        self._start: FloatArray | None = None
        self._far = FAR
        if not apart.found.null_space.shape[1]:
            layout = as_blocks(apart.problem) or laid_out(apart.problem)
            found = _maximise(layout, layout.start())
            if found.reached:
                self._layout, self._start = layout, found.x
                self._far = min(FAR, found.point.extent + AWAY)

    @cached_property
    def _n_sets(self) -> int:
        """Sets of items that the comparisons of the whole table join."""
        return self._n_connected(np.ones(len(self.full), bool))

    def _n_connected(self, present: NDArray[np.bool_]) -> int:
        layout = self._layout
        assert isinstance(layout, Blocks)
        label = components(layout.node_i[present], layout.node_j[present], layout.n_nodes)
        return len(np.unique(label))

    def refit(self, counts: FloatArray) -> Refit | None:
        """The fit to counts float[n_cells, 3]; None if the solver found none, or there are no comparisons."""
        if not counts.any():
            return None
        problem = self.model.problem
        if problem.tie.shape[1] and not counts[:, 1].any():
            return self._without_ties(counts)
        quick = self._quickly(counts)
        if quick is not None:
            return quick
        return self._anew(problem, counts)

    def _quickly(self, counts: FloatArray) -> Refit | None:
        if self._layout is None or self._start is None:
            return None
        layout, problem = self._layout, self.model.problem
        total = counts[:, 0] + counts[:, 1] + counts[:, 2]
        if isinstance(layout, Blocks):
            present = total > 0
            if not present.all() and self._n_connected(present) > self._n_sets:
                return None
        y = Counts(counts[:, 0], counts[:, 1], counts[:, 2], total)
        if isinstance(layout, Dense) and layout.grid:
            y = _as_grid(layout, y)
        here = replace(layout, y=y)
        try:
            found = _maximise(here, self._start, self._far)
        except np.linalg.LinAlgError:
            return None
        if not found.reached:
            return None
        params = here.forward(found.x)
        added = int(bool(self.model.tie_fixed))
        beta = self.ways[added].forward(params)
        infinite = self._tie_gone() if self.model.tie_is_infinite else None
        cells = problem.cells
        filled = replace(problem, cells=replace(cells, counts=counts))
        return Refit(
            beta,
            infinite,
            False,
            params,
            filled,
            np.zeros((len(params), 0)),
            found.point.covariance(),
            bool(added),
        )

    def _without_ties(self, counts: FloatArray) -> Refit | None:
        """Davidson's tie parameters at -inf, Rao and Kupper's at 0: the other parameters are those of the wins."""
        problem = self.model.problem
        davidson = problem.model == "davidson"
        if problem.tie.shape[1] > 1:
            return self._anew(problem, counts) if davidson else None
        none = np.zeros((len(problem.z), 0))
        without = replace(problem, tie=none, model="binary", cells=cells_with(problem.cells, counts))
        try:
            found = _solve(without)
        except ConvergenceError:
            return None
        return self._read(without, found, 1, tie_gone=davidson)

    def _anew(self, problem: Problem, counts: FloatArray) -> Refit | None:
        problem = replace(problem, cells=cells_with(problem.cells, counts))
        try:
            found = _solve(problem)
        except ConvergenceError:
            return None
        return self._read(problem, found, int(bool(self.model.tie_fixed)), self.model.tie_is_infinite)

    def influence(self, refit: Refit, functions: FloatArray) -> FloatArray:
        """float[3 n_cells, m]: what one comparison of each outcome of the whole table's cells moves m functions by."""
        cells = self.model.problem.cells
        return influence(refit, functions, cells, self.ways[int(refit.tie_added)]).reshape(-1, len(functions))

    def fit_again(self, draws: AnyDraws, counts: FloatArray, weights: Weights | None) -> Fit | None:
        """A whole fit of the replicate, for a user's function; None if there is none."""
        model = self.model if weights is None else self._model(draws, counts, weights)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PairproofWarning)
                return fit_model(model).on_scale(self.scale)
        except ConvergenceError:
            return None

    def _model(self, draws: AnyDraws, counts: FloatArray, weights: Weights) -> Model:
        model = self.model
        data = model.data
        rows = draws.row_factors(weights, np.stack([data.wins, data.ties, data.losses], axis=1))
        data = replace(data, wins=rows[:, 0], ties=rows[:, 1], losses=rows[:, 2])
        cells = cells_with(model.problem.cells, counts)
        problem = replace(model.problem, cells=cells)
        model = replace(model, data=data, table=data.with_ties_treated(model.spec.ties), problem=problem)
        if problem.tie.shape[1] != 1 or cells.counts[:, 1].any():
            return model
        without = replace(problem, tie=np.zeros((len(problem.z), 0)), model="binary")
        fixed: Literal["none observed", "boundary"] = (
            "none observed" if problem.model == "davidson" else "boundary"
        )
        return replace(model, problem=without, tie_by=(), tie_fixed=fixed)

    def _tie_gone(self) -> AtInfinity:
        assert self.tie_place is not None
        return held_at_minus_infinity(self.n_params, self.tie_place)

    def _read(self, problem: Problem, found: Solved, added: int, tie_gone: bool) -> Refit:
        coordinates = self.ways[added]
        infinite = self._tie_gone() if tie_gone else None
        if found.null_space.shape[1]:
            outward = coordinates.forward(found.null_space)
            here = at_infinity(problem, found.null_space, outward)
            infinite = here if infinite is None else joined(here, infinite)
        # Without a tie in a table that has some, the tie parameter is separated as well.
        separated = found.separated or (tie_gone and not self.model.tie_is_infinite)
        beta = coordinates.forward(found.params)
        return Refit(
            beta, infinite, separated, found.params, problem, found.null_space, found.covariance, bool(added)
        )


def _maximise(
    layout: Layout, start: FloatArray, far: float = FAR
) -> Solution[BlockPoint] | Solution[DensePoint] | Solution[RowsPoint]:
    if isinstance(layout, Blocks):
        return maximise(layout.evaluate, start, far)
    if isinstance(layout, Rows):
        return maximise(layout.evaluate, start, far)
    return maximise(layout.evaluate, start, far)


def _solve(problem: Problem) -> Solved:
    """Solve a problem that Newton's method has probably left towards infinity already."""
    blocks = as_blocks(problem)
    found = None if blocks is None else solve_by_strong_components(problem, blocks)
    return solve(problem) if found is None else found


def _as_grid(layout: Dense, y: Counts) -> Counts:
    shape = layout.y.first.shape
    place = layout.stratum * shape[1] + layout.pair

    def table(values: FloatArray) -> FloatArray:
        out = np.zeros(shape)
        out.ravel()[place] = values
        return out

    return Counts(table(y.first), table(y.tie), table(y.second), table(y.total))


def influence(refit: Refit, functions: FloatArray, cells: Cells, coordinates: Coordinates) -> FloatArray:
    """float[n_cells, 3, m]: a' times the score of one comparison of each outcome of `cells`, a = M c, for m functions c
    of the fit's parameters.

    It is 0 in cells that say nothing in the limit of a separated refit.  Functions that are infinite mean nothing.
    """
    problem = replace(refit.problem, cells=cells)
    inner = coordinates.back(functions)
    a = np.stack([refit.covariance.product(row) for row in inner], axis=1)
    along_u, along_g = predictors(problem, a)
    u, g = (v[:, 0] for v in predictors(problem, refit.params[:, None]))
    gone = np.zeros(len(u), bool)
    if refit.null.shape[1]:
        u_moves, g_moves = (np.abs(v).max(axis=1) > MOVES for v in predictors(problem, refit.null))
        gone = u_moves | (g_moves & (problem.model == "rao-kupper"))
        g = np.where(g_moves, -np.inf, g)
        if problem.model == "rao-kupper":
            g = np.where(gone, 1.0, g)
    score = np.where(gone[:, None, None], 0.0, units(u, g, problem.model)[0])
    out: FloatArray = score[:, :, :1] * along_u[:, None, :] + score[:, :, 1:] * along_g[:, None, :]
    return out
