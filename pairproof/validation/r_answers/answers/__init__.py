"""R's answers for models of whole answers: pattern models, and Plackett and Luce's.

=====================================  ==========================================================================
R call                                 answers
=====================================  ==========================================================================
``base R, every answer listed``        every model whose possible answers can be listed: the independent optimum
``stats::glm, refitted``               pattern models of comparisons that do not depend on each other
``prefmod::pattPC.fit`` ... ``Rrep``   pattern models with categorical covariates, as prefmod detects the categories
``PlackettLuce::PlackettLuce``         Plackett and Luce's model of full rankings and those with absent items
``survival::coxph``                    the same without ties; the best k of the items that were presented
=====================================  ==========================================================================

Where R has no such model a row says so.  prefmod stops where its `nlm` does, so that its floors are its own; what it
defines otherwise (blocks of partial rankings, its scale of ratings) is named and not compared.
"""

from __future__ import annotations

from dataclasses import replace

from ....bridge.process.policy import Backend
from ....fit.answers.fit import AnswerFit
from ...verdicts.agreement import RCounterpart
from ..ask import AnswerQuestion, without_model
from .enumerated import ENUMERATED, comparisons_by_glm, enumerated_counterpart
from .patterns import prefmod_counterpart
from .rankings import coxph_counterpart, plackettluce_counterpart

_ANSWERERS = (
    enumerated_counterpart,
    comparisons_by_glm,
    prefmod_counterpart,
    plackettluce_counterpart,
    coxph_counterpart,
)


def answer_counterparts(fit: AnswerFit, backend: Backend) -> list[RCounterpart]:
    """Ask every R function that has a model of whole answers.

    fit: with the standard errors of the model.  Returns list of RCounterpart: last, if no R package has the
    model, one that says so.
    """
    question = AnswerQuestion(fit, backend)
    answers = [answer for answerer in _ANSWERERS if (answer := answerer(question)) is not None]
    if all(a.r_call == ENUMERATED for a in answers):
        answers.append(without_model("R packages", f"none has {fit.title}"))
    return [replace(a, rounding=_rounding(fit)) if a.values else a for a in answers]


def _rounding(fit: AnswerFit) -> dict[str, float]:
    """Size of the sums that cancel in likelihoods: every answer is a term."""
    size = fit.n_persons + abs(fit.llf)
    return {"llf": size, "aic": 2.0 * size, "deviance": 4.0 * size}
