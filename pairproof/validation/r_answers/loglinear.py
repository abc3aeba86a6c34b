"""The log-linear form in R: gnm with the nuisance constants eliminated, and glm with a column for each.

    log m(i preferred) = mu_cell + lambda_i - lambda_j (+ order/2),  log m(tie) = mu_cell + tie,  log m(j
    preferred) = ...

Subject covariates go in as R factors and numbers and R codes them itself (treatment contrasts), so that R
makes its own design.  The cells are the fit's, so deviance and df are on the same table; the Poisson
log-likelihood is brought to that of the comparisons by a constant of the cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Optional

import numpy as np

from ...bridge.packages import base, gnm
from ...bridge.packages.asking import RModel
from ...bridge.values.convert import data_frame, factor_of
from ...fit.estimates.predictions import item_covariate
from ...fit.estimates.specification import Term
from ..verdicts.agreement import RCounterpart
from .ask import Question, answered, attempt_unless, column_of, reference_for_r, remarks
from .translate import numbers_of, parameters_of

By = tuple[tuple[str, Optional[str]], ...]
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
    """The data and the formula that gnm and glm are given; the fit's names of R's coefficients, R's of covariates."""

    data: Any
    formula: str
    names: dict[str, str]
    reference: str
    covariates: dict[str, str]


def log_linear(question: Question) -> LogLinear:
    """One row for each outcome of each cell, and the formula: `o1`, `o2`, `(o1 + o2):f1.`, heads of terms and their products.

    A covariate is `f1.` as a factor and `v1` as a number, names that R's and prefmod's formulas cannot mix up.
    """
    fit, cells = question.fit, question.cells
    r_names = {c.name: f"f{k + 1}." if c.categorical else f"v{k + 1}" for k, c in enumerate(cells.covariates)}
    given = {
        r_names[c.name]: [f"{int(v):03d}" for v in c.values] if c.categorical else c.values.tolist()
        for c in cells.covariates
    }
    wins, ties, losses = question.counts
    more: dict[str, Any] = {"cell": list(cells.label), "order": question.home, "covariates": given}
    frame = gnm.llbt_frame(*cells.names, wins, losses, ties, items=fit.items, **more)
    reference = "" if fit.spec.item_terms else reference_for_r(fit, -1)
    heads, columns = _columns(question, frame.columns, reference)
    names: dict[str, str] = {}
    products: dict[tuple[str, ...], dict[str, None]] = {}
    for term in fit.terms:
        # Rao and Kupper's threshold at its boundary (no tie occurred) is not a parameter of two outcomes.
        if term.kind == "item" and term.item == reference or term.kind == "tie" and cells.ties is None:
            continue
        head, by = heads.get(term.name, (term.kind, term.by))
        levels = ["" if v is None else f"{cells.covariate(name).levels.index(v):03d}" for name, v in by]
        names[":".join([head, *(r_names[name] + level for (name, _), level in zip(by, levels))])] = term.name
        products.setdefault(tuple(r_names[name] for name, _ in by), {})[head] = None
    heads_of = [(" + ".join(of), ":".join(product)) for product, of in products.items()]
    parts = [f"({of}):{product}" if product else of for of, product in heads_of]
    ready = {k: factor_of(v) if isinstance(v, tuple) else v for k, v in columns.items()}
    return LogLinear(data_frame(ready), "y ~ " + " + ".join(parts), names, reference, r_names)


def _columns(
    question: Question, own: Mapping[str, Any], reference: str
) -> tuple[dict[str, tuple[str, By]], dict[str, Any]]:
    """The column of a term of items or of the comparison, by the term's name, with what R is to multiply it by; and all columns.

    A column is given to R as it is (`k1`) for comparison terms, in half of lambda's unit, and for selective
    terms of what has no term for everybody.
    """
    fit, cells = question.fit, question.cells
    covariates = [t for t in fit.terms if t.kind == "covariate"]
    keys = dict.fromkeys(_key(t) for t in covariates)
    alone = {_key(t) for t in covariates if not t.by}
    heads: dict[str, tuple[str, By]] = {}
    written: dict[str, Any] = {}
    side = np.array([1.0, -1.0, 0.0])[: cells.counts.shape[1]]  # first preferred, second, tie: gnm.llbt_frame
    for term in fit.terms:
        free = term.item is not None and not fit.spec.item_terms and term.item != reference
        if term.kind == "item" or term.kind == "covariate" and free:
            heads[term.name] = f"o{fit.items.index(term.item or '') + 1}", term.by
        elif term.kind == "comparison" or term.kind == "covariate" and _key(term) not in alone:
            heads[term.name] = f"k{len(written) + 1}", ()
            unit = 0.5 if term.kind == "comparison" else 1.0
            written[heads[term.name][0]] = np.outer(column_of(fit, cells, term) * unit, side).ravel()
        elif term.kind == "covariate":
            heads[term.name] = f"x{list(keys).index(_key(term)) + 1}", term.by
    signs = np.stack([own[f"o{k + 1}"] for k in range(len(fit.items))], axis=1)
    values = {_key(t): signs @ item_covariate(fit, t) for t in covariates}
    return heads, {**own, **{f"x{k + 1}": values[key] for k, key in enumerate(keys)}, **written}


def _key(term: Term) -> tuple[str | None, str | None, str | None]:
    return term.covariate, term.covariate_level, term.item


def _is_log_linear(question: Question) -> bool:
    """Whether the model has a log-linear form: Rao and Kupper's has none but where no tie occurred."""
    ties = question.cells.ties
    return question.fit.ties != "rao-kupper" or ties is not None and not ties.any()


def _at_boundary(question: Question) -> Question:
    """Rao and Kupper's model without a tie, its threshold at 0: the cells as two outcomes."""
    if question.fit.ties != "rao-kupper":
        return question
    return replace(question, cells=replace(question.cells, ties=None))


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
        text += ", by its shortcut for linear models, which has a ridge of 1e-8 and stops about 4e-10 from the maximum"
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
    df = model.df_residual
    if fit.ties == "rao-kupper":
        df += len(cells)
        text += "; no tie occurred, so the threshold is at its boundary and the empty tie outcomes are added to R's df"
    llf = model.loglik - cells.poisson_constant if cells.whole else None
    said = [text, ", ".join(f"{r_name} is {name}" for name, r_name in asked.covariates.items())]
    if fit.scale != "lambda" and not fit.spec.item_terms:
        said.append("R's item coefficients, lambda, are doubled to log-odds")
    of_cells = (
        "logLik(), Poisson, minus a constant of the cells gives llf; AIC does not count nuisance constants"
    )
    said.append(of_cells if cells.whole else "R has no log-likelihood for counts that are not whole")
    said += ["z and p are R's estimate over its standard error", *_only_new(remarks(model.result))]
    values = numbers_of(fit, p, model.deviance, df, llf, tests=True)
    return answered(r_call, model.result, values, *said, flag=model.converged)


def _only_new(texts: list[str]) -> list[str]:
    # Half wins make R say so once for each row of counts.
    kept = [t for t in texts if "non-integer" not in t]
    return kept + ["R warns of non-integer counts"] * (len(kept) < len(texts))
