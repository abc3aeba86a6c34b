"""Standard errors of weighted means such as word error rates (Vilar, Leusch and Ney 2007, equations 7 to 9).

Let d_i be the errors and l_i the length (in reference words) of sentence i, and L the sum of the l_i.  The
rate is R = sum d_i / L, and the residuals e_i = d_i - R l_i sum to 0::

    "vilar"      sqrt( sum l_i (d_i/l_i - R)^2 / ((m - 1) (L - 1)) )    equation 9; the sum of e_i^2 / l_i
    "delta"      sqrt( m/(m - 1) sum e_i^2 ) / L
    "jackknife"  sqrt( (m - 1)/m sum (R_(-i) - mean R_(-i))^2 )         i left out: R_(-i) = R - e_i / (L - l_i)

Equation 9 assumes that the variance of d_i/l_i falls as 1/l_i, as if words were wrong independently.  This
does not hold if sentences differ in difficulty; equation 9 is then too small, by about sqrt(1 + cv^2) with
cv^2 the squared coefficient of variation of the lengths.  The other two assume nothing about the variances.
With all l_i = 1 equation 9 is equation 4.

Two systems on the same sentences fail on the same hard ones, so their rates are not independent.  The
difference R1 - R2 is a function of four sums over sentences, and its delta method has the residuals
e_1i / L1 - e_2i / L2; the jackknife leaves a sentence out of both rates.  The paper tests R1 against R2 as if
it were a constant, with equation 9's standard error of R1 "or vice versa" (its section 3.1): no variance of
R2, and no gain from the pairing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError
from ....fit.estimates.array_inference import normal_quantile
from ....fit.estimates.tails import log10_two_sided_p, two_sided_p
from ....numerics.arrays import FloatArray

Estimator = Literal["delta", "jackknife", "vilar"]
#: Residuals up to so many roundings of the numbers they are differences of are 0: systems that differ by the
#: same rate in every sentence have a standard error of 0, not of 1e-17. R and e_i take about 5 roundings;
#: observed at most 1.3.
ROUNDINGS = 16 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class ErrorRate:
    """A system's error rate with its standard errors.
    rate: errors per word, >= 0.  se_vilar, se_delta, se_jackknife: standard errors, as in the module; exactly
    0 where every sentence has the same rate.  length: L, in words."""

    rate: float
    se_vilar: float
    se_delta: float
    se_jackknife: float
    m: int
    length: float

    @property
    def vilar_to_delta(self) -> float | None:
        """se_vilar / se_delta; None where both are 0."""
        return self.se_vilar / self.se_delta if self.se_delta else None

    def se(self, estimator: Estimator = "delta") -> float:
        """The standard error of that name."""
        return {"vilar": self.se_vilar, "delta": self.se_delta, "jackknife": self.se_jackknife}[estimator]

    def interval(self, level: float = 0.95, estimator: Estimator = "delta") -> tuple[float, float]:
        """rate -+ normal quantile * se; not cut off at 0."""
        half = normal_quantile((1 + level) / 2) * self.se(estimator)
        return self.rate - half, self.rate + half


@dataclass(frozen=True)
class RateDifference:
    """The difference of two systems' error rates on the same sentences.
    `first`, second: each by itself, on these sentences.  difference: first.rate - second.rate; negative where
    the first makes fewer errors.  se_delta, se_jackknife: of the difference, sentence by sentence; exactly 0
    where it is the same in every sentence."""

    first: ErrorRate = field(repr=False)
    second: ErrorRate = field(repr=False)
    difference: float
    se_delta: float
    se_jackknife: float
    m: int

    @property
    def se_unpaired(self) -> float:
        """What the delta method gives if the systems were taken to fail independently of each other."""
        return sqrt(self.first.se_delta**2 + self.second.se_delta**2)

    def se(self, estimator: Estimator = "delta") -> float:
        """The standard error of that name."""
        if estimator == "vilar":
            raise InputError(
                "equation 9 has no form for the difference of two rates; take estimator='delta' or"
                " 'jackknife'"
            )
        return {"delta": self.se_delta, "jackknife": self.se_jackknife}[estimator]

    def z(self, estimator: Estimator = "delta") -> float | None:
        """difference / se; None where the se is 0."""
        se = self.se(estimator)
        return self.difference / se if se else None

    def p(self, estimator: Estimator = "delta") -> float | None:
        """Two-sided, normal; None where there is no z."""
        z = self.z(estimator)
        return None if z is None else float(two_sided_p(np.array([z]))[0])

    def log10_p(self, estimator: Estimator = "delta") -> float | None:
        """log10 of p, also where p is too small for a double; None where there is no z."""
        z = self.z(estimator)
        return None if z is None else float(log10_two_sided_p(np.array([z]))[0])

    def interval(self, level: float = 0.95, estimator: Estimator = "delta") -> tuple[float, float]:
        """difference -+ normal quantile * se."""
        half = normal_quantile((1 + level) / 2) * self.se(estimator)
        return self.difference - half, self.difference + half

    @property
    def z_vilar(self) -> tuple[float | None, float | None]:
        """The paper's own test: difference / equation 9's se of the first's rate, and of the second's; None
        where that is 0."""
        one, two = self.first.se_vilar, self.second.se_vilar
        return (self.difference / one if one else None, self.difference / two if two else None)


@dataclass(frozen=True)
class _Ratio:
    """One system's sums, and the sentences' shares in them.
    lengths float[m].  total: L. residuals float[m]: d_i - R l_i; rounding is 0.  scale float[m]: d_i + R l_i,
    of which rounding is judged."""

    lengths: FloatArray
    total: float
    rate: float
    residuals: FloatArray
    scale: FloatArray

    @property
    def rest(self) -> FloatArray:
        """L - l_i, float[m]."""
        return np.asarray(self.total - self.lengths)

    @property
    def left_out(self) -> FloatArray:
        """R_(-i) - R, float[m]."""
        return -self.residuals / self.rest


def error_rate(errors: ArrayLike, lengths: ArrayLike) -> ErrorRate:
    """A system's error rate, such as the word error rate, with three standard errors.

    Equation 9 of Vilar, Leusch and Ney (2007), the delta method, and the jackknife.

    Parameters
    ----------
    errors : float[m]
        >= 0, of each sentence.
    lengths : float[m]
        > 0, in words.

    Returns
    -------
    ErrorRate

    Raises
    ------
    InputError
        Fewer than 2 sentences, arrays of different lengths, negative errors, a length that is not > 0, L <=
        1, or numbers so large or so unequal that doubles cannot hold their sums.

    Examples
    --------
    >>> import pairproof
    >>> wer = pairproof.error_rate([2, 0, 5, 1], [10, 8, 14, 6])    # 8 errors in 38 words
    >>> round(wer.rate, 4), round(wer.se_vilar, 4), round(wer.se_delta, 4), round(wer.se_jackknife, 4)
    (0.2105, 0.0776, 0.0811, 0.0886)
    """
    return _rate_of(_ratio(errors, lengths))


def rate_difference(
    first_errors: ArrayLike,
    second_errors: ArrayLike,
    lengths: ArrayLike,
    second_lengths: ArrayLike | None = None,
) -> RateDifference:
    """The difference of two systems' error rates on the same sentences, with paired standard errors.

    Vilar, Leusch and Ney (2007, section 3.1) test the two rates as if one were a constant; here the delta
    method and the jackknife take both from the same sentences.

    Parameters
    ----------
    first_errors, second_errors : float[m]
        >= 0; element i of both is of sentence i.
    lengths : float[m]
        > 0, in words.
    second_lengths : float[m], optional
        The second system's, where it was compared with other references; default: the same.

    Returns
    -------
    RateDifference

    Raises
    ------
    InputError
        As :func:`error_rate`; or the systems have different numbers of sentences.

    Examples
    --------
    >>> import pairproof
    >>> difference = pairproof.rate_difference([2, 0, 5, 1], [3, 1, 5, 3], [10, 8, 14, 6])
    >>> round(difference.difference, 4), round(difference.se(), 4), round(difference.p(), 4)
    (-0.1053, 0.0613, 0.086)
    """
    first = _ratio(first_errors, lengths)
    second = _ratio(second_errors, lengths if second_lengths is None else second_lengths)
    m = len(first.lengths)
    if m != len(second.lengths):
        raise InputError(
            f"{m} sentences of the first system and {len(second.lengths)} of the second; expected the same"
            " sentences of both"
        )
    residuals = first.residuals / first.total - second.residuals / second.total
    residuals = _without_rounding(residuals, first.scale / first.total + second.scale / second.total)
    scale = first.scale / first.rest + second.scale / second.rest
    left_out = _without_rounding(first.left_out - second.left_out, scale)
    se_delta, gap = sqrt(m / (m - 1) * float(np.sum(residuals**2))), first.rate - second.rate
    return RateDifference(_rate_of(first), _rate_of(second), gap, se_delta, _jackknife(left_out), m)


def residual_shares(errors: ArrayLike, lengths: ArrayLike) -> tuple[FloatArray, FloatArray, float]:
    """What each sentence adds to the error of a rate, e_i / L; its share l_i / L of the words; the rate.
    errors float[m]: >= 0, of each sentence.  lengths float[m]: > 0, in words.  Returns (float[m], float[m],
    float): the first sum to 0, the second to 1."""
    of = _ratio(errors, lengths)
    return of.residuals / of.total, of.lengths / of.total, of.rate


def _ratio(errors: ArrayLike, lengths: ArrayLike) -> _Ratio:
    d, l = np.asarray(errors, float), np.asarray(lengths, float)
    if d.ndim != 1 or d.shape != l.shape or len(d) < 2:
        raise InputError(
            f"errors of shape {d.shape} and lengths of shape {l.shape}; expected one of each for at least 2"
            " sentences"
        )
    for name, values, least in (("errors", d, d >= 0), ("lengths", l, l > 0)):
        bad = ~(np.isfinite(values) & least)
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"sentence {k + 1}: {name} is {values[k]}; expected a finite number"
                f" {'>= 0' if name == 'errors' else '> 0'}"
            )
    # Squares must fit as well: 1e150 is far beyond any text, and its square still is a double.
    with np.errstate(over="ignore"):
        total, most = float(l.sum()), max(float(d.sum()), float(l.sum()))
    if total <= 1:
        raise InputError(f"the lengths sum to {total}; equation 9 needs more than 1 word")
    if not isfinite(most) or most > 1e150 or total - float(l.max()) <= 0:
        raise InputError(
            f"errors up to {d.max():g} and lengths from {l.min():g} to {l.max():g} are beyond what doubles"
            " can add; expected counts of words"
        )
    rate = float(d.sum()) / total
    expected = rate * l
    return _Ratio(l, total, rate, _without_rounding(d - expected, d + expected), d + expected)


def _rate_of(of: _Ratio) -> ErrorRate:
    m = len(of.lengths)
    vilar = sqrt(float(np.sum(of.residuals**2 / of.lengths)) / ((m - 1) * (of.total - 1)))
    delta = sqrt(m / (m - 1) * float(np.sum(of.residuals**2))) / of.total
    return ErrorRate(of.rate, vilar, delta, _jackknife(of.left_out), m, of.total)


def _jackknife(left_out: FloatArray) -> float:
    """From what the estimate changes by when each sentence is left out."""
    m = len(left_out)
    return sqrt((m - 1) / m * float(np.sum((left_out - left_out.mean()) ** 2)))


def _without_rounding(differences: FloatArray, scale: FloatArray) -> FloatArray:
    return np.where(np.abs(differences) <= ROUNDINGS * scale, 0.0, differences)


def holm(p: ArrayLike) -> FloatArray:
    """p-values corrected for their number (Holm 1979, Scandinavian Journal of Statistics 6, 65-70).
    As R's p.adjust(method = "holm").  p float[n]: nan where there is none; those are not counted and stay
    nan.  Returns float[n]: the j-th smallest of k is multiplied by k - j + 1, never below a smaller one's, at
    most 1."""
    values = np.asarray(p, float)
    there = np.flatnonzero(~np.isnan(values))
    order = there[np.argsort(values[there], kind="stable")]
    corrected = np.full(values.shape, np.nan)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1)))
    return corrected
