"""Two systems compared sentence by sentence (Vilar, Leusch and Ney 2007, section 3).

With x sentences on which the first was judged better, y on which the second was, and m sentences judged in
all::

    R = (x - y) / m                                                            equation 5
    se "vilar" = sqrt(x + y - (x - y)^2 / m) / (m - 1)                         equation 6
    se "mean"  = sqrt((x + y - (x - y)^2 / m) / (m (m - 1)))                   the usual one: sd / sqrt(m)
    significant  <=>  |R| > 1.96 se                   equation 1, with E[R0] = 0 and se[R0] = se[R]

Equation 4, of which 6 is the algebra, is not the standard error of a mean: it is larger by sqrt(m / (m - 1)),
1.08 at m = 7 and 1.0007 at m = 700.  `z` uses it all the same, since it is the paper's; both are given by
name.  Where all judgments agree both are 0 and there is no z.  The sign test leaves ties out and is exact.

Judges can be merged by summing their sentences (the paper's way) or by majority vote, one vote a judge; the
two can contradict each other, and :attr:`TwoSystems.reversal` says so.

The sum supposes that all answers are independent, which answers of one judge are not.  The test to report,
:attr:`TwoSystems.headline`, is that of :mod:`pairproof.native.ranking.headline`: by judges where there are two
or more, or by the clusters that are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.inference import normal_quantile
from ...fit.robust.clusters import Kind
from .by_cluster import ClusteredError, check_clusters, cluster_codes
from .by_judge import EqualityTest
from .headline import Headline, TwoSystemTests, clustered_log_odds
from .pairs_of_table import PairAnswers, answers_of, one_pair, pairs_in_order
from .sign_test import sign_test

FloatArray = NDArray[np.float64]

#: Two-sided, as the paper's 1.96 (which is this number to its three digits).
LEVEL = 0.95
#: Columns of a comparison's JSON row.
_JSON = (
    "first", "second", "judge", "wins", "ties", "losses", "m", "R", "se_vilar", "se_mean", "z", "significant",
    "p_sign", "log10_p_sign",
)  # fmt: skip


@dataclass(frozen=True)
class BinaryResult:
    """One comparison of two systems, from the first's side.

    `first`, second: the systems.  judge: none: all judgments together.  wins, ties, losses: sentences.
    """

    first: str
    second: str
    judge: str | None
    wins: int
    ties: int
    losses: int

    @property
    def m(self) -> int:
        """Sentences judged."""
        return self.wins + self.ties + self.losses

    @property
    def R(self) -> float:
        """(x - y) / m, in [-1, 1]."""
        return (self.wins - self.losses) / self.m

    @property
    def _squares(self) -> float:
        """Sum of (r - R)^2 over the sentences; exactly 0 where all judgments agree."""
        if self.m in (self.wins, self.ties, self.losses):
            return 0.0
        return self.wins + self.losses - (self.wins - self.losses) ** 2 / self.m

    @property
    def se_vilar(self) -> float | None:
        """Standard error of R by the paper's equation 6; None for one sentence."""
        return sqrt(self._squares) / (self.m - 1) if self.m > 1 else None

    @property
    def se_mean(self) -> float | None:
        """The usual standard error of R, sd / sqrt(m); None for one sentence."""
        return sqrt(self._squares / (self.m * (self.m - 1))) if self.m > 1 else None

    @property
    def z(self) -> float | None:
        """R / se_vilar; None where that is 0 or unknown."""
        return self.R / self.se_vilar if self.se_vilar else None

    @property
    def significant(self) -> bool | None:
        """Whether |z| is beyond the two-sided 5 % point; None where there is no z."""
        return None if self.z is None else abs(self.z) > normal_quantile((1 + LEVEL) / 2)

    @property
    def mcnemar_z(self) -> float | None:
        """(x - y) / sqrt(x + y), which takes its standard error under the null hypothesis; None without a
        preference.
        """
        decided = self.wins + self.losses
        return (self.wins - self.losses) / sqrt(decided) if decided else None

    @property
    def p_sign(self) -> float:
        """Exact two-sided sign test, ties left out; 1 if all are ties."""
        return sign_test(self.wins, self.losses).p if self.wins + self.losses else 1.0

    @property
    def log10_p_sign(self) -> float:
        """log10 of `p_sign`, also where that is too small for a double."""
        return sign_test(self.wins, self.losses).log10_p if self.wins + self.losses else 0.0

    @property
    def better(self) -> str | None:
        """The system with more sentences, None if even."""
        return None if self.wins == self.losses else self.first if self.wins > self.losses else self.second

    def to_dict(self) -> dict[str, Any]:
        """The JSON row."""
        return {name: getattr(self, name) for name in _JSON}


@dataclass(frozen=True)
class TwoSystems:
    """Two systems compared, all judges together and each by itself.

    merged: judges' sentences summed.  by_judge: in the order of the judges' levels; empty without a judge
    column.  clusters: the test by the clusters that were asked for.
    """

    merged: BinaryResult
    by_judge: tuple[BinaryResult, ...]
    clusters: tuple[EqualityTest, ClusteredError | None] | None = None

    @cached_property
    def tests(self) -> TwoSystemTests:
        """Every test of the two: by judge means, sign flips, clusters, random judges, and the sum."""
        rows = self.by_judge or (self.merged,)
        counts = np.array([[r.wins, r.losses, r.ties] for r in rows], float).T
        judges = tuple(str(r.judge) for r in self.by_judge)
        test, error = self.clusters or (None, None)
        return TwoSystemTests(counts[0], counts[1], counts[2], judges, test, error)

    @property
    def headline(self) -> Headline:
        """The test that holds, and why it is this one."""
        return self.tests.headline

    @property
    def votes(self) -> BinaryResult | None:
        """One vote a judge for the system that has more of its sentences, none for an even one; None without
        judges.
        """
        if not self.by_judge:
            return None
        first, second = self.merged.first, self.merged.second
        better = [r.better for r in self.by_judge]
        return BinaryResult(first, second, None, *map(better.count, (first, None, second)))

    @property
    def against(self) -> tuple[str, ...]:
        """Judges whose own direction is the opposite of the sum's."""
        overall = self.merged.better
        return tuple(str(r.judge) for r in self.by_judge if overall and r.better and r.better != overall)

    @property
    def reversal(self) -> str:
        """A sentence if sum and majority vote name different systems, else ""."""
        votes = self.votes
        if votes is None or votes.better == self.merged.better or None in (votes.better, self.merged.better):
            return ""
        m = self.merged
        return (
            f"{m.first} and {m.second}: the sum of sentences ({m.wins}-{m.losses}) puts {m.better} first, the"
            f" majority vote of the judges ({votes.wins}-{votes.losses}) puts {votes.better} first"
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """The JSON rows: every judge, then the merged row with its votes, the headline and all tests."""
        votes = self.votes
        merged = self.merged.to_dict() | {"votes": None if votes is None else [votes.wins, votes.losses]}
        merged |= {"headline": self.headline.to_dict(LEVEL), "by_judge": self.tests.to_dict()}
        return [*(r.to_dict() for r in self.by_judge), merged]


def binary_result(
    wins: float,
    ties: float,
    losses: float,
    first: str = "first",
    second: str = "second",
    judge: str | None = None,
) -> BinaryResult:
    """One comparison of two systems from its counts of sentences (Vilar, Leusch and Ney 2007, equation 5).

    wins, ties, losses: whole numbers >= 0, from the first's side.  `first`, second: the systems.  judge:
    none: all judgments together.
    """
    counts = {"wins": wins, "ties": ties, "losses": losses}
    for name, count in counts.items():
        if not (np.isfinite(count) and count >= 0 and float(count).is_integer()):
            raise InputError(
                f"{first} and {second}: {name} is {count}; expected a whole number of sentences >= 0"
            )
    if not wins + ties + losses:
        raise InputError(
            f"{first} and {second}{f', judge {judge}' if judge is not None else ''}: no sentence was judged"
        )
    return BinaryResult(first, second, judge, int(wins), int(ties), int(losses))


def compare_two(
    table: Comparisons,
    first: str | None = None,
    second: str | None = None,
    *,
    cluster: str | Sequence[str] = (),
    kind: Kind = "CR2",
) -> TwoSystems:
    """Compare two systems sentence by sentence, all judges together and each by itself.

    The comparison of Vilar, Leusch and Ney (2007, section 3), with the usual standard error and the exact
    sign test beside theirs; its `headline` is the test that holds where judges differ.

    Parameters
    ----------
    table : Comparisons
        Counts must be whole.
    first, second : str, optional
        May be left out if the table holds one pair only; it is then taken as the table first names it.
    cluster : str or sequence of str, optional
        One column or two ("judge", "source"): the headline is then the log-odds with a standard error by these
        clusters.
    kind : {"CR0", "CR1", "CR2"}
        Of that standard error.

    Returns
    -------
    TwoSystems

    Raises
    ------
    InputError
        More than one pair and no names; the two were never compared; a row without a judge beside rows with
        one; a column to cluster by that is not there, or has no value in some row.
    ItemError
        An unknown system, or twice the same one.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read({"first": ["A", "A"], "second": ["B", "B"], "wins": [30, 31], "ties": [10, 14],
    ...                         "losses": [20, 15], "judge": ["1", "2"]})
    >>> two = pairproof.compare_two(table)
    >>> two.merged.better, round(two.merged.z, 2), two.merged.significant
    ('A', 2.71, True)
    >>> two.headline.test.name, round(two.headline.test.statistic, 2), round(two.headline.test.p, 3)
    ('judge means', 4.33, 0.144)
    """
    clusters = _clusters(cluster, kind)
    return _two(answers_of(table, *one_pair(table, first, second)), clusters, kind)


def compare_all_pairs(
    table: Comparisons, *, cluster: str | Sequence[str] = (), kind: Kind = "CR2"
) -> tuple[TwoSystems, ...]:
    """Every pair of the table, in the order and the direction in which the table first names it.

    table: counts must be whole.  kind: these two as in :func:`compare_two`.
    """
    clusters = _clusters(cluster, kind)
    return tuple(_two(answers_of(table, *pair), clusters, kind) for pair in pairs_in_order(table))


def _clusters(cluster: str | Sequence[str], kind: Kind) -> tuple[str, ...]:
    columns = (cluster,) if isinstance(cluster, str) else tuple(cluster)
    if columns:
        check_clusters(columns, kind)
    return columns


def _two(answers: PairAnswers, clusters: tuple[str, ...], kind: Kind) -> TwoSystems:
    names, wins, ties, losses = answers.names, answers.wins, answers.ties, answers.losses
    merged = binary_result(wins.sum(), ties.sum(), losses.sum(), *names)
    test = None
    if clusters:
        used = answers.answered
        codes = [cluster_codes(answers.table, column, used.rows) for column in clusters]
        test = clustered_log_odds(used.wins, used.losses, codes, list(clusters), kind)
    judge = answers.judge
    if judge is None:
        return TwoSystems(merged, (), test)
    results = []
    won, tied, lost = (np.bincount(judge.codes, count, len(judge.levels)) for count in (wins, ties, losses))
    for k in np.unique(judge.codes[wins + ties + losses > 0]):
        results.append(binary_result(won[k], tied[k], lost[k], *names, judge=judge.levels[k]))
    return TwoSystems(merged, tuple(results), test)
