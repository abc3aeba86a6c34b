"""Sum, mean and covariance of the statistics over a set of patterns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """Sum, mean and covariance of the statistics over a set of patterns.

    Attributes
    ----------
    log_total : float
        Logarithm of the sum of exp(t' beta).
    mean : float[q]
    covariance : float[q, q]

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.patterns.comparisons.halves import cube_moments
    >>> cube_moments(((1, -1), (1, -1)), False, (), np.zeros(2)).covariance.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    log_total: float
    mean: FloatArray
    covariance: FloatArray


def table_moments(table: FloatArray, beta: FloatArray) -> Moments:
    """The moments over patterns that are written out.

    Parameters
    ----------
    table : float[N, q]
        Statistics of each pattern.
    beta : float[q]

    Returns
    -------
    Moments

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.patterns.moments import table_moments
    >>> table_moments(np.array([[1.0], [-1.0]]), np.zeros(1)).covariance.tolist()
    [[1.0]]
    """
    eta = table @ beta
    top = float(eta.max())
    p = np.exp(eta - top)
    total = float(p.sum())
    p /= total
    mean = p @ table
    off = table - mean
    return Moments(top + float(np.log(total)), mean, (off.T * p) @ off)
