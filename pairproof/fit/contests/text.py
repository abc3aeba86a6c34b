"""A fit of contests as text and as JSON; no number is computed here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..shown.json import finite, fit_dict
from ..shown.text import number, p_value, summary as plain_summary

if TYPE_CHECKING:
    import pandas as pd

    from .fit import ContestFit
    from .mixed import Component


def summary(fit: ContestFit, rows: int) -> str:
    """The fit as text, at most 100 columns wide."""
    return plain_summary(fit, rows)


def document(fit: ContestFit) -> dict[str, Any]:
    """The fit as a JSON object."""
    spec = fit.of_contests
    return {
        **fit_dict(fit),
        "formula": spec.formula,
        "link": spec.link,
        "offset": spec.offset or None,
        "reduce_bias": spec.reduction or None,
        "penalised": finite(fit.penalised),
        "random": list(spec.random),
        "method": spec.method,
    }


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


def mixed_document(fit: ContestFit, components: Sequence[Component], effects: pd.DataFrame) -> dict[str, Any]:
    """A fit with random effects as a JSON object."""
    numbers = ("effect", "se", "mean")
    return {
        **document(fit),
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
