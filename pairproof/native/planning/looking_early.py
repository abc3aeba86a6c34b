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

#: Fewest independent answers, and fewest clusters with CR2, for the asymptotic sequence.
FEWEST, FEWEST_CLUSTERS = 50, 20


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
    >>> from pairproof.native.planning.looking_early import proportion
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


def proportion_e_value(
    successes: ArrayLike, answers: ArrayLike, at: float = 0.5, prior: float = 0.5
) -> FloatArray:
    """Evidence against a probability: the beta mixture's likelihood over that of `at`.

    The probability that it ever reaches 1 / alpha is at most alpha where `at` is the truth (Ville 1939).

    successes, answers float[k].  `at`: in (0, 1).  prior: a of the symmetric beta mixture, positive.  Returns
    float[k]: at least 0; above 1e300 it is inf.
    """
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(_log_mixture(successes, answers, at, prior)))


def _log_mixture(successes: ArrayLike, answers: ArrayLike, at: float, prior: float) -> FloatArray:
    from scipy.special import betaln

    s, t = np.asarray(successes, float), np.asarray(answers, float)
    mixture = betaln(prior + s, prior + t - s) - betaln(prior, prior)
    return np.asarray(mixture - s * math.log(at) - (t - s) * math.log1p(-at))


def first_excluded(
    successes: ArrayLike,
    level: float = 0.95,
    at: float = 0.5,
    prior: float = 0.5,
    times: ArrayLike | None = None,
) -> int | None:
    """The first look at which a probability is excluded, where one looks after every answer.

    successes float[t]: 0 or 1 for each decisive answer, in the order in which they came.  `at`: in (0, 1).
    prior: as in :func:`proportion`.  times float[t]: how many answers each entry stands for, one after the
    other; default: one.  Returns int or None: number of answers then; None if it has not been excluded.
    """
    y = np.asarray(successes, float)
    n = np.ones(len(y)) if times is None else np.asarray(times, float)
    total, t = np.cumsum(y * n), np.cumsum(n)
    reach = -math.log(_alpha(level))
    hit = np.flatnonzero(_log_mixture(total, t, at, prior) >= reach)
    if not len(hit):
        return None
    # Among equal answers the evidence falls until they are expected, and then rises: it first reaches the
    # bound among those after whose last one it is beyond, and stays beyond it to their end.
    k = int(hit[0])
    before, last = int(t[k] - n[k]), int(t[k])
    first, successes_before = before + 1, float(total[k] - y[k] * n[k])
    while first < last:
        middle = (first + last) // 2
        there = _log_mixture(successes_before + y[k] * (middle - before), middle, at, prior)
        first, last = (first, middle) if there >= reach else (middle + 1, last)
    return first


def bounded_scores(scores: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Limits for the mean of scores in [0, 1], in the order in which they came, that hold at every look.

    scores float[t]: 1 for the first system, 0 for the second, 1/2 for a tie; or any scores between 0 and 1.
    """
    from scipy.optimize import brentq

    y, bets = _bets(scores, level)
    reach = math.log(2.0 / _alpha(level))

    def capital(m: float) -> float:
        return max(float(side.sum()) for side in _log_capital(y, bets, m)) - reach

    tiny = 1e-9
    middle = float(np.clip(y.mean(), 2 * tiny, 1.0 - 2 * tiny))
    if capital(middle) >= 0.0:
        grid = np.linspace(tiny, 1.0 - tiny, 401)
        middle = float(min(grid, key=capital))
        if capital(middle) >= 0.0:
            raise InputError(
                "the scores drift: no constant mean is left at this level, so there is nothing to bound; look at them in"
                " the order in which they came"
            )
    low = float(brentq(capital, tiny, middle, xtol=1e-14)) if capital(tiny) > 0.0 else 0.0
    high = float(brentq(capital, middle, 1.0 - tiny, xtol=1e-14)) if capital(1.0 - tiny) > 0.0 else 1.0
    return low, high


def first_excluded_mean(scores: ArrayLike, level: float = 0.95, at: float = 0.5) -> int | None:
    """The first look at which a mean score is excluded, where one looks after every answer.

    scores float[t]: in [0, 1], in the order in which they came.  `at`: in (0, 1).  Returns int or None:
    number of scores then; None if it has not been excluded.
    """
    y, bets = _bets(scores, level)
    best = np.maximum(*(np.cumsum(side) for side in _log_capital(y, bets, at)))
    hit = np.flatnonzero(best >= math.log(2.0 / _alpha(level)))
    return int(hit[0]) + 1 if len(hit) else None


def _bets(scores: ArrayLike, level: float) -> tuple[FloatArray, FloatArray]:
    """The scores, and the bet before each of them."""
    y = np.asarray(scores, dtype=float)
    if y.ndim != 1 or not len(y) or not ((y >= 0.0) & (y <= 1.0)).all():
        raise InputError("expected a list of scores between 0 and 1")
    t = np.arange(1, len(y) + 1)
    mean = (0.5 + np.cumsum(y)) / (t + 1)
    variance = (0.25 + np.cumsum((y - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    return y, np.sqrt(2.0 * math.log(2.0 / _alpha(level)) / (before * t * np.log(t + 1)))


def _log_capital(y: FloatArray, bets: FloatArray, m: float) -> tuple[FloatArray, FloatArray]:
    """Logarithms of the factors of K+ and K-."""
    up = np.log1p(np.minimum(bets, 0.5 / m) * (y - m))
    return up, np.log1p(-np.minimum(bets, 0.5 / (1.0 - m)) * (y - m))


def multiplier(t: float, planned: float, level: float = 0.95, fewest: int = FEWEST) -> float:
    """What a standard error is multiplied with in place of 1.96, at the t-th of `planned` answers or clusters.

    Parameters
    ----------
    t : float
        Independent answers, or clusters.
    planned : float
        t0, at which the interval is nearly narrowest; chosen before the first look.
    level : float
        In (0, 1).
    fewest : int
        t at which the approximation is first used: 50 answers, or 20 clusters with CR2.

    Raises
    ------
    InputError
        t below `fewest`: the approximation does not hold yet.

    Examples
    --------
    >>> from pairproof.native.planning.looking_early import multiplier
    >>> round(multiplier(500, 500), 4)
    3.0352
    """
    alpha = _alpha(level)
    if t < fewest or not planned > 0:
        raise InputError(
            f"t={t:g}, planned={planned:g}; the asymptotic sequence starts at {fewest} independent answers or clusters"
        )
    log = math.log(alpha)
    r2 = (-2.0 * log + math.log(1.0 - 2.0 * log)) / planned
    return math.sqrt(2.0 * (t * r2 + 1.0) / (t * r2) * math.log(math.sqrt(t * r2 + 1.0) / alpha))
