"""Roots of adjusted scores where accelerated scoring stops short of them.

In small tables that are nearly separated a step of scoring can lead past the root and back for ever.  The likelihood
penalised by Jeffreys' prior has a maximum whatever the contests are (Kosmidis and Firth 2021, Biometrika 108, 71-82),
which a search with a line search reaches; the other adjusted scores have their roots near it, and are searched from there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError
from .scoring import ROUNDING, TOLERANCE, Root, newton

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
