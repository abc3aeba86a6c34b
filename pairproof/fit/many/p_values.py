"""Adjusted p-values that need no correlations, from log10 p: small ones keep their digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def log10_holm(log10_p: FloatArray) -> FloatArray:
    """Holm (1979, Scand. J. Statist. 6, 65-70): holds the probability of any false rejection.

    log10_p float[m]: at most 0, without nan.  Returns float[m]: log10 of the adjusted p-values.
    """
    order = np.argsort(log10_p, kind="stable")
    left = np.arange(len(log10_p), 0, -1)
    out = np.empty(len(log10_p))
    out[order] = np.minimum(0.0, np.maximum.accumulate(np.log10(left) + log10_p[order]))
    return out


def log10_benjamini_hochberg(log10_p: FloatArray) -> FloatArray:
    """Benjamini and Hochberg (1995, J. R. Statist. Soc. B 57, 289-300): holds the false discovery rate.

    log10_p float[m]: at most 0, without nan.  Returns float[m]: log10 of the adjusted p-values.
    """
    order = np.argsort(log10_p, kind="stable")[::-1]
    m = len(log10_p)
    out = np.empty(m)
    out[order] = np.minimum(0.0, np.minimum.accumulate(np.log10(m / np.arange(m, 0, -1)) + log10_p[order]))
    return out
