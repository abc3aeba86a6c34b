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

from ...errors import ConvergenceError
from .information import cholesky_of

FloatArray = NDArray[np.float64]

MOST_STEPS = 300
#: After so many, a quasi-Newton search: scoring of a penalised likelihood can run past its maximum and back.
PATIENCE = 40
#: Squared length of the last step in standard errors: the value is then right to half of it.
DONE = 1e-18
#: After MOST_STEPS as much may be left: limits are then right to about 4 digits.
LEFT = 1e-6
#: So many standard errors (or, of an infinite estimate, so far from 0) without a drop: there is none.
FARTHEST = 1e5
XTOL = 1e-12
#: Of the quasi-Newton search, by standard errors: the value is then right to its square.
GRADIENT = 1e-8


class Unfinished(ConvergenceError):
    """A search that used up its steps: the maximum is at least `value`.

    where float[k].
    """

    def __init__(self, message: str, where: FloatArray, value: float) -> None:
        super().__init__(message)
        self.where, self.value = where, value


class Objective(Protocol):
    """A log-likelihood, penalised or not, at one place."""

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Value, gradient, float[p], and information (or a matrix near it), float[p, p]."""


def complement(c: FloatArray) -> FloatArray:
    """Orthonormal columns orthogonal to the columns of c.

    c float[p, m].  Returns float[p, p - rank].
    """
    u, s, _ = np.linalg.svd(c, full_matrices=True)
    rank = int((s > 1e-10 * max(float(s.max(initial=0.0)), 1e-300)).sum())
    return np.asarray(u[:, rank:])


def constrained_maximum(
    objective: Objective, fixed: FloatArray, basis: FloatArray, start: FloatArray
) -> tuple[FloatArray, float]:
    """The maximum over phi of the objective at fixed + basis phi, by Newton's method or scoring.

    fixed float[p].  basis float[p, k].  start float[k].  Returns (float[k], float): phi and the value.
    """
    phi = start
    value, gradient, information = objective(fixed + basis @ phi)
    if not basis.shape[1]:
        return phi, value
    for count in range(MOST_STEPS):
        if count == PATIENCE:
            found = _searched(objective, fixed, basis, phi)
            if found is not None and found[1] >= value:
                return found
        slope = basis.T @ gradient
        step = _uphill(basis.T @ information @ basis, slope)
        decrement = float(step @ slope)
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
    if decrement < LEFT:  # it creeps towards a supremum at infinity
        return phi, value
    raise Unfinished(
        f"a constrained fit did not come to its maximum in {MOST_STEPS} steps: the last was {decrement**0.5:.1e} standard"
        " errors long",
        phi,
        value,
    )


def _searched(
    objective: Objective, fixed: FloatArray, basis: FloatArray, start: FloatArray
) -> tuple[FloatArray, float] | None:
    """The same maximum by BFGS in units of standard errors, from `start`; None if it is not reached."""
    from scipy.optimize import minimize

    try:
        factor = cholesky_of(basis.T @ objective(fixed + basis @ start)[2] @ basis)
    except np.linalg.LinAlgError:
        return None
    scale = np.linalg.inv(factor).T

    def downhill(t: FloatArray) -> tuple[float, FloatArray]:
        value, gradient, _ = objective(fixed + basis @ (start + scale @ t))
        if not np.isfinite(value):
            return np.inf, np.zeros(len(t))
        return -value, -(scale.T @ (basis.T @ gradient))

    with np.errstate(all="ignore"):
        found = minimize(downhill, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": GRADIENT})
    if not np.abs(found.jac).max(initial=0.0) < 10.0 * GRADIENT:
        return None
    return start + scale @ found.x, float(-found.fun)


def _uphill(information: FloatArray, slope: FloatArray) -> FloatArray:
    """Newton's step; where the information is not positive definite, that of its absolute eigenvalues."""
    try:
        factor = cholesky_of(information)
        return np.asarray(np.linalg.solve(factor.T, np.linalg.solve(factor, slope)))
    except np.linalg.LinAlgError:
        size = np.sqrt(np.maximum(np.abs(np.diag(information)), 1e-300))
        values, vectors = np.linalg.eigh(information / np.outer(size, size))
        held = np.maximum(np.abs(values), 1e-8)
        with np.errstate(over="ignore"):
            step = np.asarray(vectors @ ((vectors.T @ (slope / size)) / held) / size)
        return np.nan_to_num(np.clip(step, -1e3, 1e3))


class Profile:
    """The profile of one function, from one constrained maximum to the next.

    maximum: the constrained maximum: (where it is, value).  estimate: finite, or inf or -inf.  se: a rough
    standard error: the first step of the search.  farthest: so far from the estimate a limit is taken as
    infinite.  concave: whether a constrained maximum is the only one. If not, each search is also made from
    the estimate.
    """

    def __init__(
        self,
        maximum: Callable[[float, FloatArray | None], tuple[FloatArray, float]],
        supremum: float,
        estimate: float,
        se: float,
        farthest: float = np.inf,
        concave: bool = True,
    ) -> None:
        self._maximum, self.supremum, self.estimate, self.se = maximum, supremum, estimate, se
        self._concave = concave
        self.farthest = min(farthest, FARTHEST * max(se, 1e-3))
        self._seen: list[tuple[float, FloatArray]] = []
        self._quantile = np.inf

    def drop(self, v: float) -> float:
        """2 (supremum - profile at v)."""
        near = min(self._seen, key=lambda s: abs(s[0] - v), default=None)
        try:
            where, value = self._maximum(v, None if near is None else near[1])
            if near is not None and not self._concave:
                where, value = max((where, value), self._maximum(v, None), key=lambda found: found[1])
        except Unfinished as found:
            # The profile is at least that high: enough to know that v is within the limits.
            where, value = found.where, found.value
            if 2.0 * (self.supremum - value) >= 0.99 * self._quantile:
                raise
        self._seen.append((v, where))
        return 2.0 * (self.supremum - value)

    def side(self, quantile: float, side: float, end: float | None = None) -> float:
        """The low (-1) or high (1) limit.

        quantile: of chi-square on 1 df.  end: where the parameter space ends on that side; the limit if the
        profile has not dropped there.  Returns float: inf or -inf where the profile never drops so far.
        """
        from scipy.optimize import brentq

        if self.estimate == side * np.inf:
            return self.estimate
        root, self._quantile = float(np.sqrt(quantile)), quantile

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
            if abs(there - start) > self.farthest:
                if off(start + side * self.farthest) <= 0.0:
                    return side * np.inf
                there = start + side * self.farthest
            if off(there) >= 0.0:
                # Brent's method to 1e-10 of the limit, below which the drop itself is rounding, and not less
                # than 1e-14 of it: refits held at the limits lose the quantile to 3e-13 (observed).
                xtol = XTOL * max(1.0, abs(there))
                return float(brentq(off, inside, there, xtol=xtol, rtol=1e-14, maxiter=200))
            inside, step = there, 1.6 * step

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
