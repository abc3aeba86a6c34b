"""Standard errors by cluster of an estimate that is a sum over rows: a log-odds, an error rate, a perplexity.

Row r adds psi_rj to the estimate's error through each of its k parts j (one for a mean, two for a difference of two
ratios) and holds the share h_rj of the information about part j; sums over rows are 0 and 1.  With psi_gj and T_gj the
sums over cluster g = 1..G, and d_j^2 the share of part j in the variance that the working model gives::

    CR0   sum_g (sum_j psi_gj)^2
    CR1   CR0 x G / (G - 1), t on G - 1 degrees of freedom
    CR2   sum_g (sum_j psi_gj / sqrt(1 - T_gj))^2, t on Satterthwaite's degrees of freedom
          (sum p_g)^2 / (||sum q_g q_g'||^2 - sum (q_g'q_g)^2 + sum p_g^2),  q_gj = T_gj d_j / sqrt(1 - T_gj),
          p_g = sum_j T_gj d_j^2

This is :mod:`pairproof.fit.robust.clusters` where the information is diagonal (Bell and McCaffrey 2002, Survey
Methodology 28, 169-181; Pustejovsky and Tipton 2018, J. Bus. Econ. Stat. 36, 672-683).  Two ways: V_1 + V_2 - V_12
(Cameron, Gelbach and Miller 2011), and the standard error is the largest of the two-way and both one-way ones, on the
smaller degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.columns import refuse_rows, take, values_of
from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....errors import InputError
from ....fit.robust.clustered_fit import FEW, KINDS, Kind, intersection
from ....fit.robust.sums import ALONE
from ....numerics.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class ClusteredError:
    """A standard error by cluster.
    se: of two ways, the largest of the two-way and both one-way ones; nan where `why_not` says so.  df: of
    the t distribution; of two ways the smaller.  n_clusters: that hold a part of the information.
    se_two_way: sqrt(V_1 + V_2 - V_12); nan with one way, or where that is negative.  why_not: "" where there
    is a standard error."""

    se: float
    df: float
    kind: Kind
    columns: tuple[str, ...]
    n_clusters: tuple[int, ...]
    se_two_way: float = math.nan
    why_not: str = ""

    @property
    def title(self) -> str:
        """ "CR2 by judge (24 clusters) and source (30 clusters)"."""
        ways = [f"{column} ({_clusters(n)})" for column, n in zip(self.columns, self.n_clusters)]
        return f"{self.kind} by {' and '.join(ways)}"

    @property
    def cautions(self) -> tuple[str, ...]:
        """What a reader has to know of the standard error."""
        rough = f"with fewer than {FEW} every cluster-robust interval is rough"
        each = zip(self.columns, self.n_clusters)
        few = [f"{_clusters(n)} by {column}: {rough}" for column, n in each if n < FEW]
        if not self.why_not and self.df < 2:
            nothing = "one or two clusters decide nearly all, and p means nothing"
            few.append(f"df {self.df:.3g}, below 2: {nothing}")
        elif not self.why_not and self.df < 4:
            few.append(f"df {self.df:.3g}, below 4: few clusters decide, and p is rough")
        return tuple(few)

    def t(self, estimate: float) -> float:
        """estimate / se; nan where the se is 0 or none."""
        return estimate / self.se if self.se > 0 else math.nan

    def p(self, estimate: float) -> float:
        """Two-sided, by t; nan where there is no t."""
        from scipy.special import stdtr

        return 2.0 * float(stdtr(self.df, -abs(self.t(estimate))))

    def interval(self, estimate: float, level: float = 0.95) -> tuple[float, float]:
        """estimate -+ t quantile x se."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.df, (1 + level) / 2)) * self.se
        return estimate - half, estimate + half


def _clusters(n: int) -> str:
    return f"{n} cluster" if n == 1 else f"{n} clusters"


def check_clusters(columns: Sequence[str], kind: str) -> None:
    """Refuse what is not one or two different columns, or another kind."""
    one_of("kind", kind, KINDS)
    if not 1 <= len(columns) <= 2 or len(set(columns)) != len(columns):
        raise InputError(
            f"clustered by {', '.join(columns) or 'nothing'}; expected one column, or two different ones"
        )


def asked_clusters(cluster: str | Sequence[str], kind: str) -> tuple[str, ...]:
    """The columns to cluster by, checked; () for none."""
    columns = (cluster,) if isinstance(cluster, str) else tuple(cluster)
    if columns:
        check_clusters(columns, kind)
    return columns


def cluster_codes(table: Comparisons, column: str, used: IntArray) -> IntArray:
    """int[n_used]: cluster of each of these rows, from 0."""
    column = table.role_of(column)
    if column not in table.columns:
        raise InputError(
            f"{table.source} has no column {column!r} to cluster by; its columns are"
            f" {', '.join(table.columns) or 'none'} (--col {column}=NAME says what the file calls it)"
        )
    here = values_of(take(table.columns[column], used))
    absent = np.isnan(here)
    lacking = f"{int(absent.sum())} of {len(used)} rows have none"
    needed = f"no {column}; {lacking}. Give every row one, or leave those rows out"
    refuse_rows(table.source, absent, needed, used)
    return np.ravel(np.unique(here, return_inverse=True)[1]).astype(np.int64)


def cells_of(table: Comparisons, columns: Sequence[str]) -> IntArray:
    """int[n_rows]: rows with the same labels in all the columns are one cell, numbered from 0."""
    return intersection([cluster_codes(table, column, np.arange(table.n_rows)) for column in columns])


def clustered_error(
    parts: FloatArray,
    shares: FloatArray,
    codes: Sequence[IntArray],
    columns: Sequence[str],
    kind: Kind = "CR2",
    weights: FloatArray | None = None,
) -> ClusteredError:
    """The standard error by cluster of an estimate whose rows' parts are known.
    parts float[n_rows, k]: psi, in units of the estimate.  shares float[n_rows, k]: of the information about
    each part; columns sum to 1.  codes: cluster of each row, from 0.  weights float[k]: d_j^2 of each part;
    default: equal.  Returns ClusteredError: without a standard error where there are fewer than two clusters,
    or one alone holds all of a part."""
    check_clusters(columns, kind)
    d2 = np.ones(parts.shape[1]) if weights is None else weights
    ways = [_Way.of(parts, shares, code) for code in codes]
    counts = tuple(way.n for way in ways)
    for way, column in zip(ways, columns):
        if way.n < 2:
            why = f"all is of one cluster by {column}"
        elif (1.0 - way.shares[:, d2 > 0] < ALONE).any():
            why = f"one cluster by {column} alone holds all that is known of one side"
        else:
            continue
        return ClusteredError(math.nan, math.nan, kind, tuple(columns), counts, why_not=why)
    variances = [way.variance(kind) for way in ways]
    if not any(variances):
        why = "all clusters agree exactly, so that the standard error is 0"
        return ClusteredError(math.nan, math.nan, kind, tuple(columns), counts, why_not=why)
    df = min(way.df(kind, d2) for way in ways)
    if len(ways) == 1:
        return ClusteredError(math.sqrt(variances[0]), df, kind, tuple(columns), counts)
    both = sum(variances) - _Way.of(parts, shares, intersection(list(codes))).variance(kind)
    two_way = math.sqrt(both) if both >= 0 else math.nan
    return ClusteredError(math.sqrt(max(*variances, both)), df, kind, tuple(columns), counts, two_way)


@dataclass(frozen=True, eq=False)
class _Way:
    """Parts and shares summed over the clusters that hold some of either."""

    parts: FloatArray
    shares: FloatArray

    @staticmethod
    def of(parts: FloatArray, shares: FloatArray, codes: IntArray) -> _Way:
        n = int(codes.max()) + 1
        sums = [
            np.stack([np.bincount(codes, column, n) for column in values.T], axis=1)
            for values in (parts, shares)
        ]
        held = (sums[1] > 0).any(axis=1)
        return _Way(np.asarray(sums[0][held], float), np.asarray(sums[1][held], float))

    @property
    def n(self) -> int:
        return len(self.parts)

    def variance(self, kind: Kind) -> float:
        if kind == "CR2":
            return float(((self.parts / np.sqrt(1.0 - self.shares)).sum(axis=1) ** 2).sum())
        plain = float((self.parts.sum(axis=1) ** 2).sum())
        return plain * self.n / (self.n - 1) if kind == "CR1" else plain

    def df(self, kind: Kind, d2: FloatArray) -> float:
        if kind != "CR2":
            return self.n - 1.0
        q = self.shares / np.sqrt(1.0 - self.shares) * np.sqrt(d2)
        p = self.shares @ d2
        spread = float(((q.T @ q) ** 2).sum() - ((q**2).sum(axis=1) ** 2).sum() + (p**2).sum())
        return float(p.sum()) ** 2 / spread
