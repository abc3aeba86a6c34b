"""Plackett and Luce's model by R's PlackettLuce, and by coxph, which has the same likelihood where there are no ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....bridge.packages import plackettluce, survival
from ....data.respondents.codes import ABSENT, BELOW
from ....fit.answers.fit import AnswerFit
from ...verdicts.agreement import RCounterpart
from ..ask import AnswerQuestion, answered, attempt, without_model
from ..translate import RParameters, likelihood_values, parameter_values, worth_values

FloatArray = NDArray[np.float64]
PLACKETT_LUCE, COXPH = "PlackettLuce::PlackettLuce", "survival::coxph"
#: PlackettLuce's stopping rule: its default of 1e-7 leaves 7 digits, this one 14.
EPSILON = 1e-13
#: It asks for more than a maximum that exists needs: ties do not connect items there.
NOT_CONNECTED = "Network is not fully connected"
#: Where ties of 3 occur and of 2 do not.
NO_VCOV = "must have same number of rows"


def plackettluce_counterpart(question: AnswerQuestion) -> RCounterpart | None:
    """R's PlackettLuce; None for other models."""
    fit = question.fit
    if fit.spec.family != "plackett-luce":
        return None
    lacks = _lacks(fit)
    return (
        without_model(PLACKETT_LUCE, lacks)
        if lacks
        else attempt(PLACKETT_LUCE, _ask, question, [NOT_CONNECTED])
    )


def _lacks(fit: AnswerFit) -> str:
    spec, table = fit.of_answers, fit.respondents
    if spec.classes > 1:
        return "it has no latent classes"
    if spec.by or spec.item_terms:
        return "it has no covariates"
    if spec.prior:
        return "the fit does not keep the numbers of its prior"
    ranks = table.ranks[table.weights > 0, 0]
    sizes = {int((row == k).sum()) for row in ranks for k in range(1, int(row.max()) + 1)} - {1}
    if sizes != set(spec.tie_orders):
        return f"it takes the ties that occur ({sorted(sizes) or 'none'}), not tie_orders={list(spec.tie_orders)}"
    if table.kind == "rankings" and (table.once[table.weights > 0] == BELOW).any():
        return "items below all others are absent to it; survival::coxph has them where there are no ties"
    if len(table.items) < 3:
        return "it stops with two items"
    return ""


def _rows(fit: AnswerFit) -> tuple[FloatArray, FloatArray]:
    table = fit.respondents
    kept = (table.weights > 0) & (table.answered > 0)
    return np.asarray(table.ranks[kept, 0], float), np.asarray(table.weights[kept], float)


def _ask(question: AnswerQuestion) -> RCounterpart:
    fit = question.fit
    ranks, weights = _rows(fit)
    pseudo = float(fit.of_answers.pseudo)
    model = plackettluce.PlackettLuce(
        ranks,
        list(fit.items),
        npseudo=pseudo,
        weights=weights.tolist(),
        epsilon=EPSILON,
        backend=question.backend,
    )
    values = _values(fit, tuple(model.names), model.coef, model.vcov, not pseudo and not model.vcov_error)
    values.update(likelihood_values(model.loglik, int(model.rank)))
    said = ["its deviance is -2 logLik, its df counts every stage: neither is compared"]
    if pseudo:
        said.append(
            f"npseudo = {pseudo:g}; its standard errors leave the pseudo-rankings out, native's are those of what was"
            " maximised, with them: not compared"
        )
        if not model.vcov_error:
            said[-1] += f" ({_errors_beside(fit, model)})"
    if model.vcov_error:
        said.append(f"its vcov stops ({model.vcov_error})")
    call = f"PlackettLuce(rankings, npseudo = {pseudo:g}, epsilon = {EPSILON:g})"
    return answered(PLACKETT_LUCE, model.result, values, call, *_moved(fit), *said, flag=model.converged)


def _errors_beside(fit: AnswerFit, model: plackettluce.PlackettLuceModel) -> str:
    """R's standard errors under the fit's names and constraint, beside the fit's."""
    theirs = _values(fit, tuple(model.names), model.coef, model.vcov, True)
    errors = [(q, v) for q, v in theirs.items() if q.startswith("se.")]
    shown = ", ".join(f"{q} {v:.6g} for {float(fit.bse[q[3:]]):.6g}" for q, v in errors[:8])
    return shown + (f", and {len(errors) - 8} more" if len(errors) > 8 else "")


def coxph_counterpart(question: AnswerQuestion) -> RCounterpart | None:
    """R's coxph, each ranking a stratum; None where it has no such model."""
    fit = question.fit
    spec, table = fit.of_answers, fit.respondents
    if spec.family != "plackett-luce" or spec.classes > 1:
        return None
    plain = not (spec.tie_orders or spec.by or spec.item_terms or spec.pseudo or spec.prior)
    if not plain or table.kind != "rankings":
        return None
    codes = table.once[table.weights > 0]
    if (codes == ABSENT).any() and (codes == BELOW).any():
        return without_model(
            COXPH, "items that were absent beside items below all others were not written for it"
        )
    return attempt(COXPH, _ask_coxph, question)


def _ask_coxph(question: AnswerQuestion) -> RCounterpart:
    fit = question.fit
    ranks, weights = _rows(fit)
    below = bool((fit.respondents.once == BELOW).any())
    model = survival.coxph(
        ranks,
        list(fit.items),
        unranked="below" if below else "absent",
        weights=weights.tolist(),
        backend=question.backend,
    )
    values = _values(fit, tuple(model.names), model.coef, model.vcov, True)
    values.update(likelihood_values(model.loglik, len(model.names)))
    call = 'coxph(Surv(rank, ranked) ~ item + strata(person), ties = "breslow")'
    return answered(COXPH, model.result, values, call, "each ranking is a stratum", *_moved(fit))


def _values(
    fit: AnswerFit, names: tuple[str, ...], coef: FloatArray, vcov: FloatArray, errors: bool
) -> dict[str, float]:
    """Numbers of R's log worths, the first item 0, under the fit's names; without standard errors where they differ."""
    kept = [k for k, name in enumerate(names) if name in fit.names and name != fit.items[0]]
    matrix = vcov[np.ix_(kept, kept)] if errors else np.zeros((len(kept), len(kept)))
    own = RParameters(tuple(names[k] for k in kept), coef[kept], matrix, "log-odds", fit.items[0])
    values = {**parameter_values(fit, own, tests=errors), **worth_values(fit, own)}
    if errors:
        return values
    return {q: v for q, v in values.items() if not q.startswith(("se.", "worth_se."))}


def _moved(fit: AnswerFit) -> list[str]:
    said = (
        []
        if fit.spec.reference == fit.items[0]
        else [f"moved from its reference {fit.items[0]} to {fit.constraint}"]
    )
    return said + (["lambda is half its log worth"] if fit.scale == "lambda" else [])
