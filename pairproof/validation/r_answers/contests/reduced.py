"""R's answers for contests with reduced bias: brglm2, BTm's brglm, and scoring in base R where there are ties."""

from __future__ import annotations

from ....bridge.contests import models
from ...verdicts.agreement import RCounterpart
from ..ask import answered, attempt, without_model
from .likelihood import AT_MAXIMUM
from .question import ContestQuestion, estimates, likelihood, names_of_btm, names_of_rows, parameters

BRGLM2 = "brglm2::brglmFit, tight"
BRGLM = "BradleyTerry2::BTm, br = TRUE"
SCORING = "base R, scoring with Jeffreys' prior"
#: It warns at every step of counts that are not whole: its own pseudo-counts.
NOT_WHOLE = "its pseudo-counts are not whole, of which it warns"


def reduced_counterparts(question: ContestQuestion) -> list[RCounterpart]:
    """Ask every R function that reduces the bias in this model."""
    if question.given.with_ties:
        why = (
            "with ties it takes the Poisson form, where the penalty also moves the contests' totals: another estimate"
            " than that of the conditional likelihood"
        )
        return [attempt(SCORING, _scoring, question), without_model(BRGLM2, why)]
    spec = question.given.spec
    answers = [attempt(BRGLM2, _brglm2, question)]
    if spec.link == "logit" and spec.reduction != "median":
        answers.append(attempt(BRGLM, _brglm, question))
    else:
        what = f"link {spec.link}" if spec.link != "logit" else "the median"
        answers.append(
            without_model(
                BRGLM, f"brglm as BTm calls it reduces the mean's bias of the logit; here it is {what}"
            )
        )
    return answers


def _brglm2(question: ContestQuestion) -> RCounterpart:
    found = models.brglm2(question.given, backend=question.backend)
    p = parameters(question, names_of_rows(question), found)
    values = {**estimates(question, p), **likelihood(question, found, len(p.names))}
    kind = models.TYPES[question.given.spec.reduction]
    return answered(
        BRGLM2,
        found.result,
        values,
        f"glm(y ~ 0 + X, method = 'brglmFit', type = {kind!r}), epsilon = {models.BRGLM2_EPSILON:g}",
        "llf and deviance are those of the plain likelihood at its estimates",
    )


def _brglm(question: ContestQuestion) -> RCounterpart:
    found = models.btm(question.given, tight=False, br=True, backend=question.backend)
    p = parameters(question, names_of_btm(question, found), found)
    values = {**estimates(question, p), **likelihood(question, found, len(p.names))}
    return answered(
        BRGLM, found.result, values, "BTm(..., br = TRUE) at its own stop, br.epsilon = 1e-8", NOT_WHOLE
    )


def _scoring(question: ContestQuestion) -> RCounterpart:
    found = models.jeffreys(question.given, backend=question.backend)
    p = parameters(question, names_of_rows(question), found)
    values = {**estimates(question, p), **likelihood(question, found, len(p.names))}
    return answered(
        SCORING,
        found.result,
        values,
        "scoring on l + log det(I) / 2, by the third cumulants of the three outcomes",
        flag=found.largest <= AT_MAXIMUM,
    )
