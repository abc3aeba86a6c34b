"""Confidence limits from bootstrap replicates t*_1..t*_R of an estimate t0 (Davison and Hinkley 1997, chapter 5).

A quantile alpha of the replicates is the order statistic r = (R + 1) alpha; between whole ones it is interpolated on
the scale of normal quantiles q (their equation 5.8, R's boot::norm.inter)::

    t_(k) + (q(r/(R+1)) - q(k/(R+1))) / (q((k+1)/(R+1)) - q(k/(R+1))) (t_(k+1) - t_(k)),   k = floor(r)

    percentile    quantiles alpha and 1 - alpha of t*
    basic         2 t0 - them
    normal        t0 - bias -+ q se
    studentized   t0 - se0 x quantiles of (t* - t0) / se*
    bca           quantiles alpha* = Phi(z0 + (z0 + z) / (1 - a (z0 + z))), z0 = q(#{t* < t0} / R)
                  (Efron 1987, JASA 82, 171-185)

with the acceleration a = sum L^3 / (6 (sum L^2)^(3/2)), L_g = mean(t_(-g)) - t_(-g), by deleting clusters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

FloatArray = NDArray[np.float64]


def least_replicates(level: float) -> int:
    """Replicates with which the tail of an interval holds at least one: (R + 1) (1 - level) / 2 >= 1."""
    return int(np.ceil(round(2.0 / (1.0 - level), 9))) - 1


def check_replicates(n: int, level: float) -> None:
    """Raise InputError if the order statistics of an interval do not exist."""
    least = least_replicates(level)
    if n < least:
        raise InputError(
            f"{n} replicates, and limits at level {level:g} need {least} or more: (R + 1)(1 - level)/2 >= 1; draw more"
        )


def quantile(ordered: FloatArray, alpha: float) -> float:
    """An interpolated order statistic.

    ordered float[R]: sorted; may begin with -inf and end with inf.  alpha: in (0, 1).  Returns float: nan if
    (R + 1) alpha is below 1 or above R; infinite where it falls among infinite replicates.
    """
    from scipy.special import ndtri

    n = len(ordered)
    if np.isnan(alpha):  # a bias beyond all replicates
        return float("nan")
    r = (n + 1) * alpha
    # 0.025 x 2000 is 50.000000000000004 or 49.99999999999999 by the luck of rounding.
    nearest = round(r)
    if nearest and abs(r - nearest) < 1e-9 * nearest:
        r = float(nearest)
    if not 1.0 <= r <= n:
        return float("nan")
    k = int(np.floor(r))
    low = float(ordered[k - 1])
    if r == k:
        return low
    high = float(ordered[k])
    if low == high:
        return low
    if np.isinf(low) or np.isinf(high):
        return low if np.isinf(low) else high
    q = ndtri(np.array([r, k, k + 1]) / (n + 1))
    share = float((q[0] - q[1]) / (q[2] - q[1]))
    return low + share * (high - low)


def acceleration(left_out: FloatArray, weights: FloatArray | None = None) -> float:
    """a of BCa, from the estimates without each cluster; nan if they are all the same.

    left_out float[G].  weights float[G]: how many clusters have each value; default 1.
    """
    w = np.ones(len(left_out)) if weights is None else weights
    l = np.average(left_out, weights=w) - left_out
    square, cube = float(w @ l**2), float(w @ l**3)
    return cube / (6.0 * float(np.sqrt(square)) ** 3) if square > 0.0 else float("nan")


def jackknife_error(left_out: FloatArray, weights: FloatArray | None = None) -> float:
    """sqrt((G - 1)/G sum L^2), the jackknife standard error by clusters."""
    w = np.ones(len(left_out)) if weights is None else weights
    l = np.average(left_out, weights=w) - left_out
    g = float(w.sum())
    return float(np.sqrt((g - 1.0) / g * (w @ l**2)))


def percentile(ordered: FloatArray, level: float) -> tuple[float, float]:
    """Quantiles of sorted replicates at (1 - level)/2 and its complement."""
    return quantile(ordered, (1.0 - level) / 2.0), quantile(ordered, (1.0 + level) / 2.0)


def bca(ordered: FloatArray, t0: float, a: float, level: float) -> tuple[float, float]:
    """Bias-corrected accelerated limits; nan where alpha* asks for an order statistic that is not there."""
    from scipy.special import ndtr, ndtri

    z0 = float(ndtri(np.mean(ordered < t0)))
    limits = []
    for alpha in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
        z = z0 + float(ndtri(alpha))
        corrected = (
            float(ndtr(z0 + z / (1.0 - a * z))) if np.isfinite(z0) and 1.0 - a * z > 0.0 else float("nan")
        )
        limits.append(quantile(ordered, corrected))
    return limits[0], limits[1]


def normal(replicates: FloatArray, t0: float, se: float, level: float) -> tuple[float, float]:
    """t0 less the bias, -+ normal quantile times the standard error; infinite with an infinite replicate."""
    from scipy.special import ndtri

    if not np.isfinite(replicates).all():
        return -np.inf, np.inf
    centre, half = 2.0 * t0 - float(replicates.mean()), float(ndtri(0.5 + level / 2.0)) * se
    return centre - half, centre + half
