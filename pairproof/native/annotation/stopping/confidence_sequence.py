"""A confidence sequence for a mean: intervals that hold at every look, however often one looks.

For all n >= n0 at once, P(|mean_n - m| > s_n B(n)) <= alpha, with Robbins' (1970) normal mixture

    B(n) = sqrt( 2 (n r + 1) / (n^2 r) log( sqrt(n r + 1) / alpha ) )
    r = (U - 1) / n*,   U = -W_{-1}(-alpha^2 / e)

(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Ann. Statist. 52, 2613-2640; asymptotic, s_n the
standard deviation of a term). r makes B smallest at the planned number n*, where it is sqrt(U / n*): 1.55
times the half-width of an interval that is looked at once, at alpha .05.

Which item is judged next may depend on the scores so far, as in EASL: given the past a new score has the
item's own mean, so its sum stays a martingale in the item's number of judgments.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError
from ..beta import FloatArray

#: Judgments beyond which nobody goes on.
MOST = 10**9


def mixture_constant(alpha: float) -> float:
    """U = -W(-alpha^2 / e) on the lower branch: the squared half-width at the planned n, times n.

    Robbins (1970) has the mixture, Waudby-Smith and others (2024) its tuning.

    alpha: in (0, 1).  Returns float: the root above 1 of U - log U = 1 - 2 log alpha.
    """
    from scipy.special import lambertw

    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha!r}; expected a number between 0 and 1, such as 0.05")
    right = 1.0 - 2.0 * math.log(alpha)
    # Below alpha 1e-150 alpha^2 underflows; U = right + log U converges from any start.
    u = float(-lambertw(-(alpha**2) / math.e, -1).real) if alpha > 1e-150 else right
    for _ in range(60):
        # Newton on U - log U - right takes off what rounding in the branch near -1/e has left.
        step = (u - math.log(u) - right) / (1.0 - 1.0 / u) if u > 1.0 else 0.0
        u -= step
        if abs(step) < 1e-15 * u:
            break
    return u


def boundary(n: ArrayLike, alpha: float, planned: float) -> FloatArray:
    """B(n): the half-width of the interval in standard deviations of a term.

    n: terms so far, > 0.  alpha: in (0, 1).  planned: n*, the number at which the interval is made as short
    as it can be; > 0.  Returns float[...].
    """
    t = np.asarray(n, np.float64)
    if not (planned > 0 and math.isfinite(planned)):
        raise InputError(f"planned={planned!r}; expected a number of judgments > 0")
    if not (t > 0).all():
        raise InputError(f"n={float(t.min())!r}; expected numbers of judgments > 0")
    return _boundary(t, (mixture_constant(alpha) - 1.0) / planned, alpha)


def _boundary(t: FloatArray, r: float, alpha: float) -> FloatArray:
    grown = t * r + 1.0
    found: FloatArray = np.sqrt(2.0 * grown / (t * t * r) * (0.5 * np.log(grown) - math.log(alpha)))
    return found


def enough(half: ArrayLike, spread: ArrayLike, alpha: float, planned: float) -> FloatArray:
    """The smallest n at which spread B(n) <= half.

    half float[k]: half-width wanted.  spread float[k]: standard deviation of a term, >= 0.  alpha, planned:
    as for :func:`boundary`.  Returns float[k]: whole numbers; inf where the half-width is not positive, or
    beyond 1e9.
    """
    wanted, s = np.broadcast_arrays(np.asarray(half, np.float64), np.asarray(spread, np.float64))
    low, high = np.zeros(wanted.shape), np.full(wanted.shape, float(MOST))
    reached = (wanted > 0) & (s * boundary(high, alpha, planned) <= wanted)
    r = (mixture_constant(alpha) - 1.0) / planned
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        middle = np.where(high - low > 1, middle, high)
        fine = s * _boundary(middle, r, alpha) <= wanted
        low, high = np.where(fine, low, middle), np.where(fine, middle, high)
    found: FloatArray = np.where(reached, high, np.inf)
    return found
