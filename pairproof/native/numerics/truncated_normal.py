"""Draws from a standard normal restricted to an interval, by inversion, right in both tails.

Inverting u -> Phi^-1(Phi(a) + u (1 - Phi(a))) fails for a beyond 8, where Phi(a) is 1 in doubles.  Here the
lower bound is always looked at from the side where its tail probability is small: P(Z > a) = Phi(-a), so that

    z = -Phi^-1(u Phi(-a))                      u uniform on (0, 1)

is above a, to full relative accuracy of Phi(-a) down to 1e-300 (a = 37).  Beyond, the same in logarithms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Phi(-37) is 6e-300; a little farther it is no longer a normal double.
LOG_BEYOND = 37.0


def above(a: FloatArray, u: FloatArray) -> FloatArray:
    """Standard normals given Z > a.

    `a` float[n]: lower bounds.  u float[n]: uniform in (0, 1).  Returns float[n]: each >= its bound.
    """
    from scipy.special import erfc, log_ndtr, ndtri, ndtri_exp

    # Phi(-a) = erfc(a / sqrt(2)) / 2, a quarter faster than ndtr and as exact.
    z: FloatArray = a * np.sqrt(0.5)
    erfc(z, out=z)
    z *= 0.5
    z *= u
    ndtri(z, out=z)
    np.negative(z, out=z)
    np.maximum(z, a, out=z)
    if a.size and a.max() > LOG_BEYOND:
        far = a > LOG_BEYOND
        z[far] = np.maximum(-ndtri_exp(np.log(u[far]) + log_ndtr(-a[far])), a[far])
    return z


def between(a: FloatArray, b: FloatArray, u: FloatArray) -> FloatArray:
    """Standard normals given a < Z < b, for intervals whose middle is not above 0 (turn others round).

    `a`, b float[n]: a < b and a + b <= 0, so that the mass is in the lower tail or about 0.  u float[n]:
    uniform in (0, 1).  Returns float[n]: each in [a, b].
    """
    from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

    low, high = ndtr(a), ndtr(b)
    z: FloatArray = ndtri(low + u * (high - low))
    if b.size and b.min() < -LOG_BEYOND:
        far = b < -LOG_BEYOND
        top = log_ndtr(b[far])
        z[far] = ndtri_exp(top + np.log(u[far] + (1.0 - u[far]) * np.exp(log_ndtr(a[far]) - top)))
    return np.clip(z, a, b, out=z)
