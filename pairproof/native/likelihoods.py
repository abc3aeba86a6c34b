"""Which builder makes the likelihood of a fit, of any engine: one line a family of models."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import InputError
from ..fit.estimates.likelihood import AtEstimate
from ..fit.fit import Fit
from .comparisons.contests.estimates import at_estimate
from .comparisons.contests.mixed import marginal_at_estimate
from .inference.taken_apart import check_same, counts_at_estimate, take_apart


def _of_answers(fit: Fit) -> AtEstimate:
    return fit.numbers.likelihood


def _of_comparisons(fit: Fit) -> AtEstimate:
    if fit.contests is None:
        return counts_at_estimate(take_apart(fit))
    found = marginal_at_estimate(fit) if fit.random_effects is not None else at_estimate(fit)
    check_same(fit, found.outward @ found.theta, fit.null_space)
    return found


BUILDERS: Mapping[str, Callable[[Fit], AtEstimate]] = {
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
