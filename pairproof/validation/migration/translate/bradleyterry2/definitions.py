"""What R's binomial glm calls deviance, AIC and standard error, from a fit's probabilities.

With m_i contests in row i, a share y_i won by the player named first and the fit's probability p_i (in glm, family
"binomial"; McCullagh and Nelder 1989, section 4.4)::

    deviance   2 sum m (y log(y/p) + (1-y) log((1-y)/(1-p)))
    AIC        -2 sum log dbinom(round(m y), round(m), p) + 2 rank: half wins are rounded to even
    se         of the expected information X'WX, W = m f(eta)^2 / (p (1-p)), f the density of the link

brglm's deviances are of pseudo-counts: with h_i the leverages, (m y + h/2) wins of m + h contests; the penalised deviance
is the deviance less log det X'WX (Firth 1993, Biometrika 80, 27-38).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy
from scipy.stats import norm

from .....fit.fit import Fit
from .....native.contests.inference.residuals import contest_residuals
from .contests import Contests

FloatArray = NDArray[np.float64]


def fitted(fit: Fit, contests: Contests) -> FloatArray:
    """The probability that the player named first wins, of each row; 1/2 in rows without a contest."""
    found = contest_residuals(fit, "response")["fitted"].to_numpy(float)
    return np.where(contests.wins + contests.losses > 0, found, 0.5)


def deviance(contests: Contests, p: FloatArray) -> float:
    """glm's deviance of the rows."""
    won, lost = contests.wins, contests.losses
    m = np.where(won + lost > 0, won + lost, 1.0)
    terms = xlogy(won, won / m) + xlogy(lost, lost / m) - xlogy(won, p) - xlog1py(lost, -p)
    return float(2.0 * terms.sum())


def glm_aic(contests: Contests, p: FloatArray, rank: int) -> float:
    """glm's AIC: counts rounded, binomial coefficients of the rows."""
    m = contests.wins + contests.losses
    return _minus_twice(m * _share(contests), m, np.ones(len(m)), p) + 2.0 * rank


def pql_aic(contests: Contests, p: FloatArray, rank: int) -> float:
    """AIC as glmmPQL has it where sigma comes out 0: each row as of n contests, n being the number of rows, with the weight
    of the first row in place of its own.
    """
    m = contests.wins + contests.losses
    n = np.full(len(m), float(len(m)))
    return _minus_twice(n * _share(contests), n, m[0] / n, p) + 2.0 * rank


def _share(contests: Contests) -> FloatArray:
    m = contests.wins + contests.losses
    found: FloatArray = contests.wins / np.where(m > 0, m, 1.0)
    return found


def _minus_twice(won: FloatArray, m: FloatArray, weight: FloatArray, p: FloatArray) -> float:
    n, k = np.round(m), np.round(won)
    terms = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlog1py(n - k, -p)
    return float(-2.0 * (weight * terms).sum())


def brglm_null_deviance(contests: Contests, x: FloatArray, p: FloatArray) -> float:
    """Deviance of even contests from brglm's pseudo-counts at the estimates.

    x float[n, p]: of full rank.  p float[n]: probabilities, none of them 0 or 1.
    """
    m, wins = contests.wins + contests.losses, contests.wins
    w = m * p * (1.0 - p)
    spread = np.linalg.inv(x.T @ (w[:, None] * x))
    h = w * np.einsum("ij,jk,ik->i", x, spread, x)
    n = m + h
    y = (wins + h / 2.0) / np.where(n > 0, n, 1.0)
    return float(2.0 * np.sum(n * (xlogy(y, 2.0 * y) + xlogy(1.0 - y, 2.0 * (1.0 - y)))))


def penalised_deviance(contests: Contests, x: FloatArray, p: FloatArray) -> float:
    """The deviance less log det of the information.

    x float[n, p]: of full rank.  p float[n].
    """
    w = (contests.wins + contests.losses) * p * (1.0 - p)
    return deviance(contests, p) - float(np.linalg.slogdet(x.T @ (w[:, None] * x))[1])


def expected_errors(contests: Contests, x: FloatArray, p: FloatArray, link: str) -> FloatArray:
    """Standard errors of the expected information, float[p].

    x float[n, p].  p float[n]: probabilities, none of them 0 or 1.
    """
    eta = norm.ppf(p) if link == "probit" else np.tan(np.pi * (p - 0.5))
    density = norm.pdf(eta) if link == "probit" else 1.0 / (np.pi * (1.0 + eta**2))
    w = (contests.wins + contests.losses) * density**2 / (p * (1.0 - p))
    found: FloatArray = np.sqrt(np.diag(np.linalg.inv(x.T @ (w[:, None] * x))))
    return found


def binomial_constant(contests: Contests) -> float:
    """sum log choose(n, wins) of the rows: what R's binomial log-likelihood has beside that of single contests."""
    wins, losses = contests.wins, contests.losses
    return float(np.sum(gammaln(wins + losses + 1.0) - gammaln(wins + 1.0) - gammaln(losses + 1.0)))
