"""What final scores look like: histograms of Sakaguchi and Van Durme (2018), figures 7 and 10, and their
range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..beta import FloatArray, IntArray


def histogram(scores: Sequence[float] | FloatArray, bins: int = 5) -> IntArray:
    """Numbers of scores in equal bins of 0 to 1 (Sakaguchi and Van Durme 2018, figures 7 and 10).

    scores float[n]: a score of trueskill beyond 0 or 1 is in the end bin.  Returns int[bins].
    """
    found: IntArray = np.histogram(np.clip(scores, 0.0, 1.0), bins, (0.0, 1.0))[0].astype(np.int64)
    return found


def spread(scores: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Standard deviation, smallest and largest of scores, which show that RA's range is narrow.

    scores float[n].
    """
    s = np.asarray(scores, np.float64)
    return float(s.std(ddof=1)), float(s.min()), float(s.max())
