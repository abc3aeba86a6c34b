"""Whether two samplers' draws come from one posterior: means and standard deviations, within Monte Carlo
error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairproof.native.competitions.irt.gaussian_irt import LaplaceFit
from pairproof.numerics.markov_chains import convergence
from pairproof.validation.papers.compared_with_r import agree_sampled

FloatArray = NDArray[np.float64]

#: Posterior standard deviations by which the normal approximation may be off: an interval's end that is off
#: by a twentieth changes its coverage by 0.3 percentage points.  Observed 0.016 in means and 0.020 in sds,
#: two Monte Carlo standard errors.
LAPLACE = 0.05


@dataclass(frozen=True, eq=False)
class Summary:
    """Posterior means and sds with their Monte Carlo standard errors, float[n] each."""

    mean: FloatArray
    mean_error: FloatArray
    sd: FloatArray
    sd_error: FloatArray


def summary(draws: FloatArray) -> Summary:
    """Of draws, float[chains, draws, n].

    An sd's error is that of the mean squared deviation, over 2 sd: squares can mix more slowly than the draws
    do.
    """
    mean, sd = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1), ddof=1)
    return Summary(mean, convergence(draws).mcse, sd, convergence((draws - mean) ** 2).mcse / (2 * sd))


def held(a: FloatArray, b: FloatArray, names: tuple[str, ...]) -> dict[str, Any]:
    """Draws against draws: largest abs(z) of means and of sds, the largest allowed, and what would be seen,
    in sds of `a`.
    """
    one, two = summary(a), summary(b)
    means = agree_sampled(names, one.mean, one.mean_error, two.mean, two.mean_error)
    sds = agree_sampled(names, one.sd, one.sd_error, two.sd, two.sd_error)
    return {
        "quantities": len(names),
        "z": float(np.abs(means.z).max()),
        "sd_z": float(np.abs(sds.z).max()),
        "limit": float(means.limit),
        "visible": float((means.visible / one.sd).max()),
        "sd_visible": float((sds.visible / one.sd).max()),
        "agrees": bool(means.agrees and sds.agrees),
    }


def near_laplace(fit: LaplaceFit, draws: FloatArray) -> dict[str, Any]:
    """The normal approximation against exact draws: LAPLACE sds, four Monte Carlo standard errors aside."""
    exact = summary(draws)
    off, apart = np.abs(fit.mode - exact.mean), np.abs(fit.centred_sd - exact.sd)
    near = (off <= LAPLACE * exact.sd + 4 * exact.mean_error) & (
        apart <= LAPLACE * exact.sd + 4 * exact.sd_error
    )
    return {
        "off": float((off / exact.sd).max()),
        "off_error": float((exact.mean_error / exact.sd).max()),
        "apart": float((apart / exact.sd).max()),
        "apart_error": float((exact.sd_error / exact.sd).max()),
        "agrees": bool(near.all()),
    }
