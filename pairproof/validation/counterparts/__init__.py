"""What R says about a native fit: every R function that has the model, asked, and its answer on our definitions.

=================================== =============================================================================
R call                              answers
=================================== =============================================================================
``gnm::gnm(eliminate)``             every model but Rao and Kupper's
``stats::glm, refitted``            the same, up to 400 nuisance constants
``prefmod::llbtPC.fit``             whole counts, categorical covariates, no order effect
``prefmod::llbt.fit``               the same, and numeric covariates
``BradleyTerry2::BTm, refitted``    two outcomes (also ties dropped or as half wins), no subject covariates
``stats::glm(binomial), refitted``  two outcomes, with subject or item covariates
``BradleyTerry2::GenDavidson``      Davidson's ties, no covariates
``psychotools::btmodel``            whole counts, Davidson's ties or none, no covariates, no order effect
``MASS::polr``                      Rao and Kupper's ties
=================================== =============================================================================

What is translated (scale, reference, R's names, what a log-likelihood counts) is said in each answer's note, and a
tolerance is never loosened for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

from ...bridge.policy import Backend, BackendLike
from ...bridge.policy import backend as policy
from ...fit import Fit
from ..agreement import RCounterpart
from .asking import Question
from .bradleyterry import binomial_counterpart, btm_counterpart, btmodel_counterpart, gendavidson_counterpart
from .cells import count
from .loglinear import glm_counterpart, gnm_counterpart
from .prefmod import llbt_fit_counterpart, llbtpc_counterpart
from .raokupper import polr_counterpart

__all__ = ["counterparts"]

Answerer = Callable[[Question], Optional[RCounterpart]]
#: In the order of a report: the most precise first, since a printed number is shown beside the first that has it.
_ANSWERERS: tuple[Answerer, ...] = (
    glm_counterpart, gnm_counterpart, llbtpc_counterpart, llbt_fit_counterpart, btm_counterpart, binomial_counterpart,
    gendavidson_counterpart, btmodel_counterpart, polr_counterpart)


def counterparts(fit: Fit, backend: BackendLike = None) -> list[RCounterpart]:
    """Ask every R function that has the model of a native fit.

    Parameters
    ----------
    fit : Fit
    backend : Backend, "live", "recorded", "both", "none", or None
        As :mod:`pairproof.bridge.policy` says.  None: live where R and the package are, else from records.

    Returns
    -------
    list of RCounterpart
        One for each function that has the model; empty for mode "none".  A function that did not run, or that stopped,
        says why in `not_run`.
    """
    chosen: Backend = policy(backend)
    if chosen.mode == "none":
        return []
    question = Question(fit, count(fit), chosen)
    answers = [answerer(question) for answerer in _ANSWERERS]
    return [a for a in answers if a is not None]
