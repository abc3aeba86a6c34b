"""What R's `glm` prints when it stops by its own rule: a maximum reached, a covariance from one step before
it.

`glm.fit` (binomial, logit) repeats weighted least squares from eta = logit((n y + 1/2)/(n + 1)) until

    |D_t - D_{t-1}| / (|D_t| + 0.1) < 1e-8,

and takes standard errors from (X' W X)^-1 with the weights W that the *last* least squares used, which are
those of the last step but one.  Estimates are then right to eight and more digits, standard errors to five to
nine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bridge.cells import count
from ...errors import InputError
from ...fit.fit import Fit

FloatArray = NDArray[np.float64]
#: R's defaults, ?glm.control.
EPSILON, MOST_STEPS = 1e-8, 25


def glm_values(fit: Fit) -> dict[str, float]:
    """estimate.X, se.X and deviance as R's `glm` prints them by default, for a Bradley-Terry fit of two
    outcomes.

    Raises
    ------
    InputError
        Another model than free items, with or without an order effect.
    """
    if (
        fit.outcome_model != "binary"
        or fit.scale != "log-odds"
        or any(t.by or t.kind == "covariate" for t in fit.terms)
    ):
        raise InputError(
            f"{fit.title}: how glm stops is known here for Bradley-Terry models of items and an order effect"
        )
    cells = count(fit)
    won, lost = np.asarray(cells.wins, float), np.asarray(cells.losses, float)
    columns = {}
    for k, term in enumerate(fit.terms):
        if fit.is_reference[k]:
            continue
        if term.kind == "order":
            columns[term.name] = np.ones(len(won)) if cells.order is None else np.asarray(cells.order, float)
        else:
            place = fit.items.index(term.item or "")
            columns[term.name] = (cells.first == place).astype(float) - (cells.second == place)
    beta, cov, deviance = irls(np.column_stack(list(columns.values())), won, lost)
    se = np.sqrt(np.diag(cov))
    values = {"deviance": deviance}
    for k, name in enumerate(columns):
        values[f"estimate.{name}"], values[f"se.{name}"] = float(beta[k]), float(se[k])
    return values


def irls(x: FloatArray, won: FloatArray, lost: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Estimates, covariance and deviance as `glm.fit` leaves them.

    Parameters
    ----------
    x : float[n_cells, n_parameters]
    won, lost : float[n_cells]
    """
    n = won + lost
    share = won / n
    mu = (won + 0.5) / (n + 1.0)
    eta = np.log(mu / (1.0 - mu))
    before = _deviance(share, mu, n)
    for _ in range(MOST_STEPS):
        spread = mu * (1.0 - mu)
        weight = n * spread
        information = x.T @ (x * weight[:, None])
        beta = np.linalg.solve(information, x.T @ (weight * (eta + (share - mu) / spread)))
        eta = x @ beta
        mu = 1.0 / (1.0 + np.exp(-eta))
        now = _deviance(share, mu, n)
        if abs(now - before) / (abs(now) + 0.1) < EPSILON:
            break
        before = now
    return beta, np.linalg.inv(information), now


def _deviance(share: FloatArray, mu: FloatArray, n: FloatArray) -> float:
    def part(y: FloatArray, m: FloatArray) -> FloatArray:
        return np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / m), 0.0)

    return float(2.0 * np.sum(n * (part(share, mu) + part(1.0 - share, 1.0 - mu))))
