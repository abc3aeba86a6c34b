"""Differences of pairs of items, and orthonormal bases of terms, for the dense solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLargeError
from .cells import sums
from .problem import Problem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Free parameters that are solved for together at most: a step costs their third power, half a minute at
#: 4,000 with the reference BLAS.
MOST_TOGETHER = 4000


def check_dense_size(problem: Problem) -> None:
    """Raise TooLargeError if there are too many parameters to solve for together."""
    n = problem.n_params - (problem.n_terms if problem.x is None else 0)
    if n > MOST_TOGETHER:
        further = "" if problem.further is None else " and those of single items and of the comparison"
        raise TooLargeError(
            f"{n:,} parameters ({problem.n_terms:,} effects on each of {problem.n_items:,} items{further}) have to be"
            f" solved for together, which takes matrices of {8e-9 * n * n:.1f} GB (limit"
            f" {MOST_TOGETHER:,} parameters); leave out a covariate, make it one factor, or take fewer items"
        )


@dataclass(frozen=True, eq=False)
class Differences:
    """The rows x_i - x_j of the pairs of items.

    For free items a row is the difference of two unit vectors and is kept as two positions; as a matrix,
    1,000 items with 500,000 pairs would take 4 GB.

    matrix float[n_pairs, k] or None: none: free items.  i, j int[n_pairs].  free int[n_items] or None: column
    of each free item; k for the reference, which has none.
    """

    matrix: FloatArray | None
    i: IntArray
    j: IntArray
    free: IntArray | None
    k: int

    @property
    def written(self) -> FloatArray:
        if self.matrix is not None:
            return self.matrix
        assert self.free is not None
        out, at = np.zeros((len(self.i), self.k + 1)), np.arange(len(self.i))
        out[at, self.free[self.i]], out[at, self.free[self.j]] = 1.0, -1.0
        return out[:, : self.k]

    def of(self, columns: FloatArray) -> FloatArray:
        """float[m, n_pairs]: differences of abilities given by float[m, k]."""
        if self.matrix is not None:
            return columns @ self.matrix.T
        assert self.free is not None
        level = np.concatenate([columns, np.zeros((len(columns), 1))], axis=1)[:, self.free]
        gaps: FloatArray = level[:, self.i] - level[:, self.j]
        return gaps

    def onto(self, values: FloatArray) -> FloatArray:
        """float[m, k]: sums over the pairs of values, float[m, n_pairs], times their rows."""
        if self.matrix is not None:
            return values @ self.matrix
        n = len(self.free) if self.free is not None else 0
        both = [sums(self.i, v, n) - sums(self.j, v, n) for v in values]
        out = np.zeros((len(values), self.k + 1))
        if both:
            out[:, self.free] = both
        return out[:, : self.k]


@dataclass(frozen=True, eq=False)
class Basis:
    """A basis of the columns of a matrix: matrix = columns @ change.

    columns float[n, k].  inverse float[k, k]: inverse of the change: parameters of the matrix are inverse @
    parameters of the columns.
    """

    columns: FloatArray
    inverse: FloatArray


def orthonormal(matrix: FloatArray, saturated: bool = False) -> Basis:
    """An orthonormal basis (times sqrt(n), so that entries are of order 1), or the unit vectors if
    saturated.
    """
    n, k = matrix.shape
    if k == 0:
        return Basis(matrix, np.zeros((0, 0)))
    if saturated and n == k:
        return Basis(np.eye(n), np.linalg.inv(matrix))
    q, r = np.linalg.qr(matrix)
    return Basis(q * np.sqrt(n), np.linalg.inv(r / np.sqrt(n)))


def share_kept(fine: Basis, coarse: Basis, width: FloatArray) -> float:
    """Smallest share of a term's sum of squares that is left between groups of strata, of this width each."""
    if fine.columns.shape[1] == 0:
        return 1.0
    left = np.linalg.solve(fine.columns.T @ fine.columns, coarse.columns.T @ (width * coarse.columns))
    return float(np.linalg.eigvals(left).real.min())
