"""Variants of one table, as rows on unordered pairs, and one model fitted to many of them at once.

A row is (pair, covariate pattern, who was named first, judge, counts); equal rows are stored once with their
number.  A slip of the data maps rows to rows.  `ModelCells` sums rows into the cells of a model, and
`partition` into the cells on which a deviance is taken.

Fits have various treatments of ties, penalties and stopping rules.  All parameters are log-odds, in the order
of the terms of the claim's own fit; :mod:`.values` converts them to the scales, constraints and definitions
of the printed numbers.

An LLBT by groups with one constant for each pair, not for each pair in each group: prefmod's design with the
covariate forgotten in `eliminate` (its defect B23).

    log m(y | jk, s) = mu_jk (+ kappa_s) + y u_jk,s / 2 + gamma 1[y = 0]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import xlogy

from ...data.columns import Column, Factor
from ...data.comparisons import Comparisons
from ...data.wide import lexicographic_pair_order
from ...errors import ConvergenceError, InputError, PairproofError
from ...fit.estimates.likelihood import OutcomeModel
from ...fit.estimates.predictions import item_covariate
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit
from ...native.comparisons.formula.subject_design import Patterns, find_patterns
from ...native.comparisons.formula.subject_formula import names_of, parse
from ...native.prefmod_defects.defects_of_models import poisson_fit
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from .many_fits import Design, Many, fit_many, inverses, log_likelihood, score_and_information
from .stopping import Iterate, binomial_path, poisson_path, zermelo_path


@lru_cache(maxsize=8)
def _pairs_of(n_items: int) -> IntArray:
    pairs = np.array(lexicographic_pair_order(n_items), np.int64).reshape(-1, 2)
    pairs.setflags(write=False)
    return pairs


def pair_of(first: IntArray, second: IntArray, n_items: int) -> IntArray:
    """The places of unordered pairs of items among all of them."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.asarray(low * n_items - low * (low + 1) // 2 + high - low - 1)


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows of a table: pair, pattern, sign, judge int[n]; y float[n, 3]; times float[n]."""

    items: tuple[str, ...]
    pair: IntArray
    pattern: IntArray
    sign: IntArray
    judge: IntArray
    y: FloatArray
    times: FloatArray
    tie_category: bool
    copies: int = 1

    @cached_property
    def counts(self) -> FloatArray:
        """float[n, 3]: the total counts of each kind of row."""
        return np.asarray(self.y * self.times[:, None])

    @property
    def pairs(self) -> IntArray:
        """int[n_pairs, 2]: positions of the items of every pair, compared or not."""
        return _pairs_of(len(self.items))

    def with_counts(self, y: FloatArray) -> Rows:
        return replace(self, y=y)

    def comparisons(self, like: Comparisons) -> Comparisons:
        """The same rows as a table with judges, for a fit by the native fitters."""
        first, second = self.pairs[self.pair].T
        back = self.sign < 0
        y = np.where(back[:, None], self.y[:, ::-1], self.y) * self.times[:, None]
        columns: dict[str, Column] = {}
        judges = like.columns.get("judge")
        if isinstance(judges, Factor):
            columns["judge"] = Factor(self.judge, judges.levels)
        if "order" in like.columns:
            columns["order"] = np.abs(self.sign).astype(float)
        first, second = np.where(back, second, first), np.where(back, first, second)
        counts = (y[:, 0], y[:, 1] if self.tie_category else None, y[:, 2])
        return Comparisons.build(self.items, first, second, *counts, columns=columns, source=like.source)


def rows_of(fit: Fit, kept: BoolArray | None = None) -> tuple[Rows, Patterns]:
    """Rows of a fit's table (or of those that are kept), and the covariate patterns of its model."""
    data = fit.data
    patterns = find_patterns(parse(fit.spec.by, names_of(data, fit.spec, tuple(fit.layout.separate))), data)
    back = data.first > data.second
    pair = pair_of(data.first, data.second, len(data.items))
    y = np.stack([data.wins, data.ties, data.losses], axis=1)
    y = np.where(back[:, None], y[:, ::-1], y)
    sign = np.where(back, -1, 1) * _ground(data)
    judges = data.columns.get("judge")
    judge = judges.codes if isinstance(judges, Factor) else np.zeros(data.n_rows, np.int64)
    used = (y.sum(axis=1) > 0) & (True if kept is None else kept)
    key = np.column_stack([pair, patterns.of_row, sign, judge, y])[used]
    distinct, times = np.unique(key, axis=0, return_counts=True)
    pair, pattern, sign, judge = distinct[:, :4].astype(np.int64).T
    y, often = distinct[:, 4:], times.astype(float)
    return Rows(data.items, pair, pattern, sign, judge, y, often, data.tie_category), patterns


def _ground(data: Comparisons) -> IntArray:
    """1 for each row, but 0 where the column `order` says that it was on neutral ground."""
    column = data.columns.get("order")
    if column is None:
        return np.ones(data.n_rows, np.int64)
    values = np.array(column.levels, float)[column.codes] if isinstance(column, Factor) else column
    if not np.isin(values, (0.0, 1.0)).all():
        raise InputError(f"{data.source}: column order has values other than 0 and 1")
    return np.asarray(values.astype(np.int64))


@dataclass(frozen=True, eq=False)
class ModelCells:
    """Combinations of pair, covariate pattern and who was first: pair, pattern, sign int[n_cells]."""

    pair: IntArray
    pattern: IntArray
    sign: IntArray
    n_pairs: int
    order: bool
    possible: int

    def tally(self, rows: Rows) -> FloatArray:
        """float[n_cells, 3]: the rows summed by cell."""
        cell = self.cell_of(rows)
        return np.stack([np.bincount(cell, rows.counts[:, k], len(self.pair)) for k in range(3)], axis=1)

    def cell_of(self, rows: Rows) -> IntArray:
        """int[n]: the cell of each row."""
        sign = rows.sign if self.order else np.zeros_like(rows.sign)
        return np.asarray(self._places[(rows.pattern * 3 + sign + 1) * self.n_pairs + rows.pair])

    @cached_property
    def _places(self) -> IntArray:
        key = (self.pattern * 3 + self.sign + 1) * self.n_pairs + self.pair
        places = np.full(int(self.pattern.max(initial=0) + 1) * 3 * self.n_pairs, -1, np.int64)
        places[key] = np.arange(len(key))
        return places


def model_cells(rows: Rows, order: bool) -> ModelCells:
    """The cells of every pair in every stratum that occurs: a slip may move counts to an empty pair."""
    sign = rows.sign if order else np.zeros_like(rows.sign)
    seen = np.unique(np.column_stack([rows.pattern, sign]), axis=0)
    strata = np.unique(np.vstack([seen, seen * [1, -1]]), axis=0)
    n = len(rows.pairs)
    pattern, sign = (np.repeat(strata[:, k], n) for k in (0, 1))
    return ModelCells(np.tile(np.arange(n), len(strata)), pattern, sign, n, order, len(seen) * n)


def partition(rows: Rows, cells: ModelCells, kind: str) -> tuple[FloatArray, FloatArray, IntArray]:
    """float[m, 3], float[m], int[m]: rows summed into the cells of a deviance and its df."""
    if kind == "row":
        return rows.y, rows.times, cells.cell_of(rows)
    if kind == "model":
        counts, cell = cells.tally(rows), np.arange(len(cells.pair))
    else:
        n_judges = int(rows.judge.max(initial=0)) + 1
        key, box = np.unique(cells.cell_of(rows) * n_judges + rows.judge, return_inverse=True)
        counts = np.stack([np.bincount(np.ravel(box), rows.counts[:, k]) for k in range(3)], axis=1)
        cell = key // n_judges
    return counts / rows.copies, np.full(len(counts), float(rows.copies)), cell


def pair_constants_only(
    design: Design, y: FloatArray, cells: ModelCells, of_groups: bool
) -> tuple[FloatArray, FloatArray, float]:
    """Estimates float[k], information and deviance of one table y float[n_cells, 3]; nan where there is no maximum."""
    binary = design.model == "binary"
    step = np.array([0.5, -0.5]) if binary else np.array([0.5, 0.0, -0.5])
    tie = np.zeros(2) if binary else np.array([0.0, 1.0, 0.0])
    counts = (y[:, [0, 2]] if binary else y).ravel()
    constants = [np.repeat(cells.pair, len(step))[:, None] == np.unique(cells.pair)]
    if of_groups:
        constants.append(np.repeat(cells.pattern, len(step))[:, None] == np.unique(cells.pattern)[1:])
    own = np.hstack([np.kron(design.u, step[:, None]), np.kron(design.g, tie[:, None])])
    x = np.hstack([*(c.astype(float) for c in constants), own])
    try:
        beta, mean, covariance = poisson_fit(x, counts)
        mine = slice(x.shape[1] - design.k, None)
        information = np.asarray(np.linalg.inv(covariance[mine, mine]), float)
    except (ConvergenceError, np.linalg.LinAlgError):
        return np.zeros(design.k), np.eye(design.k), math.nan
    safe = np.where(counts > 0, counts, 1.0)
    deviance = 2.0 * float((xlogy(counts, safe / mean) - (counts - mean)).sum())
    return beta[mine], information, deviance


#: For each treatment of ties the outcomes of the model, and what a tie adds to the wins of the first and of
#: the second item (None: ties stay ties).
TREATMENTS: Mapping[str, tuple[OutcomeModel, tuple[float, float] | None]] = {
    "davidson": ("davidson", None),
    "rao-kupper": ("rao-kupper", None),
    "none": ("davidson", None),
    "drop": ("binary", (0.0, 0.0)),
    "half": ("binary", (0.5, 0.5)),
    "two-games": ("binary", (1.0, 1.0)),
    "third": ("binary", (1.0 / 3.0, 1.0 / 3.0)),
    "second": ("binary", (0.0, 1.0)),
}
#: Tables fitted one by one with the full machinery where Newton in step does not reach a finite maximum.
MOST_BY_HAND = 200
#: Parameters from which on fits start from those of the table as it is.
LARGE = 20


@dataclass(frozen=True)
class Solver:
    """A way of solving: everything that decides the estimates except the data.

    other_order: an order effect is in the model of a claim that says none, or is not in that of one that does.
    """

    ties: str
    penalty: str = ""
    stop: str = ""
    cells: str = "model"
    margins: str = ""
    other_order: bool = False


@dataclass(frozen=True, eq=False)
class Fitted:
    """B fits: beta float[B, K], cov float[B, K, K], bad bool[B, K], llf, rank float[B]."""

    beta: FloatArray
    cov: FloatArray
    bad: BoolArray
    llf: FloatArray
    rank: FloatArray

    def take(self, rows: Sequence[int]) -> Fitted:
        at = np.asarray(rows)
        return Fitted(self.beta[at], self.cov[at], self.bad[at], self.llf[at], self.rank[at])


def treated(y: FloatArray, ties: str) -> FloatArray:
    """The counts, float[..., 3], that enter the likelihood under a treatment of ties."""
    shares = TREATMENTS[ties][1]
    if shares is None:
        return y
    out = np.zeros_like(y)
    out[..., 0], out[..., 2] = y[..., 0] + shares[0] * y[..., 1], y[..., 2] + shares[1] * y[..., 1]
    return out


@dataclass(eq=False)
class Model:
    """The model of a claim, prepared for fits to many variants of its table."""

    fit: Fit
    rows: Rows = field(init=False)
    cells: ModelCells = field(init=False)
    _paths: dict[tuple[Rows, str, str, str], list[Iterate]] = field(default_factory=dict)
    _starts: dict[str, FloatArray | None] = field(default_factory=dict)
    by_hand: int = 0
    failed: int = 0

    def __post_init__(self) -> None:
        self.rows, self._patterns = rows_of(self.fit)
        self.cells = model_cells(self.rows, self.fit.spec.order_effect)

    @cached_property
    def solved_for(self) -> IntArray:
        """int[k]: the terms but references, or but the last item if items sum to zero."""
        if "sum" not in self.fit.constraint:
            return np.flatnonzero(~self.fit.is_reference)
        return np.flatnonzero([t.kind != "item" or t.item != self.fit.items[-1] for t in self.fit.terms])

    @cached_property
    def columns(self) -> FloatArray:
        """float[n_cells, K]: the column of each term in u (in g, for tie terms), including references."""
        fit, cells = self.fit, self.cells
        pairs = self.rows.pairs[cells.pair]
        variables = self._patterns.variables.items()
        groups = [{name: v.value(s) for name, v in variables} for s in range(self._patterns.n)]
        out = np.zeros((len(pairs), len(fit.terms)))
        for k, term in enumerate(fit.terms):
            size = np.array([term.multiplier(g) for g in groups])[cells.pattern]
            if term.kind == "tie":
                out[:, k] = size
            elif term.kind == "order":
                out[:, k] = size * cells.sign
            else:
                is_item = term.kind == "item"
                x = (np.array(fit.items) == term.item) * 1.0 if is_item else item_covariate(fit, term)
                out[:, k] = size * (x[pairs[:, 0]] - x[pairs[:, 1]])
        return out

    @cached_property
    def _items_solved_for(self) -> list[int]:
        solved_for = [self.fit.terms[k] for k in self.solved_for]
        return [self.fit.items.index(str(t.item)) for t in solved_for if t.kind == "item"]

    @cached_property
    def is_tie(self) -> BoolArray:
        return np.array([t.kind == "tie" for t in self.fit.terms], bool)

    def design(self, ties: str) -> tuple[Design, IntArray]:
        """The design under a treatment of ties, and the places of its parameters among the terms."""
        outcome = TREATMENTS[ties][0] if self.rows.tie_category else "binary"
        free = self.solved_for
        u = free[~self.is_tie[free]]
        has_tie = ties in ("davidson", "rao-kupper")
        g = np.flatnonzero(self.is_tie) if has_tie else np.zeros(0, np.int64)
        t = self.columns[:, g]
        if has_tie and not len(g):  # the claim's own model has no tie parameter: add one without a name
            t, g = np.ones((len(self.columns), 1)), np.array([-1])
        return Design(self.columns[:, u], t, outcome), np.concatenate([u, g])

    # -- fits ------------------------------------------------------------------------------------------------

    def tallies(self, variants: Sequence[Rows]) -> FloatArray:
        """float[B, n_cells, 3]: counts before ties are treated."""
        return np.stack([self.cells.tally(v) for v in variants])

    def fitted(self, variants: Sequence[Rows], counts: FloatArray, solver: Solver) -> Fitted:
        """Fit all variants together; those without a finite maximum one by one, as far as possible."""
        design, places = self.design(solver.ties)
        y = treated(counts, solver.ties)
        if solver.stop:
            return self._stopped(variants, y, solver, design, places)
        if solver.penalty:
            return self._penalised(y, solver, design, places)
        if solver.margins:
            return self._margins(y, solver, design, places)
        many = _fit_regular(design, y, start=self._start(solver.ties, design))
        found = self._spread(many, places, design.k)
        return self._by_hand(variants, solver, found, np.flatnonzero(np.isnan(found.rank)))

    def _start(self, ties: str, design: Design) -> FloatArray | None:
        """float[k]: the estimates of the table as it is, from which one with a slip is near; None for a small model,
        whose fits cost less than this one."""
        if design.k < LARGE:
            return None
        if ties not in self._starts:
            own = _fit_regular(design, treated(self.tallies([self.rows]), ties))
            self._starts[ties] = own.beta[0] if own.finite[0] else None
        return self._starts[ties]

    def _spread(self, many: Many, places: IntArray, rank: int) -> Fitted:
        """All terms from those solved for, without a tie parameter that the model does not have."""
        b, k = len(many.beta), len(self.fit.terms)
        named = places >= 0
        full, cov = np.zeros((b, k)), np.zeros((b, k, k))
        full[:, places[named]] = many.beta[:, named]
        inverse, fine = inverses(many.information, many.finite)
        cov[np.ix_(np.arange(b), places[named], places[named])] = inverse[:, named][:, :, named]
        bad = np.zeros((b, k), bool)
        bad[~fine] = True
        if self.is_tie.any() and not set(np.flatnonzero(self.is_tie)) <= set(places.tolist()):
            bad[:, self.is_tie] = True  # no such parameter under this treatment of ties
        return Fitted(full, cov, bad, np.where(fine, many.llf, np.nan), np.where(fine, float(rank), np.nan))

    def _by_hand(self, variants: Sequence[Rows], solver: Solver, found: Fitted, which: IntArray) -> Fitted:
        """Fit tables with infinite or inestimable parameters by the native fitter, one at a time."""
        for b in which:
            fit = self._native(variants[b], solver)
            if fit is None:  # such a reading has no numbers
                self.failed += 1
                continue
            here = [j for j, name in enumerate(fit.names) if name in self.fit.names]
            there = [self.fit.names.index(fit.names[j]) for j in here]
            found.bad[b], found.beta[b] = True, 0.0
            found.bad[b, there] = ~fit.estimable[here]
            found.beta[b, there] = np.where(fit.estimable[here], fit.beta[here], 0.0)
            functions = np.eye(len(fit.terms))[here]
            found.cov[b][np.ix_(there, there)] = np.nan_to_num(fit.covariance.between(functions))
            found.llf[b], found.rank[b] = fit.llf, fit.rank
        return found

    def _native(self, rows: Rows, solver: Solver) -> Fit | None:
        """The native fit to one table; None where there is no such model, or enough were made."""
        from ...native.comparisons.counts.llbt import fit

        has_ties = rows.tie_category or solver.ties != "rao-kupper"
        known = solver.ties not in ("two-games", "third", "second")
        has_model = has_ties and known and not solver.margins and self.fit.spec.by in ("", "judge")
        if not has_model or self.by_hand >= MOST_BY_HAND:
            return None
        self.by_hand += 1
        reference = self.fit.spec.reference if self.fit.spec.reference != "sum" else self.fit.items[-1]
        spec = replace(self.fit.spec, family="bradley-terry", ties=solver.ties, cells=(), reference=reference)
        try:
            return fit(rows.comparisons(self.fit.data), spec)
        except PairproofError:
            return None

    def _penalised(self, y: FloatArray, solver: Solver, design: Design, places: IntArray) -> Fitted:
        """Fits with all items free, which the penalty makes possible; the reference is applied afterwards."""
        free = np.array([t.kind == "item" for t in self.fit.terms])
        u = np.flatnonzero(~self.is_tie)
        x, g = self.columns[:, u], design.g
        whole = Design(x, g, design.model)
        if solver.penalty == "firth":
            many = _reduced(design, y) if design.model == "binary" else _none(design, y)
            return self._spread(many, places, design.k)
        if solver.penalty == "ridge":
            many = _fit_regular(whole, y, np.concatenate([free[u] * 1.0, np.zeros(g.shape[1])]))
        else:
            # Every item is compared with a hypothetical item of log-worth 0, under the same model of ties.
            ghost = np.eye(len(u))[free[u]]
            ghost_g = np.ones((len(ghost), g.shape[1]))
            extra = np.tile(np.array([0.5, 0.0, 0.5]), (len(y), len(ghost), 1))
            more = Design(np.vstack([x, ghost]), np.vstack([g, ghost_g]), design.model)
            many = _fit_regular(more, np.concatenate([y, extra], axis=1))
        with np.errstate(invalid="ignore"):  # a fit that failed has no log-likelihood
            llf = log_likelihood(whole, many.beta, y)
        at = np.concatenate([u, places[design.u.shape[1] :]])
        return self._spread(replace(many, llf=llf), at, design.k)

    def _margins(self, y: FloatArray, solver: Solver, design: Design, places: IntArray) -> Fitted:
        """Fits with constants of pairs only; llf and rank are such that they give deviance and df."""
        groups = solver.margins == "groups"
        found = [pair_constants_only(design, one, self.cells, groups) for one in y]
        beta, information, deviance = (np.array(part) for part in zip(*found))
        n = y.sum(axis=2)
        saturated = (xlogy(y, y).sum(axis=2) - xlogy(n, n)).sum(axis=1)
        many = Many(beta, information, saturated - deviance / 2.0, np.isfinite(deviance))
        spread = self._spread(many, places, design.k)
        extra = (len(np.unique(self.cells.pattern)) - 1) * groups
        spent = extra + len(np.unique(self.cells.pair)) - (n > 0).sum(axis=1)
        return replace(spread, rank=spread.rank + spent)

    def _stopped(
        self, variants: Sequence[Rows], y: FloatArray, solver: Solver, design: Design, places: IntArray
    ) -> Fitted:
        """The estimates of an algorithm after a number of steps, or where R's glm stops."""
        how, _, k = solver.stop.partition(":")
        # Zermelo's iteration has neither ties nor an order effect, and glm no Rao-Kupper model.
        plain = design.model == "binary" and not self.fit.spec.order_effect
        has_model = plain if how == "mm" else design.model != "rao-kupper"
        points = [self._path(v, solver, how, design) if has_model else [] for v in variants]
        at = [len(p) if how == "glm" else int(k) for p in points]
        chosen = [p[n - 1] if 0 < n <= len(p) else None for p, n in zip(points, at)]
        fine = np.array([c is not None and bool(np.isfinite(c.beta).all()) for c in chosen])
        beta = np.stack([c.beta if c is not None else np.zeros(design.k) for c in chosen])
        if how == "mm" and has_model:
            information = score_and_information(design, np.where(fine[:, None], beta, 0.0), y)[1]
        else:
            information = np.stack([c.information if c is not None else np.eye(design.k) for c in chosen])
        llf = log_likelihood(design, np.where(fine[:, None], beta, 0.0), y)
        return self._spread(Many(beta, information, llf, fine), places, design.k)

    def steps(self, solver: Solver) -> int:
        """Number of steps that R's glm takes on the unchanged table; 0 if it has no such model."""
        design, _ = self.design(solver.ties)
        return len(self._path(self.rows, solver, "glm", design))

    def _path(self, rows: Rows, solver: Solver, how: str, design: Design) -> list[Iterate]:
        key = (rows, solver.ties, "" if how == "mm" else solver.cells, how if how == "mm" else "irls")
        if key not in self._paths:
            if how == "mm":
                y, pairs = treated(self.cells.tally(rows), solver.ties), self.rows.pairs[self.cells.pair]
                self._paths[key] = zermelo_path(y, pairs, len(self.fit.items), self._items_solved_for)
            else:
                y, x, g = self._glm_rows(rows, solver, design)
                path = binomial_path if self.fit.spec.of_family.glm_of_wins == "binomial" else poisson_path
                self._paths[key] = path(x, g, y)
        return self._paths[key]

    def _glm_rows(
        self, rows: Rows, solver: Solver, design: Design
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Counts and columns of the cells that glm receives, each row as often as it occurs in the table."""
        y, times, cell = partition(rows, self.cells, solver.cells)
        repeats = times.astype(np.int64)
        y, cell = np.repeat(treated(y, solver.ties), repeats, axis=0), np.repeat(cell, repeats)
        full = y.sum(axis=1) > 0
        return y[full], design.u[cell[full]], design.g[cell[full]]


def _fit_regular(
    design: Design, y: FloatArray, ridge: FloatArray | None = None, start: FloatArray | None = None
) -> Many:
    """Fit all tables; with a tie parameter only those with ties, because others have no finite estimate."""
    regular = np.flatnonzero(y[..., 1].any(axis=1)) if design.g.shape[1] else np.arange(len(y))
    many = fit_many(design, y[regular], ridge, start)
    if len(regular) == len(y):
        return many
    out = _none(design, y)
    out.beta[regular], out.information[regular] = many.beta, many.information
    out.llf[regular], out.finite[regular] = many.llf, many.finite
    return out


def _none(design: Design, y: FloatArray) -> Many:
    """No fit of any table: the reading has no such model."""
    b, k = len(y), design.k
    return Many(np.zeros((b, k)), np.zeros((b, k, k)), np.zeros(b), np.zeros(b, bool))


#: Rounds after which a fit with reduced bias has settled: the leverages change by less than 1e-12.
ROUNDS = 40


def _reduced(design: Design, y: FloatArray) -> Many:
    """Fits with the bias of the mean reduced (Firth 1993): half of its leverage is added to the wins and losses
    of every cell, until leverages and fit belong together."""
    added = np.zeros(y.shape[:2])
    for _ in range(ROUNDS):
        half = np.stack([added / 2, np.zeros_like(added), added / 2], axis=-1)
        many = fit_many(design, y + half)
        _, information = score_and_information(design, many.beta, y)
        inverse, fine = inverses(information, many.finite)
        u, _ = design.predictors(many.beta)
        weight = y.sum(axis=2) / (2.0 + np.exp(u) + np.exp(-u))
        leverage = weight * np.einsum("nk,bkl,nl->bn", design.u, inverse, design.u, optimize=True)
        if np.abs(leverage - added)[fine].max(initial=0.0) < 1e-12:
            break
        added = np.where(fine[:, None], leverage, 0.0)
    return Many(many.beta, information, log_likelihood(design, many.beta, y), fine)


def units(fit: Fit) -> FloatArray:
    """float[K]: the factors that convert log-odds to the fit's scale."""
    unit = 1.0 / LOG_WORTH_PER_UNIT[fit.scale]
    return np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])
