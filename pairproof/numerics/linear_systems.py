"""Positive definite systems, and the weighted Laplacian of a large comparison graph.

Cholesky, and conjugate gradients with a diagonal preconditioner (Hestenes and Stiefel 1952): the information
of a well-connected comparison graph is a diagonal minus a little, and a dozen products with it solve what a
Cholesky factor would need n**3 / 3 operations for.

The information about abilities is L = sum over pairs of w (e_i - e_j)(e_i - e_j)'.  One node of each
connected set, its *ground*, has ability 0; a right side is made to sum to 0 in each set by the entry at its
ground, so that L itself is multiplied with and never a grounded copy, whose small eigenvalue would cost
products.

1. Conjugate gradients, many right sides at a time: a well-connected graph of 100,000 items takes a dozen
   products with a sparse matrix.
2. Chains, trees and ladders, where that is slow, have factors with few entries (SuperLU).  A grounded
   Laplacian is an M-matrix: eliminated without pivoting, no pivot loses digits.

Variances need no solution: with b = e_i - e_ground the sums alpha_k rho_k of conjugate gradients grow to
b'L^+b, and what is missing is the *square* of the error in x_k (Golub and Meurant 1994, Matrices, moments and
quadrature), at most rho_k / lambda with lambda the smallest eigenvalue but 0 of D^-1/2 L D^-1/2: half the
products that a solution takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..errors import TooLargeError
from .arrays import FloatArray, IntArray
from .compiled import lapack

#: Products with a dense matrix after which a factor of it is quicker.
_MOST_DENSE_PRODUCTS = 80


def by_conjugate_gradients(matrix: FloatArray, right: FloatArray, accuracy: float) -> FloatArray | None:
    """x with H x = right, or None if so many products were not enough.
    matrix float[n, n]: H, symmetric, with a positive diagonal.  `right` float[n]."""
    inverse = 1.0 / matrix.diagonal()
    x = np.zeros_like(right)
    residual = right.copy()
    scaled = residual * inverse
    direction, part = scaled.copy(), np.empty_like(right)
    rho = float(residual.dot(scaled))
    goal = rho * accuracy * accuracy
    for _ in range(_MOST_DENSE_PRODUCTS):
        if rho <= goal:
            return x
        along = matrix.dot(direction)
        curvature = float(direction.dot(along))
        if curvature <= 0:
            return None
        length = rho / curvature
        np.multiply(direction, length, out=part)
        x += part
        along *= length
        residual -= along
        np.multiply(residual, inverse, out=scaled)
        rho, before = float(residual.dot(scaled)), rho
        direction *= rho / before
        direction += scaled
    return None


class Matrix(Protocol):
    """A symmetric matrix, dense or sparse."""

    shape: tuple[int, ...]

    def dot(self, other: Any) -> Any:
        ...

    def diagonal(self) -> Any:
        ...


def lower_factor(matrix: FloatArray) -> FloatArray:
    """Lower Cholesky factor of a symmetric matrix."""
    # The transpose of the matrix is laid out as LAPACK wants it.
    factor, info = lapack().dpotrf(matrix.T, lower=1)
    if info:
        raise np.linalg.LinAlgError("not positive definite")
    return np.asarray(factor)


def inverse_of_factor(factor: FloatArray) -> FloatArray:
    """The inverse of a matrix by its lower Cholesky factor, whose upper triangle is 0."""
    if not len(factor):  # LAPACK takes a matrix without entries for a mistake, and prints so
        return np.zeros((0, 0))
    half, _ = lapack().dpotri(factor, lower=1)
    full: FloatArray = half + half.T
    at = np.arange(len(half))
    full[at, at] = half[at, at]
    return full


#: Rows between which a factor is inverted in halves: 100 rows take LAPACK 48 microseconds, and so 28.
_HALVED = 64, 512


def variances_of_factor(factor: FloatArray) -> FloatArray:
    """float[n]: the diagonal of the inverse of a matrix, by its lower Cholesky factor.
    Sums of squares of columns of the factor's inverse, [A, 0; -B C A, B] for a factor [A^-1, 0; C, B^-1]."""
    n = len(factor)
    k = n // 2 if _HALVED[0] <= n < _HALVED[1] else n
    first, _ = lapack().dtrtri(factor[:k, :k], lower=1)
    own: FloatArray = np.einsum("ij,ij->j", first, first)
    if k == n:
        return own
    second, _ = lapack().dtrtri(factor[k:, k:], lower=1)
    both = second @ (factor[k:, :k] @ first)
    return np.concatenate([own + np.einsum("ij,ij->j", both, both), np.einsum("ij,ij->j", second, second)])


class Step(NamedTuple):
    """A step of conjugate gradients: its length, rho = residual' D^-1 residual before it, and its direction.
    The direction, float[n, m], is overwritten by the next step; length and rho are float[m]."""

    length: FloatArray
    rho: FloatArray
    direction: FloatArray


def conjugate_gradients(
    matrix: Matrix, inverse: FloatArray, right: FloatArray, going: Callable[[FloatArray], Any], most: int
) -> Iterator[Step]:
    """Preconditioned conjugate gradients for several right sides, a product with the matrix at a time.
    matrix float[n, n]: symmetric, dense or sparse.  inverse float[n, 1]: D^-1, the inverse of its diagonal.
    `right` float[n, m].  going function of rho, float[m]: which right sides are not solved yet, bool[m]."""
    residual = right
    scaled = residual * inverse
    direction, rho = scaled.copy(), dots(residual, scaled)
    for _ in range(most):
        live = going(rho)
        if not live.any():
            return
        along = matrix.dot(direction)
        curvature = dots(direction, along)
        if (curvature[live] <= 0).any():
            raise np.linalg.LinAlgError("not positive definite")
        length = np.divide(rho, curvature, out=np.zeros_like(rho), where=live)
        yield Step(length, rho, direction)
        along *= length
        residual = residual - along
        np.multiply(residual, inverse, out=scaled)
        after = dots(residual, scaled)
        direction *= np.divide(after, rho, out=np.zeros_like(rho), where=live)
        direction += scaled
        rho = np.where(live, after, rho)
    raise np.linalg.LinAlgError(f"conjugate gradients did not get there in {most} products")


def dots(a: FloatArray, b: FloatArray) -> FloatArray:
    """Product of each column of a with that of b, float[m]."""
    return np.asarray(np.einsum("ij,ij->j", a, b))


#: Right sides at a time: a row of them fills two cache lines, unless whole vectors then no longer fit into
#: the cache.
_AT_ONCE, _LEAST_AT_ONCE, _IN_CACHE = 16, 4, 200_000
#: Products after which conjugate gradients give up; each costs as much as reading the matrix once.
_MOST_PRODUCTS = 2000
#: Products after which a graph whose factor stays sparse is factored instead: a well-connected one takes 20
#: to 60; one that takes hundreds (a ladder) has a condition number that costs a solution by conjugate
#: gradients its last digits.
_SLOW_PRODUCTS = 150
#: Entries a row up to which a graph is so thin (trees, chains) that its factor is taken at once, and the
#: entries a row beyond which, or rows beyond which, a factor might fill up.
_THIN, _MAY_FACTOR, _MAY_FACTOR_ROWS = 4, 13, 20_000
#: Multiplications for all variances at most: about a minute (10,000 items with 20 partners each take 3e10, 22
#: s).
MOST_WORK = 1e11
#: Of that, the share that a factor's solutions may take: an entry of it takes five times as long.
_SOLVING_IS_SLOWER = 0.2
#: A dense factor of this many nodes takes a minute with the reference BLAS (3 s with OpenBLAS) and 200 MB.
MOST_DENSE = 5000
#: An entry of a sparse factor, twice and once more to refine, takes as long in a column of the inverse as so
#: many entries of a dense one; columns at a time.
_SOLVED_COLUMNS, _COLUMNS = 40, 64
#: Relative error of a variance.
_VARIANCE_ERROR = 1e-15


def sparse_laplacian(i: IntArray, j: IntArray, weight: FloatArray, n: int) -> Matrix:
    """L of a graph of n nodes with edges i-j."""
    from scipy.sparse import coo_matrix, diags

    one_way = coo_matrix((weight, (i, j)), shape=(n, n)).tocsr()
    both = one_way + one_way.T
    degree = np.bincount(i, weight, n) + np.bincount(j, weight, n)
    laplacian: Matrix = (diags(degree) - both).tocsr()
    return laplacian


@dataclass(frozen=True, eq=False)
class Graph:
    """The Laplacian of a comparison graph, with a ground in each connected set.
    matrix sparse or float[n, n]: L; rows sum to 0.  ground int[n]: the ground of each node's set."""

    matrix: Any
    ground: IntArray

    @property
    def n(self) -> int:
        return len(self.ground)

    @property
    def _at_once(self) -> int:
        return max(_LEAST_AT_ONCE, min(_AT_ONCE, _IN_CACHE // self.n))

    @property
    def _sparse(self) -> bool:
        return not isinstance(self.matrix, np.ndarray)

    @property
    def _entries(self) -> int:
        return int(self.matrix.nnz) if self._sparse else self.n * self.n

    @cached_property
    def _inverse_diagonal(self) -> FloatArray:
        d = np.asarray(self.matrix.diagonal(), float)
        # A node that met nobody has no equation.
        inverse: FloatArray = np.divide(1.0, d, out=np.zeros_like(d), where=d > 0)
        return inverse[:, None]

    @cached_property
    def _sets(self) -> tuple[IntArray, Any]:
        """The grounds, and the matrix that sums over each set."""
        from scipy.sparse import csr_matrix

        grounds, of = np.unique(self.ground, return_inverse=True)
        return grounds, csr_matrix(
            (np.ones(self.n), (np.ravel(of), np.arange(self.n))), shape=(len(grounds), self.n)
        )

    def _balanced(self, right: FloatArray) -> FloatArray:
        grounds, total = self._sets
        out = np.array(right, order="C")
        out[grounds] = 0.0
        out[grounds] = -np.asarray(total @ out)
        return out

    def solve(self, right: FloatArray, accuracy: float = 1e-14) -> FloatArray:
        """x with L x = right, 0 at the grounds; what `right` says there does not matter.
        `right` float[n, m].  accuracy: of the preconditioned residual, relative to its start."""
        if self._thin:
            return self._by_factor(right)
        out = np.empty(right.shape)
        step = self._at_once
        most = _SLOW_PRODUCTS if self._may_factor and self._factor_stays_sparse else _MOST_PRODUCTS
        for k in range(0, right.shape[1], step):
            part = slice(k, k + step)
            try:
                x = self._by_conjugate_gradients(self._balanced(right[:, part]), accuracy, most)
            except np.linalg.LinAlgError:
                if not self._may_factor:
                    raise
                return self._by_factor(right)
            out[:, part] = x - x[self.ground]
        return out

    # -- conjugate gradients

    def _steps(self, right: FloatArray, going: Callable[[FloatArray], Any], most: int) -> Iterator[Step]:
        return conjugate_gradients(self.matrix, self._inverse_diagonal, right, going, most)

    def _by_conjugate_gradients(self, right: FloatArray, accuracy: float, most: int) -> FloatArray:
        """The solution; LinAlgError as :func:`conjugate_gradients`."""
        x = np.zeros(right.shape)
        goal = dots(right, right * self._inverse_diagonal) * accuracy * accuracy
        for step in self._steps(right, lambda rho: rho > goal, most):
            x += step.length * step.direction
        return x

    @cached_property
    def _gap(self) -> tuple[float, int] | None:
        """lambda, from below by a factor of 2, and the products a variance takes; None if there are more than
        300.
        The eigenvalues of the tridiagonal matrix of conjugate gradients (Lanczos) from a random right
        side."""
        from scipy.linalg import eigh_tridiagonal

        right = self._balanced(np.random.default_rng(1).standard_normal((self.n, 1)))
        goal = dots(right, right * self._inverse_diagonal) * 1e-18
        try:
            steps = [(s.length[0], s.rho[0]) for s in self._steps(right, lambda rho: rho > goal, 300)]
        except np.linalg.LinAlgError:
            return None
        if not steps:
            return 1.0, 1
        a, rho = np.array(steps).T
        b = rho[1:] / rho[:-1]
        diagonal = 1.0 / a + np.concatenate([[0.0], b / a[:-1]])
        low = float(
            eigh_tridiagonal(diagonal, np.sqrt(b) / a[:-1], eigvals_only=True)[0] if len(b) else diagonal[0]
        )
        return (0.5 * low, len(a)) if low > 0 else None

    def _quadratic(self, nodes: IntArray, gap: float) -> FloatArray:
        """b'L^+b with b = e_i - e_ground, for these nodes."""
        at = np.arange(len(nodes))
        right = np.zeros((self.n, len(nodes)))
        right[nodes, at] = 1.0
        right[self.ground[nodes], at] -= 1.0
        total = np.zeros(len(nodes))
        for step in self._steps(right, lambda rho: rho > _VARIANCE_ERROR * gap * total, _MOST_PRODUCTS):
            total += step.length * step.rho
        return total

    # -- factors

    @property
    def _thin(self) -> bool:
        return self._sparse and self._entries <= _THIN * self.n

    @property
    def _may_factor(self) -> bool:
        if self.n <= MOST_DENSE:
            return True
        return self._sparse and self._entries <= _MAY_FACTOR * self.n and self.n <= _MAY_FACTOR_ROWS

    @cached_property
    def _free(self) -> IntArray:
        free = np.ones(self.n, bool)
        free[self.ground] = False
        return np.flatnonzero(free)

    @cached_property
    def _factor(self) -> Any:
        """SuperLU's factor of L without the grounds."""
        from scipy.sparse.linalg import splu

        inner = self.matrix[self._free][:, self._free].tocsc()
        try:
            return splu(
                inner, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
        except RuntimeError as singular:
            raise np.linalg.LinAlgError(str(singular)) from None

    @cached_property
    def _dense_factor(self) -> FloatArray:
        """Lower Cholesky factor of L without the grounds."""
        inner = self.matrix[self._free][:, self._free]
        return lower_factor(np.asarray(inner.todense() if self._sparse else inner))

    @cached_property
    def _edges(self) -> tuple[Any, FloatArray]:
        """Differences e_i - e_j along the edges, sparse[edges, n], and their weights: L = along' diag(weight)
        along."""
        from scipy.sparse import csr_matrix, triu

        upper = triu(self.matrix, k=1).tocoo()
        m, at = len(upper.data), np.arange(len(upper.data))
        along = csr_matrix(
            (np.repeat([1.0, -1.0], m), (np.concatenate([at, at]), np.concatenate([upper.row, upper.col]))),
            shape=(m, self.n),
        )
        return along, -upper.data

    @property
    def _factor_stays_sparse(self) -> bool:
        return self._sparse and self._entries <= _MAY_FACTOR * self.n

    def _by_factor(self, right: FloatArray) -> FloatArray:
        out = np.zeros(right.shape)
        if not len(self._free):
            return out
        if self._factor_stays_sparse:
            out[self._free] = self._factor.solve(right[self._free])
            # Once more for what is left: long chains lose a digit for each factor of 10 in the eigenvalues,
            # and the sums on the diagonal, rounded once, lose as many; differences along the edges have
            # neither.
            along, weight = self._edges
            left = right - along.T @ (weight[:, None] * (along @ out))
            out[self._free] += self._factor.solve(np.ascontiguousarray(left[self._free]))
        else:
            out[self._free] = lapack().dpotrs(self._dense_factor, right[self._free], lower=1)[0]
        return out

    # -- diagonal of the inverse

    def variances(self) -> FloatArray:
        """float[n]: diagonal of the inverse, 0 at the grounds."""
        n = len(self._free)
        if n == 0:
            return np.zeros(self.n)
        if self._sparse and self._entries - np.count_nonzero(self.matrix.diagonal()) == 2 * n:
            return self._along_trees()
        if not self._thin:
            gap = self._gap
            work = np.inf if gap is None else float(n) * self._entries * gap[1]
            if gap is not None and work <= (0.5 * float(n) ** 3 if n <= MOST_DENSE else MOST_WORK):
                return self._in_parts(lambda nodes: self._quadratic(nodes, gap[0]))
            if n <= MOST_DENSE and not self._factor_stays_sparse:
                out = np.zeros(self.n)
                out[self._free] = variances_of_factor(self._dense_factor)
                return out
            if not self._may_factor:
                raise _too_large(n, work)
        work = float(n) * (self._factor.L.nnz + self._factor.U.nnz)
        if work > MOST_WORK * _SOLVING_IS_SLOWER:
            raise _too_large(n, work)
        return self._in_parts(self._solved_diagonal)

    def _along_trees(self) -> FloatArray:
        """Without cycles, a variance is the sum of 1/w on the way to the ground."""
        from scipy.sparse import bmat, csr_matrix
        from scipy.sparse.csgraph import breadth_first_order

        is_ground = np.zeros((1, self.n))
        is_ground[0, self.ground] = 1.0
        row = csr_matrix(is_ground)
        order, before = breadth_first_order(
            bmat([[self.matrix, row.T], [row, None]]).tocsr(), self.n, directed=False
        )
        nodes = order[before[order] >= 0]
        nodes = nodes[before[nodes] < self.n]  # not the grounds, which hang on a root of all trees
        step = -1.0 / np.asarray(self.matrix[nodes, before[nodes]]).ravel()
        out = np.zeros(self.n)
        for node, behind, more in zip(nodes.tolist(), before[nodes].tolist(), step.tolist()):
            out[node] = out[behind] + more
        return out

    def _in_parts(self, some: Any) -> FloatArray:
        out = np.zeros(self.n)
        step = self._at_once
        for k in range(0, len(self._free), step):
            nodes = self._free[k : k + step]
            out[nodes] = some(nodes)
        return out

    def _solved_diagonal(self, nodes: IntArray) -> FloatArray:
        at, right = np.arange(len(nodes)), np.zeros((self.n, len(nodes)))
        right[nodes, at] = 1.0
        return np.asarray(self._by_factor(right)[nodes, at])

    @cached_property
    def inverse(self) -> FloatArray:
        """float[n, n]: 0 in the rows and columns of the grounds."""
        out = np.zeros((self.n, self.n))
        if self._factor_stays_sparse and _SOLVED_COLUMNS * self._factor.L.nnz < self.n**2:
            # differences in a ring add up over thousands of edges: refined they keep three digits more
            for start in range(0, len(self._free), _COLUMNS):
                at = self._free[start : start + _COLUMNS]
                right = np.zeros((self.n, len(at)))
                right[at, np.arange(len(at))] = 1.0
                out[:, at] = self._by_factor(right)
            return np.asarray(0.5 * (out + out.T))
        out[np.ix_(self._free, self._free)] = inverse_of_factor(self._dense_factor)
        return out


def _too_large(n: int, work: float) -> TooLargeError:
    much = f"{work:.0e} multiplications" if np.isfinite(work) else f"a dense matrix of {8e-9 * n * n:.0f} GB"
    return TooLargeError(
        f"standard errors of all {n:,} items would take {much} (limit {MOST_WORK:.0e}, or"
        f" {MOST_DENSE:,} items); the estimates are there (fit.params), fit.contrast(a, b) has any one"
        " difference with its standard error, fit.summary(rows=...) those it shows"
    )
