"""stats::glm and gnm::gnm: native where the design is ours, by R where of this field, else left out.

gnm with GenDavidson is `fit_bradley_terry(ties="davidson")`, with shifted or scaled ties where they are asked
for; glm on a design of prefmod's patt.design is `fit_pattern` of the persons' answers.  anova of fits is
`pairproof.anova(m0, m1)` where the fits are in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RList, RVector
from ....data.wide import prefmod_pair_order
from ....errors import PairproofError
from ....fit.fit import Fit
from ....validation.r_answers.translate import RParameters, likelihood_values
from ....validation.verdicts.agreement import Agreement
from ...recognise.answer_patterns import Pattern, recognise_pattern
from ...recognise.decide import (
    Davidson,
    Design,
    Not,
    Recognised,
    codes,
    recognise_binomial,
    recognise_davidson,
    recognise_poisson,
)
from ...recognise.design_contests import Variable
from ..python_code import Call, File, Result
from ..rows import in_column, row
from ..translation import Context, Step, Translation, outside, translates, tried
from .design_numbers import (
    GLM,
    GNM,
    binomial_likelihood,
    dispersion,
    glm_in_r,
    gnm_in_r,
    of_fit,
    poisson_likelihood,
    r_parameters,
    with_glm,
)
from .recorded_design import (
    Fitted,
    IntArray,
    Unreadable,
    counts,
    eliminated,
    family_of,
    fit_call,
    fitted_of,
    product_text,
    safe_names,
    text_of,
    tidy,
    variable_of,
)

SAID = "tie = tie.max + log 2, tie-shift = tie.mode, tie-scale = tie.scale"


def davidson(call: RecordedCall, fitted: Fitted, found: Davidson) -> Translation:
    """The translation of a GenDavidson that was recognised."""
    at = [fitted.design.names.index(n) for n in found.coefficients]
    coef, vcov = np.nan_to_num(fitted.coef[at]), fitted.vcov[np.ix_(at, at)]
    theta = found.map @ coef
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
        "wins": tidy(contests.wins),
        "ties": tidy(contests.ties if contests.ties is not None else np.zeros(len(contests))),
        "losses": tidy(contests.losses),
    }
    if found.order is not None and (found.order != 1).any():
        columns["order"] = tidy(found.order)
    options: dict[str, Any] = {
        "layout": "counts",
        "columns": {"first": one, "second": other},
        "items": list(found.items),
    }
    keywords: dict[str, Any] = {}
    if found.order is not None:
        keywords["order_effect"] = True
    for name, option in (("tie-shift", "tie_shift"), ("tie-scale", "tie_scale")):
        if name in found.names:
            keywords[option] = True
    keywords["cells"] = "row"
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


def _attribute(data: RList, attribute: str) -> dict[str, FloatArray] | None:
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
    used = fitted.weights > 0
    found = recognise_binomial(fitted.design, wins, losses)
    stem = call.variable
    if isinstance(found, Not):
        return (
            glm_in_r(call, fitted, found.why, stem) if found.paired else outside(f"{LEFT_OUT}: {found.why}")
        )
    if link not in LINKS:
        return glm_in_r(call, fitted, f"link {link} of paired comparisons is not fitted here", stem)
    halves = bool(((2 * wins) % 1 == 0).all() and ((2 * losses) % 1 == 0).all())
    if not halves:
        return glm_in_r(call, fitted, "its counts are neither whole numbers nor halves", stem)
    if (fitted.design.known.sum()) == 0 or not used.all():
        return glm_in_r(call, fitted, "some of its rows have the weight 0", stem)
    half = bool((wins % 1 != 0).any() or (losses % 1 != 0).any())
    if half and ((wins % 1) != (losses % 1)).any():
        return glm_in_r(call, fitted, "some of its rows have half a contest", stem)
    code = fit_call(
        found,
        "fit_bradley_terry",
        stem,
        ties="half" if half else None,
        offset=fitted.offset,
        link=link,
        half=half,
    )
    kept = [fitted.design.names.index(n) for n in found.coefficients]
    phi = dispersion(fitted, family, call.number("df_residual") or 0.0) if family != "binomial" else 1.0
    p = r_parameters(found, fitted.coef[kept], fitted.vcov[np.ix_(kept, kept)] / phi, "log-odds")
    likelihood = binomial_likelihood(call, fitted, found.model.contests, len(kept))
    if family != "binomial" or half:
        likelihood = {q: v for q, v in likelihood.items() if q in ("deviance", "df_resid")}
    said = _said(found, 1.0)
    judge = of_fit(call, p, likelihood, GLM, *said, errors=link == "logit")
    judge = with_glm(call, fitted, judge, likelihood)
    notes = [BY_DESIGN] + ([HALF] if half else []) + _quasi(family, phi) + _link(link)
    _, refused = tried(code)
    if refused:
        return glm_in_r(call, fitted, f"fit_bradley_terry refuses it: {refused}", stem)
    return Translation("native", code, notes=tuple(notes), judge=judge)


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


def _said(found: Recognised, unit: float) -> list[str]:
    block = found.block
    if block is None or block.scale == 1.0:
        return []
    return [f"R's item columns have entries of {block.scale:g}"]


# -- Poisson -------------------------------------------------------------------------------------------------


def _poisson(
    call: RecordedCall, fitted: Fitted, family: str, link: str, groups: IntArray | None
) -> Translation:
    name = GLM if call.function == "stats::glm" else GNM
    stem = call.variable
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
    if isinstance(found, Not):
        if found.paired or of_prefmod or of_davidson:
            return _in_r(call, fitted, groups, found.why, stem, linear=not of_davidson)
        return outside(f"{LEFT_OUT}: {found.why}")
    code = fit_call(found, "fit_llbt", stem)
    kept = [fitted.design.names.index(n) for n in found.coefficients]
    phi = dispersion(fitted, family, call.number("df_residual") or 0.0) if family != "poisson" else 1.0
    p = r_parameters(found, fitted.coef[kept], fitted.vcov[np.ix_(kept, kept)] / phi, "lambda")
    likelihood = poisson_likelihood(call, found.model.contests, fitted.y, len(found.model.names))
    if family != "poisson":
        likelihood = {q: v for q, v in likelihood.items() if q in ("deviance", "df_resid")}
    notes = [*([] if of_prefmod else [BY_DESIGN]), *_quasi(family, phi)]
    if groups is None:
        notes.append(CONSTANTS)
    _, refused = tried(code)
    if refused:
        return _in_r(call, fitted, groups, f"fit_llbt refuses it: {refused}", stem)
    judge = of_fit(call, p, likelihood, name, *_said(found, 2.0))
    judge = with_glm(call, fitted, judge, likelihood, nuisance=len(found.model.contests))
    return Translation("native", code, notes=tuple(notes), judge=judge)


def _in_r(
    call: RecordedCall, fitted: Fitted, groups: IntArray | None, reason: str, stem: str, linear: bool = True
) -> Translation:
    if not linear:
        return outside(f"stays in R: {reason}, and gnm's terms that are not linear have no design to send")
    return (
        glm_in_r(call, fitted, reason, stem)
        if groups is None
        else gnm_in_r(call, fitted, groups, reason, stem)
    )


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
    return Translation("native", code, speaks="value", judge=_judge(call, table))


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


def _judge(call: RecordedCall, table: RList) -> Callable[[Any], Sequence[Agreement]]:
    def judge(frame: Any) -> Sequence[Agreement]:
        rows = []
        p = next((n for n in table.names or () if n.startswith("Pr(")), "")
        for quantity, theirs in (("df", "Df"), ("statistic", "Deviance"), ("p", p)):
            if not theirs:
                continue
            column = table[theirs]
            assert isinstance(column, RVector)
            values = column.floats()
            size = float(np.nanmax(np.abs(table.vector("Resid. Dev").floats()), initial=0.0))
            places = in_column(frame, quantity)
            for k in range(1, len(values)):
                python, r = float(frame[quantity].iloc[k]), float(values[k])
                if quantity != "p":
                    # R subtracts in the order given, and a smaller model after a larger one gives a negative
                    # difference.
                    python, r = abs(python), abs(r)
                scale = {"statistic": size, "p": 0.0, "df": 0.0}[quantity]
                rows.append(
                    row(
                        f"anova.{k + 1}.{quantity}",
                        python,
                        r,
                        call.function,
                        least=LEAST,
                        why=WHY,
                        scale=scale,
                        place=places[k],
                    )
                )
        return rows

    return judge
