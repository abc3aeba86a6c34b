"""Systems ranked by the scores of their segments (Sakaguchi and Van Durme 2018, section 5.3; WMT since 2016).

A system's score is the mean of its judged segments' scores; its interval is Student's t over segments.  Two
systems differ if the Wilcoxon rank-sum test on their segment scores says so (two-sided, normal approximation
with ties and continuity correction, as WMT and R's wilcox.test(exact = FALSE)).  A cluster ends below a
system if every system above the line differs from every system below it.

The paper models a system's quality as one beta distribution; with EASL's update from (1, 1) its mode is the
mean of the scores taken here.  Its 33,760 outputs drawn "without replacement" are more than the 2,999 x 10 =
29,990 there were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....errors import InputError
from ..beta import FloatArray, IntArray
from ..quality.annotators import ranks

ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class SystemScores:
    """The systems' scores and clusters, from best to worst.

    systems: best first.  score, low, high float[n_systems]: mean and its t interval; nan limits for a system
    with one segment.  n int[n_systems]: segments judged.  p float[n_systems, n_systems]: two-sided p-values,
    1 on the diagonal.  cluster int[n_systems]: from 1; systems of one cluster are not all told apart.
    """

    systems: tuple[str, ...]
    score: FloatArray
    low: FloatArray
    high: FloatArray
    n: IntArray
    p: FloatArray
    cluster: IntArray


def system_scores(
    system: Sequence[str], score: ArrayLike, level: float = 0.95, alpha: float = ALPHA
) -> SystemScores:
    """Scores of systems with intervals and clusters, as WMT ranks systems since 2016.

    system: of each segment score.  score float[k]: one a judged segment (the mean of its judgments): raw, or
    standardised by annotator.  alpha: of each test, in (0, 1); there is no correction for their number, as
    WMT has none.
    """
    s = np.asarray(score, np.float64)
    if len(s) != len(system):
        raise InputError(f"{len(system)} system names and {len(s)} scores; expected as many")
    if not np.isfinite(s).all():
        raise InputError(
            f"system scores: score number {int(np.flatnonzero(~np.isfinite(s))[0]) + 1} is"
            f" {s[~np.isfinite(s)][0]}; leave it out"
        )
    by: dict[str, list[float]] = {}
    for name, value in zip(system, s.tolist()):
        by.setdefault(name, []).append(value)
    if len(by) < 2:
        raise InputError(
            f"system scores: found {len(by)} system(s) ({', '.join(by)}); clusters need two or more"
        )
    order = sorted(by, key=lambda name: (-np.mean(by[name]), name))
    groups = [np.array(by[name]) for name in order]
    p = np.ones((len(order), len(order)))
    for i in range(len(order)):
        for j in range(i + 1, len(order)):
            p[i, j] = p[j, i] = rank_sum_p(groups[i], groups[j])
    mean, size = np.array([g.mean() for g in groups]), np.array([len(g) for g in groups])
    return SystemScores(tuple(order), mean, *_t_interval(groups, level), size, p, _clusters(p < alpha))


def _clusters(differ: NDArray[np.bool_]) -> IntArray:
    cluster = np.ones(len(differ), np.int64)
    for k in range(1, len(differ)):
        cluster[k] = cluster[k - 1] + bool(differ[:k, k:].all())
    return cluster


def _t_interval(groups: Sequence[FloatArray], level: float) -> tuple[FloatArray, FloatArray]:
    from scipy.special import stdtrit

    mean = np.array([g.mean() for g in groups])
    half = np.array(
        [
            stdtrit(len(g) - 1, 0.5 + level / 2) * g.std(ddof=1) / np.sqrt(len(g)) if len(g) > 1 else np.nan
            for g in groups
        ]
    )
    return mean - half, mean + half


def rank_sum_p(x: FloatArray, y: FloatArray) -> float:
    """Two-sided p of the Wilcoxon rank-sum test, as R's wilcox.test(exact = FALSE).

    Normal approximation with ties and continuity correction.

    x, y float[n], float[m].
    """
    from scipy.special import ndtr

    n, m = len(x), len(y)
    both = np.concatenate([x, y])
    r = ranks(both)
    ties = np.unique(both, return_counts=True)[1].astype(float)
    u = float(r[:n].sum()) - n * (n + 1) / 2 - n * m / 2
    total = n + m
    spread = n * m / 12 * ((total + 1) - float(np.sum(ties**3 - ties)) / (total * (total - 1)))
    if spread <= 0:
        return 1.0
    return float(min(1.0, 2.0 * ndtr(-max(abs(u) - 0.5, 0.0) / np.sqrt(spread))))
