"""What a pilot of two systems says about a larger study: margin, ties, and how far answers go together.

The intra-class correlation of the scores y = 1, 0, -1 is that of a one-way analysis of variance: with mean squares MSB
between and MSW within G units, n answers, m_g of unit g and m0 = (n - sum m_g^2 / n) / (G - 1)::

    r = (MSB - MSW) / (MSB + (m0 - 1) MSW), at least 0
    limits (F / F_q - 1) / (F / F_q + m0 - 1), F = MSB / MSW, F_q the quantiles of F on G - 1 and n - G

(Donner 1986, Int. Statist. Rev. 54, 67-82; the limits of Searle 1971, Linear Models, section 9.8, are exact for normal
scores and as many answers of every unit, and rough otherwise).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...data.comparisons import Comparisons
from ...errors import InputError
from ..ranking.by_cluster import cluster_codes
from ..ranking.by_judge import EqualityTest, judge_means
from ..ranking.pairs_of_table import PairAnswers, answers_of, one_pair
from .sample_size import Assumptions

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class IntraClass:
    """An intra-class correlation with its limits.

    icc: in [0, 1).  low, high: confidence limits.  units: judges or sources.  per_unit: m0, answers of a
    unit.
    """

    icc: float
    low: float
    high: float
    units: int
    per_unit: float


@dataclass(frozen=True)
class Pilot:
    """What a pilot found.

    names: the two systems.  margin, tie_rate: P(first) - P(second), P(tie).  margin_test: the mean of judges'
    means with its interval; None with fewer than two judges.  judge, source: none where the table has no such
    column, or too few answers to tell.  why_not: why a correlation is not there.
    """

    names: tuple[str, str]
    answers: float
    margin: float
    tie_rate: float
    margin_test: EqualityTest | None
    judge: IntraClass | None
    source: IntraClass | None
    why_not: tuple[str, ...] = ()

    @property
    def assumptions(self) -> Assumptions:
        """The pilot's numbers taken as the truth; a correlation that is not known as 0."""
        judge, source = (0.0 if found is None else found.icc for found in (self.judge, self.source))
        if judge + source >= 1.0:
            raise InputError(
                f"the pilot's intra-class correlations are {judge:.3f} by judge and {source:.3f} by source, together 1 or"
                " more; state them with --icc-judge and --icc-source (in Python, Assumptions)"
            )
        return Assumptions(self.margin, self.tie_rate, judge, source)


def pilot_of(
    table: Comparisons, first: str | None = None, second: str | None = None, level: float = 0.95
) -> Pilot:
    """Margin, tie rate and intra-class correlations of two systems in a pilot.

    `first`, second: may be left out if the table holds one pair only.
    """
    of = answers_of(table, *one_pair(table, first, second)).answered
    counts = np.stack([of.wins, of.ties, of.losses], axis=1)
    n = float(counts.sum())
    margin, ties = float((of.wins - of.losses).sum()) / n, float(of.ties.sum()) / n
    found: dict[str, IntraClass | None] = {}
    why = []
    for column in ("judge", "source"):
        found[column] = None
        if column not in table.columns:
            why.append(f"no column {column}: its intra-class correlation is not known")
            continue
        try:
            found[column] = _icc(counts, cluster_codes(table, column, of.rows), level)
        except _TooFew as few:
            why.append(f"{column}: {few}")
    return Pilot(of.names, n, margin, ties, _margin_test(of), found["judge"], found["source"], tuple(why))


def _margin_test(of: PairAnswers) -> EqualityTest | None:
    judge = of.judge
    if judge is None:
        return None
    used = np.unique(judge.codes)
    if len(used) < 2:
        return None
    a, b, t = (
        np.bincount(judge.codes, x, len(judge.levels))[used].astype(float)
        for x in (of.wins, of.losses, of.ties)
    )
    return judge_means(a, b, t)


def intraclass_correlation(scores: ArrayLike, unit: ArrayLike, level: float = 0.95) -> IntraClass:
    """The intra-class correlation of scores by one-way analysis of variance.

    scores float[n].  unit int[n]: judge (or source) of each score, from 0.
    """
    y, codes = np.asarray(scores, float), np.unique(np.asarray(unit), return_inverse=True)[1]
    m = np.bincount(codes).astype(float)
    sums, squares = np.bincount(codes, y).astype(float), float((y**2).sum())
    try:
        return _anova(m, sums, squares, level)
    except _TooFew as few:
        raise InputError(str(few)) from None


class _TooFew(Exception):
    """Too few answers for a correlation."""


def _icc(counts: FloatArray, codes: IntArray, level: float) -> IntraClass:
    """The same from counts of scores 1, 0, -1 in each row."""
    by_unit = np.stack([np.bincount(codes, column) for column in counts.T], axis=1)
    squares = float(by_unit[:, 0].sum() + by_unit[:, 2].sum())
    return _anova(by_unit.sum(axis=1), by_unit[:, 0] - by_unit[:, 2], squares, level)


def _anova(m: FloatArray, sums: FloatArray, squares: float, level: float) -> IntraClass:
    """From the units' numbers of scores, their sums, and the sum of all squared scores."""
    from scipy.special import fdtri

    n, g = float(m.sum()), len(m)
    if g < 2 or n <= g:
        raise _TooFew(
            f"{n:g} answers of {g}: a correlation needs two of them, and two answers of one of them"
        )
    within = max(squares - float((sums**2 / m).sum()), 0.0) / (n - g)
    between = max(float((sums**2 / m).sum()) - float(sums.sum()) ** 2 / n, 0.0) / (g - 1)
    m0 = (n - float((m**2).sum()) / n) / (g - 1)
    if between + within == 0.0:
        raise _TooFew("all answers are the same, so that their correlation is not known")

    def at(quantile: float) -> float:
        """(F / q - 1) / (F / q + m0 - 1), at least 0."""
        up, down = between - quantile * within, between + (m0 - 1.0) * quantile * within
        return max(up / down, 0.0) if down > 0.0 else 0.0

    low, high = (at(float(fdtri(g - 1, n - g, p))) for p in (0.5 + level / 2, 0.5 - level / 2))
    return IntraClass(at(1.0), low, high, g, m0)
