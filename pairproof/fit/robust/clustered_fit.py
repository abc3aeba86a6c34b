"""Cluster-robust covariance, CR0, CR1 and CR2, and a fit whose standard errors are by judge, by source, or both.

With s_g and I_g the sums of scores and information over cluster g = 1..G, I = sum I_g, M = I^-1::

    CR0   V = M (sum s_g s_g') M
    CR1   CR0 x G / (G - 1)
    CR2   V = M (sum r_g r_g') M,   r_g = L'^-1 (1 - T_g)^(-1/2) L's_g,   T_g = L'I_g L,   L L' = M

CR0 and CR1 are Liang and Zeger (1986, Biometrika 73, 13-22).  CR2 is Bell and McCaffrey (2002, Survey
Methodology 28, 169-181) for rows whitened by the model's own information: it depends on s_g and I_g alone, so
not on the reference item, on nuisance parameters, or on how a cluster's comparisons are cut into rows.

One way: t intervals on Satterthwaite's degrees of freedom with CR2, on G - 1 otherwise.  Two ways: V_1 + V_2
- V_12 as covariance; of a single contrast the largest of the two-way and both one-way variances (MacKinnon,
Nielsen and Webb 2021, J. Bus. Econ. Stat. 39, 505-519), on the smaller of the two degrees of freedom.
Pseudo-comparisons are no observed answers and are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from ...data.columns import Column, Factor, is_missing, take
from ...data.comparisons import Comparisons
from ...errors import InputError, NotEstimableError, TooLargeError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ..estimates.covariance import Covariance, DenseCovariance, LinearMap, MappedCovariance
from ..estimates.fit_record import Clustering, FitRecord, FitWarning
from ..estimates.identification import R
from ..estimates.tails import f_p
from .degrees import hotelling, satterthwaite
from .scores import as_fitted, row_scores
from .sums import LARGEST_SHARE, ClusterSums

Kind = Literal["CR0", "CR1", "CR2"]
KINDS: tuple[Kind, ...] = ("CR0", "CR1", "CR2")


class Clusters(ClusterSums):
    """Covariances and degrees of freedom by cluster of a fit.

    codes int[n_rows]: cluster of each row, from 0; every cluster has a row with comparisons.  bread
    float[n_params, n_params]: M, with 0 for references (or centred, where items sum to zero).
    """

    def covariance(self, kind: Kind) -> FloatArray:
        """float[p, p]: V."""
        few = self.n < len(self.bread)  # V is then a sum of G squares, G p^2 operations in place of p^3
        if kind != "CR2":
            out = self.squares(self.bread if few else None)
        else:
            out = np.zeros_like(self.bread)
            for block in self.sorted.blocks():
                scores = self.adjusted(block, block.scores)
                each = scores @ self.bread[block.at] if few else scores
                if few or len(block.at) == len(out):
                    out += each.T @ each
                else:
                    out[np.ix_(block.at, block.at)] += each.T @ each
        if kind == "CR1":
            out *= self.n / (self.n - 1)
        return out if few else symmetric(self.bread @ out, self.bread)


def symmetric(left: FloatArray, right: FloatArray) -> FloatArray:
    """left @ right, which is symmetric: of large ones half of it is worked out."""
    n, width = len(left), 1000
    if n <= width:
        return left @ right
    out = np.empty((n, n))
    for k in range(0, n, width):
        columns = slice(k, k + width)
        out[: k + width, columns] = left[: k + width] @ right[:, columns]
        out[columns, :k] = out[:k, columns].T
    return out


def intersection(codes: Sequence[IntArray]) -> IntArray:
    """Codes of the clusters in which all the labels are equal."""
    pairs = np.stack(codes, axis=1)
    return np.ravel(np.unique(pairs, axis=0, return_inverse=True)[1]).astype(np.int64)


def two_way(parts: Sequence[FloatArray], bread: FloatArray) -> tuple[FloatArray, int]:
    """V_1 + V_2 - V_12 (Cameron, Gelbach and Miller 2011, J. Bus. Econ. Stat. 29, 238-249), made positive.

    Negative eigenvalues of W = L^-1 V L^-T are set to 0, L L' = M: unlike the eigenvalues of V itself these do not
    depend on the reference item.

    Returns (float[p, p], int): V, and how many eigenvalues were negative.
    """
    v = parts[0] + parts[1] - parts[2]
    value, vector = np.linalg.eigh(bread)
    keep = value > value[-1] * 1e-13
    root, inverse = vector[:, keep] * np.sqrt(value[keep]), vector[:, keep] / np.sqrt(value[keep])
    w, u = np.linalg.eigh(inverse.T @ v @ inverse)
    negative = w < -1e-12 * max(float(w[-1]), 0.0)
    if not negative.any():
        return v, 0
    side = root @ (u * np.sqrt(np.maximum(w, 0.0)))
    return side @ side.T, int(negative.sum())


def only_observed(fit: FitRecord, asked: str) -> None:
    """Refuse a fit with pseudo-comparisons.

    asked: what is asked for, as the subject of a sentence.
    """
    words = fit.spec.pseudo_comparisons
    if words:
        raise InputError(
            f"{asked} of a fit {words}: nobody made these comparisons, but they would count as answers; fit"
            " the table without them, with reduce_bias='mean' if estimates must be finite"
        )


Missing = Literal["refuse", "own"]

#: Clusters below which every method is rough, and a caution says so.
FEW = 20
#: A cluster-robust variance below this share of the model's is what rounding leaves of 0: scores that cancel
#: in every cluster leave squares of some 1e-32 n, and no real clusters agree to a millionth of their error.
NO_SPREAD = 1e-12
#: Parameters whose covariance is written out for this: 0.3 GB for each way.
MOST_PARAMETERS = 6_000


@dataclass(frozen=True, eq=False)
class Way:
    """One way of clustering.

    labels: of the clusters that have comparisons.  covariance float[n_params, n_params].  passes: times that rows were
    gone through; 0 in memory.  each: "votes" or "rows" where each of them is a cluster of its own, and `column` none.
    """

    column: str
    labels: tuple[str, ...]
    clusters: Clusters
    covariance: FloatArray
    passes: int = 0
    each: str = ""

    def __str__(self) -> str:
        if self.each:
            return f"{self.column} ({self.clusters.n:,} {self.each})"
        passes = f", {self.passes} pass{'es' * (self.passes > 1)}" if self.passes else ""
        return f"{self.column} ({self.clusters.n:{',' if self.passes else ''}} clusters{passes})"


@dataclass(frozen=True, eq=False)
class Robust:
    """Cluster-robust inference for linear functions of a fit's parameters.

    covariance float[n_params, n_params]: V; of two ways V_1 + V_2 - V_12, made positive.  model_based: the
    covariance that supposes independent answers.  negative: negative eigenvalues that were set to 0 (two
    ways).  refitted: whether the bootstrap and the wild test have the model.  maps: from the parameters of V, one after
    the other, to those that functions are of.
    """

    kind: Kind
    ways: tuple[Way, ...]
    covariance: FloatArray
    model_based: Covariance
    negative: int = 0
    refitted: bool = True
    maps: tuple[LinearMap, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns whose values are the clusters; none where every vote is one."""
        return tuple(way.column for way in self.ways if not way.each)

    @property
    def n_clusters(self) -> tuple[int, ...]:
        return tuple(way.clusters.n for way in self.ways)

    @property
    def title(self) -> str:
        """ "CR2 by judge (24 clusters) and source (30 clusters)"; "CR1 by judge (1,000,000 clusters, 1 pass)" of rows; "CR1 by vote (50,012 votes)"."""
        return f"{self.kind} by {' and '.join(map(str, self.ways))}"

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """What a reader has to know of these standard errors."""
        out = [
            f"{way.clusters.n} clusters by {way.column}: with fewer than {FEW}, cluster-robust intervals are approximate"
            + (f"; in Python compare them with {_instead(way)}" if self.refitted else "")
            for way in self.ways
            if way.clusters.n < FEW
        ]
        if self.negative:
            out.append(
                f"the two-way covariance had {self.negative} negative eigenvalues, which were set to 0; standard errors"
                " are the largest of the one-way and two-way ones"
            )
        return tuple(out)

    def standard_errors(self, functions: FloatArray) -> FloatArray:
        """float[m] of linear functions, float[m, n_params].

        nan where one cluster alone determines the function, or where all clusters say exactly the same of it: their
        scores then show no spread, and an error of 0 would claim certainty.
        """
        functions = self._before(functions)
        ways = (way.covariance for way in self.ways if way.covariance is not self.covariance)
        both = [_variances(functions, v) for v in (self.covariance, *ways)]
        most = np.max(both, axis=0)
        se = np.sqrt(np.maximum(most, 0.0))
        by_model = _variances(functions, self.ways[0].clusters.bread)
        se[(most <= NO_SPREAD * by_model) & (by_model > 0.0)] = np.nan
        for way in self.ways:
            share, _ = way.clusters.share_alone_all(functions)
            se[share > LARGEST_SHARE] = np.nan
        return np.asarray(se)

    def alone(self, function: FloatArray) -> str | None:
        """Which cluster alone determines a part of the function ("judge 3"), or None."""
        for way in self.ways:
            share, cluster = way.clusters.share_alone_all(self._before(function[None, :]))
            if share[0] > LARGEST_SHARE:
                return f"{way.column} {way.labels[cluster[0]]}"
        return None

    def degrees_of_freedom(self, functions: FloatArray, bound: bool = False) -> FloatArray:
        """float[m]: of the t distribution of each linear function; the smaller of two ways.  bound: something that is at
        most these, and quickly found."""
        if self.kind == "CR2":
            functions = self._before(functions)
            found = [satterthwaite(way.clusters, functions, bound) for way in self.ways]
            return np.asarray(np.min(found, axis=0))
        return np.full(len(functions), min(self.n_clusters) - 1.0)

    def joint_test(self, functions: FloatArray, values: FloatArray) -> tuple[float, float, float]:
        """F, its second degrees of freedom and p of the hypothesis that q linear functions are 0.

        CR2: the approximate Hotelling test (HTZ), of two ways the smaller eta; otherwise Q / q on q and G - 1.  Of two
        ways the statistic is the smallest of those by the two-way and both one-way covariances, so that the test of one
        function is that of its t.
        """
        q = len(functions)
        check_not_alone(self, functions)
        functions = self._before(functions)
        if self.kind == "CR2":
            eta = min(hotelling(way.clusters, functions) for way in self.ways)
            df, factor = eta - q + 1.0, (eta - q + 1.0) / (eta * q)
        else:
            eta = min(self.n_clusters) - 1.0
            df, factor = (eta, 1.0 / q) if q <= eta else (0.0, 0.0)
        # eta of clusters of one size is G - 1 but for rounding
        if not df > 1e-9 * eta:
            raise NotEstimableError(
                f"{q} equations at once need more than the {eta:.3g} degrees of freedom of {self.title}; test fewer, or use"
                " more clusters"
            )
        by_model = functions @ self.ways[0].clusters.directions(functions).T
        covariances = (self.covariance, *(way.covariance for way in self.ways))
        each = (_quadratic(functions @ v @ functions.T, by_model, values) for v in covariances)
        found = [q_value for q_value in each if q_value is not None]
        if not found:
            raise NotEstimableError(
                f"the clusters show no variation in a part of the hypothesis, {self.title}: a test would claim certainty"
            )
        statistic = factor * min(found)
        return statistic, df, f_p(statistic, q, df)

    def mapped(self, by: LinearMap) -> Robust:
        """The same for parameters that are a linear map of these."""
        return replace(self, maps=(*self.maps, by), model_based=MappedCovariance(self.model_based, by))

    def _before(self, functions: FloatArray) -> FloatArray:
        """The functions as functions of the parameters of V."""
        for by in reversed(self.maps):
            functions = by.back(functions)
        return functions


def _instead(way: Way) -> str:
    return "fit.bootstrap()" if way.each else f'fit.bootstrap("{way.column}") or pairproof.wild_test'


def check_not_alone(robust: Clustering, functions: FloatArray) -> None:
    """NotEstimableError of a hypothesis of which one cluster alone determines a part."""
    for function in functions:
        if (cluster := robust.alone(function)) is not None:
            raise NotEstimableError(f"part of the hypothesis is fitted from {cluster} alone; {robust.title}")


def _variances(functions: FloatArray, covariance: FloatArray) -> FloatArray:
    """float[m]: of linear functions; of those with few numbers, such as contrasts, by these alone."""
    most = int(np.count_nonzero(functions, axis=1).max(initial=0))
    if 0 < 20 * most < functions.shape[1]:
        at = np.sort(np.argpartition(functions == 0.0, most - 1, axis=1)[:, :most], axis=1)
        functions = np.take_along_axis(functions, at, axis=1)
        along: FloatArray = np.einsum("mk,mkl->ml", functions, covariance[at[:, :, None], at[:, None, :]])
    else:
        along = functions @ covariance
    return np.asarray(np.einsum("ij,ij->i", along, functions))


def _quadratic(covariance: FloatArray, by_model: FloatArray, values: FloatArray) -> float | None:
    """values' covariance^-1 values; None where the covariance is singular beside that of the model."""
    variances, axes = np.linalg.eigh(by_model)
    to_units = axes / np.sqrt(variances)
    spread, directions = np.linalg.eigh(to_units.T @ covariance @ to_units)
    if spread[0] <= NO_SPREAD * max(1.0, float(spread[-1])):
        return None
    return float((((values @ to_units) @ directions) ** 2 / spread).sum())


def checked(fit: R, columns: Sequence[str], kind: Kind, missing: Missing) -> tuple[R, tuple[str, ...]]:
    """The fit by its model's errors, and the columns by their roles; what cannot be clustered is refused."""
    if wrong := [column for column in columns if not isinstance(column, str)]:
        raise InputError(
            f"column {wrong[0]!r}; expected separate names, such as clustered('judge', 'source')"
        )
    columns = tuple(map(fit.data.role_of, columns))
    if missing not in ("refuse", "own"):
        raise InputError(f"missing={missing!r}; expected 'refuse' or 'own'")
    if not 1 <= len(columns) <= 2 or len(set(columns)) != len(columns):
        raise InputError(
            f"clustered by {', '.join(columns) or 'nothing'}; expected one column, or two different ones"
        )
    return by_model(fit, kind), columns


def by_model(fit: R, kind: Kind) -> R:
    """The fit by its model's errors; one that has no cluster-robust covariance of this kind is refused."""
    if kind not in KINDS:
        raise InputError(f"kind={kind!r}; expected one of {', '.join(KINDS)}")
    only_observed(fit, "standard errors by cluster")
    if len(fit.terms) > MOST_PARAMETERS:
        raise TooLargeError(
            f"{len(fit.terms):,} parameters; a cluster-robust covariance is computed for at most {MOST_PARAMETERS:,}"
        )
    if fit.robust is not None:
        fit = replace(fit, covariance=fit.robust.model_based, robust=None)
    return fit


def bread_of(fit: FitRecord) -> FloatArray:
    """float[p, p]: M, by one dense factor where there are many parameters."""
    p = len(fit.terms)
    return fit.covariance.whole() if p > 500 else fit.covariance.between(np.eye(p))


def clustered(fit: R, columns: Sequence[str], kind: Kind = "CR2", missing: Missing = "refuse") -> R:
    """The fit with standard errors by cluster; see :meth:`pairproof.Fit.clustered`."""
    fit, columns = checked(fit, columns, kind, missing)
    table = as_fitted(fit)
    rows = row_scores(fit)
    # A table that ran off to infinity has rows that say nothing; a cluster of nothing else is none.
    used, rows_before = rows.telling, int((rows.n > 0.0).sum())
    if not len(used):
        raise InputError(
            f"no comparison carries information about a finite estimate, so there is nothing to cluster by {columns[0]}"
        )
    if len(used) < len(rows):
        rows = rows.only(used)
    bread = bread_of(fit)
    labelled = [cluster_codes(table, column, used, missing) for column in columns]
    parts = [Clusters(rows, codes, bread) for codes, _ in labelled]
    for column, part, (_, labels) in zip(columns, parts, labelled):
        if part.n < 2:
            what = (
                "all comparisons are"
                if len(used) == rows_before
                else "all information about finite estimates is"
            )
            raise InputError(f"{column}: {what} from one cluster ({labels[0]}); at least two are needed")
    of = [part.covariance(kind) for part in parts]
    each = zip(columns, labelled, parts, of)
    ways = tuple(Way(column, labels, part, v) for column, (_, labels), part, v in each)
    if missing == "refuse":
        fit = replace(fit, warnings=_of_rankings(fit.warnings, table))
    v, negative = of[0], 0
    if len(ways) == 2:
        cells = Clusters(rows, intersection([codes for codes, _ in labelled]), bread)
        v, negative = two_way([*of, cells.covariance(kind)], bread)
    robust = Robust(kind, ways, v, fit.covariance, negative, fit.spec.has_refits)
    return replace(fit, covariance=DenseCovariance(v), robust=robust)


def _of_rankings(warnings: tuple[FitWarning, ...], table: Comparisons) -> tuple[FitWarning, ...]:
    """The warnings; pairs of one ranking share its labels, so that standard errors by cluster allow for them."""
    text = (
        f"pairs of rankings of up to {table.ranked_together} items: the pairs of a ranking are in one cluster,"
        " which cluster-robust standard errors allow for; AIC and likelihood ratios count each ranking several"
        " times; the estimates are for pairs, not for a model of whole rankings (fit_plackett_luce and fit_pattern, with"
        " a table from read_respondents)"
    )
    return tuple(replace(w, text=text) if w.kind == "rankings-as-pairs" else w for w in warnings)


def coded(column: Column) -> tuple[IntArray, list[str], BoolArray]:
    """Codes of a column's values, which these are as text, and where there is none."""
    absent = is_missing(column)
    if isinstance(column, Factor):
        return column.codes.astype(np.int64), list(column.levels), absent
    distinct, inverse = np.unique(np.where(absent, 0.0, column), return_inverse=True)
    return np.ravel(inverse).astype(np.int64), [f"{v:.15g}" for v in distinct], absent


def cluster_codes(
    table: Comparisons, column: str, used: IntArray, missing: Missing
) -> tuple[IntArray, tuple[str, ...]]:
    """Cluster of each used row, from 0, and the clusters' labels."""
    column = table.role_of(column)
    if column not in table.columns:
        known = ", ".join(table.columns) or "none"
        of_counts = (
            ". Counts over all judges cannot be clustered by judge: read the individual answers, or give the rows that were"
            " counted: rows=SOURCE, kind='CR1'"
        )
        raise InputError(
            f"{table.source} has no column {column!r} to cluster by; its columns are {known}"
            + of_counts * bool(table.row_weights.max(initial=0.0) > 1.0 or not table.columns)
        )
    codes, labels, absent = coded(take(table.columns[column], used))
    if absent.any():
        if missing != "own":
            raise InputError(
                f"{table.source}: {int(absent.sum())} of {len(used)} rows have no {column}; fill it in, drop these"
                ' rows, or make each its own cluster: missing="own", or fit --cluster-missing own'
            )
        codes = codes.copy()
        codes[absent] = len(labels) + np.arange(int(absent.sum()))
        labels += [f"(row {k + 1})" for k in used[absent]]
    present = np.bincount(codes, minlength=len(labels)) > 0
    number = np.cumsum(present) - 1
    return number[codes], tuple(labels[k] for k in np.flatnonzero(present))
