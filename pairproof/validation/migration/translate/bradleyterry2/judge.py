"""R's numbers of a recorded BTm beside those of a fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from .....bridge.capture.recorded import RecordedCall
from .....fit.contests.mixed import MixedFit
from .....fit.fit import Fit
from ....r_answers.contests.likelihood import TOWARDS_INFINITY
from ....r_answers.translate import RParameters, likelihood_values, parameter_values
from ....verdicts.agreement import Agreement
from ..rows import counterpart, explained, fit_rows, row
from .contests import Contests
from .design import Relation
from .models import bias_reduced

FloatArray = NDArray[np.float64]
DEFAULT, BR, PQL = (
    "BradleyTerry2::BTm, default epsilon",
    "BradleyTerry2::BTm, br = TRUE",
    "BradleyTerry2::BTm, PQL, default tol",
)
BRGLM_NULL = "brglm's null deviance is not that of even contests: it is of its own pseudo-counts"


def coefficients(call: RecordedCall) -> tuple[FloatArray, FloatArray]:
    """R's coefficients, nan for NA, and their covariance, 0 for those; both by place.

    glmmPQL's covariance names its columns otherwise than its coefficients (XSVL[..]).
    """
    found, spread = call.vector("coef"), call.vector("vcov")
    values = np.zeros(0) if found is None else found.floats().ravel()
    known = ~np.isnan(values)
    out = np.zeros((len(values), len(values)))
    if spread is None or spread.values.ndim != 2:
        out[np.ix_(known, known)] = np.nan
        return values, out
    given = spread.floats()
    if len(given) == len(values):
        given = given[np.ix_(known, known)]
    if len(given) == known.sum():
        out[np.ix_(known, known)] = given
    else:
        out[np.ix_(known, known)] = np.nan
    return values, out


def of_fit(call: RecordedCall, contests: Contests, found: Relation) -> Callable[[Fit], Sequence[Agreement]]:
    """The function that holds a fit's numbers against R's.

    Parameters
    ----------
    call : RecordedCall
    contests : Contests
    found : Relation
        Of R's coefficients to the fit's parameters.
    """

    def judge(fit: Fit) -> Sequence[Agreement]:
        p = r_parameters(call, found)
        values = parameter_values(fit, p)
        values.update(_likelihood(call, contests, fit, len(p.names)))
        name = name_of(call, fit)
        said = [] if found.direct else ["R's contrasts of the players are translated to abilities"]
        rows = fit_rows(fit, counterpart(call, values, *said, name=name))
        return rows + _null_model(call, fit)

    return judge


def _null_model(call: RecordedCall, fit: Fit) -> list[Agreement]:
    """Deviance and degrees of freedom of the model in which all contests are even; brglm has another one."""
    if isinstance(fit, MixedFit):
        return []
    ours = {"null_deviance": fit.null_deviance, "df_null": float(fit.df_null)}
    theirs = {q: v for q in ours if (v := call.number(q)) is not None}
    rows = [row(q, ours[q], theirs[q], call.function) for q in theirs]
    return explained(rows, ("null_deviance",), BRGLM_NULL, "r-defect") if bias_reduced(call) else rows


def r_parameters(call: RecordedCall, found: Relation) -> RParameters:
    """R's coefficients as the fit's parameters."""
    values, spread = coefficients(call)
    known = ~np.isnan(values)
    used = np.array([bool(np.any(row[known])) for row in found.by]) & ~(found.by[:, ~known] != 0).any(axis=1)
    by = found.by[np.ix_(used, known)]
    names = tuple(n for n, u in zip(found.names, used) if u)
    beta = by @ values[known]
    return RParameters(names, beta, by @ spread[np.ix_(known, known)] @ by.T, "log-odds", found.reference)


def name_of(call: RecordedCall, fit: Fit) -> str:
    """The R call by which its floors are found."""
    name = PQL if isinstance(fit, MixedFit) else BR if bias_reduced(call) else DEFAULT
    return f"{name}, {TOWARDS_INFINITY}" if fit.n_infinite else name


def _likelihood(call: RecordedCall, contests: Contests, fit: Fit, n: int) -> dict[str, float]:
    """Deviances, degrees of freedom, log-likelihood and AIC on the fit's definitions."""
    if isinstance(fit, MixedFit):
        return {}
    values: dict[str, float] = {}
    for ours, r in (("deviance", "deviance"), ("df_resid", "df_residual")):
        number = call.number(r)
        if number is not None:
            values[ours] = number
    loglik = call.number("loglik")
    if loglik is not None and contests.whole and "weights" not in call.args and not contests.doubled:
        values.update(likelihood_values(loglik - binomial_constant(contests), n))
    return values


def binomial_constant(contests: Contests) -> float:
    """sum log choose(n, wins) of the rows: what R's binomial log-likelihood has beside that of single contests."""
    wins, losses = contests.wins, contests.losses
    return float(np.sum(gammaln(wins + losses + 1.0) - gammaln(wins + 1.0) - gammaln(losses + 1.0)))
