"""R's answers for models of contests: links, offsets, reduced bias, general ties and random effects.

=============================================  ==================================================================
R call                                         answers
=============================================  ==================================================================
``base R, Newton's method``                    every model by maximum likelihood without random effects
``stats::glm.fit, tight``                      the same without ties
``BradleyTerry2::BTm, refitted``, ``default``  the same, at a tight stop and as it is called
``gnm::gnm, GenDavidson``                      Davidson's generalised ties of free abilities, without offsets
``brglm2::brglmFit, tight``                    reduced bias without ties
``BradleyTerry2::BTm, br``                     the same of the logit's mean, by brglm, as it is called
``base R, scoring``                            Jeffreys' prior with ties: no package has the conditional model
``BradleyTerry2::BTm, PQL``                    random effects of items by PQL, at both stops
``base R, Laplace``                            random effects by Laplace's approximation
``lme4::glmer, modules``                       the same, winner less loser put in by hand
``base R, quadrature``                         random effects by quadrature
``lme4::glmer, nAGQ``                          two items by judge: one effect a judge
=============================================  ==================================================================

BTm stands there twice: asked for a tight stop it has the digits of the others; as it is called it has its own floor.
Standard errors of probit and cauchit are of the observed information, which glm, BTm and gnm do not give: base R works
it out at glm's estimates.  Rows whose result is certain in the limit (separated contests) are left out in base R, as
the fit does; BTm goes on towards infinity with them.
"""

from __future__ import annotations

from dataclasses import replace

from ....bridge.contests.inputs import MOST_NUMBERS, inputs_of
from ....bridge.process.policy import Backend
from ....fit.contests.fit import ContestFit
from ....fit.contests.mixed import MixedFit
from ...verdicts.agreement import RCounterpart
from ..ask import refused
from .likelihood import likelihood_counterparts
from .mixed import mixed_counterparts
from .question import ContestQuestion
from .reduced import reduced_counterparts


def contest_counterparts(fit: ContestFit, backend: Backend) -> list[RCounterpart]:
    """Ask every R function that has a model of contests.

    Returns list of RCounterpart: the most precise first.
    """
    rows, columns = fit.data.n_rows, len(fit.terms)
    if rows * columns > MOST_NUMBERS:
        why = f"not asked: a design of {rows:,} rows and {columns:,} columns; at most {MOST_NUMBERS:,} numbers are sent"
        return [refused("R packages", why)]
    question = ContestQuestion(fit, inputs_of(fit), backend)
    if isinstance(fit, MixedFit):
        answers = mixed_counterparts(question)
    elif fit.of_contests.reduction:
        answers = reduced_counterparts(question)
    else:
        answers = likelihood_counterparts(question)
    return [replace(a, rounding=_rounding(fit)) if a.values else a for a in answers]


def _rounding(fit: ContestFit) -> dict[str, float]:
    """Size of the sums that cancel in likelihoods: every contest is a term."""
    size = fit.n_comparisons + abs(fit.llf) if fit.llf == fit.llf else fit.n_comparisons
    return {"llf": size, "aic": 2.0 * size, "deviance": 4.0 * size}
