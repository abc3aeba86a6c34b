"""Which test of two systems holds: by clusters if asked, by judges where there are two or more, else the sum.

The sum of answers supposes that they are independent.  Answers of one judge are not, and nothing in a table can show
that they are: judges that do not differ significantly may differ enough to make the sum reject twice too often.  So
the test by judges is the headline wherever there are judges, and the sum is only shown beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...fit.robust.clusters import Kind
from ...fit.tails import p_equals
from .by_cluster import ClusteredError, clustered_error
from .by_judge import (
    EqualityTest,
    judge_means,
    judges_differ,
    judges_differ_decisive,
    sign_flips,
    smallest_expected,
    summed,
)
from .judge_effects import beta_binomial, random_effect, why_no_log_odds

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: A judge with this many times the answers of another: the average judge is not the average answer.
UNEQUAL = 4.0
#: Expected counts below which a chi-square is rough.
SMALL = 5.0
#: Keys of a test in JSON, which are its attributes.
_KEYS = ("estimate", "scale", "se", "statistic", "df", "p", "spread", "spread_of", "reference", "why_not")


@dataclass(frozen=True)
class Headline:
    """The test to report, and why it is this one.

    why: a sentence.  cautions: what a reader has to know of it.
    """

    test: EqualityTest
    why: str
    cautions: tuple[str, ...] = ()

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Keys test, estimate, scale, se, df, t, p, conf_int, level, why, cautions, why_not; `t` is a z without df."""
        t = self.test
        numbers = {
            "estimate": t.estimate,
            "scale": t.scale,
            "se": t.se,
            "df": t.df,
            "t": t.statistic,
            "p": t.p,
        }
        interval = list(t.conf_int(level)) if math.isfinite(t.se) else None
        said = {"why": self.why, "cautions": list(self.cautions), "why_not": t.why_not or None}
        return {"test": t.name, **_without_nan(numbers), "conf_int": interval, "level": level, **said}


@dataclass(frozen=True, eq=False)
class TwoSystemTests:
    """All tests of two systems, made when they are first asked for.

    `first`, second, ties float[G]: answers of each judge who has any; of all together where `judges` is
    empty.  clusters: the test by the clusters that were asked for.  clusters_error: its standard error.
    """

    first: FloatArray
    second: FloatArray
    ties: FloatArray
    judges: tuple[str, ...] = ()
    clusters: EqualityTest | None = None
    clusters_error: ClusteredError | None = None

    @cached_property
    def sum(self) -> EqualityTest:
        """All answers as if independent."""
        return summed(self.first, self.second)

    @cached_property
    def judge_means(self) -> EqualityTest:
        """t of the judges' mean preferences."""
        return judge_means(self.first, self.second, self.ties)

    @cached_property
    def sign_flips(self) -> EqualityTest:
        """Exact, by the signs of the judges' mean preferences."""
        return sign_flips(self.first, self.second, self.ties)

    @cached_property
    def by_judge_clusters(self) -> EqualityTest:
        """Log-odds of decisive answers with CR2 by judge."""
        codes = [np.arange(len(self.first))]
        return clustered_log_odds(self.first, self.second, codes, ["judge"])[0]

    @cached_property
    def beta_binomial(self) -> EqualityTest:
        """Likelihood ratio of a beta-binomial."""
        return beta_binomial(self.first, self.second)

    @cached_property
    def random_effect(self) -> EqualityTest:
        """Wald test with a normal judge effect."""
        return random_effect(self.first, self.second)

    @cached_property
    def judges_differ(self) -> EqualityTest:
        """Chi-square of the table of judges' answers."""
        return judges_differ(self.first, self.second, self.ties)

    @cached_property
    def judges_differ_decisive(self) -> EqualityTest:
        """The same without ties."""
        return judges_differ_decisive(self.first, self.second)

    @cached_property
    def headline(self) -> Headline:
        """The test that holds."""
        return Headline(*_headline(self))

    @property
    def beside(self) -> tuple[EqualityTest, ...]:
        """All tests, the sum last; without judges only the sum."""
        asked = () if self.clusters is None else (self.clusters,)
        if len(self.judges) < 2:
            return (*asked, self.sum)
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
        return {
            "n_judges": len(self.judges),
            "sum": _as_dict(self.sum),
            **asked,
            **{name: _as_dict(getattr(self, name)) for name in names},
        }


def by_judges(first: FloatArray, second: FloatArray, ties: FloatArray) -> TwoSystemTests:
    """The tests of two systems from the counts of each judge.

    `first`, second, ties float[G]: answers for the first system, the second, and neither.
    """
    return TwoSystemTests(first, second, ties, tuple(str(k + 1) for k in range(len(first))))


def clustered_log_odds(
    first: FloatArray, second: FloatArray, codes: list[IntArray], columns: list[str], kind: Kind = "CR2"
) -> tuple[EqualityTest, ClusteredError | None]:
    """The log-odds of decisive answers, log(A / B), with a standard error by one or two ways of clustering.

    This is `fit_bradley_terry(ties="drop").clustered(...)` of two items; a fit with ties has the same estimate and the
    same scores (Davidson 1970).

    `first`, second float[n_rows]: decisive answers of each row.  codes: cluster of each row, from 0.
    columns: their names.  Returns (EqualityTest, ClusteredError or None): none where the log-odds are
    infinite.
    """
    name = f"clusters by {' and '.join(columns)}, {kind}"
    why = why_no_log_odds(first, second)
    if why:
        return EqualityTest(name, why_not=why), None
    wins, losses, n = float(first.sum()), float(second.sum()), first + second
    # M s_r = (a_r - n_r A/N) N / (A B)
    parts = (first * losses - second * wins) / (wins * losses)
    error = clustered_error(parts[:, None], n[:, None] / (wins + losses), codes, columns, kind)
    if error.why_not:
        return EqualityTest(name, why_not=error.why_not), error
    b = math.log(wins / losses)
    return (
        EqualityTest(*(name, b, "log-odds", error.se, error.t(b), error.df, error.p(b)), reference="t"),
        error,
    )


def _headline(of: TwoSystemTests) -> tuple[EqualityTest, str, tuple[str, ...]]:
    """Test, reason, cautions."""
    if of.clusters is not None:
        error = of.clusters_error
        if error is None:
            return of.clusters, "clustered as asked", ()
        return of.clusters, f"standard error {error.title}, as asked", error.cautions
    if not of.judges:
        return of.sum, "no judge column: the sum of answers, which supposes that they are independent", ()
    if len(of.judges) == 1:
        why = "one judge: the sum of its answers, which supposes that they are independent; says nothing of other judges"
        return of.sum, why, ()
    if of.judge_means.why_not:
        return of.sign_flips, f"{of.judge_means.why_not}; the signs of their means are tested", ()
    return of.judge_means, _judges(of), tuple(_of_judges(of))


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
    if not of.judges_differ.why_not and smallest_expected(of.first, of.second, of.ties) < SMALL:
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
