"""The independent optimum: Newton's method in base R on the list of all possible answers; and R's glm, where the
comparisons of an answer do not depend on each other, so that the model is the LLBT of single comparisons.
"""

from __future__ import annotations

from dataclasses import replace

from ....bridge.cells import count
from ....bridge.whole_answers.inputs import inputs_of, why_not
from ....bridge.whole_answers.optimum import enumerated
from ....fit.spec import Scale
from ...claims.quantities import kind_of
from ...verdicts.agreement import RCounterpart
from ..ask import AnswerQuestion, Question, answered, attempt, refused
from ..loglinear import glm_counterpart
from ..translate import RParameters, likelihood_values, parameter_values, worth_values

ENUMERATED = "base R, every answer listed"
#: Of the score at the end: what rounding leaves of sums of some thousand persons.
AT_MAXIMUM = 1e-7


def enumerated_counterpart(question: AnswerQuestion) -> RCounterpart:
    """The maximum that base R reaches by itself."""
    refusal = why_not(question.fit)
    if refusal:
        return refused(ENUMERATED, f"not asked: {refusal}")
    return attempt(ENUMERATED, _ask, question)


def _ask(question: AnswerQuestion) -> RCounterpart:
    fit = question.fit
    given = inputs_of(fit)
    found = enumerated(given, backend=question.backend)
    scale: Scale = "log-odds" if fit.spec.family == "plackett-luce" else "lambda"
    kept = [k for k, name in enumerate(found.names) if name in fit.names]
    names = tuple(found.names[k] for k in kept)
    own = RParameters(names, found.coef[kept], found.vcov[kept][:, kept], scale, given.reference)
    values = {**parameter_values(fit, own, tests=True), **worth_values(fit, own)}
    values.update(likelihood_values(found.llf, len(kept)), deviance=found.deviance, df_resid=found.df)
    how = "its choices" if given.scalars["kind"] == "choices" else "all that could be answered"
    return answered(
        ENUMERATED,
        found.result,
        values,
        f"Newton's method from zeros, {found.iterations} steps, on a list of {how}, as fit.to_r() writes it",
        "with pseudo-comparisons, which its llf leaves out" if fit.of_answers.pseudo else "",
        flag=found.largest_score <= AT_MAXIMUM,
    )


def comparisons_by_glm(question: AnswerQuestion) -> RCounterpart | None:
    """R's glm of the single comparisons; None where answers to them depend on each other."""
    fit, spec = question.fit, question.fit.of_answers
    independent = not (spec.dependence or spec.alpha or spec.beta or spec.answer_ties == "by-pair")
    if spec.asked != "comparisons" or spec.classes > 1 or not independent:
        return None
    answer = glm_counterpart(Question(fit, count(fit), question.backend))
    if answer is None:
        return None
    kept = {q: v for q, v in answer.values.items() if kind_of(q) not in ("deviance", "df_resid")}
    said = "single comparisons: without dependence the model is their LLBT; deviance and df are of cells and not compared"
    return replace(answer, values=kept, note="; ".join(filter(None, (answer.note, said))))
