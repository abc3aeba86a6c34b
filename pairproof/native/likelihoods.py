"""Which builder makes the likelihood of a fit, of any engine: one line a family of models."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import InputError
from ..fit.estimates.likelihood import AtEstimate
from ..fit.estimates.specification import FamilyName
from ..fit.fit import Fit
from .inference.taken_apart import counts_at_estimate


def _of_answers(fit: Fit) -> AtEstimate:
    return fit.numbers.likelihood


def _of_comparisons(fit: Fit) -> AtEstimate:
    if fit.contests is not None:
        return fit.outcomes.at_estimate(fit)
    return counts_at_estimate(fit)


BUILDERS: Mapping[FamilyName, Callable[[Fit], AtEstimate]] = {
    "llbt": _of_comparisons,
    "bradley-terry": _of_comparisons,
    "pattern": _of_answers,
    "plackett-luce": _of_answers,
}


def likelihood_of(fit: Fit) -> AtEstimate:
    """The likelihood of a fit, its estimate and what the fit's parameters are of it; asked by `fit.likelihood`."""
    if fit.model not in BUILDERS:
        raise InputError(f"no likelihood is known of {fit.title}")
    return BUILDERS[fit.model](fit)
