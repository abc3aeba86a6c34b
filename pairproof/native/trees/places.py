"""The p-value of the largest Lagrange multiplier statistic over given places of a break.

Under stability the k-dimensional process B(t) / sqrt(t (1 - t)) (Andrews 1993, Econometrica 61, 821-856) is
Markov: between shares s < t its correlation is rho = sqrt(s (1 - t) / (t (1 - s))), so that its length r at
t, given r' at s, has the density of a noncentral chi variable,

    (r / v) (r / (rho r'))^(k/2 - 1) exp(-(r^2 + rho^2 r'^2) / (2 v)) I_{k/2-1}(rho r' r / v),   v = 1 - rho^2.

The probability that it stays below sqrt(c) at all places is a chain of integrals over [0, sqrt(c)], each a
Gauss- Legendre sum.  Where places are many the limit of all places is taken instead, at a length 0.5826
typical steps beyond sqrt(c) (Siegmund 1985, Sequential Analysis, section 10.2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .sup_lm import sup_lm_p

FloatArray = NDArray[np.float64]

#: Nodes to a standard deviation of a step: 4 leave 1e-12.
DENSITY = 4.0
#: Kernel elements to be computed at most, about a second; beyond that, Siegmund's correction.
MOST = 6_000_000
#: -zeta(1/2) / sqrt(2 pi), the mean excess of a normal random walk over a far boundary (Siegmund 1985).
EXCESS = 0.5825971579390106


def places_p(statistic: float, k: int, shares: FloatArray) -> float:
    """The p-value of the largest statistic over given places.

    k: parameters, >= 1.  shares float[m]: share of the sample before each place, rising, in (0, 1).  Returns
    float: in [0, 1].
    """
    at = np.asarray(shares, dtype=float)
    if k < 1 or not len(at) or at[0] <= 0 or at[-1] >= 1 or (np.diff(at) <= 0).any():
        raise InputError(f"k = {k}, {len(at)} shares; expected k >= 1 and shares that rise between 0 and 1")
    if not statistic > 0:
        return 1.0
    top = float(np.sqrt(statistic))
    step = np.sqrt(-np.expm1(-np.diff(np.log(at / (1.0 - at)))))  # sqrt(1 - rho^2)
    nodes = max(48, int(DENSITY * top / step.min()) + 16) if len(step) else 48
    if nodes**2 * len(at) > MOST:
        return _corrected(top, k, at, step)
    p = 1.0 - _staying(top, k, step, nodes)
    return p if p > 1e-9 else _corrected(top, k, at, step)


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
