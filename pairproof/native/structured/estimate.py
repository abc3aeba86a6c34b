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
from ..numerics.newton import Solution, maximise
from ..patterns.information import cholesky_of
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

    Attributes
    ----------
    names : tuple of str
        Of the p parameters.
    theta : float[p]
    covariance : float[p, p]
        Inverse of the observed information.
    expected_covariance : float[p, p]
        Inverse of the expected information, which R's glm reports; the same for the logit.
    llf : float
        Sum over contests of the log-probability of their result; the same whether rows are pooled or not.
    log_coefficients : float
        Sum of log binomial coefficients of the rows as given: R's logLik is llf plus this.
    deviance : float
        Against a probability of its own for every row as given, as R's.
    df : int
        Rows with any contest, as given, minus p.
    link : str
    steps : int
        Newton steps taken.
    decrement : float
        Squared length, in standard errors, of the last step.
    score : float[p]
        At the estimate.
    other_maximum : float or None
        Log-likelihood of a lower maximum that the solver met from another start; only a cauchit link has any.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> from pairproof.native.structured.estimate import fit_structured
    >>> design = contest_design([0], [1], ["A", "B"], reference="B")
    >>> found = fit_structured(Contests(design, np.array([3.0]), np.array([1.0])))
    >>> print(f"{found.theta[0]:.6f} ({found.standard_errors[0]:.6f})")  # log 3
    1.098612 (1.154701)
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

    Parameters
    ----------
    contests : Contests
    link_name : str
        "logit", "probit" or "cauchit".  A cauchit likelihood may have several maxima: the solver starts from
        0 and from the logit estimate, and the higher one is the estimate.

    Returns
    -------
    StructuredEstimate

    Raises
    ------
    InputError
        There is no such link.
    NotEstimableError
        Parameters are infinite (separation), or cannot be told apart; the message names them.
    TooLargeError
        The solver stopped, and there are too many rows to say why.
    ConvergenceError
        No maximum was reached although the estimate exists.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> from pairproof.native.structured.estimate import fit_structured
    >>> contests = Contests(contest_design([0], [1], ["A", "B"]), np.array([1.0]), np.array([3.0]))
    >>> print(f"{fit_structured(contests, 'cauchit').theta[0]:.9f}")  # B wins 3 of 4: tan(pi/4)
    1.000000000
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
