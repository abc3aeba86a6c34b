"""Bradley-Terry models in R: BTm, GenDavidson, btmodel, base R's own logistic regression; Rao and Kupper's ties
by polr.

    logit P(i preferred to j) = b_i - b_j (+ order),   b in log-odds: twice lambda

Davidson's ties: gamma = tie.max + log 2 of GenDavidson = "(undecided)" of btmodel.  BTm's and glm's binomial
log-likelihood has log choose(n, wins) beyond that of the comparisons.

Rao and Kupper's ties: MASS::polr on each row and its mirror,

    logit P(i preferred) = b_i - b_j - tie,  logit P(j preferred) = b_j - b_i - tie,  a tie is the rest
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...bridge.packages import base, mass, psychotools
from ...bridge.packages.asking import RModel
from ...bridge.packages.bradleyterry2.counts import BTm_counts, GenDavidson
from ...fit.estimates.predictions import sets_of_items
from ...fit.estimates.specification import by_suffix
from ...fit.fit import Fit
from ..claims.quantities import Quantity
from ..verdicts.agreement import RCounterpart
from .ask import (
    Question,
    answered,
    attempt_unless,
    column_of,
    first_reason,
    reference_for_r,
    remarks,
    times_covariates,
)
from .translate import (
    RParameters,
    likelihood_values,
    numbers_of,
    parameter_values,
    parameters_of,
    worth_values,
)

BTM = "BradleyTerry2::BTm, refitted"
BINOMIAL = "stats::glm(binomial), refitted"
GENDAVIDSON = "BradleyTerry2::GenDavidson, by gnm"
BTMODEL = "psychotools::btmodel"
#: GenDavidson takes 4 s for 1770 cells of 60 items.
MOST_MATCHES = 2_000
#: R's own error with two items: its covariance is then a number without row names.
TWO_ITEMS = "length of 'dimnames' [1] not equal to array extent"
#: R's own error where no tie occurred.
NO_TIES = "data have no ties"
#: btmodel's design has objects + pairs columns and 3 x pairs rows: unusable beyond about 50 objects.
MOST_ITEMS = 40
#: btmodel's responses are rows of a matrix as long as the fullest pair.
MOST_RESPONSES = 100_000


def _plain(fit: Fit) -> bool:
    """Free items, the same for everybody, and nothing of the comparison but who was named first."""
    return not fit.spec.item_terms and not any(t.by or t.of for t in fit.terms)


def moved_in_words(fit: Fit, reference: str) -> list[str]:
    """What was moved from R's scale and reference."""
    said = ["lambda is half its log-odds"] if fit.scale == "lambda" and not fit.spec.item_terms else []
    if reference and fit.spec.reference != reference:
        said.append(f"moved from its reference {reference} to {fit.constraint}")
    return said


# -- BTm -----------------------------------------------------------------------------------------------------


def btm_counterpart(question: Question) -> RCounterpart | None:
    """BTm(cbind(wins, losses), ..., ~ item (+ at.home)); None for other models than it has."""
    fit, cells = question.fit, question.cells
    if not _plain(fit) or cells.ties is not None:
        return None
    return attempt_unless(question.too_large, BTM, _ask_btm, question)


def _ask_btm(question: Question) -> RCounterpart:
    fit, at_home, (wins, _, losses) = question.fit, question.home, question.counts
    reference, names = reference_for_r(fit, 0), question.cells.names
    options: dict[str, Any] = {"players": fit.items, "refcat": reference, "backend": question.backend}
    model = BTm_counts(wins, losses, *names, at_home=at_home, **options)
    named = {f"player{item}": item for item in fit.items} | {"at.home": "order"}
    p = parameters_of(model, named, "log-odds", reference)
    home = " + at.home" if at_home is not None else ""
    call = f"BTm(cbind(wins, losses), i, j, ~ item{home}, refcat = {reference!r})"
    said = [f"{call}, fitted again from its own solution", *(["at.home is order"] if home else [])]
    return _binomial_answer(question, BTM, p, model, said + moved_in_words(fit, reference))


def _binomial_answer(
    question: Question, r_call: str, p: RParameters, model: RModel, said: list[str]
) -> RCounterpart:
    fit, cells = question.fit, question.cells
    llf = model.loglik - cells.binomial_constant if cells.whole else None
    values = numbers_of(fit, p, model.deviance, model.df_residual, llf)
    compared = "logLik(), binomial, minus sum log choose(n, wins) gives llf"
    said = [*said, compared if cells.whole else "its log-likelihood rounds the counts and is not compared"]
    kept = [w for w in remarks(model.result) if "non-integer" not in w]
    return answered(r_call, model.result, values, *said, *kept, flag=model.converged)


# -- logistic regression -------------------------------------------------------------------------------------


def binomial_counterpart(question: Question) -> RCounterpart | None:
    """glm(cbind(wins, losses) ~ 0 + differences of items, binomial), beyond BTm's own formula."""
    fit, cells = question.fit, question.cells
    if cells.ties is not None or _plain(fit):
        return None
    return attempt_unless(question.too_large, BINOMIAL, _ask_binomial, question)


def _ask_binomial(question: Question) -> RCounterpart:
    fit, cells = question.fit, question.cells
    reference = "" if fit.spec.item_terms else reference_for_r(fit, 0)
    free = [t for t in fit.terms if t.kind != "tie" and (t.kind != "item" or t.item != reference)]
    columns: dict[str, Any] = {"wins": cells.wins, "losses": cells.losses}
    columns |= {f"b{k + 1}": column_of(fit, cells, term) for k, term in enumerate(free)}
    named = {f"b{k + 1}": term.name for k, term in enumerate(free)}
    formula = f"cbind(wins, losses) ~ 0 + {' + '.join(named)}"
    model = base.glm(formula, columns, "binomial", backend=question.backend)
    p = parameters_of(model, named, "log-odds", reference)
    call = "glm(cbind(wins, losses) ~ 0 + one column per parameter, binomial)"
    said = [f"{call}, fitted again from its own solution"]
    if fit.scale == "lambda" and fit.spec.item_terms:
        said.append("R's coefficients, log-odds, are halved to lambda")
    return _binomial_answer(question, BINOMIAL, p, model, said + moved_in_words(fit, reference))


def _with_aic(fit: Fit, values: dict[str, float]) -> dict[str, float]:
    """Without AIC where items were never joined, for both functions count a coefficient for each."""
    joined = fit.null_space.shape[1] == fit.n_infinite
    return {q: v for q, v in values.items() if q != "aic" or joined}


# -- GenDavidson ---------------------------------------------------------------------------------------------


def gendavidson_counterpart(question: Question) -> RCounterpart | None:
    """gnm(count ~ GenDavidson(...), eliminate = match); None for other models than it has."""
    fit = question.fit
    if not _plain(fit) or fit.outcome_model != "davidson" or not any(t.kind == "tie" for t in fit.terms):
        return None
    n = len(question.cells)
    many = f"not asked: {n:,} cells are more than {MOST_MATCHES:,} and would take it minutes"
    why = many if n > MOST_MATCHES else question.too_large
    return attempt_unless(why, GENDAVIDSON, _ask_gendavidson, question)


def _ask_gendavidson(question: Question) -> RCounterpart:
    fit, cells, at_home, (wins, ties, losses) = question.fit, question.cells, question.home, question.counts
    assert ties is not None
    reference = reference_for_r(fit, 0)
    options: dict[str, Any] = {"players": fit.items, "reference": reference, "backend": question.backend}
    home_adv = at_home is not None
    model = GenDavidson(*cells.names, wins, ties, losses, at_home=at_home, home_adv=home_adv, **options)
    named = {item: item for item in fit.items} | {"tie.max": "tie", "home.adv": "order"}
    p = parameters_of(model, named, "log-odds", reference)
    log_2 = np.where([name == "tie" for name in p.names], np.log(2.0), 0.0)
    p = replace(p, estimate=p.estimate + log_2)
    llf = model.loglik - cells.poisson_constant if cells.whole else None
    values = numbers_of(fit, p, model.deviance, model.df_residual, llf)
    said = [
        "gnm(count ~ GenDavidson(win, tie, loss, i, j, ...) - 1, eliminate = match)",
        "tie = tie.max + log 2",
    ]
    said += ["home.adv is order"] * home_adv + moved_in_words(fit, reference)
    said += ["logLik(), Poisson, minus a constant of the cells gives llf", *remarks(model.result)]
    return answered(GENDAVIDSON, model.result, _with_aic(fit, values), *said, flag=model.converged)


# -- btmodel -------------------------------------------------------------------------------------------------


def btmodel_counterpart(question: Question) -> RCounterpart | None:
    """psychotools' btmodel of the responses; None for other models than it has."""
    fit, cells = question.fit, question.cells
    if not _plain(fit) or cells.order is not None or fit.ties == "rao-kupper" or not cells.whole:
        return None
    if cells.ties is not None and not any(t.kind == "tie" for t in fit.terms):
        return None
    n, responses = len(fit.items), cells.counts.sum()
    limits = f"a row for each response, and is asked up to {MOST_ITEMS} and {MOST_RESPONSES:,}"
    why = f"not asked: {n} items and {responses:,.0f} responses; it has a column for each pair and {limits}"
    large = n > MOST_ITEMS or responses > MOST_RESPONSES
    no_ties = cells.ties is not None and not cells.ties.any()
    known = [NO_TIES] * no_ties + [TWO_ITEMS] * (n == 2)
    return attempt_unless(why if large else "", BTMODEL, _ask_btmodel, question, known)


def _ask_btmodel(question: Question) -> RCounterpart:
    fit, cells = question.fit, question.cells
    first, second = cells.names
    reference = reference_for_r(fit, 0)
    wins, losses = cells.wins.astype(int).tolist(), cells.losses.astype(int).tolist()
    ties = None if cells.ties is None else cells.ties.astype(int).tolist()
    data = psychotools.paircomp_from_counts(first, second, wins, losses, ties, fit.items)
    options: dict[str, Any] = {"undecided": ties is not None, "backend": question.backend}
    model = psychotools.btmodel(data, fit.items, ref=reference, **options)
    names = tuple("tie" if n == "(undecided)" else n for n in model.names)
    p = RParameters(names, model.coef, model.vcov, "log-odds", reference)
    values = parameter_values(fit, p)
    values.update(_with_aic(fit, likelihood_values(model.loglik, int(model.df))))
    errors: dict[str, float] = {}
    own_worths = sets_of_items(fit, {}).n == 1  # else itempar mixes sets, whose worths are on two scales
    if not own_worths:
        values.update(worth_values(fit, p))
    for item, worth, se in zip(model.items, model.worth, model.worth_se) if own_worths else ():
        q = Quantity("worth", "all", item)
        values[q], values[q.of("worth_se")], errors[q] = float(worth), float(se), float(se)
    said = [f"btmodel(paircomp, ref = {reference!r}, undecided = {str(ties is not None).upper()})"]
    said += ["(undecided) is tie"] * (ties is not None)
    # btmodel's covariances of items apart are as large as its way to infinity: such an se has no digits.
    worths = [Quantity("worth", "all", item) for item in model.items]
    lost = [w.of("worth_se") for w in worths if w in values and w.of("worth_se") not in values]
    if lost:
        said.append(f"{', '.join(lost)} have no digits left in its covariances")
    worths_are = "its itempar(log = FALSE)" if own_worths else "the softmax of its estimates"
    said += moved_in_words(fit, reference)
    said.append(
        f"llf is its logLik(), worths are {worths_are}; its deviance() is -2 logLik, which is not pairproof's"
    )
    answer = answered(BTMODEL, model.result, values, *said, *remarks(model.result), se=errors)
    return replace(answer, lacks=(*answer.lacks, *lost))


POLR = "MASS::polr"


def polr_counterpart(question: Question) -> RCounterpart | None:
    """polr(outcome ~ items, weights = count / 2) of models with one threshold and free items, else None."""
    fit, cells = question.fit, question.cells
    varies = any(t.by or t.of for t in fit.terms if t.kind != "item")
    if fit.ties != "rao-kupper" or fit.spec.item_terms or varies or cells.ties is None:
        return None
    apart = "polr drops columns of items that are not connected to the rest, and its choice is arbitrary"
    boundary = (
        "no tie occurred, so the threshold is at its boundary 0, where polr has only two levels and stops"
    )
    why = first_reason(
        (bool(question.too_large), question.too_large),
        (not cells.table.is_connected(), f"not asked: {apart}"),
        (not cells.ties.any(), f"not asked: {boundary}; the model without ties is used instead"),
    )
    return attempt_unless(why, POLR, _ask_polr, question)


def _ask_polr(question: Question) -> RCounterpart:
    fit, cells, (wins, ties, losses) = question.fit, question.cells, question.counts
    assert ties is not None
    reference = reference_for_r(fit, -1)
    by = {
        by_suffix(product).lstrip(":"): times_covariates(np.ones(len(cells)), cells, product).tolist()
        for product in dict.fromkeys(t.by for t in fit.terms if t.by)
    }
    options: dict[str, Any] = {"items": fit.items, "reference": reference, "backend": question.backend}
    model = mass.polr(*cells.names, wins, ties, losses, order=question.home, by=by or None, **options)
    names = tuple("tie" if n == "delta" else n for n in model.names)
    p = RParameters(names, model.coef, np.asarray(model.vcov), "log-odds", reference)
    llf = likelihood_values(model.loglik, len(p.names))
    call = "polr(outcome ~ items, weights = count / 2) on each row and its mirror image"
    said = [
        f"{call}, so its thresholds are -tie and +tie",
        "its BFGS is followed by Newton steps on polr's score",
    ]
    said += [*moved_in_words(fit, reference), "llf is its logLik(); it has no deviance on cells"]
    values = {**parameter_values(fit, p), **llf, **worth_values(fit, p)}
    return answered(POLR, model.result, values, *said, *remarks(model.result), flag=model.converged)
