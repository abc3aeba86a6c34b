"""The maximum of a log-likelihood under a linear constraint, and where the profile has dropped by a given amount.

    profile(v) = max over theta with c'theta = v of l(theta),     theta = v c / c'c + N phi,   N orthogonal to c

Limits are where 2 (sup l - profile(v)) is the chi-square quantile (Venzon and Moolgavkar 1988, Applied Statistics 37,
87-94).  The signed root of that drop is close to linear in v, so that Brent's method takes few steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ....errors import ConvergenceError
from ...patterns.information import raised_cholesky

FloatArray = NDArray[np.float64]

MOST_STEPS = 300
#: Squared length of the last step in standard errors: the value is then right to half of it.
DONE = 1e-18
#: So many standard errors (or, of an infinite estimate, so far from 0) and the likelihood has not dropped: it never does.
FARTHEST = 1e5
XTOL = 1e-12


class Objective(Protocol):
    """A log-likelihood, penalised or not, at one place."""

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Value, gradient, float[p], and information (or a matrix near it), float[p, p]."""


def complement(c: FloatArray) -> FloatArray:
    """Orthonormal columns orthogonal to the columns of c.

    Parameters
    ----------
    c : float[p, m]

    Returns
    -------
    float[p, p - rank]

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.contests.inference.constrained import complement
    >>> np.abs(complement(np.array([[1.0], [0.0]]))).tolist()
    [[0.0], [1.0]]
    """
    u, s, _ = np.linalg.svd(c, full_matrices=True)
    rank = int((s > 1e-10 * max(float(s.max(initial=0.0)), 1e-300)).sum())
    return np.asarray(u[:, rank:])


def constrained_maximum(
    objective: Objective, fixed: FloatArray, basis: FloatArray, start: FloatArray
) -> tuple[FloatArray, float]:
    """The maximum over phi of the objective at fixed + basis phi, by Newton's method or scoring.

    Parameters
    ----------
    objective : Objective
    fixed : float[p]
    basis : float[p, k]
    start : float[k]

    Returns
    -------
    (float[k], float)
        phi and the value.

    Raises
    ------
    ConvergenceError
        MOST_STEPS were not enough.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.contests.inference.constrained import constrained_maximum
    >>> bowl = lambda t: (-float(t @ t) / 2, -t, np.eye(2))
    >>> phi, value = constrained_maximum(bowl, np.array([1.0, 0.0]), np.array([[0.0], [1.0]]), np.array([3.0]))
    >>> phi.round(9).tolist(), value
    ([0.0], -0.5)
    """
    phi = start
    value, gradient, information = objective(fixed + basis @ phi)
    if not basis.shape[1]:
        return phi, value
    for _ in range(MOST_STEPS):
        slope = basis.T @ gradient
        factor = raised_cholesky(basis.T @ information @ basis)
        half = np.linalg.solve(factor, slope)
        step, decrement = np.linalg.solve(factor.T, half), float(half @ half)
        length = 1.0
        while True:
            there = phi + length * step
            after = objective(fixed + basis @ there)
            # Below the rounding of the value only the gradient can tell, and full steps converge.
            if np.isfinite(after[0]) and (after[0] >= value or decrement < 1e-9):
                break
            length /= 2.0
            if length < 1e-10:
                return phi, value
        gained = after[0] - value
        phi, (value, gradient, information) = there, after
        if decrement < DONE or (decrement < 1e-13 and gained <= 0.0):
            return phi, value
    raise ConvergenceError(f"a constrained fit did not come to its maximum in {MOST_STEPS} steps")


class Profile:
    """The profile of one function, from one constrained maximum to the next.

    Parameters
    ----------
    maximum : function of (v, start or None)
        The constrained maximum: (where it is, value).
    supremum : float
    estimate : float
        Finite, or inf or -inf.
    se : float
        A rough standard error: the first step of the search.
    """

    def __init__(
        self,
        maximum: Callable[[float, FloatArray | None], tuple[FloatArray, float]],
        supremum: float,
        estimate: float,
        se: float,
    ) -> None:
        self._maximum, self.supremum, self.estimate, self.se = maximum, supremum, estimate, se
        self._seen: list[tuple[float, FloatArray]] = []

    def drop(self, v: float) -> float:
        """2 (supremum - profile at v)."""
        near = min(self._seen, key=lambda s: abs(s[0] - v), default=None)
        where, value = self._maximum(v, None if near is None else near[1])
        self._seen.append((v, where))
        return 2.0 * (self.supremum - value)

    def side(self, quantile: float, side: float, end: float | None = None) -> float:
        """The low (-1) or high (1) limit.

        Parameters
        ----------
        quantile : float
            Of chi-square on 1 df.
        side : float
        end : float, optional
            Where the parameter space ends on that side; the limit if the profile has not dropped there.

        Returns
        -------
        float
            inf or -inf where the profile never drops so far.
        """
        from scipy.optimize import brentq

        if self.estimate == side * np.inf:
            return self.estimate
        root = float(np.sqrt(quantile))

        def off(v: float) -> float:
            return float(np.sqrt(max(self.drop(v), 0.0))) - root

        inside, step = self._inside(off, side)
        start = inside
        while True:
            there = inside + side * step
            if end is not None and (there - end) * side >= 0:
                if off(end) <= 0:
                    return end
                there = end
            if off(there) >= 0.0:
                xtol = XTOL * max(1.0, abs(there))
                return float(brentq(off, inside, there, xtol=xtol, rtol=1e-14, maxiter=200))
            inside, step = there, 1.6 * step
            if abs(inside - start) > FARTHEST * max(self.se, 1e-3):
                return side * np.inf

    def _inside(self, off: Callable[[float], float], side: float) -> tuple[float, float]:
        """A place within the interval, and the first step out of it."""
        if np.isfinite(self.estimate):
            return self.estimate, 1.9 * self.se
        v, step = 0.0, 1.0
        while off(v) >= 0.0:
            v, step = v - side * step, 1.6 * step
            if abs(v) > FARTHEST:
                raise ConvergenceError("no finite value is near enough to the supremum of the likelihood")
        return v, 1.0
