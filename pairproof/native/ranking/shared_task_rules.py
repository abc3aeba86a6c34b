"""Rankings of systems from counts of wins, ties and losses, as shared translation tasks have used them.

With win, tie, loss the counts of a system over all others, and w(s, t) the comparisons in which s was
preferred to t::

    ORIGWMT(s)        (win + tie) / (win + tie + loss)      WMT until 2010; raised by a system's own copies
    BOJAR(s)          win / (win + loss)                    Bojar et al. (2011); no value if all were ties
    Expected Wins(s)  mean over t != s of
                      w(s, t) / (w(s, t) + w(t, s))         Callison-Burch et al. (2012)
    Playoffs(s)       share of simulated knock-out tournaments that s wins; in a match of s and t, s goes
                      on with probability (1 + w(s, t)) / (2 + w(s, t) + w(t, s))

The last rule follows the idea of the WMT 2012 organisers' Monte Carlo Playoffs.  Its details are our own,
since their paper was not at hand: the draw is random, unfilled places are byes, and a pair without a decided
comparison is a coin toss. Rankings that minimise what they contradict are in
:mod:`pairproof.native.ranking.feedback_arc`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...data.judgments import preference_counts
from ...data.options import whole_number

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """A number for each system, larger is better.

    values float[n_items]: nan where the rule gives no value.  se float[n_items] or None: Monte Carlo standard
    errors, where there was a simulation.
    """

    name: str
    items: tuple[str, ...]
    values: FloatArray
    se: FloatArray | None = None

    @property
    def ranking(self) -> tuple[str, ...]:
        """Best first; equal values in the order of `items`, systems without a value left out."""
        order = np.argsort(-self.values, kind="stable")
        return tuple(self.items[k] for k in order if not np.isnan(self.values[k]))

    def to_dict(self) -> dict[str, float | None]:
        """Score of each system; None where the rule gives none."""
        return {item: None if np.isnan(v) else float(v) for item, v in zip(self.items, self.values)}


def _record(table: Comparisons) -> FloatArray:
    """float[3, n_items]: ties, wins, losses of every system."""
    return np.asarray(preference_counts(table).sum(axis=1).T)


def orig_wmt(table: Comparisons) -> Scores:
    """Share not lost, (win + tie) / (win + tie + loss): WMT's rule until 2010.

    nan for a system never compared.

    Returns Scores: in [0, 1].
    """
    tie, win, loss = _record(table)
    return Scores("ORIGWMT", table.items, _ratio(win + tie, win + tie + loss))


def bojar(table: Comparisons) -> Scores:
    """Share won of decided comparisons, win / (win + loss) (Bojar et al. 2011); nan for a system without any.

    Returns Scores: in [0, 1].
    """
    _, win, loss = _record(table)
    return Scores("BOJAR", table.items, _ratio(win, win + loss))


def expected_wins(table: Comparisons) -> Scores:
    """Mean over the opponents of the share of decided comparisons won (Callison-Burch et al. 2012).

    Opponents against whom none was decided do not count; nan for a system without any other.

    Returns Scores: in [0, 1].
    """
    won = preference_counts(table)[:, :, 1]
    share = _ratio(won, won + won.T)
    met = ~np.isnan(share)
    mean = _ratio(np.where(met, share, 0.0).sum(axis=1), met.sum(axis=1).astype(float))
    return Scores("Expected Wins", table.items, mean)


def monte_carlo_playoffs(table: Comparisons, tournaments: int = 10_000, seed: int = 0) -> Scores:
    """Share of simulated knock-out tournaments won, after the organisers of WMT 2012.

    tournaments: >= 1.  Returns Scores: with Monte Carlo standard errors.
    """
    whole_number("tournaments", tournaments, 1)
    rng = np.random.default_rng(whole_number("seed", seed))
    n = len(table.items)
    won = preference_counts(table)[:, :, 1]
    goes_on = (1.0 + won) / (2.0 + won + won.T)
    size = 1 << (n - 1).bit_length()
    # No two byes may meet: they fill the second seat of the first size - n matches, systems the rest.
    drawn = rng.permuted(np.tile(np.arange(n), (tournaments, 1)), axis=1)
    field = np.full((tournaments, size), -1)
    matches_with_bye = size - n
    field[:, 0 : 2 * matches_with_bye : 2] = drawn[:, :matches_with_bye]
    field[:, 2 * matches_with_bye :] = drawn[:, matches_with_bye:]
    while field.shape[1] > 1:
        a, b = field[:, 0::2], field[:, 1::2]
        first = (b < 0) | (rng.random(a.shape) < goes_on[a, b])
        field = np.where(first, a, b)
    share = np.bincount(field[:, 0], minlength=n) / tournaments
    return Scores("Monte Carlo Playoffs", table.items, share, np.sqrt(share * (1 - share) / tournaments))


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)
