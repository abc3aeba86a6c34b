"""Confidence sequences: intervals that hold at every look, for whoever watches while answers come in.

With S successes in t answers, y_i in [0, 1] scores (ties one half), alpha = 1 - level::

    proportion   p is excluded if B(a + S, a + t - S) / B(a, a) >= p^S (1 - p)^(t - S) / alpha     (a = 1/2)
    scores       m is excluded if the mean of two hedged capitals reaches 1 / alpha  (Waudby-Smith and Ramdas 2024)
    estimates    estimate -+ se_t sqrt(2 (t r^2 + 1) / (t r^2) log(sqrt(t r^2 + 1) / alpha)), r tuned to the planned t

The first two hold for any number of looks and any t (Ville's inequality; the first is Robbins's mixture); the third is
asymptotic, for any estimate with a standard error, t the independent answers or clusters behind it (Waudby-Smith, Arbour,
Sinha, Kennedy and Ramdas 2024, Ann. Statist. 52, 2613-2640).  A 95 % interval looked at after every one of 2,000 answers
errs in half of all studies.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError

FloatArray = NDArray[np.float64]

#: Fewest independent answers for the asymptotic sequence.
FEWEST = 50


def _alpha(level: float) -> float:
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for 95 % intervals")
    return 1.0 - level


def proportion(
    successes: float, answers: float, level: float = 0.95, prior: float = 0.5
) -> tuple[float, float]:
    """Limits for a probability that hold at every look.

    Parameters
    ----------
    successes, answers : float
        Decisive answers for the first system, and all decisive answers.
    level : float
        In (0, 1).
    prior : float
        a of the symmetric beta mixture, positive.

    Raises
    ------
    InputError

    Examples
    --------
    >>> low, high = proportion(60, 100)
    >>> round(low, 4), round(high, 4)
    (0.4343, 0.7514)
    """
    from scipy.optimize import brentq
    from scipy.special import betaln, xlog1py, xlogy

    alpha = _alpha(level)
    if not (0.0 <= successes <= answers and answers > 0.0 and prior > 0.0):
        raise InputError(
            f"{successes} successes of {answers} answers, prior {prior}; expected 0 <= successes <= answers"
        )
    mixture = float(betaln(prior + successes, prior + answers - successes) - betaln(prior, prior))

    def excess(p: float) -> float:
        return mixture - float(xlogy(successes, p) + xlog1py(answers - successes, -p)) + math.log(alpha)

    middle = float(np.clip(successes / answers, 1e-16, 1.0 - 1e-16))
    low = 0.0 if successes == 0.0 else float(brentq(excess, 1e-300, middle, xtol=1e-15))
    high = 1.0 if successes == answers else float(brentq(excess, middle, 1.0 - 1e-16, xtol=1e-15))
    return low, high


def bounded_scores(scores: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Limits for the mean of scores in [0, 1], in the order in which they came, that hold at every look.

    Parameters
    ----------
    scores : float[t]
        1 for the first system, 0 for the second, 1/2 for a tie.

    Raises
    ------
    InputError
        No scores, or one outside [0, 1].

    Examples
    --------
    >>> low, high = bounded_scores([1, 1, 0, 0.5, 1, 0, 1, 0.5, 1, 0] * 20)
    >>> round(low, 4), round(high, 4)
    (0.5009, 0.7069)
    """
    from scipy.optimize import brentq

    alpha = _alpha(level)
    y = np.asarray(scores, dtype=float)
    if y.ndim != 1 or not len(y) or not ((y >= 0.0) & (y <= 1.0)).all():
        raise InputError("expected a list of scores between 0 and 1")
    t = np.arange(1, len(y) + 1)
    mean = (0.5 + np.cumsum(y)) / (t + 1)
    variance = (0.25 + np.cumsum((y - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    bet = np.sqrt(2.0 * math.log(2.0 / alpha) / (before * t * np.log(t + 1)))

    def capital(m: float) -> float:
        up = float(np.log1p(np.minimum(bet, 0.5 / m) * (y - m)).sum())
        down = float(np.log1p(-np.minimum(bet, 0.5 / (1.0 - m)) * (y - m)).sum())
        return max(up, down) - math.log(2.0 / alpha)

    tiny = 1e-9
    middle = float(np.clip(y.mean(), 2 * tiny, 1.0 - 2 * tiny))
    low = float(brentq(capital, tiny, middle, xtol=1e-14)) if capital(tiny) > 0.0 else 0.0
    high = float(brentq(capital, middle, 1.0 - tiny, xtol=1e-14)) if capital(1.0 - tiny) > 0.0 else 1.0
    return low, high


def multiplier(t: float, planned: float, level: float = 0.95) -> float:
    """What a standard error is multiplied with in place of 1.96, at the t-th of `planned` answers or clusters.

    Raises
    ------
    InputError
        t below 50: the approximation does not hold yet.

    Examples
    --------
    >>> round(multiplier(500, 500), 4)
    3.0352
    """
    alpha = _alpha(level)
    if t < FEWEST or planned <= 0:
        raise InputError(
            f"t={t}, planned={planned}; the asymptotic sequence starts at {FEWEST} independent answers"
        )
    log = math.log(alpha)
    r2 = (-2.0 * log + math.log(1.0 - 2.0 * log)) / planned
    return math.sqrt(2.0 * (t * r2 + 1.0) / (t * r2) * math.log(math.sqrt(t * r2 + 1.0) / alpha))
