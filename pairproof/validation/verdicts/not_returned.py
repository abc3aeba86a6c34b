"""What an R call should have given and did not: a lost column must not pass as agreement."""

from __future__ import annotations

import math

from ...fit.fit import Fit
from ..claims.quantities import kind_of, names, quantity
from .agreement import RCounterpart

OF_PARAMETER = ("estimate", "se", "z", "p", "low", "high")


def lost(fit: Fit, c: RCounterpart) -> list[str]:
    """Quantities missing from an R call that gives others of their kind: a lost column must not pass as
    agreement.
    """
    if c.not_run:
        return []
    kinds = {kind_of(name) for name in c.values} & {*OF_PARAMETER, "worth", "worth_se"}
    return [
        name
        for name in names(fit)
        if kind_of(name) in kinds
        and name not in c.values
        and name not in c.lacks
        and not is_reference(fit, name)
        and not math.isnan(quantity(fit, name))
    ]


def is_reference(fit: Fit, name: str) -> bool:
    """A reference is 0 by definition and has no standard error: nothing to compare."""
    kind, _, parameter = name.partition(".")
    return (
        kind in OF_PARAMETER and parameter in fit.names and bool(fit.is_reference[fit.names.index(parameter)])
    )
