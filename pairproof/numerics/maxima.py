"""Maxima of smooth functions: Newton's method, information matrices that are singular, and linear constraints.

With gradient q and Hessian -H the *decrement* q' H^-1 q is the squared length of the Newton step in standard
errors (Boyd and Vandenberghe 2004, section 9.5.1).  Near the maximum it falls quadratically, so that once it
is below TOLERANCE the step then taken leaves an error far below one unit in the last place.

An indefinite information I is raised to I + c diag(1), c the smallest of 0, 1e-6, 1e-5, ... times its largest
diagonal element with which I + c has a Cholesky factor (Levenberg 1944, Marquardt 1963).

The maximum under a linear constraint, and where the profile has dropped by a given amount:

    profile(v) = max over theta with c'theta = v of l(theta)
    theta = v c / c'c + N phi,   N orthogonal to c

Limits are where 2 (sup l - profile(v)) is the chi-square quantile (Venzon and Moolgavkar 1988, Applied
Statistics 37, 87-94).  The signed root of that drop is close to linear in v, so that Brent's method takes few
steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from ..errors import ConvergenceError
from .arrays import FloatArray

#: A pivot of the scaled information below this is a direction that the data do not see.  Such pivots come out
#: near 1e-16; where only the maximum is flat, a last step of rounding alone leads to 2e-12, 1e-11 or 7e-11,
#: by processor (`beta="difference"` of prefmod's immig, OPENBLAS_CORETYPE=Haswell, SkylakeX, Nehalem).  The
#: flattest of the cases tested that have a maximum, ties of two in FRUIT, has 1e-2.
FLAT = 1e-9
#: On the way a step is damped only where it has no direction.
FLAT_ON_THE_WAY = 1e-11


def cholesky_of(information: FloatArray, flat: float = FLAT) -> FloatArray:
    """The lower factor of an information matrix.
    information float[p, p].  flat: the least pivot of the scaled matrix.  Returns float[p, p]."""
    diagonal = np.diag(information)
    if len(diagonal) and diagonal.min() <= 0:
        raise np.linalg.LinAlgError("not positive definite")
    scale = np.sqrt(diagonal)
    factor = np.linalg.cholesky(information / np.outer(scale, scale))
    if len(scale) and np.diag(factor).min() ** 2 < flat:
        raise np.linalg.LinAlgError("singular")
    return np.asarray(factor * scale[:, None])


def raised_cholesky(information: FloatArray) -> FloatArray:
    """The lower factor of an information matrix, raised until it is positive definite.
    information float[p, p].  Returns float[p, p]."""
    size = max(float(np.abs(np.diag(information)).max()), 1e-300)
    for ridge in [0.0] + [10.0**k for k in range(-6, 4)]:
        try:
            return cholesky_of(information + ridge * size * np.eye(len(information)), FLAT_ON_THE_WAY)
        except np.linalg.LinAlgError:
            pass
    raise np.linalg.LinAlgError("not positive definite")


def flat_names(information: FloatArray, names: Sequence[str]) -> list[str]:
    """Parameters that a direction without information moves.  information float[p, p]."""
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    moves = np.abs(vectors[:, values <= max(FLAT, float(values.min()))]).max(axis=1)
    return [name for name, move in zip(names, moves) if move > 1e-4 * moves.max()]


def moved_names(directions: FloatArray, names: Sequence[str]) -> tuple[str, ...]:
    """Names of the parameters that directions, float[p, k], move."""
    moved = np.abs(directions).max(axis=1) > 1e-7 * np.abs(directions).max()
    return tuple(name for name, there in zip(names, moved) if there)


class Estimated:
    """What an estimate with a covariance, float[p, p], has beside it."""

    covariance: FloatArray

    @property
    def standard_errors(self) -> FloatArray:
        """float[p]: square roots of the variances."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


#: Squared length of the last step in standard errors: a step of 1e-7, after which less than (1e-7)**2 is left
#: (observed on the certified sets: 13.9 digits and more).
TOLERANCE = 1e-14
#: The same for the step that would come next: 5e-14 standard errors, which nobody needs to take.
FORECAST = 3e-27
#: Concave problems of this kind take 4 to 8 steps from 0; 100 is far outside anything regular.
MAX_STEPS = 100
#: A log-odds of 20 needs counts beyond 1e8 to be a finite estimate; farther than this somebody has to look.
FAR = 20.0


class Point(Protocol):
    """The function at one place."""

    @property
    def value(self) -> float:
        ...

    @property
    def extent(self) -> float:
        """Largest linear predictor in absolute value; inf outside the domain."""

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """The step H^-1 q and the decrement q' H^-1 q; raises LinAlgError if H is not positive definite.
        A step need not be more exact than `accuracy`, relative to its length."""


P = TypeVar("P", bound=Point)


@dataclass(frozen=True, eq=False)
class Solution(Generic[P]):
    """Where the solver ended.
    x float[n].  point: the function there.  decrement: at the place from which the last step was taken.
    reached: whether the rule was met.  trouble: "" or what went wrong: "singular", "far", "slow".  linear:
    how many of the last steps in a row left between a tenth and nine tenths of the decrement.  At a maximum
    it falls quadratically; on the way to one at infinity (log-likelihood -exp(-x)) each step leaves exp(-1)
    of it."""

    x: FloatArray
    point: P
    steps: int
    decrement: float
    reached: bool
    trouble: str = ""
    linear: int = 0


def _accuracy(best: float) -> float:
    """How exact, relative to its length, the next step has to be, given the last decrement.
    As exact as quadratic convergence can use (Dembo, Eisenstat and Steihaug 1982; its constant is about 1e-4
    where steps are inexact at all), but no more exact than 1e-13 standard errors."""
    return min(0.05, max(1e-13 / best, 1e-4 * best))


def maximise(evaluate: Callable[[FloatArray], P], start: FloatArray, far: float = FAR) -> Solution[P]:
    """Maximise from `start`; step halving keeps the value from falling.
    Returns Solution: with `trouble` if the Hessian was singular, a linear predictor went beyond `far`, or
    MAX_STEPS were not enough."""
    x, here = start, evaluate(start)
    decrement, best, linear = np.inf, np.inf, 0
    for steps in range(MAX_STEPS):
        before = decrement
        try:
            step, decrement = here.newton_step(_accuracy(best))
        except np.linalg.LinAlgError:
            return Solution(x, here, steps, decrement, False, "singular")
        if not np.isfinite(decrement) or decrement < -1e-8:
            return Solution(x, here, steps, decrement, False, "singular")
        # Below 1e-10 a decrement that no longer falls is rounding: there is nothing more to gain in doubles.
        rounding = decrement < 1e-10 and decrement > 0.1 * best
        # Where convergence is quadratic, decrement / best**2 is its constant and the decrement after this
        # step that constant times the square of this one.
        forecast = decrement**3 / best**2 if best < 1e-2 else np.inf
        done = decrement <= TOLERANCE or forecast <= FORECAST or rounding
        best = min(best, decrement)
        linear = linear + 1 if 0.1 * before < decrement < 0.9 * before else 0
        length = 1.0
        there = evaluate(x + step)
        # So near the maximum that full steps converge, the value is all rounding and says nothing.
        near = decrement < 1e-6
        while not (there.extent < np.inf and (near or there.value >= here.value)) and length > 1e-12:
            length /= 2
            there = evaluate(x + length * step)
        x, here = x + length * step, there
        if done:
            return Solution(x, here, steps + 1, decrement, True, linear=linear)
        if here.extent > far:
            return Solution(x, here, steps + 1, decrement, False, "far")
    return Solution(x, here, MAX_STEPS, decrement, False, "slow")


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
    """A search that used up its steps: the maximum is at least `value`.  where float[k]."""

    def __init__(self, message: str, where: FloatArray, value: float) -> None:
        super().__init__(message)
        self.where, self.value = where, value


class Objective(Protocol):
    """A log-likelihood, penalised or not, at one place."""

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Value, gradient, float[p], and information (or a matrix near it), float[p, p]."""


def complement(c: FloatArray) -> FloatArray:
    """Orthonormal columns orthogonal to the columns of c.  c float[p, m].  Returns float[p, p - rank]."""
    u, s, _ = np.linalg.svd(c, full_matrices=True)
    rank = int((s > 1e-10 * max(float(s.max(initial=0.0)), 1e-300)).sum())
    return np.asarray(u[:, rank:])


def constrained_maximum(
    objective: Objective, fixed: FloatArray, basis: FloatArray, start: FloatArray
) -> tuple[FloatArray, float]:
    """The maximum over phi of the objective at fixed + basis phi, by Newton's method or scoring.
    fixed float[p].  basis float[p, k].  start float[k].  Returns (float[k], float): phi and the value."""
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
    infinite.  concave: whether a constrained maximum is the only one.  If not, each search is also made from
    the estimate."""

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
        end: where the parameter space ends on that side; the limit if the profile has not dropped there.
        Returns float: inf or -inf where the profile never drops so far."""
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


#: A pivot that has lost 11 of the 16 digits a double carries is a zero: some parameters cannot be told apart.
SMALL_PIVOT = 1e-11


def by_cholesky(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """x with H x = right.  matrix float[n, n]: H, symmetric.  `right` float[n]."""
    from scipy.linalg.lapack import dposv

    factor, x, info = dposv(matrix, right)
    if info != 0 or (factor.diagonal() ** 2 < SMALL_PIVOT * matrix.diagonal()).any():
        raise np.linalg.LinAlgError("not positive definite: some parameters cannot be told apart")
    return np.asarray(x)
