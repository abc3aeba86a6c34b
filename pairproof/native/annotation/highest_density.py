"""Highest-density intervals of many beta distributions at once.

With G the log density of Beta(a, b) and m its mode, the ends l < m < u have the same density and hold the
level between them. They are found by their depth r,

    G(m) - G(l) = G(m) - G(u) = r^2 / 2,   F(u) - F(l) = level

since for a normal distribution r is the normal quantile, whatever mean and variance: from there two to four
Newton steps are enough (the signed root of the likelihood ratio; Barndorff-Nielsen and Cox 1994, section
6.6). For given r the ends are roots of a function that is concave in log(x / (1 - x)), so that Newton's steps
from outside never overshoot; they take no incomplete beta function. A bracket on r guards the few
distributions that are nearly flat.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Change of r, relative to the normal quantile, after which no further step is taken (Newton: the error is
#: then far smaller, and what rounding leaves in the incomplete beta function).
ACCURATE = 1e-11
MAX_STEPS = 60


def highest_density(alpha: FloatArray, beta: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Highest-density interval of each beta distribution.

    alpha, beta float[k]: >= 1.  Returns low, high float[k]: in [0, 1].  Of the uniform distribution the
    middle.
    """
    # Scores on a slider of a hundred steps give the same distribution again and again.
    distinct, back = np.unique(alpha + 1j * beta, return_inverse=True)
    a, b = distinct.real.copy(), distinct.imag.copy()
    # One end of the scale has the highest density: the interval begins there.
    low = np.where(b == 1.0, (1.0 - level) ** (1.0 / a), 0.0)
    high = np.where(b == 1.0, 1.0, 1.0 - (1.0 - level) ** (1.0 / b))
    flat = (a == 1.0) & (b == 1.0)
    low[flat], high[flat] = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    inner = (a > 1.0) & (b > 1.0)
    if inner.any():
        low[inner], high[inner] = _inner(a[inner], b[inner], level)
    return low[back], high[back]


def _inner(a: FloatArray, b: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Ends where the mode is inside (0, 1)."""
    from scipy.special import betainc, betaln, ndtri

    quantile = float(ndtri(0.5 + level / 2.0))
    r = np.full(len(a), quantile)
    least, most = np.zeros(len(a)), np.full(len(a), np.inf)
    peak = _log_density(a, b, np.log(a - 1.0) - np.log(b - 1.0))
    constant = peak - betaln(a, b)
    low, high = np.empty(len(a)), np.empty(len(a))
    left, right = np.full(len(a), np.nan), np.full(len(a), np.nan)
    todo = np.arange(len(a))
    for _ in range(MAX_STEPS):
        p, q, depth = a[todo], b[todo], r[todo]
        target = peak[todo] - depth**2 / 2.0
        left[todo], right[todo] = _end(p, q, target), -_end(q, p, target)
        l, l_slope = _place(p, q, left[todo])
        u, u_slope = _place(p, q, right[todo])
        low[todo], high[todo] = l, u
        held = betainc(p, q, u) - betainc(p, q, l)
        short = held < level
        least[todo], most[todo] = np.where(short, depth, least[todo]), np.where(short, most[todo], depth)
        rate = np.exp(constant[todo] - depth**2 / 2.0) * depth * (l_slope - u_slope)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = ndtri(0.5 + held / 2.0)
            new = depth + (quantile - z) * 2.0 * np.exp(-z * z / 2.0) / np.sqrt(2.0 * np.pi) / rate
            outside = ~(new > least[todo]) | ~(new < most[todo])
            middle = np.where(
                np.isinf(most[todo]), 2.0 * depth, (least[todo] + np.minimum(most[todo], 1e300)) / 2.0
            )
        new = np.where(outside, middle, new)
        near = np.abs(new - depth) <= ACCURATE * quantile
        r[todo] = new
        todo = todo[~near]
        if not len(todo):
            break
    return low, high


def _log_density(a: FloatArray, b: FloatArray, y: FloatArray) -> FloatArray:
    """Log density at y = log(x / (1 - x)), without its constant."""
    rest = np.log1p(np.exp(-np.abs(y)))
    found: FloatArray = -(a - 1.0) * (np.maximum(-y, 0.0) + rest) - (b - 1.0) * (np.maximum(y, 0.0) + rest)
    return found


def _end(a: FloatArray, b: FloatArray, target: FloatArray) -> FloatArray:
    """The y left of the mode at which the log density is `target`.

    The log density is below (a - 1) y, so the start is on the left of the root; it is concave, so every step
    ends on the left as well.
    """
    y = target / (a - 1.0)
    todo: NDArray[np.int64] = np.arange(len(a))
    for _ in range(MAX_STEPS):
        p, q, at = a[todo] - 1.0, b[todo] - 1.0, y[todo]
        x = 1.0 / (1.0 + np.exp(np.minimum(-at, 700.0)))
        step = (target[todo] - _log_density(p + 1.0, q + 1.0, at)) / (p * (1.0 - x) - q * x)
        y[todo] = at + step
        todo = todo[np.abs(step) > 1e-13 * (1.0 + np.abs(at))]
        if not len(todo):
            break
    return y


def _place(a: FloatArray, b: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """x, and (dx / dy) / (dG / dy), which times -r is dx / dr."""
    x = 1.0 / (1.0 + np.exp(np.minimum(-y, 700.0)))
    rest = 1.0 / (1.0 + np.exp(np.minimum(y, 700.0)))
    return x, x * rest / ((a - 1.0) * rest - (b - 1.0) * x)
