"""Numbers of random effects by name: standard deviations with their tests, and predicted effects."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...errors import InputError
from ...fit.contests.components import Component
from ...fit.contests.mixed import MixedFit
from ...fit.fit import Fit

#: Kinds of numbers of a variance component, and of models with random effects.
OF_COMPONENT = ("sigma", "sigma_se", "sigma_lr", "sigma_p")
OF_EFFECTS = (*OF_COMPONENT, "effect", "effect_mean")


def components_of(fit: Fit) -> Sequence[Component]:
    """The variance components of a fit; none of a model without random effects."""
    return fit.components if isinstance(fit, MixedFit) else ()


def of_effects(fit: Fit, kind: str, name: str) -> float:
    """The number of this kind and name.

    kind: one of :data:`OF_EFFECTS`.  name: component, or item (with effects by judge judge and item, joined
    by a dot).  Returns float: nan where the method has none.
    """
    if not isinstance(fit, MixedFit):
        raise InputError(f"{kind}.{name}: {fit.title} has no random effects")
    if kind.startswith("sigma"):
        found = fit.component(name)
        return float(
            {"sigma": found.sigma, "sigma_se": found.se, "sigma_lr": found.lr, "sigma_p": found.p}[kind]
        )
    names = effect_names(fit)
    if name not in names:
        raise InputError(f"{kind}.{name}: no such effect; there are {', '.join(names[:12])}")
    place, predicted = names.index(name), fit.predicted_effects
    if kind == "effect":
        return float(predicted.theta[place])
    return math.nan if predicted.means is None else float(predicted.means[place])


def effect_names(fit: MixedFit) -> list[str]:
    """Of the predicted effects, in the order of the fit: `A`, or `J.A` of judge J."""
    found = fit.predicted_effects
    return [
        fit.items[item] if judge < 0 else f"{found.judges[judge]}.{fit.items[item]}"
        for item, judge in zip(found.item, found.judge)
    ]
