"""The log-linear form in R: gnm with the nuisance constants eliminated, and glm with a column for each.

    log m(i preferred) = mu_cell + lambda_i - lambda_j (+ order/2),  log m(tie) = mu_cell + tie,  log m(j
    preferred) = ...

Subject covariates go in as R factors and numbers and R codes them itself (treatment contrasts), so that R
makes its own design.  The cells are the fit's, so deviance and df are on the same table; the Poisson
log-likelihood is brought to that of the comparisons by a constant of the cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...bridge.packages import base, gnm
from ...bridge.packages.asking import RModel
from ...bridge.programs.counted_cells import CountedCells
from ...bridge.values.convert import data_frame, factor_of
from ...fit.estimates.predictions import item_covariate
from ...fit.estimates.specification import Term
from ...fit.fit import Fit
from ..verdicts.agreement import RCounterpart
from .ask import Question, answered, attempt_unless, column_of, reference_for_r, remarks
from .translate import likelihood_values, parameter_values, parameters_of, worth_values

GNM = "gnm::gnm(eliminate)"
GLM = "stats::glm, refitted"
SHORTCUT = "gnm::gnm(eliminate), its shortcut"
#: gnm's Newton method takes 3 s for 435 constants and 30 s for 1770; its shortcut for linear models a
#: fraction of a second.
MOST_TIGHT = 600
#: glm carries a column for each nuisance constant; beyond this many it is left out.
MOST_NUISANCE = 400


@dataclass(frozen=True, eq=False)
class LogLinear:
    """The data and the formula that gnm and glm are given."""

    data: Any
    formula: str
    names: dict[str, str]
    reference: str


def log_linear(question: Question) -> LogLinear:
    """One row for each outcome of each cell, and the formula."""
    fit, cells = question.fit, question.cells
    wins, ties, losses = question.counts
    given = {
        _r_name(cells, c.name): [f"{int(v):03d}" for v in c.values] if c.categorical else c.values.tolist()
        for c in cells.covariates
    }
    more: dict[str, Any] = {"cell": list(cells.label), "order": question.home, "covariates": given}
    frame = gnm.llbt_frame(*cells.names, wins, losses, ties, items=fit.items, **more)
    columns = dict(frame.columns)
    reference = _reference(fit)
    columns.update(_item_columns(question, frame.columns))
    columns.update(_written_columns(question))
    free = [t for t in fit.terms if t.item != reference or t.kind != "item"]
    written = written_out(question)
    names = {
        ":".join([_head(question, t), *_parts(cells, t, written)]): t.name
        for t in free
        if _in_formula(question, t)
    }
    ready = {k: factor_of(v) if isinstance(v, tuple) else v for k, v in columns.items()}
    return LogLinear(data_frame(ready), "y ~ " + " + ".join(_formula_terms(question, free)), names, reference)


def _in_formula(question: Question, term: Term) -> bool:
    # Rao and Kupper's threshold at its boundary (no tie occurred) is no parameter of the two-outcome model.
    return not (term.kind == "tie" and question.cells.ties is None)


def _formula_terms(question: Question, free: list[Term]) -> list[str]:
    """`o1`, `o2`, `(o1 + o2):f1.`: heads of the terms, then with what they are multiplied."""
    by_product: dict[tuple[str, ...], list[str]] = {}
    written = written_out(question)
    for term in free:
        if _in_formula(question, term):
            product = (
                () if term.name in written else tuple(_r_name(question.cells, name) for name, _ in term.by)
            )
            heads = by_product.setdefault(product, [])
            if _head(question, term) not in heads:
                heads.append(_head(question, term))
    return [
        " + ".join(heads) if not product else f"({' + '.join(heads)}):{':'.join(product)}"
        for product, heads in by_product.items()
    ]


def _head(question: Question, term: Term) -> str:
    """Name of a term's own column in R."""
    written = written_out(question)
    if term.name in written:
        return written[term.name]
    if term.kind == "item" or _of_free_item(question.fit, term):
        return f"o{question.fit.items.index(term.item or '') + 1}"
    return (
        _covariate_heads(question)[term.covariate, term.covariate_level, term.item]
        if term.kind == "covariate"
        else term.kind
    )


def _reference(fit: Fit) -> str:
    """The item without a column; "" if abilities come from item covariates."""
    return "" if fit.spec.item_terms else reference_for_r(fit, -1)


def _of_free_item(fit: Fit, term: Term) -> bool:
    """A selective term of an item that has a column of its own in R."""
    one = term.kind == "covariate" and term.item is not None and not fit.spec.item_terms
    return one and term.item != _reference(fit)


def written_out(question: Question) -> dict[str, str]:
    """Terms whose column is given to R as it is, with the column's name: comparison terms, and selective terms of what
    has no column by itself (the reference item, an item covariate beside free items), of which R would code every
    level of a factor.
    """
    fit = question.fit
    alone = {
        (t.item, t.covariate, t.covariate_level) for t in fit.terms if t.kind == "covariate" and not t.by
    }
    out: dict[str, str] = {}
    for term in fit.terms:
        selective = (
            term.kind == "covariate"
            and (term.item, term.covariate, term.covariate_level) not in alone
            and not _of_free_item(fit, term)
        )
        if term.kind == "comparison" or selective:
            out[term.name] = f"k{len(out) + 1}"
    return out


def _written_columns(question: Question) -> dict[str, Any]:
    """The columns of `written_out`, a row an outcome of a cell: lambda's unit for items, half that for the others."""
    fit, cells = question.fit, question.cells
    side = np.array([1.0, -1.0, 0.0])[
        : cells.counts.shape[1]
    ]  # the first preferred, the second, tie: gnm.llbt_frame
    written = written_out(question)
    unit = {t.name: 0.5 if t.kind == "comparison" else 1.0 for t in fit.terms}
    return {
        written[t.name]: np.outer(column_of(fit, cells, t) * unit[t.name], side).ravel()
        for t in fit.terms
        if t.name in written
    }


def _parts(cells: CountedCells, term: Term, written: dict[str, str]) -> list[str]:
    """Names R gives to what a term is multiplied with: `f1.002`, `v2`."""
    found = []
    for name, level in () if term.name in written else term.by:
        r_name = _r_name(cells, name)
        found.append(r_name if level is None else f"{r_name}{cells.covariate(name).levels.index(level):03d}")
    return found


def _r_name(cells: CountedCells, covariate: str) -> str:
    """`f1.` for a factor, `v1` for a number: names of columns that R and prefmod's formulas cannot mix up."""
    k = [c.name for c in cells.covariates].index(covariate)
    return f"f{k + 1}." if cells.covariates[k].categorical else f"v{k + 1}"


def _covariate_heads(question: Question) -> dict[tuple[str | None, str | None, str | None], str]:
    """Column names of item covariates, by covariate, level and separate item."""
    keys = [(t.covariate, t.covariate_level, t.item) for t in question.fit.terms if t.kind == "covariate"]
    return {key: f"x{k + 1}" for k, key in enumerate(dict.fromkeys(keys))}


def item_values(question: Question) -> dict[str, Any]:
    """Value of each item covariate column, float[n_items], by its name in R."""
    heads = _covariate_heads(question)
    return {
        heads[t.covariate, t.covariate_level, t.item]: item_covariate(question.fit, t)
        for t in question.fit.terms
        if t.kind == "covariate"
    }


def _item_columns(question: Question, columns: Any) -> dict[str, Any]:
    """Item covariates as differences of the two items, signed as the items' own columns are."""
    own = np.stack([columns[f"o{k + 1}"] for k in range(len(question.fit.items))], axis=1)
    return {name: own @ values for name, values in item_values(question).items()}


def _is_log_linear(question: Question) -> bool:
    """Whether the model has a log-linear form: Rao and Kupper's has none but where no tie occurred."""
    return question.fit.ties != "rao-kupper" or (
        question.cells.ties is not None and not question.cells.ties.any()
    )


def _at_boundary(question: Question) -> Question:
    """Rao and Kupper's model without a tie, its threshold at 0: the cells as two outcomes."""
    return (
        replace(question, cells=replace(question.cells, ties=None))
        if question.fit.ties == "rao-kupper"
        else question
    )


def gnm_counterpart(question: Question) -> RCounterpart | None:
    """gnm(..., eliminate = cell), gone on with its Newton method; None for Rao and Kupper's ties."""
    if not _is_log_linear(question):
        return None
    r_call = GNM if len(question.cells) <= MOST_TIGHT else SHORTCUT
    return attempt_unless(question.too_large, r_call, _ask_gnm, _at_boundary(question))


def _ask_gnm(question: Question) -> RCounterpart:
    asked = log_linear(question)
    tight = len(question.cells) <= MOST_TIGHT
    model = gnm.gnm(asked.formula, asked.data, "cell", tight=tight, backend=question.backend)
    text = f"gnm({_shown(asked.formula)}, eliminate = cell, family = poisson)"
    if not tight:
        text += ", by its shortcut for linear models, which carries a ridge of 1e-8 and stops about 4e-10 from the maximum"
    return _answer(question, GNM if tight else SHORTCUT, asked, model, text)


def _shown(formula: str) -> str:
    """A formula for a reader, the middle of a long one left out."""
    return formula if len(formula) <= 200 else f"{formula[:120]} ... {formula[-60:]}"


def glm_counterpart(question: Question) -> RCounterpart | None:
    """glm(y ~ cell + ..., poisson), again from its own solution; None for Rao and Kupper's ties."""
    if not _is_log_linear(question):
        return None
    reason = question.too_large
    if len(question.cells) > MOST_NUISANCE:
        n = len(question.cells)
        reason = f"not asked: its {n} nuisance columns are more than {MOST_NUISANCE}; gnm eliminates them"
    return attempt_unless(reason, GLM, _ask_glm, _at_boundary(question))


def _ask_glm(question: Question) -> RCounterpart:
    asked = log_linear(question)
    formula = asked.formula.replace("y ~ ", "y ~ cell + ") if len(question.cells) > 1 else asked.formula
    model = base.glm_poisson(formula, asked.data, backend=question.backend)
    text = f"glm({_shown(formula)}, family = poisson), fitted again from its own solution"
    return _answer(question, GLM, asked, model, text)


def _answer(question: Question, r_call: str, asked: LogLinear, model: RModel, text: str) -> RCounterpart:
    fit, cells = question.fit, question.cells
    p = parameters_of(model, asked.names, "lambda", asked.reference, r_call)
    values = parameter_values(fit, p, tests=True)
    values.update(deviance=model.deviance, df_resid=model.df_residual)
    said = ""
    if fit.ties == "rao-kupper":
        values["df_resid"] += len(cells)
        text += (
            "; no tie occurred, so the threshold is at its boundary and the ties' empty outcomes are added to"
            " R's df"
        )
    if cells.whole:
        values.update(likelihood_values(model.loglik - cells.poisson_constant, len(p.names)))
        said = "logLik(), Poisson, less a constant of the cells gives llf; AIC counts no nuisance constants"
    else:
        said = "R has no log-likelihood for counts that are not whole"
    values.update(worth_values(fit, p))
    doubled = (
        ""
        if fit.scale == "lambda" or fit.spec.item_terms
        else "item coefficients, lambda in R, are doubled to log-odds"
    )
    covariates = ", ".join(f"{_r_name(cells, c.name)} is {c.name}" for c in cells.covariates)
    return answered(
        r_call,
        model.result,
        values,
        text,
        covariates,
        doubled,
        said,
        "z and p are R's estimate over its standard error",
        *_only_new(remarks(model.result)),
        flag=model.converged,
    )


def _only_new(texts: list[str]) -> list[str]:
    # Half wins make R say so once for each row of counts.
    kept = [t for t in texts if "non-integer" not in t]
    return kept + ["R warns of non-integer counts"] * (len(kept) < len(texts))
