"""R's numbers of a recorded BTm beside those of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.values import RVector
from .....fit.contests.mixed import MixedFit
from .....fit.contests.spec import ContestSpec
from .....fit.fit import Fit
from .....fit.warning import WITHOUT_ESTIMATE
from ....claims.quantities import Quantity, kind_of
from ....r_answers.contests.likelihood import BTM_DEFAULT, TOWARDS_INFINITY
from ....r_answers.contests.mixed import PQL_DEFAULT
from ....r_answers.contests.reduced import BRGLM
from ....r_answers.translate import RParameters, likelihood_values, parameter_values
from ....verdicts.agreement import Agreement
from ....verdicts.floors import floor
from ..rows import SAME, count_rows, counterpart, explained, fit_rows, row
from .contests import Contests
from .definitions import (
    binomial_constant,
    brglm_null_deviance,
    deviance,
    expected_errors,
    fitted,
    glm_aic,
    penalised_deviance,
    pql_aic,
)
from .design import Relation, design_of
from .models import bias_reduced

FloatArray = NDArray[np.float64]
#: Where the caller asked for a coarser stop than R's default of 1e-6.
PQL_LOOSE = "BradleyTerry2::BTm, PQL, loose tol"
BRGLM_NULL = "brglm's null deviance is of its own pseudo-counts and not of the contests; by that definition R's number agrees"
TWICE = (
    "R takes each row twice where subset= is positions, so that its deviance and degrees of freedom are of twice the"
    " contests and its standard errors too small by the root of 2; taken once, R's numbers agree"
)
PQL_AIC = (
    "where sigma comes out 0 glmmPQL gives glm's AIC the number of rows in place of the contests of each, and so every row"
    " the weight of the first; by that definition R's number agrees"
)
WRONG = "r-is-wrong"


def of_fit(call: RecordedCall, contests: Contests, found: Relation) -> Callable[[Fit], Sequence[Agreement]]:
    """The function that holds a fit's numbers against R's.

    `found`: of R's coefficients to the fit's parameters.
    """

    def judge(fit: Fit) -> Sequence[Agreement]:
        p = r_parameters(call, found)
        if contests.doubled:
            p = replace(p, vcov=2.0 * p.vcov)
        link = spec.link if isinstance(spec := fit.spec, ContestSpec) else "logit"
        values: dict[str, float] = dict(parameter_values(fit, p))
        if link != "logit" and not isinstance(fit, MixedFit):
            values = {q: v for q, v in values.items() if kind_of(q) != "se"}
        values.update(_likelihood(call, contests, fit, len(p.names)))
        if isinstance(fit, MixedFit):
            values.update(_effects(call, contests, fit))
        said = [] if found.direct else ["R's contrasts of the players are translated to abilities"]
        rows = fit_rows(fit, counterpart(call, values, *said, name=name_of(call, fit)))
        rows = _not_comparable(fit, rows) + _of_glm(call, contests, fit)
        if link != "logit" and not isinstance(fit, MixedFit):
            rows += _expected(call, contests, fit, p, link)
        return _as_doubled(rows, len(contests.first)) if contests.doubled else rows

    return judge


def coefficients(call: RecordedCall) -> tuple[FloatArray, FloatArray]:
    """R's coefficients, nan for NA, and their covariance, 0 for those; both by place.

    glmmPQL's covariance names its columns otherwise than its coefficients (XSVL[..]).
    """
    found, spread = call.vector("coef"), call.vector("vcov")
    values = np.zeros(0) if found is None else found.floats().ravel()
    known = ~np.isnan(values)
    out = np.zeros((len(values), len(values)))
    given = np.zeros((0, 0)) if spread is None or spread.values.ndim != 2 else spread.floats()
    if len(given) == len(values):
        given = given[np.ix_(known, known)]
    out[np.ix_(known, known)] = given if len(given) == known.sum() else np.nan
    return values, out


def r_parameters(call: RecordedCall, found: Relation) -> RParameters:
    """R's coefficients as the fit's parameters."""
    values, spread = coefficients(call)
    known = ~np.isnan(values)
    used = found.by[:, known].any(axis=1) & ~found.by[:, ~known].any(axis=1)
    by = found.by[np.ix_(used, known)]
    names = tuple(n for n, u in zip(found.names, used) if u)
    return RParameters(
        names, by @ values[known], by @ spread[np.ix_(known, known)] @ by.T, "log-odds", found.reference
    )


def name_of(call: RecordedCall, fit: Fit) -> str:
    """The R call by which its floors are found."""
    name = BRGLM if bias_reduced(call) else BTM_DEFAULT
    if isinstance(fit, MixedFit):
        tol = call.values.get("tol")
        loose = isinstance(tol, RVector) and tol.values.size == 1 and tol.floats().ravel()[0] > 1e-6
        name = PQL_LOOSE if loose else PQL_DEFAULT
    return f"{name}, {TOWARDS_INFINITY}" if fit.n_infinite else name


def _likelihood(call: RecordedCall, contests: Contests, fit: Fit, n: int) -> dict[str, float]:
    """Deviance, degrees of freedom, log-likelihood and AIC on the fit's definitions."""
    if isinstance(fit, MixedFit):
        return {}
    values: dict[str, float] = {}
    of, residual = call.number("deviance"), call.number("df_residual")
    if of is not None:
        values["deviance"] = of / 2 if contests.doubled else of
    if residual is not None:
        values["df_resid"] = residual - len(contests.first) if contests.doubled else residual
    loglik = None if "BTglmmPQL" in call.strings("class") else call.number("loglik")
    if loglik is not None and contests.whole and not contests.doubled and "weights" not in call.args:
        values.update(likelihood_values(loglik - binomial_constant(contests), n))
    return values


def _effects(call: RecordedCall, contests: Contests, fit: MixedFit) -> dict[str, float]:
    """Standard deviation of the random effects and its error, and the predicted effects."""
    name = fit.components[0].name
    values: dict[str, float] = {}
    for kind in ("sigma", "sigma_se"):
        found = call.vector(kind)
        if found is not None and len(found) == 1 and not np.isnan(found.floats()).any() and fit.sigma > 0:
            values[Quantity(kind, name=name)] = float(found.floats()[0])
    effects, columns = call.vector("effects"), call.vector("z")
    if effects is None or columns is None or not columns.dimnames or columns.dimnames[1] is None:
        return values
    players = [n.removeprefix(contests.id) for n in columns.dimnames[1]]
    numbers = effects.floats().ravel()
    if len(players) == len(numbers):
        values.update({Quantity("effect", name=p): float(u) for p, u in zip(players, numbers)})
    return values


def _of_glm(call: RecordedCall, contests: Contests, fit: Fit) -> list[Agreement]:
    """What R's glm gives by its own definitions: null model, AIC; where sigma came out 0, the deviance."""
    if contests.doubled or (isinstance(fit, MixedFit) and fit.sigma > 0):
        return []
    p = fitted(fit, contests)
    name = name_of(call, fit)
    if isinstance(fit, MixedFit):
        rows = _one(
            call, "deviance", "deviance", deviance(contests, p), floor("deviance", BTM_DEFAULT).digits
        )
    else:
        rows = _one(call, "null_deviance", "null_deviance", fit.null_deviance, SAME)
        rows += _one(call, "df_null", "df_null", float(fit.df_null), 16.0)
        rows = _of_brglm(call, contests, p, rows) if bias_reduced(call) else rows
    if "weights" in call.args:
        return rows  # of what is no count R takes log binomial coefficients by its own rule
    if not isinstance(fit, MixedFit):
        rows += count_rows(call, fit)
    rank = int((~np.isnan(coefficients(call)[0])).sum())
    # AIC is the deviance and constants, so it has the digits of the deviance.
    digits = floor("deviance", BRGLM if bias_reduced(call) else BTM_DEFAULT).digits
    aic = _one(call, "aic_glm", "aic", glm_aic(contests, p, rank), digits)
    if "BTglmmPQL" in call.strings("class") and any(a.verdict == "differs" for a in aic):
        its_own = _one(call, "aic_glm", "aic", pql_aic(contests, p, rank), digits)
        if all(a.verdict == "agrees" for a in its_own):
            aic = explained(aic, ("aic_glm",), PQL_AIC, WRONG)
    return rows + aic


def _of_brglm(
    call: RecordedCall, contests: Contests, p: FloatArray, rows: list[Agreement]
) -> list[Agreement]:
    """brglm's null deviance, explained where it is that of its pseudo-counts, and its penalised deviance."""
    x = contests.x[:, ~np.isnan(coefficients(call)[0])]
    least = floor("deviance", BRGLM).digits
    its_own = _one(call, "null_deviance", "null_deviance", brglm_null_deviance(contests, x, p), least)
    if all(a.verdict == "agrees" for a in its_own):
        rows = explained(rows, ("null_deviance",), BRGLM_NULL, WRONG)
    return rows + _one(
        call, "penalised_deviance", "penalized_deviance", penalised_deviance(contests, x, p), least
    )


def _one(call: RecordedCall, quantity: str, recorded: str, ours: float, least: float) -> list[Agreement]:
    """A row of one number of R's, if it was recorded."""
    value = call.number(recorded)
    if value is None:
        return []
    return [row(quantity, ours, value, call.function, least=least, why="R's own stop")]


def _expected(call: RecordedCall, contests: Contests, fit: Fit, p: RParameters, link: str) -> list[Agreement]:
    """Standard errors on R's definition: with another link than the logit those of the expected information."""
    names, x, reference = design_of(fit)
    if fit.not_estimable or set(names) != set(p.names) or reference != p.reference:
        return []
    ours = dict(zip(names, expected_errors(contests, x, fitted(fit, contests), link)))
    theirs = dict(zip(p.names, np.sqrt(np.diag(p.vcov)).tolist()))
    least = floor("se", name_of(call, fit)).digits
    why = "of the expected information, as glm's; R takes it one step early"
    return [
        row(Quantity("se", name=n), ours[n], theirs[n], call.function, least=least, why=why) for n in theirs
    ]


def _not_comparable(fit: Fit, rows: Iterable[Agreement]) -> list[Agreement]:
    """Rows of numbers that the fit does not have, with its own reason: separated, or never met."""
    reasons = {t: str(w) for w in reversed(fit.warnings) if w.kind in WITHOUT_ESTIMATE for t in w.terms}
    return [
        replace(a, explanation=f"{a.explanation} ({reasons[a.quantity.name]})")
        if a.verdict == "not-estimable" and a.quantity.name in reasons and a.quantity.kind == "estimate"
        else a
        for a in rows
    ]


def _as_doubled(rows: Iterable[Agreement], n: int) -> list[Agreement]:
    """R's own numbers again, where each of n rows was taken twice: explained where they agree taken once."""
    raw: dict[str, Callable[[float], float]] = {
        "se": lambda v: float(np.sqrt(0.5)) * v,
        "deviance": lambda v: 2.0 * v,
        "df_resid": lambda v: v + n,
    }
    return [
        replace(
            a, r=raw[a.quantity.kind](a.r), verdict="explained", explanation=TWICE, code=WRONG, accepted=True
        )
        if a.verdict == "agrees" and a.r is not None and a.quantity.kind in raw
        else a
        for a in rows
    ]
