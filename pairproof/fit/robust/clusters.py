"""Cluster-robust covariance of maximum-likelihood estimates: CR0, CR1, CR2, and degrees of freedom.

With s_g and I_g the sums of scores and information over cluster g = 1..G, I = sum I_g, M = I^-1::

    CR0   V = M (sum s_g s_g') M
    CR1   CR0 x G / (G - 1)
    CR2   V = M (sum r_g r_g') M,   r_g = L'^-1 (1 - T_g)^(-1/2) L's_g,   T_g = L'I_g L,   L L' = M

CR0 and CR1 are Liang and Zeger (1986, Biometrika 73, 13-22).  CR2 is Bell and McCaffrey (2002, Survey
Methodology 28, 169-181) for rows whitened by the model's own information: it depends on s_g and I_g alone, so not
on the reference item, on nuisance parameters, or on how a cluster's comparisons are cut into rows.

No root of M is needed.  (1 - T_g)^(-1/2) L'x = L'(x + sum_k c_k (I_g M)^k x), c_k the binomial coefficients of
(1 - t)^(-1/2); where the series would be long, the eigenvalues t and eigenvectors of B_g'M B_g, I_g = B_g B_g',
give the sum in closed form.

An eigenvalue t = 1 says that cluster g alone determines a direction: its score there is 0 by construction, and a
sandwich would report a standard error of 0.  Such directions are kept, and contrasts along them refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .scores import RowScores

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Kind = Literal["CR0", "CR1", "CR2"]
KINDS: tuple[Kind, ...] = ("CR0", "CR1", "CR2")

#: 1 - t below this: the cluster alone determines the direction.
ALONE = 1e-10
#: A contrast with more than this share of its variance along such directions has no standard error.
LARGEST_SHARE = 1e-8
#: Clusters whose largest eigenvalue is at most this (their trace bounds it) are summed as a series of at most
#: 26 terms (0.25^26 = 2e-16).
SHORT_SERIES = 0.25


@dataclass(frozen=True, eq=False)
class Root:
    """A cluster's part of the information, I_g = B B', in the eigenvectors of B'M B.

    Attributes
    ----------
    cluster : int
    at : int[m]
        Parameters that the cluster touches.
    along : float[m, r]
        B W, the columns of B turned into eigenvectors.
    t : float[r]
        Eigenvalues of T_g, in [0, 1].
    """

    cluster: int
    at: IntArray
    along: FloatArray
    t: FloatArray

    @property
    def alone(self) -> NDArray[np.bool_]:
        return 1.0 - self.t < ALONE


class Clusters:
    """Scores and information of a fit, summed over clusters.

    Parameters
    ----------
    rows : RowScores
    codes : int[n_rows]
        Cluster of each row, from 0; every cluster has a row with comparisons.
    bread : float[n_params, n_params]
        M, with 0 for references (or centred, where items sum to zero).
    """

    def __init__(self, rows: RowScores, codes: IntArray, bread: FloatArray) -> None:
        self.rows, self.codes, self.bread = rows, codes, bread
        self.n = int(codes.max()) + 1
        #: float[G, p]
        self.scores: FloatArray = self._summed(rows.score[:, 0], rows.score[:, 1])
        self._roots: tuple[Root, ...] | None = None

    def _summed(self, by_eta: FloatArray, by_tie: FloatArray) -> FloatArray:
        """float[G, p]: of rows' derivatives by log-odds and tie parameter, sums over clusters."""
        p = len(self.bread)
        out = self.rows.x.summed(by_eta, self.codes, self.n, p)
        return out + self.rows.z.summed(by_tie, self.codes, self.n, p) if self.rows.z.at.shape[1] else out

    @property
    def roots(self) -> tuple[Root, ...]:
        """Clusters whose series would be long, taken apart; the others are small against the whole."""
        if self._roots is None:
            trace = np.bincount(self.codes, weights=self._row_traces(), minlength=self.n)
            self._roots = tuple(self._root(int(g)) for g in np.flatnonzero(trace > SHORT_SERIES))
        return self._roots

    def _row_traces(self) -> FloatArray:
        """float[n_rows]: trace of K J M J' for each row's information K and design J."""
        x, z, k = self.rows.x, self.rows.z, self.rows.information
        return np.asarray(
            k[:, 0, 0] * x.quadratic(self.bread, x)
            + k[:, 1, 1] * z.quadratic(self.bread, z)
            + 2.0 * k[:, 0, 1] * x.quadratic(self.bread, z)
        )

    @cached_property
    def _order(self) -> tuple[IntArray, IntArray]:
        """Rows by cluster, and where each cluster's begin."""
        by = np.argsort(self.codes, kind="stable")
        return by, np.searchsorted(self.codes[by], np.arange(self.n + 1))

    def _root(self, g: int) -> Root:
        by, start = self._order
        here = by[start[g] : start[g + 1]]
        p, k = len(self.bread), self.rows.information[here]
        x, z = self.rows.x.dense(here, p), self.rows.z.dense(here, p)
        at = np.flatnonzero((x != 0.0).any(axis=0) | (z != 0.0).any(axis=0))
        x, z = x[:, at], z[:, at]
        cross = (x * k[:, [0], 1]).T @ z if k.shape[0] else 0.0
        information = (x * k[:, [0], 0]).T @ x + (z * k[:, [1], 1]).T @ z + cross + np.transpose(cross)
        value, vector = np.linalg.eigh(information)
        keep = value > value[-1] * 1e-14
        b = vector[:, keep] * np.sqrt(value[keep])
        t, w = np.linalg.eigh(b.T @ self.bread[np.ix_(at, at)] @ b)
        return Root(g, at, b @ w, np.clip(t, 0.0, 1.0))

    def information_times(self, vectors: FloatArray) -> FloatArray:
        """float[G, p]: I_g v_g; one vector for all clusters, float[p], or one each, float[G, p]."""
        x, z, k = self.rows.x, self.rows.z, self.rows.information
        if vectors.ndim == 1:
            eta, tie = x.times(vectors), z.times(vectors)
        else:
            eta, tie = x.times_each(vectors, self.codes), z.times_each(vectors, self.codes)
        return self._summed(k[:, 0, 0] * eta + k[:, 0, 1] * tie, k[:, 0, 1] * eta + k[:, 1, 1] * tie)

    def adjusted(self, vectors: FloatArray) -> FloatArray:
        """float[G, p]: v_g such that L'v_g = (1 - T_g)^(-1/2) L'x_g, directions fitted from g alone at 0."""
        out = np.array(vectors)
        term = np.array(vectors)
        long = np.array([root.cluster for root in self.roots], dtype=np.int64)
        term[long] = 0.0
        k = 0
        while k < 30 and np.abs(term).max(initial=0.0) > 1e-17 * np.abs(vectors).max(initial=0.0):
            k += 1
            term = self.information_times(term @ self.bread) * ((2 * k - 1) / (2 * k))
            out += term
        for root in self.roots:
            g, at = root.cluster, root.at
            along = root.along.T @ (self.bread[at] @ vectors[g])
            out[g, at] += root.along @ (_gain(root) * along)
        return out

    def meat(self, kind: Kind) -> FloatArray:
        """float[p, p]: the middle of the sandwich."""
        scores = self.adjusted(self.scores) if kind == "CR2" else self.scores
        factor = self.n / (self.n - 1) if kind == "CR1" else 1.0
        out: FloatArray = factor * (scores.T @ scores)
        return out

    def covariance(self, kind: Kind) -> FloatArray:
        """float[p, p]: V."""
        out: FloatArray = self.bread @ self.meat(kind) @ self.bread
        return out

    def share_alone(self, contrast: FloatArray) -> tuple[float, int]:
        """Largest share of c'Mc along directions that one cluster alone determines, and that cluster."""
        total = float(contrast @ self.bread @ contrast)
        worst, which = 0.0, -1
        for root in self.roots:
            if not root.alone.any() or total <= 0.0:
                continue
            d = self.bread[root.at] @ contrast
            share = float(((root.along[:, root.alone].T @ d) ** 2 / root.t[root.alone]).sum()) / total
            if share > worst:
                worst, which = share, root.cluster
        return worst, which

    def _spread(self, contrast: FloatArray) -> tuple[FloatArray, FloatArray]:
        """p_g = d'T_g d, float[G], and the adjusted I_g M c, float[G, p], for d = L'c without what g alone fits."""
        d = self.bread @ contrast
        x = self.information_times(d)
        p = x @ d
        for root in self.roots:
            lost = (root.along[:, root.alone].T @ d[root.at]) ** 2
            p[root.cluster] -= float(lost.sum())
        return p, self.adjusted(x)

    def satterthwaite(self, contrast: FloatArray) -> float:
        """Degrees of freedom of c'V c under CR2 (Pustejovsky and Tipton 2018, J. Bus. Econ. Stat. 36, 672-683)."""
        p, r = self._spread(contrast)
        both = self.bread @ (r.T @ r)
        q = np.einsum("gi,ij,gj->g", r, self.bread, r, optimize=True)
        spread = float(np.einsum("ij,ji->", both, both) - (q**2).sum() + (p**2).sum())
        return float(p.sum()) ** 2 / spread if spread > 0.0 else float("nan")

    def share_alone_all(self, functions: FloatArray) -> tuple[FloatArray, IntArray]:
        """:meth:`share_alone` of every row of `functions`, float[m, p]: float[m] and int[m]."""
        found = [self.share_alone(function) for function in functions]
        return np.array([share for share, _ in found]), np.array([g for _, g in found], dtype=np.int64)

    def satterthwaite_all(self, functions: FloatArray) -> FloatArray:
        """float[m]: :meth:`satterthwaite` of every row of `functions`, float[m, p]."""
        return np.array([self.satterthwaite(function) for function in functions], dtype=np.float64)

    def joint_df(self, contrasts: FloatArray) -> float:
        """eta of the approximate Hotelling test (HTZ) of q contrasts that are 0; nan if they are redundant.

        Pustejovsky and Tipton (2018), section 3: the Wishart degrees of freedom that match the mean and the
        total variance of C V C'.
        """
        q = len(contrasts)
        value, vector = np.linalg.eigh(contrasts @ self.bread @ contrasts.T)
        if value[0] <= value[-1] * 1e-12:
            return float("nan")
        d = (vector / np.sqrt(value)) @ vector.T @ contrasts
        own = np.zeros((q, q, self.n))
        r = np.zeros((q, self.n, len(self.bread)))
        for i in range(q):
            r[i] = self.adjusted(self.information_times(self.bread @ d[i]))
        # (1-T)^(-1/2) T (1-T)^(-1/2) = (1-T)^(-1/2) applied twice to I_g M d
        for i in range(q):
            twice = self.adjusted(r[i]) @ self.bread
            own[i] = np.einsum("gp,jp->jg", twice, d)
        flat = r.reshape(q * self.n, -1)
        p = -(flat @ self.bread @ flat.T).reshape(q, self.n, q, self.n)
        g = np.arange(self.n)
        for i in range(q):
            for j in range(q):
                p[i, g, j, g] += own[i, j]
        cross = np.einsum("igjh,jgih->", p, p, optimize=True)
        straight = np.einsum("igih,jgjh->", p, p, optimize=True)
        return float(q * (q + 1) / (cross + straight))


def _gain(root: Root) -> FloatArray:
    """((1 - t)^(-1/2) - 1) / t for each eigenvalue; -1/t, which takes the direction out, where t is 1."""
    t = root.t
    out = np.empty_like(t)
    small, alone = t < 1e-5, root.alone
    rest = ~(small | alone)
    out[small] = 0.5 + t[small] * (3.0 / 8.0 + t[small] * 5.0 / 16.0)
    out[rest] = np.expm1(-0.5 * np.log1p(-t[rest])) / t[rest]
    out[alone] = -1.0 / t[alone]
    return out


def intersection(codes: Sequence[IntArray]) -> IntArray:
    """Codes of the clusters in which all the labels are equal."""
    pairs = np.stack(codes, axis=1)
    return np.ravel(np.unique(pairs, axis=0, return_inverse=True)[1]).astype(np.int64)


def two_way(parts: Sequence[FloatArray], bread: FloatArray) -> tuple[FloatArray, int]:
    """V_1 + V_2 - V_12 (Cameron, Gelbach and Miller 2011, J. Bus. Econ. Stat. 29, 238-249), made positive.

    Negative eigenvalues of W = L^-1 V L^-T are set to 0, L L' = M: unlike the eigenvalues of V itself these do not
    depend on the reference item.

    Returns
    -------
    (float[p, p], int)
        V, and how many eigenvalues were negative.
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
