"""Maxima of smooth functions by Newton's method, and information matrices that are singular.

With gradient q and Hessian -H the *decrement* q' H^-1 q is the squared length of the Newton step in standard
errors (Boyd and Vandenberghe 2004, section 9.5.1).  Near the maximum it falls quadratically, so that once it
is below TOLERANCE the step then taken leaves an error far below one unit in the last place.

An indefinite information I is raised to I + c diag(1), c the smallest of 0, 1e-6, 1e-5, ... times its largest
diagonal element with which I + c has a Cholesky factor (Levenberg 1944, Marquardt 1963).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from .arrays import FloatArray
from .compiled import lapack

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


def step_of_factor(factor: FloatArray, score: FloatArray) -> tuple[FloatArray, float]:
    """The step H^-1 q and the decrement q' H^-1 q, for the lower factor of H and q float[p]."""
    from scipy.linalg import solve_triangular

    half = solve_triangular(factor, score, lower=True)
    return np.asarray(solve_triangular(factor, half, lower=True, trans=1)), float(half @ half)


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


def maximise(
    evaluate: Callable[[FloatArray], P], start: FloatArray, far: float = FAR, safe: float = 0.0
) -> Solution[P]:
    """Maximise from `start`; step halving keeps the value from falling.
    safe: a step that changes no parameter by more cannot fall, and its value is not asked for.
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
        near = decrement < 1e-6 or float(np.abs(step).max(initial=0.0)) < safe
        while not (there.extent < np.inf and (near or there.value >= here.value)) and length > 1e-12:
            length /= 2
            there = evaluate(x + length * step)
        x, here = x + length * step, there
        if done:
            return Solution(x, here, steps + 1, decrement, True, linear=linear)
        if here.extent > far:
            return Solution(x, here, steps + 1, decrement, False, "far")
    return Solution(x, here, MAX_STEPS, decrement, False, "slow")


def complement(c: FloatArray) -> FloatArray:
    """Orthonormal columns orthogonal to the columns of c.  c float[p, m].  Returns float[p, p - rank]."""
    u, s, _ = np.linalg.svd(c, full_matrices=True)
    rank = int((s > 1e-10 * max(float(s.max(initial=0.0)), 1e-300)).sum())
    return np.asarray(u[:, rank:])


#: A pivot that has lost 11 of the 16 digits a double carries is a zero: parameters cannot be distinguished.
SMALL_PIVOT = 1e-11


def by_cholesky(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """x with H x = right.  matrix float[n, n]: H, symmetric.  `right` float[n]."""
    factor, x, info = lapack().dposv(matrix, right)
    if info != 0 or (factor.diagonal() ** 2 < SMALL_PIVOT * matrix.diagonal()).any():
        raise np.linalg.LinAlgError("not positive definite: some parameters cannot be distinguished")
    return np.asarray(x)
