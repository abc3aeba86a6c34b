"""R's answers for models of contests: links, offsets, reduced bias, general ties and random effects.

=============================================  ==================================================================
R call                                         answers
=============================================  ==================================================================
``base R, Newton's method``                    every model by maximum likelihood without random effects
``stats::glm.fit, tight``                      the same without ties
``BradleyTerry2::BTm, refitted``, ``default``  the same, at a tight stop and as it is called
``gnm::gnm, GenDavidson``                      Davidson's generalised ties of free abilities, without offsets
``brglm2::brglmFit, tight``                    reduced bias without ties
``BradleyTerry2::BTm, br``                     the same of the logit's mean, by brglm, as it is called
``base R, scoring``                            Jeffreys' prior with ties: no package has the conditional model
``BradleyTerry2::BTm, PQL``                    random effects of items by PQL, at both stops
``base R, Laplace``                            random effects by Laplace's approximation
``lme4::glmer, modules``                       the same, winner less loser put in by hand
``base R, quadrature``                         random effects by quadrature
``lme4::glmer, nAGQ``                          two items by judge: one effect a judge
=============================================  ==================================================================

BTm stands there twice: asked for a tight stop it has the digits of the others; as it is called it has its own
floor. Standard errors of probit and cauchit are of the observed information, which glm, BTm and gnm do not
give: base R works it out at glm's estimates.  Rows whose result is certain in the limit (separated contests)
are left out in base R, as the fit does; BTm goes on towards infinity with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...bridge.packages import lme4
from ...bridge.process.policy import Backend
from ...bridge.programs import contest_models as models
from ...bridge.programs.contest_models import MOST_NUMBERS, ContestEstimates, Inputs, inputs_of
from ...fit.estimates.specification import ContestSpec
from ...fit.fit import Fit
from ..claims.quantities import Quantity, kind_of
from ..verdicts.agreement import RCounterpart
from .ask import (
    ContestQuestion,
    answered,
    attempt,
    attempt_unless,
    refused,
    remarks,
    with_rounding,
    without_model,
)
from .translate import RParameters, likelihood_values, parameter_values, worth_values

#: Errors of estimates, and what is made of them.
OF_ERRORS = ("se", "z", "p", "worth_se")


def parameters(question: ContestQuestion, names: Sequence[str], found: ContestEstimates) -> RParameters:
    """R's estimates under these names of the fit; those that R leaves out (NA) are left out."""
    known = [k for k, b in enumerate(found.coef) if not np.isnan(b)]
    vcov = found.vcov if len(found.vcov) == len(known) else found.vcov[np.ix_(known, known)]
    own, reference = tuple(names[k] for k in known), question.given.reference
    return RParameters(own, found.coef[known], vcov, "log-odds", reference)


def names_of_rows(question: ContestQuestion, found: ContestEstimates) -> list[str]:
    """The fit's names of the coefficients of the programs in base R: the columns kept, then those of ties."""
    given = question.given
    return [given.names[k] for k in question.kept] + (tie_names(given.spec) if given.with_ties else [])


def tie_names(spec: ContestSpec) -> list[str]:
    """The fit's names of the parameters of ties."""
    further = {"tie-shift": spec.tie_shift, "tie-scale": spec.tie_scale}
    return ["tie", *(name for name, there in further.items() if there)]


def names_of_btm(question: ContestQuestion, found: ContestEstimates) -> list[str]:
    """The fit's names of BTm's coefficients."""
    given = question.given
    shared, _ = given.item_columns()
    named = {f"w{k + 1}[player]": t.name for k, t in enumerate(shared)}
    named |= {f"z{k + 1}": given.names[place] for k, place in enumerate(given.contest_terms())}
    own = [t for t in given.terms if t.item is not None and t.kind in ("item", "covariate")]
    named |= {f"player{t.item}": t.name for t in own}
    return [named[name] for name in found.names]


def estimates(question: ContestQuestion, p: RParameters, *, errors: bool = True) -> dict[str, float]:
    """estimate.X, se.X, z.X, p.X; worths where the link is the logit and abilities have no random part."""
    fit = question.fit
    values = parameter_values(fit, p, tests=True)
    if question.given.spec.link == "logit" and fit.random_effects is None and len(fit.items) <= 60:
        values.update(worth_values(fit, p))
    return values if errors else {q: v for q, v in values.items() if kind_of(q) not in OF_ERRORS}


def likelihood(question: ContestQuestion, found: ContestEstimates, n: int) -> dict[str, float]:
    """llf, AIC and deviance, where the program has them; n parameters but those that are infinite."""
    values = {**likelihood_values(found.llf, n + question.fit.n_infinite)}
    values.update(deviance=found.deviance, df_resid=found.df)
    return {name: value for name, value in values.items() if not np.isnan(value)}


def values_of(
    question: ContestQuestion, found: ContestEstimates, names: Sequence[str], errors: bool = True
) -> dict[str, float]:
    """Every number of a model without random effects; without those of its standard errors, if these are others."""
    p = parameters(question, names, found)
    return {**estimates(question, p, errors=errors), **likelihood(question, found, len(p.names))}


def mixed_values(
    question: ContestQuestion, found: ContestEstimates, names: Sequence[str]
) -> dict[str, float]:
    """Every number of a model with random effects; sigma is a parameter of its likelihood, where it has one."""
    n = len(parameters(question, names, found).names)
    return {**random_effects(question, found, names), **likelihood(question, found, n + 1)}


def random_effects(
    question: ContestQuestion, found: ContestEstimates, names: Sequence[str]
) -> dict[str, float]:
    """The estimates; sigma, its error and test, and the predicted effects."""
    fit, given = question.fit, question.given
    name = fit.components[0].name
    values = estimates(question, parameters(question, names, found))
    values[Quantity("sigma", name=name)] = found.sigma
    for kind, value in (("sigma_se", found.sigma_se), ("sigma_lr", found.lr)):
        if not np.isnan(value) and not np.isnan(getattr(fit.components[0], kind[6:])):
            values[Quantity(kind, name=name)] = value
    for kind, effects in (("effect", found.effects), ("effect_mean", found.means)):
        values.update({Quantity(kind, name=of): float(u) for of, u in zip(given.effect_names, effects)})
    return values


def said_of_rows(question: ContestQuestion) -> list[str]:
    """What was left out of the rows."""
    if not question.at_a_limit:
        return []
    rows = f"{int(question.given.certain.sum())} rows whose result is certain in the limit"
    return [f"{rows}, and parameters that only they determine, are omitted"]


NEWTON = "base R, Newton's method"
GLM = "stats::glm.fit, tight"
BTM, BTM_DEFAULT = "BradleyTerry2::BTm, refitted", "BradleyTerry2::BTm, default epsilon"
GENDAVIDSON = "gnm::gnm, GenDavidson"
#: Ends an R call's name where R was on its way to infinity when it stopped; floors.toml has floors of their
#: own for it.
TOWARDS_INFINITY = "towards infinity"
#: Of the score in standard errors: what rounding leaves of sums over some thousand contests.
AT_MAXIMUM = 1e-9
#: GenDavidson takes gnm 20 s for the 380 matches of a season.
MOST_MATCHES, MOST_PLAYERS = 400, 12

#: Standard errors of R that a note shows.
MOST_SHOWN = 8


def likelihood_counterparts(question: ContestQuestion) -> list[RCounterpart]:
    """Ask base R, and every R package that has the model."""
    answers = [asked_by(NEWTON, question)]
    if question.given.with_ties:
        return [*answers, _gendavidson(question)]
    answers.append(asked_by(GLM, question))
    return answers + [btm(question, tight) for tight in (True, False)]


def btm(question: ContestQuestion, tight: bool, limit: bool = True) -> RCounterpart:
    """BTm at a tight stop, or as it is called; with `limit` its name says where it is on its way to infinity."""
    return asked_by(BTM if tight else BTM_DEFAULT, question, towards=limit and question.at_a_limit)


def _of_btm(question: ContestQuestion, found: ContestEstimates, names: Sequence[str]) -> dict[str, float]:
    # For an infinite estimate R has where it stopped: shown as a value that the fit does not have.
    return values_of(question, found, names, errors=question.given.spec.link == "logit")


def _said_of_btm(tight: bool, question: ContestQuestion, found: ContestEstimates) -> list[str]:
    given, link = question.given, question.given.spec.link
    p = parameters(question, names_of_btm(question, found), found)
    infinite = sorted({given.names[k] for k in given.undetermined} & set(p.names))
    stop = "fitted again from its own solution" if tight else "epsilon = 1e-8: R's own floor"
    return [
        f"BTm(cbind(wins, losses), ..., binomial({link!r})), {stop}",
        "" if link == "logit" else _errors_beside(question.fit, p),
        f"{', '.join(infinite)} from R: where it stopped on the way to infinity" if infinite else "",
        "" if given.whole else "it warns of counts that are not whole",
        *remarks(found.result),
    ]


def plain_btm(fit: Fit, backend: Backend) -> list[RCounterpart]:
    """BTm, at both stops, of a plain fit with item covariates or comparison terms; none of another."""
    of_contests = any(t.kind in ("covariate", "comparison") for t in fit.terms)
    if fit.outcome_model != "binary" or not of_contests or any(t.by for t in fit.terms):
        return []
    if fit.data.n_rows * len(fit.terms) > MOST_NUMBERS:
        return []  # glm is refused with the numbers
    question = ContestQuestion(fit, inputs_of(fit), backend)
    return [btm(question, tight, limit=False) for tight in (True, False)]


def _flag(found: ContestEstimates) -> bool | None:
    return None if np.isnan(found.converged) else bool(found.converged)


def _gendavidson(question: ContestQuestion) -> RCounterpart:
    given, spec = question.given, question.given.spec
    if spec.offset:
        return without_model(GENDAVIDSON, "GenDavidson has no offset")
    if not given.reference or any(t.kind == "comparison" for t in given.terms):
        return without_model(GENDAVIDSON, "GenDavidson has only free abilities and a home advantage")
    n, players = len(given.first), len(question.fit.items)
    large = n > MOST_MATCHES or players > MOST_PLAYERS
    limits = f"gnm is asked up to {MOST_MATCHES} and {MOST_PLAYERS}, beyond that it takes half a minute"
    why = f"not asked: {n:,} cells and {players} items; {limits}" if large else ""
    return asked_by(GENDAVIDSON, question, why)


def _names_of_gendavidson(question: ContestQuestion, found: ContestEstimates) -> list[str]:
    fit, given = question.fit, question.given
    items = [name for name in given.names if name in fit.items]
    return [*items, *(["order"] if "order" in fit.names else []), *tie_names(given.spec)]


def _canonical(question: ContestQuestion) -> bool:
    return not (question.given.spec.tie_shift or question.given.spec.tie_scale)


def _of_gendavidson(
    question: ContestQuestion, found: ContestEstimates, names: Sequence[str]
) -> dict[str, float]:
    return values_of(question, found, names, errors=_canonical(question))


def _said_of_gendavidson(question: ContestQuestion, found: ContestEstimates) -> list[str]:
    p = parameters(question, _names_of_gendavidson(question, found), found)
    return [
        "gnm(count ~ GenDavidson(win, tie, loss, i, j, ...) - 1, eliminate = match)",
        "tie = tie.max + log 2, tie-shift = tie.mode, tie-scale = tie.scale",
        "" if _canonical(question) else _errors_beside(question.fit, p),
        *remarks(found.result),
    ]


def _errors_beside(fit: Fit, p: RParameters) -> str:
    """R's standard errors where they are of another information, beside the fit's by the same."""
    theirs = parameter_values(fit, p)
    ours = fit.bse_expected
    known = {name: theirs[q] for name in fit.names if (q := Quantity("se", name=name)) in theirs}
    own = {name: "" if ours is None else f" (native: {ours[name]:.6g})" for name in known}
    shown = [f"{name} {se:.6g}{own[name]}" for name, se in known.items()]
    more = f", and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    errors = f"{', '.join(shown[:MOST_SHOWN])}{more}"
    return f"its standard errors use the expected information and are not compared with those from the observed one: {errors}"


BRGLM2 = "brglm2::brglmFit, tight"
BRGLM = "BradleyTerry2::BTm, br = TRUE"
SCORING = "base R, scoring with Jeffreys' prior"
#: It warns at every step of counts that are not whole: its own pseudo-counts.
NOT_WHOLE = "it warns that its pseudo-counts are not whole"


def reduced_counterparts(question: ContestQuestion) -> list[RCounterpart]:
    """Ask every R function that reduces the bias in this model."""
    if question.given.with_ties:
        why = "with ties it uses the Poisson form, where the penalty also changes the contests' totals: "
        why += "not the estimate of the conditional likelihood"
        return [asked_by(SCORING, question), without_model(BRGLM2, why)]
    spec, of_brglm2 = question.given.spec, asked_by(BRGLM2, question)
    if spec.link == "logit" and spec.reduction != "median":
        return [of_brglm2, asked_by(BRGLM, question)]
    what = f"link {spec.link}" if spec.link != "logit" else "the median"
    why = f"brglm as called by BTm reduces mean bias for the logit link; here it is {what}"
    return [of_brglm2, without_model(BRGLM, why)]


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
        why = "two variance components at once are not implemented for lme4 or BradleyTerry2"
        return [without_model("R packages", why)]
    if method == "pql":
        return [_pql(question, tight) for tight in (True, False)]
    btm = without_model("BradleyTerry2::BTm", "its random effects are only by PQL, which has no likelihood")
    if method == "laplace":
        return [_laplace(question, LAPLACE), _laplace(question, GLMER), btm]
    return [_quadrature(question), _agq(question), btm]


def _pql(question: ContestQuestion, tight: bool) -> RCounterpart:
    names = (GLMMPQL, GLMMPQL_DEFAULT) if question.given.judges else (PQL, PQL_DEFAULT)
    return asked_by(names[not tight], question, towards=question.at_a_limit)


def _said_of_pql(call: str, tight: bool, question: ContestQuestion, found: ContestEstimates) -> list[str]:
    stop = "tol = 1e-14" if tight else "tol = 1e-6: R's own floor"
    said = "glmmPQL's sigma is the REML estimate for the working response"
    return [f"{call}, {stop}", said, *remarks(found.result)]


def _laplace(question: ContestQuestion, name: str) -> RCounterpart:
    n, p = question.given.effects[2], len(question.given.terms)
    limits = f"it is asked up to {MOST_EFFECTS} and {MOST_PARAMETERS}, which take half a minute"
    why = f"not asked: {n} effects and {p} fixed parameters; {limits}"
    return asked_by(name, question, why if n > MOST_EFFECTS or p > MOST_PARAMETERS else "")


def _quadrature(question: ContestQuestion) -> RCounterpart:
    points, dimensions = _grid(question.given)
    size = f"integrals of {dimensions} dimensions, {points:,.0f} points times rows"
    why = f"not asked: {size}; it is asked up to {MOST_DIMENSIONS} and {MOST_POINTS:,.0f}"
    return asked_by(QUADRATURE, question, why if dimensions > MOST_DIMENSIONS or points > MOST_POINTS else "")


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


def _agq(question: ContestQuestion) -> RCounterpart:
    given, spec = question.given, question.given.spec
    two = len(question.fit.items) == 2 and [t.kind for t in given.terms] == ["item"]
    if not (given.judges and two and spec.link == "logit" and not spec.offset):
        return without_model(AGQ, "its adaptive quadrature has one effect per judge: two items only")
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
        q = Quantity("estimate", name=name)
        values[q], values[q.of("se")] = sign * found.estimate, found.se
    call = f"glmer(cbind(wins, losses) ~ 1 + (1 | judge), binomial, nAGQ = {POINTS})"
    sigma = "its standard deviation is that of a difference, sqrt(2) sigma"
    llf = "its logLik omits terms that do not depend on sigma and is not compared"
    return answered(AGQ, found.result, values, call, sigma, llf)


Names = Callable[[ContestQuestion, ContestEstimates], list[str]]
Numbers = Callable[[ContestQuestion, ContestEstimates, Sequence[str]], dict[str, float]]


@dataclass(frozen=True)
class Program:
    """An R program that has numbers of a model of contests: how it is asked, and what is said about its
    answer."""

    ask: Callable[..., ContestEstimates]
    said: Callable[[ContestQuestion, ContestEstimates], Sequence[str]]
    names: Names = names_of_rows
    numbers: Numbers = values_of
    arrived: Callable[[ContestEstimates], bool | None] = lambda found: None


def _at_maximum(found: ContestEstimates) -> bool:
    return bool(found.largest <= AT_MAXIMUM)


def _said_of_glm(question: ContestQuestion, found: ContestEstimates) -> list[str]:
    link = question.given.spec.link
    own = "since glm's own use the expected information"
    errors = f"standard errors: from the observed information at its estimates, {own}"
    call = f"glm.fit(X, cbind(wins, losses), binomial({link!r})), epsilon = 1e-14"
    errors = "" if link == "logit" else errors
    return [f"{call}, refitted from its solution", errors, *said_of_rows(question), *remarks(found.result)]


def _said_of_brglm2(question: ContestQuestion, found: ContestEstimates) -> list[str]:
    kind = models.TYPES[question.given.spec.reduction]
    call = f"glm(y ~ 0 + X, method = 'brglmFit', type = {kind!r}), epsilon = {models.BRGLM2_EPSILON:g}"
    return [call, "llf and deviance are those of the unpenalised likelihood at its estimates"]


def _at_both_stops(
    r_calls: tuple[str, str],
    ask: Callable[..., ContestEstimates],
    said: Callable[..., list[str]],
    names: Names,
    numbers: Numbers,
) -> dict[str, Program]:
    """A program at a tight stop, and at its own."""
    return {
        r_call: Program(partial(ask, tight=tight), partial(said, tight), names, numbers, _flag)
        for r_call, tight in zip(r_calls, (True, False))
    }


def _says(how: str) -> Callable[[ContestQuestion, ContestEstimates], Sequence[str]]:
    """What is said of an answer: how it is found, with its steps, the rows left out, and what R remarks."""
    return lambda asked, got: [how.format(steps=got.steps), *said_of_rows(asked), *remarks(got.result)]


_NEWTON = (
    "Newton's method from zeros, {steps:g} steps, on the log-likelihood, which R's deriv3 differentiates"
)
_PQL = partial(_said_of_pql, "BTm(cbind(wins, losses), ..., ~ ... + (1 | player))")
_GLMMPQL = partial(_said_of_pql, "glmmPQL(y ~ 0 + X, random = Z)")
_SCORING = "scoring on l + log det(I) / 2, with the third cumulants of the three outcomes"
_LAPLACE = (
    "the mode of the effects by Newton's method, the maximum by Newton's method with Richardson's differences"
)
_GLMER = (
    "mkGlmerDevfun with winner minus loser in place of Zt; llf is its -2 log L / -2 minus log choose(n, wins)"
)
_QUADRATURE = "the trapezoidal rule around the mode of each set of effects, Newton's method, {steps:g} steps"
PROGRAMS = {
    NEWTON: Program(models.newton, _says(_NEWTON), arrived=_at_maximum),
    GLM: Program(models.glm, _said_of_glm),
    **_at_both_stops((BTM, BTM_DEFAULT), models.btm, _said_of_btm, names_of_btm, _of_btm),
    **_at_both_stops((PQL, PQL_DEFAULT), models.btm, _PQL, names_of_btm, random_effects),
    **_at_both_stops((GLMMPQL, GLMMPQL_DEFAULT), models.glmm_pql, _GLMMPQL, names_of_rows, random_effects),
    GENDAVIDSON: Program(
        models.gendavidson, _said_of_gendavidson, _names_of_gendavidson, _of_gendavidson, _flag
    ),
    BRGLM2: Program(models.brglm2, _said_of_brglm2),
    BRGLM: Program(
        partial(models.btm, tight=False, br=True),
        lambda question, found: ("BTm(..., br = TRUE) at its own stop, br.epsilon = 1e-8", NOT_WHOLE),
        names_of_btm,
    ),
    SCORING: Program(models.jeffreys, lambda question, found: [_SCORING], arrived=_at_maximum),
    LAPLACE: Program(models.laplace_itself, _says(_LAPLACE), numbers=mixed_values),
    GLMER: Program(models.laplace, _says(_GLMER), numbers=mixed_values),
    QUADRATURE: Program(models.quadrature, _says(_QUADRATURE), numbers=mixed_values),
}


def asked_by(name: str, question: ContestQuestion, why: str = "", towards: bool = False) -> RCounterpart:
    """The answer of a program; none for the reason `why`, where there is one.  towards: whether to infinity."""
    program, r_call = PROGRAMS[name], f"{name}, {TOWARDS_INFINITY}" if towards else name

    def ask(question: ContestQuestion) -> RCounterpart:
        found = program.ask(question.given, backend=question.backend)
        values = program.numbers(question, found, program.names(question, found))
        said = program.said(question, found)
        return answered(r_call, found.result, values, *said, flag=program.arrived(found))

    return attempt_unless(why, r_call, ask, question)


def contest_counterparts(fit: Fit, backend: Backend) -> list[RCounterpart]:
    """Ask every R function that has a model of contests."""
    law = fit.spec.law
    if law is not None and not law.in_r:
        return [without_model("R packages", f"no R program with {law.words} is known")]
    rows, columns = fit.data.n_rows, len(fit.terms)
    if rows * columns > MOST_NUMBERS:
        why = f"not asked: a design of {rows:,} rows and {columns:,} columns; at most {MOST_NUMBERS:,} numbers are sent"
        return [refused("R packages", why)]
    question = ContestQuestion(fit, inputs_of(fit), backend)
    if fit.random_effects is not None:
        answers = mixed_counterparts(question)
    elif fit.of_contests.reduction:
        answers = reduced_counterparts(question)
    else:
        answers = likelihood_counterparts(question)
    return with_rounding(answers, fit.n_comparisons, fit.llf)
