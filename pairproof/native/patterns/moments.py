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
