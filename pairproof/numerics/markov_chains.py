"""Markov chains: draws from a truncated normal, whether chains have come together, what their draws are worth.

P(Z > a) = Phi(-a) is taken from the side where it is small: z = -Phi^-1(u Phi(-a)), u uniform on (0, 1), is
above a to full relative accuracy down to 1e-300 (a = 37); beyond, the same in logarithms.

As Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), "Rank-normalization, folding, and localization: an
improved R-hat", Bayesian Analysis 16(2), 667-718.  Each chain is cut in halves: m chains of n draws x,
S = m n in all, W the mean of their variances and B/n the variance of their means.

    split R-hat   sqrt(var+ / W),  var+ = (n-1)/n W + B/n                                      (3), (4)
    ESS           S / tau,  rho_t = 1 - (W - mean autocovariance at lag t) / var+,             (10) to (13)
                  tau = -1 + 2 sum of (rho_2k + rho_2k+1) while these pairs are positive, not letting them
                  rise (Geyer 1992), + rho of the even lag at which the sum stops, if positive;
                  tau >= 1 / log10(S)
    z             Phi^-1((r - 3/8) / (S + 1/4)),  r the rank among all S draws, ties their average rank  (14)
    R-hat         the larger of split R-hat of z and of z of |x - median|: place, and width and tails    (4.2)
    bulk ESS      ESS of z                                                                               (4.1)
    tail ESS      the smaller ESS of the indicators x <= 5 % quantile and x <= 95 % quantile             (4.3)
    ESS, MCSE     ESS of x itself; sd / sqrt(ESS) is how far the posterior mean may be off for want of draws

Autocovariances are divided by n, as in Stan and in R's posterior, which has the same numbers.
Good enough is R-hat <= 1.01 and both bulk and tail ESS >= 400.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import PairproofWarning
from .arrays import FloatArray

#: Phi(-37) is 6e-300; a little farther it is no longer a normal double.
LOG_BEYOND = 37.0


def above(a: FloatArray, u: FloatArray) -> FloatArray:
    """Standard normals given Z > a.
    `a` float[n]: lower bounds.  u float[n]: uniform in (0, 1).  Returns float[n]: each >= its bound."""
    from scipy.special import erfc, log_ndtr, ndtri, ndtri_exp

    # Phi(-a) = erfc(a / sqrt(2)) / 2, a quarter faster than ndtr and as exact.
    z: FloatArray = a * np.sqrt(0.5)
    erfc(z, out=z)
    z *= 0.5
    z *= u
    ndtri(z, out=z)
    np.negative(z, out=z)
    np.maximum(z, a, out=z)
    if a.size and a.max() > LOG_BEYOND:
        far = a > LOG_BEYOND
        z[far] = np.maximum(-ndtri_exp(np.log(u[far]) + log_ndtr(-a[far])), a[far])
    return z


def between(a: FloatArray, b: FloatArray, u: FloatArray) -> FloatArray:
    """Standard normals given a < Z < b, for intervals whose middle is not above 0 (turn others round).
    `a`, b float[n]: a < b and a + b <= 0, so that the mass is in the lower tail or about 0.  u float[n]:
    uniform in (0, 1).  Returns float[n]: each in [a, b]."""
    from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

    low, high = ndtr(a), ndtr(b)
    z: FloatArray = ndtri(low + u * (high - low))
    if b.size and b.min() < -LOG_BEYOND:
        far = b < -LOG_BEYOND
        top = log_ndtr(b[far])
        z[far] = ndtri_exp(top + np.log(u[far] + (1.0 - u[far]) * np.exp(log_ndtr(a[far]) - top)))
    return np.clip(z, a, b, out=z)


#: Vehtari et al. (2021), abstract and section 4: of the rank-normalised R-hat ...
GOOD_RHAT = 1.01
#: ... and of bulk and tail ESS, with four chains.
GOOD_ESS = 400.0
#: Draws a chain below which nothing is told: in halves of fewer than 6 the sum of autocorrelations has not
#: one pair of lags (posterior then calls any draws worth half their number).
FEWEST_DRAWS = 12
#: The quantiles whose estimates the tail ESS is about; Vehtari et al. (2021, 4.3).
TAILS = (0.05, 0.95)


class MixingWarning(PairproofWarning):
    """A sampler's chains have not mixed well enough for their means and intervals to be relied on."""


@dataclass(frozen=True, eq=False)
class Convergence:
    """Diagnostics of Markov chains, after Vehtari et al. (2021).
    Each is nan where it cannot be determined: fewer than 12 draws per chain, a draw that is not finite, all
    draws equal.  rhat float[n]: rank-normalised split R-hat, the larger of bulk and folded; huge (rounding,
    or inf) where each chain stands still at a place of its own.  ess_bulk, ess_tail float[n]: effective
    number of draws for the middle of the distribution and for its 5 % and 95 % quantiles; the latter is nan
    also where more than 95 % of the draws are equal to the largest.  ess float[n]: effective number of draws
    for the mean.  mcse float[n]: Monte Carlo standard error of the mean."""

    rhat: FloatArray
    ess_bulk: FloatArray
    ess_tail: FloatArray
    ess: FloatArray
    mcse: FloatArray
    n_draws: int

    @property
    def good(self) -> bool:
        """Whether every quantity meets all limits; one that cannot be determined does not."""
        return bool(
            np.all(self.rhat <= GOOD_RHAT)
            and np.all(self.ess_bulk >= GOOD_ESS)
            and np.all(self.ess_tail >= GOOD_ESS)
        )


def convergence(draws: FloatArray) -> Convergence:
    """R-hat, effective sample sizes and Monte Carlo error of each quantity (Vehtari et al. 2021).
    draws float[chains, draws, n]: warm-up left out.  Returns Convergence: numbers of shape float[n], as R's
    package posterior has them."""
    chains, length, n = draws.shape
    total = chains * length
    if length < FEWEST_DRAWS:
        unknown = np.full(n, np.nan)
        return Convergence(unknown, unknown, unknown, unknown, unknown, total)
    x = np.array(draws.transpose(2, 0, 1), dtype=np.float64, order="C")
    flat = x.reshape(n, total)
    # Ranks would hide a nan; a row of zeros is what never moves.
    flat[~np.isfinite(flat).all(axis=1)] = 0.0
    halves = _halves(x)
    # The median and the tails' quantiles are those of all draws, the odd ones in the middle of chains
    # included.
    middle = np.median(flat, axis=1)[:, None, None]
    bulk, folded = normal_scores(halves), normal_scores(np.abs(halves - middle))
    tails = [(halves <= q[:, None, None]).astype(float) for q in np.quantile(flat, TAILS, axis=1)]
    ess_bulk, ess_low, ess_high, ess = effective(np.concatenate([bulk, *tails, halves])).reshape(4, n)
    rhat = np.maximum(split_rhat(bulk), split_rhat(folded))
    moves = flat.min(axis=1) < flat.max(axis=1)
    rhat, ess_bulk, ess_tail, ess = (
        np.where(moves, v, np.nan) for v in (rhat, ess_bulk, np.minimum(ess_low, ess_high), ess)
    )
    with np.errstate(invalid="ignore"):
        return Convergence(rhat, ess_bulk, ess_tail, ess, flat.std(axis=1, ddof=1) / np.sqrt(ess), total)


def _halves(x: FloatArray) -> FloatArray:
    """float[n, 2 chains, draws // 2] of float[n, chains, draws]; an odd draw in the middle is left out."""
    half = x.shape[2] // 2
    return np.concatenate([x[:, :, :half], x[:, :, x.shape[2] - half :]], axis=1)


def normal_scores(x: FloatArray) -> FloatArray:
    """z of each quantity's draws among all chains.
    x float[n, chains, draws].  Returns float[n, chains, draws]: blom's scores; ties have that of their
    average rank."""
    from scipy.special import ndtri

    flat = x.reshape(len(x), -1)
    size = flat.shape[1]
    order = np.argsort(flat, axis=1)
    ordered = np.take_along_axis(flat, order, axis=1)
    rank = np.broadcast_to(np.arange(1.0, size + 1), flat.shape)
    equal = ordered[:, 1:] == ordered[:, :-1]
    if equal.any():
        rank = rank.copy()
        for k in np.flatnonzero(equal.any(axis=1)):
            first = np.flatnonzero(np.concatenate([[True], ~equal[k]]))
            last = np.append(first[1:], size)
            rank[k] = np.repeat((first + 1 + last) / 2.0, last - first)
    # Average ranks are whole or half: a score for each is looked up, not worked out n times.
    scores = ndtri((np.arange(1.0, size + 0.5, 0.5) - 0.375) / (size + 0.25))
    z = np.empty_like(flat)
    np.put_along_axis(z, order, scores[np.rint(2.0 * rank - 2.0).astype(np.int64)], axis=1)
    return z.reshape(x.shape)


def split_rhat(halves: FloatArray) -> FloatArray:
    """Gelman and Rubin's R-hat of chains that are already cut in halves.
    halves float[n, m, draws].  Returns float[n]: nan where nothing moves."""
    length = halves.shape[2]
    within = halves.var(axis=2, ddof=1).mean(axis=1)
    between = halves.mean(axis=2).var(axis=1, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.sqrt((length - 1) / length + between / within))


def effective(halves: FloatArray) -> FloatArray:
    """Effective number of draws for the mean of each quantity.
    halves float[n, m, draws].  Returns float[n]: at most S log10(S), so that antithetic chains are not
    credited without limit; nan where nothing moves."""
    _, m, length = halves.shape
    covariance = _mean_autocovariance(halves)
    within = covariance[:, 0] * length / (length - 1)
    pooled = covariance[:, 0] + halves.mean(axis=2).var(axis=1, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = 1.0 - (within[:, None] - covariance) / pooled[:, None]
        tau = np.maximum(_autocorrelation_time(rho), 1.0 / np.log10(m * length))
        return np.asarray(np.where(pooled > 0, m * length / tau, np.nan))


def _mean_autocovariance(halves: FloatArray) -> FloatArray:
    """float[n, draws]: mean over the chains of their autocovariances at lags 0, 1, ..., divided by the number
    of draws."""
    from scipy.fft import irfft, next_fast_len, rfft

    length = halves.shape[2]
    # Padded to twice the length, so that no draw meets one of the other end.
    size = next_fast_len(2 * length, real=True)
    spectrum = rfft(halves - halves.mean(axis=2, keepdims=True), size, axis=2)
    power = (spectrum.real**2 + spectrum.imag**2).mean(axis=1)
    return np.asarray(irfft(power, size, axis=1)[:, :length] / length)


def _autocorrelation_time(rho: FloatArray) -> FloatArray:
    """tau by Geyer's initial monotone sequence.  rho float[n, draws].  Returns float[n]."""
    n, length = rho.shape
    rho = rho[:, : length - length % 2].copy()
    rho[:, 0] = 1.0
    pairs = rho[:, 0::2] + rho[:, 1::2]
    # Sums that have found no end stop two pairs before the last lag, as in Stan and posterior.
    pairs = pairs[:, :-2]
    summed = np.logical_and.accumulate(pairs > 0, axis=1)
    stop = summed.sum(axis=1)
    falling = np.minimum.accumulate(np.where(summed, pairs, 0.0), axis=1)
    return np.asarray(-1.0 + 2.0 * falling.sum(axis=1) + np.maximum(rho[np.arange(n), 2 * stop], 0.0))
