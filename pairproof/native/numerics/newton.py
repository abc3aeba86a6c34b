"""Newton's method for a concave function, and the rule by which it stops.

With gradient q and Hessian -H the *decrement* q' H^-1 q is the squared length of the Newton step in standard
errors (Boyd and Vandenberghe 2004, section 9.5.1).  Near the maximum it falls quadratically, so that once it
is below TOLERANCE the step then taken leaves an error far below one unit in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

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

        A step need not be more exact than `accuracy`, relative to its length.
        """


P = TypeVar("P", bound=Point)


@dataclass(frozen=True, eq=False)
class Solution(Generic[P]):
    """Where the solver ended.

    x float[n].  point: the function there.  decrement: at the place from which the last step was taken.
    reached: whether the rule was met.  trouble: "" or what went wrong: "singular", "far", "slow".  linear:
    how many of the last steps in a row left between a tenth and nine tenths of the decrement.  At a maximum
    it falls quadratically; on the way to one at infinity (log-likelihood -exp(-x)) each step leaves exp(-1)
    of it.
    """

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
    where steps are inexact at all), but no more exact than 1e-13 standard errors.
    """
    return min(0.05, max(1e-13 / best, 1e-4 * best))


def maximise(evaluate: Callable[[FloatArray], P], start: FloatArray, far: float = FAR) -> Solution[P]:
    """Maximise from `start`; step halving keeps the value from falling.

    Returns Solution: with `trouble` if the Hessian was singular, a linear predictor went beyond `far`, or
    MAX_STEPS were not enough.
    """
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
