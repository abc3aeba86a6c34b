"""Two systems compared sentence by sentence (Vilar, Leusch and Ney 2007, section 3), and which test holds.

With x sentences on which the first was judged better, y on which the second was, and m sentences in all::

    R = (x - y) / m                                                            equation 5
    se "vilar" = sqrt(x + y - (x - y)^2 / m) / (m - 1)                         equation 6
    se "mean"  = sqrt((x + y - (x - y)^2 / m) / (m (m - 1)))                   the usual one: sd / sqrt(m)
    significant  <=>  |R| > 1.96 se                   equation 1, with E[R0] = 0 and se[R0] = se[R]

Equation 4, to which 6 is algebraically equal, is not the standard error of a mean: it is larger by sqrt(m /
(m - 1)), 1.08 at m = 7 and 1.0007 at m = 700.  `z` uses it all the same, since it is the paper's; both are
given by name.  Where all judgments agree both are 0 and there is no z.  The sign test leaves ties out and is
exact.

Judges can be merged by summing their sentences (the paper's way) or by majority vote, one vote a judge; the
two can contradict each other, and :attr:`TwoSystems.reversal` says so.

The sum supposes that answers are independent.  Answers of one judge are not, and nothing in a table can show
that they are: judges that do not differ significantly may differ enough to make the sum reject twice too
often.  So the test to report, :attr:`TwoSystems.headline`, is by the clusters that are asked for, by judges
where there are two or more, and else the exact sign test of the sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np

from ....data.columns import Factor, refuse_rows
from ....data.comparisons import Comparisons
from ....data.judgments import check_one_track
from ....data.where import hint
from ....errors import InputError, ItemError
from ....fit.estimates.array_inference import normal_quantile
from ....fit.estimates.tails import p_equals
from ....fit.robust.clustered_fit import Kind
from ....numerics.arrays import FloatArray, IntArray
from . import tests_by_judge as tests
from .sign_test import sign_test
from .sums_by_cluster import ClusteredError, asked_clusters, cluster_codes, clustered_error
from .tests_by_judge import EqualityTest


@dataclass(frozen=True, eq=False)
class PairAnswers:
    """The answers about two systems, row by row in the order of the table.
    rows int[n]: rows of the table that compare the two.  wins, ties, losses float[n]: from the side of the
    first of `names`."""

    table: Comparisons
    names: tuple[str, str]
    rows: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray

    @property
    def judge(self) -> Factor | None:
        """The judge of each row, or None without a judge column."""
        judge = self.table.columns.get("judge")
        if not isinstance(judge, Factor):
            return None
        codes = judge.codes[self.rows]
        needed = "no judge; every row needs one, or leave the column out"
        refuse_rows(self.table.source, codes < 0, needed, self.rows)
        return Factor(codes, judge.levels)

    @property
    def answered(self) -> PairAnswers:
        """Without the rows that hold no answer."""
        used = self.wins + self.ties + self.losses > 0
        wins, ties, losses = (column[used] for column in (self.wins, self.ties, self.losses))
        return PairAnswers(self.table, self.names, self.rows[used], wins, ties, losses)


def pairs_in_order(table: Comparisons) -> list[tuple[str, str]]:
    """(first, second) of every pair compared, in the order and the direction in which the table first names it."""
    check_one_track(table)
    used = table.wins + table.ties + table.losses > 0
    found: dict[frozenset[int], tuple[int, int]] = {}
    for a, b in zip(table.first[used].tolist(), table.second[used].tolist()):
        found.setdefault(frozenset((a, b)), (a, b))
    return [(table.items[a], table.items[b]) for a, b in found.values()]


def one_pair(table: Comparisons, first: str | None, second: str | None) -> tuple[str, str]:
    """The two systems that are named, or the only pair of the table."""
    pairs = pairs_in_order(table)
    if first is None and second is None:
        if len(pairs) != 1:
            raise InputError(
                f"{table.source}: {len(pairs)} pairs of systems are compared; name the two (--pair A,B), or compare"
                " all of them"
            )
        return pairs[0]
    for name in (first, second):
        if name not in table.items:
            raise ItemError(
                f"{table.source}: no system {name!r}; the systems are {', '.join(table.items[:20])}"
                + hint(table.narrowed, str(name))
            )
    a, b = str(first), str(second)
    if a == b:
        raise ItemError(f"{first!r} against itself is not a comparison; name two systems")
    if (a, b) not in pairs and (b, a) not in pairs:
        raise InputError(f"{table.source}: {first!r} and {second!r} were never compared")
    return a, b


def answers_of(table: Comparisons, first: str, second: str) -> PairAnswers:
    """The answers about two systems, from the first one's side."""
    a, b = table.items.index(first), table.items.index(second)
    same, turned = (table.first == a) & (table.second == b), (table.first == b) & (table.second == a)
    rows = np.flatnonzero(same | turned)
    wins = np.where(turned, table.losses, table.wins)[rows]
    losses = np.where(turned, table.wins, table.losses)[rows]
    return PairAnswers(table, (first, second), rows, wins, table.ties[rows], losses)


#: A judge with this many times the answers of another: the average judge is not the average answer.
UNEQUAL = 4.0
#: Expected counts below which a chi-square is rough.
SMALL = 5.0
#: Keys of a test in JSON, which are its attributes.
_KEYS = ("estimate", "scale", "se", "statistic", "df", "p", "spread", "spread_of", "reference", "why_not")


@dataclass(frozen=True)
class Headline:
    """The test to report, and why it is this one.  cautions: what a reader has to know of it."""

    test: EqualityTest
    why: str
    cautions: tuple[str, ...] = ()

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Keys test, estimate, scale, se, df, t, p, conf_int, level, why, cautions, why_not; `t` is a z without df."""
        t = self.test
        numbers = {name: getattr(t, name) for name in ("estimate", "scale", "se", "df")}
        numbers |= {"t": t.statistic, "p": t.p}
        interval = list(t.conf_int(level)) if math.isfinite(t.se) else None
        said = {"why": self.why, "cautions": list(self.cautions), "why_not": t.why_not or None}
        return {"test": t.name, **_without_nan(numbers), "conf_int": interval, "level": level, **said}


@dataclass(frozen=True, eq=False)
class TwoSystemTests:
    """All tests of two systems, made when they are first asked for.
    `first`, second, ties float[G]: answers of each judge who has any; of all together where `judges` is
    empty.  clusters: the test by the clusters that were asked for."""

    first: FloatArray
    second: FloatArray
    ties: FloatArray
    judges: tuple[str, ...] = ()
    clusters: EqualityTest | None = None
    clusters_error: ClusteredError | None = None

    @cached_property
    def sum(self) -> EqualityTest:
        """All answers as if independent."""
        return tests.summed(self.first, self.second)

    @cached_property
    def sign(self) -> EqualityTest:
        """The sum of answers, exactly."""
        return tests.exact_sum(self.first, self.second)

    @cached_property
    def judge_means(self) -> EqualityTest:
        """t of the judges' mean preferences."""
        return tests.judge_means(self.first, self.second, self.ties)

    @cached_property
    def sign_flips(self) -> EqualityTest:
        """Exact, by the signs of the judges' mean preferences."""
        return tests.sign_flips(self.first, self.second, self.ties)

    @cached_property
    def by_judge_clusters(self) -> EqualityTest:
        """Log-odds of decisive answers with CR2 by judge."""
        codes = [np.arange(len(self.first))]
        return clustered_log_odds(self.first, self.second, codes, ["judge"])[0]

    @cached_property
    def beta_binomial(self) -> EqualityTest:
        """Likelihood ratio of a beta-binomial."""
        return tests.beta_binomial(self.first, self.second)

    @cached_property
    def random_effect(self) -> EqualityTest:
        """Wald test with a normal judge effect."""
        return tests.random_effect(self.first, self.second)

    @cached_property
    def judges_differ(self) -> EqualityTest:
        """Chi-square of the table of judges' answers."""
        return tests.judges_differ(self.first, self.second, self.ties)

    @cached_property
    def judges_differ_decisive(self) -> EqualityTest:
        """The same without ties."""
        return tests.judges_differ_decisive(self.first, self.second)

    @cached_property
    def headline(self) -> Headline:
        """The test that holds."""
        error = self.clusters_error
        if self.clusters is not None and error is not None:
            return Headline(self.clusters, f"standard error {error.title}, as asked", error.cautions)
        if self.clusters is not None:
            return Headline(self.clusters, "clustered as asked")
        if not self.judges:
            why = "no judge column: the exact sign test of the sum of answers, which supposes that they are independent"
            return Headline(self.sign, why)
        if len(self.judges) == 1:
            why = "one judge: the exact sign test of its answers, which supposes that they are independent; says nothing about other judges"
            return Headline(self.sign, why)
        if self.judge_means.why_not:
            why = f"{self.judge_means.why_not}; the signs of their means are tested"
            return Headline(self.sign_flips, why)
        return Headline(self.judge_means, _judges(self), tuple(_of_judges(self)))

    @property
    def beside(self) -> tuple[EqualityTest, ...]:
        """All tests, the sum last; without judges only the sum, exactly and by z."""
        asked = () if self.clusters is None else (self.clusters,)
        if len(self.judges) < 2:
            return (*asked, self.sign, self.sum)
        known = {test.name for test in asked}
        clusters = tuple(test for test in (self.by_judge_clusters,) if test.name not in known)
        by_judge = (self.judge_means, self.sign_flips, *clusters)
        return (*asked, *by_judge, self.beta_binomial, self.random_effect, self.sum)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object `by_judge`: the tests by name."""
        differ = ("judges_differ", "judges_differ_decisive")
        by_judge = ("judge_means", "sign_flips", "by_judge_clusters", "beta_binomial", "random_effect")
        names = (*differ, *by_judge) if len(self.judges) > 1 else ()
        asked = {} if self.clusters is None else {"clusters": _as_dict(self.clusters, self.clusters_error)}
        found = {name: _as_dict(getattr(self, name)) for name in names}
        return {"n_judges": len(self.judges), "sum": _as_dict(self.sum), **asked, **found}


def by_judges(first: FloatArray, second: FloatArray, ties: FloatArray) -> TwoSystemTests:
    """The tests of two systems from the counts of each judge.
    `first`, second, ties float[G]: answers for the first system, the second, and neither."""
    return TwoSystemTests(first, second, ties, tuple(str(k + 1) for k in range(len(first))))


def clustered_log_odds(
    first: FloatArray, second: FloatArray, codes: list[IntArray], columns: list[str], kind: Kind = "CR2"
) -> tuple[EqualityTest, ClusteredError | None]:
    """The log-odds of decisive answers, log(A / B), with a standard error by one or two ways of clustering.
    This is `fit_bradley_terry(ties="drop").clustered(...)` of two items; a fit with ties has the same
    estimate and the same scores (Davidson 1970).  `first`, second float[n_rows]: decisive answers of each
    row.  codes: cluster of each row, from 0.  Returns (EqualityTest, ClusteredError or None): none where the
    log-odds are infinite."""
    name = f"clusters by {' and '.join(columns)}, {kind}"
    why = tests.why_no_log_odds(first, second)
    if why:
        return EqualityTest(name, why_not=why), None
    wins, losses, n = float(first.sum()), float(second.sum()), first + second
    # M s_r = (a_r - n_r A/N) N / (A B)
    parts = (first * losses - second * wins) / (wins * losses)
    error = clustered_error(parts[:, None], n[:, None] / (wins + losses), codes, columns, kind)
    if error.why_not:
        return EqualityTest(name, why_not=error.why_not), error
    b = math.log(wins / losses)
    numbers = (b, "log-odds", error.se, error.t(b), error.df, error.p(b))
    return EqualityTest(name, *numbers, reference="t"), error


def _judges(of: TwoSystemTests) -> str:
    """Whether judges differ, and what that makes of the sum."""
    found, z = of.judges_differ, of.sum.statistic
    if found.why_not:
        return f"the mean of {len(of.judges)} judges, each counted once ({found.why_not})"
    chi2 = f"chi-square {found.statistic:.1f} on {found.df:g}, {p_equals(found.p)}"
    beside = "" if math.isnan(z) else f"; the sum's z of {z:.2f} takes all answers as independent"
    if found.p < 0.05:
        return f"judges differ ({chi2}), so the mean of {len(of.judges)} judges is tested{beside}"
    return (
        f"judges do not differ significantly ({chi2}), which does not show that they are alike: the mean of"
        f" {len(of.judges)} judges is tested{beside}"
    )


def _of_judges(of: TwoSystemTests) -> Iterator[str]:
    n = of.first + of.second + of.ties
    if n.max() >= UNEQUAL * n.min():
        df = of.by_judge_clusters.df
        few = f", but on df {df:.3g}: few judges decide it" if df < 4 else ""
        yield (
            f"judges gave {n.min():,.12g} to {n.max():,.12g} answers and count alike here; the clustered log-odds count"
            f" answers{few}"
        )
    if len(of.judges) < 6:
        least = 2.0 ** (1 - len(of.judges))
        yield f"{len(of.judges)} judges: the exact test by their signs cannot go below p = {least:g}"
    if not of.judges_differ.why_not and tests.smallest_expected(of.first, of.second, of.ties) < SMALL:
        yield "few answers in some cells: the chi-square that judges differ is rough"


def _as_dict(test: EqualityTest, error: ClusteredError | None = None) -> dict[str, Any]:
    values = {key: getattr(test, key) for key in _KEYS}
    found = _without_nan({key: None if value == "" else value for key, value in values.items()})
    interval = list(test.conf_int()) if math.isfinite(test.se) else None
    more = {} if error is None else {"kind": error.kind, "clusters": list(error.columns),
                                     "n_clusters": list(error.n_clusters), "cautions": list(error.cautions)}  # fmt: skip
    return {"test": test.name, **found, "conf_int": interval, **more}


def _without_nan(values: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(v, float) and not math.isfinite(v) else v for key, v in values.items()}


#: Two-sided, as the paper's 1.96 (which is this number to its three digits).
LEVEL = 0.95
#: Columns of a comparison's JSON row.
_JSON = (
    "first", "second", "judge", "wins", "ties", "losses", "m", "R", "se_vilar", "se_mean", "z", "significant",
    "p_sign", "log10_p_sign",
)  # fmt: skip


@dataclass(frozen=True)
class BinaryResult:
    """One comparison of two systems, from the first's side."""

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
    """Two systems compared, for all judges together and for each judge alone.
    by_judge: in the order of the judges' levels; empty without a judge column.  clusters: the test by the
    clusters that were asked for."""

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
        judges."""
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
            f"{m.first} and {m.second}: the sum of comparisons ({m.wins}-{m.losses}) puts {m.better} first, the"
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
    wins, ties, losses: whole numbers >= 0, from the first's side."""
    counts = {"wins": wins, "ties": ties, "losses": losses}
    for name, count in counts.items():
        if not (np.isfinite(count) and count >= 0 and float(count).is_integer()):
            raise InputError(
                f"{first} and {second}: {name} is {count}; expected a whole number of sentences >= 0"
            )
    if not wins + ties + losses:
        by = f", judge {judge}" if judge is not None else ""
        raise InputError(f"{first} and {second}{by}: no sentence was judged")
    return BinaryResult(first, second, judge, int(wins), int(ties), int(losses))


def compare_two(
    table: Comparisons,
    first: str | None = None,
    second: str | None = None,
    *,
    cluster: str | Sequence[str] = (),
    kind: Kind = "CR2",
) -> TwoSystems:
    """Compare two systems sentence by sentence, for all judges together and for each judge alone.

    The comparison of Vilar, Leusch and Ney (2007, section 3), with the usual standard error and the
    exact sign test in addition; its `headline` is the test that holds where judges differ.

    Parameters
    ----------
    table : Comparisons
        Counts must be whole.
    first, second : str, optional
        Can be omitted if the table holds one pair only; its order is then that of the table's first row.
    cluster : str or sequence of str, optional
        One column or two ("judge", "source"): the headline is then the log-odds with a standard error
        clustered by these columns.
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
    clusters = asked_clusters(cluster, kind)
    return _two(answers_of(table, *one_pair(table, first, second)), clusters, kind)


def compare_all_pairs(
    table: Comparisons, *, cluster: str | Sequence[str] = (), kind: Kind = "CR2"
) -> tuple[TwoSystems, ...]:
    """Every pair of the table, in the order and the direction in which the table first names it."""
    clusters = asked_clusters(cluster, kind)
    return tuple(_two(answers_of(table, *pair), clusters, kind) for pair in pairs_in_order(table))


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
