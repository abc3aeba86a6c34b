"""What final scores look like: histograms of Sakaguchi and Van Durme (2018), figures 7 and 10, and their
range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..beta import FloatArray, IntArray


def histogram(scores: Sequence[float] | FloatArray, bins: int = 5) -> IntArray:
    """Numbers of scores in equal bins of 0 to 1 (Sakaguchi and Van Durme 2018, figures 7 and 10).

    Parameters
    ----------
    scores : float[n]
        A score of trueskill beyond 0 or 1 is in the end bin.
    bins : int

    Returns
    -------
    int[bins]

    Examples
    --------
    >>> from pairproof.native.annotation.simulated.score_distribution import histogram
    >>> histogram([0.1, 0.15, 0.5, 1.2])
    array([2, 0, 1, 0, 1])
    """
    found: IntArray = np.histogram(np.clip(scores, 0.0, 1.0), bins, (0.0, 1.0))[0].astype(np.int64)
    return found


def spread(scores: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Standard deviation, smallest and largest of scores, which show that RA's range is narrow.

    Parameters
    ----------
    scores : float[n]

    Examples
    --------
    >>> from pairproof.native.annotation.simulated.score_distribution import spread
    >>> [round(number, 3) for number in spread([0.2, 0.5, 0.8])]
    [0.3, 0.2, 0.8]
    """
    s = np.asarray(scores, np.float64)
    return float(s.std(ddof=1)), float(s.min()), float(s.max())
