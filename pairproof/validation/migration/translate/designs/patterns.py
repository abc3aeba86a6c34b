"""glm on a design of prefmod's patt.design: `fit_pattern` of the persons' answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.values import RList, RVector
from .....data.wide import prefmod_pair_order
from .....fit.fit import Fit
from ....r_answers.translate import RParameters, likelihood_values
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, File
from ...recognise.covariates import Variable
from ...recognise.decide import Design, Not
from ...recognise.groups import codes
from ...recognise.patterns import Pattern, recognise_pattern
from ..translation import Translation
from ..tried import tried
from .bridged import glm_in_r
from .judged import GLM, of_fit
from .read import Fitted, variable_of
from .write import product_text, safe_names, tidy

FloatArray = NDArray[np.float64]
PLACES = "ratings are written as places, 1 the best: the design holds no more of them than their order"


def is_pattern_design(call: RecordedCall) -> bool:
    """Whether the data of a call are a design of patt.design."""
    data = call.values.get("data")
    return isinstance(data, RList) and "pattdes" in data.rclass


def pattern(call: RecordedCall, fitted: Fitted) -> Translation:
    """A glm on such a design, native or by R on its model matrix."""
    data = call.values["data"]
    assert isinstance(data, RList)
    found = _recognised(data, fitted)
    if isinstance(found, Not):
        return glm_in_r(call, fitted, found.why, call.variable)
    code = _code(found, fitted.y, call.variable)
    _, refused = tried(code)
    if refused:
        return glm_in_r(call, fitted, f"fit_pattern refuses it: {refused}", call.variable)
    at = [fitted.design.names.index(n) for n in found.coefficients]
    theta = found.map @ fitted.coef[at]
    spread = found.map @ fitted.vcov[np.ix_(at, at)] @ found.map.T
    likelihood = _likelihood(call, found, fitted.y)
    ours, reference = found.names, found.reference
    said = (
        "R's deviance is of every group in its data, here of those that worths differ in"
        if _is_coarser(found)
        else ""
    )

    def judge(fit: Fit) -> Sequence[Agreement]:
        own = {_of_pairs(n): n for n in fit.names}
        names = tuple(own.get(_of_pairs(n), n) for n in ours)
        p = RParameters(names, theta, spread, "lambda", reference)
        return of_fit(call, p, likelihood, GLM, said)(fit)

    notes = (PLACES,) if found.answers.kind == "ratings" else ()
    return Translation("native", code, judge=judge, notes=notes)


def _recognised(data: RList, fitted: Fitted) -> Pattern | Not:
    items = _said(data, "objnames")
    undecided, dependent = _said(data, "undec"), _said(data, "ia")
    if not items or undecided is None or dependent is None:
        return Not("columns of the design were renamed after patt.design made it", True)
    if any(len(v) != fitted.n for v in items.values()):
        return Not("it uses some rows of its design", True)
    if fitted.offset is not None or (fitted.weights != 1).any():
        return Not("it has an offset or weights", True)
    variables = [
        v
        for name in (*_texts(data, "cat.scovs"), *_texts(data, "num.scovs"))
        if (v := _covariate(data, name))
    ]
    groups = codes(*(v.values for v in variables)) if variables else np.zeros(fitted.n, dtype=np.int64)
    covs = data.attributes.get("objcovs")
    covariates: dict[str, FloatArray] = {}
    if isinstance(covs, RVector) and covs.values.ndim == 2 and covs.dimnames and covs.dimnames[1]:
        covariates = {str(c): covs.floats()[:, k] for k, c in enumerate(covs.dimnames[1])}
    design = Design(
        fitted.design.x, fitted.design.names, fitted.design.known, items=items, covariates=covariates
    )
    return recognise_pattern(design, undecided, dependent, groups, variables)


def _texts(data: RList, attribute: str) -> tuple[str, ...]:
    found = data.attributes.get(attribute)
    return tuple(str(v) for v in found.values.tolist()) if isinstance(found, RVector) else ()


def _said(data: RList, attribute: str) -> dict[str, FloatArray] | None:
    """The columns that an attribute names; None if one of them is not there."""
    names = _texts(data, attribute)
    if any(n not in data for n in names):
        return None
    return {n: data.vector(n).floats() for n in names}


def _covariate(data: RList, name: str) -> Variable | None:
    return variable_of(name, data.vector(name)) if name in data else None


def _of_pairs(name: str) -> str:
    """A dependence with its comparisons in one order."""
    return "*".join(sorted(name.split("*"))) if "*" in name else name


def _code(found: Pattern, y: FloatArray, stem: str) -> Call:
    answers = found.answers
    seen = np.flatnonzero(y > 0)
    named = safe_names([*found.variables, *found.item_terms], found.items)
    values = answers.values[seen]
    columns: dict[str, list[Any]] = {}
    options: dict[str, Any]
    if answers.kind == "pairs":
        order = prefmod_pair_order(len(found.items))
        columns = {
            f"{found.items[i]}:{found.items[j]}": tidy(values[:, k].astype(float))
            for k, (i, j) in enumerate(order)
        }
        coding = {"first": 1, "tie": 0, "second": -1} if answers.ties else {"first": 1, "second": -1}
        options = {
            "items": list(found.items),
            "pair_order": "prefmod",
            "coding": coding,
            "tie_category": answers.ties,
        }
    else:
        columns = {item: tidy(values[:, k].astype(float)) for k, item in enumerate(found.items)}
        options = {"items": list(found.items)}
        if answers.kind == "ratings":
            options.update(scale=f"1-{answers.points}", best="low")
    for name, variable in found.variables.items():
        column = [variable.values[r] for r in seen]
        columns[named[name]] = column if variable.levels else tidy(np.array(column, dtype=float))
    columns["weight"] = tidy(y[seen])
    levels = {named[n]: list(v.levels) for n, v in found.variables.items() if v.levels}
    if levels:
        options["levels"] = levels
    if found.item_terms:
        of_items: dict[str, list[Any]] = {"item": list(found.items)}
        of_items.update({named[n]: tidy(v) for n, v in found.item_terms.items()})
        options["item_data"] = File(of_items, f"{stem}_items" if stem else "items")
    table = Call("pairproof.read_respondents", (File(columns, stem), answers.kind), options)
    return Call("pairproof.fit_pattern", (table,), _keywords(found, named))


def _keywords(found: Pattern, named: dict[str, str]) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    if found.ties in ("by-pair", "none"):
        keywords["ties"] = found.ties
    if found.item_terms:
        keywords["item_terms"] = [named[n] for n in found.item_terms]
    by = [product_text(p, named) for p in found.by]
    by += [f"{item}:{product_text(p, named)}" for item, p in found.of_items]
    if by:
        keywords["by"] = " + ".join(by)
    if found.dependence:
        keywords["dependence"] = True
    return keywords


def _likelihood(call: RecordedCall, found: Pattern, y: FloatArray) -> dict[str, float]:
    """R's deviance, df, llf and AIC on the definitions of persons' answers: the groups' totals are given."""
    values: dict[str, float] = {}
    for ours, theirs in (("deviance", "deviance"), ("df_resid", "df_residual")):
        number = call.number(theirs)
        if number is not None:
            values[ours] = number
    if _is_coarser(found):
        values = _on_coarser_groups(found, y, values)
    loglik = call.number("loglik")
    if loglik is not None and bool((y % 1 == 0).all()):
        total = np.bincount(found.groups, y)
        constant = float(np.sum(xlogy(total, total) - total) - np.sum(gammaln(y + 1)))
        values.update(likelihood_values(loglik - constant, len(found.names)))
    return values


def _is_coarser(found: Pattern) -> bool:
    return len(set(found.pooled.tolist())) < len(set(found.groups.tolist()))


def _on_coarser_groups(found: Pattern, y: FloatArray, values: dict[str, float]) -> dict[str, float]:
    """Deviance and df against free probabilities in the groups of the fit, of which R's are parts.

    The difference is the likelihood ratio of free probabilities in the one and in the other: both are of the
    counts alone.
    """
    pooled = found.pooled
    n_answers = int(np.bincount(found.groups)[0])
    cell = codes(pooled.tolist(), [tuple(row) for row in found.answers.values.tolist()])
    free = float(np.sum(xlogy(y, y))) - float(np.sum(xlogy(*[np.bincount(found.groups, y)] * 2)))
    counts = np.bincount(cell, y)
    tied = float(np.sum(xlogy(counts, counts))) - float(np.sum(xlogy(*[np.bincount(pooled, y)] * 2)))
    fewer = (int(found.groups.max()) - int(pooled.max())) * (n_answers - 1)
    return {q: v - 2.0 * (free - tied) if q == "deviance" else v - fewer for q, v in values.items()}
