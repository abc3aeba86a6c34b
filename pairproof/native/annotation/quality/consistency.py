"""Annotators tested on themselves: planned repeats, and items made worse on purpose.

within
    standard deviation of an annotator's score of one item, from planned repeats: sqrt(mean d^2 / 2), d =
    first - again. With n repeats n s^2 / sigma^2 is chi-square on n degrees of freedom, which gives the
    interval
degraded
    drop = the annotator's score of an item - score of its degraded copy. One-sided signed rank test (Wilcoxon
    1945): zeros are left out, ties have their mean rank; exact below 50 pairs without ties and zeros, else
    normal with ties and continuity correction, as R's wilcox.test(paired = TRUE, alternative = "greater").

Passed means p <= .05. Below 8 pairs there are too few to fail anybody, and an annotator whose drops are all 0
has failed: scores that do not move at all are no evidence of attention. The unpaired Mann-Whitney test, which
a widely used tool takes instead, fails honest annotators, because items differ more than the damage does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError
from ..beta import FloatArray
from ..coded_labels import numbers
from .annotators import ranks, rounded

#: Below this many pairs nobody fails; p below which the test is passed; pairs from which R takes the normal
#: one.
FEWEST_PAIRS, PASSED, NORMAL_FROM = 8, 0.05, 50
Verdict = Literal["passed", "failed", "too few"]


@dataclass(frozen=True)
class WithinSpread:
    """The standard deviation of one annotator's scores of the same item.

    sd: nan without repeats.  n: repeats.  low, high: chi-square interval; nan without repeats.
    """

    sd: float
    n: int
    low: float
    high: float


def within_spread(first: ArrayLike, again: ArrayLike, level: float = 0.95) -> WithinSpread:
    """How far an annotator's second score of an item lies from the first.

    `first`, again float[n]: scores of the same items by the same annotator.
    """
    from scipy.special import chdtri

    a, b = numbers("first", first, 0), numbers("again", again, 0)
    if len(a) != len(b):
        raise InputError(f"{len(a)} first scores and {len(b)} repeats; expected as many")
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")
    n = len(a)
    if n == 0:
        return WithinSpread(math.nan, 0, math.nan, math.nan)
    squares = float(np.sum((a - b) ** 2)) / 2.0
    # chdtri takes the upper tail.
    low, high = (math.sqrt(squares / float(chdtri(n, tail))) for tail in ((1 - level) / 2, (1 + level) / 2))
    return WithinSpread(math.sqrt(squares / n), n, low, high)


@dataclass(frozen=True)
class DegradedTest:
    """Whether an annotator scores degraded items below their originals.

    p: one-sided; nan if every drop is 0.  n: pairs, zeros with them.  mean_drop: on the scale of the scores;
    nan without pairs.
    """

    verdict: Verdict
    p: float
    n: int
    mean_drop: float


def degraded_test(original: ArrayLike, degraded: ArrayLike) -> DegradedTest:
    """Test of one annotator on degraded items, paired with the annotator's own scores of the originals.

    original, degraded float[n]: scores by the same annotator.
    """
    a, b = numbers("original", original, 0), numbers("degraded", degraded, 0)
    if len(a) != len(b):
        raise InputError(f"{len(a)} scores of originals and {len(b)} of degraded items; expected as many")
    # .71 - .39 and .62 - .30 are the same drop, but not the same double: what is equal has to be a tie.
    drop = rounded(a - b, float(np.abs(np.r_[a, b]).max(initial=0.0)))
    mean = float(drop.mean()) if len(drop) else math.nan
    p = signed_rank_p(drop)
    if not (drop != 0).any() and len(drop) >= FEWEST_PAIRS:
        return DegradedTest("failed", p, len(drop), mean)
    if len(drop) < FEWEST_PAIRS:
        return DegradedTest("too few", p, len(drop), mean)
    return DegradedTest("passed" if p <= PASSED else "failed", p, len(drop), mean)


def signed_rank_p(differences: ArrayLike) -> float:
    """One-sided p of Wilcoxon's signed rank test that differences are positive, as R's wilcox.test.

    differences float[n]: those that are exactly 0 are left out.  Returns float: nan if none is left.
    """
    from scipy.special import ndtr

    d = np.asarray(differences, np.float64)
    rest = d[d != 0]
    n = len(rest)
    if n == 0:
        return math.nan
    r = ranks(np.abs(rest))
    statistic = float(r[rest > 0].sum())
    distinct, ties = np.unique(np.abs(rest), return_counts=True)
    if n < NORMAL_FROM and len(distinct) == n and n == len(d):
        return _exact_upper(n, int(round(statistic)))
    spread = n * (n + 1) * (2 * n + 1) / 24.0 - float(np.sum(ties.astype(float) ** 3 - ties)) / 48.0
    return float(ndtr(-(statistic - n * (n + 1) / 4.0 - 0.5) / math.sqrt(spread)))


def _exact_upper(n: int, statistic: int) -> float:
    """P(V >= statistic): subsets of 1, ..., n by their sum, counted."""
    counts: FloatArray = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1.0
    for k in range(1, n + 1):
        # The right side is taken before any of it is changed.
        counts[k:] = counts[k:] + counts[:-k].copy()
    return float(counts[statistic:].sum() / 2.0**n)
