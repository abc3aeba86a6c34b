"""Cluster-robust standard errors of any likelihood, by the information of each cluster.

    CR0   V = sum over clusters g of i_g i_g',      i_g = M s_g,  M the inverse of the observed information
    CR1   CR0 x G / (G - 1)
    CR2   the same of i_g = L (1 - T_g)^(-1/2) L's_g,   T_g = L'I_g L,   L L' = M

with s_g and I_g the sums of scores and of information over the units of cluster g (Liang and Zeger 1986, Biometrika
73, 13-22; White 1982, Econometrica 50, 1-25, where every unit is a cluster; Bell and McCaffrey 2002, Survey
Methodology 28, 169-181).  Student's t and F have G - 1 degrees of freedom; with CR2 Satterthwaite's and those of the
approximate Hotelling test, by the formulas of :mod:`pairproof.fit.robust.degrees`.

An incomplete answer, or a tie with a shift or a scale, may have an information that is not positive; where that of a
whole cluster is not, there is no root of 1 - T_g, and CR1 stands in for CR2, which is said.  Rows of comparisons with
two linear predictors have :mod:`pairproof.fit.robust.clusters`, which needs no matrix for each cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from ...errors import InputError, NotEstimableError, TooLargeError
from ...numerics.arrays import FloatArray, IntArray
from ..estimates.covariance import Covariance, DenseCovariance, LinearMap, MappedCovariance
from ..estimates.likelihood import AtEstimate
from .clustered_fit import NO_SPREAD, Kind, check_not_alone
from .sums import ALONE, LARGEST_SHARE

#: Fewer clusters than this are told.
FEW = 30
#: Numbers that the information of all clusters may take: 0.4 GB.
MOST_NUMBERS = 50_000_000
#: An eigenvalue of T_g below minus this, or above 1 by it, is no rounding.
OUTSIDE = 1e-8


@dataclass(frozen=True, eq=False)
class Shares:
    """What each cluster has of the information: T_g by its eigenvalues, K kinds of clusters.

    times float[K]: clusters of each kind.  root float[p, p]: L.  t float[K, p], axes float[K, p, p]: eigenvalues of
    T_g, and its eigenvectors as columns.
    """

    times: FloatArray
    root: FloatArray
    t: FloatArray
    axes: FloatArray

    @property
    def positive(self) -> bool:
        """Whether the information of no cluster, and of none of the others together, is negative anywhere."""
        return bool(self.t.min() > -OUTSIDE and self.t.max() < 1.0 + OUTSIDE)

    def _each(self, of_t: FloatArray, vectors: FloatArray) -> FloatArray:
        """float[K, m, p]: f(T_g) v of directions that all clusters share, float[m, p], or of their own."""
        return np.asarray((vectors @ self.axes * of_t[:, None, :]) @ self.axes.transpose(0, 2, 1))

    def _left(self) -> FloatArray:
        """float[K, p]: (1 - t)^(-1/2), 0 along what a cluster alone determines."""
        rest = 1.0 - np.clip(self.t, 0.0, 1.0)
        return np.where(rest < ALONE, 0.0, 1.0 / np.sqrt(np.maximum(rest, ALONE)))

    def adjusted(self, vectors: FloatArray) -> FloatArray:
        """float[K, p]: (1 - T_g)^(-1/2) v_g of float[K, p]."""
        return np.asarray(self._each(self._left(), vectors[:, None, :])[:, 0])

    def alone(self, directions: FloatArray) -> tuple[FloatArray, IntArray]:
        """Of each direction float[m, p] the largest share that one cluster alone determines, and which cluster."""
        only = (1.0 - self.t < ALONE).astype(float)
        if not only.any():
            return np.zeros(len(directions)), np.zeros(len(directions), np.int64)
        size = (self._each(only, directions) ** 2).sum(axis=2)
        which = size.argmax(axis=0)
        length = np.maximum((directions**2).sum(axis=1), 1e-300)
        return size[which, np.arange(len(directions))] / length, which

    def _parts(self, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """T_g d, without what a cluster alone determines, and q_g = T_g (1 - T_g)^(-1/2) d: float[K, m, p] each."""
        left, t = self._left(), np.clip(self.t, 0.0, 1.0)
        return self._each(np.where(left > 0.0, t, 0.0), directions), self._each(t * left, directions)

    def satterthwaite(self, directions: FloatArray) -> FloatArray:
        """float[m]: degrees of freedom of each direction d = L'c."""
        of_t, q = self._parts(directions)
        p = np.einsum("kma,ma->km", of_t, directions)
        middle = np.einsum("k,kma,kmb->mab", self.times, q, q)
        cross = np.einsum("mab,mba->m", middle, middle) - self.times @ (q**2).sum(axis=2) ** 2
        spread = self.times @ p**2 + np.maximum(cross, 0.0)
        total = self.times @ p
        return np.asarray(np.divide(total**2, spread, out=np.full_like(total, np.nan), where=spread > 0.0))

    def hotelling(self, directions: FloatArray) -> float:
        """eta of the approximate Hotelling test that m functions are 0; nan where they are redundant."""
        value, vector = np.linalg.eigh(directions @ directions.T)
        if value[0] <= value[-1] * 1e-12:
            return float("nan")
        d = (vector / np.sqrt(value)) @ vector.T @ directions
        of_t, q = self._parts(d)
        own = np.einsum("kma,na->kmn", of_t, d)
        inner = np.einsum("kma,kna->kmn", q, q)
        middle = np.einsum("k,kma,knb->mnab", self.times, q, q)

        def twice(gram: FloatArray) -> float:
            """Sum over clusters and i, j of gram_ij gram_ji + gram_ii gram_jj."""
            square = np.einsum("kij,kji->k", gram, gram) + np.einsum("kii->k", gram) ** 2
            return float(self.times @ square)

        across = np.einsum("ijab,ijba->", middle, middle) + np.einsum("ijab,ijab->", middle, middle)
        n = len(d)
        return n * (n + 1) / (twice(own) + float(across) - twice(inner))


@dataclass(frozen=True, eq=False)
class DenseClusters:
    """Cluster-robust inference by the information of each cluster, of whole answers and of ties with a shift or a scale; see :mod:`pairproof.fit.estimates.fit_record`.

    columns: the column whose values are the clusters; () where every person is one.  labels: of the clusters.
    covariance: the robust one, of all parameters.  outward float[n_params, p]: from the free parameters to these.
    shares: none where the information of clusters was not worked out.  note: why CR1 stands in for CR2.
    """

    kind: Kind
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    n_clusters: tuple[int, ...]
    covariance: Covariance = field(repr=False)
    model_based: Covariance = field(repr=False)
    outward: FloatArray = field(repr=False)
    shares: Shares | None = field(repr=False)
    note: str = ""

    @property
    def title(self) -> str:
        """ "CR1 by judge (24 clusters)"."""
        of = f"by {self.columns[0]}" if self.columns else "by person"
        return f"{self.kind} {of} ({self.n_clusters[0]:,} clusters)"

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences that a reader of these standard errors has to know."""
        g = self.n_clusters[0]
        few: tuple[str, ...] = ()
        if g < FEW and self.kind == "CR2":
            few = (f"{g} clusters are few: cluster-robust intervals are approximate",)
        elif g < FEW:
            few = (f"{g} clusters are few: {self.kind} standard errors are then too small on average",)
        return (*few, self.note) if self.note else few

    def _directions(self, functions: FloatArray) -> FloatArray:
        """float[m, p]: d = L'c in the free parameters."""
        assert self.shares is not None
        return np.asarray(functions @ self.outward @ self.shares.root)

    def standard_errors(self, functions: FloatArray) -> FloatArray:
        """float[m] of linear functions, float[m, n_params]; nan where one cluster alone determines a part of one, or
        where all clusters say the same of it.
        """
        variances = np.array([float(f @ self.covariance.product(f)) for f in functions])
        by_model = np.array([float(f @ self.model_based.product(f)) for f in functions])
        se = np.asarray(np.sqrt(np.maximum(variances, 0.0)))
        se[(variances <= NO_SPREAD * by_model) & (by_model > 0.0)] = np.nan
        if self.shares is not None:
            se[self.shares.alone(self._directions(functions))[0] > LARGEST_SHARE] = np.nan
        return se

    def degrees_of_freedom(self, functions: FloatArray, bound: bool = False) -> FloatArray:
        """float[m]: Satterthwaite's with CR2, else clusters less one; the same with `bound`."""
        if self.kind != "CR2" or self.shares is None:
            return np.full(len(functions), self.n_clusters[0] - 1.0)
        return self.shares.satterthwaite(self._directions(functions))

    def alone(self, function: FloatArray) -> str | None:
        """The cluster that alone determines a part of a function ("judge 3"), or None."""
        if self.shares is None or not self.columns:
            return None
        share, which = self.shares.alone(self._directions(function[None, :]))
        return f"{self.columns[0]} {self.labels[which[0]]}" if share[0] > LARGEST_SHARE else None

    def joint_test(self, functions: FloatArray, values: FloatArray) -> tuple[float, float, float]:
        """F on len(values) and some degrees of freedom, the latter, and p, that all functions are 0."""
        from scipy.stats import f as f_distribution

        check_not_alone(self, functions)
        q, df, scale = len(values), self.n_clusters[0] - 1.0, 1.0 / len(values)
        matrix = self.covariance.between(functions)
        if self.kind == "CR2" and self.shares is not None:
            eta = self.shares.hotelling(self._directions(functions))
            df, scale = eta - q + 1.0, (eta - q + 1.0) / (eta * q)
        if not df > 0.0 or np.linalg.matrix_rank(matrix) < q:
            raise NotEstimableError(
                f"{self.n_clusters[0]} clusters do not determine {q} functions of the parameters together"
            )
        statistic = scale * float(values @ np.linalg.solve(matrix, values))
        return statistic, df, float(f_distribution.sf(statistic, q, df))

    def mapped(self, by: LinearMap) -> DenseClusters:
        """The same for parameters that are a linear map of these."""
        robust, model_based = (MappedCovariance(v, by) for v in (self.covariance, self.model_based))
        return replace(self, covariance=robust, model_based=model_based, outward=by.forward(self.outward))


def sandwich(
    fitted: AtEstimate,
    groups: sparse.csr_matrix,
    times: FloatArray,
    named: tuple[tuple[str, ...], tuple[str, ...]],
    kind: Kind,
    model_based: Covariance,
) -> DenseClusters:
    """The clustering of any likelihood of n units.

    groups float[K, n]: how often each kind of clusters has each unit.  times float[K]: clusters of each kind.  named:
    the column, and the labels of its clusters.
    """
    columns, labels = named
    n, note = int(times.sum()), ""
    if n < 2:
        raise InputError(f"{n} cluster; two or more are needed for standard errors")
    shares = None
    if columns or kind == "CR2":
        work = min(groups.shape) * float(len(fitted.theta)) ** 2
        if work <= MOST_NUMBERS:
            shares = shares_of(fitted, groups, times)
        elif kind == "CR2":
            raise TooLargeError(
                f"kind='CR2' of {n:,} clusters and {len(fitted.theta):,} parameters takes {work:,.0f} numbers (limit"
                f" {MOST_NUMBERS:,}); with so many clusters, kind='CR1' is nearly the same"
            )
    # eigenvalues that are no shares say nothing of a single cluster
    if shares is not None and not shares.positive:
        shares = None
    if kind == "CR2" and shares is None:
        kind, note = "CR1", (
            "CR1 instead of CR2: the information of a cluster is not positive, which can happen with incomplete answers"
            " and with ties with a shift or a scale, so CR2 does not exist"
        )
    if kind == "CR2" and shares is not None:
        scores = np.asarray(groups @ fitted.point.scores) @ shares.root
        sums = shares.adjusted(scores) @ (fitted.outward @ shares.root).T
    else:
        sums = np.asarray(groups @ fitted.influence())
    robust = sums.T @ (times[:, None] * sums) * (n / (n - 1.0) if kind == "CR1" else 1.0)
    return DenseClusters(
        kind, columns, labels, (n,), DenseCovariance(robust), model_based, fitted.outward, shares, note
    )


def shares_of(fitted: AtEstimate, groups: sparse.csr_matrix, times: FloatArray) -> Shares:
    """T_g of every kind of clusters: answer by answer, or cluster by cluster, whichever are fewer."""
    root = _root(fitted.covariance)
    n_groups, n = groups.shape
    by_answer, w = n <= n_groups, np.zeros(n)
    found = []
    for k in range(n if by_answer else n_groups):
        if by_answer:
            w[k - 1], w[k] = 0.0, 1.0
        else:
            w = np.asarray(groups[[k]].todense()).ravel()
        found.append(root.T @ fitted.point.information_of(w) @ root)
    t = np.array(found)
    if by_answer:
        t = np.asarray(groups @ t.reshape(n, -1)).reshape(n_groups, *t.shape[1:])
    values, vectors = np.linalg.eigh((t + t.transpose(0, 2, 1)) / 2.0)
    return Shares(times, root, values, vectors)


def _root(covariance: FloatArray) -> FloatArray:
    """float[p, r]: L with L L' = M, r < p where something has no estimate."""
    try:
        return np.asarray(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        value, vector = np.linalg.eigh(covariance)
        keep = value > 1e-13 * value[-1]
        return np.asarray(vector[:, keep] * np.sqrt(value[keep]))
