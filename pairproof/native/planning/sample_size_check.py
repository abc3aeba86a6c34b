"""Power of a comparison of two systems by simulation, to hold the formula against.

Judge g and source s shift the mean score of an answer from d to d + e_g + f_s, e and f normal with variances r_J v and
r_S v; given that mean, P(first) - P(second) is it and P(tie) stays.  The correlations of scores are then r_J and r_S
exactly, but where a mean had to be cut off at -+(1 - P(tie)).  The test is the t of judges' means; with sources, the
mean score with a standard error by judge and source, as compare-two has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.options import whole_number
from ...errors import InputError
from ..ranking.by_cluster import clustered_error
from ..ranking.by_judge import judge_means
from .sample_size import Assumptions, Design

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Answers drawn at most, over all studies.
MOST_ANSWERS = 500_000_000


@dataclass(frozen=True)
class SimulatedPower:
    """The share of simulated studies in which the test was significant.

    error: its Monte Carlo standard error.
    """

    power: float
    error: float
    studies: int


def simulated_power(
    expected: Assumptions, design: Design, studies: int = 1000, level: float = 0.95, seed: int = 0
) -> SimulatedPower:
    """Draw studies and count the significant ones.

    design: answers are divided among judges as evenly as can be, and each judge's among random sources.
    studies: at least 1.
    """
    whole_number("studies", studies, 1)
    if not design.answers * studies <= MOST_ANSWERS:
        raise InputError(
            f"{studies} studies of {design.answers:g} answers; {MOST_ANSWERS:,} answers are drawn at most: ask for fewer"
            " studies"
        )
    rng = np.random.default_rng(seed)
    n = int(round(design.answers))
    judge = np.sort(np.arange(n) % design.judges)
    found = sum(_significant(rng, expected, design, judge, level) for _ in range(studies))
    share = found / studies
    return SimulatedPower(share, math.sqrt(max(share * (1 - share), 1.0 / studies) / studies), studies)


def _significant(
    rng: np.random.Generator, expected: Assumptions, design: Design, judge: IntArray, level: float
) -> bool:
    v, reach = expected.variance, 1.0 - expected.tie_rate
    mean = expected.margin + rng.normal(0.0, math.sqrt(expected.judge_icc * v), design.judges)[judge]
    source = np.zeros(len(judge), np.int64)
    if design.sources is not None:
        source = rng.integers(0, design.sources, len(judge))
        mean = mean + rng.normal(0.0, math.sqrt(expected.source_icc * v), design.sources)[source]
    first = (reach + np.clip(mean, -reach, reach)) / 2
    u = rng.random(len(judge))
    y: FloatArray = (u < first).astype(float) - (u >= first + expected.tie_rate).astype(float)
    if design.sources is None:
        a, b, t = (
            np.bincount(judge, (y == score).astype(float), design.judges).astype(float)
            for score in (1, -1, 0)
        )
        p = judge_means(a, b, t).p
    else:
        average = float(y.mean())
        parts, shares = (y - average)[:, None] / len(y), np.full((len(y), 1), 1.0 / len(y))
        error = clustered_error(parts, shares, [judge, source], ["judge", "source"])
        p = error.p(average) if not error.why_not else math.nan
    return p < 1.0 - level
