"""(1 - t)^(-1/2) on [0, limit] as a polynomial, so that it can be applied to a matrix by products alone.

The interpolating polynomial in Chebyshev's points has an error of about 2 rho^-n of the function at degree n,
rho = z + sqrt(z^2 - 1), z = 2/limit - 1: 3 products for clusters with a thousandth of the information, 17 for a
half, 46 for nine tenths.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Largest error of the polynomial, relative to the function, which is 1 or more: that of a standard error is
#: as large at most.
TOLERANCE = 3e-14
#: The same where each product takes a tenth of a second or more.
ROUGH = 2e-11
#: Beyond this limit eigenvalues are cheaper, and a cluster that alone determines a direction has to be
#: recognised.
LARGEST = 0.9
#: Points in which the function is interpolated: 1.92^-128 = 1e-36 at the largest limit.
_POINTS = 128


@lru_cache(maxsize=512)
def coefficients(limit: float, tolerance: float = TOLERANCE) -> tuple[float, ...]:
    """Coefficients of Chebyshev's polynomials in 2t/limit - 1; those beyond the tolerance are left away."""
    # cos(k pi (i + 1/2) / n), the angle reduced in whole numbers so that it stays exact for large k
    turns = np.outer(np.arange(_POINTS), 2 * np.arange(_POINTS) + 1) % (4 * _POINTS)
    cosine = np.cos(np.pi / (2 * _POINTS) * turns)
    values = 1.0 / np.sqrt(1.0 - limit * (cosine[1] + 1.0) / 2.0)
    c = 2.0 / _POINTS * cosine @ values
    c[0] /= 2.0
    # values are exact to some 1e-16, so coefficients below 1e-15 are noise
    c[np.abs(c) < 1e-15] = 0.0
    left = np.cumsum(np.abs(c)[::-1])[::-1]
    n = int(np.argmax(left < tolerance)) if (left < tolerance).any() else _POINTS
    return tuple(float(v) for v in c[: max(n, 1)])


def rounded_up(limit: float) -> float:
    """One of 16 limits for each power of two, at least as large: few polynomials serve all clusters."""
    if not limit > 0.0:
        return 1e-8
    fraction, exponent = np.frexp(limit)
    return float(min(np.ldexp(np.ceil(fraction * 32.0) / 32.0, exponent), LARGEST))


def applied(
    limit: float, times: Callable[[FloatArray], FloatArray], vectors: FloatArray, tolerance: float = TOLERANCE
) -> FloatArray:
    """(1 - A)^(-1/2) v by Clenshaw's recurrence.

    limit: at least the largest eigenvalue of A, which has none below 0; at most 0.9.  times function of
    float[n, p] to float[n, p]: A v for each row v.  vectors float[n, p].  tolerance: largest relative error.
    """
    c = coefficients(limit, tolerance)
    if len(c) == 1:
        return c[0] * vectors
    later, last = np.zeros_like(vectors), c[-1] * vectors
    for k in range(len(c) - 2, -1, -1):
        # the argument is 2A/limit - 1, doubled but for the last step
        factor = 2.0 if k else 1.0
        new = times(last)
        new *= 2.0 * factor / limit
        new -= factor * last
        new -= later
        new += c[k] * vectors
        later, last = last, new
    return last
