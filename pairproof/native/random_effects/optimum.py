"""The maximum of a marginal likelihood of a few parameters, and its second derivatives there.

Quasi-Newton steps in units of standard errors, then Newton's.  Second derivatives are exact, or differences of the
exact gradient: six points of distance 0.02, 0.04 and 0.06 standard errors (Fornberg 1988, Mathematics of Computation
51, 699-706, table 1), with an error of order 1e-11, or two points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError

FloatArray = NDArray[np.float64]

#: Distance of the differences, in standard errors as the scale has them.
STEP = 0.02
#: Squared length of a step, in standard errors, after which nothing is left to gain.
DONE = 1e-20
#: So many rough standard errors from the start nobody looks any more.
FARTHEST = 1e3


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a function is greatest.

    x float[n].  gradient float[n].  hessian float[n, n].
    """

    x: FloatArray
    value: float
    gradient: FloatArray
    hessian: FloatArray
    evaluations: int


def optimum(
    function: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    scale: FloatArray,
    points: int = 6,
    second: Callable[[FloatArray], FloatArray] | None = None,
    moved: float = 1e-17,
) -> Optimum:
    """The maximum of a smooth function with an exact gradient.

    function function of x, float[n]: its value and its gradient, float[n].  start float[n].  scale float[n,
    n]: columns are steps of about one standard error: a square root of a rough covariance.  points: 6, or 2
    for a third of the time where the function is dear and nearly quadratic.  second function of x, float[n]:
    exact second derivatives, float[n, n], in place of differences.  moved: squared length of a step, in
    standard errors, after which second derivatives are taken anew.
    """
    from scipy.optimize import minimize

    count = 0

    def scaled(t: FloatArray) -> tuple[float, FloatArray]:
        nonlocal count
        count += 1
        if not np.abs(t).max() < FARTHEST:
            return np.inf, np.zeros(len(t))
        value, gradient = function(start + scale @ t)
        return -value, -(scale.T @ gradient)

    def curvature(t: FloatArray) -> FloatArray:
        if second is None:
            return _differences(scaled, t, points)
        return np.asarray(-(scale.T @ second(start + scale @ t) @ scale))

    options = {"gtol": 1e-7 if second is None else 1e-5, "maxiter": 100}
    with np.errstate(all="ignore"):  # the line search subtracts infinities where the function has no maximum
        t = minimize(scaled, np.zeros(len(start)), jac=True, method="BFGS", options=options).x
    value, gradient = scaled(t)
    hessian, best = curvature(t), np.inf
    for _ in range(12):
        step, decrement = _newton(hessian, gradient, start + scale @ t)
        if decrement >= best and decrement < 1e-12:
            break  # rounding
        t, best = t - step, decrement
        value, gradient = scaled(t)
        if decrement > moved:  # the second derivatives are of another place by now
            hessian = curvature(t)
        if decrement < DONE:
            break
    else:
        if best > 1e-10:
            raise ConvergenceError(
                f"the marginal likelihood did not come to its maximum: the last step was {best**0.5:.1e} SE"
            )
    back = np.linalg.inv(scale)
    return Optimum(start + scale @ t, -value, -(back.T @ gradient), -(back.T @ hessian @ back), count)


def _newton(hessian: FloatArray, gradient: FloatArray, x: FloatArray) -> tuple[FloatArray, float]:
    try:
        factor = np.linalg.cholesky(hessian)
    except np.linalg.LinAlgError:
        factor = np.zeros((0, 0))
    if not len(factor) or np.diag(factor).min() < 1e-6:
        raise ConvergenceError(
            "the marginal likelihood has no maximum: it is flat, or still grows, at"
            f" {', '.join(f'{v:.4g}' for v in x)} (fixed parameters, then log sigma), as where wins are separated; without"
            " random effects reduce_bias='mean' has finite estimates"
        )
    half = np.linalg.solve(factor, gradient)
    return np.linalg.solve(factor.T, half), float(half @ half)


def _differences(
    scaled: Callable[[FloatArray], tuple[float, FloatArray]], t: FloatArray, points: int
) -> FloatArray:
    columns = []
    for k in range(len(t)):
        e = np.zeros(len(t))
        e[k] = STEP
        weights = (45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0) if points == 6 else (0.5,)
        pairs = (w * (scaled(t + m * e)[1] - scaled(t - m * e)[1]) for m, w in enumerate(weights, 1))
        columns.append(sum(pairs, np.zeros(len(t))) / STEP)
    found = np.array(columns).reshape(len(t), len(t))
    return np.asarray((found + found.T) / 2.0)
