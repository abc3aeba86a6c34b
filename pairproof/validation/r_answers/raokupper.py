"""Rao and Kupper's ties in R: MASS::polr on each row and its mirror.

    logit P(i preferred) = b_i - b_j - tie,  logit P(j preferred) = b_j - b_i - tie,  a tie is the rest
"""

from __future__ import annotations

import numpy as np

from ...bridge.packages import mass
from ...fit.spec import by_suffix
from ..verdicts.agreement import RCounterpart
from .ask import Question, answered, attempt, reference_for_r, refused, remarks, times_covariates
from .bradleyterry import moved_in_words
from .translate import RParameters, likelihood_values, parameter_values, worth_values

POLR = "MASS::polr"


def polr_counterpart(question: Question) -> RCounterpart | None:
    """polr(outcome ~ items, weights = count / 2); None for other models than it has (one threshold, free
    items).
    """
    fit, cells = question.fit, question.cells
    varies = any(t.by or t.of for t in fit.terms if t.kind != "item")
    if fit.ties != "rao-kupper" or fit.spec.item_terms or varies or cells.ties is None:
        return None
    if question.too_large:
        return refused(POLR, question.too_large)
    if not cells.table.is_connected():
        return refused(
            POLR,
            (
                "not asked: polr drops columns of items that no chain of comparisons joins to the rest, and"
                " which of them is not ours to say"
            ),
        )
    if not cells.ties.any():
        return refused(
            POLR,
            (
                "not asked: no tie occurred, so the threshold is at its boundary 0, where polr has two levels"
                " only and stops; the model without ties stands in its place"
            ),
        )
    return attempt(POLR, _ask_polr, question)


def _ask_polr(question: Question) -> RCounterpart:
    fit, cells = question.fit, question.cells
    assert cells.ties is not None
    first, second = cells.names
    reference = reference_for_r(fit, -1)
    by = {
        by_suffix(product).lstrip(":"): times_covariates(np.ones(len(cells)), cells, product).tolist()
        for product in dict.fromkeys(t.by for t in fit.terms if t.by)
    }
    model = mass.polr(
        first,
        second,
        cells.wins.tolist(),
        cells.ties.tolist(),
        cells.losses.tolist(),
        items=fit.items,
        reference=reference,
        order=None if cells.order is None else cells.order.tolist(),
        by=by or None,
        backend=question.backend,
    )
    names = tuple("tie" if n == "delta" else n for n in model.names)
    p = RParameters(names, model.coef, np.asarray(model.vcov), "log-odds", reference)
    values = {
        **parameter_values(fit, p),
        **likelihood_values(model.loglik, len(p.names)),
        **worth_values(fit, p),
    }
    return answered(
        POLR,
        model.result,
        values,
        "polr(outcome ~ items, weights = count / 2) on each row and its mirror, so that its thresholds are"
        " -tie and +tie",
        "its BFGS is followed by Newton steps on polr's own score",
        *moved_in_words(fit, reference),
        "llf is its logLik(); it has no deviance on cells",
        *remarks(model.result),
        flag=model.converged,
    )
