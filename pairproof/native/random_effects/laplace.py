"""Laplace's approximation of the marginal likelihood of contests with random effects, and its gradient.

With u^ the mode of the effects given b and sigma, and W their observed weights there,

    log L = l(b, u^) - u^'u^ / (2 sigma^2) - log det(I + sigma^2 Z'WZ) / 2

(Breslow and Clayton 1993, JASA 88, 9-25; lme4's `glmer(nAGQ = 1)`).  The gradient is exact: W changes with
u^, and u^ with b and sigma, so that with A = Z'WZ + I/sigma^2, r the residuals, c_r = z_r'A^-1 z_r and s = c
dW/d eta / 2

    d/d b = X'(r - s) + X'WZ A^-1 Z's
    d/d log sigma = u^'u^/sigma^2 - K + tr(A^-1)/sigma^2 - 2 s'Z A^-1 u^/sigma^2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..structured.contests import Contests
from ..structured.likelihood import ContestPoint
from ..structured.links import Link
from .penalised import effects_alone, penalised_mode

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Marginal:
    """The marginal log-likelihood at one place.

    Attributes
    ----------
    value : float
        Without binomial coefficients.
    gradient : float[p + 1]
        By b and by log sigma.
    effects : float[K]
        Mode of the effects (Laplace), or their posterior mean (quadrature).
    inverse : float[K, K] or None
        A^-1 (Laplace).

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.laplace import Marginal
    >>> Marginal(-1.5, np.zeros(2), np.zeros(3)).value
    -1.5
    """

    value: float
    gradient: FloatArray
    effects: FloatArray
    inverse: FloatArray | None = None


def laplace(
    contests: Contests, chosen: Link, beta: FloatArray, sigma: float, near: Marginal | None = None
) -> Marginal:
    """Laplace's approximation at one place.

    Parameters
    ----------
    contests : Contests
        Whose first K parameters are the effects.
    chosen : Link
        logit or probit.
    beta : float[p]
        The fixed parameters.
    sigma : float
        Standard deviation of the effects, > 0.
    near : Marginal, optional
        Laplace's approximation at a place nearby, from which the mode is found with fewer factors.

    Returns
    -------
    Marginal

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.laplace import laplace
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import Design
    >>> from pairproof.native.structured.links import link
    >>> design = Design(np.array([0]), np.array([1]), np.zeros((1, 0)), np.zeros(1), ("A", "B"))
    >>> found = laplace(Contests(design, np.ones(1), np.ones(1)), link("logit"), np.zeros(0), 1.0)
    >>> print(f"{found.value:.9f}")  # 2 log(1/2) - log(1 + 2 * 2/4) / 2
    -1.732867951
    """
    from scipy.linalg.lapack import dpotri

    alone = effects_alone(contests, beta)
    k = contests.design.n_own
    precision = np.full(k, sigma**-2)
    here = _from_nearby(alone, chosen, sigma, near)
    if here is None:
        here = penalised_mode(alone, chosen, precision, np.zeros(k) if near is None else near.effects)
    factor = np.linalg.cholesky(here.observed + np.diag(precision))
    inverse = dpotri(factor, lower=1)[0]
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    u = here.theta
    square = float(u @ u) / sigma**2
    value = here.value - 0.5 * square - float(np.log(np.diag(factor)).sum()) - k * np.log(sigma)
    pull = 0.5 * here.row_thirds * _spreads(here, inverse)
    back = inverse @ alone.design.transposed(pull)  # A^-1 Z's
    along = alone.design.predictor(back) - alone.design.offset
    by_beta = (here.row_scores - pull + here.row_curvatures * along) @ contests.design.dense
    by_log_sigma = square - k + (np.trace(inverse) - 2.0 * float(back @ u)) / sigma**2
    return Marginal(float(value), np.append(by_beta, by_log_sigma), u, inverse)


def _from_nearby(alone: Contests, chosen: Link, sigma: float, near: Marginal | None) -> ContestPoint | None:
    """The mode by steps with the inverse of a place nearby, or None if these do not converge fast.

    Each step leaves a share of the error, as large as the information differs; a step takes a product where
    Newton's takes a factor.
    """
    if near is None or near.inverse is None:
        return None
    u, last = near.effects, np.inf
    for _ in range(12):
        here = ContestPoint(alone, chosen, u)
        score = here.score - u / sigma**2
        step = near.inverse @ score
        decrement = float(step @ score)
        if not 0 <= decrement < 0.1 * last:
            return here if 0 <= decrement < 1e-26 else None
        u, last = u + step, decrement
        if decrement < 1e-26:
            return ContestPoint(alone, chosen, u)
    return None


def _spreads(here: ContestPoint, inverse: FloatArray) -> FloatArray:
    """z'A^-1 z of each row, float[n]."""
    k = len(inverse)
    wide = np.zeros((k + 1, k + 1))  # the last row and column are what index -1 reads
    wide[:k, :k] = inverse
    first, second = here.contests.design.first, here.contests.design.second
    own = np.diag(wide)
    return np.asarray(own[first] + own[second] - 2.0 * wide[first, second])
