"""Henderson's mixed model equations at given variances, with the largest random effect eliminated exactly.

    y = X b + sum_k Z_k u_k + e,   u_k ~ N(0, t_k I),   e_i ~ N(0, s_g(i)),   V = sum_k t_k Z_k Z_k' + R

With T = [Z X], W = R^-1 and C = T'WT + blockdiag(I / t_k, 0) (Henderson 1975, Biometrics 31, 423-447)

    (u, b) = C^-1 T'Wy,   log|V| + log|X'V^-1 X| = log|R| + sum_k q_k log t_k + log|C|,
    y'Py = e'We + sum_k u_k'u_k / t_k,   P = W - W T C^-1 T'W,   e = y - T (u, b)

Every judgment has one item, so the items' block of C is diagonal: it is eliminated, and what is inverted has
one row for each annotator, HIT and fixed effect only. A hundred thousand items with eight annotators need an
8 x 8 matrix. The derivatives of the log-likelihood need of C^-1 only traces of its blocks and the leverages
t_i'C^-1 t_i; both come from the small inverse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....errors import TooLargeError
from ..beta import FloatArray, IntArray

#: Restricted or full maximum likelihood.
Likelihood = Literal["REML", "ML"]
#: Rows of the matrix that is inverted: 6,000 take 0.3 GB and half a minute a step.
LARGEST = 6000
#: Numbers held at a time while leverages are added up.
CHUNK = 4_000_000


@dataclass(frozen=True, eq=False)
class Layout:
    """The data of a mixed model, arranged for solving at many values of the variances.

    Attributes
    ----------
    y : float[n]
    fixed : float[n, p]
        X, of full column rank.
    labels : tuple of int[n]
        Level of each random effect, from 0.
    sizes : tuple of int
        Levels of each random effect.
    group : int[n]
        Residual variance of each row, from 0.
    n_groups : int
    big : int
        Which random effect is eliminated; -1 without any.
    rest : sparse float[n, q]
        Columns of the other random effects, then of X.
    """

    y: FloatArray
    fixed: FloatArray
    labels: tuple[IntArray, ...]
    sizes: tuple[int, ...]
    group: IntArray
    n_groups: int
    big: int
    rest: Any

    @property
    def small(self) -> list[int]:
        """Random effects that are not eliminated, in the order of their columns."""
        return [k for k in range(len(self.sizes)) if k != self.big]


def layout(
    y: FloatArray,
    fixed: FloatArray,
    labels: Sequence[IntArray],
    sizes: Sequence[int],
    group: IntArray,
    n_groups: int,
) -> Layout:
    """Arrange the data; attributes are those of :class:`Layout`.

    Raises
    ------
    TooLargeError
        More than 6,000 rows to invert.
    """
    from scipy.sparse import csr_matrix, hstack

    big = int(np.argmax(sizes)) if sizes else -1
    n = len(y)
    rest = sum(size for k, size in enumerate(sizes) if k != big) + fixed.shape[1]
    if rest > LARGEST:
        raise TooLargeError(
            f"mixed model: {rest} annotators, HITs and fixed effects beside {sizes[big]} levels of the largest"
            f" random effect; at most {LARGEST} can be solved together: leave out the effect of the HIT"
        )
    columns = [
        csr_matrix((np.ones(n), (np.arange(n), labels[k])), (n, sizes[k]))
        for k in range(len(sizes))
        if k != big
    ]
    return Layout(
        y,
        fixed,
        tuple(labels),
        tuple(sizes),
        group,
        n_groups,
        big,
        hstack([*columns, csr_matrix(fixed)], format="csr"),
    )


@dataclass(frozen=True, eq=False)
class Solved:
    """The equations solved at given variances.

    Attributes
    ----------
    at : Layout
    tau : float[k]
        Variances of the random effects, > 0.
    sigma : float[n_groups]
        Residual variances, > 0.
    effects : float[q]
        Of the columns of `rest`: random effects, then fixed.
    eliminated : float[N]
        Of the eliminated random effect.
    residual : float[n]
    likelihood : {"REML", "ML"}
    loglik : float
    pivot : float[N]
        Diagonal of C's eliminated block.
    carried : sparse float[N, q]
        pivot^-1 times C's off-diagonal block.
    inverse : float[q, q]
        Of C after elimination.
    spread : float[q, q]
        The inverse from which traces are taken: `inverse` for REML; for ML that of the random effects' part,
        0 elsewhere.
    """

    at: Layout
    tau: FloatArray
    sigma: FloatArray
    effects: FloatArray
    eliminated: FloatArray
    residual: FloatArray
    likelihood: Likelihood
    loglik: float
    pivot: FloatArray
    carried: Any
    inverse: FloatArray
    spread: FloatArray

    def random(self, k: int) -> FloatArray:
        """float[q_k]: the k-th random effect's best linear unbiased predictions."""
        return self.eliminated if k == self.at.big else self.effects[self.columns(k)]

    def columns(self, k: int) -> slice:
        """Where the k-th random effect stands in `rest`."""
        return _columns(self.at, k)

    @property
    def n_random(self) -> int:
        """Columns of `rest` that are random effects."""
        return int(self.at.rest.shape[1]) - self.at.fixed.shape[1]

    def block_variances(self, k: int, spread: FloatArray) -> FloatArray:
        """float[q_k]: diagonal of C^-1 for the k-th random effect."""
        if k != self.at.big:
            found: FloatArray = np.diag(spread)[self.columns(k)]
            return found
        return 1.0 / self.pivot + _quadratic(self.carried, spread)

    def rows(self) -> Any:
        """sparse float[n, q]: `rest` after elimination, with which t_i'C^-1 t_i = 1/pivot + r_i'S^-1 r_i."""
        if self.at.big < 0:
            return self.at.rest
        return (self.at.rest - self.carried[self.at.labels[self.at.big]]).tocsr()


def _quadratic(rows: Any, matrix: FloatArray) -> FloatArray:
    """float[n]: r_i' M r_i for the rows of a sparse matrix."""
    n, q = rows.shape
    out = np.empty(n)
    step = max(1, CHUNK // max(q, 1))
    for begin in range(0, n, step):
        part = rows[begin : begin + step]
        out[begin : begin + step] = np.asarray(part.multiply(part @ matrix).sum(axis=1)).ravel()
    return out


def solve(at: Layout, tau: FloatArray, sigma: FloatArray, likelihood: Likelihood) -> Solved:
    """Solve the mixed model equations.

    Parameters are those of :class:`Solved`.

    Raises
    ------
    numpy.linalg.LinAlgError
        X is not of full rank.
    """
    from scipy.linalg import cho_factor, cho_solve, solve_triangular
    from scipy.linalg.lapack import dpotri

    weight = (1.0 / sigma)[at.group]
    n, p = at.fixed.shape
    q = at.rest.shape[1]
    weighted = at.rest.multiply(weight[:, None]).tocsr()
    matrix = np.asarray((at.rest.T @ weighted).todense(), np.float64)
    right = np.asarray(weighted.T @ at.y).ravel()
    ridge = np.repeat([1.0 / tau[k] for k in at.small] + [0.0], [at.sizes[k] for k in at.small] + [p])
    matrix[np.diag_indices(q)] += ridge
    carried: Any = None
    pivot, sums = np.ones(0), np.zeros(0)
    if at.big >= 0:
        pivot, off, sums = _eliminated_block(at, weighted, weight, float(tau[at.big]))
        carried = off.multiply(1.0 / pivot[:, None]).tocsr()
        matrix -= np.asarray((off.T @ carried).todense())
        right -= np.asarray(off.T @ (sums / pivot)).ravel()
    factor, _ = cho_factor(matrix, lower=True)
    factor = np.tril(factor)
    effects: FloatArray = cho_solve((factor, True), right)
    half, _ = dpotri(factor, lower=1)
    inverse: FloatArray = np.tril(half) + np.tril(half, -1).T
    fitted = np.asarray(at.rest @ effects).ravel()
    eliminated = sums / pivot - np.asarray(carried @ effects).ravel() if at.big >= 0 else np.zeros(0)
    if at.big >= 0:
        fitted = fitted + eliminated[at.labels[at.big]]
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
    log_v += float(np.log(pivot).sum()) + 2.0 * float(np.log(diagonal).sum())
    for k, size in enumerate(at.sizes):
        u = eliminated if k == at.big else effects[_columns(at, k)]
        squares += float(u @ u) / float(tau[k])
        log_v += size * math.log(tau[k])
    free = n - p if likelihood == "REML" else n
    loglik = -0.5 * (free * math.log(2.0 * math.pi) + log_v + squares)
    return Solved(
        at, tau, sigma, effects, eliminated, residual, likelihood, loglik, pivot, carried, inverse, spread
    )


def _columns(at: Layout, k: int) -> slice:
    before = sum(at.sizes[j] for j in at.small if j < k)
    return slice(before, before + at.sizes[k])


def _eliminated_block(
    at: Layout, weighted: Any, weight: FloatArray, tau: float
) -> tuple[FloatArray, Any, FloatArray]:
    """Diagonal, off-diagonal block and right side of the eliminated random effect."""
    from scipy.sparse import csr_matrix

    level, size = at.labels[at.big], at.sizes[at.big]
    pivot = np.bincount(level, weight, size) + 1.0 / tau
    sums: FloatArray = np.bincount(level, weight * at.y, size).astype(np.float64)
    own = csr_matrix((np.ones(len(level)), (level, np.arange(len(level)))), (size, len(level)))
    return pivot, (own @ weighted).tocsr(), sums


def derivatives(solved: Solved) -> tuple[FloatArray, NDArray[np.float64]]:
    """Gradient and average information in the logs of the variances, random effects first.

        d l / d v = -1/2 [tr(P V_v) - y'P V_v P y],   AI_vw = 1/2 y'P V_v P V_w P y

    The average information (Gilmour, Thompson and Cullis 1995, Biometrics 51, 1440-1450) is the mean of the
    observed and the expected one with the costly traces cancelled.  It is positive semidefinite everywhere.

    Returns
    -------
    gradient : float[k + n_groups]
    information : float[k + n_groups, k + n_groups]
    """
    at, n = solved.at, len(solved.at.y)
    weight = (1.0 / solved.sigma)[at.group]
    scaled = weight * solved.residual
    variances = np.concatenate([solved.tau, solved.sigma])
    traces, squares = np.empty(len(variances)), np.empty(len(variances))
    working = np.empty((n, len(at.sizes)))
    for k, size in enumerate(at.sizes):
        u, v = solved.random(k), solved.tau[k]
        traces[k] = (size - solved.block_variances(k, solved.spread).sum() / v) / v
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
    leverage = _quadratic(solved.rows(), solved.spread)
    if at.big >= 0:
        leverage = leverage + (1.0 / solved.pivot)[at.labels[at.big]]
    found: FloatArray = np.bincount(at.group, weight - weight**2 * leverage, at.n_groups).astype(np.float64)
    return found


def _curvature(solved: Solved, working: FloatArray, scaled: FloatArray, weight: FloatArray) -> FloatArray:
    """Q'PQ = Q'WQ - (T'WQ)'C^-1(T'WQ) for the columns V_v P y of Q.

    Those of the residual groups share no row, so that Q is sparse however many groups there are.
    """
    from scipy.sparse import csr_matrix, hstack

    at, n = solved.at, len(scaled)
    apart = csr_matrix((scaled, (np.arange(n), at.group)), (n, at.n_groups))
    columns = hstack([csr_matrix(working), apart], format="csr")
    weighted = columns.multiply(weight[:, None]).tocsr()
    found: FloatArray = np.asarray((columns.T @ weighted).todense(), np.float64)
    right = at.rest.T @ weighted
    if at.big >= 0:
        level, size = at.labels[at.big], at.sizes[at.big]
        own = csr_matrix((np.ones(n), (level, np.arange(n))), (size, n)) @ weighted
        right = right - solved.carried.T @ own
        found = found - np.asarray((own.T @ own.multiply(1.0 / solved.pivot[:, None])).todense())
    dense = np.asarray(right.todense(), np.float64)
    return found - dense.T @ solved.inverse @ dense
