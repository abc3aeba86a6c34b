"""Comparisons with the best, confidence sets for ranks, and the way to all of these from a fit.

With the best of the others (Hsu 1984, Ann. Statist. 12, 1136-1144), for unequal covariances: d_i is the
one-sided point of the largest of all differences to item i, (Z_j - Z_i) / sd_ij, each compared with its own t
distribution; s_ij is then T^-1_df(Phi(d_i)) se_ij::

    i may be the best if and only if b_j - b_i < s_ij for every other j
    b_i - max b_j  in  [ min(0, min over the other possible best j of (b_i - b_j - s_ji)),
                         max(0, min over j of (b_i - b_j + s_ij)) ]     lower 0 where no other may be the best

rank_i = 1 + #{j : b_j > b_i}.  Differences in both directions are tested together, stepwise, by the largest
of their normal scores: those above the critical value are rejected, and it is found again for the rest, until
none is new.  Simultaneous sets hold for all items at once, marginal ones for each item by itself (Mogstad,
Romano, Shaikh and Wilhelm 2024, Rev. Econ. Stud. 91, 476-518; R's csranks)::

    [1 + #{j : j is shown to be above i},  n - #{j : i is shown to be above j}]

All statements hold together, and so does what follows: if A is above B and B above C, A is above C.  Letters
are made of the same statements.  An infinite difference rules i out, or is rejected, where the profile
likelihood shows it (:mod:`pairproof.fit.many.abilities`); it takes no part in limits unless the item
infinitely far above, or below, may be the best.  One without standard error for another reason (items never
compared) is never rejected, which leaves sets as wide as they can be: they stay valid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...data.options import one_of
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ..estimates.identification import chained
from .abilities import Abilities, BetweenSets, critical_between
from .comparison_results import AgainstTheBest, RankSets, Side, groups_or_caution, letters
from .max_normal import MaxNormal, Points
from .simultaneous import check_level, check_size, quantile_of


def against_the_best(abilities: Abilities, level: float = 0.95, seed: int = 0) -> AgainstTheBest:
    """Each item against the best of the others.

    A difference without a standard error, unless it is infinite, rules nothing out: an item that loses by it alone may
    still be the best, and limits that need it are infinite.
    """
    check_level(level)
    check_size(len(abilities.items), "compare against one item, or use fewer items")
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
    return AgainstTheBest(
        abilities.items, estimate, low, high, critical, error, may, 10.0**log10_p, log10_p, level, abilities.left_out,
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
    points = [float(quantile_of(d[j], abilities.df[[i], j])[0]) for j in rivals]
    reach = np.array(points) * abilities.se[i, rivals]
    return min(0.0, float((abilities.estimate[i] - abilities.estimate[rivals] - reach).min()))


def rank_sets(
    abilities: Abilities,
    level: float = 0.95,
    simultaneous: bool = True,
    side: Side = "both",
    seed: int = 0,
    with_best: bool = True,
) -> RankSets:
    """Confidence sets for the ranks of all items.

    simultaneous: all sets together; otherwise each by itself.  side: "lower": only the best rank an item may
    have is bounded; "upper": only the worst.  with_best: whether Hsu's statement is made as well, most of the work.
    """
    check_level(level)
    one_of("side", side, ("both", "lower", "upper"))
    n, names = len(abilities.items), abilities.items
    check_size(n, "rank fewer items, or use contrasts(adjust='holm')")
    test = _Stepwise(abilities.points(seed), abilities.normal_scores(), level, abilities.between)
    together, (critical, error), _ = test.rejected(np.argwhere(abilities.known))
    together, between = test.with_what_follows(together, abilities.known)
    low, high = 1 + together.sum(axis=0), n - together.sum(axis=1)
    if not simultaneous:
        low, high = _marginal(test, abilities.known, side)
    order = abilities.best_first()
    columns, too_many = groups_or_caution(n, [(int(i), int(j)) for i, j in np.argwhere(together)], order)
    return RankSets(
        names,
        np.where(_has_rank(abilities), 1.0 + abilities.above_in_all().sum(axis=0), np.nan),
        np.where(side != "upper", low, 1).astype(np.int64),
        np.where(side != "lower", high, n).astype(np.int64),
        together,
        against_the_best(abilities, level, seed).best if with_best else (),
        tuple(tuple(names[k] for k in column) for column in columns),
        letters(n, columns), level, simultaneous, side, critical, error, abilities.left_out,
        abilities.covariance_title, abilities.all_cautions + too_many, abilities.group, tuple(order),
        abilities.sets.status, between,
    )  # fmt: skip


def with_df_that_decide(
    abilities: Abilities, level: float, seed: int, exact: Callable[[IntArray, IntArray], FloatArray]
) -> Abilities:
    """Abilities whose degrees of freedom are at most the exact ones, with the exact ones where a rank may hang on them.

    A difference is shown at the first step whatever its df are if it is with the bound, and never if it is not by the normal
    distribution at the last of the steps that this takes: all others keep their bound, and sets are those of exact df.
    exact: df of the differences of these items.
    """
    by_bound = abilities.normal_scores()
    normal = np.where(np.isfinite(abilities.df), np.inf, abilities.df)
    by_normal = replace(abilities, df=normal).normal_scores()
    test = _Stepwise(abilities.points(seed), by_normal, level)
    _, (first, _), last = test.rejected(np.argwhere(abilities.known))
    if math.isnan(first):
        return abilities
    with np.errstate(invalid="ignore"):
        open_ = (by_bound <= first) & (by_normal > last)
    a, b = np.nonzero(open_ & (np.isfinite(abilities.df)))
    df = abilities.df.copy()
    if len(a):
        df[a, b] = df[b, a] = exact(a, b)
    return replace(abilities, df=df)


def _has_rank(abilities: Abilities) -> BoolArray:
    """bool[n]: items with a finite difference, whose differences within their set all have an estimate."""
    of = abilities.sets.of
    same = of[:, None] == of[None, :]
    alone = (same.sum(axis=1) == 1) & (abilities.sets.n > 1)
    return np.asarray((abilities.estimated | ~same).all(axis=1) & ~alone)


def _marginal(test: _Stepwise, known: BoolArray, side: Side) -> tuple[IntArray, IntArray]:
    """Each item by itself: its own differences, in the directions that its bounds need."""
    n = len(known)
    low, high = np.ones(n, np.int64), np.full(n, n, np.int64)
    for i in range(n):
        others = np.flatnonzero(known[i])
        over = np.stack([others, np.full(len(others), i)], axis=1)
        asked = {"both": np.concatenate([over, over[:, ::-1]]), "lower": over, "upper": over[:, ::-1]}[side]
        found = test.rejected(asked)[0]
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

    def rejected(self, pairs: IntArray) -> tuple[BoolArray, tuple[float, float], float]:
        """bool[n, n]: row is shown to be above column, among these directed pairs; the first critical value and its error;
        the last critical value."""
        n = len(self.scores)
        out = np.zeros((n, n), bool)
        left = np.asarray(pairs, dtype=np.int64)
        first_critical = critical = (math.nan, 0.0)
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
        return out, first_critical, critical[0]

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
