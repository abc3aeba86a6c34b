"""Inference on arrays: tests and their sentences, worths by the delta method, quasi-variances.

Worths are w = softmax(a) of the log worths a; with J = diag(w) - w w' their covariance is J V J' (delta
method). Quasi-variances q minimise sum over pairs of (log v_ij - log(q_i + q_j))**2, v_ij the variance of a_i
- a_j (Firth and de Menezes 2004, Biometrika 91, 65-80; the criterion of R's qvcalc).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ...errors import NotEstimableError
from ...numerics.arrays import FloatArray
from ...text import count_words
from .tails import log10_chi_square_p, log10_f_p, log10_student_p, p_equals


def normal_quantile(probability: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(probability))


def softmax(log_worth: FloatArray) -> FloatArray:
    """float[..., n_items]: worths that sum to 1 along the last axis, from log worths up to a constant."""
    e = np.exp(log_worth - log_worth.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def worths(log_worth: FloatArray, cov: FloatArray) -> tuple[FloatArray, FloatArray]:
    """softmax of log worths and its standard errors by the delta method.

    log_worth float[n_items]: up to a constant.  cov float[n_items, n_items]: covariance of the log worths
    under any constraint: the constant drops out.
    """
    best = int(np.argmax(log_worth))
    w = softmax(log_worth)
    # J V J' with J = diag(w) - w w', entry by entry: w_i w_j cov(a_i - m, a_j - m), m the mean of a under w.
    # Abilities are taken against the best item: where its worth is nearly 1, a - m of it is all but 0 and
    # would be a difference of large numbers.
    cov = cov - cov[best] - cov[:, [best]] + cov[best, best]
    with_mean = cov @ w
    centred = cov - with_mean - with_mean[:, None] + w @ with_mean
    return w, np.sqrt(np.maximum(np.diag(centred * np.outer(w, w)), 0.0))


@dataclass(frozen=True)
class QuasiVariances:
    """Numbers q_i such that var(a_i - a_j) is about q_i + q_j.

    quasi_variances float[n_items]: may be negative for an item; its quasi standard error is then nan.
    worst_error: largest relative error of sqrt(q_i + q_j) against the true standard error of a difference, in
    absolute value.  errors float[n_items, n_items]: relative error of each difference; nan on the diagonal.
    all_contrasts: least and greatest relative error of the standard error of any contrast, sum of c_i^2 q_i
    for c summing to 0 (Firth and de Menezes 2004, section 2.3); nan where a quasi-variance is not positive.
    """

    quasi_variances: FloatArray
    worst_error: float
    errors: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    all_contrasts: tuple[float, float] = (float("nan"), float("nan"))

    @property
    def quasi_se(self) -> FloatArray:
        q = self.quasi_variances
        return np.where(q >= 0, np.sqrt(np.abs(q)), np.nan)


def quasi_variances(cov: FloatArray, steps: int = 200) -> QuasiVariances:
    """Quasi-variances of items from their covariance, by damped Gauss-Newton to machine precision.

    cov float[n_items, n_items]: of log worths, under any constraint.
    """
    n = len(cov)
    if n < 3:
        raise NotEstimableError(f"quasi-variances need at least 3 items, found {n}")
    i, j = np.triu_indices(n, 1)
    v = np.diag(cov)[i] + np.diag(cov)[j] - 2.0 * cov[i, j]
    if not (np.isfinite(v).all() and (v > 0).all()):
        raise NotEstimableError(
            "quasi-variances need a positive finite variance of every difference of two items"
        )
    target = np.log(v)
    # Start: least squares of v_ij on q_i + q_j, which has the closed form below.
    row = np.zeros(n)
    np.add.at(row, i, v)
    np.add.at(row, j, v)
    q = (row - v.sum() / (n - 1)) / (n - 2)
    if (q[i] + q[j] <= 0).any():
        q = np.full(n, v.mean() / 2)

    def loss(q: FloatArray) -> float:
        s = q[i] + q[j]
        return float(np.sum((target - np.log(s)) ** 2)) if (s > 0).all() else np.inf

    for _ in range(steps):
        s = q[i] + q[j]
        residual = target - np.log(s)
        gradient, hessian = np.zeros(n), np.zeros((n, n))
        np.add.at(gradient, i, residual / s)
        np.add.at(gradient, j, residual / s)
        # Full Newton weight (1 + residual) where it is positive: quadratic convergence even for large
        # residuals.
        weight = np.maximum(1.0 + residual, 0.1) / s**2
        hessian[i, j] = hessian[j, i] = weight
        hessian[np.arange(n), np.arange(n)] = hessian.sum(axis=1)
        step = np.linalg.solve(hessian, gradient)
        now, length, size = loss(q), 1.0, float(np.max(np.abs(step)) / np.max(np.abs(q)))
        # Close to the minimum the loss is all rounding; there Newton's full step is the better judge.
        while size > 1e-5 and loss(q + length * step) > now and length > 1e-10:
            length /= 2
        q = q + length * step
        if size <= 1e-13:
            break
    error = np.sqrt((q[i] + q[j]) / v) - 1.0
    errors = np.full((n, n), np.nan)
    errors[i, j] = errors[j, i] = error
    return QuasiVariances(q, float(np.max(np.abs(error))), errors, _of_all_contrasts(cov, q))


def _of_all_contrasts(cov: FloatArray, q: FloatArray) -> tuple[float, float]:
    """Least and greatest relative error over all contrasts: roots of generalised eigenvalues of their two variances."""
    if not (q > 0).all():
        return float("nan"), float("nan")
    n = len(q)
    centred = np.eye(n)[:, 1:] - np.eye(n)[:, :1]  # differences from the first item span the contrasts
    exact, approximate = centred.T @ cov @ centred, centred.T @ (q[:, None] * centred)
    try:
        half = np.linalg.inv(np.linalg.cholesky(exact))
    except np.linalg.LinAlgError:
        return float("nan"), float("nan")
    values = np.linalg.eigvalsh(half @ approximate @ half.T)
    return float(np.sqrt(max(values[0], 0.0)) - 1.0), float(np.sqrt(values[-1]) - 1.0)


def with_cautions(text: str, *cautions: str) -> str:
    """A sentence, and a line for each caution."""
    return "\n  Caution: ".join([text, *filter(None, cautions)])


@dataclass(frozen=True)
class ChiSquareTest:
    """A test by a chi-square; p is 0 where it is too small for a double, and `log10_p` has it."""

    statistic: float
    df: int
    p: float

    @property
    def log10_p(self) -> float:
        """Logarithm of p, also where p itself is 0 in doubles."""
        return log10_chi_square_p(self.statistic, self.df)


@dataclass(frozen=True)
class LikelihoodRatio(ChiSquareTest):
    """Likelihood-ratio test of a smaller model inside a larger one.

    statistic: 2 (llf of the larger - llf of the smaller).  df: difference of the ranks, infinite estimates
    counted, as R's anova.  larger, smaller: the models in words.  caution: why the chi-square is rough; "" if
    no estimate is infinite.
    """

    larger: str
    smaller: str
    caution: str = ""

    def __str__(self) -> str:
        text = (
            f"Likelihood ratio {self.statistic:.4f} on {self.df} df, {p_equals(self.p)}: "
            f"{self.smaller} inside {self.larger}"
        )
        return with_cautions(text, self.caution)


@dataclass(frozen=True)
class WaldTest(ChiSquareTest):
    """Wald test that some linear functions of the parameters are zero.

    statistic: chi-square, or F where `df_denom` is finite.  df_denom: second degrees of freedom of F; inf for
    the chi-square.  covariance: "" for that of the model, or "CR2 by judge (24 clusters)".
    """

    hypothesis: str
    df_denom: float = float("inf")
    covariance: str = ""

    @property
    def log10_p(self) -> float:
        if math.isinf(self.df_denom):
            return super().log10_p
        return log10_f_p(self.statistic, self.df, self.df_denom)

    def __str__(self) -> str:
        if not math.isinf(self.df_denom):
            return (
                f"Wald F {self.statistic:.4f} on {self.df} and {self.df_denom:.4g} df,"
                f" {p_equals(self.p)}: {self.hypothesis} ({self.covariance})"
            )
        return (
            f"Wald chi-square {self.statistic:.4f} on {self.df} df, {p_equals(self.p)}:" f" {self.hypothesis}"
        )


@dataclass(frozen=True)
class GoodnessOfFit:
    """Deviance and Pearson's X^2 against a chi-square.

    p_deviance, p_pearson: nan where the chi-square reference does not hold at all; `caution` says why.
    caution: "" if the usual conditions hold.
    """

    deviance: float
    pearson: float
    df: int
    p_deviance: float
    p_pearson: float
    caution: str

    @property
    def log10_p_deviance(self) -> float:
        return np.nan if np.isnan(self.p_deviance) else log10_chi_square_p(self.deviance, self.df)

    @property
    def log10_p_pearson(self) -> float:
        return np.nan if np.isnan(self.p_pearson) else log10_chi_square_p(self.pearson, self.df)

    def __str__(self) -> str:
        text = (
            f"Deviance {self.deviance:.4f}, {p_equals(self.p_deviance)}; Pearson"
            f" {_decimals(self.pearson)}, {p_equals(self.p_pearson)};"
            f" {self.df if self.df < 2**53 else count_words(self.df)} df"
        )
        return with_cautions(text, self.caution)


@dataclass(frozen=True)
class Contrast:
    """A difference of two items, or any other linear function of the parameters.

    estimate, se, z, p: on the fit's scale; p two-sided.  low, high: confidence limits at `level`.  level: in
    (0, 1).  log_odds: the same difference as a log-odds.  odds: exp of it.  df: degrees of freedom of the t
    distribution that z and the limits are compared with; inf for the normal.
    """

    what: str
    estimate: float
    se: float
    z: float
    p: float
    low: float
    high: float
    level: float
    log_odds: float
    odds: float
    df: float = float("inf")

    @property
    def log10_p(self) -> float:
        return float(log10_student_p(np.array(self.z), self.df))

    def __str__(self) -> str:
        ratio = "z" if math.isinf(self.df) else f"t on {self.df:.4g} df"
        return (
            f"{self.what}: {self.estimate:.4f} (se {self.se:.4f}), {ratio} = {self.z:.3f},"
            f" {p_equals(self.p)}, {100 * self.level:g}% interval {self.low:.4f} to"
            f" {self.high:.4f}; odds {self.odds:.4g} to 1"
        )


def _decimals(x: float) -> str:
    """Four decimals, where a double has any."""
    return f"{x:.4f}" if not abs(x) >= 2**53 else f"{x:.5g}"
