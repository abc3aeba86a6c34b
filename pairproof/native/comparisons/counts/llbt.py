"""Log-linear Bradley-Terry models, fitted by maximum likelihood in four steps: build, solve, name, tabulate.

For a pair (j, k) of items in covariate cell s the counts have expectations (Dras 2015, equations 1 and 2; R's
prefmod)::

    log m(j preferred) = mu_jk,s + lambda_js - lambda_ks          (+ delta/2 if j is named first)
    log m(undecided)   = mu_jk,s + gamma
    log m(k preferred) = mu_jk,s - lambda_js + lambda_ks          (- delta/2)

    lambda_js = lambda_j + sum over terms t of the formula `by` of z_st lambda_jt,   lambda_reference = 0

The mu are nuisance parameters, which are profiled out.  log worth = 2 lambda; gamma is reported as `tie`,
delta as `order`.  Bradley-Terry models in log-odds have the same likelihood, with b = 2 lambda.  An ability
is a free parameter or a sum of item covariates, and may vary with subject covariates; covariates of the
comparison add to the log-odds of the item named first as delta does.  Ties follow the model of Davidson
(1970) or of Rao and Kupper (1967), count as half wins, or are dropped.

The table of deviance and degrees of freedom has a row for every pair of items and combination of the model's
own covariates, or, with `cells`, of further columns; the null model has all items equal and keeps the tie
parameters.  Deviance, D = 2 sum (y log(y/m) - y + m), is computed without cancellation: each term is >= 0,
and near y = m it comes from the series in (y - m)/m, so that a small deviance of large counts keeps its
digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from ....data.comparisons import Comparisons
from ....data.options import hints_for_r
from ....errors import InputError, RankingWarning, warn_the_caller
from ....fit.estimates.fit_record import CellTable, Stopping, WhenAsked
from ....fit.estimates.specification import FAMILIES, FamilyName, ModelSpec, Ties
from ....fit.fit import Fit
from ....numerics.arrays import FloatArray, IntArray
from ..formula import subject_design as design
from ..formula.subject_formula import Formula
from .build import Model, build, check_table
from .cells import Cells, count_cells
from .named import is_quasi, name, ranking_warning, warnings_of
from .solve import Solved, solve

#: Below this relative difference the series is used; the terms left out are below 0.02**10.
_NEAR, _TERMS = 0.02, 11
#: In tables of more cells than this, 2 (saturated - fitted) log-likelihood stands in for the sum of positive
#: terms while it is no smaller than this share of the terms it is made of: rounding of 1e-16 of them then
#: leaves 13 digits.
_MANY, _SHARE = 1000, 5e-3

_BLOCK = 16384


def saturated(observed: FloatArray, totals: FloatArray) -> tuple[float, float]:
    """Log-likelihood of counts, float[n_cells, k], under their own shares in each cell, sum y log y - sum n log n, and
    sum n log n, on which its rounding depends.  totals float[n_cells]."""
    terms = _sum_y_log_y(totals)
    return _sum_y_log_y(observed) - terms, terms


def _sum_y_log_y(y: FloatArray) -> float:
    flat, total = np.ravel(y, order="K"), 0.0
    for k in range(0, len(flat), _BLOCK):  # what fits into the processor's cache
        part = flat[k : k + _BLOCK]
        total += float(part.dot(np.log(np.maximum(part, 1e-300))))  # 0 log 0 is 0
    return total


def deviance(observed: FloatArray, fitted: FloatArray) -> float:
    """Poisson (= product multinomial, totals being equal) deviance.
    observed, fitted: same totals in each cell; fitted is 0 only where observed is."""
    y, m = np.ravel(observed), np.ravel(fitted)
    live = m > 0
    y, m = y[live], m[live]
    x = (y - m) / m
    near = np.abs(x) < _NEAR
    far_y, far_m = y[~near], m[~near]
    ratio = np.where(far_y > 0, far_y, far_m) / far_m
    far = np.vdot(far_y, np.log(ratio)) - np.sum(far_y - far_m)
    return 2.0 * float(far + (np.vdot(m[near], _gap(x[near])) if near.any() else 0.0))


def _gap(x: FloatArray) -> FloatArray:
    """(1 + x) log(1 + x) - x = sum over k >= 2 of (-x)**k / (k (k - 1)), for small x."""
    total = np.zeros_like(x)
    for k in range(_TERMS, 1, -1):
        total = total * -x + 1.0 / (k * (k - 1))
    return total * x * x


@dataclass(frozen=True, eq=False)
class Tabulated:
    """Deviances, degrees of freedom and cells; attributes as in :class:`pairproof.fit.estimates.fit_record.FitRecord`.

    deviance, null_deviance: numbers, or functions that work them out.
    """

    cell_table: Callable[[], CellTable]
    deviance: float | Callable[[], float]
    df_resid: int
    null_deviance: float | Callable[[], float]
    df_null: int


@dataclass(frozen=True, eq=False)
class _Table:
    """The cells of the deviance table, and the cells of the likelihood to which they belong.
    `of` int[n_cells]: pattern of the model each cell belongs to."""

    cells: Cells
    of: IntArray
    coarse: Cells
    n_items: int

    def expected(self, probabilities: FloatArray) -> FloatArray:
        """float[n_cells, 3]: expected counts, from probabilities of the coarse cells or float[3] for all."""
        if probabilities.ndim == 2 and self.cells is not self.coarse:
            probabilities = probabilities[self._match()]
        return self.cells.totals[:, None] * probabilities

    def _match(self) -> IntArray:
        """For each cell the coarse cell of the same pattern, pair and sign."""

        n = int(self.coarse.pattern.max(initial=0)) + 1
        known = self.coarse.key(self.n_items, n)
        by_key = np.argsort(known)
        return by_key[np.searchsorted(known[by_key], self.cells.key(self.n_items, n, self.of))]


def tabulate(model: Model, found: Solved) -> Tabulated:
    """Deviance, degrees of freedom and the table of cells."""
    table = _table(model)
    cells, outcomes = table.cells, 3 if model.table.tie_category else 2
    counts = cells.counts if outcomes == 3 else cells.counts[:, ::2]
    full = cache(lambda: saturated(counts, cells.totals))

    def deviance_of(llf: float, probabilities: Callable[[], FloatArray]) -> float:
        if len(cells) > _MANY:
            of_cells, terms = full()
            close = 2.0 * (of_cells - llf)
            if close > _SHARE * terms:
                return close
        return deviance(cells.counts, table.expected(probabilities()))

    null, n_free = _null_model(model), len(cells) * (outcomes - 1)
    return Tabulated(
        WhenAsked(lambda: _cell_table(model, table, found)),
        lambda: deviance_of(found.llf, found.fitted),
        n_free - found.rank - int(model.tie_is_infinite),
        lambda: deviance_of(null.llf, null.probabilities),
        n_free - null.rank,
    )


def _table(model: Model) -> _Table:
    coarse, own = model.problem.cells, model.patterns.of_row
    n_items = len(model.table.items)
    if not model.spec.cells:
        return _Table(coarse, coarse.pattern, coarse, n_items)
    if model.spec.cells == ("row",):
        finer, n, of = np.arange(model.table.n_rows), model.table.n_rows, own
    else:
        extra = design.find_patterns(Formula(), model.table, model.spec.cells)
        distinct, finer = np.unique(own * extra.n + extra.of_row, return_inverse=True)
        n, of = len(distinct), distinct // extra.n
    rows = model.directed
    cells = count_cells(model.table, np.ravel(finer), n, model.order, None if rows is None else rows.valued)
    return _Table(cells, of[cells.pattern], coarse, n_items)


def _cell_table(model: Model, table: _Table, found: Solved) -> CellTable:
    own, cells = design.pattern_labels(model.patterns), table.cells
    labels = [own[s] for s in table.of] if len(own) > 1 else list(own) * len(table.of)
    if model.spec.cells:
        labels = [f"{lb}#{k + 1}" for lb, k in zip(labels, cells.pattern)]
    if model.spec.order_effect:
        order = {1: "first named", -1: "second named", 0: "neutral"}
        labels = [",".join(filter(None, [lb, f"order={order[int(s)]}"])) for lb, s in zip(labels, cells.sign)]
    if model.directed is not None and cells.value is not None:
        of_rows = [model.directed.label(int(k)) for k in range(len(model.directed.values))]
        labels = [",".join(filter(None, [lb, of_rows[int(k)]])) for lb, k in zip(labels, cells.value)]
    return CellTable(cells.i, cells.j, tuple(labels), cells.counts, table.expected(found.fitted()))


@dataclass(frozen=True, eq=False)
class _Null:
    """The model in which all items are equal and nothing else favours one of them, tie parameters kept.
    probabilities function of no argument to float[n_cells, 3] or float[3]: of the outcomes, cell by cell or
    the same for all."""

    llf: float
    rank: int
    probabilities: Callable[[], FloatArray]


def _null_model(model: Model) -> _Null:
    problem = model.problem
    y = problem.cells.counts.sum(axis=0)
    n = float(y.sum())
    if problem.model == "binary":
        return _Null(-n * math.log(2.0), int(model.tie_is_infinite), lambda: np.array([0.5, 0.0, 0.5]))
    r = problem.tie.shape[1]
    if r == 0:
        return _Null(-n * math.log(3.0), 0, lambda: np.full(3, 1.0 / 3.0))
    if r == 1:
        tied, decided = float(y[1]), n - float(y[1])
        llf = tied * math.log(tied / n) + (decided * math.log(decided / (2.0 * n)) if decided else 0.0)
        return _Null(llf, 1, lambda: np.array([decided / 2, tied, decided / 2]) / n)
    x, order = np.zeros((problem.n_items, 0)), np.zeros((len(problem.z), 0))
    equal = replace(problem, x=x, order=order, z=problem.z[:, :1], further=None)
    found = solve(equal)
    return _Null(found.llf, found.rank, found.fitted)


RULE = "squared Newton decrement (step length in standard errors) <= 1e-14, or forecast <= 3e-27"


@lru_cache(maxsize=1)
def engine_name() -> str:
    """The engine and its version, as every result carries it."""
    try:
        return f"pairproof {version('pairproof')} native"
    except PackageNotFoundError:
        return "pairproof native"


def fit(data: Comparisons, spec: ModelSpec) -> Fit:
    """Fit by maximum likelihood."""
    fitted = fit_model(build(data, spec))
    for ranked in ranking_warning(data):
        warn_the_caller(str(ranked), RankingWarning)
    return fitted


def fit_model(model: Model) -> Fit:
    """Fit a model that is built: steps 2 to 4."""
    spec = model.spec
    found = solve(model.problem)
    named = name(model, found)
    table = tabulate(model, found)
    return Fit(
        spec=spec,
        data=model.data,
        terms=named.terms,
        **vars(named.numbers),
        **vars(table),
        outcome_model=model.outcome_model,
        scale=spec.scale,
        constraint=named.constraint,
        groups=named.groups,
        llf=found.llf,
        n_comparisons=float(model.problem.cells.counts.sum()),
        engine=engine_name(),
        stopping=Stopping(RULE, True, found.steps, found.decrement),
        warnings=warnings_of(model, found, named),
        n_infinite=named.n_infinite,
        quasi_likelihood=is_quasi(model.data, spec),
    )


@hints_for_r
def fit_llbt(
    table: Comparisons,
    *,
    ties: Ties | None = None,
    by: str = "",
    reference: str | None = None,
    order_effect: bool = False,
    cells: str | Sequence[str] | None = None,
    item_terms: Sequence[str] = (),
    separate: Sequence[str] = (),
    comparison_terms: str | Sequence[str] = (),
) -> Fit:
    """Fit a log-linear Bradley-Terry model (LLBT) by maximum likelihood.

    Parameters
    ----------
    table : Comparisons
    ties : {"davidson", "rao-kupper", "half", "drop", "none"}, optional
        How ties are treated.  Default: "davidson" if the table has a tie category, else "none".  "none"
        keeps the tie category and holds its parameter at 0 (prefmod without `undec`).
    by : str
        Formula of the subject covariates with which the abilities vary, such as "judge", "judge + C(age)" or
        "a*b"; "tie:judge" and "order:judge" let the tie and order parameters vary.  A product with an item
        or an item covariate is of that one alone: "Paris:WOR" lets only Paris's ability vary with WOR,
        "LAT:ENG" only the effect of LAT with ENG.  `item(Paris)`, `item_term(LAT)` and `column(ENG)` say what
        a name is that could be more than one of these.
    reference : str, optional
        The item whose lambda is 0, or "sum": the lambdas sum to 0.  Default: the last item, as in prefmod.
    order_effect : bool
        Whether to estimate `order`, the log-odds in favour of the item named first.  Rows with 0 in a column
        `order` have no such effect (neutral ground).
    cells : str or sequence of str, optional
        Columns that divide the table for deviance and df further than the model's own covariates do; "row":
        each row is a cell.
    item_terms : sequence of str
        Item covariates whose sum is the ability, in place of free item parameters.
    separate : sequence of str
        Items that have an ability parameter of their own although `item_terms` are given, as in
        BradleyTerry2's `separate.ability`; it varies with `by`.  Items without a value of one of
        `item_terms` always have their own parameter, and a warning names them.
    comparison_terms : str or sequence of str
        Covariates of the comparison itself, each a formula of the table's columns: "length_difference",
        "C(position)", "length_difference*judge".  A parameter is the log-odds in favour of the item named
        first for one unit of its column, so that a numeric column belongs to the item named first, and has
        the other sign in a row whose items are exchanged.  There is no order effect beside them
        unless `order_effect` is set; without it a factor has a parameter for each of its levels.

    Returns
    -------
    Fit
        Its `params` are lambdas, each half a log-odds.

    Raises
    ------
    InputError, FormulaError, ItemError, AliasError
        The model cannot be fitted to this table; the message says why and what to do.
    ConvergenceError
        The solver did not meet its convergence criterion.

    References
    ----------
    Dras (2015), equations 1 and 2.  Dittrich, Hatzinger and Katzenbeisser (1998), Applied Statistics 47,
    511-525.  Davidson (1970), JASA 65, 317-328.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build(
    ...     ["A", "B", "C"], first=[0, 0, 1], second=[1, 2, 2], wins=[6, 8, 5], ties=[2, 1, 3], losses=[4, 3, 4]
    ... )
    >>> fit = pairproof.fit_llbt(table)
    >>> fit.params.round(3).to_dict()
    {'A': 0.454, 'B': 0.174, 'C': 0.0, 'tie': -0.866}
    """
    check_table(table, by)
    return fit(
        table,
        make_spec(
            "llbt", table, ties, by, reference, order_effect, cells, item_terms, separate, comparison_terms
        ),
    )


def make_spec(
    family: FamilyName,
    table: Comparisons,
    ties: Ties | None,
    by: str,
    reference: str | None,
    order_effect: bool,
    cells: str | Sequence[str] | None,
    item_terms: Sequence[str],
    separate: Sequence[str],
    comparison_terms: str | Sequence[str] = (),
) -> ModelSpec:
    """The specification of a model, with defaults filled in."""
    if reference is not None and item_terms:
        raise InputError(
            f"reference={reference!r} beside item_terms={list(item_terms)}: abilities come from the item"
            " covariates, so no item's is 0; leave the reference out"
        )
    chosen: Ties = ties if ties is not None else ("davidson" if table.tie_category else "none")
    usual = FAMILIES[family].usual_reference(table.items)
    return ModelSpec(
        family=family,
        ties=chosen,
        by=by,
        # An item of a column of whole numbers may be named by one.
        reference="" if item_terms else usual if reference in (None, "") else str(reference),
        order_effect=order_effect,
        cells=(cells,) if isinstance(cells, str) else tuple(cells or ()),
        item_terms=tuple(item_terms),
        separate=tuple(separate),
        comparison_terms=(comparison_terms,)
        if isinstance(comparison_terms, str)
        else tuple(comparison_terms),
    )
