"""Deviance of a table of counts, without cancellation.

    D = 2 sum (y log(y/m) - y + m)

Each term is >= 0, and near y = m it is computed from (y - m)/m by its series, so that a small deviance of large counts
keeps its digits (the usual y log(y/m) summed with both signs loses them).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Below this relative difference the series is used; 25 terms leave less than 0.1**25.
_NEAR = 0.1


def deviance(observed: FloatArray, fitted: FloatArray) -> float:
    """Poisson (= product multinomial, totals being equal) deviance.

    Parameters
    ----------
    observed, fitted : float[...]
        Same totals in each cell; fitted is 0 only where observed is.
    """
    y, m = np.ravel(observed), np.ravel(fitted)
    live = m > 0
    y, m = y[live], m[live]
    x = (y - m) / m
    near = np.abs(x) < _NEAR
    out = np.empty_like(y)
    far_y, far_m = y[~near], m[~near]
    out[~near] = np.where(far_y > 0, far_y * np.log(np.where(far_y > 0, far_y, 1.0) / far_m), 0.0) - (far_y - far_m)
    out[near] = m[near] * _gap(x[near])
    return 2.0 * float(np.sum(out))


def _gap(x: FloatArray) -> FloatArray:
    """(1 + x) log(1 + x) - x = sum over k >= 2 of (-x)**k / (k (k - 1)), for small x."""
    total = np.zeros_like(x)
    for k in range(26, 1, -1):
        total = total * -x + 1.0 / (k * (k - 1))
    return total * x * x
