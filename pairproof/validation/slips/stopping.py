"""Where an algorithm stands before it has arrived: the steps of R's glm, and Zermelo's iteration.

`glm.fit` repeats weighted least squares from a start of its own (binomial: mu = (y + 1/2)/(n + 1); Poisson:
mu = y + 0.1) until |D_t - D_{t-1}| / (|D_t| + 0.1) < 1e-8, at most 25 times, and takes the covariance from
the weights that its *last* least squares used, those of the last step but one: ?glm.control, and
`paper-claims` of Turner and Firth (2012), whose seven-digit standard errors come out in this way only.

Zermelo (1929), Hunter (2004): p_i <- W_i / sum_j n_ij / (p_i + p_j), from equal worths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: R's defaults, ?glm.control.
EPSILON, MOST_STEPS = 1e-8, 25
#: Steps of Zermelo's iteration that are looked at: all the early ones, then some.
MM_STEPS = (*range(1, 21), 25, 30, 40, 50, 100)


@dataclass(frozen=True, eq=False)
class Iterate:
    """Where the algorithm stands.

    Attributes
    ----------
    beta : float[k]
        Log-odds; tie parameters last.
    information : float[k, k]
        With the weights used in the step that led here.
    """

    beta: FloatArray
    information: FloatArray


def binomial_path(x: FloatArray, g: FloatArray, y: FloatArray) -> list[Iterate]:
    """The steps of glm(cbind(wins, losses) ~ ., binomial); the last is where it stops.

    Parameters
    ----------
    x : float[n, k]
        Log-odds of the first item.
    g : float[n, 0]
        A binomial model has no tie parameter.
    y : float[n, 3]
        No cell empty, no ties.
    """
    if g.shape[1] or y[:, 1].any():
        return []
    n = y[:, 0] + y[:, 2]
    share = y[:, 0] / n
    mu = (y[:, 0] + 0.5) / (n + 1.0)
    eta = np.log(mu / (1.0 - mu))
    before = _binomial_deviance(share, mu, n)
    path: list[Iterate] = []
    for _ in range(MOST_STEPS):
        # R keeps eta within +-log(1/eps) of the logistic (thresh of C_logit_linkinv); beyond 30 mu stays at
        # the bound.
        spread = np.maximum(mu * (1.0 - mu), np.finfo(float).eps)
        weight = n * spread
        information = x.T @ (x * weight[:, None])
        try:
            beta = np.linalg.solve(information, x.T @ (weight * (eta + (share - mu) / spread)))
        except np.linalg.LinAlgError:
            return path
        path.append(Iterate(beta, information))
        eta = x @ beta
        mu = np.clip(
            1.0 / (1.0 + np.exp(-np.clip(eta, -700, 700))), np.finfo(float).eps, 1 - np.finfo(float).eps
        )
        now = _binomial_deviance(share, mu, n)
        if abs(now - before) / (abs(now) + 0.1) < EPSILON:
            break
        before = now
    return path


def _binomial_deviance(share: FloatArray, mu: FloatArray, n: FloatArray) -> float:
    from scipy.special import xlogy

    return float(2.0 * np.sum(n * (xlogy(share, share / mu) + xlogy(1 - share, (1 - share) / (1 - mu)))))


def poisson_path(x: FloatArray, g: FloatArray, y: FloatArray) -> list[Iterate]:
    """The steps of glm(count ~ nuisance + ., poisson) on outcomes of cells; the nuisance parameters are swept
    out.

    Parameters
    ----------
    x : float[n, k_u]
    g : float[n, k_g]
    y : float[n, 3]
        The tie column is left out where there are no ties at all and no tie parameter.
    """
    binary = not g.shape[1] and not y[:, 1].any()
    kinds = [0, 2] if binary else [0, 1, 2]
    zero_u, zero_g = np.zeros_like(x), np.zeros_like(g)
    columns = np.stack(
        [np.hstack([x / 2, zero_g]), np.hstack([zero_u, g]), np.hstack([-x / 2, zero_g])], axis=1
    )[:, kinds]
    counts = y[:, kinds]
    mu = counts + 0.1
    eta = np.log(mu)
    before = _poisson_deviance(counts, mu)
    path: list[Iterate] = []
    for _ in range(MOST_STEPS):
        z = eta + (counts - mu) / mu
        total = mu.sum(axis=1)
        centre_x = (mu[..., None] * columns).sum(axis=1) / total[:, None]
        centre_z = (mu * z).sum(axis=1) / total
        deviations = columns - centre_x[:, None]
        weighted = deviations * mu[..., None]
        information = np.einsum("nok,nol->kl", weighted, deviations)
        try:
            beta = np.linalg.solve(information, np.einsum("nok,no->k", weighted, z - centre_z[:, None]))
        except np.linalg.LinAlgError:
            return path
        path.append(Iterate(beta, information))
        eta = centre_z[:, None] + deviations @ beta
        mu = np.maximum(np.exp(np.clip(eta, -700, 700)), np.finfo(float).eps)
        now = _poisson_deviance(counts, mu)
        if abs(now - before) / (abs(now) + 0.1) < EPSILON:
            break
        before = now
    return path


def _poisson_deviance(y: FloatArray, mu: FloatArray) -> float:
    from scipy.special import xlogy

    return float(2.0 * np.sum(xlogy(y, y / mu) - (y - mu)))


def zermelo_path(y: FloatArray, pairs: IntArray, n_items: int, items: Sequence[int]) -> list[Iterate]:
    """Zermelo's iteration from equal worths; step k is place k - 1.  It gives no covariance.

    Parameters
    ----------
    y : float[n, 3]
        No ties.
    pairs : int[n, 2]
    n_items : int
    items : sequence of int
        The items of the parameters; the one left out is the reference.
    """
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
