"""R's answers for contests by plain maximum likelihood: base R, glm.fit, BTm at two stops, GenDavidson."""

from __future__ import annotations

from ....bridge.contests import models
from ....bridge.contests.inputs import MOST_NUMBERS, inputs_of
from ....bridge.process.policy import Backend
from ....fit.contests.fit import ContestFit
from ....fit.fit import Fit
from ...claims.quantities import Quantity
from ...verdicts.agreement import RCounterpart
from ..ask import answered, attempt, refused, remarks, without_model
from ..translate import RParameters, parameter_values
from .question import (
    ContestQuestion,
    estimates,
    likelihood,
    names_of_btm,
    names_of_rows,
    parameters,
    said_of_rows,
)

NEWTON = "base R, Newton's method"
GLM = "stats::glm.fit, tight"
BTM, BTM_DEFAULT = "BradleyTerry2::BTm, refitted", "BradleyTerry2::BTm, default epsilon"
GENDAVIDSON = "gnm::gnm, GenDavidson"
TOWARDS_INFINITY = "towards infinity"
#: Of the score in standard errors: what rounding leaves of sums over some thousand contests.
AT_MAXIMUM = 1e-9
#: GenDavidson takes gnm 20 s for the 380 matches of a season.
MOST_MATCHES, MOST_PLAYERS = 400, 12

#: Standard errors of R that a note shows.
MOST_SHOWN = 8


def likelihood_counterparts(question: ContestQuestion) -> list[RCounterpart]:
    """Ask base R, and every R package that has the model."""
    answers = [attempt(NEWTON, _newton, question)]
    if question.given.with_ties:
        return [*answers, _gendavidson(question)]
    answers.append(attempt(GLM, _glm, question))
    return answers + [btm(question, tight) for tight in (True, False)]


def _newton(question: ContestQuestion) -> RCounterpart:
    found = models.newton(question.given, backend=question.backend)
    p = parameters(question, names_of_rows(question), found)
    values = {**estimates(question, p), **likelihood(question, found, len(p.names))}
    return answered(
        NEWTON,
        found.result,
        values,
        f"Newton's method from zeros, {found.steps:g} steps, on the log-likelihood, which R's deriv3 differentiates",
        *said_of_rows(question),
        flag=found.largest <= AT_MAXIMUM,
    )


def _glm(question: ContestQuestion) -> RCounterpart:
    found = models.glm(question.given, backend=question.backend)
    p = parameters(question, names_of_rows(question), found)
    values = {**estimates(question, p), **likelihood(question, found, len(p.names))}
    link = question.given.spec.link
    return answered(
        GLM,
        found.result,
        values,
        f"glm.fit(X, cbind(wins, losses), binomial({link!r})), epsilon = 1e-14, again from its own solution",
        ""
        if link == "logit"
        else "standard errors: of the observed information at its estimates, for glm's own are of the expected one",
        *said_of_rows(question),
        *remarks(found.result),
    )


def btm(question: ContestQuestion, tight: bool, limit: bool = True) -> RCounterpart:
    """BTm at a tight stop, or as it is called; with `limit` its name says where it is on its way to infinity."""
    name = BTM if tight else BTM_DEFAULT
    if limit and question.at_a_limit:
        name = f"{name}, {TOWARDS_INFINITY}"

    def ask(question: ContestQuestion) -> RCounterpart:
        fit, spec = question.fit, question.given.spec
        found = models.btm(question.given, tight=tight, backend=question.backend)
        infinite = {question.given.names[k] for k in question.given.undetermined}
        p = parameters(question, names_of_btm(question, found), found)
        # For an infinite estimate R has where it stopped: shown as a value that the fit does not have.
        values = estimates(question, p, errors=spec.link == "logit")
        values.update(likelihood(question, found, len(p.names)))
        said = [
            f"BTm(cbind(wins, losses), ..., binomial({spec.link!r}))"
            + (", fitted again from its own solution" if tight else ", epsilon = 1e-8: R's own floor")
        ]
        if spec.link != "logit":
            said.append(_errors_beside(fit, p))
        if infinite & set(p.names):
            said.append(
                f"{', '.join(sorted(infinite & set(p.names)))} of R: where it stopped on the way to infinity"
            )
        if not question.given.whole:
            said.append("it warns of counts that are not whole")
        assert fit.outcome_model == "binary"
        return answered(
            name, found.result, values, *said, *remarks(found.result), flag=_flag(found.converged)
        )

    return attempt(name, ask, question)


def plain_btm(fit: Fit, backend: Backend) -> list[RCounterpart]:
    """BTm, at both stops, of a plain fit with item covariates or comparison terms; none of another.

    fit: by maximum likelihood of the logit.
    """
    kinds = {t.kind for t in fit.terms}
    if (
        fit.outcome_model != "binary"
        or not kinds & {"covariate", "comparison"}
        or any(t.by for t in fit.terms)
    ):
        return []
    if fit.data.n_rows * len(fit.terms) > MOST_NUMBERS:
        return []  # glm is refused with the numbers
    question = ContestQuestion(fit, inputs_of(fit), backend)
    return [btm(question, tight, limit=False) for tight in (True, False)]


def _flag(converged: float) -> bool | None:
    return None if converged != converged else bool(converged)


def _gendavidson(question: ContestQuestion) -> RCounterpart:
    given, spec = question.given, question.given.spec
    if spec.offset:
        return without_model(GENDAVIDSON, "GenDavidson has no offset")
    if not given.reference or any(t.kind == "comparison" for t in given.terms):
        return without_model(GENDAVIDSON, "GenDavidson has free abilities and a home advantage alone")
    n, players = len(given.first), len(question.fit.items)
    if n > MOST_MATCHES or players > MOST_PLAYERS:
        why = (
            f"not asked: {n:,} cells and {players} items; gnm is asked up to {MOST_MATCHES} and {MOST_PLAYERS}, beyond"
            " which it takes half a minute"
        )
        return refused(GENDAVIDSON, why)
    return attempt(GENDAVIDSON, _ask_gendavidson, question)


def _ask_gendavidson(question: ContestQuestion) -> RCounterpart:
    fit, spec = question.fit, question.given.spec
    found = models.gendavidson(question.given, backend=question.backend)
    items = [name for name in question.given.names if name in fit.items]
    names = [*items, *(["order"] if "order" in fit.names else []), "tie"]
    names += (["tie-shift"] if spec.tie_shift else []) + (["tie-scale"] if spec.tie_scale else [])
    p = parameters(question, names, found)
    canonical = not (spec.tie_shift or spec.tie_scale)
    values = {**estimates(question, p, errors=canonical), **likelihood(question, found, len(p.names))}
    return answered(
        GENDAVIDSON,
        found.result,
        values,
        "gnm(count ~ GenDavidson(win, tie, loss, i, j, ...) - 1, eliminate = match)",
        "tie = tie.max + log 2, tie-shift = tie.mode, tie-scale = tie.scale",
        "" if canonical else _errors_beside(fit, p),
        *remarks(found.result),
        flag=_flag(found.converged),
    )


def _errors_beside(fit: Fit, p: RParameters) -> str:
    """R's standard errors where they are of another information, beside the fit's by the same."""
    theirs = parameter_values(fit, p)
    ours = fit.bse_expected if isinstance(fit, ContestFit) else None
    shown = [
        f"{name} {theirs[q]:.6g}" + ("" if ours is None else f" (native by it {ours[name]:.6g})")
        for name in fit.names
        if (q := Quantity("se", name=name)) in theirs
    ]
    more = f", and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    errors = f"{', '.join(shown[:MOST_SHOWN])}{more}"
    return f"its standard errors are of the expected information and not compared with those of the observed one: {errors}"
