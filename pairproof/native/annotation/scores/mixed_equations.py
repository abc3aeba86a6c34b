"""Henderson's mixed model equations at given variances, with the largest random effect eliminated exactly.

    y = X b + sum_k Z_k u_k + e,   u_k ~ N(0, t_k I),   e_i ~ N(0, s_g(i)),   V = sum_k t_k Z_k Z_k' + R

With T = [Z X], W = R^-1 and C = T'WT + blockdiag(I / t_k, 0) (Henderson 1975, Biometrics 31, 423-447)

    (u, b) = C^-1 T'Wy,   log|V| + log|X'V^-1 X| = log|R| + sum_k q_k log t_k + log|C|,
    y'Py = e'We + sum_k u_k'u_k / t_k,   P = W - W T C^-1 T'W,   e = y - T (u, b)

Every judgment has one item, so the items' block of C is diagonal; where items lie within sources, so is the
sources' block after that. Both are eliminated, and what is inverted has one row for each annotator, HIT and
fixed effect only. The derivatives need of C^-1 only traces of its blocks and the leverages t_i'C^-1 t_i, both
from the small inverse.

With w_j the sum of the weights of item j, t and s the variances of items and sources and

    p_j = w_j + 1 / t,  k_j = 1 / (1 + t w_j),  r_j = w_j / p_j = 1 - k_j,  P_s = 1 / s + sum_{j in s} w_j k_j

the inverse K of the two blocks, applied to sums a_j over the judgments of an item (and over those of a
source), is

    (K a)_s = sum_{j in s} k_j a_j / P_s,   (K a)_j = a_j / p_j - r_j (K a)_s,   a'K a = |L a|^2,
    L a = (a_j / sqrt(p_j), sum_{j in s} k_j a_j / sqrt(P_s)),   log|K^-1| = sum log p_j + sum log P_s

so that four thousand sources of five systems cost no more than twenty thousand items do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ....errors import TooLargeError
from ..beta import FloatArray, IntArray

#: Numbers held at a time while quadratic forms are added up.
CHUNK = 4_000_000
#: What taking one number from a matrix costs beside one multiplication of a sparse product.
TAKEN = 10


@dataclass(frozen=True, eq=False)
class Elimination:
    """The inverse of the block of one random effect, or of two where the first lies within the second.
    pivot, kept float[N]: p and k of each level.  outer int[N]: level of the effect in which each level lies.
    outer_pivot float[M]: P of its levels; empty without one."""

    pivot: FloatArray
    kept: FloatArray
    outer: IntArray | None
    outer_pivot: FloatArray

    @staticmethod
    def of(weight: FloatArray, tau: float, outer: IntArray | None, outer_tau: float) -> "Elimination":
        """The inverse at given variances.
        weight float[N]: sum of the weights of each level's judgments.  outer int[N]."""
        kept = 1.0 / (1.0 + tau * weight)
        above = np.zeros(0)
        if outer is not None:
            above = np.asarray(np.bincount(outer, weight * kept) + 1.0 / outer_tau, float)
        return Elimination(weight + 1.0 / tau, kept, outer, above)

    @property
    def log_determinant(self) -> float:
        """Of the two blocks."""
        return float(np.log(self.pivot).sum() + np.log(self.outer_pivot).sum())

    def root(self, sums: Any) -> Any:
        """L a of a sparse matrix a: the levels of the one effect, then of the other."""
        from scipy.sparse import vstack

        parts = self._scaled(sums, np.sqrt)
        return parts[0] if self.outer is None else vstack(parts, "csr")

    def solved(self, sums: Any) -> tuple[Any, Any]:
        """Of K a for a sparse matrix a: a_j / p_j, and (K a)_s, which is None where there is no such effect.
        (K a)_j is the first less r_j times the second."""
        return self._scaled(sums, np.asarray)

    def _scaled(self, sums: Any, of: Callable[[FloatArray], FloatArray]) -> tuple[Any, Any]:
        """The rows of a, and its sums by the levels of the other effect, over a function of the pivots."""
        own = scaled_rows(sums, 1.0 / of(self.pivot))
        if self.outer is None:
            return own, None
        above = _summed(self.outer, self.kept, len(self.outer_pivot)) @ sums
        return own, scaled_rows(above, 1.0 / of(self.outer_pivot))

    def trace(self, sums: Any, matrix: FloatArray, inner: bool) -> float:
        """tr(M Z'Z) for the rows Z of K a that belong to the one effect or the other."""
        own, above = self.solved(sums)
        if self.outer is None or not inner:
            return trace_of(own if self.outer is None else above, matrix)
        # Z_j = a_j / p_j - r_j z_s: the sum of its squares over j in s, without a row for each j.
        share, m = 1.0 - self.kept, len(self.outer_pivot)
        among = np.sqrt(np.bincount(self.outer, share**2, m))
        twice = 2.0 * _paired(_summed(self.outer, share, m) @ own, above, matrix)
        return trace_of(own, matrix) - twice + trace_of(scaled_rows(above, among), matrix)

    def quadratic(self, sums: Any, matrix: FloatArray, inner: bool) -> FloatArray:
        """z'M z for the same rows."""
        own, above = self.solved(sums)
        if self.outer is None or not inner:
            return quadratic(own if self.outer is None else above, matrix)
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
        return np.asarray(1.0 / self.pivot + self.kept**2 / self.outer_pivot[self.outer])


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
    With few numbers a row, those of M that are needed are taken; else the sparse product is cheaper."""
    rows = rows.tocsr()
    n, q = rows.shape
    filled = np.diff(rows.indptr)
    if TAKEN * float(np.sum(filled.astype(float) ** 2)) < float(rows.nnz) * q:
        return _by_taking(rows, filled, matrix)
    return np.concatenate([own for _, own, _ in _by_parts(rows, matrix)] or [np.zeros(0)])


def _by_parts(rows: Any, matrix: FloatArray) -> Iterator[tuple[int, FloatArray, FloatArray]]:
    """Part by part of the rows r of a sparse matrix: the first row, r'M r and M r of each."""
    n, q = rows.shape
    step = max(1, CHUNK // max(q, 1))
    for begin in range(0, n, step):
        part = rows[begin : begin + step]
        where = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
        product = np.asarray(part @ matrix)
        own: Any = np.bincount(where, part.data * product[where, part.indices], part.shape[0])
        yield begin, own, product


def quadratic_less(
    rows: Any, carried: Any, level: IntArray, matrix: FloatArray, factor: FloatArray | float = 1.0
) -> FloatArray:
    """float[n]: r'M r for r = x - f c, x a row of `rest` and c the row of `carried` at its level.
    = x'M x - 2 f x'M c + f^2 c'M c; what is the same for all rows of a level is computed once."""
    rows = rows.tocsr()
    out: FloatArray = quadratic(rows, matrix)
    row = np.repeat(np.arange(len(out)), np.diff(rows.indptr))
    at, same, crossed = level[row], np.empty(carried.shape[0]), np.zeros(len(out))
    for begin, own, product in _by_parts(carried, matrix):
        same[begin : begin + len(own)] = own
        here = np.flatnonzero((at >= begin) & (at < begin + len(own)))
        taken: Any = rows.data[here] * product[at[here] - begin, rows.indices[here]]
        crossed += np.bincount(row[here], taken, len(out))
    f: FloatArray = np.broadcast_to(np.asarray(factor, np.float64), out.shape)
    out -= f * (2.0 * crossed - f * same[level])
    return out


def trace_of(rows: Any, matrix: FloatArray) -> float:
    """sum r'M r over the rows of a sparse matrix, which is cheaper than each."""
    return _paired(rows, rows, matrix)


def _paired(rows: Any, others: Any, matrix: FloatArray) -> float:
    """sum r'M c over the rows r, c of two sparse matrices."""
    squares = (rows.T @ others).tocoo()
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


#: Restricted or full maximum likelihood.
Likelihood = Literal["REML", "ML"]
#: Rows of the matrix that is inverted: 6,000 take 0.3 GB and half a minute a step.
LARGEST = 6000


@dataclass(frozen=True, eq=False)
class Layout:
    """The data of a mixed model, arranged for solving at many values of the variances.
    y float[n].  fixed float[n, p]: X, of full column rank.  labels: level of each random effect, from 0.
    sizes: levels of each random effect.  group int[n]: residual variance of each row, from 0.  big: which
    random effect is eliminated; -1 without any.  outer: which random effect is eliminated with it, because
    the first lies within it; -1 for none.  outer_of int[N]: its level for each level of the first.  `rest`
    sparse float[n, q]: columns of the other random effects, then of X. across sparse float[q, n]: the same,
    transposed.  slot int[entries of rest]: place of each entry of `rest` in the table of levels of `big` by
    columns of `rest`.  slots: level and column of each place."""

    y: FloatArray
    fixed: FloatArray
    labels: tuple[IntArray, ...]
    sizes: tuple[int, ...]
    group: IntArray
    n_groups: int
    big: int
    outer: int
    outer_of: IntArray | None
    rest: Any
    across: Any
    slot: IntArray
    slots: tuple[IntArray, IntArray]

    @property
    def small(self) -> list[int]:
        """Random effects that are not eliminated, in the order of their columns."""
        return [k for k in range(len(self.sizes)) if k not in (self.big, self.outer)]

    def columns(self, k: int) -> slice:
        """Where the k-th random effect stands in `rest`."""
        before = sum(self.sizes[j] for j in self.small if j < k)
        return slice(before, before + self.sizes[k])

    def by_level(self, weight: FloatArray) -> Any:
        """sparse float[N, q]: weighted sums of the rows of `rest` by level of the eliminated effect."""
        from scipy.sparse import csr_matrix

        entries = self.rest.data * np.repeat(weight, np.diff(self.rest.indptr))
        data = np.bincount(self.slot, entries, len(self.slots[0]))
        return csr_matrix((data, self.slots), (self.sizes[self.big], self.rest.shape[1]))


def layout(
    y: FloatArray, fixed: FloatArray, labels: Sequence[IntArray], sizes: Sequence[int], group: IntArray
) -> Layout:
    """Arrange the data; attributes are those of :class:`Layout`."""
    from scipy.sparse import csr_matrix, hstack

    big = int(np.argmax(sizes)) if sizes else -1
    outer, outer_of = _outer(labels, sizes, big)
    n = len(y)
    small = [k for k in range(len(sizes)) if k not in (big, outer)]
    q = sum(sizes[k] for k in small) + fixed.shape[1]
    if q > LARGEST:
        raise TooLargeError(
            f"mixed model: {q} annotators, HITs and fixed effects beside {sizes[big]} levels of the largest"
            f" random effect; at most {LARGEST} can be solved together: leave out the effect of the HIT"
        )
    columns = [csr_matrix((np.ones(n), (np.arange(n), labels[k])), (n, sizes[k])) for k in small]
    rest = hstack([*columns, csr_matrix(fixed)], format="csr")
    place: IntArray = np.zeros(0, np.int64)
    if sizes:
        place = np.repeat(labels[big], np.diff(rest.indptr)) * q + rest.indices
    distinct, slot = np.unique(place, return_inverse=True)
    return Layout(
        y, fixed, tuple(labels), tuple(sizes), group, int(group.max()) + 1, big, outer, outer_of, rest, rest.T.tocsr(),
        slot.ravel(), (distinct // q, distinct % q),
    )  # fmt: skip


def _outer(labels: Sequence[IntArray], sizes: Sequence[int], big: int) -> tuple[int, IntArray | None]:
    """The largest random effect within whose levels those of the largest of all lie; -1 and None if none."""
    others = sorted((k for k in range(len(sizes)) if k != big), key=lambda k: -sizes[k])
    nested = ((k, nested_in(labels[big], sizes[big], labels[k])) for k in others)
    return next(((k, found) for k, found in nested if found is not None), (-1, None))


@dataclass(frozen=True, eq=False)
class Solved:
    """The equations solved at given variances.
    tau float[k]: variances of the random effects, > 0.  sigma float[n_groups]: residual variances, > 0.
    effects float[q]: of the columns of `rest`: random effects, then fixed.  residual float[n].  elimination:
    the inverse K of C's eliminated block.  by_level sparse float[N, q]: C's off-diagonal block, of the levels
    of the larger effect.  inverse float[q, q]: of C after elimination.  spread float[q, q]: the inverse from
    which traces are taken: `inverse` for REML; for ML that of the random effects' part, 0 elsewhere."""

    at: Layout
    tau: FloatArray
    sigma: FloatArray
    effects: FloatArray
    eliminated: tuple[FloatArray, FloatArray]
    residual: FloatArray
    likelihood: Likelihood
    loglik: float
    elimination: Elimination | None
    by_level: Any
    inverse: FloatArray
    spread: FloatArray

    def random(self, k: int) -> FloatArray:
        """float[q_k]: the k-th random effect's best linear unbiased predictions."""
        if k in (self.at.big, self.at.outer):
            return self.eliminated[int(k != self.at.big)]
        return self.effects[self.at.columns(k)]

    def carried(self, k: int, matrix: FloatArray) -> FloatArray:
        """float[q_k]: K times C's off-diagonal block times an array, for an eliminated random effect."""
        assert self.elimination is not None
        return self.elimination.solved_vector(self.by_level @ matrix)[int(k != self.at.big)]

    @property
    def n_random(self) -> int:
        """Columns of `rest` that are random effects."""
        return int(self.at.rest.shape[1] - self.at.fixed.shape[1])

    def block_variances(self, k: int, spread: FloatArray) -> FloatArray:
        """float[q_k]: diagonal of C^-1 for the k-th random effect."""
        if self.elimination is None or k not in (self.at.big, self.at.outer):
            return np.asarray(np.diag(spread)[self.at.columns(k)])
        own = self.elimination.variances()[int(k != self.at.big)]
        return own + self.elimination.quadratic(self.by_level, spread, k == self.at.big)

    def trace(self, k: int) -> float:
        """Trace of C^-1 for the k-th random effect."""
        if self.elimination is None or k not in (self.at.big, self.at.outer):
            return float(self.block_variances(k, self.spread).sum())
        own = float(self.elimination.variances()[int(k != self.at.big)].sum())
        return own + self.elimination.trace(self.by_level, self.spread, k == self.at.big)

    def leverages(self, weight: FloatArray) -> FloatArray:
        """float[n_groups]: sum over a group's rows of weight times t_i'C^-1 t_i, = 1'K 1 + r_i'S^-1 r_i.
        r_i is a row of `rest` less what its level carries."""
        at = self.at
        if self.elimination is None:
            found = quadratic(at.rest, self.spread)
        else:
            carried, above = self.elimination.solved(self.by_level)
            if above is not None:
                carried = (carried + scaled_rows(above[at.outer_of], self.elimination.kept)).tocsr()
            level = at.labels[at.big]
            found = self.elimination.variance_of_rows()[level]
            found = found + quadratic_less(at.rest, carried, level, self.spread)
        return np.asarray(np.bincount(at.group, weight * found, at.n_groups).astype(np.float64))


def solve(at: Layout, tau: FloatArray, sigma: FloatArray, likelihood: Likelihood) -> Solved:
    """Solve the mixed model equations."""
    from scipy.linalg import cho_factor, cho_solve, solve_triangular
    from scipy.linalg.lapack import dpotri
    from scipy.sparse import csr_matrix

    weight = (1.0 / sigma)[at.group]
    n, p = at.fixed.shape
    q = at.rest.shape[1]
    matrix = np.asarray((at.across @ scaled_rows(at.rest, weight)).todense(), np.float64)
    right = np.asarray(at.across @ (weight * at.y)).ravel()
    ridge = np.repeat([1.0 / tau[k] for k in at.small] + [0.0], [at.sizes[k] for k in at.small] + [p])
    matrix[np.diag_indices(q)] += ridge
    elimination: Elimination | None = None
    by_level: Any = None
    sums: FloatArray = np.zeros(0)
    if at.big >= 0:
        level, size = at.labels[at.big], at.sizes[at.big]
        weights = np.bincount(level, weight, size).astype(np.float64)
        elimination = Elimination.of(weights, float(tau[at.big]), at.outer_of, float(tau[at.outer]))
        by_level = at.by_level(weight)
        sums = np.bincount(level, weight * at.y, size).astype(np.float64)
        root: Any = elimination.root(by_level)
        matrix -= np.asarray((root.T @ root).todense())
        right -= root.T @ np.asarray(elimination.root(csr_matrix(sums[:, None])).todense()).ravel()
    factor, _ = cho_factor(matrix, lower=True)
    factor = np.tril(factor)
    effects: FloatArray = cho_solve((factor, True), right)
    half, _ = dpotri(factor, lower=1)
    inverse: FloatArray = np.tril(half) + np.tril(half, -1).T
    fitted = np.asarray(at.rest @ effects).ravel()
    eliminated = (np.zeros(0), np.zeros(0))
    if elimination is not None:
        eliminated = elimination.solved_vector(sums - by_level @ effects)
        fitted = fitted + eliminated[0][level]
        if at.outer_of is not None:
            fitted = fitted + eliminated[1][at.outer_of[level]]
    residual = at.y - fitted
    spread = inverse
    diagonal = np.diag(factor)
    if likelihood == "ML":
        spread = np.zeros((q, q))
        if q > p:
            root = solve_triangular(factor[: q - p, : q - p], np.eye(q - p), lower=True)
            spread[: q - p, : q - p] = root.T @ root
        diagonal = diagonal[: q - p]
    squares = float(weight @ residual**2)
    log_v = float(np.bincount(at.group, minlength=at.n_groups) @ np.log(sigma))
    log_v += 2.0 * float(np.log(diagonal).sum())
    log_v += elimination.log_determinant if elimination is not None else 0.0
    for k, size in enumerate(at.sizes):
        u = eliminated[int(k != at.big)] if k in (at.big, at.outer) else effects[at.columns(k)]
        squares += float(u @ u) / float(tau[k])
        log_v += size * math.log(tau[k])
    free = n - p if likelihood == "REML" else n
    loglik = -0.5 * (free * math.log(2.0 * math.pi) + log_v + squares)
    found = (effects, eliminated, residual, likelihood, loglik)
    return Solved(at, tau, sigma, *found, elimination, by_level, inverse, spread)


def derivatives(solved: Solved) -> tuple[FloatArray, FloatArray]:
    """Gradient and average information in the logs of the variances, random effects first.

        d l / d v = -1/2 [tr(P V_v) - y'P V_v P y],   AI_vw = 1/2 y'P V_v P V_w P y

    The average information (Gilmour, Thompson and Cullis 1995, Biometrics 51, 1440-1450) is the mean of the
    observed and the expected one with the costly traces cancelled.  It is positive semidefinite everywhere.
    """
    at, n = solved.at, len(solved.at.y)
    weight = (1.0 / solved.sigma)[at.group]
    scaled = weight * solved.residual
    variances = np.concatenate([solved.tau, solved.sigma])
    traces, squares = np.empty(len(variances)), np.empty(len(variances))
    working = np.empty((n, len(at.sizes)))
    for k, size in enumerate(at.sizes):
        u, v = solved.random(k), solved.tau[k]
        traces[k] = (size - solved.trace(k) / v) / v
        squares[k] = u @ u / v**2
        working[:, k] = (u / v)[at.labels[k]]
    traces[len(at.sizes) :] = _residual_traces(solved, weight, traces[: len(at.sizes)])
    squares[len(at.sizes) :] = np.bincount(at.group, scaled**2, at.n_groups)
    gradient = -0.5 * variances * (traces - squares)
    information = 0.5 * np.outer(variances, variances) * _curvature(solved, working, scaled, weight)
    return gradient, (information + information.T) / 2.0


def _residual_traces(solved: Solved, weight: FloatArray, traces: FloatArray) -> FloatArray:
    """tr(P E_g) for each residual group."""
    at = solved.at
    if at.n_groups == 1:
        # tr(P V) is the number of degrees of freedom, which leaves the last trace to be had by subtraction.
        free = len(at.y) - (at.fixed.shape[1] if solved.likelihood == "REML" else 0)
        return np.array([(free - float(solved.tau @ traces)) / float(solved.sigma[0])])
    return np.asarray(np.bincount(at.group, weight, at.n_groups) - solved.leverages(weight**2))


def _curvature(solved: Solved, working: FloatArray, scaled: FloatArray, weight: FloatArray) -> FloatArray:
    """Q'PQ = Q'WQ - (T'WQ)'C^-1(T'WQ) for the columns V_v P y of Q.
    Those of the residual groups share no row, so that Q is sparse however many groups there are."""
    from scipy.sparse import csr_matrix, hstack

    at, n = solved.at, len(scaled)
    apart = csr_matrix((scaled, (np.arange(n), at.group)), (n, at.n_groups))
    columns = hstack([csr_matrix(working), apart], format="csr")
    weighted = scaled_rows(columns, weight)
    found: FloatArray = np.asarray((columns.T @ weighted).todense(), np.float64)
    right = at.across @ weighted
    if solved.elimination is not None:
        level, size = at.labels[at.big], at.sizes[at.big]
        own = csr_matrix((np.ones(n), (level, np.arange(n))), (size, n)) @ weighted
        root = solved.elimination.root(own)
        right = right - solved.elimination.root(solved.by_level).T @ root
        found = found - np.asarray((root.T @ root).todense())
    dense = np.asarray(right.todense(), np.float64)
    return np.asarray(found - dense.T @ solved.inverse @ dense)
