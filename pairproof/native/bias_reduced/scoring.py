"""The root of an adjusted score by accelerated scoring.

Each step is I^-1 (score + adjustment) with the expected information I (Kosmidis and Firth 2010, Electronic
Journal of Statistics 4, 1097-1112): it converges linearly.  Anderson's mixing of the last few steps (1965,
Journal of the ACM 12, 547-560) makes it fast; where a mixed step does not bring the score nearer to 0, the
plain one is taken.  If neither gets there soon (cauchit), Newton's method does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError

FloatArray = NDArray[np.float64]

#: Squared length of a step in standard errors below which it is the last: 1e-13 of them.
TOLERANCE = 1e-26
#: Below this a step that no longer falls is rounding.
ROUNDING = 1e-20
#: Rounding may leave more where predictors are in the hundreds: so many steps without a shorter one, and that
#: below this, are the end too.
IDLE, LEFT = 25, 1e-14
MOST_STEPS, MEMORY = 120, 6
#: After so many steps, Newton's method with differences of the steps, for up to so many parameters.
PATIENCE, MOST_COLUMNS = 60, 200
#: Longest step: so much a linear predictor may change, or half of the largest one.  Where all probabilities
#: are near 0 and 1 there is so little information that a step would go far beyond the root.
LONGEST = 1.5


@dataclass(frozen=True, eq=False)
class Root:
    """Where an adjusted score is 0.

    theta float[p].  decrement: squared length, in standard errors, of the last step.
    """

    theta: FloatArray
    steps: int
    decrement: float


def root(
    step_at: Callable[[FloatArray], tuple[FloatArray, float]],
    start: FloatArray,
    predictor: Callable[[FloatArray], FloatArray],
) -> Root:
    """The root of an adjusted score.

    step_at function of theta, float[p]: the step I^-1 s, float[p], and the decrement s'I^-1 s, for the
    adjusted score s. LinAlgError where the information is singular.  start float[p].  predictor function of
    theta, float[p]: linear predictors, float[n].
    """
    theta = start
    step, decrement = step_at(theta)
    places: list[FloatArray] = []
    steps: list[FloatArray] = []
    best, trust, idle = decrement, LONGEST, 0
    for count in range(1, MOST_STEPS + 1):
        eta = predictor(theta)
        longest = min(trust, max(LONGEST, 0.5 * float(np.abs(eta).max(initial=0.0))))
        reach = float(np.abs(predictor(theta + step) - eta).max(initial=0.0))
        there = theta + step * min(1.0, longest / max(reach, 1e-300))
        places, steps = [*places, theta][-MEMORY:], [*steps, step][-MEMORY:]
        mixed = _mixed(places, steps) if decrement < 0.1 else None
        if count >= PATIENCE and len(theta) <= MOST_COLUMNS:
            mixed = newton(step_at, theta, step, decrement)
        nearer = None if mixed is None else _nearer(step_at, mixed, decrement)
        if mixed is not None and nearer is not None:
            there, (after, length) = mixed, nearer
        else:
            if mixed is not None:
                places, steps = [], []
            after, length = step_at(there)
        # A step that leads away from the root was too long; another may be followed by a longer one.
        trust = 0.5 * min(trust, reach) if length > decrement else 2.0 * trust
        theta, step, before, decrement = there, after, decrement, length
        if decrement < TOLERANCE or (decrement < ROUNDING and decrement >= 0.25 * best):
            return Root(theta + step, count, decrement)
        idle = 0 if decrement < 0.5 * best else idle + 1
        best = min(best, before, decrement)
        if idle >= IDLE and decrement < LEFT:
            return Root(theta + step, count, decrement)
    raise ConvergenceError(
        f"the adjusted score did not come to 0 in {MOST_STEPS} steps: the last was {decrement**0.5:.1e} standard"
        " errors. It need not have a root, except for jeffreys' prior and for the logit: use jeffreys, or the"
        " logit"
    )


def _nearer(
    step_at: Callable[[FloatArray], tuple[FloatArray, float]], theta: FloatArray, decrement: float
) -> tuple[FloatArray, float] | None:
    """The step at a mixed place, or None if it is no nearer to the root."""
    try:
        found = step_at(theta)
    except np.linalg.LinAlgError:
        return None
    return found if found[1] < decrement else None


def newton(
    step_at: Callable[[FloatArray], tuple[FloatArray, float]],
    theta: FloatArray,
    step: FloatArray,
    decrement: float,
) -> FloatArray | None:
    """Newton's place for the root of the scoring steps, halved until it is nearer to the root.

    step_at function of theta, float[p]: as :func:`root` takes it.  theta, step float[p]: a place, and the
    scoring step there.  decrement: squared length of that step in standard errors.  Returns float[p] or None:
    none where no halved step is nearer.  Derivatives are central differences.
    """
    size = 1e-6 * np.maximum(1.0, np.abs(theta))
    try:
        slopes = [
            (step_at(theta + e)[0] - step_at(theta - e)[0]) / (2.0 * h) for e, h in zip(np.diag(size), size)
        ]
        whole = np.linalg.solve(np.array(slopes).T, step)
    except np.linalg.LinAlgError:
        return None
    for halvings in range(12):
        there: FloatArray = theta - 0.5**halvings * whole
        if _nearer(step_at, there, decrement) is not None:
            return there
    return None


def _mixed(places: list[FloatArray], steps: list[FloatArray]) -> FloatArray | None:
    """Anderson's step: the combination of the last ones whose steps cancel best."""
    if len(steps) < 2:
        return None
    change = np.diff(np.array(steps), axis=0).T
    moved = np.diff(np.array(places), axis=0).T
    share = np.linalg.lstsq(change, steps[-1], rcond=1e-10)[0]
    found: FloatArray = places[-1] + steps[-1] - (moved + change) @ share
    return found if np.isfinite(found).all() else None
