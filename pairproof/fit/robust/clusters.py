"""Cluster-robust covariance of maximum-likelihood estimates: CR0, CR1, CR2.

With s_g and I_g the sums of scores and information over cluster g = 1..G, I = sum I_g, M = I^-1::

    CR0   V = M (sum s_g s_g') M
    CR1   CR0 x G / (G - 1)
    CR2   V = M (sum r_g r_g') M,   r_g = L'^-1 (1 - T_g)^(-1/2) L's_g,   T_g = L'I_g L,   L L' = M

CR0 and CR1 are Liang and Zeger (1986, Biometrika 73, 13-22).  CR2 is Bell and McCaffrey (2002, Survey
Methodology 28, 169-181) for rows whitened by the model's own information: it depends on s_g and I_g alone, so not
on the reference item, on nuisance parameters, or on how a cluster's comparisons are cut into rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .degrees import exact, hotelling, satterthwaite
from .sums import LARGEST_SHARE, ClusterSums

__all__ = ["KINDS", "LARGEST_SHARE", "Clusters", "Kind", "intersection", "two_way"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Kind = Literal["CR0", "CR1", "CR2"]
KINDS: tuple[Kind, ...] = ("CR0", "CR1", "CR2")


class Clusters(ClusterSums):
    """Covariances and degrees of freedom by cluster of a fit.

    codes int[n_rows]: cluster of each row, from 0; every cluster has a row with comparisons.  bread
    float[n_params, n_params]: M, with 0 for references (or centred, where items sum to zero).
    """

    def meat(self, kind: Kind) -> FloatArray:
        """float[p, p]: the middle of the sandwich."""
        out = np.zeros_like(self.bread)
        for block in self.sorted.blocks():
            scores = self.adjusted(block, block.scores) if kind == "CR2" else block.scores
            if len(block.at) == len(out):
                out += scores.T @ scores
            else:
                out[np.ix_(block.at, block.at)] += scores.T @ scores
        return out * (self.n / (self.n - 1)) if kind == "CR1" else out

    def covariance(self, kind: Kind) -> FloatArray:
        """float[p, p]: V."""
        if self.n >= len(self.bread):
            out: FloatArray = self.bread @ self.meat(kind) @ self.bread
            return out
        # fewer clusters than parameters: V is a sum of G squares, G p^2 operations in place of p^3
        out = np.zeros_like(self.bread)
        for block in self.sorted.blocks():
            scores = self.adjusted(block, block.scores) if kind == "CR2" else block.scores
            each = scores @ self.bread[block.at]
            out += each.T @ each
        return out * (self.n / (self.n - 1)) if kind == "CR1" else out

    def satterthwaite(self, contrast: FloatArray) -> float:
        """Degrees of freedom of c'V c under CR2; nan where one cluster alone determines a part of c."""
        return float(exact(self, contrast[None, :])[0])

    def satterthwaite_all(self, functions: FloatArray) -> FloatArray:
        """float[m]: degrees of freedom of every row of `functions`; see :func:`.degrees.satterthwaite`."""
        return satterthwaite(self, functions)

    def joint_df(self, contrasts: FloatArray) -> float:
        """eta of the approximate Hotelling test of q contrasts that are 0; see :func:`.degrees.hotelling`."""
        return hotelling(self, contrasts)


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
