"""Tails of the normal, t, chi-square and F distributions, also where the probability itself is too small for a
double.

Doubles end at 4.9e-324, which a z of 38.5 reaches: a few thousand comparisons will do.  There log10 p stands
for p, from log_ndtr for the normal and, for the chi-square with a = df/2 and x half the statistic, from the
even part of Legendre's continued fraction (Abramowitz and Stegun 1964, 6.5.31)::

    Q(a, x) = exp(-x) x^a / Gamma(a) * 1 / (x + 1 - a - 1(1 - a) / (x + 3 - a - 2(2 - a) / (x + 5 - a - ...)))

The tails of t and F are incomplete beta functions (6.6.2, 26.5.27, 26.5.28), and far out (6.6.8, 15.3.3)::

    I_x(a, b) = x^a (1 - x)^b F(a + b, 1; a + 1; x) / (a B(a, b))
"""

from __future__ import annotations

import math

import numpy as np

from ...numerics.arrays import FloatArray
from ...numerics.compiled import special

#: Below this p is printed from its logarithm: nearer to the end of the doubles it loses digits one by one.
SMALLEST = 1e-300
#: Smaller exponents cannot be distinguished: rounding of log10 p then leaves no digit of the number in front.
LEAST_EXPONENT = -1_000_000_000
#: ndtri(0.975), of every summary.
NORMAL_975 = 1.959963984540054


def two_sided_p(z: FloatArray) -> FloatArray:
    """P(|Z| > |z|) of a standard normal; nan stays nan, and below 4.9e-324 there is only 0
    (:func:`log10_two_sided_p`).
    """
    tail: FloatArray = 2.0 * special("ndtr")(-np.abs(z))
    return tail


def log10_two_sided_p(z: FloatArray) -> FloatArray:
    """log10 of P(|Z| > |z|), finite for every finite z; nan stays nan."""
    tail: FloatArray = (math.log(2.0) + special("log_ndtr")(-np.abs(z))) / math.log(10.0)
    return tail


def student_p(t: FloatArray, df: FloatArray | float) -> FloatArray:
    """P(|T| > |t|) of Student's t on df degrees of freedom, normal where df is inf; nan stays nan."""
    t, df = np.broadcast_arrays(np.asarray(t, float), np.asarray(df, float))
    finite = np.isfinite(df) & np.isfinite(t)
    if not finite.any():
        return np.where(np.isnan(df), np.nan, two_sided_p(t))
    from scipy.special import betainc

    nu, squared = np.where(finite, df, 1.0), np.where(finite, t, 0.0) ** 2
    tail: FloatArray = np.where(finite, betainc(nu / 2.0, 0.5, nu / (nu + squared)), two_sided_p(t))
    return np.where(np.isnan(df), np.nan, tail)


def log10_student_p(t: FloatArray, df: FloatArray | float) -> FloatArray:
    """log10 of P(|T| > |t|) of Student's t on df degrees of freedom; nan stays nan."""
    t, df = np.broadcast_arrays(np.asarray(t, float), np.asarray(df, float))
    p = student_p(t, df)
    with np.errstate(divide="ignore"):
        out = np.where(np.isinf(df), log10_two_sided_p(t), np.log10(p))
    far = np.isfinite(df) & np.isfinite(t) & (p < SMALLEST)
    if far.any():
        nu, squared = df[far], t[far] ** 2
        out[far] = _log10_beta_tail(nu / 2.0, 0.5, squared / nu)
    return out


def student_quantile(probability: float, df: FloatArray | float) -> FloatArray:
    """Quantile of Student's t, normal where df is inf; nan where df is nan."""
    df = np.asarray(df, float)
    finite = np.isfinite(df)
    if probability == 0.975 and not finite.any():
        return np.where(np.isnan(df), np.nan, NORMAL_975)
    from scipy.special import ndtri, stdtrit

    quantile = np.where(finite, stdtrit(np.where(finite, df, 1.0), probability), ndtri(probability))
    return np.where(np.isnan(df), np.nan, quantile)


def f_p(statistic: float, df: float, df_denom: float) -> float:
    """P(F > statistic) on df and df_denom degrees of freedom; chi-square of df * statistic if df_denom is inf."""
    from scipy.special import betainc

    if math.isinf(df_denom):
        return chi_square_p(df * statistic, df)
    x = df_denom / (df_denom + df * max(statistic, 0.0))
    return float(betainc(df_denom / 2.0, df / 2.0, x))


def log10_f_p(statistic: float, df: float, df_denom: float) -> float:
    """log10 of P(F > statistic) on df and df_denom degrees of freedom; nan stays nan."""
    if math.isinf(df_denom):
        return log10_chi_square_p(df * statistic, df)
    p = f_p(statistic, df, df_denom)
    if math.isnan(p) or p >= SMALLEST:
        return math.log10(p) if p > 0 else math.nan
    y = np.array([df * statistic / df_denom])
    return float(_log10_beta_tail(np.array([df_denom / 2.0]), df / 2.0, y)[0])


def _log10_beta_tail(a: FloatArray, b: float, y: FloatArray) -> FloatArray:
    """log10 of I_x(a, b), x = 1 / (1 + y), for small values of it, by its continued fraction (Lentz's method).

    Of y and not of x, which is 1 but for rounding where a is large; hyp2f1, the same as a series, is nan from a = 5e6 on.
    """
    from scipy.special import betaln

    x = 1.0 / (1.0 + y)
    front = -(a + b) * np.log1p(y) + b * np.log(y) - np.log(a) - betaln(a, b)
    f = c = np.ones_like(x)
    d = np.zeros_like(x)
    for k in range(1, 20_000):
        m = k // 2
        term = m * (b - m) if k % 2 == 0 else -(a + m) * (a + b + m)
        term = term * x / ((a + k - 1.0) * (a + k))
        d = 1.0 / (1.0 + term * d)
        c = 1.0 + term / c
        f = f * c * d
        if (np.abs(c * d - 1.0) < 1e-15).all():
            break
    return np.asarray((front - np.log(f)) / math.log(10.0))


def chi_square_p(statistic: float, df: float) -> float:
    """P(X > statistic) of a chi-square with df > 0 degrees of freedom; 0 where it is below 4.9e-324."""
    return float(special("gammaincc")(df / 2.0, max(statistic, 0.0) / 2.0))


def log10_chi_square_p(statistic: float, df: float) -> float:
    """log10 of P(X > statistic) of a chi-square with df > 0 degrees of freedom; nan stays nan."""
    p = chi_square_p(statistic, df)
    if math.isnan(p) or p >= SMALLEST:
        return math.log10(p) if p > 0 else math.nan
    a, x = df / 2.0, statistic / 2.0
    if math.isinf(x):
        return -math.inf
    return (-x + a * math.log(x) - math.lgamma(a) - math.log(_fraction(a, x))) / math.log(10.0)


def _fraction(a: float, x: float) -> float:
    """x + 1 - a - 1(1 - a) / (x + 3 - a - ...), by Lentz's method; where Q is below 1e-300, x is far above
    a.
    """
    b = x + 1.0 - a
    f = c = b
    d = 0.0
    for k in range(1, 10_000):
        term = k * (a - k)
        b += 2.0
        d = 1.0 / (b + term * d)
        c = b + term / c
        f *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return f


def p_words(p: float, log10_p: float | None = None, digits: int = 4) -> str:
    """A p-value with `digits` significant digits; where a double cannot hold it, from its logarithm:
    `1.349e-1234`.

    Never "0": without the logarithm it is `<1e-300`, and what is too small even for that `<1e-1000000000`.
    """
    if math.isnan(p) or p >= SMALLEST:
        return f"{p:.{digits}g}"
    if log10_p is None or math.isnan(log10_p):
        return f"<{SMALLEST:.0e}"
    if not log10_p >= LEAST_EXPONENT:
        return f"<1e{LEAST_EXPONENT}"
    exponent = math.floor(log10_p)
    front = f"{10.0 ** (log10_p - exponent):.{digits - 1}f}"
    if float(front) >= 10.0:  # 9.9996 rounds up
        front, exponent = f"{1:.{digits - 1}f}", exponent + 1
    return f"{front}e{exponent}"


def p_value(p: float, log10_p: float) -> str:
    """`0.0123`, `1.2e-05`, and where a double ends `1e-1234`, which fits the column; `-` for nan."""
    if math.isnan(p):
        return "-"
    if p >= 0.001:
        return f"{p:.4f}"
    return f"{p:.1e}" if p >= SMALLEST else p_words(p, log10_p, 1)


def p_equals(p: float, log10_p: float | None = None, digits: int = 4) -> str:
    """`p = 0.0123`, `p = 1.349e-1234`, `p < 1e-300`."""
    return f"p = {p_words(p, log10_p, digits)}".replace("= <", "< ")
