"""Standard errors of weighted means such as word error rates (Vilar, Leusch and Ney 2007, equations 7 to 9).

With d_i the errors and l_i the length (reference words) of sentence i, L = sum of l_i, the rate is R = sum d_i / L and::

    "vilar"      sqrt( sum l_i (d_i/l_i - R)^2 / ((m - 1) (L - 1)) )               equation 9
    "delta"      sqrt( m/(m - 1) sum (d_i - R l_i)^2 ) / L
    "jackknife"  sqrt( (m - 1)/m sum (R_(-i) - mean R_(-i))^2 )                    R_(-i): sentence i left out

Equation 9 takes the variance of d_i/l_i to fall as 1/l_i, as if each word went wrong by itself.  Where sentences differ
in difficulty it does not, and equation 9 is too small, by about sqrt(1 + cv^2) with cv^2 the squared coefficient of
variation of the lengths; the other two ask nothing of the variances.  With all l_i = 1 equation 9 is equation 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ErrorRate:
    """Attributes
    ----------
    rate : float
        Errors per word.
    se_vilar, se_delta, se_jackknife : float
        As in the module; the last is nan where leaving one sentence out leaves no words.
    m : int
        Sentences.
    length : float
        L, in words.
    """

    rate: float
    se_vilar: float
    se_delta: float
    se_jackknife: float
    m: int
    length: float


def error_rate(errors: ArrayLike, lengths: ArrayLike) -> ErrorRate:
    """Rate and standard errors.

    Parameters
    ----------
    errors : float[m]
        >= 0.
    lengths : float[m]
        > 0, in words.

    Raises
    ------
    InputError
        Fewer than 2 sentences, arrays of different lengths, negative errors, a length that is not > 0, or L <= 1.
    """
    d, l = np.asarray(errors, float), np.asarray(lengths, float)
    if d.ndim != 1 or d.shape != l.shape or len(d) < 2:
        raise InputError(f"errors of shape {d.shape} and lengths of shape {l.shape}; expected one of each for at least 2 sentences")
    for name, values, least in (("errors", d, d >= 0), ("lengths", l, l > 0)):
        bad = ~(np.isfinite(values) & least)
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            raise InputError(f"sentence {k + 1}: {name} is {values[k]}; expected a finite number {'>= 0' if name == 'errors' else '> 0'}")
    m, total = len(d), float(l.sum())
    if total <= 1:
        raise InputError(f"the lengths sum to {total}; equation 9 needs more than 1 word")
    rate = float(d.sum()) / total
    vilar = sqrt(float(np.sum(l * (d / l - rate) ** 2)) / ((m - 1) * (total - 1)))
    delta = sqrt(m / (m - 1) * float(np.sum((d - rate * l) ** 2))) / total
    left_out = (d.sum() - d) / (total - l)
    jackknife = sqrt((m - 1) / m * float(np.sum((left_out - left_out.mean()) ** 2)))
    return ErrorRate(rate, vilar, delta, jackknife, m, total)
