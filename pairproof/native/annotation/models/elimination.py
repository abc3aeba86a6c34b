"""Random effects whose block of the mixed model equations is inverted in closed form.

Every judgment has one item, so the items' block of Henderson's matrix is diagonal. Where items lie within
sources, the sources' block is diagonal again once the items are eliminated. With w_j the sum of the weights of
item j, t and s the variances of items and sources and

    p_j = w_j + 1 / t,   k_j = 1 / (1 + t w_j),   r_j = w_j / p_j = 1 - k_j,   P_s = 1 / s + sum_{j in s} w_j k_j

the inverse K of the two blocks together, applied to sums a_j over the judgments of an item (and over those of a
source), is

    (K a)_s = sum_{j in s} k_j a_j / P_s,   (K a)_j = a_j / p_j - r_j (K a)_s,   a'K a = |L a|^2,
    L a = (a_j / sqrt(p_j), sum_{j in s} k_j a_j / sqrt(P_s)),   log|K^-1| = sum log p_j + sum log P_s

so that four thousand sources of five systems cost no more than twenty thousand items do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..beta import FloatArray, IntArray

#: Numbers held at a time while quadratic forms are added up.
CHUNK = 4_000_000
#: What taking one number from a matrix costs beside one multiplication of a sparse product.
TAKEN = 10


@dataclass(frozen=True, eq=False)
class Elimination:
    """The inverse of the block of one random effect, or of two where the first lies within the second.

    pivot, kept float[N]: p and k of each level.  outer int[N]: level of the effect in which each level lies.
    outer_pivot float[M]: P of its levels; empty without one.
    """

    pivot: FloatArray
    kept: FloatArray
    outer: IntArray | None
    outer_pivot: FloatArray

    @staticmethod
    def of(weight: FloatArray, tau: float, outer: IntArray | None, outer_tau: float) -> "Elimination":
        """The inverse at given variances.

        weight float[N]: sum of the weights of each level's judgments.  tau, outer_tau: variances; the second
        is not used without `outer`.  outer int[N].
        """
        kept = 1.0 / (1.0 + tau * weight)
        above = np.zeros(0)
        if outer is not None:
            above = np.bincount(outer, weight * kept) + 1.0 / outer_tau
        return Elimination(weight + 1.0 / tau, kept, outer, above)

    @property
    def log_determinant(self) -> float:
        """Of the two blocks."""
        return float(np.log(self.pivot).sum() + np.log(self.outer_pivot).sum())

    def gathered(self, sums: Any) -> Any:
        """sum_{j in s} k_j a_j of an array or a sparse matrix a with a row for each level."""
        assert self.outer is not None
        return _summed(self.outer, self.kept, len(self.outer_pivot)) @ sums

    def root(self, sums: Any) -> Any:
        """L a of a sparse matrix a: the levels of the one effect, then of the other."""
        from scipy.sparse import vstack

        first = scaled_rows(sums, 1.0 / np.sqrt(self.pivot))
        if self.outer is None:
            return first
        return vstack([first, scaled_rows(self.gathered(sums), 1.0 / np.sqrt(self.outer_pivot))], "csr")

    def solved(self, sums: Any) -> tuple[Any, Any]:
        """Of K a for a sparse matrix a: a_j / p_j, and (K a)_s, which is None where there is no such effect.

        (K a)_j is the first less r_j times the second.
        """
        own = scaled_rows(sums, 1.0 / self.pivot)
        if self.outer is None:
            return own, None
        return own, scaled_rows(self.gathered(sums), 1.0 / self.outer_pivot)

    def trace(self, sums: Any, matrix: FloatArray, inner: bool) -> float:
        """tr(M Z'Z) for the rows Z of K a that belong to the one effect or the other."""
        own, above = self.solved(sums)
        if self.outer is None:
            return trace_of(own, matrix)
        if not inner:
            return trace_of(above, matrix)
        # Z_j = a_j / p_j - r_j z_s: the sum of its squares over j in s, without a row for each j.
        share, m = 1.0 - self.kept, len(self.outer_pivot)
        among = np.sqrt(np.bincount(self.outer, share**2, m))
        crossed = (_summed(self.outer, share, m) @ own).T @ above
        crossed = crossed.tocoo()
        twice = 2.0 * float(crossed.data @ matrix[crossed.row, crossed.col])
        return trace_of(own, matrix) - twice + trace_of(scaled_rows(above, among), matrix)

    def quadratic(self, sums: Any, matrix: FloatArray, inner: bool) -> FloatArray:
        """z'M z for the same rows."""
        own, above = self.solved(sums)
        if self.outer is None:
            return quadratic(own, matrix)
        if not inner:
            return quadratic(above, matrix)
        return quadratic_less(own, above, self.outer, matrix, 1.0 - self.kept)

    def solved_vector(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(K a)_j and (K a)_s of an array a; the second is empty where there is no such effect."""
        if self.outer is None:
            return sums / self.pivot, np.zeros(0)
        above = np.bincount(self.outer, self.kept * sums, len(self.outer_pivot)) / self.outer_pivot
        return sums / self.pivot - (1.0 - self.kept) * above[self.outer], above

    def variances(self) -> tuple[FloatArray, FloatArray]:
        """float[N] and float[M]: the diagonal of K."""
        if self.outer is None:
            return 1.0 / self.pivot, np.zeros(0)
        above = 1.0 / self.outer_pivot
        return 1.0 / self.pivot + (1.0 - self.kept) ** 2 * above[self.outer], above

    def variance_of_rows(self) -> FloatArray:
        """float[N]: 1'K 1 over the levels of one judgment, by the level of the first effect."""
        if self.outer is None:
            return 1.0 / self.pivot
        found: FloatArray = 1.0 / self.pivot + self.kept**2 / self.outer_pivot[self.outer]
        return found


def nested_in(inner: IntArray, size: int, labels: IntArray) -> IntArray | None:
    """int[size]: the level of `labels` in which each level of `inner` lies; None if one lies in several."""
    found = np.zeros(size, np.int64)
    found[inner] = labels
    return found if bool((found[inner] == labels).all()) else None


def _summed(level: IntArray, factor: FloatArray, size: int) -> Any:
    """sparse float[size, n]: adds rows up by level, each times its factor."""
    from scipy.sparse import csr_matrix

    return csr_matrix((factor, (level, np.arange(len(level)))), (size, len(level)))


def scaled_rows(matrix: Any, factor: FloatArray) -> Any:
    """A sparse matrix with each row multiplied by a number."""
    from scipy.sparse import csr_matrix

    rows = matrix.tocsr()
    data = rows.data * np.repeat(factor, np.diff(rows.indptr))
    return csr_matrix((data, rows.indices, rows.indptr), rows.shape)


def quadratic(rows: Any, matrix: FloatArray) -> FloatArray:
    """float[n]: r'M r for the rows r of a sparse matrix and a symmetric M.

    With few numbers a row, those of M that are needed are taken; else the sparse product is cheaper.
    """
    rows = rows.tocsr()
    n, q = rows.shape
    filled = np.diff(rows.indptr)
    if TAKEN * float(np.sum(filled.astype(float) ** 2)) < float(rows.nnz) * q:
        return _by_taking(rows, filled, matrix)
    out = np.zeros(n)
    step = max(1, CHUNK // max(q, 1))
    for begin in range(0, n, step):
        part = rows[begin : begin + step]
        where = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
        product = np.asarray(part @ matrix)
        out[begin : begin + step] = np.bincount(
            where, part.data * product[where, part.indices], part.shape[0]
        )
    return out


def quadratic_less(
    rows: Any, carried: Any, level: IntArray, matrix: FloatArray, factor: FloatArray | float = 1.0
) -> FloatArray:
    """float[n]: r'M r for r = x - f c, x a row of `rest` and c the row of `carried` at its level.

    = x'M x - 2 f x'M c + f^2 c'M c; what is the same for all rows of a level is computed once.
    """
    rows = rows.tocsr()
    out: FloatArray = quadratic(rows, matrix)
    row = np.repeat(np.arange(len(out)), np.diff(rows.indptr))
    at, (size, q) = level[row], carried.shape
    same, crossed, step = np.empty(size), np.zeros(len(out)), max(1, CHUNK // max(q, 1))
    for begin in range(0, size, step):
        part = carried[begin : begin + step]
        product = np.asarray(part @ matrix)
        where = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
        own = part.data * product[where, part.indices]
        same[begin : begin + step] = np.bincount(where, own, part.shape[0])
        here = np.flatnonzero((at >= begin) & (at < begin + step))
        taken: Any = rows.data[here] * product[at[here] - begin, rows.indices[here]]
        crossed += np.bincount(row[here], taken, len(out))
    f: FloatArray = np.broadcast_to(np.asarray(factor, np.float64), out.shape)
    out -= f * (2.0 * crossed - f * same[level])
    return out


def trace_of(rows: Any, matrix: FloatArray) -> float:
    """sum r'M r over the rows of a sparse matrix, which is cheaper than each."""
    squares = (rows.T @ rows).tocoo()
    return float(squares.data @ matrix[squares.row, squares.col])


def _by_taking(rows: Any, filled: IntArray, matrix: FloatArray) -> FloatArray:
    out: FloatArray = np.zeros(rows.shape[0])
    for count in np.unique(filled[filled > 0]).tolist():
        alike = np.flatnonzero(filled == count)
        step = max(1, CHUNK // count**2)
        for begin in range(0, len(alike), step):
            some = alike[begin : begin + step]
            at = rows.indptr[some][:, None] + np.arange(count)
            column, value = rows.indices[at], rows.data[at]
            taken = matrix[column[:, :, None], column[:, None, :]]
            out[some] = np.einsum("ni,nij,nj->n", value, taken, value)
    return out
