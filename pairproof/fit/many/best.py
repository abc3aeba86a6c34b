"""Comparisons with the best of the others (Hsu 1984, Ann. Statist. 12, 1136-1144), for unequal covariances.

d_i is the one-sided point of the largest of all differences to item i, (Z_j - Z_i) / sd_ij, each held against its own
t distribution; s_ij is then T^-1_df(Phi(d_i)) se_ij::

    i may be the best if and only if b_j - b_i < s_ij for every other j
    b_i - max b_j  in  [ min(0, min over the other possible best j of (b_i - b_j - s_ji)),
                         max(0, min over j of (b_i - b_j + s_ij)) ]

and the lower limit is 0 where no other item may be the best.

An infinite difference rules i out where the profile likelihood shows it at the level of i's own family
(:mod:`pairproof.fit.many.between_sets`); it takes no part in limits unless the item that is infinitely far above, or
below, may be the best.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .abilities import MINUS_INFINITY, PLUS_INFINITY, Abilities
from .between_sets import BetweenSets, critical_between
from .max_normal import MaxNormal
from .result import AgainstTheBest
from .simultaneous import check_level, check_size, quantile_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def against_the_best(abilities: Abilities, level: float = 0.95, seed: int = 0) -> AgainstTheBest:
    """Each item against the best of the others.

    A difference without a standard error, unless it is infinite, rules nothing out: an item that loses by it alone may
    still be the best, and limits that need it are infinite.
    """
    check_level(level)
    check_size(len(abilities.items), "compare against one item, or take part of the items")
    n = len(abilities.items)
    known, scores, between = abilities.known, abilities.normal_scores(), abilities.between
    points = abilities.points(seed)
    critical, log10_p = np.full(n, np.nan), np.zeros(n)
    error, may = 0.0, np.ones(n, bool)
    for i in range(n):
        others, family = np.flatnonzero(known[i]), None
        if len(others):
            family = MaxNormal(points, others, np.full(len(others), i), False)
            worst = float(scores[others, i].max())
            log10_p[i] = _log10_p(family, worst, level)
            # Whether it is ruled out is certain if one pair by itself, or Bonferroni's bound, decides.
            if worst >= family.bound_at(1.0 - level):
                may[i] = False
                continue
            critical[i], here = family.quantile(level)
            error, may[i] = max(error, here), worst < critical[i]
        if may[i] and between is not None:
            may[i] = not _below_another_set(between, i, family, critical[i], level)
    low, high, estimate = np.zeros(n), np.zeros(n), np.full(n, np.nan)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        estimate[i] = _against_largest(abilities, i)
        high[i] = _upper(abilities, i, others[known[i, others]], critical[i]) if may[i] else 0.0
        rivals = others[may[others]]
        low[i] = _lower(abilities, i, rivals, critical) if len(rivals) else 0.0
    left_out = tuple(
        (f"{abilities.items[i]} - {abilities.items[j]}", why)
        for (i, j), why in abilities.why.items()
        if j < n and why not in (PLUS_INFINITY, MINUS_INFINITY)
    )
    return AgainstTheBest(
        abilities.items, estimate, low, high, critical, error, may, 10.0**log10_p, log10_p, level, left_out,
        abilities.covariance_title, abilities.all_cautions, abilities.group, abilities.per_unit,
    )  # fmt: skip


def _below_another_set(
    between: BetweenSets, i: int, family: MaxNormal | None, critical: float, level: float
) -> bool:
    """Whether an item is shown to be below one that is infinitely far above."""
    over, under = np.flatnonzero(between.testable[:, i]), np.flatnonzero(between.testable[i])
    if not len(over):
        return False
    c = critical_between(family, critical, level, len(over) + len(under))
    return bool((between.roots(np.stack([over, np.full(len(over), i)], axis=1)) > c).any())


def _against_largest(abilities: Abilities, i: int) -> float:
    """b_i - max b_j, the items left out that are infinitely far below; nan where it is not determined."""
    sets = abilities.sets
    same = np.delete(np.arange(len(sets.of)), i)
    below = sets.items_above[i, same]
    same = same[~below]
    if sets.items_above[same, i].any():
        return -math.inf
    if not len(same):
        return math.inf
    if not abilities.estimated[i, same].all():
        return math.nan
    return float(abilities.estimate[i] - abilities.estimate[same].max())


def _log10_p(family: MaxNormal, worst: float, level: float) -> float:
    """Of the hypothesis that no other item is better; 0 (p = 1) for the item with the largest estimate."""
    if worst <= 0.0:
        return 0.0
    return min(float(family.log_tails(np.array([worst]))[0]) / math.log(10.0), 0.0)


def _upper(abilities: Abilities, i: int, others: IntArray, d: float) -> float:
    if not len(others):
        return math.inf
    reach = quantile_of(d, abilities.df[i, others]) * abilities.se[i, others]
    return max(0.0, float((abilities.estimate[i] - abilities.estimate[others] + reach).min()))


def _lower(abilities: Abilities, i: int, rivals: IntArray, d: FloatArray) -> float:
    if not abilities.known[i, rivals].all():
        return -math.inf
    reach = (
        np.array([float(quantile_of(d[j], abilities.df[[i], j])[0]) for j in rivals])
        * abilities.se[i, rivals]
    )
    return min(0.0, float((abilities.estimate[i] - abilities.estimate[rivals] - reach).min()))
