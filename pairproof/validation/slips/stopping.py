"""The estimates of an iterative algorithm after each step: R's glm, and Zermelo's iteration.

`glm.fit` repeats weighted least squares until

    |D_t - D_{t-1}| / (|D_t| + 0.1) < 1e-8,    at most 25 times,

with D the deviance, from its own starting values (binomial: mu = (y + 1/2)/(n + 1); Poisson: mu = y + 0.1).
It computes the covariance with the weights of the *last* least squares, which belong to the last step but one
(?glm.control).  Estimates are then right to eight or more digits, standard errors to between five and nine;
the seven-digit standard errors that Turner and Firth (2012) print are reproduced only in this way.

Zermelo (1929), Hunter (2004): p_i <- W_i / sum_j n_ij / (p_i + p_j), from equal worths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...numerics.arrays import FloatArray, IntArray

#: R's defaults, ?glm.control.
EPSILON, MOST_STEPS = 1e-8, 25
#: Steps of Zermelo's iteration that are tried: all the early ones, then some.
MM_STEPS = (*range(1, 21), 25, 30, 40, 50, 100)
#: R keeps a binomial mu and a Poisson mu at least this far from their limits.
_LEAST = np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Iterate:
    """The state of an algorithm after one step.  beta float[k]; information float[k, k]."""

    beta: FloatArray
    information: FloatArray
    deviance: float = np.nan


#: One weighted least squares from the linear predictor and the means: estimates, information, and the new
#: linear predictor and means.
LeastSquares = Callable[[FloatArray, FloatArray], "tuple[FloatArray, FloatArray, FloatArray, FloatArray]"]


def _irls(
    least_squares: LeastSquares, deviance: Callable[[FloatArray], float], eta: FloatArray, mu: FloatArray
) -> list[Iterate]:
    """Repeat weighted least squares until the deviance converges or the equations have no solution."""
    before = deviance(mu)
    path: list[Iterate] = []
    for _ in range(MOST_STEPS):
        try:
            beta, information, eta, mu = least_squares(eta, mu)
        except np.linalg.LinAlgError:
            return path
        now = deviance(mu)
        path.append(Iterate(beta, information, now))
        if abs(now - before) / (abs(now) + 0.1) < EPSILON:
            break
        before = now
    return path


def binomial_path(x: FloatArray, g: FloatArray, y: FloatArray) -> list[Iterate]:
    """glm(cbind(wins, losses) ~ ., binomial) step by step: x float[n, k], g float[n, 0], y float[n, 3]."""
    from scipy.special import xlogy

    if g.shape[1] or y[:, 1].any():
        return []
    n = y[:, 0] + y[:, 2]
    share = y[:, 0] / n

    def deviance(mu: FloatArray) -> float:
        return float(2.0 * np.sum(n * (xlogy(share, share / mu) + xlogy(1 - share, (1 - share) / (1 - mu)))))

    def least_squares(
        eta: FloatArray, mu: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        # R keeps eta within +-log(1/eps) of the logistic (thresh of C_logit_linkinv); beyond 30 mu stays at
        # the bound.
        spread = np.maximum(mu * (1.0 - mu), _LEAST)
        weight = n * spread
        information = x.T @ (x * weight[:, None])
        beta = np.linalg.solve(information, x.T @ (weight * (eta + (share - mu) / spread)))
        eta = x @ beta
        fitted = 1.0 / (1.0 + np.exp(-np.clip(eta, -700, 700)))
        return beta, information, eta, np.clip(fitted, _LEAST, 1 - _LEAST)

    mu = (y[:, 0] + 0.5) / (n + 1.0)
    return _irls(least_squares, deviance, np.log(mu / (1.0 - mu)), mu)


def poisson_path(x: FloatArray, g: FloatArray, y: FloatArray) -> list[Iterate]:
    """The steps of glm(count ~ nuisance + ., poisson) on the outcomes of cells, with the nuisance parameters
    (one per cell) eliminated.  x float[n, k_u]; g float[n, k_g]; y float[n, 3].
    """
    from scipy.special import xlogy

    outcomes = [0, 1, 2] if g.shape[1] or y[:, 1].any() else [0, 2]
    zero_u, zero_g = np.zeros_like(x), np.zeros_like(g)
    columns = np.stack(
        [np.hstack([x / 2, zero_g]), np.hstack([zero_u, g]), np.hstack([-x / 2, zero_g])], axis=1
    )[:, outcomes]
    counts = y[:, outcomes]

    def deviance(mu: FloatArray) -> float:
        return float(2.0 * np.sum(xlogy(counts, counts / mu) - (counts - mu)))

    def least_squares(
        eta: FloatArray, mu: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        z = eta + (counts - mu) / mu
        total = mu.sum(axis=1)
        centre_x = (mu[..., None] * columns).sum(axis=1) / total[:, None]
        centre_z = (mu * z).sum(axis=1) / total
        deviations = columns - centre_x[:, None]
        weighted = deviations * mu[..., None]
        information = np.einsum("nok,nol->kl", weighted, deviations)
        beta = np.linalg.solve(information, np.einsum("nok,no->k", weighted, z - centre_z[:, None]))
        eta = centre_z[:, None] + deviations @ beta
        return beta, information, eta, np.maximum(np.exp(np.clip(eta, -700, 700)), _LEAST)

    return _irls(least_squares, deviance, np.log(counts + 0.1), counts + 0.1)


def zermelo_path(y: FloatArray, pairs: IntArray, n_items: int, items: Sequence[int]) -> list[Iterate]:
    """The steps of Zermelo's iteration from equal worths: y float[n, 3], pairs int[n, 2]."""
    games = np.zeros((n_items, n_items))
    np.add.at(games, (pairs[:, 0], pairs[:, 1]), y.sum(axis=1))
    games += games.T
    wins = np.bincount(pairs[:, 0], y[:, 0], n_items) + np.bincount(pairs[:, 1], y[:, 2], n_items)
    (reference,) = set(range(n_items)) - set(items)
    worth, path = np.ones(n_items), []
    for _ in range(max(MM_STEPS)):
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = wins / (games / (worth[:, None] + worth[None, :])).sum(axis=1)
            worth = worth / worth.mean()
            ability = np.log(worth)
            path.append(Iterate(ability[list(items)] - ability[reference], np.zeros((0, 0))))
    return path
