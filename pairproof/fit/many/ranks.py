"""Confidence sets for ranks, and which items cannot be told apart.

rank_i = 1 + #{j : b_j > b_i}.  Differences in both directions are tested together, stepwise, by the largest of their
normal scores: those above the critical value are rejected, and the critical value is found again for the rest, until
none is new.  The set of item i is then::

    [1 + #{j : j is shown to be above i},  n - #{j : i is shown to be above j}]

Simultaneous sets hold for all items at once, marginal ones for each item by itself (Mogstad, Romano, Shaikh and Wilhelm
2024, Rev. Econ. Stud. 91, 476-518; R's csranks).  All statements hold together, and so does what follows from them: if A
is above B and B above C, A is above C.  Letters are made of the same statements, so that of two items without a common
letter the better one has the better set.  Infinite differences are shown by :mod:`pairproof.fit.many.between_sets`; one
that has no standard error for another reason (items that were never compared) is never rejected, which leaves sets as
wide as they can be: they stay valid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.options import one_of
from ..item_sets import chained
from .abilities import MINUS_INFINITY, PLUS_INFINITY, Abilities
from .best import against_the_best
from .between_sets import BetweenSets, critical_between
from .letters import groups_or_caution, letters
from .max_normal import MaxNormal
from .numbers import Side
from .points import Points
from .result import RankSets
from .simultaneous import check_level, check_size

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def rank_sets(
    abilities: Abilities, level: float = 0.95, simultaneous: bool = True, side: Side = "both", seed: int = 0
) -> RankSets:
    """Confidence sets for the ranks of all items.

    simultaneous: all sets together; otherwise each by itself.  side: "lower": only the best rank an item may
    have is bounded; "upper": only the worst.
    """
    check_level(level)
    one_of("side", side, ("both", "lower", "upper"))
    n, names = len(abilities.items), abilities.items
    check_size(n, "rank part of the items, or use contrasts(adjust='holm')")
    test = _Stepwise(abilities.points(seed), abilities.normal_scores(), level, abilities.between)
    together, critical, error = test.rejected(np.argwhere(abilities.known))
    together, between = test.with_what_follows(together, abilities.known)
    low, high = 1 + together.sum(axis=0), n - together.sum(axis=1)
    if not simultaneous:
        low, high = _marginal(test, abilities.known, side)
    order = abilities.best_first()
    columns, too_many = groups_or_caution(n, [(int(i), int(j)) for i, j in np.argwhere(together)], order)
    left_out = tuple(
        (f"{names[i]} - {names[j]}", why)
        for (i, j), why in abilities.why.items()
        if j < n and why not in (PLUS_INFINITY, MINUS_INFINITY)
    )
    return RankSets(
        names,
        np.where(_has_rank(abilities), 1.0 + abilities.above_in_all().sum(axis=0), np.nan),
        np.where(side != "upper", low, 1).astype(np.int64),
        np.where(side != "lower", high, n).astype(np.int64),
        together,
        tuple(names[k] for k in np.flatnonzero(against_the_best(abilities, level, seed).may_be_best)),
        tuple(tuple(names[k] for k in column) for column in columns),
        letters(n, columns), level, simultaneous, side, critical, error, left_out,
        abilities.covariance_title, abilities.all_cautions + too_many, abilities.group, tuple(order),
        abilities.sets.status, between,
    )  # fmt: skip


def _has_rank(abilities: Abilities) -> BoolArray:
    """bool[n]: items with a finite difference, whose differences within their set all have an estimate."""
    of = abilities.sets.of
    same = of[:, None] == of[None, :]
    alone = (same.sum(axis=1) == 1) & (abilities.sets.n > 1)
    out: BoolArray = (abilities.estimated | ~same).all(axis=1) & ~alone
    return out


def _marginal(test: _Stepwise, known: BoolArray, side: Side) -> tuple[IntArray, IntArray]:
    """Each item by itself: its own differences, in the directions that its bounds need."""
    n = len(known)
    low, high = np.ones(n, np.int64), np.full(n, n, np.int64)
    for i in range(n):
        others = np.flatnonzero(known[i])
        over = np.stack([others, np.full(len(others), i)], axis=1)
        asked = {"both": np.concatenate([over, over[:, ::-1]]), "lower": over, "upper": over[:, ::-1]}[side]
        found, _, _ = test.rejected(asked)
        found |= test.of_one_item(i, asked, 1 + (side == "both"))
        low[i] += int(found[:, i].sum())
        high[i] -= int(found[i].sum())
    return low, high


@dataclass(frozen=True, eq=False)
class _Stepwise:
    """Stepwise test of directed differences by the largest of their scores, and of infinite ones by the likelihood."""

    points: Points
    scores: FloatArray
    level: float
    between: BetweenSets | None = None

    def rejected(self, pairs: IntArray) -> tuple[BoolArray, float, float]:
        """bool[n, n]: row is shown to be above column, among these directed pairs; the first critical value, its error."""
        n = len(self.scores)
        out = np.zeros((n, n), bool)
        left = np.asarray(pairs, dtype=np.int64)
        first_critical = (math.nan, 0.0)
        while len(left):
            first, second = left.T
            family = MaxNormal(self.points, first, second, False)
            critical = family.quantile(self.level)
            if math.isnan(first_critical[0]):
                first_critical = critical
            hit = self.scores[first, second] > critical[0]
            if not hit.any():
                break
            out[first[hit], second[hit]] = True
            left = left[~hit]
        return (out, *first_critical)

    def with_what_follows(self, above: BoolArray, known: BoolArray) -> tuple[BoolArray, float]:
        """What was shown, with what is shown of infinite differences and what follows from both; their critical value."""
        if self.between is None or not self.between.testable.any():
            return chained(above), math.nan
        critical = self._critical(np.argwhere(known), 2 * int(self.between.testable.sum()))
        return self.between.shown(critical, above), critical

    def of_one_item(self, i: int, asked: IntArray, sides: int) -> BoolArray:
        """bool[n, n]: infinite differences of an item that are shown in the family of its own differences."""
        out = np.zeros_like(self.scores, dtype=bool)
        if self.between is None:
            return out
        testable = self.between.testable
        pairs = np.argwhere(testable)
        pairs = pairs[(pairs == i).any(axis=1)]
        if len(pairs):
            shown = pairs[self.between.roots(pairs) > self._critical(asked, sides * len(pairs))]
            out[shown[:, 0], shown[:, 1]] = True
        return out

    def _critical(self, asked: IntArray, m: int) -> float:
        family = MaxNormal(self.points, asked[:, 0], asked[:, 1], False) if len(asked) else None
        alone = family.quantile(self.level)[0] if family is not None else math.nan
        return critical_between(family, alone, self.level, m)
