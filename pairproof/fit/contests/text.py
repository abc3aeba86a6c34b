"""A fit of contests as text and as JSON; no number is computed here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..record import FitRecord
from ..shown.json import finite, fit_dict
from ..shown.text import number, p_value
from .components import Component
from .spec import ContestSpec

if TYPE_CHECKING:
    import pandas as pd


def document(fit: FitRecord, spec: ContestSpec, penalised: float) -> dict[str, Any]:
    """The fit as a JSON object."""
    scale = {} if spec.link == "logit" else {"scale": spec.link}
    return {**fit_dict(fit), **scale, "penalised": finite(penalised)}


#: Standard errors that a summary shows of R's; the others are in the fit's `bse_expected`.
MOST_ERRORS = 8


def of_information(fit: FitRecord, expected: pd.Series[float] | None) -> tuple[str, ...]:
    """Which information the standard errors are of, with R's beside; nothing where both are the same."""
    if expected is None or fit.robust is not None:
        return ()
    known = [
        (name, own, float(theirs))
        for name, own, theirs in zip(fit.names, fit.standard_errors, expected)
        if math.isfinite(own) and math.isfinite(theirs)
    ]
    shown = "; ".join(
        f"{name} {number(theirs)} for {number(own)}" for name, own, theirs in known[:MOST_ERRORS]
    )
    more = f"; {len(known) - MOST_ERRORS} more in bse_expected" if len(known) > MOST_ERRORS else ""
    line = "Standard errors: of the observed information; R's (glm, BTm, gnm) are of the expected one: "
    return (line + shown + more,)


def by_name(values: pd.Series[float]) -> dict[str, float | None]:
    """A JSON object of a series."""
    return {str(name): finite(float(v)) for name, v in values.items()}


def of_components(components: Sequence[Component], method: str) -> tuple[str, ...]:
    """The variance components as sentences."""
    out = []
    for c in components:
        what = {"item": "items", "item:judge": "items by judge"}[c.name]
        line = f"Random effects of {what}: sigma = {number(c.sigma)}"
        if not math.isnan(c.se):
            line += f" (se {number(c.se)})"
        line += f", {c.n_effects:,} effects"
        if not math.isnan(c.lr):
            line += f"; test of sigma = 0 on its boundary: LR {number(c.lr)}, p = {p_value(c.p, _log10(c.p))}"
        out.append(line)
    if method == "pql":
        out.append(
            "By PQL: no log-likelihood, AIC or test of sigma; sigma is that of REML for the working response"
        )
    return tuple(out)


def _log10(p: float) -> float:
    return math.log10(p) if p > 0 else float("-inf")


def mixed_document(
    plain: dict[str, Any], components: Sequence[Component], effects: pd.DataFrame
) -> dict[str, Any]:
    """The JSON object of a fit with its random effects."""
    numbers = ("effect", "se", "mean")
    return {
        **plain,
        "components": [
            {
                "name": c.name,
                "sigma": finite(c.sigma),
                "se": finite(c.se),
                "lr": finite(c.lr),
                "p": finite(c.p),
                "n_effects": c.n_effects,
            }
            for c in components
        ],
        "effects": [
            {str(k): finite(float(v)) if k in numbers else str(v) for k, v in row.items()}
            for row in effects.to_dict("records")
        ],
    }
