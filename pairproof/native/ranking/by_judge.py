"""Two systems, where judges may differ: tests that take a judge, not an answer, as the unit.

Judge g prefers the first system a_g times, the second b_g times, neither t_g times; n_g = a_g + b_g + t_g and
m_g = (a_g - b_g) / n_g.  The sum of all answers, z = (A - B) / sqrt(A + B), supposes that answers are independent;
where judges differ it rejects far too often.  Beside it stand::

    judge means      t = mean(m) / (sd(m) / sqrt G) on G - 1 degrees of freedom
    sign flips       share of the 2^G signs with |sum of s_g m_g| at least as large as observed: exact if each m_g is
                     as likely as -m_g when the systems are equal
    beta-binomial    a_g of a_g + b_g with mean mu and intra-class correlation r / (1 + r), r = 1 / (alpha + beta);
                     likelihood ratio of mu = 1/2 with r free (Skellam 1948, J. R. Statist. Soc. B 10, 257-261)
    random effect    logit p_g = beta + sigma u_g, u_g standard normal, by adaptive quadrature of 25 points
    judges differ    Pearson's chi-square of the G x 3 table of answers
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

FloatArray = NDArray[np.float64]

#: Judges up to which all sign vectors are gone through (a million of them); beyond, they are drawn.
ALL_SIGNS = 20
DRAWN_SIGNS = 100_000
#: Points of the adaptive quadrature, as lme4's glmer(nAGQ = 25).
NODES = 25
#: log r between which the beta-binomial is searched: correlations 3e-7 to .9999.
LOG_R = (-15.0, 9.0)


@dataclass(frozen=True)
class Test:
    """A test that two systems are equal.

    Attributes
    ----------
    name : str
    estimate : float
        What is tested to be 0: a mean preference in [-1, 1], or a log-odds.
    se : float
        nan where the test needs none.
    statistic : float
    df : float
        nan where the reference distribution has none.
    p : float
        Two-sided.
    spread : float
        How much judges differ: standard deviation of means, intra-class correlation, or of the random effect.
    """

    name: str
    estimate: float
    se: float
    statistic: float
    df: float
    p: float
    spread: float = math.nan


def _check(first: FloatArray, second: FloatArray, ties: FloatArray) -> None:
    counts = np.stack([first, second, ties])
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise InputError("counts of answers must be finite and at least 0")
    if (counts.sum(axis=0) == 0).any():
        raise InputError("a judge without any answer: leave such judges out")


def summed(first: FloatArray, second: FloatArray) -> Test:
    """All answers as if they were independent: z = (A - B) / sqrt(A + B)."""
    from scipy.special import ndtr

    a, b = float(first.sum()), float(second.sum())
    if a + b == 0.0:
        raise InputError("no answer prefers either system")
    z = (a - b) / math.sqrt(a + b)
    return Test(
        "sum of answers", (a - b) / (a + b), 1.0 / math.sqrt(a + b), z, math.nan, 2.0 * float(ndtr(-abs(z)))
    )


def judge_means(first: FloatArray, second: FloatArray, ties: FloatArray) -> Test:
    """The mean of judges' own mean preferences, each judge counted once.

    Parameters
    ----------
    first, second, ties : float[G]
        Answers of each judge, G >= 2.

    Raises
    ------
    InputError
        Fewer than two judges, or a judge without answers.
    """
    from scipy.stats import t as student

    _check(first, second, ties)
    n_judges = len(first)
    if n_judges < 2:
        raise InputError(f"{n_judges} judge: the spread between judges needs two at least")
    m = (first - second) / (first + second + ties)
    mean, sd = float(m.mean()), float(m.std(ddof=1))
    se = sd / math.sqrt(n_judges)
    t = mean / se if se > 0.0 else math.copysign(math.inf, mean) if mean else math.nan
    p = 2.0 * float(student.sf(abs(t), n_judges - 1)) if not math.isnan(t) else math.nan
    return Test("judge means", mean, se, t, float(n_judges - 1), p, sd)


def sign_flips(first: FloatArray, second: FloatArray, ties: FloatArray, seed: int = 0) -> Test:
    """The exact test by signs of judges' means; drawn signs from 21 judges on.

    The smallest p that G judges allow is 2 / 2^G.
    """
    _check(first, second, ties)
    m = (first - second) / (first + second + ties)
    observed = abs(float(m.sum()))
    if len(m) <= ALL_SIGNS:
        sums = np.zeros(1)
        for value in m:
            sums = np.concatenate([sums + value, sums - value])
        # Sums of the same numbers in another order differ by rounding.
        p = float(np.mean(np.abs(sums) >= observed * (1.0 - 1e-12)))
    else:
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(DRAWN_SIGNS, len(m)))
        above = int((np.abs(signs @ m) >= observed * (1.0 - 1e-12)).sum())
        p = (1 + above) / (DRAWN_SIGNS + 1)
    return Test("sign flips", float(m.mean()), math.nan, observed, math.nan, p)


def judges_differ(first: FloatArray, second: FloatArray, ties: FloatArray) -> Test:
    """Pearson's chi-square that all judges answer alike; columns without answers are left out."""
    from scipy.special import chdtrc

    _check(first, second, ties)
    table = np.stack([first, ties, second], axis=1)
    table = table[:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = float(((table - expected) ** 2 / expected).sum())
    df = float((table.shape[0] - 1) * (table.shape[1] - 1))
    return Test("judges differ", math.nan, math.nan, chi2, df, float(chdtrc(df, chi2)) if df else math.nan)


def _beta_binomial(first: FloatArray, second: FloatArray, mu: float, r: float) -> float:
    """Log-likelihood by its products, which stay right as r goes to 0."""
    total = 0.0
    for a, b in zip(first, second):
        k, j, n = np.arange(a), np.arange(b), np.arange(a + b)
        total += float(np.log(mu + k * r).sum() + np.log(1.0 - mu + j * r).sum() - np.log1p(n * r).sum())
        total += math.lgamma(a + b + 1.0) - math.lgamma(a + 1.0) - math.lgamma(b + 1.0)
    return total


def beta_binomial(first: FloatArray, second: FloatArray) -> Test:
    """Decisive answers of judges as beta-binomial: likelihood ratio of no preference.

    Returns
    -------
    Test
        estimate: logit of mu; statistic: the likelihood ratio on 1 df; spread: the intra-class correlation.

    Raises
    ------
    InputError
        Counts that are not whole, or all decisive answers for one system.
    """
    from scipy.optimize import minimize, minimize_scalar
    from scipy.special import chdtrc, expit

    for counts in (first, second):
        if (counts != np.floor(counts)).any():
            raise InputError("a beta-binomial needs whole counts of answers")
    a, b = float(first.sum()), float(second.sum())
    if not a or not b:
        raise InputError(
            f"{a:g} decisive answers for the first system and {b:g} for the second: no finite estimate"
        )

    def minus(at: FloatArray) -> float:
        return -_beta_binomial(first, second, float(expit(at[0])), math.exp(float(np.clip(at[1], *LOG_R))))

    search = {"xatol": 1e-10, "fatol": 1e-13, "maxiter": 8000, "maxfev": 8000}
    best = min(
        (
            minimize(minus, [math.log(a / b), start], method="Nelder-Mead", options=search)
            for start in (-8.0, -3.0, 0.0)
        ),
        key=lambda found: float(found.fun),
    )
    null = minimize_scalar(lambda at: minus(np.array([0.0, at])), bounds=LOG_R, method="bounded",
                           options={"xatol": 1e-10})  # fmt: skip
    r = math.exp(float(np.clip(best.x[1], *LOG_R)))
    ratio = max(2.0 * (float(null.fun) - float(best.fun)), 0.0)
    return Test(
        "beta-binomial", float(best.x[0]), math.nan, ratio, 1.0, float(chdtrc(1.0, ratio)), r / (1.0 + r)
    )


def random_effect(first: FloatArray, second: FloatArray) -> Test:
    """Decisive answers with a normal judge effect on the log-odds, by adaptive Gauss-Hermite quadrature.

    Returns
    -------
    Test
        estimate: beta with its standard error from the curvature; statistic: their ratio, normal; spread: sigma.

    Raises
    ------
    InputError
        All decisive answers for one system.
    """
    from scipy.optimize import minimize
    from scipy.special import expit, gammaln, logsumexp, ndtr

    n = first + second
    if not first.sum() or not second.sum():
        raise InputError("all decisive answers are for one system: no finite estimate")
    x, w = np.polynomial.hermite.hermgauss(NODES)
    constant = float((gammaln(n + 1.0) - gammaln(first + 1.0) - gammaln(second + 1.0)).sum())

    def llf(beta: float, sigma: float) -> float:
        u = np.zeros(len(n))
        for _ in range(100):  # the mode of each judge's integrand, by Newton
            p = expit(beta + sigma * u)
            step = (sigma * (first - n * p) - u) / (sigma**2 * n * p * (1.0 - p) + 1.0)
            u = u + step
            if np.abs(step).max() < 1e-12:
                break
        p = expit(beta + sigma * u)
        width = 1.0 / np.sqrt(sigma**2 * n * p * (1.0 - p) + 1.0)
        at = u[:, None] + math.sqrt(2.0) * width[:, None] * x
        eta = beta + sigma * at
        terms = first[:, None] * eta - n[:, None] * np.logaddexp(0.0, eta) - at**2 / 2 + x**2 + np.log(w)
        return (
            float((logsumexp(terms, axis=1) + np.log(width)).sum())
            - 0.5 * len(n) * math.log(math.pi)
            + constant
        )

    start = math.log(float(first.sum()) / float(second.sum()))
    search = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
    best = minimize(lambda at: -llf(at[0], abs(at[1])), [start, 0.3], method="Nelder-Mead", options=search)
    beta, sigma = float(best.x[0]), abs(float(best.x[1]))
    se = _se_of_first(lambda at: llf(at[0], abs(at[1])), np.array([beta, sigma]))
    z = beta / se
    return Test("random judge effect", beta, se, z, math.nan, 2.0 * float(ndtr(-abs(z))), sigma)


def _se_of_first(llf, at: FloatArray) -> float:  # type: ignore[no-untyped-def]  # a function of an array
    """Standard error of the first parameter from second differences of the log-likelihood."""
    h = 1e-4
    e = np.eye(2) * h
    second = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            second[i, j] = (
                llf(at + e[i] + e[j]) - llf(at + e[i] - e[j]) - llf(at - e[i] + e[j]) + llf(at - e[i] - e[j])
            ) / (4.0 * h * h)
    if second[1, 1] > -1e-8 or at[1] < 10 * h:  # sigma at 0: beta alone
        return float(1.0 / math.sqrt(-second[0, 0]))
    return float(math.sqrt(np.linalg.inv(-second)[0, 0]))
