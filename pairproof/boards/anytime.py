"""Limits of a board that hold on every day on which one looks, for all items, and for all orders, at once.

An estimate from t votes with standard error se_t behaves, from m votes on, as a Wiener process over its time
(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Ann. Statist. 52, 2613-2640: asymptotic confidence sequences,
m large), and that one crosses, at any t >= m,

    |W(t)| >= sqrt(t (a^2 + log(t / m)))     with probability     2 (1 - Phi(a) + a phi(a))

(Robbins and Siegmund 1970, Ann. Math. Statist. 41, 1410-1429; it is the normal mixture that begins at m).  So

    estimate -+ se_t sqrt(a^2 + log(t / m)),     2 (1 - Phi(a) + a phi(a)) = (1 - level) / s

ever misses with probability 1 - level in any of s statements together (Bonferroni).  With level .95 and one
statement the factor is 2.80 at the first look and 3.52 at a hundred times its votes, in place of 1.96 which misses
nearly always: by the law of the iterated logarithm no constant is enough.  se may be clustered, by CR2 (where some
judges are busy CR1 is too narrow, and 8 % of simulated boards missed); of few clusters it is enlarged by the ratio
of the t to the normal quantile.

The time of an item is its own votes, that of a difference the harmonic mean of both.  m is `first_look`, votes of
its own that an item has before anything is said about it: 50 at least.  With it 0 to 4 % of simulated boards that
were looked at on 60 days ever missed at a level of 95 %, of boards of busy judges with CR2 1 to 2 %, and of boards
whose votes were asked for by :func:`pairproof.next_pairs` 1.5 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Union

import numpy as np
import pandas as pd

from ..data.options import whole_number
from ..errors import InputError
from ..fit.estimates.identification import chained
from ..fit.fit import Fit
from ..fit.many.abilities import abilities_of
from ..native.planning.looking_early import FEWEST
from ..numerics.arrays import BoolArray, FloatArray


def anytime_factor(n_votes: float, first_look: float, level: float = 0.95, n_statements: int = 1) -> float:
    """What a standard error is multiplied with, in place of 1.96, so that limits hold at every look.

    n_votes, first_look: votes, or independent clusters, so far and at the first look, which is chosen before it, 50 at least.
    n_statements: items, or pairs of items, the most there will ever be; level: of all of them at all looks together.
    """
    if not FEWEST <= first_look <= n_votes:
        raise InputError(
            f"n_votes={n_votes:g}, first_look={first_look:g}; expected at least {FEWEST} votes at the first look and"
            " now: the approximation does not hold with fewer"
        )
    return math.sqrt(_at_first(level, n_statements) ** 2 + math.log(n_votes / first_look))


def _at_first(level: float, n_statements: int) -> float:
    """a: the factor at the first look."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for 95 % limits")
    share = (1.0 - level) / whole_number("n_statements", n_statements, 1)

    def more(a: float) -> float:
        return 2.0 * (float(ndtr(-a)) + a * math.exp(-0.5 * a * a) / math.sqrt(2.0 * math.pi)) - share

    return float(brentq(more, 0.0, 38.0, xtol=1e-12))


def anytime_above(differences: FloatArray, se: FloatArray, factor: Union[float, FloatArray]) -> BoolArray:
    """bool[n, n]: row is shown to be above column, at this look as at every other, and what follows from that.

    differences, se float[n, n]: row less column; nan where there is none.  factor: as many statements as pairs of items.
    """
    with np.errstate(invalid="ignore"):
        return chained(np.asarray(differences > np.asarray(factor) * se))


@dataclass(frozen=True, eq=False)
class AnytimeLimits:
    """Ratings with limits that hold at every look, and orders that do.

    Attributes
    ----------
    items : tuple of str
    rating, se, low, high : float[n_items]
        In Elo points, mean 1000; nan where an item has no rating, limits also where it has too few votes.
    factor : float[n_items]
        What se was multiplied with.
    above : bool[n_items, n_items]
        Row is shown to be above column: all of these hold together at every look.
    votes : float[n_items]
    level : float
        Of all ratings together, and of all orders together.
    first_look : float
    """

    items: tuple[str, ...]
    rating: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    factor: FloatArray
    above: BoolArray
    votes: FloatArray
    level: float
    first_look: float

    @property
    def too_few(self) -> tuple[str, ...]:
        """Items that have fewer votes than at the first look, of which nothing is said."""
        return tuple(item for item, n in zip(self.items, self.votes) if n < self.first_look)

    def to_frame(self) -> pd.DataFrame:
        """By item: rating, se, low, high, votes.

        Returns
        -------
        DataFrame
        """
        columns = {name: getattr(self, name) for name in ("rating", "se", "low", "high", "votes")}
        return pd.DataFrame(columns, index=pd.Index(self.items, name="item"))


def anytime_limits(
    fit: Fit, level: float = 0.95, first_look: float = FEWEST, most_items: int | None = None
) -> AnytimeLimits:
    """Limits of all ratings, and orders of all pairs, that hold for any number of looks.

    Parameters
    ----------
    fit : Fit
        A Bradley-Terry fit of the votes so far, clustered or not.
    level : float
        Probability, in (0, 1), that no rating is ever outside its limits and no order is ever wrong.
    first_look : float
        Number of votes an item needs before a statement is made about it; at least 50.
    most_items : int, optional
        Maximum number of items that the board will ever have; default: those of the fit.

    Returns
    -------
    AnytimeLimits

    Raises
    ------
    InputError
        first_look below 50; fewer items than the fit has; abilities that are not log-odds.

    References
    ----------
    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Ann. Statist. 52, 2613-2640.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [220, 380, 350], None, [200, 90, 120])
    >>> found = pairproof.anytime_limits(pairproof.fit_bradley_terry(table))
    >>> found.to_frame()[["rating", "low", "high"]].round(0).astype(int).to_dict("list")
    {'rating': [1087, 1057, 855], 'low': [1056, 1027, 823], 'high': [1118, 1088, 888]}
    >>> found.above.astype(int).tolist()
    [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    """
    n = len(fit.items)
    most = n if most_items is None else whole_number("most_items", most_items, n)
    if not first_look >= FEWEST:
        raise InputError(f"first_look={first_look:g}; expected at least {FEWEST} votes per item")
    ratings, pairs = fit.on_scale("elo"), abilities_of(fit)
    counts = [np.bincount(place, fit.data.row_weights, n) for place in (fit.data.first, fit.data.second)]
    votes = np.asarray(counts[0] + counts[1], float)
    factor = _factors(votes, ratings.df, first_look, level, most)
    rarer = np.minimum(votes[:, None], votes)
    mean = 2.0 / (1.0 / np.maximum(votes, 1e-9)[:, None] + 1.0 / np.maximum(votes, 1e-9))
    time = np.where(rarer < first_look, 0.0, mean)
    wide = _factors(time, pairs.df, first_look, level, most * (most - 1) // 2)
    above = anytime_above(pairs.estimate[:, None] - pairs.estimate, pairs.se, wide)
    limits = ratings.rating - factor * ratings.se, ratings.rating + factor * ratings.se
    return AnytimeLimits(
        fit.items, ratings.rating, ratings.se, *limits, factor, above, votes, level, first_look
    )


def _factors(
    time: FloatArray, df: FloatArray, first_look: float, level: float, n_statements: int
) -> FloatArray:
    """The factors of many statements; nan before the first look."""
    from scipy.special import ndtri, stdtrit

    half = 1.0 - (1.0 - level) / n_statements / 2.0
    since = np.log(np.where(time < first_look, np.nan, time) / first_look)
    with np.errstate(invalid="ignore", divide="ignore"):
        wider = np.where(np.isinf(df), 1.0, stdtrit(df, half) / ndtri(half))
    return np.asarray(wider * np.sqrt(_at_first(level, n_statements) ** 2 + since))
