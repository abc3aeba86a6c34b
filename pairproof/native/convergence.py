"""Whether several Markov chains have come to the same distribution, and what their draws are worth.

    split R-hat   each chain cut in halves, so 2C chains of n draws; with W the mean of their variances and B/n the
                  variance of their means, R-hat = sqrt(((n-1)/n W + B/n) / W)              Gelman et al. (2013, 11.4)
    ESS           2C n / (1 + 2 sum of autocorrelations), summed while sums of neighbours are positive, not letting
                  them rise (Geyer 1992), autocorrelations pooled over the split chains      Gelman et al. (2013, 11.5)
    MCSE          sd / sqrt(ESS): how far the posterior mean may be off for want of draws

Good enough is R-hat <= 1.01 and ESS >= 400 (Vehtari et al. 2021, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import PairproofWarning

FloatArray = NDArray[np.float64]

#: Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), Bayesian Analysis 16(2), 667-718.
GOOD_RHAT = 1.01
GOOD_ESS = 400.0


class MixingWarning(PairproofWarning):
    """A sampler's chains have not mixed well enough for their means and intervals to be relied on."""


@dataclass(frozen=True, eq=False)
class Convergence:
    """Attributes
    ----------
    rhat : float[n]
        Split R-hat; nan where it cannot be told (fewer than 4 draws a chain, or a quantity that never moved).
    ess : float[n]
        Effective number of draws; nan likewise.
    mcse : float[n]
        Monte Carlo standard error of the mean.
    n_draws : int
        In all chains.
    """

    rhat: FloatArray
    ess: FloatArray
    mcse: FloatArray
    n_draws: int

    @property
    def good(self) -> bool:
        """Whether every quantity meets both limits; one that cannot be told does not."""
        return bool(np.all(self.rhat <= GOOD_RHAT) and np.all(self.ess >= GOOD_ESS))


def convergence(draws: FloatArray) -> Convergence:
    """Diagnostics of each quantity.

    Parameters
    ----------
    draws : float[chains, draws, n]
    """
    chains, length, n = draws.shape
    half = length // 2
    total = chains * length
    if half < 2:
        unknown = np.full(n, np.nan)
        return Convergence(unknown, unknown, unknown, total)
    # An odd draw in the middle is left out.
    split = np.concatenate([draws[:, :half], draws[:, length - half:]])
    means = split.mean(axis=1)
    within = split.var(axis=1, ddof=1).mean(axis=0)
    pooled = (half - 1) / half * within + means.var(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rhat = np.where(within > 0, np.sqrt(pooled / within), np.nan)
        rho = 1.0 - (within - _autocovariance(split).mean(axis=0)) / pooled
        ess = np.where(within > 0, len(split) * half / _autocorrelation_time(rho), np.nan)
    return Convergence(rhat, ess, draws.reshape(-1, n).std(axis=0, ddof=1) / np.sqrt(ess), total)


def _autocovariance(split: FloatArray) -> FloatArray:
    """float[m, n_draws, n]: autocovariances of each chain at lags 0, 1, ..., divided by n_draws - 1 as the variances."""
    length = split.shape[1]
    centred = split - split.mean(axis=1, keepdims=True)
    size = 1 << (2 * length - 1).bit_length()
    spectrum = np.fft.rfft(centred, size, axis=1)
    products = np.fft.irfft(spectrum * spectrum.conj(), size, axis=1)[:, :length]
    return np.asarray(products / (length - 1))


def _autocorrelation_time(rho: FloatArray) -> FloatArray:
    """1 + 2 sum of autocorrelations by Geyer's initial monotone sequence.

    Parameters
    ----------
    rho : float[n_draws, n]

    Returns
    -------
    float[n]
        At least 1 / log10(n_draws) times, so that antithetic chains are not credited without limit (as Stan does).
    """
    length = len(rho) - len(rho) % 2
    rho = rho.copy()
    rho[0] = 1.0
    pairs = rho[0:length:2] + rho[1:length:2]
    positive = np.cumprod(pairs > 0, axis=0).astype(bool)
    falling = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    time = -1.0 + 2.0 * falling.sum(axis=0)
    return np.asarray(np.maximum(time, 1.0 / np.log10(max(length, 10))))
