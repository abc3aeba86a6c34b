"""The p-value of the supremum of Lagrange multiplier statistics over all places of a break (sup LM), in the limit.

Under stability the statistic at share t of the sample is, in large samples, |B(t)|^2 / (t (1 - t)) for a
k-dimensional Brownian bridge B (Andrews 1993, Econometrica 61, 821-856).  In the time log(t / (1 - t)) / 2
its square is a stationary process with generator 4 y g'' + (2k - 2y) g', so that over [t, 1 - t]

    P(sup <= c) = sum_j A_j L^-v_j,    L = ((1 - t) / t)^2

where v_j are the eigenvalues, with g(C) = 0 at C = c/2, of z g'' + (a - z) g' + v g = 0, a = k/2 (Kummer's
equation; DeLong 1981; Estrella 2003, Econometric Theory 19, 1128-1143), and A_j = (int g_j w)^2 / int g_j^2 w
with w the gamma density of shape a.  The eigenvalues are squared singular values of d/dz on polynomials that
vanish at C.  R's strucchange and partykit interpolate a table of simulated response surfaces instead (Hansen
1997).  In a sample the supremum is over the places between its values only, and smaller:
:mod:`pairproof.native.trees.places`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

FloatArray = NDArray[np.float64]

#: Polynomials and nodes: with 48 the eigenvalues that matter have 10 digits up to C = 40.
DEGREE, NODES = 48, 120
#: A p-value below this is the first order of an expansion in itself: 1 - P has few digits left in doubles.
SMALL = 1e-7


def sup_lm_p(statistic: float, k: int, trim: float) -> float:
    """The p-value of a sup LM statistic.

    statistic: largest statistic over the places of a break.  k: parameters, >= 1.  trim: share of the sample
    left out at each end, in (0, 1/2).  Returns float: in [0, 1]; an error below 1e-11, and below 1e-6 of p
    where p is below 1e-7.
    """
    if k < 1 or not 0.0 < trim < 0.5:
        raise InputError(f"k = {k}, trim = {trim}; expected k >= 1 and a trim between 0 and 1/2")
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
    to P(chi2_k <= c); the last ones are those of the polynomials only, and their terms are 0.
    """
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
