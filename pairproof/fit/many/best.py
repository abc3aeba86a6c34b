"""Comparisons with the best of the others (Hsu 1984, Ann. Statist. 12, 1136-1144), for unequal covariances.

d_i is the one-sided point of the largest of all differences to item i, (Z_j - Z_i) / sd_ij, each held against its own
t distribution; s_ij is then T^-1_df(Phi(d_i)) se_ij::

    i may be the best if and only if b_j - b_i < s_ij for every other j
    b_i - max b_j  in  [ min(0, min over the other possible best j of (b_i - b_j - s_ji)),
                         max(0, min over j of (b_i - b_j + s_ij)) ]

and the lower limit is 0 where no other item may be the best.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .abilities import Abilities
from .max_normal import MaxNormal
from .points import Points
from .result import AgainstTheBest
from .simultaneous import check_level, check_size, quantile_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def against_the_best(abilities: Abilities, level: float = 0.95, seed: int = 0) -> AgainstTheBest:
    """Each item against the best of the others.

    A difference without a standard error rules nothing out: an item that loses by it alone may still be the best, and
    limits that need it are infinite.

    Parameters
    ----------
    abilities : Abilities
    level : float
        In (0.5, 1).
    seed : int

    Raises
    ------
    InputError
        A level outside (0.5, 1).
    """
    check_level(level)
    check_size(len(abilities.items), "compare against one item, or take part of the items")
    n = len(abilities.items)
    known, b, scores = abilities.known, abilities.estimate, abilities.normal_scores()
    points = Points.of(abilities.covariance, seed)
    critical, log10_p = np.full(n, np.nan), np.zeros(n)
    error, may = 0.0, np.ones(n, bool)
    for i in range(n):
        others = np.flatnonzero(known[i])
        if not len(others):
            continue
        family = MaxNormal(points, others, np.full(len(others), i), False)
        worst = float(scores[others, i].max())
        log10_p[i] = _log10_p(family, worst, level)
        # Whether it is ruled out is certain if one pair by itself, or Bonferroni's bound, decides.
        if worst >= family.bound_at(1.0 - level):
            may[i] = False
            continue
        critical[i], here = family.quantile(level)
        error, may[i] = max(error, here), worst < critical[i]
    low, high, estimate = np.zeros(n), np.zeros(n), np.full(n, np.nan)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        if abilities.estimated[i, others].all():
            estimate[i] = b[i] - b[others].max()
        high[i] = _upper(abilities, i, others[known[i, others]], critical[i]) if may[i] else 0.0
        rivals = others[may[others]]
        low[i] = _lower(abilities, i, rivals, critical) if len(rivals) else 0.0
    left_out = tuple(
        (f"{abilities.items[i]} - {abilities.items[j]}", why)
        for (i, j), why in abilities.why.items()
        if j < n
    )
    return AgainstTheBest(
        abilities.items, estimate, low, high, critical, error, may, 10.0**log10_p, log10_p, level, left_out,
        abilities.covariance_title, abilities.cautions, abilities.group, abilities.per_unit,
    )  # fmt: skip


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
