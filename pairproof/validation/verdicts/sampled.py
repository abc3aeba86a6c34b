"""Agreement of two samplers, judged against what their own draws leave uncertain.

With a and b the two programs' posterior means and their Monte Carlo standard errors, z = (a - b) /
sqrt(se_a^2 + se_b^2) is about standard normal if both sample the same posterior.  Of k quantities all |z|
must lie below the two-sided normal point of false_alarm / k (Bonferroni), so a right sampler fails a whole
comparison with probability false_alarm at most. An error of d standard errors in one quantity is seen with
probability P(|N(d, 1)| > that point): `visible` is the difference that would be seen with probability 0.9,
so it says how much an agreement shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from ...fit.inference import normal_quantile

FloatArray = NDArray[np.float64]

#: Of a whole comparison.
FALSE_ALARM = 0.001
POWER = 0.9


@dataclass(frozen=True, eq=False)
class SampledAgreement:
    """Means of two samplers beside each other, with the Monte Carlo errors of their differences.

    native, r float[n].  se float[n]: Monte Carlo standard error of the difference.  limit: largest |z| that
    agrees.
    """

    names: tuple[str, ...]
    native: FloatArray
    r: FloatArray
    se: FloatArray
    limit: float

    @property
    def z(self) -> FloatArray:
        """float[n]"""
        return (self.native - self.r) / self.se

    @property
    def agrees(self) -> bool:
        return bool(np.all(np.abs(self.z) <= self.limit))

    @property
    def visible(self) -> FloatArray:
        """float[n]: a difference of this size would be seen with probability 0.9."""
        return (self.limit + normal_quantile(POWER)) * self.se

    def __str__(self) -> str:
        rows = [
            f"{name}: native {a:.5f}, R {b:.5f}, z {z:+.2f} (Monte Carlo standard error {s:.5f};"
            f" {v:.4f} would be seen)"
            for name, a, b, z, s, v in zip(self.names, self.native, self.r, self.z, self.se, self.visible)
        ]
        verdict = "agree" if self.agrees else "DIFFER"
        return "\n".join(
            [f"{verdict}: largest |z| {np.abs(self.z).max():.2f}, at most {self.limit:.2f}", *rows]
        )


def agree_sampled(
    names: Sequence[str],
    native: ArrayLike,
    native_mcse: ArrayLike,
    r: ArrayLike,
    r_mcse: ArrayLike,
    false_alarm: float = FALSE_ALARM,
) -> SampledAgreement:
    """Hold two samplers' means against each other.

    native, native_mcse, r, r_mcse float[n]: posterior means and their Monte Carlo standard errors; the latter
    0 for an exact value.  false_alarm: in (0, 1).
    """
    if not 0 < false_alarm < 1:
        raise InputError(f"false_alarm={false_alarm}; expected a probability between 0 and 1")
    a, sa, b, sb = (np.asarray(x, np.float64).ravel() for x in (native, native_mcse, r, r_mcse))
    if not len(names) or {len(a), len(sa), len(b), len(sb)} != {len(names)}:
        raise InputError(
            f"{len(names)} names, {len(a)} and {len(b)} means, {len(sa)} and {len(sb)} standard errors;"
            " expected as many of each, at least 1"
        )
    se = np.sqrt(sa**2 + sb**2)
    if not (np.isfinite(se).all() and (se > 0).all()):
        k = int(np.flatnonzero(~(np.isfinite(se) & (se > 0)))[0])
        raise InputError(
            f"{names[k]}: Monte Carlo standard errors {sa[k]} and {sb[k]}; one of them must be > 0 and both"
            " finite"
        )
    return SampledAgreement(tuple(names), a, b, se, normal_quantile(1 - false_alarm / (2 * len(names))))
