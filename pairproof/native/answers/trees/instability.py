"""Tests whether the parameters of a node are the same whatever a covariate is.

With the scores s_i of n persons at the node's own estimate and J = sum s_i s_i' / n, the outer product of
scores:

    factor     sum over levels of |sum of the scores of the level|^2_J / n_level,    chi-square, k (levels - 1) df
    numeric    max over places of |sum of the first m scores|^2_J / (n t (1 - t)),   t = m / n

where |s|^2_J = s'J^-1 s (Zeileis and Hornik 2007, Statistica Neerlandica 61, 488-508; Merkle and Zeileis
2013).  Equal values of a numeric covariate are never taken apart: a place lies between two distinct values
(R's result depends on the order of the rows).  The p-value of the maximum is that over these very places.
A person of weight w counts as w persons with the same scores.

The p-value of the largest Lagrange multiplier statistic over given places of a break.

Under stability the k-dimensional process B(t) / sqrt(t (1 - t)) (Andrews 1993, Econometrica 61, 821-856) is
Markov: between shares s < t its correlation is rho = sqrt(s (1 - t) / (t (1 - s))), so that its length r at
t, given r' at s, has the density of a noncentral chi variable,

    (r / v) (r / (rho r'))^(k/2 - 1) exp(-(r^2 + rho^2 r'^2) / (2 v)) I_{k/2-1}(rho r' r / v),   v = 1 - rho^2.

The probability that it stays below sqrt(c) at all places is a chain of integrals over [0, sqrt(c)], each a
Gauss- Legendre sum.  Where places are many the limit of all places is taken instead, at a length 0.5826
typical steps beyond sqrt(c) (Siegmund 1985, Sequential Analysis, section 10.2).

The p-value of the supremum of Lagrange multiplier statistics over all places of a break (sup LM), in the limit.

Under stability the statistic at share t of the sample is, in large samples, |B(t)|^2 / (t (1 - t)) for a
k-dimensional Brownian bridge B (Andrews 1993, Econometrica 61, 821-856).  In the time log(t / (1 - t)) / 2
its square is a stationary process with generator 4 y g'' + (2k - 2y) g', so that over [t, 1 - t]

    P(sup <= c) = sum_j A_j L^-v_j,    L = ((1 - t) / t)^2

where v_j are the eigenvalues, with g(C) = 0 at C = c/2, of z g'' + (a - z) g' + v g = 0, a = k/2 (Kummer's
equation; DeLong 1981; Estrella 2003, Econometric Theory 19, 1128-1143), and A_j = (int g_j w)^2 / int g_j^2 w
with w the gamma density of shape a.  The eigenvalues are squared singular values of d/dz on polynomials that
vanish at C.  R's strucchange and partykit interpolate a table of simulated response surfaces instead (Hansen
1997).  In a sample the supremum is over the places between its values only, and smaller:
:mod:`pairproof.native.trees.instability`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....numerics.arrays import FloatArray, IntArray

#: Polynomials and nodes: with 48 the eigenvalues that matter have 10 digits up to C = 40.
DEGREE, NODES = 48, 120
#: A p-value below this is the first order of an expansion in itself: 1 - P has few digits left in doubles.
SMALL = 1e-7


def sup_lm_p(statistic: float, k: int, trim: float) -> float:
    """The p-value of a sup LM statistic.
    trim: share of the sample left out at each end, in (0, 1/2).  Returns float: in [0, 1]; an error below
    1e-11, and below 1e-6 of p where p is below 1e-7."""
    if not statistic > 0:
        return 1.0
    length = 2.0 * float(np.log((1.0 - trim) / trim))
    if statistic > 4.0 * k + 20.0:
        tail = _tail(statistic, k, length)
        if tail < SMALL:
            return tail
    eigenvalues, shares = spectrum(statistic, k)
    return float(min(1.0, max(0.0, 1.0 - float(shares @ np.exp(-eigenvalues * length)))))


def spectrum(statistic: float, k: int) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues v_j and shares A_j of the process stopped at a statistic.
    statistic: c > 0.  Returns float[DEGREE], float[DEGREE]: rising eigenvalues, and their shares, which sum
    to P(chi2_k <= c); the last ones are those of the polynomials only, and their terms are 0."""
    from scipy.linalg import solve_triangular
    from scipy.special import gammaln, roots_jacobi

    a, c = k / 2.0, statistic / 2.0
    x, weight = roots_jacobi(NODES, 0.0, a - 1.0)
    z = c * (1.0 + x) / 2.0
    log_w = np.log(np.maximum(weight, 1e-300)) + a * np.log(c / 2.0) - z - gammaln(a)
    root = np.exp(0.5 * log_w)
    legendre, slopes = _legendre(x)
    # g = (1 - z/C) P(x): it vanishes at C; dx/dz = 2/C.
    value = (1.0 - x)[:, None] / 2.0 * legendre
    slope = (-0.5 * legendre + (1.0 - x)[:, None] / 2.0 * slopes) * (2.0 / c)
    q, r = np.linalg.qr(root[:, None] * value)
    scaled = solve_triangular(r.T, ((root * np.sqrt(z))[:, None] * slope).T, lower=True).T
    _, sigma, vectors = np.linalg.svd(scaled, full_matrices=False)
    shares = (vectors @ (q.T @ root)) ** 2
    order = np.argsort(sigma)
    return np.asarray(sigma[order] ** 2), np.asarray(shares[order])


def _legendre(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """float[n, DEGREE] each: Legendre polynomials and their derivatives, by recurrence."""
    value, slope = np.ones((len(x), DEGREE)), np.zeros((len(x), DEGREE))
    value[:, 1], slope[:, 1] = x, 1.0
    for j in range(2, DEGREE):
        value[:, j] = ((2 * j - 1) * x * value[:, j - 1] - (j - 1) * value[:, j - 2]) / j
        slope[:, j] = slope[:, j - 2] + (2 * j - 1) * value[:, j - 1]
    return value, slope


def _tail(statistic: float, k: int, length: float) -> float:
    """First order of a small p: v_1 length + 1 - A_1, with v_1 = 1 / h(C), h(z) = sum_j z^j / ((a)_j j)."""
    from scipy.special import gammainc, gammaincc, gammaln, logsumexp

    a, c = k / 2.0, statistic / 2.0
    j = np.arange(1, int(4 * c) + 60, dtype=float)
    coefficients = gammaln(a) - gammaln(a + j) - np.log(j)
    log_h = float(logsumexp(coefficients + j * np.log(c)))
    z = np.linspace(0.0, c, 4001)[1:]
    log_hz = logsumexp(coefficients[None] + j[None] * np.log(z)[:, None], axis=1)
    density = np.exp((a - 1.0) * np.log(z) - z - gammaln(a))
    step = z[1] - z[0]
    ratio = np.exp(log_hz - log_h)
    edge = np.ones(len(z))
    edge[-1] = 0.5
    second = float((ratio**2 * density * edge).sum()) * step
    first = float((ratio * density * edge).sum()) * step
    lost = float(gammaincc(a, c)) + second - first**2 / float(gammainc(a, c))
    return float(np.exp(-log_h) * length + lost)


#: Nodes to a standard deviation of a step: 4 leave 1e-12.
DENSITY = 4.0
#: Kernel elements to be computed at most, about a second; beyond that, Siegmund's correction.
MOST = 6_000_000
#: -zeta(1/2) / sqrt(2 pi), the mean excess of a normal random walk over a far boundary (Siegmund 1985).
EXCESS = 0.5825971579390106


def places_p(statistic: float, k: int, shares: FloatArray) -> float:
    """The p-value of the largest statistic over given places.
    shares float[m]: share of the sample before each place, rising, in (0, 1).  Returns float: in [0, 1]."""
    if not statistic > 0:
        return 1.0
    top = float(np.sqrt(statistic))
    step = np.sqrt(-np.expm1(-np.diff(np.log(shares / (1.0 - shares)))))  # sqrt(1 - rho^2)
    nodes = max(48, int(DENSITY * top / step.min()) + 16) if len(step) else 48
    if nodes**2 * len(shares) > MOST:
        return _corrected(top, k, shares, step)
    p = 1.0 - _staying(top, k, step, nodes)
    return p if p > 1e-9 else _corrected(top, k, shares, step)


def _corrected(top: float, k: int, at: FloatArray, step: FloatArray) -> float:
    """The limit of all places, at Siegmund's boundary; never less than for the middle place alone."""
    from scipy.special import gammaincc

    farther = (top + EXCESS * float(step.mean())) ** 2 if len(step) else top ** 2
    alone = float(gammaincc(k / 2.0, top**2 / 2.0))
    trim = min(float(at[0]), 1.0 - float(at[-1]))
    return max(alone, sup_lm_p(farther, k, trim)) if trim < 0.5 and len(step) else alone


def _staying(top: float, k: int, step: FloatArray, nodes: int) -> float:
    """Probability that the length stays below `top` at all places."""
    from scipy.special import gammaln, roots_legendre

    x, weight = roots_legendre(nodes)
    r, weight = top * (1.0 + x) / 2.0, weight * top / 2.0
    density = np.exp((k - 1.0) * np.log(r) - r**2 / 2.0 - (k / 2.0 - 1.0) * np.log(2.0) - gammaln(k / 2.0))
    for size in step:
        density = _moved(r, k, float(size) ** 2) @ (density * weight)
    return float(density @ weight)


def _moved(r: FloatArray, k: int, v: float) -> FloatArray:
    """float[n, n]: density of a length r (rows) after a step of variance v, given r (columns) before it."""
    from scipy.special import ive

    after, before = r[:, None], np.sqrt(1.0 - v) * r[None]
    order = k / 2.0 - 1.0
    logs = np.log(after / v) + order * np.log(after / before) - (after - before) ** 2 / (2.0 * v)
    return np.asarray(np.exp(logs) * ive(order, before * after / v))


Kind = Literal["numeric", "factor", "ordered"]
Adjust = Literal["bonferroni", "none"]


@dataclass(frozen=True, eq=False)
class Covariate:
    """A covariate of persons.
    kind: "numeric", "factor" or "ordered" (a factor whose splits keep the order; its test is a factor's).
    values float[n]: finite values, or numbers of levels from 0.  levels: of a factor; empty for a numeric
    covariate."""

    name: str
    kind: Kind
    values: FloatArray
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class InstabilityTest:
    """A test of parameter stability along one covariate.
    p_adjusted: 1 - (1 - p)^m over the m covariates tested in the node; p itself where nothing is adjusted.
    df: of the chi-square of a factor; the number of places of a numeric covariate."""

    covariate: str
    statistic: float
    df: int
    p: float
    p_adjusted: float


def instability_tests(
    scores: FloatArray,
    covariates: Sequence[Covariate],
    minimum: int,
    weights: FloatArray | None = None,
    adjust: Adjust = "bonferroni",
) -> tuple[InstabilityTest, ...]:
    """The tests of all covariates that can be tested in a node.
    scores float[n, k]: of the persons of the node, at its estimate.  covariates: of the same n persons.
    minimum: persons that a place leaves on either side at least; never fewer than a tenth of them.  weights
    float[n]: persons that each row stands for; default 1.  adjust: whether p-values are adjusted for the
    number of covariates tested.  Returns tuple of InstabilityTest: in the order of the covariates; one with a
    single value, or without a place, is left out."""
    own = np.ones(len(scores)) if weights is None else weights
    half = whitened(scores, own)
    if half is None:
        return ()
    found = []
    for covariate in covariates:
        if covariate.kind == "numeric":
            found.append((covariate.name, *_numeric(half, covariate.values, minimum, own)))
        else:
            found.append((covariate.name, *_factor(half, covariate.values, own)))
    tested = [test for test in found if test[3] > 0]
    m = len(tested) if adjust == "bonferroni" else 1
    return tuple(
        InstabilityTest(name, statistic, df, p, -float(np.expm1(m * np.log1p(-p))) if p < 1 else 1.0)
        for name, statistic, p, df in tested
    )


def whitened(scores: FloatArray, weights: FloatArray) -> FloatArray | None:
    """Scores times their persons, scaled: J^-1/2 w s / sqrt(n).
    scores float[n, k].  weights float[n]: persons that each row stands for.  Returns float[n, k] or None:
    none where J is singular: the persons differ in fewer ways than there are parameters."""
    n = float(weights.sum())
    outer = (scores * weights[:, None]).T @ scores / n
    if np.linalg.matrix_rank(outer, hermitian=True) < len(outer):
        return None
    scaled = np.linalg.solve(np.linalg.cholesky(outer), scores.T).T / np.sqrt(n)
    return np.asarray(scaled * weights[:, None])


def _factor(half: FloatArray, values: FloatArray, weights: FloatArray) -> tuple[float, float, int]:
    from scipy.special import gammaincc

    label = np.ravel(np.unique(values, return_inverse=True)[1])
    size = np.bincount(label, weights)
    sums = np.array([np.bincount(label, column) for column in half.T])
    statistic = float(((sums**2).sum(axis=0) / (size / weights.sum())).sum())
    df = half.shape[1] * (len(size) - 1)
    return statistic, float(gammaincc(df / 2.0, statistic / 2.0)) if df else 1.0, df


def _numeric(
    half: FloatArray, values: FloatArray, minimum: int, weights: FloatArray
) -> tuple[float, float, int]:
    order, at = places(values, minimum, weights)
    if not len(at):
        return 0.0, 1.0, 0
    shares = np.cumsum(weights[order])[at - 1] / weights.sum()
    statistic = largest_statistic(half[order], at, shares)
    return statistic, places_p(statistic, half.shape[1], shares), len(at)


def places(values: FloatArray, minimum: int, weights: FloatArray | None = None) -> tuple[IntArray, IntArray]:
    """Where a numeric covariate may break: between distinct values, away from both ends.
    values float[n].  minimum: persons on either side at least; never fewer than a tenth of them.  weights
    float[n]: persons that each row stands for; default 1.  Returns int[n], int[m]: order of the rows, and how
    many of them are before each place."""
    own = np.ones(len(values)) if weights is None else weights
    order = np.argsort(values, kind="stable")
    before = np.flatnonzero(np.diff(values[order]) > 0) + 1
    persons, n = np.cumsum(own[order])[before - 1], own.sum()
    least = max(int(np.ceil(0.1 * n)), minimum)
    return order, np.asarray(before[(persons >= least) & (persons <= n - least)], dtype=np.int64)


def largest_statistic(scores: FloatArray, at: IntArray, shares: FloatArray | None = None) -> float:
    """The largest statistic over places.
    scores float[n, k]: in the order of the covariate, as :func:`whitened` has them.  `at` int[m]: rows before
    each place.  shares float[m]: share of the persons before each place; default: that of the rows."""
    share = at / len(scores) if shares is None else shares
    path = np.cumsum(scores, axis=0)[at - 1]
    return float(((path**2).sum(axis=1) / (share * (1.0 - share))).max())
