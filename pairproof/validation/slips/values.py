"""Computes the numbers that a claim prints under a reading, with its scale, constraint and definitions, for
many fits at once.

A `Setting` holds everything that a reading decides except the data.  `Values` computes the numbers that a
claim prints for B fits together, float[B, n_numbers]; names and definitions are those of
:mod:`pairproof.validation.claims.quantities`, against which they are tested.  `Constants` are what a
deviance, an AIC and similar numbers need of a table in addition to a fit.

llbt.worth's tables of worths as linear functions of the parameters: B6, B7, B21 (see
:mod:`pairproof.native.prefmod_defects.defects_of_results`, which has them for one fit).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from ...data.columns import Factor
from ...errors import InputError
from ...fit.estimates.array_inference import normal_quantile, softmax
from ...fit.estimates.likelihood import outcome_probabilities
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.estimates.tails import two_sided_p
from ...fit.fit import Fit
from ...native.prefmod_defects.defects_of_results import grid_of, is_name_in_r, without_last_effects
from ...numerics.arrays import FloatArray, IntArray
from ..claims.quantities import OF_EXP, OF_PARAMETER, Quantity, kind_of
from .variants import TREATMENTS, Fitted, Model, Rows, Solver, partition, treated, units


@dataclass(frozen=True, eq=False)
class Constants:
    """The constants of B tables on one set of cells, float[B] each."""

    saturated: FloatArray
    cells: FloatArray
    empty: FloatArray
    binomial: FloatArray
    poisson: FloatArray
    total: FloatArray
    null: FloatArray
    null_rank: FloatArray


def constants(model: Model, variants: Sequence[Rows], solver: Solver) -> Constants:
    """The constants of every variant of a table, with the solver's treatment of ties and its cells."""
    from scipy.special import gammaln, xlogy

    found = []
    binary = TREATMENTS[solver.ties][0] == "binary" or not model.rows.tie_category
    outcomes = [0, 2] if binary else [0, 1, 2]
    for rows in variants:
        y, times, _ = partition(rows, model.cells, solver.cells)
        y = treated(y, solver.ties)
        n = y.sum(axis=1)
        times = times * (n > 0)
        saturated = times @ (xlogy(y, y).sum(axis=1) - xlogy(n, n))
        binomial = times @ (gammaln(n + 1) - gammaln(y[:, 0] + 1) - gammaln(y[:, 2] + 1))
        poisson = times @ (xlogy(n, n) - n - gammaln(y[:, outcomes] + 1).sum(axis=1))
        counts, cells = (y * times[:, None]).sum(axis=0), times.sum()
        empty = max(0.0, model.cells.possible - cells)
        null = _null(counts, solver.ties, binary)
        found.append((saturated, cells, empty, binomial, poisson, counts.sum(), *null))
    return Constants(*np.array(found, float).T)


def _null(counts: FloatArray, ties: str, binary: bool) -> tuple[float, float]:
    """Log-likelihood and number of parameters of the model of equal items."""
    n, tied = float(counts.sum()), float(counts[1])
    if binary:
        return -n * math.log(2.0), 0.0
    if ties == "none":
        return -n * math.log(3.0), 0.0
    decided = n - tied
    of_ties = tied * math.log(tied / n) if tied else 0.0
    return of_ties + (decided * math.log(decided / (2.0 * n)) if decided else 0.0), 1.0


def read_worths(
    fit: Fit, how: str, abilities: Mapping[str, FloatArray], group: str, item: str
) -> tuple[FloatArray, int]:
    """The abilities whose softmax prefmod prints, and the place of the item among them."""
    own, k = abilities[group], fit.items.index(item)
    if how == "names":
        read = np.array([is_name_in_r(i) for i in fit.items])
        return (own - own[-1]) * read[:, None], k
    if how == "groups":
        _, first, place = np.unique(own, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return own[np.sort(first)], int(rank[np.ravel(place)[k]])
    names, sizes, grid = grid_of(fit, abilities)
    if how == "one-column":
        return grid[0] + (grid[1:] - grid[0]).sum(axis=0), k
    columns = [fit.data.columns[n] for n in names]
    at = tuple(
        c.levels.index(str(fit.groups[group][n])) for c, n in zip(columns, names) if isinstance(c, Factor)
    )
    return without_last_effects(grid, sizes)[at], k


@dataclass(frozen=True)
class Setting:
    """Everything that a reading decides except the data.

    se_factor: of all standard errors, and of what is computed from them.  se_shown: of the printed ones alone.
    exchanged: pairs of quantities, each of which stands in the place of the other.
    """

    solver: Solver
    reference: str
    factor: float = 1.0
    offset: float = 0.0
    tie: str = ""
    order_factor: float = 1.0
    worth_factor: float = 1.0
    sided: int = 2
    t: bool = False
    deviance: str = ""
    aic: str = ""
    df: str = ""
    worths: str = ""
    se_factor: float = 1.0
    se_shown: float = 1.0
    exchanged: tuple[tuple[str, str], ...] = ()


#: llf and rank, float[B] each, of another claim that a likelihood ratio names, under the same reading.
Others = Callable[[str], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class Batch:
    """B fits, with everything else that their printed numbers need.  wins float[B, n_items]."""

    fitted: Fitted
    constants: Constants
    wins: FloatArray
    others: Others


@dataclass(eq=False)
class Values:
    """The numbers that a claim prints, as functions of a fit."""

    fit: Fit
    names: Sequence[str]
    _rows: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        unknown = [n for n in self.names if kind_of(n) not in _KINDS]
        if unknown:
            raise InputError(f"{', '.join(unknown)}: the search cannot vary this quantity")
        self._places = {name: k for k, name in enumerate(self.fit.names)}
        at = self.fit.layout
        blocks = [at.block == b for b in range(len(at.blocks))]
        self._blocks = [at.place[own][np.argsort(at.item[own])] for own in blocks]
        self._units = units(self.fit)
        self._functions = {name: self._function(name) for name in self.names if kind_of(name) in _LINEAR}
        self._shifts: dict[str, FloatArray] = {}
        self._abilities = {g: self.fit.ability_functions(at) for g, at in self.fit.groups.items()}

    # -- linear functions ------------------------------------------------------------------------------------

    def _function(self, name: str) -> FloatArray:
        q = Quantity.parse(name)
        row = np.zeros(len(self.fit.terms))
        if q.kind in OF_PARAMETER:
            row[self._places[q.name]] = 1.0
            return row
        group, a, b = self._about(name, 2)
        abilities = self.fit.ability_functions(self.fit.groups[group])
        return np.asarray(abilities[self.fit.items.index(a)] - abilities[self.fit.items.index(b)])

    def _about(self, name: str, n_items: int) -> tuple[str, ...]:
        """The group and the items of a quantity; names may contain dots."""
        rest = Quantity.parse(name).place
        candidates = product(self.fit.groups, *[self.fit.items] * n_items)
        return next(parts for parts in candidates if rest == ".".join(parts))

    def shift(self, reference: str) -> FloatArray:
        """float[K, K]: the matrix that changes to this reference within each block of item terms."""
        if reference not in self._shifts:
            out, items = np.eye(len(self.fit.terms)), self.fit.items
            if not self.fit.spec.item_terms:
                one = np.array([item == reference for item in items]) * 1.0
                weights = np.full(len(items), 1.0 / len(items)) if reference == "sum" else one
                for block in self._blocks:
                    out[np.ix_(block, block)] -= weights[None, :]
            self._shifts[reference] = out
        return self._shifts[reference]

    def compute(self, batch: Batch, setting: Setting) -> FloatArray:
        """float[B, n_numbers]; nan where a number has no value."""
        values = _Computed(self, batch, setting).all()
        for a, b in setting.exchanged:
            if a in self.names and b in self.names:
                at = [self.names.index(a), self.names.index(b)]
                values[:, at] = values[:, at[::-1]]
        return values


_CONTRASTS = ("contrast", "contrast_se", "contrast_z", "contrast_p", "odds", "p_first", "p_tie", "p_second")
_LINEAR = (*(kind for kind in OF_PARAMETER if kind != "df"), *_CONTRASTS)
_TABLE = tuple(
    "deviance df_resid null_deviance df_null llf aic bic aic_glm llf_poisson n_comparisons n_items gof_p".split()
)
_KINDS = (*_LINEAR, *_TABLE, "worth", "worth_se", "wins", "lr", "lr_df", "lr_p")


class _Computed:
    """The numbers of one batch under one setting; each kind is computed once."""

    def __init__(self, values: Values, batch: Batch, setting: Setting) -> None:
        self.v, self.batch, self.s = values, batch, setting
        self.n = len(batch.fitted.llf)
        self._failed = np.isnan(batch.fitted.rank)

    def all(self) -> FloatArray:
        linear = self._linear()
        columns = []
        for name in self.v.names:
            kind = kind_of(name)
            if kind in _LINEAR:
                column = linear[name]
            elif kind in _TABLE:
                column = self.of_table(kind)
            elif kind in ("worth", "worth_se"):
                column = self._worth(name)
            elif kind == "wins":
                column = self.batch.wins[:, self.v.fit.items.index(Quantity.parse(name).place)]
            else:
                column = self._likelihood_ratio(kind, Quantity.parse(name).place)
            of_data = kind in ("wins", "n_items", "n_comparisons")
            columns.append(column if of_data else np.where(self._failed, np.nan, column))
        return np.stack(columns, axis=1)

    # -- parameters and contrasts ----------------------------------------------------------------------------

    def _linear(self) -> dict[str, FloatArray]:
        names = list(self.v._functions)
        if not names:
            return {}
        f, terms = self.batch.fitted, self.v.fit.terms
        of_kind = {"item": self.s.factor, "covariate": self.s.factor, "order": self.s.order_factor}
        factor = self.v._units * np.array([of_kind.get(t.kind, 1.0) for t in terms])
        rows = (np.stack([self.v._functions[n] for n in names]) * factor) @ self.v.shift(self.s.reference)
        with np.errstate(invalid="ignore", over="ignore"):  # the estimates of an algorithm that diverged
            value = f.beta @ rows.T
        variance = ((rows @ f.cov) * rows).sum(axis=2)
        none = f.bad @ (np.abs(rows) > 1e-12).T if f.bad.any() else np.zeros(value.shape, bool)
        value, se = np.where(none, np.nan, value), np.sqrt(np.where(none | (variance <= 0), np.nan, variance))
        se = se * self.s.se_factor
        return {name: self._of(name, value[:, k], se[:, k]) for k, name in enumerate(names)}

    def _of(self, name: str, value: FloatArray, se: FloatArray) -> FloatArray:
        kind = kind_of(name).replace("contrast_", "")
        place = self.v._places[Quantity.parse(name).place] if kind_of(name) in OF_PARAMETER else None
        of = "" if place is None else self.v.fit.terms[place].kind
        z = value / se
        if kind == "se":
            return se * self.s.se_shown
        if kind in ("z", "chi2"):
            return z if kind == "z" else z**2
        if kind == "p":
            return self._p(z) / (2 if self.s.sided == 1 else 1)
        if kind in ("odds", "p_first", "p_tie", "p_second"):
            return self._outcome(kind, value)
        shown = value
        if of == "item":
            shown = value + self.s.offset
        if of == "tie":
            shown = {"": value, "nu": np.exp(value), "tie.max": value - math.log(2.0)}[self.s.tie]
        end = kind.removeprefix("exp_")
        if end in ("low", "high"):
            shown = shown + (1 if end == "high" else -1) * normal_quantile(0.975) * se
        if kind not in OF_EXP:
            return shown
        exp: FloatArray = np.exp(np.minimum(shown, 300.0))
        return exp * se * self.s.se_shown if kind == "exp_se" else exp

    def _p(self, z: FloatArray) -> FloatArray:
        if not self.s.t:
            return two_sided_p(z)
        from scipy.special import stdtr

        df = self.of_table("df_resid")
        with np.errstate(invalid="ignore"):
            return np.asarray(2.0 * stdtr(np.where(df > 0, df, np.nan), -np.abs(z)))

    def _outcome(self, kind: str, contrast: FloatArray) -> FloatArray:
        # Back to log-odds from the fit's scale and the setting's factor, which concern the printed number
        # only.
        u = contrast * LOG_WORTH_PER_UNIT[self.v.fit.scale] / self.s.factor * self.s.worth_factor
        if kind == "odds":
            return np.asarray(np.exp(u))
        ties = [k for k, t in enumerate(self.v.fit.terms) if t.kind == "tie" and not t.by]
        g = self.batch.fitted.beta[:, ties[0]] if ties else np.zeros(self.n)
        if not ties and self.s.solver.ties in ("davidson", "rao-kupper"):
            return np.full(self.n, np.nan)  # the claim's own model has no tie parameter
        model = TREATMENTS[self.s.solver.ties][0]
        p = outcome_probabilities(u, g, model if self.v.fit.data.tie_category else "binary")
        return p[:, {"p_first": 0, "p_tie": 1, "p_second": 2}[kind]]

    def _worth(self, name: str) -> FloatArray:
        group, item = self.v._about(name, 1)
        f = self.batch.fitted
        rows, k = self.v._abilities[group], self.v.fit.items.index(item)
        if self.s.worths:
            rows, k = read_worths(self.v.fit, self.s.worths, self.v._abilities, group, item)
        rows = rows * self.v._units
        rows = (rows - rows[-1]) * LOG_WORTH_PER_UNIT[self.v.fit.scale] * self.s.worth_factor
        log_worth = f.beta @ rows.T
        w = softmax(log_worth)
        none = (f.bad[:, None, :] & (np.abs(rows) > 1e-12)[None]).any(axis=(1, 2))
        if kind_of(name) == "worth":
            return np.where(none, np.nan, w[:, k])
        if self.s.worths:  # prefmod gives worths no standard errors
            return np.full(self.n, np.nan)
        gradient = w[:, [k]] * ((np.arange(w.shape[1]) == k) - w)  # of w_k by the log worths
        along = gradient @ rows
        return np.where(none, np.nan, np.sqrt(np.einsum("bk,bkl,bl->b", along, f.cov, along)))

    # -- the table -------------------------------------------------------------------------------------------

    def of_table(self, kind: str) -> FloatArray:
        f, c, s = self.batch.fitted, self.batch.constants, self.s
        binary = TREATMENTS[s.solver.ties][0] == "binary" or not self.v.fit.data.tie_category
        outcomes = 1.0 if binary else 2.0
        if kind in ("df_resid", "df_null"):
            cells = c.cells + (c.empty if s.df == "all-cells" else 0.0)
            counts = cells * (outcomes + (s.df == "all-counts"))
            extra = {"+1": 1.0, "-1": -1.0}.get(s.df, 0.0)
            return counts - (f.rank if kind == "df_resid" else c.null_rank) + extra
        if kind in ("deviance", "null_deviance"):
            llf = f.llf if kind == "deviance" else c.null
            return -2.0 * llf if s.deviance else 2.0 * (c.saturated - llf)
        plain = {
            "llf": f.llf,
            "llf_poisson": f.llf + c.poisson,
            "n_comparisons": c.total,
            "n_items": np.full(self.n, float(len(self.v.fit.items))),
            "bic": -2.0 * f.llf + f.rank * np.log(c.total),
        }
        if kind in plain:
            return plain[kind]
        if kind == "gof_p":
            return _chi_square(self.of_table("deviance"), self.of_table("df_resid"))
        return self._aic(kind, binary)

    def _aic(self, kind: str, binary: bool) -> FloatArray:
        f, c, s = self.batch.fitted, self.batch.constants, self.s
        own: FloatArray = -2.0 * f.llf + 2.0 * f.rank
        if self.v.fit.spec.of_family.glm_of_wins == "binomial" and binary:
            glm = own - 2.0 * c.binomial
        else:
            glm = own - 2.0 * c.poisson + 2.0 * c.cells
        if s.df == "all-cells":
            glm = glm + 2.0 * c.empty
        plain, other = (glm, own) if kind == "aic_glm" else (own, glm)
        found: dict[str, FloatArray] = {
            "": plain,
            "other": other,
            "deviance": 2.0 * (c.saturated - f.llf) + 2.0 * f.rank,
            "k+1": plain + 2.0,
            "per-n": plain / c.total,
        }
        return found[self.s.aic]

    def _likelihood_ratio(self, kind: str, claim: str) -> FloatArray:
        llf, rank = self.batch.others(claim)
        statistic: FloatArray = 2.0 * np.abs(self.batch.fitted.llf - llf)
        df: FloatArray = np.abs(self.batch.fitted.rank - rank)
        if kind == "lr_p":
            return _chi_square(statistic, df)
        return statistic if kind == "lr" else df


def _chi_square(statistic: FloatArray, df: FloatArray) -> FloatArray:
    from scipy.special import gammaincc

    with np.errstate(invalid="ignore"):
        df = np.where(df > 0, df, np.nan)
        return np.asarray(gammaincc(df / 2.0, np.maximum(statistic, 0.0) / 2.0))


def wins_of(fit: Fit, counts: FloatArray, pairs: IntArray) -> FloatArray:
    """float[B, n_items] first preferences, of counts float[B, n_cells, 3] on pairs int[n_cells, 2]."""
    n = len(fit.items)
    first, second = np.eye(n)[pairs[:, 0]], np.eye(n)[pairs[:, 1]]
    return np.asarray(counts[..., 0] @ first + counts[..., 2] @ second)


def own_setting(fit: Fit, sided: int) -> Setting:
    """The setting of a claim without any slip."""
    cells: Mapping[tuple[str, ...], str] = {(): "model", ("row",): "row", ("judge",): "judge"}
    varies = any(t.kind in ("tie", "order") and t.by for t in fit.terms)
    for beyond, what in (
        (fit.spec.cells not in cells, f'cells = {list(fit.spec.cells)} other than "judge" and "row"'),
        (fit.spec.comparison_terms, "comparison_terms, covariates of the comparison"),
        (
            fit.spec.stated,
            f"a formula, a link, an offset, weights, random effects, reduced bias or general ties ({fit.title});"
            " state other readings of the page in the claims file, with their models",
        ),
        (varies, "a tie parameter or an order effect that varies with covariates"),
    ):
        if beyond:
            raise InputError(f"the search cannot handle models with {what}")
    return Setting(Solver(fit.spec.ties, cells=cells[fit.spec.cells]), fit.spec.reference, sided=sided)


def glm_values(fit: Fit) -> dict[str, float]:
    """estimate.X, se.X, z.X, p.X and deviance as R's `glm` prints them, for Bradley-Terry without ties."""
    beyond = any(t.by or t.of or t.kind == "covariate" for t in fit.terms)
    if fit.outcome_model != "binary" or fit.scale != "log-odds" or beyond:
        raise InputError(
            f"{fit.title}: glm's steps are implemented only for Bradley-Terry models of items and an order effect"
        )
    setting, model = own_setting(fit, 2), Model(fit)
    setting = replace(setting, solver=replace(setting.solver, stop="glm"))
    free = [fit.terms[k].name for k in model.solved_for]
    names = ["deviance", *(f"{kind}.{name}" for name in free for kind in ("estimate", "se", "z", "p"))]
    fitted = model.fitted([model.rows], model.tallies([model.rows]), setting.solver)
    no_wins, nothing = np.zeros((1, len(fit.items))), np.array([np.nan])
    of_table = constants(model, [model.rows], setting.solver)
    batch = Batch(fitted, of_table, no_wins, lambda _: (nothing, nothing))
    return dict(zip(names, Values(fit, names).compute(batch, setting)[0].tolist()))
