"""What both fitters do: from a table and a specification to a `Fit`.

The likelihood is conditional on each comparison (product multinomial), so that the nuisance constants of the
log-linear form, one a pair and covariate cell, never appear: the estimates are the same (Dittrich, Hatzinger
and Katzenbeisser 1998) and a million of them cost nothing.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...errors import AliasError, FormulaError, InputError, ItemError, RankingWarning
from ...fit.cell_table import CellTable, WhenAsked
from ...fit.covariance import Covariance, ScaledCovariance
from ...fit.fit import Fit, Stopping
from ...fit.outcomes import OutcomeModel
from ...fit.spec import LOG_WORTH_PER_UNIT, ModelSpec, Term, by_suffix
from . import design, solve
from .cells import Cells, count_cells, sums
from .deviance import Saturated, deviance, saturated
from .estimability import estimability_warnings, ranking_warning, some
from .formula import Formula, parse
from .item_terms import item_columns, missing_covariates
from .problem import Problem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
By = design.By

RULE = "squared Newton decrement (step length in standard errors) <= 1e-14, or forecast <= 3e-27"


@lru_cache(maxsize=1)
def engine_name() -> str:
    """The engine and its version, as every result carries it."""
    try:
        return f"pairproof {version('pairproof')} native"
    except PackageNotFoundError:
        return "pairproof native"


@dataclass(frozen=True, eq=False)
class _Model:
    """A problem with the names of its parts."""

    problem: Problem
    patterns: design.Patterns
    item_by: tuple[By, ...]
    order_by: tuple[By, ...]
    tie_by: tuple[By, ...]
    x_terms: tuple[tuple[str, str | None, str | None], ...]  # name, covariate, level
    table: Comparisons  # as it enters the likelihood
    tie_fixed: str  # "" or why the tie parameter has no number


def fit(data: Comparisons, spec: ModelSpec) -> Fit:
    """Fit by maximum likelihood.

    Raises
    ------
    InputError and its kin
        The specification does not fit the table.
    ConvergenceError
        See :func:`pairproof.native.pairs.solve.solve`.
    """
    model = _build(data, spec)
    found = solve.solve(model.problem)
    terms, beta, units, is_reference = _name(model, spec, found.params)
    cells = model.problem.cells
    finer, of = _finer_cells(data, model, spec) if spec.cells else (cells, cells.pattern)

    def fitted() -> FloatArray:
        p = found.fitted()
        return finer.totals[:, None] * (p[_match(finer, of, cells, len(data.items))] if spec.cells else p)

    full = saturated(finer.counts if model.table.tie_category else finer.counts[:, ::2], finer.totals)
    categories = 3 if model.table.tie_category else 2
    null = _null_model(model)
    df_cells = len(finer) * (categories - 1)
    rank = found.rank + (1 if model.tie_fixed == "none observed" else 0)
    null_space = found.null_space * units[: len(found.null_space), None]
    scaled: Covariance = ScaledCovariance(found.covariance, units[: len(found.params)])
    extra = len(terms) - len(found.params)
    if extra:  # a tie parameter that is not in the problem: infinite, or at its boundary
        infinite = model.tie_fixed == "none observed"
        null_space = np.pad(null_space, ((0, extra), (0, 1 if infinite else 0)))
        if infinite:
            null_space[-1, -1] = 1.0
        scaled = _Padded(scaled, len(found.params))
    close = full.deviance(found.llf)
    result = Fit(
        spec=spec,
        data=data,
        terms=terms,
        beta=beta,
        is_reference=is_reference,
        covariance=scaled,
        null_space=null_space,
        outcome_model=_outcome_model(spec, model.table),
        scale=spec.scale,
        constraint=_constraint(spec),
        groups=design.group_labels(
            model.patterns, lambda: sums(cells.pattern, cells.totals, model.patterns.n)
        ),
        cell_table=WhenAsked(lambda: _cell_table(model, spec, finer, of, fitted())),
        llf=found.llf,
        deviance=deviance(finer.counts, fitted()) if close is None else close,
        df_resid=df_cells - rank,
        null_deviance=_null_deviance(null, full, finer, of, cells, len(data.items)),
        df_null=df_cells - null.rank,
        n_comparisons=float(cells.counts.sum()),
        engine=engine_name(),
        stopping=Stopping(RULE, True, found.steps, found.decrement),
        n_infinite=_n_infinite(model.problem, found) + int(model.tie_fixed == "none observed"),
        quasi_likelihood=spec.ties == "half" and bool(data.ties.any()),
    )
    if spec.reference == "sum" and not spec.item_terms:
        result = result.with_reference("sum")
    ranked = ranking_warning(data)
    if ranked:  # level 3: the caller of fit_llbt or fit_bradley_terry
        warnings.warn(ranked, RankingWarning, stacklevel=3)
    reasons = (
        *((ranked,) if ranked else ()),
        *model.patterns.warnings,
        *_table_warnings(data, spec, model),
        *estimability_warnings(
            result,
            found.separated,
            model.tie_fixed,
            cells,
            design.pattern_labels(model.patterns) if result.not_estimable else (),
        ),
    )
    return replace(result, warnings=reasons) if reasons else result


def _n_infinite(problem: Problem, found: solve.Solved) -> int:
    """Directions without a number that the model on these data does see: its rank less what is estimable."""
    references = problem.n_terms if problem.x is None else 0
    return found.rank - (problem.n_params - references - found.null_space.shape[1])


def _outcome_model(spec: ModelSpec, table: Comparisons) -> OutcomeModel:
    if not table.tie_category:
        return "binary"
    return "rao-kupper" if spec.ties == "rao-kupper" else "davidson"


def _treat_ties(data: Comparisons, spec: ModelSpec) -> Comparisons:
    if spec.ties == "drop":
        return data.without_ties()
    if spec.ties == "half":
        return data.ties_as_half_wins()
    if spec.ties in ("davidson", "rao-kupper") and not data.tie_category:
        raise InputError(
            f"ties={spec.ties!r}, but {data.source} has no tie category: nobody could answer 'no preference';"
            " use ties='none', or say that there was a tie category when reading the table"
        )
    return data


def _build(data: Comparisons, spec: ModelSpec) -> _Model:
    table = _treat_ties(data, spec)
    if not (table.wins.any() or table.losses.any() or table.ties.any()):
        raise InputError(
            f"{data.source}: no comparisons are left once ties are dropped ({data.ties.sum():g} ties); use"
            " ties='davidson'"
        )
    formula = parse(spec.by)
    if formula.order and not spec.order_effect:
        raise FormulaError(f"by={spec.by!r} lets the order effect vary, but order_effect is not asked for")
    if formula.tie and spec.ties not in ("davidson", "rao-kupper"):
        raise FormulaError(f"by={spec.by!r} lets the tie parameter vary, but ties={spec.ties!r} has none")
    patterns = design.find_patterns(formula, table)
    order_values = _order_column(data) if spec.order_effect else None
    cells = count_cells(table, patterns.of_row, patterns.n, order_values)
    item_by, z = design.matrix(formula.item, patterns, "the items")
    order_by, order = (
        design.matrix(formula.order, patterns, "the order effect")
        if spec.order_effect
        else ((), np.zeros((patterns.n, 0)))
    )
    has_tie = spec.ties in ("davidson", "rao-kupper")
    tie_by, tie = (
        design.matrix(formula.tie, patterns, "the tie parameter")
        if has_tie
        else ((), np.zeros((patterns.n, 0)))
    )
    outcome: OutcomeModel = _outcome_model(spec, table)
    tie_fixed = ""
    if has_tie and not cells.counts[:, 1].any():
        if len(tie_by) > 1:
            raise InputError(
                f"by={spec.by!r} lets the tie parameter vary, but there are no ties at all in {data.source};"
                " leave tie:... out"
            )
        tie_fixed = "none observed" if spec.ties == "davidson" else "boundary"
        outcome, tie, tie_by = "binary", np.zeros((patterns.n, 0)), ()
    x, x_terms = item_columns(data, spec)
    if spec.order_effect and not (cells.sign != 0).any():
        raise InputError(
            "order_effect: every row has order 0 (neutral ground), so there is no order effect to estimate"
        )
    problem = Problem(cells, len(data.items), z, order, tie, x, _reference(data, spec), outcome)
    return _Model(problem, patterns, item_by, order_by, tie_by, x_terms, table, tie_fixed)


def _reference(data: Comparisons, spec: ModelSpec) -> int:
    if spec.item_terms or spec.reference == "sum":
        return len(data.items) - 1
    if spec.reference not in data.items:
        raise ItemError(
            f"reference {spec.reference!r} is not an item; the items are {', '.join(data.items)}, or 'sum'"
        )
    return data.items.index(spec.reference)


def _constraint(spec: ModelSpec) -> str:
    if spec.item_terms:
        return "abilities from item covariates"
    return "items sum to zero within each term" if spec.reference == "sum" else f"reference {spec.reference}"


def _order_column(data: Comparisons) -> FloatArray:
    column = data.columns.get("order")
    if column is None:
        return np.ones(data.n_rows)
    values = (
        np.array([float(v) for v in column.levels])[column.codes] if isinstance(column, Factor) else column
    )
    bad = ~np.isin(values, (0.0, 1.0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"{data.source}, row {row + 1}: order is {values[row]}; expected 1 (the one named first has its "
            "advantage) or 0 (neutral ground)"
        )
    return values


def _name(
    model: _Model, spec: ModelSpec, params: FloatArray
) -> tuple[tuple[Term, ...], FloatArray, FloatArray, NDArray[np.bool_]]:
    """Terms, estimates on the fit's scale, units (log-odds to scale), references; in the order of the
    problem.
    """
    items = model.table.items if model.problem.x is None else ()
    terms, n_items = _terms(items, model.x_terms, model.item_by, model.order_by, model.tie_by)
    units = np.ones(len(terms))
    units[:n_items] = 1.0 / LOG_WORTH_PER_UNIT[spec.scale]
    beta = params * units
    reference = np.zeros(len(terms), bool)
    if items:
        reference[model.problem.reference : n_items : len(items)] = True
    if model.tie_fixed:
        terms = (*terms, Term("tie", "tie"))
        beta, units = np.append(beta, 0.0), np.append(units, 1.0)
        reference = np.append(reference, model.tie_fixed == "boundary")
    return terms, beta, units, reference


@lru_cache(maxsize=64)  # the names are the same for every fit of a bootstrap
def _terms(
    items: tuple[str, ...],
    x_terms: tuple[tuple[str, str | None, str | None], ...],
    item_by: tuple[By, ...],
    order_by: tuple[By, ...],
    tie_by: tuple[By, ...],
) -> tuple[tuple[Term, ...], int]:
    """All terms and how many of them are of items or item covariates."""
    terms: list[Term] = []
    for by in item_by:
        suffix = by_suffix(by)
        terms += [Term(item + suffix, "item", item=item, by=by) for item in items]
        for name, covariate, level in x_terms:
            own = covariate is None  # a separate item
            terms.append(
                Term(
                    name + suffix,
                    "covariate",
                    item=level if own else None,
                    covariate=covariate,
                    covariate_level=None if own else level,
                    by=by,
                )
            )
    n_items = len(terms)
    terms += [Term("order" + by_suffix(by), "order", by=by) for by in order_by]
    terms += [Term("tie" + by_suffix(by), "tie", by=by) for by in tie_by]
    return tuple(terms), n_items


@dataclass(frozen=True, eq=False)
class _Padded:
    """Covariance with further parameters that are fixed."""

    base: Covariance
    n: int

    def variances(self) -> FloatArray:
        return np.append(self.base.variances(), 0.0)

    def between(self, functions: FloatArray) -> FloatArray:
        return self.base.between(functions[:, : self.n])

    def product(self, function: FloatArray) -> FloatArray:
        column = self.base.product(function[: self.n])
        return np.append(column, np.zeros(len(function) - self.n))


def _finer_cells(data: Comparisons, model: _Model, spec: ModelSpec) -> tuple[Cells, IntArray]:
    """Cells of the table for deviance and df, and for each the pattern of the model."""
    order = _order_column(data) if spec.order_effect else None
    own = model.patterns.of_row
    if spec.cells == ("row",):
        finer, n = np.arange(data.n_rows), data.n_rows
        of = own
    else:
        extra = design.find_patterns(Formula(), model.table, spec.cells)
        pair = own * extra.n + extra.of_row
        distinct, finer = np.unique(pair, return_inverse=True)
        n, of = len(distinct), distinct // extra.n
    cells = count_cells(model.table, np.ravel(finer), n, order)
    return cells, of[cells.pattern]


def _match(fine: Cells, of: IntArray, coarse: Cells, n_items: int) -> IntArray:
    """For each fine cell the coarse cell of the same pattern, pair and sign."""

    def key(pattern: IntArray, c: Cells) -> IntArray:
        return ((pattern * n_items + c.i) * n_items + c.j) * 3 + c.sign + 1

    known = key(coarse.pattern, coarse)
    by_key = np.argsort(known)
    return by_key[np.searchsorted(known[by_key], key(of, fine))]


def _cell_table(model: _Model, spec: ModelSpec, table: Cells, of: IntArray, fitted: FloatArray) -> CellTable:
    own = design.pattern_labels(model.patterns)
    labels = [own[s] for s in of]
    if spec.cells:
        labels = [f"{lb}#{k + 1}" for lb, k in zip(labels, table.pattern)]
    if spec.order_effect:
        order = {1: "first named", -1: "second named", 0: "neutral"}
        labels = [",".join(filter(None, [lb, f"order={order[int(s)]}"])) for lb, s in zip(labels, table.sign)]
    return CellTable(table.i, table.j, tuple(labels), table.counts, fitted)


@dataclass(frozen=True, eq=False)
class _Null:
    """The model in which all items are equal and order has no effect, tie parameters kept.

    `p` gives its outcome probabilities, float[n_cells, 3] or the same for all cells, float[3].
    """

    llf: float
    rank: int
    p: Callable[[], FloatArray]


def _null_model(model: _Model) -> _Null:
    problem = model.problem
    y = problem.cells.counts.sum(axis=0)
    n = float(y.sum())
    if model.tie_fixed or problem.model == "binary":
        return _Null(
            -n * math.log(2.0), int(model.tie_fixed == "none observed"), lambda: np.array([0.5, 0.0, 0.5])
        )
    r = problem.tie.shape[1]
    if r == 0:
        return _Null(-n * math.log(3.0), 0, lambda: np.full(3, 1.0 / 3.0))
    if r == 1:
        tied, decided = float(y[1]), n - float(y[1])
        llf = tied * math.log(tied / n) + (decided * math.log(decided / (2.0 * n)) if decided else 0.0)
        return _Null(llf, 1, lambda: np.array([decided / 2, tied, decided / 2]) / n)
    equal = replace(
        problem, x=np.zeros((problem.n_items, 0)), order=np.zeros((len(problem.z), 0)), z=problem.z[:, :1]
    )
    found = solve.solve(equal)
    return _Null(found.llf, found.rank, found.fitted)


def _null_deviance(
    null: _Null, full: Saturated, finer: Cells, of: IntArray, cells: Cells, n_items: int
) -> float:
    close = full.deviance(null.llf)
    if close is not None:
        return close
    p = null.p()
    return deviance(
        finer.counts, finer.totals[:, None] * (p if p.ndim == 1 else p[_match(finer, of, cells, n_items)])
    )


def _table_warnings(data: Comparisons, spec: ModelSpec, model: _Model) -> tuple[str, ...]:
    out = []
    ties = float(data.ties.sum())
    if spec.ties == "drop" and ties:
        out.append(
            f"{ties:g} of {data.n_comparisons:g} comparisons are ties and were dropped, as asked"
            " (ties='drop')"
        )
    if spec.ties == "half" and ties:
        out.append(
            f"{ties:g} ties count as half a win each way, as asked (ties='half'): a quasi-likelihood, whose "
            "log-likelihood, AIC and deviance cannot be compared with those of other data"
        )
    lacking: dict[tuple[str, ...], list[str]] = {}
    for term, items in missing_covariates(data, spec).items():
        lacking.setdefault(items, []).append(term)
    out += [
        f"no value of {', '.join(terms)} for {some(items)}: an ability of"
        f" {'its' if len(items) == 1 else 'their'} own in place of all item covariates, as in BradleyTerry2"
        for items, terms in lacking.items()
    ]
    return tuple(out)
