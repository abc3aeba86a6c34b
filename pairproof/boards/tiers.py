"""Tiers of a board, and the models of few votes that hide them or widen the limits of all.

Without an anchor ratings are about the mean of all of them, so that what is uncertain in one model is uncertain in the mean:
of n models its standard error s adds about s / n to every other.  A model that may have any rank ends all tiers but one.  Both
are right, and both have a cause, which the board names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import ndtri

from ..data.columns import FloatArray, IntArray
from ..fit.estimates.tails import student_quantile
from ..fit.fit import Fit
from ..fit.many.abilities import Abilities, errors_of
from ..fit.many.comparison_results import RankSets
from ..fit.many.ratings import ELO_PER_LOG_ODDS
from ..numerics.arrays import BoolArray
from ..text import listed, plural


def tiers(above: BoolArray, order: Sequence[int]) -> IntArray:
    """int[n]: a tier ends where each item so far is shown to be above each one to come."""
    n, placed = len(order), np.asarray(order)
    not_told = np.triu(~above[np.ix_(placed, placed)], 1)
    last = np.where(not_told.any(axis=1), n - 1 - not_told[:, ::-1].argmax(axis=1), np.arange(n))
    ends = np.maximum.accumulate(last) == np.arange(n)
    tier = np.empty(n, np.int64)
    tier[placed] = 1 + np.concatenate([[0], np.cumsum(ends)[:-1]])
    return tier


def about_strays(
    fit: Fit, abilities: Abilities, ranks: RankSets, votes: FloatArray, precision: float, about_mean: bool
) -> Iterator[str]:
    """Sentences on what models of few votes do to the limits and tiers of the others; about_mean: what ratings are about."""
    n, points = len(fit.items), abilities.per_unit * ELO_PER_LOG_ODDS
    alone = _alone(abilities, precision / points, ranks.level)
    rest = np.flatnonzero(~alone)
    if not 0 < n - len(rest) < len(rest):
        return
    rated = abilities.sets.members()
    if about_mean and len(stray := rated[alone[rated]]):
        functions = fit.ability_functions({})
        now, then = (
            points * _reach(fit, functions[rest] - functions[of].mean(axis=0), ranks.level)
            for of in (rated, rest)
        )
        settled, would = (int((reach <= precision).sum()) for reach in (now, then))
        if would > settled:
            yield (
                f"Limits are wide because of {_named(fit, stray, votes)}: ratings are relative to the mean of all. Relative to the"
                f" mean of the other {len(rest)}, of which {settled} are settled, {would} would be; their widest limits would be"
                f" {np.nanmax(then):.1f} points from the rating, not {np.nanmax(now):.1f}. An anchor states all relative to one model."
            )
    best_first = np.searchsorted(rest, [k for k in ranks.order if not alone[k]])
    tier, of_rest = (
        int(tiers(*x).max())
        for x in ((ranks.above, ranks.order), (ranks.above[np.ix_(rest, rest)], best_first))
    )
    if of_rest > tier:
        yield (
            f"{plural(tier, 'tier')} because of {_named(fit, np.flatnonzero(alone), votes)}, which may have many ranks; the other"
            f" {len(rest)} by themselves have {of_rest}."
        )


def _named(fit: Fit, places: IntArray, votes: FloatArray) -> str:
    few, most = (f"{n:,.10g}" for n in (votes[places].min(), votes[places].max()))
    return (
        f"{listed([fit.items[k] for k in places], 3)} (votes: {few if few == most else f'{few} to {most}'})"
    )


def _alone(abilities: Abilities, precision: float, level: float) -> BoolArray:
    """bool[n]: items without a rating, and those whose differences to most others are less precise than those of two items
    with limits at `precision`."""
    rated = np.zeros(len(abilities.items), bool)
    rated[abilities.sets.members()] = True
    error = np.where(rated, abilities.se, np.nan)
    error[~np.isfinite(error)] = np.inf  # none is known: it decides nothing, whatever its votes
    most = np.sort(error[:, rated], axis=1)[:, (rated.sum() - 1) // 2]
    return np.asarray(~rated | (most * float(ndtri((1.0 + level) / 2.0)) > np.sqrt(2.0) * precision))


def _reach(fit: Fit, functions: FloatArray, level: float) -> FloatArray:
    se, df = errors_of(fit, functions)
    return np.asarray(student_quantile((1.0 + level) / 2.0, df) * se)
