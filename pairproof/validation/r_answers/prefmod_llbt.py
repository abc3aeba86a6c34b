"""prefmod's LLBT: its layout of a table, its fitter through gnm, llbtPC.fit, and llbt.fit, its own IRLS, which
only prints, on the design that llbt.design makes.

Both take responses, one row a judge, pair columns in prefmod's own order, so the counts are laid out as such
rows; for a model without dependence between comparisons the rows are judges only in form.  prefmod counts
response categories among the values that occur, and takes its last item as the reference.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...bridge.packages.prefmod.llbt import LLBTPCModel, llbt_design, llbt_fit, llbtPC_fit
from ...bridge.programs.counted_cells import CountedCells, with_covariates_as_factors
from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.wide import to_wide
from ...fit.estimates.predictions import sets_of_items
from ...fit.estimates.specification import Term
from ...fit.fit import Fit
from ..claims.quantities import Quantity, kind_of
from ..verdicts.agreement import RCounterpart
from ..verdicts.verdict import UNITS
from .ask import Question, answered, attempt, attempt_unless, column_of, reference_for_r, refused
from .translate import (
    MOST_WORTHS,
    RParameters,
    likelihood_values,
    named_worths,
    parameter_values,
    parameters_of,
    worth_values,
)

if TYPE_CHECKING:
    import pandas as pd


LLBTPC = "prefmod::llbtPC.fit"
#: R's own error with two items: the pair columns are then a vector, not a matrix.
TWO_ITEMS = "dim(X) must have a positive length"
#: llbt.design walks through judges x pairs in an interpreted loop: 10 s for this many.
MOST_RESPONSES = 300_000


@dataclass(frozen=True, eq=False)
class Layout:
    """A table in prefmod's layout: a fit's comparisons, and the names of the covariates in R."""

    table: Comparisons
    covariates: tuple[str, ...]
    r_names: dict[str, str]
    in_model: tuple[str, ...]

    def frame(self) -> pd.DataFrame:
        wide = to_wide(self.table, "prefmod", self.covariates).frame
        return wide.rename(columns=self.r_names)

    @property
    def n_blocks(self) -> int:
        """Pairs x combinations of covariates: prefmod's nuisance constants, empty ones included."""
        n = len(self.table.items)
        levels = [len(levels_of(self.table, c)) for c in self.covariates]
        return n * (n - 1) // 2 * int(np.prod(levels, dtype=np.int64))


def layout_of(question: Question, numbers: bool = False) -> Layout:
    """Every covariate as a factor; with `numbers` slopes are left as numbers."""
    fit, cells = question.fit, question.cells
    in_model = tuple(c.name for c in cells.covariates)
    names = (*in_model, *(c for c in fit.spec.cells if c not in in_model))
    factors = [n for n in names if not numbers or n not in in_model or cells.covariate(n).categorical]
    r_names = {c: f"S{chr(65 + k)}" for k, c in enumerate(names)}
    return Layout(with_covariates_as_factors(cells, factors), names, r_names, in_model)


def is_log_linear(fit: Fit) -> bool:
    """Free items, Davidson's ties or none, nothing about who was named first, tie parameter common to all."""
    spec = fit.spec
    further = bool(spec.item_terms or spec.order_effect or spec.comparison_terms) or spec.cells == ("row",)
    varies = any(t.by for t in fit.terms if t.kind != "item")
    return not (further or varies or "rao-kupper" in (fit.outcome_model, fit.ties))


def reads(cells: CountedCells) -> bool:
    """Whether prefmod reads the cells as what they are.

    It takes responses, so whole counts; and it counts categories among the values that occur, so that a tie
    category in which no tie occurs, or an outcome that nobody gave, makes the table another model to it.
    """
    return cells.whole and bool((cells.counts.sum(axis=0) > 0).all())


def too_many(question: Question) -> str:
    """Why it is not asked, though it has the model; "" if it is."""
    responses = float(question.cells.counts.sum())
    many = f"{responses:,.0f} responses are more than {MOST_RESPONSES:,} and would take it minutes"
    return f"not asked: {many}" if responses > MOST_RESPONSES else question.too_large


# -- llbtPC.fit ----------------------------------------------------------------------------------------------


def llbtpc_counterpart(question: Question) -> RCounterpart | None:
    """llbtPC.fit(obj, nitems, formel, elim, undec); None where it has no such model."""
    fit, cells = question.fit, question.cells
    if not is_log_linear(fit) or not reads(cells) or not all(c.categorical for c in cells.covariates):
        return None
    known = [TWO_ITEMS] if len(fit.items) == 2 else []
    return attempt_unless(too_many(question), LLBTPC, _ask_llbtpc, question, known)


def _ask_llbtpc(question: Question) -> RCounterpart:
    fit, layout = question.fit, layout_of(question)
    products = dict.fromkeys(":".join(layout.r_names[c] for c, _ in t.by) for t in fit.terms if t.by)
    formel = "~" + ("+".join(products) or "1")
    elim = "~" + ("*".join(layout.r_names[c] for c in layout.covariates) or "1")
    undecided = any(t.kind == "tie" for t in fit.terms)
    options: dict[str, Any] = {"undec": undecided, "backend": question.backend}
    model = llbtPC_fit(layout.frame(), len(fit.items), formel, elim, **options)
    named = [t for t in fit.terms if t.item != fit.items[-1]]
    names = {":".join([head(fit, t), *_parts(layout, t)]): t.name for t in named}
    p = parameters_of(model, names, "lambda", fit.items[-1], LLBTPC)
    values = parameter_values(fit, p)
    empty = layout.n_blocks - len(question.cells)
    numbers = model.df_residual, model.deviance, model.loglik
    own_values, said = poisson_values(fit, question.cells, empty, *numbers, len(p.names))
    values |= own_values
    worths, own = _own_worths(fit, layout, model)
    values = {**values, **worth_values(fit, p), **worths}
    asked = f"{len(fit.items)}, formel = {formel}, elim = {elim}, undec = {str(undecided).upper()}"
    told = [f"llbtPC.fit(obj, {asked})", names_in_r(layout), *translated(fit, fit.items[-1]), said, own]
    told.append("its gnm has no tolerance argument")
    return answered(LLBTPC, model.result, values, *told, flag=model.converged)


def names_in_r(layout: Layout) -> str:
    return ", ".join(f"{r} is {name}" for name, r in layout.r_names.items())


def head(fit: Fit, term: Term) -> str:
    return f"o{fit.items.index(term.item) + 1}" if term.item is not None else "U"


def _parts(layout: Layout, term: Term) -> list[str]:
    return [f"{layout.r_names[c]}{level_in_r(layout, c, level)}" for c, level in term.by]


def level_in_r(layout: Layout, covariate: str, level: str | None) -> int:
    """Number of a level from 1, as in the column R sees."""
    assert level is not None
    return levels_of(layout.table, covariate).index(level) + 1


def levels_of(table: Comparisons, covariate: str) -> tuple[str, ...]:
    """The levels of a covariate, which is a factor wherever prefmod can be asked."""
    column = table.columns[covariate]
    assert isinstance(column, Factor)
    return column.levels


def poisson_values(
    fit: Fit, cells: CountedCells, empty: int, df: float, deviance: float, loglik: float, n_estimable: int
) -> tuple[dict[str, float], str]:
    """Deviance, df and llf of R's Poisson model on our definition, where R has them, and what was done, in words."""
    # Directions along which the data say nothing (not those that grow without end): empty cells give them a
    # number in R.
    undetermined = fit.null_space.shape[1] - fit.n_infinite
    if empty and (undetermined or not cells.table.is_connected()):
        why = "so it gives numbers for what the data do not determine"
        what = "its df, deviance and log-likelihood are not compared"
        return {}, f"its {empty} empty cells connect items that no comparison connects, {why}; {what}"
    values = {"df_resid": df - empty * (cells.counts.shape[1] - 1)}
    if empty:
        return values, (
            f"{empty} empty cells are subtracted from its df ({df:g}), which counts them; it has positive fitted"
            " counts in them, so its deviance and log-likelihood are not compared"
        )
    values |= {"deviance": deviance} | likelihood_values(loglik - cells.poisson_constant, n_estimable)
    known = {q: v for q, v in values.items() if v == v}
    return known, "logLik(), Poisson, minus a constant of the cells gives llf"


def translated(fit: Fit, reference: str) -> list[str]:
    """What was moved from prefmod's scale and reference, in words."""
    said = ["U is tie"] if any(t.kind == "tie" for t in fit.terms) else []
    if fit.scale == "log-odds":
        said.append("log-odds = 2 lambda")
    if fit.spec.reference != reference:
        said.append(f"moved from its reference {reference} to {fit.constraint}")
    return said


def _own_worths(fit: Fit, layout: Layout, model: LLBTPCModel) -> tuple[dict[str, float], str]:
    """llbt.worth's table by our names, and a remark where it cannot be used."""
    if model.worth is None:
        return {}, f"llbt.worth stops ({model.worth_error}); worths are the softmax of its lambdas"
    if len(fit.groups) * len(fit.items) > MOST_WORTHS:
        return {}, f"more than {MOST_WORTHS:,} worths, which are functions of the estimates, are not compared"
    values: dict[str, float] = {}
    apart: list[str] = []
    for group, at in fit.groups.items():
        if sets_of_items(fit, at).n > 1:
            apart.append(group)
            continue
        own = [(layout.r_names[c], c, str(v)) for c, v in at.items() if c in layout.r_names]
        column = ":".join(f"{r_name}{level_in_r(layout, c, v)}" for r_name, c, v in own)
        # Without covariates its one column is "estimate".
        if column in model.groups or (not at and len(model.groups) == 1):
            values.update(named_worths(fit, group, model.worth[:, model.groups.index(column) if at else 0]))
    said = ["worths are llbt.worth's"] if values else []
    if apart:
        said.append(
            f"worths of {', '.join(apart)} are the softmax of its lambdas within each set of items with finite"
            " differences; llbt.worth's sum to 1 over all items"
        )
    return values, "; ".join(said) or f"llbt.worth has the groups {', '.join(model.groups)}"


LLBT_FIT = "prefmod::llbt.fit"
#: R's own error wherever the data fit exactly.
SINGULAR = "computationally singular"
EXACTLY_SINGULAR = "exactly singular"
#: And where its deviance is 0 at once, so that the change it looks at is 0 / 0.
NO_CHANGE = "missing value where TRUE/FALSE needed"
#: R's own error where no chain of comparisons joins the items.
DEPENDENT = "linear dependencies in model matrix"
#: Nuisance constants llbt.fit is given at most; its time grows with their number.
MOST_BLOCKS = 5_000


@dataclass(frozen=True, eq=False)
class Design:
    """The design matrix and the counts that llbt.fit is given.  y float[rows]."""

    y: Any
    columns: dict[str, Any]
    n_blocks: int
    n_categories: int
    on_own_cells: bool
    how: str


def llbt_fit_counterpart(question: Question) -> RCounterpart | None:
    """llbt.fit on the design that llbt.design makes; None where it has no such model."""
    fit, cells = question.fit, question.cells
    if not is_log_linear(fit) or not reads(cells):
        return None
    blocks = f"{len(cells):,} nuisance constants are more than {MOST_BLOCKS:,} and would take it minutes"
    reason = f"not asked: {blocks}" if len(cells) > MOST_BLOCKS else too_many(question)
    if reason:
        return refused(LLBT_FIT, reason)
    known = [SINGULAR, EXACTLY_SINGULAR, NO_CHANGE] if _fits_exactly(question) else []
    apart = not cells.table.is_connected() or fit.null_space.shape[1] > 0
    return attempt(LLBT_FIT, _ask_llbt_fit, question, known + [DEPENDENT, SINGULAR] * apart)


def _fits_exactly(question: Question) -> bool:
    """Whether the deviance is 0, by its df or within its rounding (all items equal)."""
    fit, total = question.fit, float(question.cells.counts.sum())
    return fit.df_resid == 0 or fit.deviance <= UNITS * sys.float_info.epsilon * total


def _ask_llbt_fit(question: Question) -> RCounterpart:
    fit = question.fit
    reference = reference_for_r(fit, -1)
    free = [t for t in fit.terms if t.kind != "item" or t.item != reference]
    design = _design(question, free)
    model = llbt_fit(design.y, design.columns, design.n_blocks, design.n_categories, backend=question.backend)
    p = RParameters(tuple(design.columns), model.estimate, np.diag(model.se**2), "lambda", reference)
    values = parameter_values(fit, p)
    said = "its P(z), one-sided, is doubled"
    if fit.spec.reference == reference:
        for name, z, tail in zip(design.columns, model.z, model.p_one_sided):
            values[Quantity("z", name=name)], values[Quantity("p", name=name)] = float(z), 2.0 * float(tail)
    else:  # it has no covariances, so nothing but the estimates can be moved to another constraint
        values = {q: v for q, v in values.items() if kind_of(q) == "estimate"}
        said = "it gives no covariances, so standard errors cannot be converted to this constraint"
    values.update({q: v for q, v in worth_values(fit, p).items() if kind_of(q) == "worth"})
    if design.on_own_cells:
        values.update(deviance=model.deviance, df_resid=float(model.df))
    call = f"llbt.fit(y, Xmodel, q = {design.n_blocks}, ncat = {design.n_categories}), {design.how}"
    stop = (
        f"it stops when the deviance changes by a fraction of less than 1e-4 (here after {model.iterations} steps) and"
        " prints 4 decimals; these are the unrounded numbers behind them"
    )
    told = (call, *translated(fit, reference), said, stop)
    return answered(LLBT_FIT, model.result, values, *told)


def _design(question: Question, free: list[Term]) -> Design:
    fit, cells = question.fit, question.cells
    categorical = all(c.categorical for c in cells.covariates)
    responses = float(cells.counts.sum())
    if len(fit.items) == 2:
        return _own_design(question, free, "its design is explicit because llbt.design stops with two items")
    if not categorical and responses > MOST_BLOCKS:
        why = f"llbt.design(casewise = TRUE) would make {responses:,.0f} nuisance constants"
        return _own_design(question, free, f"on the cells, since {why}")
    layout = layout_of(question, numbers=True)
    if not categorical and bool(layout.frame().isna().to_numpy().any()):
        why = "some rows of llbt.design(casewise = TRUE) would have no response"
        return _own_design(question, free, f"on the cells, since {why}")
    if categorical and layout.n_blocks > len(cells):
        return _own_design(question, free, "on the cells, since llbt.design would add empty ones")
    return _r_design(question, layout, free, casewise=not categorical)


def _r_design(question: Question, layout: Layout, free: list[Term], casewise: bool) -> Design:
    fit, cells = question.fit, question.cells
    slopes = [layout.r_names[c.name] for c in cells.covariates if not c.categorical]
    factors = [r for c, r in layout.r_names.items() if r not in slopes]
    options: dict[str, Any] = {"cat_scovs": factors or None, "num_scovs": slopes or None}
    options |= {"casewise": casewise, "backend": question.backend}
    made = llbt_design(layout.frame(), len(fit.items), **options)
    columns: dict[str, Any] = {}
    for term in free:
        column = np.asarray(made.column(head(fit, term) if term.kind == "item" else "g1"), float)
        for covariate, level in term.by:
            there = made.column(layout.r_names[covariate])
            if level is not None:
                there = there.astype(str) == str(level_in_r(layout, covariate, level))
            column = column * np.asarray(there, float)
        columns[term.name] = column
    y = np.asarray(made.column("y"), float)
    categories = cells.counts.shape[1]
    asked = f"nitems = {len(fit.items)}"
    asked += f", cat.scovs = {factors}" if factors else ""
    asked += f", num.scovs = {slopes}, casewise = TRUE" if slopes else ""
    how = f"Xmodel from llbt.design({asked})"
    how += f", where {names_in_r(layout)}" if layout.r_names else ""
    if casewise:
        how += "; it has one constant per response, not the fit's cells, so deviance and df are not compared"
    return Design(y, columns, len(y) // categories, categories, not casewise, how)


def _own_design(question: Question, free: list[Term], how: str) -> Design:
    """Rows of outcomes for each cell: first preferred, tie, second preferred."""
    fit, cells = question.fit, question.cells
    categories = cells.counts.shape[1]
    side = np.array([1.0, 0.0, -1.0]) if categories == 3 else np.array([1.0, -1.0])
    of_outcome = {"item": side, "tie": (side == 0.0).astype(float)}
    columns = {t.name: np.outer(column_of(fit, cells, t), of_outcome[t.kind]).ravel() for t in free}
    return Design(cells.counts.ravel(), columns, len(cells), categories, True, how)
