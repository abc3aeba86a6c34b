"""R's answers: every R function that has the model of a fit is asked, and its numbers are translated.

===================================  ================================================================
R call                              answers
===================================  ================================================================
``gnm::gnm(eliminate)``             every model but Rao and Kupper's
``stats::glm, refitted``            the same, up to 400 nuisance constants
``prefmod::llbtPC.fit``             whole counts, categorical covariates, no order effect
``prefmod::llbt.fit``               the same, and numeric covariates
``BradleyTerry2::BTm, refitted``    two outcomes (also ties dropped or as half wins), no subject covariates
``stats::glm(binomial), refitted``  two outcomes, with subject or item covariates
``BradleyTerry2::BTm`` at two stops  two outcomes, item covariates or comparison terms, no subject covariates
``BradleyTerry2::GenDavidson``      Davidson's ties, no covariates
``psychotools::btmodel``            whole counts, Davidson's ties or none, no covariates, no order effect
``MASS::polr``                      Rao and Kupper's ties
``sandwich::vcovCL``                standard errors by cluster, CR0 and CR1
``clubSandwich::vcovCR``            the same, CR2 and its degrees of freedom
===================================  ================================================================

Fits of whole answers have their own: :mod:`.whole_answers`; so have models of contests: :mod:`.contests`.

Each answer's note says what was translated: scale, reference, R's names, what a log-likelihood counts.  No
tolerance is loosened for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Optional

from ...bridge.process.policy import Backend, BackendLike, backend as policy
from ...bridge.programs.counted_cells import count
from ...fit.fit import Fit
from ..claims.quantities import Quantity
from ..verdicts.agreement import RCounterpart
from .ask import Question, without_model
from .bradleyterry import (
    BINOMIAL,
    BTM,
    binomial_counterpart,
    btm_counterpart,
    btmodel_counterpart,
    gendavidson_counterpart,
    polr_counterpart,
)
from .clustered import clustered_counterparts, model_based, without_model_errors
from .contests import TOWARDS_INFINITY, contest_counterparts, plain_btm
from .loglinear import glm_counterpart, gnm_counterpart
from .prefmod_llbt import llbt_fit_counterpart, llbtpc_counterpart
from .stopped_short import kept_aliased, rounding, score_check
from .whole_answers import answer_counterparts

__all__ = ["counterparts"]

Answerer = Callable[[Question], Optional[RCounterpart]]
#: In the order of a report: the most precise first, since a printed number is shown beside the first that has
#: it.
_ANSWERERS: tuple[Answerer, ...] = (
    glm_counterpart,
    gnm_counterpart,
    llbtpc_counterpart,
    llbt_fit_counterpart,
    btm_counterpart,
    binomial_counterpart,
    gendavidson_counterpart,
    btmodel_counterpart,
    polr_counterpart,
)


def counterparts(fit: Fit, backend: BackendLike = None) -> list[RCounterpart]:
    """Ask every R function that has the model of a native fit."""
    chosen: Backend = policy(backend)
    if chosen.mode == "none":
        return []
    if fit.robust is not None:
        # Estimates and likelihood by functions that have the model, standard errors by those that cluster.
        own = model_based(fit) if fit.answers is None else replace(fit, robust=None)
        return [*map(without_model_errors, counterparts(own, chosen)), *_by_cluster(fit, chosen)]
    if fit.answers is not None:
        return answer_counterparts(fit, chosen)
    if fit.contests is not None:
        return contest_counterparts(fit, chosen)
    question = Question(fit, count(fit), chosen)
    asked = [a for answerer in _ANSWERERS if (a := answerer(question)) is not None]
    answers = []
    for a in [*asked, *plain_btm(fit, chosen)]:
        a = replace(a, rounding=rounding(fit, question.cells, a, a.r_call in (BTM, BINOMIAL)))
        if not a.not_run:
            score, aliased = score_check(fit, question.cells, a), kept_aliased(fit, question.cells, a)
            a = replace(a, score=score, kept_aliased=aliased)
        answers.append(a)
    return [_on_the_way(fit, a) for a in answers] if at_a_limit(fit) else answers


def _by_cluster(fit: Fit, backend: Backend) -> list[RCounterpart]:
    if fit.answers is None and fit.contests is None:
        return clustered_counterparts(fit, backend)
    of_contests = "R is not asked for clustered standard errors of these models"
    of_answers = "none has clustered standard errors for whole answers"
    return [without_model("R packages", of_contests if fit.answers is None else of_answers)]


def _on_the_way(fit: Fit, answer: RCounterpart) -> RCounterpart:
    # What R leaves of an outcome that cannot occur is an absolute error of its deviance, however small that
    # is. A standard error of a worth may be lost in its covariances, which are as large as the way to
    # infinity is long.
    without_digits = tuple(Quantity("worth_se", g, i) for g in fit.groups for i in fit.items)
    r_call, lacks = f"{answer.r_call}, {TOWARDS_INFINITY}", (*answer.lacks, *without_digits)
    return replace(answer, r_call=r_call, se={**answer.se, "deviance": 1.0}, lacks=lacks)


def at_a_limit(fit: Fit) -> bool:
    """Whether the maximum lies at infinity: an outcome that did not occur has probability 0 there.

    R goes on until the deviance changes no more, and stops short of the limit by what that leaves.
    """
    if not fit.null_space.shape[1]:
        return False
    _, _, fitted = fit.cell_table().outcomes(fit.outcome_model != "binary")
    return bool((fitted == 0).any())
