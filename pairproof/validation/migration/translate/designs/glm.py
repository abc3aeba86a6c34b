"""stats::glm and gnm::gnm: native where the design is a model of ours, by R where it is one of this field,
else left out.
"""

from __future__ import annotations

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from ...recognise.davidson import Davidson, recognise_davidson
from ...recognise.decide import Not, Recognised, recognise_binomial, recognise_poisson
from ..registry import translates
from ..translation import Context, Translation, outside
from ..tried import tried
from .bridged import glm_in_r, gnm_in_r
from .gendavidson import davidson
from .judged import (
    GLM,
    GNM,
    binomial_likelihood,
    dispersion,
    of_fit,
    poisson_likelihood,
    r_parameters,
    with_glm,
)
from .patterns import is_pattern_design, pattern
from .read import Fitted, IntArray, Unreadable, counts, eliminated, family_of, fitted_of, text_of
from .write import fit_call

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
