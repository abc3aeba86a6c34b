"""Predicted random effects as a table, and abilities as functions of effects and fixed parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..family import LOG_WORTH_PER_UNIT, Scale
from ..predictions import ability_functions as of_terms
from ..record import FitRecord
from .components import Component, Predicted

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]


def frame(components: Sequence[Component], found: Predicted, items: Sequence[str]) -> pd.DataFrame:
    """component, item, (judge,) effect, se (, mean); see :meth:`pairproof.fit.contests.mixed.MixedFit.effects`."""
    import pandas as pd

    k = found.n_effects
    out = pd.DataFrame(
        {"component": [components[c].name for c in found.component], "item": [items[i] for i in found.item]}
    )
    if found.judges:
        out["judge"] = [found.judges[j] if j >= 0 else "" for j in found.judge]
    out["effect"] = found.theta[:k]
    sigmas = np.array([c.sigma for c in components])[found.component] if k else np.zeros(0)
    se = np.sqrt(np.maximum(np.diag(found.covariance)[:k], 0.0))
    out["se"] = np.where(sigmas > 0, se, 0.0)
    if found.means is not None:
        out["mean"] = found.means
    return out


def ability_functions(fit: FitRecord, found: Predicted, judge: str | None) -> FloatArray:
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


def rescaled(
    fit: FitRecord, components: Sequence[Component], found: Predicted, before: Scale
) -> tuple[tuple[Component, ...], Predicted]:
    """Effects and their sigma on the scale of a fit whose fixed parameters were on the scale `before`."""
    factor = LOG_WORTH_PER_UNIT[before] / LOG_WORTH_PER_UNIT[fit.scale]
    of_fixed = [factor if fit.terms[k].kind in ("item", "covariate") else 1.0 for k in found.places]
    units = np.append(np.full(found.n_effects, factor), of_fixed)
    return tuple(replace(c, sigma=factor * c.sigma, se=factor * c.se) for c in components), replace(
        found,
        theta=units * found.theta,
        covariance=units[:, None] * found.covariance * units,
        means=None if found.means is None else factor * found.means,
    )
