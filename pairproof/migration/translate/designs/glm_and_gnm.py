"""stats::glm and gnm::gnm: native where the design is ours, by R where of this field, else left out.

gnm with GenDavidson is `fit_bradley_terry(ties="davidson")`, with shifted or scaled ties where they are asked
for; glm on a design of prefmod's patt.design is `fit_pattern` of the persons' answers.  anova of fits is
`pairproof.anova(m0, m1)` where the fits are in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RList
from ....data.wide import prefmod_pair_order
from ....errors import PairproofError
from ....fit.fit import Fit
from ....validation.r_answers.translate import RParameters, likelihood_values
from ....validation.verdicts.agreement import Agreement
from ...recognise.answer_patterns import Pattern, recognise_pattern
from ...recognise.decide import (
    Davidson,
    Not,
    Recognised,
    codes,
    recognise_binomial,
    recognise_davidson,
    recognise_poisson,
)
from ..python_code import Call, File, Result, stated, whole_numbers
from ..recorded_answers import counts
from ..rows import Beside, in_column
from ..translation import Context, Step, Translation, outside, translates, tried
from .design_numbers import (
    GLM,
    GNM,
    binomial_likelihood,
    deviance_of,
    dispersion,
    in_r,
    of_fit,
    poisson_likelihood,
    r_parameters,
    with_glm,
)
from .recorded_design import (
    Fitted,
    IntArray,
    Unreadable,
    column_of,
    eliminated,
    family_of,
    fit_call,
    fitted_of,
    levels_of,
    of_items,
    product_text,
    safe_names,
    said_by,
    said_covariates,
    text_of,
    variable_of,
)

SAID = "tie = tie.max + log 2, tie-shift = tie.mode, tie-scale = tie.scale"


def davidson(call: RecordedCall, fitted: Fitted, found: Davidson) -> Translation:
    """The translation of a GenDavidson that was recognised."""
    coef, vcov = fitted.of(found.coefficients)
    theta = found.map @ np.nan_to_num(coef)
    theta[found.names.index("tie")] += log(2.0)
    p = RParameters(found.names, theta, found.map @ vcov @ found.map.T, "log-odds", found.items[0])
    # Players without a match, and leagues that never met, have fewer parameters than names.
    df = call.number("loglik_df")
    n = len(found.names) if df is None else int(df) - len(found.contests)
    likelihood = poisson_likelihood(call, found.contests, fitted.y, n)
    # With tie.mode or tie.scale gnm's errors are of the expected information, a fit's of the observed one.
    judge = of_fit(call, p, likelihood, GNM, SAID, errors=not found.general)
    judge = with_glm(call, fitted, judge, likelihood, nuisance=len(found.contests))
    notes = (
        ("standard errors are of the observed information, R's of the expected one",) if found.general else ()
    )
    return Translation("native", _davidson_code(call, found), judge=judge, notes=notes)


def _davidson_code(call: RecordedCall, found: Davidson) -> Call:
    contests, (one, other) = found.contests, found.players
    columns: dict[str, list[Any]] = {
        one: [found.items[k] for k in contests.first],
        other: [found.items[k] for k in contests.second],
        "wins": whole_numbers(contests.wins),
        "ties": whole_numbers(contests.ties if contests.ties is not None else np.zeros(len(contests))),
        "losses": whole_numbers(contests.losses),
    }
    if found.order is not None and (found.order != 1).any():
        columns["order"] = whole_numbers(found.order)
    options: dict[str, Any] = {
        "layout": "counts",
        "columns": {"first": one, "second": other},
        "items": list(found.items),
    }
    keywords = stated(
        order_effect=found.order is not None,
        tie_shift="tie-shift" in found.names,
        tie_scale="tie-scale" in found.names,
        cells="row",
    )
    table = Call("pairproof.read", (File(columns, call.variable),), options)
    return Call("pairproof.fit_bradley_terry", (table,), keywords)


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
        return in_r(call, fitted, None, found.why)
    code = _code(found, fitted.y, call.variable)
    _, refused = tried(code)
    if refused:
        return in_r(call, fitted, None, f"fit_pattern refuses it: {refused}")
    coef, vcov = fitted.of(found.coefficients)
    theta, spread = found.map @ coef, found.map @ vcov @ found.map.T
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
    items = _attribute(data, "objnames")
    undecided, dependent = _attribute(data, "undec"), _attribute(data, "ia")
    if not items or undecided is None or dependent is None:
        return Not("columns of the design were renamed after patt.design made it", True)
    if any(len(v) != fitted.n for v in items.values()):
        return Not("it uses some rows of its design", True)
    if fitted.offset is not None or (fitted.weights != 1).any():
        return Not("it has an offset or weights", True)
    variables = [
        v
        for name in (*said_by(data, "cat.scovs"), *said_by(data, "num.scovs"))
        if name in data and (v := variable_of(name, data.vector(name)))
    ]
    groups = codes(*(v.values for v in variables)) if variables else np.zeros(fitted.n, dtype=np.int64)
    design = replace(fitted.design, factors={}, numbers={}, items=items, covariates=said_covariates(data))
    return recognise_pattern(design, undecided, dependent, groups, variables)


def _attribute(data: RList, attribute: str) -> dict[str, FloatArray] | None:
    """The columns that an attribute names; None if one of them is not there."""
    names = said_by(data, attribute)
    if any(n not in data for n in names):
        return None
    return {n: data.vector(n).floats() for n in names}


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
            f"{found.items[i]}:{found.items[j]}": whole_numbers(values[:, k].astype(float))
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
        columns = {item: whole_numbers(values[:, k].astype(float)) for k, item in enumerate(found.items)}
        options = {"items": list(found.items)}
        if answers.kind == "ratings":
            options.update(scale=f"1-{answers.points}", best="low")
    for name, variable in found.variables.items():
        columns[named[name]] = column_of(variable, seen)
    columns["weight"] = whole_numbers(y[seen])
    options |= levels_of(found.variables, named)
    options |= of_items(found.items, found.item_terms, named, stem)
    table = Call("pairproof.read_respondents", (File(columns, stem), answers.kind), options)
    return Call("pairproof.fit_pattern", (table,), _keywords(found, named))


def _keywords(found: Pattern, named: dict[str, str]) -> dict[str, Any]:
    by = [product_text(p, named) for p in found.by]
    by += [f"{item}:{product_text(p, named)}" for item, p in found.of_items]
    return stated(
        ties=found.ties in ("by-pair", "none") and found.ties,
        item_terms=[named[n] for n in found.item_terms],
        by=" + ".join(by),
        dependence=found.dependence,
    )


def _likelihood(call: RecordedCall, found: Pattern, y: FloatArray) -> dict[str, float]:
    """R's deviance, df, llf and AIC on the definitions of persons' answers: the groups' totals are given."""
    values = deviance_of(call)
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


BY_DESIGN = "written as paired comparisons: its design is one"
LEFT_OUT = "not a model of this field"
LINKS = ("logit", "probit", "cauchit")
CONSTANTS = (
    "R's coefficients of the contests (mu) say how many there were; a fit has none, and they are not compared"
)
HALF = (
    "half wins: R takes them as counts that are not whole, here they are ties of which each counts as half a win; its"
    " log-likelihood and AIC are not comparable"
)


@translates("stats::glm", "gnm::gnm")
def glm(call: RecordedCall, context: Context) -> Translation:
    """A glm or gnm, translated from its design and response."""
    family, link = family_of(call)
    try:
        fitted = fitted_of(call)
    except Unreadable as why:
        return outside(f"{LEFT_OUT}, as far as it was recorded: {why}")
    groups = eliminated(call)
    if family in ("binomial", "quasibinomial") and groups is None:
        return _binomial(call, fitted, family, link)
    if family in ("poisson", "quasipoisson"):
        return _poisson(call, fitted, family, link, groups)
    return outside(f"{LEFT_OUT}: family {family or 'unknown'}; comparisons are binomial, Poisson or ordered")


# -- binomial ------------------------------------------------------------------------------------------------


def _binomial(call: RecordedCall, fitted: Fitted, family: str, link: str) -> Translation:
    wins, losses = counts(fitted.y * fitted.weights), counts((1.0 - fitted.y) * fitted.weights)
    found = recognise_binomial(fitted.design, wins, losses)
    if isinstance(found, Not):
        return in_r(call, fitted, None, found.why) if found.paired else outside(f"{LEFT_OUT}: {found.why}")
    half = bool((wins % 1 != 0).any() or (losses % 1 != 0).any())
    why = (
        f"link {link} of paired comparisons is not fitted here"
        if link not in LINKS
        else "its counts are neither whole numbers nor halves"
        if ((2 * wins) % 1 != 0).any() or ((2 * losses) % 1 != 0).any()
        else "some of its rows have the weight 0"
        if not fitted.design.known.any() or not (fitted.weights > 0).all()
        else "some of its rows have half a contest"
        if half and ((wins % 1) != (losses % 1)).any()
        else ""
    )
    if why:
        return in_r(call, fitted, None, why)
    ties = "half" if half else None
    code = fit_call(
        found, "fit_bradley_terry", call.variable, ties=ties, offset=fitted.offset, link=link, half=half
    )
    likelihood = binomial_likelihood(call, fitted, found.model.contests, len(found.coefficients))
    if half:
        likelihood = _of_deviance(likelihood)
    notes = [BY_DESIGN] + ([HALF] if half else [])
    return _native(call, fitted, None, found, code, likelihood, notes)


def _native(
    call: RecordedCall,
    fitted: Fitted,
    groups: IntArray | None,
    found: Recognised,
    code: Call,
    likelihood: dict[str, float],
    notes: list[str],
) -> Translation:
    """A fit of the recognised model, R's dispersion taken out of its errors; by R where Python refuses it."""
    function = code.function.rpartition(".")[2]
    _, refused = tried(code)
    if refused:
        return in_r(call, fitted, groups, f"{function} refuses it: {refused}")
    (family, link), poisson = family_of(call), function == "fit_llbt"
    phi = 1.0
    if family.startswith("quasi"):
        phi = dispersion(fitted, family, call.number("df_residual") or 0.0)
        likelihood = _of_deviance(likelihood)
    p = r_parameters(found, fitted, phi, "lambda" if poisson else "log-odds")
    # With other links R's errors are of the expected information, a fit's of the observed one.
    judge = of_fit(
        call,
        p,
        likelihood,
        GNM if poisson and call.function == "gnm::gnm" else GLM,
        *_said(found),
        errors=poisson or link == "logit",
    )
    judge = with_glm(call, fitted, judge, likelihood, len(found.model.contests) if poisson else 0)
    more = [] if poisson else _link(link)
    constants = [CONSTANTS] if poisson and groups is None else []
    said = (*notes, *_quasi(family, phi), *more, *constants)
    return Translation("native", code, notes=said, judge=judge)


def _of_deviance(likelihood: dict[str, float]) -> dict[str, float]:
    return {q: v for q, v in likelihood.items() if q in ("deviance", "df_resid")}


def _quasi(family: str, phi: float) -> list[str]:
    if not family.startswith("quasi"):
        return []
    return [
        f"R's standard errors are those here times {float(np.sqrt(phi)):.6g}, the square root of its dispersion {phi:.6g}"
    ]


def _link(link: str) -> list[str]:
    if link == "logit":
        return []
    return [f"link {link}: standard errors are of the observed information, R's of the expected one"]


def _said(found: Recognised) -> list[str]:
    block = found.block
    if block is None or block.scale == 1.0:
        return []
    return [f"R's item columns have entries of {block.scale:g}"]


# -- Poisson -------------------------------------------------------------------------------------------------


def _poisson(
    call: RecordedCall, fitted: Fitted, family: str, link: str, groups: IntArray | None
) -> Translation:
    if groups is None and link == "log" and family == "poisson" and is_pattern_design(call):
        return pattern(call, fitted)
    of_prefmod = bool(fitted.design.items)
    if link != "log" or fitted.offset is not None or (fitted.weights != 1).any():
        found: Recognised | Not = Not("it has another link than log, an offset, or weights")
    else:
        found = recognise_poisson(fitted.design, fitted.y, groups)
    of_davidson = "GenDavidson(" in text_of(call)
    if of_davidson and groups is not None and fitted.offset is None:
        match = recognise_davidson(fitted.design, fitted.y, groups)
        if isinstance(match, Davidson):
            return davidson(call, fitted, match)
        found = match
    if isinstance(found, Not) and of_davidson:
        return outside(f"stays in R: {found.why}, and gnm's terms that are not linear have no design to send")
    if isinstance(found, Not):
        here = found.paired or of_prefmod
        return in_r(call, fitted, groups, found.why) if here else outside(f"{LEFT_OUT}: {found.why}")
    code = fit_call(found, "fit_llbt", call.variable)
    likelihood = poisson_likelihood(call, found.model.contests, fitted.y, len(found.model.names))
    return _native(call, fitted, groups, found, code, likelihood, [] if of_prefmod else [BY_DESIGN])


#: R takes deviances of fits that stopped at 1e-8 of their change: their difference has fewer digits than they
#: have.
LEAST, WHY = 7.0, "differences of deviances of fits that stopped at R's default"
ONE = (
    "anova of one fit adds R's columns one by one, an item alone among them, which is no hypothesis about the items;"
    " pairproof.anova(fit) adds whole terms"
)


@translates("stats::anova.glm", "stats::anova.glmlist", "gnm::anova.gnm")
def anova(call: RecordedCall, context: Context) -> Translation:
    """anova of several fits, each beside the one before."""
    steps = _models(call, context)
    if isinstance(steps, str):
        return outside(steps)
    if len(steps) < 2:
        return outside(ONE)
    families = {s.call.strings("family")[:1] for s in steps}
    if any(f and f[0].startswith("quasi") for f in families):
        return outside(
            "it divides by the dispersion of a quasi family, which a likelihood ratio does not have"
        )
    table = call.frame("value")
    if table is None or "Deviance" not in table or "Df" not in table:
        return outside("its table was not recorded")
    code = Call("pairproof.anova", tuple(Result(s.call.id) for s in steps))
    refused = _refusal(steps)
    if refused:
        return outside(f"pairproof.anova refuses it: {refused}")
    return Translation("native", code, judge=partial(_anova_rows, call, table))


def _models(call: RecordedCall, context: Context) -> list[Step] | str:
    """The steps of the fits given, in R's order; why one is no fit of Python's."""
    found = []
    for argument in sorted(call.fits, key=_place):
        step = context.fit_of(call, argument)
        said = call.args.get(argument, argument)
        if step is None:
            return f"{said} is no fit of this run"
        if not isinstance(step.value, Fit):
            return f"{said} is not fitted in Python, so there is nothing to compare here"
        found.append(step)
    models = [a for a in call.args if a == "object" or a.startswith("..")]
    if not found or len(models) != len(found):
        return "one of its models is no fit of this run"
    return found


def _place(argument: str) -> tuple[int, str]:
    number = argument.lstrip(".")
    return (int(number), argument) if number.isdigit() else (0, argument)


def _refusal(steps: Sequence[Step]) -> str:
    """Why Python does not compare them; "" if it does."""
    from ....native.comparisons.contests.term_tests import anova as compared

    try:
        compared(*(s.value for s in steps))
    except PairproofError as error:
        return str(error)
    return ""


def _anova_rows(call: RecordedCall, table: RList, frame: Any) -> Sequence[Agreement]:
    r, rows = Beside(call, LEAST, WHY), []
    p = [n for n in table.names or () if n.startswith("Pr(")]
    size = float(np.nanmax(np.abs(table.vector("Resid. Dev").floats()), initial=0.0))
    for quantity, theirs in (("df", "Df"), ("statistic", "Deviance"), *(("p", n) for n in p[:1])):
        places, values = in_column(frame, quantity), table.vector(theirs).floats().tolist()
        for k, (python, value) in enumerate(zip(frame[quantity].tolist(), values)):
            if quantity != "p":
                # R subtracts in the order given, and a smaller model after a larger one gives a negative
                # difference.
                python, value = abs(python), abs(value)
            scale = size if quantity == "statistic" else 0.0
            if k:
                rows.append(r.row(f"anova.{k + 1}.{quantity}", python, value, scale, places[k]))
    return rows
