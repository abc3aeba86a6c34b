"""R's answers for contests with random effects: BTm's PQL, glmer's Laplace approximation, quadrature in base R."""

from __future__ import annotations

import numpy as np

from ....bridge.contests import models
from ....bridge.contests.inputs import Inputs
from ....bridge.packages import lme4
from ...claims.quantities import Quantity
from ...verdicts.agreement import RCounterpart
from ..ask import answered, attempt, refused, remarks, without_model
from .likelihood import TOWARDS_INFINITY
from .question import (
    ContestQuestion,
    estimates,
    likelihood,
    names_of_btm,
    names_of_rows,
    parameters,
    random_effects,
    said_of_rows,
)

PQL = "BradleyTerry2::BTm, PQL, tol = 1e-14"
PQL_DEFAULT = "BradleyTerry2::BTm, PQL, default tol"
GLMMPQL, GLMMPQL_DEFAULT = "BradleyTerry2::glmmPQL, tol = 1e-14", "BradleyTerry2::glmmPQL, default tol"
GLMER = "lme4::glmer, modules"
LAPLACE = "base R, Laplace's approximation"
QUADRATURE = "base R, quadrature"
AGQ = "lme4::glmer, nAGQ"
#: glmer's own effects of one judge are differences of two items.
POINTS = 25
#: Laplace by differences takes some hundred evaluations for each pair of parameters, each of which solves
#: for all effects: half a minute at these.
MOST_EFFECTS, MOST_PARAMETERS = 200, 8
#: Points of the grids times rows: some seconds a step.
MOST_POINTS, MOST_DIMENSIONS = 4e6, 3


def mixed_counterparts(question: ContestQuestion) -> list[RCounterpart]:
    """Ask every R function that has the model and the method."""
    method = question.given.spec.method
    if len(question.given.spec.random) > 1:
        return [
            without_model(
                "R packages", "two components of variance at once were not written for lme4 or BradleyTerry2"
            )
        ]
    if method == "pql":
        return [_pql(question, tight) for tight in (True, False)]
    btm = without_model("BradleyTerry2::BTm", "its random effects are by PQL alone, which has no likelihood")
    if method == "laplace":
        return [_laplace(question, LAPLACE), _laplace(question, GLMER), btm]
    return [_quadrature(question), _agq(question), btm]


def _pql(question: ContestQuestion, tight: bool) -> RCounterpart:
    by_judge = bool(question.given.judges)
    name = (GLMMPQL if tight else GLMMPQL_DEFAULT) if by_judge else (PQL if tight else PQL_DEFAULT)
    if question.at_a_limit:
        name = f"{name}, {TOWARDS_INFINITY}"

    def ask(question: ContestQuestion) -> RCounterpart:
        given, backend = question.given, question.backend
        found = (
            models.glmm_pql(given, tight=tight, backend=backend)
            if by_judge
            else models.btm(given, tight=tight, backend=backend)
        )
        names = names_of_rows(question) if by_judge else names_of_btm(question, found)
        p = parameters(question, names, found)
        values = {**estimates(question, p), **random_effects(question, found)}
        said = "glmmPQL's sigma is that of REML of the working response"
        stop = "tol = 1e-14" if tight else "tol = 1e-6: R's own floor"
        called = (
            "glmmPQL(y ~ 0 + X, random = Z)"
            if by_judge
            else "BTm(cbind(wins, losses), ..., ~ ... + (1 | player))"
        )
        call = f"{called}, {stop}"
        flag = None if np.isnan(found.converged) else bool(found.converged)
        return answered(name, found.result, values, call, said, *remarks(found.result), flag=flag)

    return attempt(name, ask, question)


def _laplace(question: ContestQuestion, name: str) -> RCounterpart:
    given = question.given
    n, p = given.effects[2], len(given.terms)
    if n > MOST_EFFECTS or p > MOST_PARAMETERS:
        why = (
            f"not asked: {n} effects and {p} fixed parameters; it is asked up to {MOST_EFFECTS} and {MOST_PARAMETERS}, which"
            " take it half a minute"
        )
        return refused(name, why)

    def ask(question: ContestQuestion) -> RCounterpart:
        itself = name == LAPLACE
        found = (models.laplace_itself if itself else models.laplace)(
            question.given, backend=question.backend
        )
        p = parameters(question, names_of_rows(question), found)
        values = {**estimates(question, p), **random_effects(question, found)}
        values.update(likelihood(question, found, len(p.names) + 1))
        call = (
            "the mode of the effects by Newton's method, the maximum by Newton's method with Richardson's differences"
            if itself
            else "mkGlmerDevfun with winner less loser in the place of Zt; llf is its -2 log L / -2 less log choose(n, wins)"
        )
        return answered(name, found.result, values, call, *said_of_rows(question), *remarks(found.result))

    return attempt(name, ask, question)


def _quadrature(question: ContestQuestion) -> RCounterpart:
    points, dimensions = _grid(question.given)
    if dimensions > MOST_DIMENSIONS or points > MOST_POINTS:
        why = (
            f"not asked: integrals of {dimensions} dimensions, {points:,.0f} points times rows; it is asked up to"
            f" {MOST_DIMENSIONS} and {MOST_POINTS:,.0f}"
        )
        return refused(QUADRATURE, why)
    return attempt(QUADRATURE, _ask_quadrature, question)


def _grid(given: Inputs) -> tuple[float, int]:
    """Points of the grids times rows, and the most dimensions of a set."""
    rows = ~given.certain
    total, most = 0.0, 0
    first, second, _ = given.effects
    both = bool((first[rows] >= 0).all() and (second[rows] >= 0).all())
    of = given.judge if given.judges else np.zeros(len(given.first), int)
    for number in np.unique(of[rows]):
        here = rows & (of == number)
        met = np.unique(np.concatenate([first[here], second[here]]))
        q = int((met >= 0).sum()) - both
        most = max(most, q)
        total += (57.0 if q <= 2 else 45.0) ** q * float(here.sum())
    return total, most


def _ask_quadrature(question: ContestQuestion) -> RCounterpart:
    found = models.quadrature(question.given, backend=question.backend)
    p = parameters(question, names_of_rows(question), found)
    values = {**estimates(question, p), **random_effects(question, found)}
    values.update(likelihood(question, found, len(p.names) + 1))
    return answered(
        QUADRATURE,
        found.result,
        values,
        f"the trapezoidal rule about the mode of each set of effects, Newton's method, {found.steps:g} steps",
        *said_of_rows(question),
    )


def _agq(question: ContestQuestion) -> RCounterpart:
    given, spec = question.given, question.given.spec
    alone = len(given.terms) == 1 and given.terms[0].kind == "item"
    if not (
        given.judges and len(question.fit.items) == 2 and alone and spec.link == "logit" and not spec.offset
    ):
        return without_model(AGQ, "its adaptive quadrature takes one effect a judge: two items, nothing else")
    return attempt(AGQ, _ask_agq, question)


def _ask_agq(question: ContestQuestion) -> RCounterpart:
    fit, given = question.fit, question.given
    n = len(given.judges)
    a, b = (np.bincount(given.judge, given.counts[:, k], n) for k in (0, 2))
    found = lme4.glmer(a.tolist(), b.tolist(), POINTS, backend=question.backend)
    name = given.terms[0].name
    sign = 1.0 if name == fit.items[0] else -1.0
    values: dict[str, float] = {Quantity("sigma", name="item:judge"): found.sd / 2.0**0.5}
    if fit.spec.reference in fit.items:
        values[Quantity("estimate", name=name)], values[Quantity("se", name=name)] = (
            sign * found.estimate,
            found.se,
        )
    call = f"glmer(cbind(wins, losses) ~ 1 + (1 | judge), binomial, nAGQ = {POINTS})"
    return answered(
        AGQ,
        found.result,
        values,
        call,
        "its standard deviation is that of a difference, sqrt(2) sigma",
        "its logLik leaves out what does not depend on sigma and is not compared",
    )
