"""prefmod's llbt.fit: its own IRLS, which only prints, on the design that llbt.design makes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...bridge.packages import prefmod
from ...fit.spec import Term
from ..claims.quantities import Quantity, kind_of
from ..verdicts.agreement import RCounterpart
from ..verdicts.verdict import UNITS
from .ask import Question, answered, attempt, reference_for_r, refused, times_covariates
from .prefmod import (
    Layout,
    head,
    is_log_linear,
    layout_of,
    level_in_r,
    names_in_r,
    reads,
    too_many,
    translated,
)
from .translate import RParameters, parameter_values, worth_values

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
    """The design matrix and the counts that llbt.fit is given.

    y float[rows].  columns: by the fit's parameter.  on_own_cells: whether its blocks are the fit's cells, so
    that deviance and df can be compared.
    """

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
    reason = too_many(question)
    if len(cells) > MOST_BLOCKS:
        reason = (
            f"not asked: {len(cells):,} nuisance constants are more than {MOST_BLOCKS:,}, which take it"
            " minutes"
        )
    if reason:
        return refused(LLBT_FIT, reason)
    known = (
        ([SINGULAR, EXACTLY_SINGULAR, NO_CHANGE] if _fits_exactly(question) else [])
        + ([] if cells.table.is_connected() else [DEPENDENT, SINGULAR])
        + ([SINGULAR, DEPENDENT] if fit.null_space.shape[1] else [])
    )
    return attempt(LLBT_FIT, _ask_llbt_fit, question, known)


def _fits_exactly(question: Question) -> bool:
    """Whether the deviance is 0, by its df or within its rounding (all items equal)."""
    fit = question.fit
    return fit.df_resid == 0 or fit.deviance <= UNITS * sys.float_info.epsilon * float(
        question.cells.counts.sum()
    )


def _ask_llbt_fit(question: Question) -> RCounterpart:
    fit = question.fit
    reference = reference_for_r(fit, -1)
    free = [t for t in fit.terms if t.kind != "item" or t.item != reference]
    design = _design(question, free)
    model = prefmod.llbt_fit(
        design.y, design.columns, design.n_blocks, design.n_categories, backend=question.backend
    )
    p = RParameters(tuple(design.columns), model.estimate, np.diag(model.se**2), "lambda", reference)
    values = parameter_values(fit, p)
    said = "its P(z), one-sided, is doubled"
    if fit.spec.reference == reference:
        for name, z, tail in zip(design.columns, model.z, model.p_one_sided):
            values[Quantity("z", name=name)], values[Quantity("p", name=name)] = float(z), 2.0 * float(tail)
    else:  # it has no covariances, so nothing but the estimates can be moved to another constraint
        values = {q: v for q, v in values.items() if kind_of(q) == "estimate"}
        said = "it gives no covariances, so standard errors cannot be moved to this constraint"
    values.update({q: v for q, v in worth_values(fit, p).items() if kind_of(q) == "worth"})
    if design.on_own_cells:
        values.update(deviance=model.deviance, df_resid=float(model.df))
    # It prints p to 4 decimals; with standard errors of 2 to 4 digits a p of 1e-30 has none, so p is compared
    # absolutely.
    absolute = {q: 1.0 for q in values if kind_of(q) == "p"}
    return answered(
        LLBT_FIT,
        model.result,
        values,
        f"llbt.fit(y, Xmodel, q = {design.n_blocks}, ncat = {design.n_categories}), {design.how}",
        *translated(fit, reference),
        said,
        "it stops when the deviance changes by less than 1e-4 of itself (here after"
        f" {model.iterations} steps) and prints 4 decimals; these are the unrounded numbers behind them",
        se=absolute,
    )


def _design(question: Question, free: list[Term]) -> Design:
    fit, cells = question.fit, question.cells
    categorical = all(c.categorical for c in cells.covariates)
    responses = float(cells.counts.sum())
    if len(fit.items) == 2:
        return _own_design(question, free, "its design written out, since llbt.design stops with two items")
    if not categorical and responses > MOST_BLOCKS:
        why = f"llbt.design(casewise = TRUE) would make {responses:,.0f} nuisance constants"
        return _own_design(question, free, f"on the cells, since {why}")
    layout = layout_of(question, numbers=True)
    if not categorical and bool(layout.frame().isna().to_numpy().any()):
        why = "some rows of llbt.design(casewise = TRUE) would hold no response"
        return _own_design(question, free, f"on the cells, since {why}")
    if categorical and layout.n_blocks > len(cells):
        return _own_design(question, free, "on the cells, since llbt.design would add empty ones")
    return _r_design(question, layout, free, casewise=not categorical)


def _r_design(question: Question, layout: Layout, free: list[Term], casewise: bool) -> Design:
    fit, cells = question.fit, question.cells
    slopes = [layout.r_names[c.name] for c in cells.covariates if not c.categorical]
    factors = [r for c, r in layout.r_names.items() if r not in slopes]
    made = prefmod.llbt_design(
        layout.frame(),
        len(fit.items),
        cat_scovs=factors or None,
        num_scovs=slopes or None,
        casewise=casewise,
        backend=question.backend,
    )
    columns: dict[str, Any] = {}
    for term in free:
        column = np.asarray(made.column(head(fit, term) if term.kind == "item" else "g1"), float)
        for covariate, level in term.by:
            there = made.column(layout.r_names[covariate])
            column = column * (
                np.asarray(there, float)
                if level is None
                else (there.astype(str) == str(level_in_r(layout, covariate, level))).astype(float)
            )
        columns[term.name] = column
    y = np.asarray(made.column("y"), float)
    categories = cells.counts.shape[1]
    asked = f"nitems = {len(fit.items)}"
    asked += f", cat.scovs = {factors}" if factors else ""
    asked += f", num.scovs = {slopes}, casewise = TRUE" if slopes else ""
    how = f"Xmodel from llbt.design({asked})"
    how += f", where {names_in_r(layout)}" if layout.r_names else ""
    if casewise:
        how += "; its constants are one a response, other cells than the fit's, so deviance and df are not compared"
    return Design(y, columns, len(y) // categories, categories, not casewise, how)


def _own_design(question: Question, free: list[Term], how: str) -> Design:
    """Rows of outcomes for each cell: first preferred, tie, second preferred."""
    fit, cells = question.fit, question.cells
    categories = cells.counts.shape[1]
    side = np.array([1.0, 0.0, -1.0]) if categories == 3 else np.array([1.0, -1.0])
    columns: dict[str, Any] = {}
    for term in free:
        if term.kind == "item":
            k = fit.items.index(term.item or "")
            column, of_outcome = (cells.first == k).astype(float) - (cells.second == k), side
        else:
            column, of_outcome = np.ones(len(cells)), (side == 0.0).astype(float)
        columns[term.name] = np.outer(times_covariates(column, cells, term.by), of_outcome).ravel()
    return Design(cells.counts.ravel(), columns, len(cells), categories, True, how)
