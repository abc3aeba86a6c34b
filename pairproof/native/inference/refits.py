"""The same model fitted to other counts of the same cells, rows or answers, thousands of times.

Models of pooled cells: Newton's method starts from the estimates of the whole table, in the layout that was
made for it, and takes two or three steps.  Where a replicate lacks an item, or separates, or has no ties, the
problem is laid out again and solved as any fit is: at infinity.

Contests with a link, an offset, reduced bias or general ties: a replicate counts each row of the table again,
and is solved as any table is, from the start.

Latent classes: a replicate's maximum is that which is come to from the table's, so that its classes are those of the
fit (McLachlan and Peel 2000, Finite Mixture Models, section 2.16); where one collapses there is no fit.

Models of whole answers: a replicate holds each distinct answer so many times.  Where it separates, or lacks
an item, what tends to infinity is found as it is for comparisons
(:mod:`pairproof.native.comparisons.counts.existence`): along the directions v with d'v >= 0 for the demands d
of its answers the likelihood never falls, and the parameters that no such direction moves are taken far out
on one, where nothing is left to gain.

Random effects of judges: a judge that is drawn twice is two judges with effects of their own, so that a replicate weighs
the marginal likelihoods of judges, not their comparisons.  Where a replicate separates, contests whose result is certain
whatever the effects are leave the likelihood, as in a fit of any table.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Union

import numpy as np

from ...data.columns import Factor, beside
from ...data.comparisons import Comparisons
from ...data.graph import components
from ...data.respondents.respondents import Respondents
from ...errors import ConvergenceError, InputError, NotEstimableError, PairproofWarning, TooLargeError
from ...fit.estimates.covariance import Covariance
from ...fit.estimates.likelihood import Likelihood, Limit
from ...fit.fit import Fit
from ...fit.results.answers import groups_of
from ...fit.results.contests import JUDGES, unit_groups
from ...fit.robust.clustered_fit import Missing
from ...numerics import maxima
from ...numerics.arrays import BoolArray, FloatArray
from ...numerics.constrained import Infeasible, maximum_under
from ...numerics.infinity import AtInfinity, both, held_at_minus_infinity
from ...numerics.maxima import Solution, cholesky_of, maximise
from ..answers.answer_fits import finished
from ..answers.latent_classes import fitted
from ..answers.patterns.answer_likelihood import AnswerLikelihood, AnswerPoint
from ..answers.patterns.class_mixture import COLLAPSED, Mixture, MixturePoint
from ..comparisons.contests.bradley_terry import fit_spec
from ..comparisons.contests.estimates import cone_of, infinite_of, outward, solved
from ..comparisons.contests.mixed import mixed_rows
from ..comparisons.contests.specified import contest_rows
from ..comparisons.counts.blocks import BlockPoint, Blocks, as_blocks
from ..comparisons.counts.build import Model
from ..comparisons.counts.cells import Problem
from ..comparisons.counts.dense import Dense, TogetherPoint, as_table
from ..comparisons.counts.existence import at_infinity, predictors
from ..comparisons.counts.llbt import fit_model
from ..comparisons.counts.outcome_derivatives import Counts, units
from ..comparisons.counts.solve import Solved, laid_out, solve, solve_by_strong_components
from ..comparisons.counts.sparse import Rows
from ..comparisons.random_effects.effects_likelihood import SetsAt, SetsLikelihood
from .draws import AnyDraws, ByCluster, ByComparison, ByRows, Weights, cells_with, check_several, draws_of
from .quantities import Refit
from .taken_apart import Coordinates, TakenApart, check_same

Layout = Union[Blocks, Dense, Rows]

#: A cell's log-odds move along a direction without an estimate, whose entries are of order 1.
MOVES = 1e-9
#: A replicate whose log-odds go this far beyond those of the table is likely to separate; it is solved again.
AWAY = 6.0


class Refitter:
    """Fits of one model to other counts of its cells."""

    def __init__(self, apart: TakenApart) -> None:
        self.fit, self.model = apart.fit, apart.model
        self.ways: dict[int, Coordinates] = {k: apart.coordinates_of(k) for k in (0, 1)}
        self.full: FloatArray = apart.problem.cells.counts
        self.tie_place = next((k for k, t in enumerate(self.fit.terms) if t.kind == "tie"), None)
        self._layout: Layout | None = None
        self._start: FloatArray | None = None
        self._far = maxima.FAR
        if not apart.found.null_space.shape[1]:
            layout = as_blocks(apart.problem) or laid_out(apart.problem)
            found = maximise(layout.evaluate, layout.start())
            if found.reached:
                self._layout, self._start = layout, found.x
                self._far = min(maxima.FAR, found.point.extent + AWAY)

    @cached_property
    def _n_sets(self) -> int:
        """Sets of items that the comparisons of the whole table join."""
        return self._n_connected(np.ones(len(self.full), bool))

    def _n_connected(self, present: BoolArray) -> int:
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
        model = self.model
        return quick or self._anew(problem, counts, int(bool(model.tie_fixed)), model.tie_is_infinite)

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
            y = as_table(y, layout.stratum, layout.pair, layout.y.first.shape)
        here = replace(layout, y=y)
        try:
            found: Solution[BlockPoint | TogetherPoint] = maximise(here.evaluate, self._start, self._far)
        except np.linalg.LinAlgError:
            return None
        if not found.reached:
            return None
        params = here.forward(found.x)
        infinite = self._tie_gone() if self.model.tie_is_infinite else None
        null, way = np.zeros((len(params), 0)), self.ways[int(bool(self.model.tie_fixed))]

        def influence(functions: FloatArray) -> FloatArray:
            return self._influence(functions, params, null, found.point.covariance(), problem, way)

        return Refit(way.forward(params), infinite, False, influence)

    def _without_ties(self, counts: FloatArray) -> Refit | None:
        """Davidson's tie parameters at -inf, Rao and Kupper's at 0: the other parameters are those of the wins."""
        problem = self.model.problem
        davidson = problem.model == "davidson"
        if problem.tie.shape[1] > 1:
            return self._anew(problem, counts, 0, False) if davidson else None
        return self._anew(_of_wins(problem), counts, 1, davidson)

    def _anew(self, problem: Problem, counts: FloatArray, added: int, tie_gone: bool) -> Refit | None:
        """Solved as any fit is; `added`: whether the fit has a tie parameter that `problem` lacks."""
        problem, way = replace(problem, cells=cells_with(problem.cells, counts)), self.ways[added]
        try:
            found = _solve(problem)
        except ConvergenceError:
            return None
        infinite = self._tie_gone() if tie_gone else None
        if found.null_space.shape[1]:
            infinite = both(at_infinity(problem, found.null_space, way.forward(found.null_space)), infinite)
        # Without a tie in a table that has some, the tie parameter is separated as well.
        separated = found.separated or (tie_gone and not self.model.tie_is_infinite)

        def influence(functions: FloatArray) -> FloatArray:
            return self._influence(functions, found.params, found.null_space, found.covariance, problem, way)

        return Refit(way.forward(found.params), infinite, separated, influence)

    def draws(self, columns: Sequence[str], missing: Missing) -> AnyDraws:
        """How replicates are drawn: single comparisons, or by one or two columns."""
        return draws_of(self.model, columns, missing)

    def fit_again(self, draws: AnyDraws, counts: FloatArray, weights: Weights | None) -> Fit | None:
        """A whole fit of the replicate, for a user's function; None if there is none."""
        model = self.model if weights is None else self._model(draws, counts, weights)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PairproofWarning)
                return fit_model(model).on_scale(self.fit.scale)
        except ConvergenceError:
            return None

    def _model(self, draws: AnyDraws, counts: FloatArray, weights: Weights) -> Model:
        model, data = self.model, self.model.data
        rows = draws.row_factors(weights, np.stack([data.wins, data.ties, data.losses], axis=1))
        data, cells = counted(data, rows), cells_with(model.problem.cells, counts)
        problem = replace(model.problem, cells=cells)
        model = replace(model, data=data, table=data.with_ties_treated(model.spec.ties), problem=problem)
        if problem.tie.shape[1] != 1 or cells.counts[:, 1].any():
            return model
        model = replace(model, problem=_of_wins(problem), tie_by=())
        return replace(model, tie_fixed="none observed" if problem.model == "davidson" else "boundary")

    def _tie_gone(self) -> AtInfinity:
        assert self.tie_place is not None
        return held_at_minus_infinity(len(self.fit.terms), self.tie_place)

    def _influence(
        self,
        functions: FloatArray,
        params: FloatArray,
        null: FloatArray,
        covariance: Covariance,
        problem: Problem,
        way: Coordinates,
    ) -> FloatArray:
        """float[3 n_cells, m]: a' times the score of one comparison of each outcome of the whole table's cells, a = M c,
        for m functions c of the fit's parameters.

        params, null, covariance: the estimates of a replicate, directions without one, and M, in the parameters of
        `problem`.  It is 0 in cells that say nothing in the limit of a separated refit.  Functions that are infinite
        mean nothing.
        """
        problem = replace(problem, cells=self.model.problem.cells)
        a = np.stack([covariance.product(row) for row in way.back(functions)], axis=1)
        along_u, along_g = predictors(problem, a)
        u, g = (v[:, 0] for v in predictors(problem, params[:, None]))
        gone = np.zeros(len(u), bool)
        if null.shape[1]:
            u_moves, g_moves = (np.abs(v).max(axis=1) > MOVES for v in predictors(problem, null))
            gone = u_moves | (g_moves & (problem.model == "rao-kupper"))
            g = np.where(g_moves, -np.inf, g)
            if problem.model == "rao-kupper":
                g = np.where(gone, 1.0, g)
        score = np.where(gone[:, None, None], 0.0, units(u, g, problem.model)[0])
        out: FloatArray = score[:, :, :1] * along_u[:, None, :] + score[:, :, 1:] * along_g[:, None, :]
        return out.reshape(-1, len(functions))


def _of_wins(problem: Problem) -> Problem:
    """The problem without its tie parameters."""
    return replace(problem, tie=np.zeros((len(problem.z), 0)), model="binary")


def _solve(problem: Problem) -> Solved:
    """Solve a problem that Newton's method has probably left towards infinity already."""
    blocks = as_blocks(problem)
    found = None if blocks is None else solve_by_strong_components(problem, blocks)
    return solve(problem) if found is None else found


class ContestRefitter:
    """Fits of one model of contests to other counts of its rows."""

    def __init__(self, fit: Fit) -> None:
        self.fit, self.rows = fit, contest_rows(fit.data, fit.of_contests)
        table = self.rows.table
        self.model = ByRows(fit.data, table, fit.of_contests)
        self.full: FloatArray = np.stack([table.wins, table.ties, table.losses], axis=1)
        found = solved(self.rows)
        self.outward = outward(fit, self.rows, len(found.theta))
        check_same(fit, self.outward @ found.theta, fit.null_space)

    def refit(self, counts: FloatArray) -> Refit | None:
        """The fit to counts float[n_rows, 3]; None if the solver found none, or there are no comparisons."""
        if not counts.any():
            return None
        rows = replace(self.rows, table=counted(self.rows.table, counts))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PairproofWarning)
                found = solved(rows)
        except (ConvergenceError, NotEstimableError, np.linalg.LinAlgError):
            return None
        infinite = infinite_of(rows, found, self.outward)
        return Refit(self.outward @ found.theta, infinite, bool(found.n_infinite))

    def draws(self, columns: Sequence[str], missing: Missing) -> AnyDraws:
        """How replicates are drawn: single comparisons, or by one or two columns."""
        return draws_of(self.model, columns, missing)

    def fit_again(self, draws: AnyDraws, counts: FloatArray, weights: Weights | None) -> Fit | None:
        """A whole fit of the replicate, for a user's function; None if there is none."""
        data = self.fit.data
        if weights is None:
            return self.fit
        rows = draws.row_factors(weights, np.stack([data.wins, data.ties, data.losses], axis=1))
        return same_model(self.fit, counted(data, rows))


def same_model(fit: Fit, table: Comparisons) -> Fit | None:
    """The fit's model of contests on another table; None if there is no fit."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PairproofWarning)
            return fit_spec(table, fit.of_contests).on_scale(fit.scale)
    except (ConvergenceError, NotEstimableError):
        return None


def counted(table: Comparisons, counts: FloatArray) -> Comparisons:
    """The table with other counts of its rows, float[n_rows, 3]."""
    return replace(table, wins=counts[:, 0], ties=counts[:, 1], losses=counts[:, 2])


#: Natural parameters `AWAY` beyond those of the table, or beyond this, are looked into.
FAR = 12.0


class AnswerRefitter:
    """Fits of one model of whole answers to other numbers of persons."""

    def __init__(self, fit: Fit) -> None:
        refuse(fit)
        self.fit, self.at = fit, fit.likelihood
        self.full: FloatArray = self.at.likelihood.weights[:, None]
        self._classes = fit.classes is not None
        self._far = COLLAPSED if self._classes else min(FAR, self.at.point.extent + AWAY)

    def draws(self, columns: Sequence[str], missing: Missing) -> ByCluster | ByComparison:
        """How replicates are drawn: by a column, or person by person."""
        if len(columns) > 1:
            raise InputError(
                f"bootstrap by {', '.join(columns)}; whole answers are drawn by one column, or by person"
            )
        table = self.fit.respondents
        names = tuple(map(table.role_of, columns))
        groups, times, labels = groups_of(table, self.fit.numbers, names, missing)
        if not names:
            nothing = np.zeros(0, np.int64)
            return ByComparison(nothing, nothing, times, groups, 1, "persons")
        check_several(columns[0], labels, "persons")
        return ByCluster(columns[0], np.zeros(0, np.int64), groups, 1)

    def refit(self, counts: FloatArray) -> Refit | None:
        """The fit to counts float[n, 1] of the distinct answers; None if there is none."""
        if not counts.any():
            return None
        counted = self.at.likelihood.weighted(counts[:, 0])
        try:
            regular = self._regular(counted)
            # A class that collapses has no limit that a linear programme would tell: there is no fit.
            return regular if regular is not None or self._classes else self._limiting(counted.limit())
        except (np.linalg.LinAlgError, ConvergenceError, TooLargeError):
            return None

    def _regular(self, counted: Likelihood) -> Refit | None:
        """A maximum near that of the table, at which the information is positive definite."""
        assert isinstance(counted, (AnswerLikelihood, Mixture))
        found: Solution[AnswerPoint | MixturePoint] = maximise(counted.at, self.at.theta, self._far)
        if not found.reached:
            return None
        try:
            half = np.linalg.inv(cholesky_of(found.point.information))
        except np.linalg.LinAlgError:
            return None
        return self._read(found.x, half.T @ half, None)

    def _limiting(self, limit: Limit) -> Refit:
        """A replicate that separates, or in which something is not determined, or whose maximum is far away."""
        inner = limit.remaining
        none = np.zeros((0, inner.n_params))
        top = maximum_under(inner, none, np.zeros(0), limit.inward(self.at.theta)).point
        covariance = np.asarray(np.linalg.inv(top.information), float)
        if limit.keep is None or limit.infinite is None:
            return self._read(top.theta, covariance, None)
        infinite = AtInfinity(self.at.outward @ limit.infinite.null, limit.infinite.rows)
        return self._read(limit.outward(top.theta), limit.keep @ covariance @ limit.keep.T, infinite)

    def _read(self, theta: FloatArray, covariance: FloatArray, infinite: AtInfinity | None) -> Refit:
        separated = infinite is not None and bool(len(infinite.rows))

        def influence(functions: FloatArray) -> FloatArray:
            point = self.at.likelihood.at(theta)
            assert point is not None
            return np.asarray(point.scores @ covariance @ (functions @ self.at.outward).T)

        return Refit(self.at.outward @ theta, both(infinite, self.at.infinite), separated, influence)

    def fit_again(self, draws: AnyDraws, counts: FloatArray, weights: Weights | None) -> Fit | None:
        """A whole fit of the replicate, for a user's function; None if there is none."""
        if self._classes:
            raise InputError(
                f"{self.fit.title}: a function of a fit needs whole fits of every replicate, and a search from many starts may"
                " name the classes otherwise; ask for params, contrasts, worth, probabilities or ranks of a class, which are"
                " followed from the fit's maximum"
            )
        if weights is None:
            return self._as_it_was()
        fit, row = self.fit, self.fit.numbers.row
        times = np.append(counts[:, 0] / self.full[:, 0], 0.0)[row]
        return self._fit_of(replace(fit.respondents, weights=fit.respondents.weights * times))

    def _as_it_was(self) -> Fit:
        """The fit itself, if its specification says all of it: else its replicates would be of another model."""
        again = self._fit_of(self.fit.respondents)
        # The same program on the same data gives the same bits (observed 0, all five models of whole
        # answers); 1e-9 leaves room for a fit made by another machine's BLAS, and none for another model.
        same = again is not None and again.names == self.fit.names
        if again is None or not same or not np.allclose(again.beta, self.fit.beta, rtol=0.0, atol=1e-9):
            raise InputError(
                f"{self.fit.title}: a function of a fit needs whole fits of every replicate, and this one cannot be made again"
                " from its specification; ask for params, contrasts, worth, probabilities or ranks"
            )
        return self.fit

    def _fit_of(self, table: Respondents) -> Fit | None:
        spec = self.fit.of_answers
        against = replace(spec, reference=table.items[-1]) if spec.reference == "sum" else spec
        try:
            found = finished(fitted(table, against))
        except NotEstimableError:
            return None
        found = found.with_reference("sum") if spec.reference == "sum" else found
        return found.on_scale(self.fit.scale)


def refuse(fit: Fit) -> None:
    """Refuse a fit whose replicates would not show how its estimates vary."""
    if fit.classes is not None and np.isnan(fit.classes.covariance).any():
        raise InputError(
            f"the bootstrap of {fit.title}: a class has collapsed, or its parameters cannot be"
            " distinguished, so that replicates"
            " have no maximum near the fit's; fit fewer classes"
        )
    if fit.quasi_likelihood:
        raise InputError(
            f"the bootstrap of {fit.title}: replicates would have the pseudo-rankings or the prior of the whole table; fit"
            " without them, or see fit.clustered()"
        )


def random_judges(fit: Fit) -> Fit:
    """Refuse random effects whose replicates would not say how these vary."""
    spec = fit.of_contests
    if spec.random != JUDGES:
        raise InputError(
            f"the bootstrap of {fit.title}: rows or clusters that are drawn again share the random effects of the items, and"
            " say nothing of how these vary; fit.profile() and fit.conf_int() are of the marginal likelihood"
        )
    if spec.method == "pql":
        raise InputError(
            f"the bootstrap of {fit.title}: penalised quasi-likelihood has no likelihood of each judge that could be weighted;"
            " fit with method='laplace'"
        )
    return fit


class JudgeRefitter:
    """Fits of one model with random effects of judges to other numbers of judges of each kind."""

    def __init__(self, fit: Fit) -> None:
        self.fit, self.at = fit, fit.likelihood
        whole, units = self.at.likelihood, self.at.unit_of_row
        assert isinstance(whole, SetsLikelihood) and units is not None
        # Replicates differ by far more than the digits that a tenth of the points loses.
        self.model, self.units, self.full = whole.sketch, units, whole.weights[:, None]
        self.rows = contest_rows(fit.data, fit.of_contests)
        judge = fit.data.columns["judge"]
        assert isinstance(judge, Factor)  # random effects of judges are by their names
        self.judge = judge
        self._far = self._extent(self.at.theta) + AWAY

    def draws(self, columns: Sequence[str], missing: Missing) -> ByCluster:
        """Whole judges drawn with replacement, or clusters of judges."""
        if len(columns) != 1:
            raise InputError(
                f"bootstrap by {' and '.join(columns) or 'no column'} of random effects of judges: comparisons of a judge share"
                ' effects, so that whole judges are drawn; name one column, as in bootstrap("judge")'
            )
        groups, labels = unit_groups(self.fit, self.at, self.fit.data.role_of(columns[0]), missing)
        check_several(columns[0], labels)
        column = self.fit.data.columns[self.fit.data.role_of(columns[0])]
        names = [column.levels[k] for k in column.codes] if isinstance(column, Factor) else column
        place = {label: k for k, label in enumerate(labels)}
        code = np.array([place.get(n if isinstance(n, str) else f"{n:.15g}", -1) for n in names], np.int64)
        return ByCluster(columns[0], np.where(self.units >= 0, code, -1), groups, 1)

    def refit(self, counts: FloatArray) -> Refit | None:
        """The fit to counts float[n, 1] of the kinds of judges; None if there is none."""
        w = counts[:, 0]
        if not w.any():
            return None
        found = self._maximum(self.model.weighted(w), self.at.theta)
        if found is not None and self._extent(found.theta) < self._far:
            return Refit(self.at.outward @ found.theta, self.at.infinite, False)
        return self._in_the_limit(w)

    def _extent(self, theta: FloatArray) -> float:
        return float(np.abs(self.model.sets.contests.design.dense @ theta[:-1]).max(initial=0.0))

    @staticmethod
    def _maximum(likelihood: SetsLikelihood, start: FloatArray) -> SetsAt | None:
        p = len(start)
        try:
            return maximum_under(likelihood, np.zeros((0, p)), np.zeros(0), start).point
        except (ConvergenceError, Infeasible, np.linalg.LinAlgError):
            return None

    def _in_the_limit(self, w: FloatArray) -> Refit | None:
        """A replicate that separates, or lacks an item: what stays possible, of one judge of each kind."""
        judges, first = np.unique(self.units, return_index=True)
        chosen = self.judge.codes[first[judges >= 0]]
        here = np.isin(self.judge.codes, chosen[w > 0.0]) & (self.units >= 0)
        table = self.rows.table
        counts = np.stack([table.wins, table.ties, table.losses], axis=1) * here[:, None]
        rows = replace(self.rows, table=counted(table, counts))
        try:
            mixed = mixed_rows(rows)
        except (ConvergenceError, NotEstimableError):
            return None
        if not mixed.limit.flat.shape[1]:
            return None
        sets = replace(self.model.sets, contests=mixed.contests)
        place = mixed.effects[0].first // sets.size  # the set of each row
        kind, unit = sets.kind[place[here]], self.units[here]
        kind, unit = np.unique(np.column_stack([kind, unit])[kind >= 0], axis=0).T
        theta = np.append(np.zeros(len(mixed.limit.kept)), max(float(self.at.theta[-1]), 0.1))
        found = self._maximum(
            SetsLikelihood(sets, np.bincount(kind, w[unit], len(sets.times)).astype(float)), theta
        )
        if found is None:
            return None
        every = outward(self.fit, self.rows, len(self.rows.design.names))
        beta = every @ mixed.limit.embed(found.theta[:-1])
        infinite = AtInfinity(every @ mixed.limit.flat, cone_of(rows, mixed.limit.flat))
        return Refit(beta, infinite, bool(mixed.limit.n_infinite))

    def fit_again(self, draws: AnyDraws, counts: FloatArray, weights: Weights | None) -> Fit | None:
        """A whole fit of the replicate, for a user's function; None if there is none."""
        data = self.fit.data
        if weights is None:
            return self.fit
        times = draws.row_factors(weights, np.ones((data.n_rows, 1)))[:, 0]
        return same_model(self.fit, repeated(data, self.judge, times))


def repeated(table: Comparisons, judge: Factor, times: FloatArray) -> Comparisons:
    """The table with each row so often, int float[n_rows], and every copy of a judge a judge of its own."""
    rows = np.repeat(np.arange(table.n_rows), times.astype(int))
    copy = np.arange(len(rows)) - np.searchsorted(rows, rows)
    codes = judge.codes[rows] + len(judge.levels) * copy
    levels = tuple(
        f"{level} ({m + 1})" if m else level
        for m in range(int(copy.max(initial=0)) + 1)
        for level in judge.levels
    )
    found = table.select(rows)
    return replace(found, columns=beside(found.columns, {"judge": Factor(codes, levels)}))
