"""Vilar et al. (2007) with a judge, not a sentence, as the unit: every pair of Table 2, and the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.comparisons import Comparisons
from ....fit.tails import p_words
from ....native.contests.bradley_terry import fit_bradley_terry
from ....native.ranking import by_judge
from ....native.ranking.two_systems import BinaryResult, compare_all_pairs
from ...statements.clustered import EffectTest, effects_of


@dataclass(frozen=True)
class PairByJudges:
    """One pair of systems: the paper's sum of sentences, and tests that take a judge as the unit.

    merged: sentences of all judges, with the paper's standard error.  means: t of the judges' own mean
    preferences, the answer that holds if judges differ.  flips: exact test by the signs of these means.
    differ: chi-square that all judges answer alike.  cluster: log-odds of the sentences that prefer one
    system, clustered by judge (CR2).
    """

    merged: BinaryResult
    means: by_judge.EqualityTest
    flips: by_judge.EqualityTest
    differ: by_judge.EqualityTest
    cluster: EffectTest

    @property
    def name(self) -> str:
        return f"{self.merged.first}-{self.merged.second}"

    def significant(self, alpha: float) -> bool:
        """By judges' means."""
        return self.means.p < alpha

    def __str__(self) -> str:
        m = self.merged
        return (
            f"{m.m} sentences summed: R = {m.R:.4f}, se {m.se_vilar or 0:.4f}, R / se = {m.z or 0:.2f}; means"
            f" of {self.means.df + 1:.0f} judges: t = {self.means.statistic:.2f} on {self.means.df:.0f} df, p"
            f" = {p_words(self.means.p, digits=2)}; exact sign flips p = {p_words(self.flips.p, digits=2)};"
            f" clustered log-odds {self.cluster.estimate:.4f}, CR2 {self.cluster}. Judges differ: chi-square"
            f" {self.differ.statistic:.1f} on {self.differ.df:.0f} df, p = {p_words(self.differ.p, digits=2)}"
        )


def pairs_by_judges(table: Comparisons) -> tuple[PairByJudges, ...]:
    """Every pair of systems that was compared, in the order of the table's pairs."""
    return tuple(_pair(table, two.merged, two.by_judge) for two in compare_all_pairs(table))


def _pair(table: Comparisons, merged: BinaryResult, judges: Sequence[BinaryResult]) -> PairByJudges:
    first, second, ties = (
        np.array([getattr(j, kind) for j in judges], dtype=float) for kind in ("wins", "losses", "ties")
    )
    items = (merged.first, merged.second)
    codes = [table.items.index(item) for item in items]
    rows = np.isin(table.first, codes) & np.isin(table.second, codes)
    fit = fit_bradley_terry(table.select(rows), ties="drop", reference=merged.second)
    (effect,) = effects_of(fit, ["judge"], [items])
    return PairByJudges(
        merged,
        by_judge.judge_means(first, second, ties),
        by_judge.sign_flips(first, second, ties),
        by_judge.judges_differ(first, second, ties),
        effect.clustered[0],
    )
