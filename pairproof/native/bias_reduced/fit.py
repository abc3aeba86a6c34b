"""Bias-reduced estimates of Bradley-Terry models with a design per contest.

The estimate is where the score plus its adjustment is 0; "jeffreys" is the maximum of

    l(theta) + log det I(theta) / 2

(Firth 1993; Kosmidis and Firth 2021, Biometrika 108, 71-82: it is finite whatever the contests are, if the
columns of the design are independent).  Its covariance is the inverse of the expected information of the
plain likelihood at the estimate, as brglm2 reports it.

Roots of adjusted scores where accelerated scoring stops short of them.

In small tables that are nearly separated a step of scoring can lead past the root and back for ever.  The likelihood
penalised by Jeffreys' prior has a maximum whatever the contests are (Kosmidis and Firth 2021, Biometrika 108, 71-82),
which a search with a line search reaches; the other adjusted scores have their roots near it, and are searched from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, InputError, NotEstimableError
from ..numerics.information import cholesky_of
from ..structured.contests import Contests
from ..structured.existence import aliased, listed
from ..structured.likelihood import ContestPoint
from ..structured.links import link
from .adjustments import KINDS, adjustment
from .scoring import ROUNDING, TOLERANCE, Root, newton, root

FloatArray = NDArray[np.float64]
Step = Callable[[FloatArray], tuple[FloatArray, float]]

#: Parameters up to which it is tried: it differentiates by differences.
MOST = 100
#: Newton's steps after a search, and Powell's evaluations for each parameter.
NEWTON, EVALUATIONS = 40, 400
#: Multiples of the maximum from which other roots are searched; of several roots the first found is taken.
FARTHER = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0)


def root_from_maximum(
    step_at: Step, penalised: Callable[[FloatArray], tuple[float, FloatArray]], scale: FloatArray
) -> Root:
    """The root of an adjusted score, searched from the maximum of the penalised likelihood.

    step_at function of theta, float[p]: as :func:`pairproof.native.bias_reduced.scoring.root` takes it.
    penalised function of theta, float[p]: the penalised log-likelihood and its gradient, float[p].  scale
    float[p, p]: columns of theta of unit standard error, for the search.
    """
    from scipy.optimize import minimize, root as powell

    def downhill(t: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = penalised(scale @ t)
        return -value, -(scale.T @ gradient)

    with np.errstate(all="ignore"):
        top = scale @ minimize(downhill, np.zeros(len(scale)), jac=True, method="BFGS").x
        found, most = _polished(step_at, top), EVALUATIONS * (len(top) + 1)
        for times in FARTHER if found is None else ():
            # Powell's method of 1970 (MINPACK's hybrid); the median's root may be far beyond the mean's.
            try:
                other = powell(lambda theta: step_at(theta)[0], times * top, options={"maxfev": most}).x
            except np.linalg.LinAlgError:
                continue
            found = _polished(step_at, other)
            if found is not None:
                break
    if found is None:
        raise ConvergenceError(
            "the adjusted score did not come to 0, neither by scoring nor from the maximum of the likelihood penalised by"
            " Jeffreys' prior. Only that of reduce_bias='jeffreys', and of the mean with the logit, has a root whatever the"
            " contests are: use jeffreys"
        )
    return found


def _polished(step_at: Step, theta: FloatArray) -> Root | None:
    """Newton's method to the last digit; None if it does not get there."""
    try:
        step, decrement = step_at(theta)
        for count in range(1, NEWTON + 1):
            if decrement < TOLERANCE:
                return Root(theta, count, decrement)
            nearer = newton(step_at, theta, step, decrement)
            if nearer is None:
                break
            theta = nearer
            step, decrement = step_at(theta)
    except np.linalg.LinAlgError:
        return None
    return Root(theta, NEWTON, decrement) if decrement < ROUNDING else None


@dataclass(frozen=True, eq=False)
class ReducedEstimate:
    """An estimate with reduced bias.

    names: of the p parameters.  theta float[p].  covariance float[p, p]: inverse of the expected information
    of the plain likelihood at theta.  llf: plain log-likelihood at theta, without binomial coefficients.
    log_coefficients: sum of the log binomial coefficients of the rows as given.  penalised: llf + log det I /
    2.  deviance: against a probability of its own for every row as given.  kind: "mean", "median" or
    "jeffreys".  decrement: squared length, in standard errors, of the last step.
    """

    names: tuple[str, ...]
    theta: FloatArray
    covariance: FloatArray
    llf: float
    log_coefficients: float
    penalised: float
    deviance: float
    kind: str
    link: str
    steps: int
    decrement: float

    @property
    def standard_errors(self) -> FloatArray:
        """float[p]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


def fit_reduced(contests: Contests, kind: str = "mean", link_name: str = "logit") -> ReducedEstimate:
    """The estimate of contests with reduced bias.

    contests: they may be separated.  kind: "mean" (Firth 1993), "median" (Kenne Pagui, Salvan and Sartori
    2017) or "jeffreys" (maximum likelihood penalised by Jeffreys' prior, the same as mean for the logit).
    link_name: "logit", "probit" or "cauchit".
    """
    if kind not in KINDS:
        raise InputError(f"bias reduction {kind!r}; expected one of {', '.join(KINDS)}")
    chosen, pooled = link(link_name), contests.pooled()
    if not pooled.n_used:
        raise InputError("there is no contest to estimate from")
    same = aliased(pooled)
    if same:
        raise NotEstimableError(
            f"{listed(same)}: cannot be told apart in these contests; leave one of them out"
        )

    def step_at(theta: FloatArray) -> tuple[FloatArray, float]:
        here = ContestPoint(pooled, chosen, theta)
        covariance = covariance_of(here.expected)
        score = here.score + adjustment(here, covariance, kind)
        step = covariance @ score
        return np.asarray(step), float(step @ score)

    def penalised(theta: FloatArray) -> tuple[float, FloatArray]:
        here = ContestPoint(pooled, chosen, theta)
        sign, log_det = np.linalg.slogdet(here.expected)
        if sign <= 0.0:
            return -np.inf, np.zeros(len(theta))
        gradient = here.score + adjustment(here, covariance_of(here.expected), "jeffreys")
        return here.value + 0.5 * float(log_det), gradient

    nowhere = np.zeros(len(pooled.design.names))
    try:
        found = root(step_at, nowhere, pooled.design.predictor)
    except (ConvergenceError, np.linalg.LinAlgError):
        if len(nowhere) > MOST:
            raise
        scale = np.linalg.cholesky(covariance_of(ContestPoint(pooled, chosen, nowhere).expected))
        found = root_from_maximum(step_at, penalised, scale)
    here = ContestPoint(pooled, chosen, found.theta)
    information = here.expected
    return ReducedEstimate(
        contests.design.names,
        found.theta,
        covariance_of(information),
        here.value,
        contests.log_coefficients,
        here.value + 0.5 * float(np.linalg.slogdet(information)[1]),
        2.0 * (contests.saturated - here.value),
        kind,
        link_name,
        found.steps,
        found.decrement,
    )


def covariance_of(information: FloatArray) -> FloatArray:
    """The inverse of an information matrix.

    information float[p, p].  Returns float[p, p].
    """
    from scipy.linalg.lapack import dpotri

    if not len(information):
        return np.zeros((0, 0))
    half = dpotri(np.asfortranarray(cholesky_of(information)), lower=1, overwrite_c=1)[0]
    return np.asarray(np.tril(half) + np.tril(half, -1).T)
