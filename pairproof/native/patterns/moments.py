"""Sum, mean and covariance of the statistics over a set of patterns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """Sum, mean and covariance of the statistics over a set of patterns.

    log_total: logarithm of the sum of exp(t' beta).  mean float[q].  covariance float[q, q].
    """

    log_total: float
    mean: FloatArray
    covariance: FloatArray


def table_moments(table: FloatArray, beta: FloatArray) -> Moments:
    """The moments over patterns that are written out.

    table float[N, q]: statistics of each pattern.  beta float[q].
    """
    eta = table @ beta
    top = float(eta.max())
    p = np.exp(eta - top)
    total = float(p.sum())
    p /= total
    mean = p @ table
    off = table - mean
    return Moments(top + float(np.log(total)), mean, (off.T * p) @ off)
