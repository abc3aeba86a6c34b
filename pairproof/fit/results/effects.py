"""What a Bradley-Terry model with random effects says of its variance components and effects.

    ability of item i  =  x_i'b + u_i,        u_i ~ N(0, sigma^2)

or, with effects of items by judge, a_i + u_ij for judge j.  The parameters of the fit are the fixed ones;
effects are predicted, and what is asked about items (contrasts, ranks, worths, probabilities) is about x_i'b
+ u_i, with standard errors of prediction given sigma: Var(u^ - u), not Var(u^) (Henderson 1975, Biometrics
31, 423-447).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...text import number
from ..estimates.covariance import DenseCovariance
from ..estimates.fit_record import FitRecord
from ..estimates.identification import R, Referred, against
from ..estimates.parts import RandomEffects
from ..estimates.predictions import ability_functions as of_terms
from ..estimates.specification import Term
from ..shown.fit_json import finite
from ..shown.fit_text import p_value


def of_components(fit: FitRecord) -> tuple[str, ...]:
    """The variance components as sentences; none without random effects."""
    if fit.random_effects is None:
        return ()
    out = []
    for c in fit.random_effects.components:
        what = {"item": "items", "item:judge": "items by judge"}[c.name]
        line = f"Random effects of {what}: sigma = {number(c.sigma)}"
        if not math.isnan(c.se):
            line += f" (se {number(c.se)})"
        line += f", {c.n_effects:,} effects"
        if not math.isnan(c.lr):
            line += f"; test of sigma = 0 on its boundary: LR {number(c.lr)}, p = {p_value(c.p, _log10(c.p))}"
        out.append(line)
    if fit.spec.method == "pql":
        out.append(
            "By PQL: no log-likelihood, AIC or test of sigma; sigma is that of REML for the working response"
        )
    return tuple(out)


def _log10(p: float) -> float:
    return math.log10(p) if p > 0 else float("-inf")


def document(fit: FitRecord) -> dict[str, Any]:
    """Keys of the JSON of a fit with random effects: components, effects."""
    if fit.random_effects is None:
        return {}
    numbers = ("effect", "se", "mean")
    return {
        "components": [
            {
                "name": c.name,
                "sigma": finite(c.sigma),
                "se": finite(c.se),
                "lr": finite(c.lr),
                "p": finite(c.p),
                "n_effects": c.n_effects,
            }
            for c in fit.random_effects.components
        ],
        "effects": [
            {str(k): finite(float(v)) if k in numbers else str(v) for k, v in row.items()}
            for row in fit.random_effects.frame(fit.items).to_dict("records")
        ],
    }


FloatArray = NDArray[np.float64]


def ability_functions(fit: FitRecord, found: RandomEffects, judge: str | None) -> FloatArray:
    """float[n_items + n_others, K + p]: abilities, then order effect and comparison terms, as functions of theta."""
    k, p, n = found.n_effects, len(found.places), len(fit.items)
    others = [place for place, t in enumerate(fit.terms) if t.kind not in ("item", "covariate")]
    out = np.zeros((n + len(others), k + p))
    fixed = of_terms(fit, {})
    out[:n, k:] = fixed[:, found.places]
    for row, place in enumerate(others):
        out[n + row, k:] = found.places == place
    number = -1
    if judge is not None:
        if judge not in found.judges:
            there = ", ".join(found.judges[:20]) or "none: the random effects are of items"
            raise InputError(f"judge={judge!r}; the judges are {there}")
        number = found.judges.index(judge)
    here = (found.judge == -1) | (found.judge == number)
    out[found.item[here], np.flatnonzero(here)] += 1.0
    return out


def predicted(fit: R, judge: str | None) -> R:
    """A fit of free items whose abilities are the predicted ones; see :meth:`pairproof.Fit.predicted`."""
    found = fit.predicted_effects
    others = tuple(t for t in fit.terms if t.kind not in ("item", "covariate"))
    terms = tuple(Term(item, "item", item=item) for item in fit.items) + others
    functions = ability_functions(fit, found, judge)
    # Directions without a number, of the items' abilities and the other terms.
    rest = [[float(t is o) for t in fit.terms] for o in others]
    along = np.vstack([of_terms(fit, {}), np.reshape(rest, (len(others), len(fit.terms)))])
    numbers = Referred(
        functions @ found.theta,
        np.zeros(len(terms), bool),
        along @ fit.null_space,
        DenseCovariance(functions @ found.covariance @ functions.T),
    )
    spec = replace(fit.of_contests, item_terms=(), separate=(), no_abilities=False, reference=fit.items[0])
    return replace(
        fit,
        spec=spec,
        terms=terms,
        **vars(against(fit.items[0], terms, fit.items, numbers, fit.data)),
        constraint=f"{spec.constraint}, predicted",
        random_effects=None,
        n_infinite=0,
        quasi_likelihood=False,
    )
