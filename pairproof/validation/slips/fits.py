"""The fits a search asks for: one model, many variants of its table, ties treated and the solver stopped in
various ways.

Everything here is in log-odds and in the order of the terms of the claim's own fit; scales, constraints and
the definitions of other numbers are the business of :mod:`pairproof.validation.slips.values`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import PairproofError
from ...fit.fit import Fit
from ...fit.outcomes import OutcomeModel
from ...fit.predictions import item_covariate
from ...fit.spec import LOG_WORTH_PER_UNIT
from ...native.pairs.batch import Design, Many, fit_many, log_likelihood, score_and_information
from .rows import ModelCells, Rows, model_cells, partition, rows_of
from .stopping import Iterate, binomial_path, poisson_path, zermelo_path

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: Treatment of ties -> outcomes of the model, and what a tie adds to either side's wins (None: ties stay
#: ties).
TREATMENTS: Mapping[str, tuple[OutcomeModel, float | None]] = {
    "davidson": ("davidson", None),
    "rao-kupper": ("rao-kupper", None),
    "none": ("davidson", None),
    "drop": ("binary", 0.0),
    "half": ("binary", 0.5),
    "two-games": ("binary", 1.0),
    "third": ("binary", 1.0 / 3.0),
}
#: Penalties: scikit-learn's LogisticRegression, C = 1, one column an item; PlackettLuce's half a win and half
#: a loss of every item against a hypothetical one of log-worth 0.
PENALTIES = ("ridge", "pseudo")
#: Tables fitted one by one with the full machinery where Newton in step does not reach a finite maximum.
MOST_BY_HAND = 200


@dataclass(frozen=True)
class Solver:
    """What decides the estimates, apart from the data.

    Attributes
    ----------
    ties : str
        One of `TREATMENTS`.
    penalty : {"", "ridge", "pseudo"}
    stop : str
        "" (at the maximum), "glm", "irls:3", "mm:7".
    cells : {"model", "judge", "row"}
        Of the deviance; the steps of `glm` depend on them too.
    """

    ties: str
    penalty: str = ""
    stop: str = ""
    cells: str = "model"


@dataclass(frozen=True, eq=False)
class Fitted:
    """B fits of one solver.

    Attributes
    ----------
    beta : float[B, K]
        Log-odds, in the order of the fit's terms; 0 for references and for what has no value.
    cov : float[B, K, K]
    bad : bool[B, K]
        Terms without a value.
    llf : float[B]
    rank : float[B]
        nan where the fit failed altogether.
    """

    beta: FloatArray
    cov: FloatArray
    bad: BoolArray
    llf: FloatArray
    rank: FloatArray

    def take(self, rows: Sequence[int]) -> Fitted:
        at = np.asarray(rows)
        return Fitted(self.beta[at], self.cov[at], self.bad[at], self.llf[at], self.rank[at])


@dataclass(frozen=True, eq=False)
class Constants:
    """What a table has beyond its fit, on one set of cells: float[B] each.

    Attributes
    ----------
    saturated : log-likelihood of the shares themselves
    cells : number of cells that are not empty
    empty : number of pairs and strata without a comparison
    binomial, poisson : what those log-likelihoods have beyond `llf`
    total : comparisons
    null : log-likelihood of equal items, tie parameter kept
    null_rank : parameters of that model
    """

    saturated: FloatArray
    cells: FloatArray
    empty: FloatArray
    binomial: FloatArray
    poisson: FloatArray
    total: FloatArray
    null: FloatArray
    null_rank: FloatArray


def treated(y: FloatArray, ties: str) -> FloatArray:
    """Counts as they enter the likelihood; float[..., 3]."""
    share = TREATMENTS[ties][1]
    if share is None:
        return y
    out = np.zeros_like(y)
    out[..., 0], out[..., 2] = y[..., 0] + share * y[..., 1], y[..., 2] + share * y[..., 1]
    return out


@dataclass(eq=False)
class Model:
    """The model of a claim, ready to be fitted to variants of its table."""

    fit: Fit
    rows: Rows = field(init=False)
    cells: ModelCells = field(init=False)
    _paths: dict[tuple[int, str, str, str], list[Iterate]] = field(default_factory=dict)
    _keep: list[Rows] = field(default_factory=list)
    by_hand: int = 0
    failed: int = 0

    def __post_init__(self) -> None:
        self.rows, self._patterns = rows_of(self.fit)
        self.cells = model_cells(self.rows, self.fit.spec.order_effect)

    @cached_property
    def solved_for(self) -> IntArray:
        """Places of the terms that are solved for: all but a reference, the last item where items sum to
        zero.
        """
        return np.flatnonzero(
            [not r for r in self.fit.is_reference]
            if "sum" not in self.fit.constraint
            else [t.kind != "item" or t.item != self.fit.items[-1] for t in self.fit.terms]
        )

    @cached_property
    def columns(self) -> FloatArray:
        """float[n_cells, K]: what each term adds to u (to g, for tie terms), references included."""
        fit, cells = self.fit, self.cells
        pairs = self.rows.pairs[cells.pair]
        groups = [
            {name: v.value(s) for name, v in self._patterns.variables.items()}
            for s in range(self._patterns.n)
        ]
        out = np.zeros((len(pairs), len(fit.terms)))
        for k, term in enumerate(fit.terms):
            size = np.array([term.multiplier(g) for g in groups])[cells.pattern]
            if term.kind == "tie":
                out[:, k] = size
            elif term.kind == "order":
                out[:, k] = size * cells.sign
            else:
                x = (
                    (np.array(fit.items) == term.item).astype(float)
                    if term.kind == "item"
                    else item_covariate(fit, term)
                )
                out[:, k] = size * (x[pairs[:, 0]] - x[pairs[:, 1]])
        return out

    @cached_property
    def _items_solved_for(self) -> list[int]:
        return [
            self.fit.items.index(str(self.fit.terms[k].item))
            for k in self.solved_for
            if self.fit.terms[k].kind == "item"
        ]

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
        if has_tie and not len(
            g
        ):  # the claim's own model has no tie parameter: one for all, which it has no name for
            t, g = np.ones((len(self.columns), 1)), np.array([-1])
        return Design(self.columns[:, u], t, outcome), np.concatenate([u, g])

    # -- fits ------------------------------------------------------------------------------------------------

    def tallies(self, variants: Sequence[Rows]) -> FloatArray:
        """float[B, n_cells, 3]: counts before ties are treated."""
        return np.stack([self.cells.tally(v) for v in variants])

    def fitted(self, variants: Sequence[Rows], counts: FloatArray, solver: Solver) -> Fitted:
        """Fit all variants; those without a finite maximum by hand, as far as that is possible."""
        design, places = self.design(solver.ties)
        y = treated(counts, solver.ties)
        if solver.stop:
            return self._stopped(variants, y, solver, design, places)
        if solver.penalty:
            return self._penalised(y, solver, design, places)
        many = _fit_regular(design, y)
        found = self._spread(many.beta, many.information, many.llf, many.finite, places, design.k)
        return self._by_hand(variants, solver, found, np.flatnonzero(np.isnan(found.rank)))

    def _spread(
        self,
        beta: FloatArray,
        information: FloatArray,
        llf: FloatArray,
        fine: BoolArray,
        places: IntArray,
        rank: int,
    ) -> Fitted:
        """From the parameters solved for to all terms; a tie parameter without a name stays behind."""
        b, k = len(beta), len(self.fit.terms)
        named = places >= 0
        full, cov = np.zeros((b, k)), np.zeros((b, k, k))
        full[:, places[named]] = beta[:, named]
        inverse, fine = _inverses(information, fine)
        cov[np.ix_(np.arange(b), places[named], places[named])] = inverse[:, named][:, :, named]
        bad = np.zeros((b, k), bool)
        bad[~fine] = True
        if self.is_tie.any() and not set(np.flatnonzero(self.is_tie)) <= set(places.tolist()):
            bad[:, self.is_tie] = True  # no such parameter under this treatment of ties
        return Fitted(full, cov, bad, np.where(fine, llf, np.nan), np.where(fine, float(rank), np.nan))

    def _by_hand(
        self, variants: Sequence[Rows], solver: Solver, found: Fitted, which: NDArray[np.int64]
    ) -> Fitted:
        """What is infinite or not estimable is worked out by the native fit, one table at a time."""
        native = solver.ties in ("davidson", "rao-kupper", "none", "drop", "half") and self.fit.spec.by in (
            "",
            "judge",
        )
        for b in which:
            if (
                not native
                or self.by_hand >= MOST_BY_HAND
                or solver.ties == "rao-kupper"
                and not variants[b].tie_category
            ):
                self.failed += 1
                continue
            self.by_hand += 1
            try:
                fit = self._native(variants[b], solver.ties)
            except PairproofError:  # such a reading has no numbers; it is counted as failed
                self.failed += 1
                continue
            for k, term in enumerate(self.fit.terms):
                j = fit.names.index(term.name) if term.name in fit.names else -1
                found.bad[b, k] = j < 0 or not fit.estimable[j]
                found.beta[b, k] = 0.0 if found.bad[b, k] else fit.beta[j]
            here = [j for j, name in enumerate(fit.names) if name in self.fit.names]
            there = [self.fit.names.index(fit.names[j]) for j in here]
            functions = np.eye(len(fit.terms))[here]
            found.cov[b][np.ix_(there, there)] = np.nan_to_num(fit.covariance.between(functions))
            found.llf[b], found.rank[b] = fit.llf, fit.rank
        return found

    def _native(self, rows: Rows, ties: str) -> Fit:
        from ...native.pairs.fit import fit

        reference = self.fit.spec.reference if self.fit.spec.reference != "sum" else self.fit.items[-1]
        spec = replace(self.fit.spec, family="bradley-terry", ties=ties, cells=(), reference=reference)
        return fit(rows.comparisons(self.fit.data), spec)

    def _penalised(self, y: FloatArray, solver: Solver, design: Design, places: IntArray) -> Fitted:
        """All items free, held by the penalty; a reference is taken afterwards, as always."""
        free = np.array([t.kind == "item" for t in self.fit.terms])
        u = np.flatnonzero(~self.is_tie)
        x, g = self.columns[:, u], design.g
        whole, counts, ridge = Design(x, g, design.model), y, None
        if solver.penalty == "ridge":
            ridge = np.concatenate([free[u] * 1.0, np.zeros(g.shape[1])])
            many = _fit_regular(whole, counts, ridge)
        else:
            ghost = np.eye(len(u))[
                free[u]
            ]  # every item against one of log-worth 0, under the same model of ties
            extra = np.tile(np.array([0.5, 0.0, 0.5]), (len(y), len(ghost), 1))
            many = _fit_regular(
                Design(
                    np.vstack([x, ghost]), np.vstack([g, np.ones((len(ghost), g.shape[1]))]), design.model
                ),
                np.concatenate([y, extra], axis=1),
            )
        with np.errstate(invalid="ignore"):  # a fit that failed has no log-likelihood
            llf = log_likelihood(whole, many.beta, y)
        return self._spread(
            many.beta,
            many.information,
            llf,
            many.finite,
            np.concatenate([u, places[design.u.shape[1] :]]),
            design.k,
        )

    def _stopped(
        self, variants: Sequence[Rows], y: FloatArray, solver: Solver, design: Design, places: IntArray
    ) -> Fitted:
        """Where an algorithm stands after so many steps, or where R's glm stops."""
        how, _, k = solver.stop.partition(":")
        if design.model != "binary" and (
            how == "mm" or design.model == "rao-kupper"
        ):  # these algorithms have no such model
            none = np.zeros(len(y))
            return self._spread(
                np.zeros((len(y), design.k)),
                np.zeros((len(y), design.k, design.k)),
                none,
                none > 0,
                places,
                design.k,
            )
        points = [self._path(v, solver, how, design) for v in variants]
        at = [len(p) if how == "glm" else int(k) for p in points]
        chosen = [p[n - 1] if 0 < n <= len(p) else None for p, n in zip(points, at)]
        fine = np.array([c is not None and bool(np.isfinite(c.beta).all()) for c in chosen])
        beta = np.stack([c.beta if c is not None else np.zeros(design.k) for c in chosen])
        if how == "mm":
            information = score_and_information(design, np.where(fine[:, None], beta, 0.0), y)[1]
        else:
            information = np.stack([c.information if c is not None else np.eye(design.k) for c in chosen])
        llf = log_likelihood(design, np.where(fine[:, None], beta, 0.0), y)
        return self._spread(beta, information, llf, fine, places, design.k)

    def steps(self, solver: Solver) -> int:
        """Steps that R's glm takes on the table as it stands; 0 where it has no such model."""
        design, _ = self.design(solver.ties)
        return len(self._path(self.rows, solver, "glm", design))

    def _path(self, rows: Rows, solver: Solver, how: str, design: Design) -> list[Iterate]:
        key = (id(rows), solver.ties, "" if how == "mm" else solver.cells, how if how == "mm" else "irls")
        if key not in self._paths:
            if how == "mm":
                y = treated(self.cells.tally(rows), solver.ties)
                self._paths[key] = zermelo_path(
                    y, self.rows.pairs[self.cells.pair], len(self.fit.items), self._items_solved_for
                )
            else:
                y, x, g = self._glm_rows(rows, solver, design)
                path = binomial_path if self.fit.spec.of_family.glm_of_wins == "binomial" else poisson_path
                self._paths[key] = path(x, g, y)
            self._keep.append(rows)  # so that its id stays its own
        return self._paths[key]

    def _glm_rows(
        self, rows: Rows, solver: Solver, design: Design
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Counts and columns of the cells a glm is given, each row as often as it stands in the table."""
        if solver.cells == "model":
            y, x, g = self.cells.tally(rows), design.u, design.g
        else:
            cell = self.cells.cell_of(rows)
            if solver.cells == "judge":
                box, index = np.unique(
                    cell * (int(rows.judge.max(initial=0)) + 1) + rows.judge, return_inverse=True
                )
                y = np.stack([np.bincount(np.ravel(index), rows.counts[:, k]) for k in range(3)], axis=1)
                cell = box // (int(rows.judge.max(initial=0)) + 1)
            else:
                times = rows.times.astype(int)
                y, cell = np.repeat(rows.y, times, axis=0), np.repeat(cell, times)
            x, g = design.u[cell], design.g[cell]
        y = treated(y, solver.ties)
        full = y.sum(axis=1) > 0
        return y[full], x[full], g[full]

    # -- the table by itself ---------------------------------------------------------------------------------

    def constants(self, variants: Sequence[Rows], solver: Solver) -> Constants:
        """What the deviance and its kin need beyond a fit, for every variant."""
        from scipy.special import gammaln, xlogy

        rows = []
        outcome, _ = TREATMENTS[solver.ties]
        binary = outcome == "binary" or not self.rows.tie_category
        for v in variants:
            y, times = partition(v, self.cells, solver.cells)
            y = treated(y, solver.ties)
            n = y.sum(axis=1)
            times = times * (n > 0)
            saturated = times @ (xlogy(y, y).sum(axis=1) - xlogy(n, n))
            binomial = times @ (gammaln(n + 1) - gammaln(y[:, 0] + 1) - gammaln(y[:, 2] + 1))
            kinds = [0, 2] if binary else [0, 1, 2]
            poisson = times @ (xlogy(n, n) - n - gammaln(y[:, kinds] + 1).sum(axis=1))
            counts = (y * times[:, None]).sum(axis=0)
            null, null_rank = _null(counts, solver.ties, binary)
            rows.append(
                (
                    saturated,
                    times.sum(),
                    max(0.0, self.cells.possible - times.sum()),
                    binomial,
                    poisson,
                    counts.sum(),
                    null,
                    null_rank,
                )
            )
        return Constants(*np.array(rows, float).T)


def _fit_regular(design: Design, y: FloatArray, ridge: FloatArray | None = None) -> Many:
    """Fits of the tables that have ties where the model has a parameter for them; without ties it is at its
    limit.
    """
    regular = np.flatnonzero(y[..., 1].any(axis=1)) if design.g.shape[1] else np.arange(len(y))
    many = fit_many(design, y[regular], ridge)
    if len(regular) == len(y):
        return many
    n, k = len(y), design.k
    out = Many(np.zeros((n, k)), np.zeros((n, k, k)), np.zeros(n), np.zeros(n, bool))
    out.beta[regular], out.information[regular], out.llf[regular], out.finite[regular] = (
        many.beta,
        many.information,
        many.llf,
        many.finite,
    )
    return out


def _inverses(matrices: FloatArray, fine: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Inverses of the matrices that have one, and which these are among those that are fine."""
    safe = np.where(fine[:, None, None] & np.isfinite(matrices), matrices, 0.0)
    safe[~fine] = np.eye(matrices.shape[1])
    if not matrices.shape[1]:
        return safe, fine
    try:
        return np.linalg.inv(safe), fine
    except np.linalg.LinAlgError:
        fine = fine & np.array([np.linalg.matrix_rank(m) == len(m) for m in safe])
        safe[~fine] = np.eye(matrices.shape[1])
        return np.linalg.inv(safe), fine


def _null(counts: FloatArray, ties: str, binary: bool) -> tuple[float, float]:
    n, tied = float(counts.sum()), float(counts[1])
    if binary:
        return -n * math.log(2.0), 0.0
    if ties == "none":
        return -n * math.log(3.0), 0.0
    decided = n - tied
    llf = (tied * math.log(tied / n) if tied else 0.0) + (
        decided * math.log(decided / (2.0 * n)) if decided else 0.0
    )
    return llf, 1.0


def units(fit: Fit) -> FloatArray:
    """float[K]: what log-odds are multiplied with to be on the fit's scale."""
    return np.array(
        [1.0 / LOG_WORTH_PER_UNIT[fit.scale] if t.kind in ("item", "covariate") else 1.0 for t in fit.terms]
    )
