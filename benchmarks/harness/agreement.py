"""Whether the answers that are timed are right: two checks that do not depend on how an answer was found.

1. The likelihood equations, from the data and the estimates alone: at the maximum sum over cells of
   (observed - expected) du/dbeta is 0 for every parameter.  Multiplied with the standard error it says, to
   first order in a well-conditioned fit, how many standard errors the estimate still is from the maximum.
2. Digits against a peer: -log10 |a - b| / max(|b|, standard error), the worst parameter.
"""

from __future__ import annotations

import numpy as np

from pairproof.validation.verdicts.digits import digits_of_agreement

from .data import Data, FloatArray
from .job import Answer

#: In standard errors: far below anything one could print, far above rounding (observed: 5e-13 and less).
NEAR_ENOUGH = 1e-6
#: Digits of standard errors that the nearest peer must share.  llbt.fit's own hold 2 to 4 (it stops early),
#: gnm's 7.
SHARED_DIGITS = 2.0


def distance_from_maximum(data: Data, answer: Answer, log_odds: bool) -> float:
    """Largest |score| x standard error over the parameters.

    Parameters
    ----------
    log_odds : bool
        Bradley-Terry with the first item as reference, instead of LLBT with the last.
    """
    n = data.n_items
    z = terms(data)
    n_terms = z.shape[1]
    reference = 0 if log_odds else n - 1
    free = np.insert(answer.estimate[: n_terms * (n - 1)].reshape(n_terms, n - 1), reference, 0.0, axis=1)
    tie = float(answer.estimate[-1]) if data.tie_category else -np.inf
    i, j, stratum = (v.astype(int) - 1 for v in (data.first, data.second, data.stratum))
    half = 0.5 if log_odds else 1.0  # u/2 per unit of the parameters
    ability = z @ free
    u = 2.0 * half * (ability[stratum, i] - ability[stratum, j])
    weights = np.stack([np.exp(u / 2), np.full_like(u, np.exp(tie)), np.exp(-u / 2)], axis=1)
    p = weights / weights.sum(axis=1, keepdims=True)
    total = data.wins + data.ties + data.losses
    residual = half * ((data.wins - data.losses) - total * (p[:, 0] - p[:, 2]))
    by_node = np.zeros((len(z), n))
    np.add.at(by_node, (stratum, i), residual)
    np.add.at(by_node, (stratum, j), -residual)
    score = np.delete(z.T @ by_node, reference, axis=1).ravel()
    if data.tie_category:
        score = np.append(score, float(np.sum(data.ties - total * p[:, 1])))
    return float(np.abs(score * answer.se).max())


def terms(data: Data) -> FloatArray:
    """float[n_strata, n_terms]: the constant, and the covariate or the judges after the first."""
    n = max(len(data.x), 1)
    if data.covariate == "none":
        return np.ones((n, 1))
    if data.covariate == "numeric":
        return np.stack([np.ones(n), data.x], axis=1)
    return np.hstack([np.ones((n, 1)), np.eye(n)[:, 1:]])


def shared_digits(answer: Answer, other: Answer) -> tuple[float | None, float | None]:
    """Digits of estimates and standard errors that `other` shares with `answer`, the worst parameter of each.

    None where `other` has none.
    """
    estimates = errors = None
    if len(other.estimate):
        if len(other.estimate) != len(answer.estimate):
            return 0.0, 0.0
        estimates = float(
            digits_of_agreement(other.estimate, answer.estimate, answer.se if len(answer.se) else 0.0).min()
        )
    if len(other.se) and len(answer.se):
        errors = float(digits_of_agreement(other.se, answer.se).min())
    return estimates, errors
