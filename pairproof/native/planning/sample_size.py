"""How many judges, sources and answers a comparison of two systems needs.

Scores are y = 1, 0, -1 (first preferred, tie, second), mean d, variance v = P(first) + P(second) - d^2; answers of one
judge share the intra-class correlation r_J, those about one source (a sentence, a prompt) r_S.  With G judges, S
sources and n answers::

    Var(mean y) = v (r_J / G + r_S / S + (1 - r_J - r_S) / n)
    power       = P(|T| > t_{1 - alpha/2}),  T noncentral t on min(G, S) - 1 with d / sqrt(Var)     (G - 1 without sources)

(the design effect of Kish 1965, Survey Sampling; crossed factors as in Westfall, Kenny and Judd 2014, J. Exp. Psychol.
Gen. 143, 2020-2045).  More answers of a judge never bring the variance below v (r_J / G + r_S / S): with too few judges
or sources no number of answers is enough, and the functions then return None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...errors import InputError

#: Judges, sources, or answers of a judge at most that are looked for.
MOST = 1_000_000
#: Standard errors of shift from which on only the spread of the standard error counts: |T| > q where it is
#: below shift / q. The numerator's own spread, 1, changes that by a five-thousandth.
#: scipy's noncentral t ends the process beyond 60,000.
FAR = 5000.0


@dataclass(frozen=True)
class Design:
    """A study of two systems.

    judges: G >= 2.  answers: n, of all judges together; inf for the limit of ever more answers.  sources: S;
    None where sources are not taken as drawn from others.
    """

    judges: int
    answers: float
    sources: int | None = None

    def __post_init__(self) -> None:
        if self.judges < 2 or (self.sources is not None and self.sources < 2):
            raise InputError(
                f"a study of {self.judges} judges and {'no' if self.sources is None else self.sources} sources; expected at"
                " least two of each, for their spread"
            )
        if not self.answers >= self.judges:
            raise InputError(
                f"{self.answers:g} answers of {self.judges} judges; expected at least one of each"
            )

    @property
    def units(self) -> int:
        """The smaller of the numbers of judges and of sources; one more than the degrees of freedom."""
        return self.judges if self.sources is None else min(self.judges, self.sources)


@dataclass(frozen=True)
class Assumptions:
    """What a study is expected to find.

    margin: d = P(first) - P(second), in (-1, 1).  tie_rate: P(tie), in [0, 1).  judge_icc, source_icc: r_J
    and r_S, in [0, 1), together below 1.
    """

    margin: float
    tie_rate: float = 0.0
    judge_icc: float = 0.0
    source_icc: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.tie_rate < 1.0:
            raise InputError(
                f"P(tie) {self.tie_rate:g}; expected at least 0 and below 1: some answers must prefer a system"
            )
        if not abs(self.margin) <= 1.0 - self.tie_rate:
            raise InputError(
                f"margin {self.margin:g} with a tie rate of {self.tie_rate:g}: P(first) - P(second) cannot exceed"
                " 1 - P(tie)"
            )
        if not (min(self.judge_icc, self.source_icc) >= 0.0 and self.judge_icc + self.source_icc < 1.0):
            raise InputError(
                f"intra-class correlations {self.judge_icc:g} (judge) and {self.source_icc:g} (source); expected at"
                " least 0 and together below 1"
            )

    @property
    def variance(self) -> float:
        """v, of one score."""
        return 1.0 - self.tie_rate - self.margin**2


def variance_of_mean(expected: Assumptions, design: Design) -> float:
    """Variance of the mean score."""
    shared = expected.judge_icc / design.judges
    rest = 1.0 - expected.judge_icc
    if design.sources is not None:
        shared += expected.source_icc / design.sources
        rest -= expected.source_icc
    return expected.variance * (shared + rest / design.answers)


def power_of_t(shift: float, df: float, level: float = 0.95) -> float:
    """Power of the two-sided t test on df whose statistic is shifted by so many standard errors.

    df: positive.
    """
    from scipy.special import chdtr, stdtrit

    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for a test at 5 %")
    if shift == 0.0:
        return 1.0 - level
    q, shift = float(stdtrit(df, 0.5 + level / 2)), abs(shift)
    if shift > FAR:
        return float(chdtr(df, df * (shift / q) ** 2))
    return _beyond(q, shift, df)


def _beyond(q: float, shift: float, df: float) -> float:
    """P(|Z + shift| > q s), Z standard normal and df s^2 chi-square: the noncentral t beyond q on both sides.

    Written out because scipy's noncentral t ends the process at large shifts in one version, and is nan in
    others.  The normal tails are integrated over log s, by Gauss's rule between the places where they turn.
    """
    from scipy.special import gammainccinv, gammaincinv, ndtr, roots_legendre

    # 1e-18 of s is left out on either side.
    low, high = (0.5 * math.log(2.0 * float(f(df / 2.0, 1e-18)) / df) for f in (gammaincinv, gammainccinv))
    turns = [(shift + k) / q for k in (-9.0, -3.0, 0.0, 3.0, 9.0)]
    inner = [math.log(turn) for turn in turns if turn > 0.0]
    cuts = np.unique(np.clip([*inner, *np.linspace(low, high, 17)], low, high))
    x, weight = roots_legendre(32)
    half = np.diff(cuts)[:, None] / 2.0
    v = (cuts[:-1, None] + half) + half * x
    # The density up to a constant, which is had from its own sum: written out it cancels where df is large.
    density = half * weight * np.exp(-df / 2.0 * (np.expm1(2.0 * v) - 2.0 * v))
    tails = ndtr(shift - q * np.exp(v)) + ndtr(-shift - q * np.exp(v))
    return min(float((density * tails).sum() / density.sum()), 1.0)


def power(expected: Assumptions, design: Design, level: float = 0.95) -> float:
    """Probability that the two-sided test by judges (and sources) finds the margin."""
    variance = variance_of_mean(expected, design)
    if variance == 0.0:
        return 1.0 if expected.margin else 1.0 - level
    return power_of_t(expected.margin / math.sqrt(variance), design.units - 1.0, level)


def detectable(
    expected: Assumptions, design: Design, wanted: float = 0.8, level: float = 0.95
) -> float | None:
    """The smallest margin that the design finds with this power; None if not even the largest possible one.

    expected: its margin is not used.  wanted: power, in (0, 1).
    """
    from scipy.optimize import brentq

    _check_wanted(wanted)

    def lacking(margin: float) -> float:
        assumed = Assumptions(margin, expected.tie_rate, expected.judge_icc, expected.source_icc)
        return power(assumed, design, level) - wanted

    most = (1.0 - expected.tie_rate) * (1.0 - 1e-9)
    if lacking(most) < 0.0:
        return None
    return float(brentq(lacking, 0.0, most, xtol=1e-10)) if wanted > 1.0 - level else 0.0


def judges_needed(
    expected: Assumptions,
    answers_each: float,
    wanted: float = 0.8,
    level: float = 0.95,
    sources: int | None = None,
) -> int | None:
    """Fewest judges with `answers_each` answers for a power of `wanted`; None if no number of them is enough.

    answers_each: m >= 1.  wanted: in (0, 1).  sources: S.
    """
    return _fewest(
        lambda judges: power(expected, Design(judges, judges * answers_each, sources), level), 2, wanted
    )


def answers_needed(
    expected: Assumptions, judges: int, wanted: float = 0.8, level: float = 0.95, sources: int | None = None
) -> int | None:
    """Fewest answers of each judge for a power of `wanted`; None if no number of them is enough.

    judges: G >= 2.  wanted: in (0, 1).  sources: S.
    """
    if power(expected, Design(judges, math.inf, sources), level) < wanted:
        _check_wanted(wanted)
        return None
    return _fewest(lambda each: power(expected, Design(judges, judges * each, sources), level), 1, wanted)


def sources_needed(
    expected: Assumptions, judges: int, answers_each: float, wanted: float = 0.8, level: float = 0.95
) -> int | None:
    """Fewest sources for a power of `wanted`; None if no number of them is enough.

    judges: G >= 2.  answers_each: m >= 1.  wanted: in (0, 1).
    """
    return _fewest(lambda s: power(expected, Design(judges, judges * answers_each, s), level), 2, wanted)


def _check_wanted(wanted: float) -> None:
    if not 0.0 < wanted < 1.0:
        raise InputError(f"power {wanted:g}; expected a number between 0 and 1, 0.8 for 80 %")


def _fewest(power_at: Callable[[int], float], least: int, wanted: float) -> int | None:
    """The smallest number, of at least `least`, at which the power is reached; powers grow with it."""
    _check_wanted(wanted)
    high = least
    while power_at(high) < wanted:
        high *= 2
        if high > MOST:
            return None
    low = max(high // 2, least - 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= wanted else (middle, high)
    return high
