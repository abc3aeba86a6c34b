"""Adjusted p-values that need no correlations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def holm(p: FloatArray) -> FloatArray:
    """Holm (1979, Scand. J. Statist. 6, 65-70): holds the probability of any false rejection.

    Parameters
    ----------
    p : float[m]
        In [0, 1], without nan.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    out = np.empty(len(p))
    out[order] = np.minimum(1.0, np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order]))
    return out


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Benjamini and Hochberg (1995, J. R. Statist. Soc. B 57, 289-300): holds the false discovery rate.

    Parameters
    ----------
    p : float[m]
        In [0, 1], without nan.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p, kind="stable")[::-1]
    m = len(p)
    out = np.empty(m)
    out[order] = np.minimum(1.0, np.minimum.accumulate(m / np.arange(m, 0, -1) * p[order]))
    return out
