"""How many judges, sentences and answers a comparison of two systems needs.

Scores are y = 1, 0, -1 (first preferred, tie, second), mean d, variance v = P(first) + P(second) - d^2; answers of one
judge share the intra-class correlation r_J, those about one sentence r_S.  With G judges, S sentences, n answers::

    Var(mean y) = v (r_J / G + r_S / S + (1 - r_J - r_S) / n)
    power       = P(|T| > t_{1 - alpha/2}),  T noncentral t on min(G, S) - 1 with d / sqrt(Var)     (G - 1 without r_S)

(the design effect of Kish 1965, Survey Sampling; crossed factors as in Westfall, Kenny and Judd 2014, J. Exp. Psychol.
Gen. 143, 2020-2045).  More answers of a judge never bring the variance below v r_J / G.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Judges at most that are looked for.
MOST_JUDGES = 100_000


@dataclass(frozen=True)
class Design:
    """A study of two systems.

    Attributes
    ----------
    judges : int
        G >= 2.
    answers : float
        n, of all judges together.
    sentences : int or None
        S; None where sentences are not taken as drawn from others.
    """

    judges: int
    answers: float
    sentences: int | None = None


@dataclass(frozen=True)
class Assumptions:
    """What a study is expected to find.

    Attributes
    ----------
    preference : float
        d = P(first) - P(second), in (-1, 1).
    ties : float
        P(tie), in [0, 1).
    judge_icc, sentence_icc : float
        r_J and r_S, in [0, 1), together below 1.
    """

    preference: float
    ties: float = 0.0
    judge_icc: float = 0.0
    sentence_icc: float = 0.0

    def __post_init__(self) -> None:
        if not (0.0 <= self.ties < 1.0 and abs(self.preference) <= 1.0 - self.ties):
            raise InputError(
                f"preference {self.preference} with ties {self.ties}: P(first) - P(second) cannot exceed 1 - P(tie)"
            )
        if min(self.judge_icc, self.sentence_icc) < 0.0 or self.judge_icc + self.sentence_icc >= 1.0:
            raise InputError(
                f"correlations {self.judge_icc} and {self.sentence_icc}; expected at least 0 and together below 1"
            )

    @property
    def variance(self) -> float:
        """v, of one score."""
        return 1.0 - self.ties - self.preference**2


def variance_of_mean(expected: Assumptions, design: Design) -> float:
    """Variance of the mean score.

    Examples
    --------
    >>> expected = Assumptions(0.1, 0.25, 0.05, 0.03)
    >>> round(variance_of_mean(expected, Design(20, 1000, 50)), 8)
    0.0029748
    """
    shared = expected.judge_icc / design.judges
    rest = 1.0 - expected.judge_icc
    if design.sentences is not None:
        shared += expected.sentence_icc / design.sentences
        rest -= expected.sentence_icc
    return expected.variance * (shared + rest / design.answers)


def power(expected: Assumptions, design: Design, level: float = 0.95) -> float:
    """Probability that the two-sided test by judges finds the difference.

    Raises
    ------
    InputError
        Fewer than two judges or sentences, or fewer answers than judges.

    Examples
    --------
    >>> round(power(Assumptions(0.1, 0.25, 0.05), Design(20, 300)), 4)
    0.3112
    """
    from scipy.stats import nct, t as student

    units = design.judges if design.sentences is None else min(design.judges, design.sentences)
    if units < 2 or design.answers < design.judges:
        raise InputError(f"{design}: expected two judges and sentences at least, and an answer of each judge")
    se = math.sqrt(variance_of_mean(expected, design))
    q = float(student.ppf(0.5 + level / 2, units - 1))
    shift = abs(expected.preference) / se
    return float(nct.sf(q, units - 1, shift) + nct.cdf(-q, units - 1, shift))


def judges_needed(
    expected: Assumptions,
    answers_each: float,
    wanted: float = 0.8,
    level: float = 0.95,
    sentences: int | None = None,
) -> int | None:
    """Fewest judges with `answers_each` answers for a power of `wanted`; None if no number of them is enough.

    Examples
    --------
    >>> [judges_needed(Assumptions(0.1, 0.25, 0.05), m) for m in (5, 15, 60)]
    [142, 68, 41]
    """
    if not 0.0 < wanted < 1.0:
        raise InputError(f"wanted={wanted}; expected a power between 0 and 1")

    def enough(judges: int) -> bool:
        return power(expected, Design(judges, judges * answers_each, sentences), level) >= wanted

    high = 2
    while not enough(high):
        high *= 2
        if high > MOST_JUDGES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if middle >= 2 and enough(middle):
            high = middle
        else:
            low = middle
    return high


def intraclass_correlation(scores: FloatArray, unit: IntArray) -> float:
    """r of a pilot by one-way analysis of variance, at least 0.

    (MSB - MSW) / (MSB + (m0 - 1) MSW) with m0 = (n - sum m_g^2 / n) / (G - 1) (Donner 1986, Int. Statist. Rev. 54,
    67-82).

    Parameters
    ----------
    scores : float[n]
    unit : int[n]
        Judge (or sentence) of each answer, from 0.

    Raises
    ------
    InputError
        Fewer than two units, or a single answer of each.
    """
    m = np.bincount(unit).astype(float)
    m = m[m > 0]
    n, g = float(m.sum()), len(m)
    if g < 2 or n <= g:
        raise InputError(
            f"{n:g} answers of {g} units: a correlation needs two units, and two answers of one of them"
        )
    _, codes = np.unique(unit, return_inverse=True)
    means = np.bincount(codes, weights=scores) / m
    within = float(((scores - means[codes]) ** 2).sum()) / (n - g)
    between = float((m * (means - scores.mean()) ** 2).sum()) / (g - 1)
    m0 = (n - float((m**2).sum()) / n) / (g - 1)
    total = between + (m0 - 1.0) * within
    return max((between - within) / total, 0.0) if total > 0.0 else 0.0
