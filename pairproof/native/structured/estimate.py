"""Maximum likelihood of a Bradley-Terry model with a design per contest.

Newton's method with the exact observed information (Turner and Firth 2012, Journal of Statistical Software
48(9), fit the same model by iteratively weighted least squares); the covariance is taken at the final
estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, NotEstimableError
from ..numerics.information import cholesky_of
from ..numerics.newton import Solution, maximise
from .contests import Contests
from .existence import examine
from .likelihood import ContestPoint
from .links import Link, link

FloatArray = NDArray[np.float64]

#: Predictors beyond this, where separation has been ruled out, are given up.
FARTHEST = {"logit": 600.0, "probit": 37.0, "cauchit": 1e12}


@dataclass(frozen=True, eq=False)
class StructuredEstimate:
    """A maximum-likelihood estimate of a structured Bradley-Terry model.

    names: of the p parameters.  theta float[p].  covariance float[p, p]: inverse of the observed information.
    expected_covariance float[p, p]: inverse of the expected information, which R's glm reports; the same for
    the logit.  llf: sum over contests of the log-probability of their result; the same whether rows are
    pooled or not.  log_coefficients: sum of log binomial coefficients of the rows as given: R's logLik is llf
    plus this.  deviance: against a probability of its own for every row as given, as R's.  df: rows with any
    contest, as given, minus p.  steps: Newton steps taken.  decrement: squared length, in standard errors, of
    the last step.  score float[p]: at the estimate.  other_maximum: log-likelihood of a lower maximum that
    the solver met from another start; only a cauchit link has any.
    """

    names: tuple[str, ...]
    theta: FloatArray
    covariance: FloatArray
    expected_covariance: FloatArray
    llf: float
    log_coefficients: float
    deviance: float
    df: int
    link: str
    steps: int
    decrement: float
    score: FloatArray
    other_maximum: float | None = None

    @property
    def standard_errors(self) -> FloatArray:
        """float[p], from the observed information."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def aic(self) -> float:
        """Akaike's criterion with the binomial coefficients of the rows as given, as R has it."""
        return -2.0 * (self.llf + self.log_coefficients) + 2.0 * len(self.theta)


def fit_structured(contests: Contests, link_name: str = "logit") -> StructuredEstimate:
    """The maximum-likelihood estimate of a Bradley-Terry model with a design per contest.

    link_name: "logit", "probit" or "cauchit".  A cauchit likelihood may have several maxima: the solver
    starts from 0 and from the logit estimate, and the higher one is the estimate.
    """
    chosen = link(link_name)
    pooled = contests.pooled()
    if not pooled.design.names or not pooled.n_used:
        return _estimate(
            contests, ContestPoint(pooled, chosen, np.zeros(len(pooled.design.names))), None, None
        )
    start = np.zeros(len(pooled.design.names))
    found = _maximum(contests, pooled, chosen, start)
    other = None
    if not chosen.concave:
        second = _maximum(contests, pooled, chosen, _maximum(contests, pooled, link("logit"), start).x)
        low, high = sorted((found, second), key=lambda s: s.point.value)
        other = low.point.value if high.point.value - low.point.value > 1e-8 else None
        found = high
    return _estimate(contests, ContestPoint(pooled, chosen, found.x), found, other)


def _maximum(contests: Contests, pooled: Contests, chosen: Link, start: FloatArray) -> Solution[ContestPoint]:
    def evaluate(theta: FloatArray) -> ContestPoint:
        return ContestPoint(pooled, chosen, theta)

    found = maximise(evaluate, start, chosen.far)
    if found.trouble:
        examine(contests)
        if found.trouble == "far":
            found = maximise(evaluate, found.x, FARTHEST[chosen.name])
    if found.trouble:
        reason = {
            "far": f"a linear predictor went beyond {FARTHEST[chosen.name]:g}",
            "singular": "the information is singular",
            "slow": "too many steps",
        }[found.trouble]
        raise ConvergenceError(
            f"the solver stopped after {found.steps} steps at log-likelihood {found.point.value:.6g}: {reason}."
            " Fit fewer parameters, or scale the covariates"
        )
    return found


def _estimate(
    contests: Contests, here: ContestPoint, found: Solution[ContestPoint] | None, other: float | None
) -> StructuredEstimate:
    names = contests.design.names
    if names and found is None:
        raise NotEstimableError(f"{', '.join(names[:8])}: there is no contest to estimate them from")
    return StructuredEstimate(
        names,
        here.theta,
        _inverse(here.observed),
        _inverse(here.expected),
        here.value,
        contests.log_coefficients,
        _deviance(contests, here),
        contests.n_used - len(names),
        here.link.name,
        found.steps if found else 0,
        found.decrement if found else 0.0,
        here.score,
        other,
    )


def _deviance(contests: Contests, here: ContestPoint) -> float:
    """Twice the sum over rows of y log(y / fitted): row by row, as the difference of two sums loses 3 digits."""
    eta = contests.design.predictor(here.theta)
    total = 0.0
    for y, log_p in ((contests.wins, here.link.log_cdf(eta)), (contests.losses, here.link.log_cdf(-eta))):
        seen = y > 0
        total += float(y[seen] @ (np.log(y[seen] / contests.totals[seen]) - log_p[seen]))
    return 2.0 * total


def _inverse(information: FloatArray) -> FloatArray:
    from scipy.linalg import solve_triangular

    if not len(information):
        return np.zeros((0, 0))
    half = solve_triangular(cholesky_of(information), np.eye(len(information)), lower=True)
    return np.asarray(half.T @ half)
