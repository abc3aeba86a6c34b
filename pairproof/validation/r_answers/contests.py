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

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...bridge.packages import lme4
from ...bridge.process.policy import Backend
from ...bridge.programs import contest_models as models
from ...bridge.programs.contest_models import MOST_NUMBERS, ContestEstimates, Inputs, inputs_of
from ...fit.estimates.specification import ContestSpec
from ...fit.fit import Fit
from ..claims.quantities import Quantity, kind_of
from ..verdicts.agreement import RCounterpart
from .ask import ContestQuestion, answered, attempt, attempt_unless, refused, remarks, without_model
from .translate import RParameters, likelihood_values, parameter_values, worth_values

#: Errors of estimates, and what is made of them.
OF_ERRORS = ("se", "z", "p", "worth_se")


def parameters(question: ContestQuestion, names: Sequence[str], found: ContestEstimates) -> RParameters:
    """R's estimates under these names of the fit; those that R leaves out (NA) are left out."""
    known = [k for k, b in enumerate(found.coef) if not np.isnan(b)]
    vcov = found.vcov if len(found.vcov) == len(known) else found.vcov[np.ix_(known, known)]
    return RParameters(
        tuple(names[k] for k in known), found.coef[known], vcov, "log-odds", question.given.reference
    )


def names_of_rows(question: ContestQuestion) -> list[str]:
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
    named.update({f"z{k + 1}": given.names[place] for k, place in enumerate(given.contest_terms())})
    named.update(
        {
            f"player{t.item}": t.name
            for t in given.terms
            if t.item is not None and t.kind in ("item", "covariate")
        }
    )
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
    values: dict[str, float] = {}
    if not np.isnan(found.llf):
        values.update(likelihood_values(found.llf, n + question.fit.n_infinite))
    if not np.isnan(found.deviance):
        values["deviance"] = found.deviance
    if not np.isnan(found.df):
        values["df_resid"] = found.df
    return values


def values_of(question: ContestQuestion, found: ContestEstimates, names: Sequence[str]) -> dict[str, float]:
    """Every number of a model without random effects."""
    p = parameters(question, names, found)
    return {**estimates(question, p), **likelihood(question, found, len(p.names))}


def mixed_values(
    question: ContestQuestion, found: ContestEstimates, names: Sequence[str]
) -> dict[str, float]:
    """Every number of a model with random effects; sigma is a parameter of its likelihood, where it has one."""
    p = parameters(question, names, found)
    values = {**estimates(question, p), **random_effects(question, found)}
    return {**values, **likelihood(question, found, len(p.names) + 1)}


def random_effects(question: ContestQuestion, found: ContestEstimates) -> dict[str, float]:
    """sigma, its error and test, and the predicted effects."""
    fit, given = question.fit, question.given
    name = fit.components[0].name
    values: dict[str, float] = {Quantity("sigma", name=name): found.sigma}
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
    n = int(question.given.certain.sum())
    return [f"{n} rows whose result is certain in the limit, and what only they tell, are left out"]


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
    values = values_of(question, found, names_of_rows(question))
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
    values = values_of(question, found, names_of_rows(question))
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
    """BTm, at both stops, of a plain fit with item covariates or comparison terms; none of another."""
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
    n, players, why = len(given.first), len(question.fit.items), ""
    if n > MOST_MATCHES or players > MOST_PLAYERS:
        why = (
            f"not asked: {n:,} cells and {players} items; gnm is asked up to {MOST_MATCHES} and {MOST_PLAYERS}, beyond"
            " which it takes half a minute"
        )
    return attempt_unless(why, GENDAVIDSON, _ask_gendavidson, question)


def _ask_gendavidson(question: ContestQuestion) -> RCounterpart:
    fit, spec = question.fit, question.given.spec
    found = models.gendavidson(question.given, backend=question.backend)
    items = [name for name in question.given.names if name in fit.items]
    names = [*items, *(["order"] if "order" in fit.names else []), *tie_names(spec)]
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
    ours = fit.bse_expected
    shown = [
        f"{name} {theirs[q]:.6g}" + ("" if ours is None else f" (native by it {ours[name]:.6g})")
        for name in fit.names
        if (q := Quantity("se", name=name)) in theirs
    ]
    more = f", and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    errors = f"{', '.join(shown[:MOST_SHOWN])}{more}"
    return f"its standard errors are of the expected information and not compared with those of the observed one: {errors}"


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
    values = values_of(question, found, names_of_rows(question))
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
    values = values_of(question, found, names_of_btm(question, found))
    return answered(
        BRGLM, found.result, values, "BTm(..., br = TRUE) at its own stop, br.epsilon = 1e-8", NOT_WHOLE
    )


def _scoring(question: ContestQuestion) -> RCounterpart:
    found = models.jeffreys(question.given, backend=question.backend)
    values = values_of(question, found, names_of_rows(question))
    return answered(
        SCORING,
        found.result,
        values,
        "scoring on l + log det(I) / 2, by the third cumulants of the three outcomes",
        flag=found.largest <= AT_MAXIMUM,
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
        flag = _flag(found.converged)
        return answered(name, found.result, values, call, said, *remarks(found.result), flag=flag)

    return attempt(name, ask, question)


def _laplace(question: ContestQuestion, name: str) -> RCounterpart:
    given = question.given
    n, p, why = given.effects[2], len(given.terms), ""
    if n > MOST_EFFECTS or p > MOST_PARAMETERS:
        why = (
            f"not asked: {n} effects and {p} fixed parameters; it is asked up to {MOST_EFFECTS} and {MOST_PARAMETERS}, which"
            " take it half a minute"
        )

    def ask(question: ContestQuestion) -> RCounterpart:
        itself = name == LAPLACE
        found = (models.laplace_itself if itself else models.laplace)(
            question.given, backend=question.backend
        )
        values = mixed_values(question, found, names_of_rows(question))
        call = (
            "the mode of the effects by Newton's method, the maximum by Newton's method with Richardson's differences"
            if itself
            else "mkGlmerDevfun with winner less loser in the place of Zt; llf is its -2 log L / -2 less log choose(n, wins)"
        )
        return answered(name, found.result, values, call, *said_of_rows(question), *remarks(found.result))

    return attempt_unless(why, name, ask, question)


def _quadrature(question: ContestQuestion) -> RCounterpart:
    (points, dimensions), why = _grid(question.given), ""
    if dimensions > MOST_DIMENSIONS or points > MOST_POINTS:
        why = (
            f"not asked: integrals of {dimensions} dimensions, {points:,.0f} points times rows; it is asked up to"
            f" {MOST_DIMENSIONS} and {MOST_POINTS:,.0f}"
        )
    return attempt_unless(why, QUADRATURE, _ask_quadrature, question)


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
    values = mixed_values(question, found, names_of_rows(question))
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


def contest_counterparts(fit: Fit, backend: Backend) -> list[RCounterpart]:
    """Ask every R function that has a model of contests."""
    law = fit.spec.law
    if law is not None and not law.in_r:
        return [without_model("R packages", f"no R program of {law.words} is known here")]
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
    return [replace(a, rounding=_rounding(fit)) if a.values else a for a in answers]


def _rounding(fit: Fit) -> dict[str, float]:
    """Size of the sums that cancel in likelihoods: every contest is a term."""
    size = fit.n_comparisons + abs(fit.llf) if fit.llf == fit.llf else fit.n_comparisons
    return {"llf": size, "aic": 2.0 * size, "deviance": 4.0 * size}
