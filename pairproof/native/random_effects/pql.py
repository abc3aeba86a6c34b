"""Penalised quasi-likelihood, as BradleyTerry2 estimates abilities with an error.

Effects and parameters are those of greatest penalised likelihood given sigma; sigma is the REML estimate of
the linear mixed model y* = Xb + Zu + e, e ~ N(0, W^-1), of the working response y* (Breslow and Clayton 1993,
JASA 88, 9-25).  With P the projection W - WX(X'WX)^-1 X'W, S = Z'PZ = U diag(d) U', h = U'Z'Py* and s =
sigma^2,

    REML(s) = -sum_k log(1 + s d_k) / 2 + sum_k s h_k^2 / (1 + s d_k) / 2

but for a constant.  Both are repeated until sigma stays.  As in BradleyTerry2 log s is within [-10, 10], and
where REML at -10 is not below its maximum sigma is 0 and the fit that without effects.  The estimates are
badly biased for sparse contests of 0 and 1; there is no likelihood and no AIC.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError
from ..structured.contests import Contests
from ..structured.estimate import fit_structured
from ..structured.likelihood import ContestPoint
from ..structured.links import link
from .design import fixed_part
from .joint import Joint, joint_of
from .penalised import penalised_mode

FloatArray = NDArray[np.float64]

#: Where log sigma^2 is searched, and what sigma starts from: BradleyTerry2's.
LOWEST, HIGHEST, START = -10.0, 10.0, 0.1
#: Change of log sigma^2 at which the repetition stops, and how often it may be repeated.
TOLERANCE, MOST = 1e-13, 60


@dataclass(frozen=True, eq=False)
class PenalisedFit:
    """An estimate by penalised quasi-likelihood.

    Attributes
    ----------
    joint : Joint
        Effects, fixed parameters, and their covariance given sigma.
    sigma : float
    sigma_se : float
        sigma / (2 sqrt(I)), I the expected information of REML about log sigma^2, as BradleyTerry2 has it;
        NaN at 0.  sigma over this is no test of sigma = 0, which lies on the boundary.
    steps : int
        Times that sigma was estimated.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.design import with_effects
    >>> from pairproof.native.random_effects.pql import fit_pql
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> a, b = np.triu_indices(4, 1)
    >>> wins = np.array([3.0, 6, 1, 8, 2, 1])
    >>> fixed = Contests(contest_design(a, b, "ABCD", np.array([[0.0], [1], [2], [4]]), ["x"]), wins, 10 - wins)
    >>> found = fit_pql(with_effects(fixed, a, b, "ABCD"))
    >>> print(f"{found.sigma:.6f} ({found.sigma_se:.6f}), {found.joint.names[4]} {found.joint.theta[4]:.6f}")
    0.864171 (0.512193), x 0.441343
    """

    joint: Joint
    sigma: float
    sigma_se: float
    steps: int


def fit_pql(contests: Contests, link_name: str = "logit") -> PenalisedFit:
    """The estimate of contests with random effects by penalised quasi-likelihood.

    Parameters
    ----------
    contests : Contests
        Whose first K parameters are the effects, :func:`pairproof.native.random_effects.design.with_effects`.
    link_name : str
        "logit" or "probit".

    Returns
    -------
    PenalisedFit

    Raises
    ------
    NotEstimableError
        Fixed parameters are infinite, or cannot be told apart.
    ConvergenceError
        sigma did not settle.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.design import with_effects
    >>> from pairproof.native.random_effects.pql import fit_pql
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> x = np.array([[0.0], [1], [2]])
    >>> a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> fixed = Contests(contest_design(a, b, "ABC", x, ["x"]), np.array([5.0, 2, 5]), np.array([5.0, 8, 5]))
    >>> fit_pql(with_effects(fixed, a, b, "ABC")).sigma
    0.0
    """
    without = fit_structured(fixed_part(contests), link_name)
    chosen, k = link(link_name), contests.design.n_own
    state = [ContestPoint(contests, chosen, np.append(np.zeros(k), without.theta))]

    def again(log_s: float) -> float:
        """The REML estimate of log sigma^2 at the mode for this one."""
        precision = np.append(np.full(k, np.exp(-log_s)), np.zeros(len(without.theta)))
        state[0] = penalised_mode(contests, chosen, precision, state[0].theta)
        return _Working(state[0]).best()

    log_s, steps = _settled(again, 2.0 * np.log(START))
    if log_s == -np.inf:
        here = ContestPoint(contests, chosen, np.append(np.zeros(k), without.theta))
        return PenalisedFit(joint_of(here, 0.0), 0.0, float("nan"), steps)
    again(log_s)
    sigma = float(np.exp(log_s / 2.0))
    information = _Working(state[0]).information(log_s)
    return PenalisedFit(joint_of(state[0], sigma, False), sigma, sigma / (2.0 * information**0.5), steps)


class _Working:
    """REML of the working linear mixed model at one mode."""

    def __init__(self, here: ContestPoint) -> None:
        design = here.contests.design
        k = design.n_own
        gram = design.gram(here.row_weights)
        score = design.transposed(here.row_scores)
        zx = gram[:k, k:]
        share = np.linalg.solve(gram[k:, k:], zx.T).T if zx.shape[1] else zx
        s = gram[:k, :k] - share @ zx.T
        pull = s @ here.theta[:k] + score[:k] - share @ score[k:]
        d, u = np.linalg.eigh(s)
        self.d, self.h2 = np.maximum(d, 0.0), (u.T @ pull) ** 2

    def value(self, log_s: float) -> float:
        s = np.exp(log_s)
        return 0.5 * float((s * self.h2 / (1 + s * self.d) - np.log1p(s * self.d)).sum())

    def slopes(self, log_s: float) -> tuple[float, float]:
        """First and second derivative by log s."""
        s = np.exp(log_s)
        t = 1.0 + s * self.d
        first = 0.5 * s * (self.h2 / t**2 - self.d / t).sum()
        second = first + 0.5 * s**2 * ((self.d / t) ** 2 - 2.0 * self.h2 * self.d / t**3).sum()
        return float(first), float(second)

    def information(self, log_s: float) -> float:
        """Expected information about log s."""
        share = np.exp(log_s) * self.d / (1.0 + np.exp(log_s) * self.d)
        return 0.5 * float((share**2).sum())

    def best(self) -> float:
        """log s of the greatest REML; -inf if that of LOWEST is not smaller."""
        from scipy.optimize import brentq

        grid = np.linspace(LOWEST, HIGHEST, 201)
        at = int(np.argmax([self.value(v) for v in grid]))
        if at in (0, len(grid) - 1):
            return -np.inf if at == 0 else HIGHEST
        found = brentq(lambda v: self.slopes(v)[0], grid[at - 1], grid[at + 1], xtol=1e-15, rtol=1e-14)
        return float(found) if self.value(found) > self.value(LOWEST) else -np.inf


def _settled(again: Callable[[float], float], start: float) -> tuple[float, int]:
    """Where `again` returns what it is given, by Steffensen's acceleration (1933); -inf if it comes there."""
    here = start
    for steps in range(2, MOST, 2):
        one = again(here)
        two = again(one) if np.isfinite(one) else one
        if not np.isfinite(two):
            return two, steps
        bend = two - 2.0 * one + here
        if abs(two - one) < TOLERANCE or bend == 0.0:
            return two, steps
        jump = here - (one - here) ** 2 / bend
        # Far from the end the jump may leave the contracting side: then the plain repetition goes on.
        here = jump if abs(jump - two) < 1.0 and LOWEST < jump < HIGHEST else two
        if abs(here - two) < TOLERANCE:
            return here, steps
    raise ConvergenceError(f"sigma did not settle in {MOST} repetitions; the last was {np.exp(here / 2):.6g}")
