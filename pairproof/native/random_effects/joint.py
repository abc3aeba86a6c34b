"""Effects and fixed parameters together: their joint covariance, and predictions.

Given sigma, the joint precision of (u, b) at the mode is

    Q = [Z'WZ + I/sigma^2, Z'WX; X'WZ, X'WX],        V = Q^-1

(Henderson 1975, Biometrics 31, 423-447; Breslow and Clayton 1993).  V is the covariance of (u^ - u, b^ - b):
modes are not estimates of fixed effects.  The uncertainty of sigma is left out of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from ..structured.likelihood import ContestPoint
from ..structured.links import Link, link
from .factors import MOST_TOGETHER, inverse_of

FloatArray = NDArray[np.float64]

#: Of the trapezoid sum over a normal error, in its standard deviations; both give 15 digits.
RADIUS, STEP = 9.0, 0.125


@dataclass(frozen=True, eq=False)
class Joint:
    """Effects and fixed parameters of contests, and their covariance given sigma.

    names: of the K effects and the p fixed parameters.  theta float[K + p].  covariance float[K + p, K + p]:
    of theta minus the truth.  n_effects: K.  sigma: standard deviation of the effects; at 0 the effects are 0
    and have no variance.
    """

    names: tuple[str, ...]
    theta: FloatArray
    covariance: FloatArray
    n_effects: int
    sigma: float
    link: str

    @property
    def standard_errors(self) -> FloatArray:
        """float[K + p]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


def joint_of(here: ContestPoint, sigma: float, observed: bool = True) -> Joint:
    """Effects and parameters at the mode, with their covariance.

    here: at the mode of effects and parameters.  observed: whether W is that of the observed information, or
    of the expected one; the same for the logit.
    """
    design = here.contests.design
    k, p = design.n_own, len(design.names) - design.n_own
    if k + p > MOST_TOGETHER:
        raise TooLargeError(
            f"the covariance of {k + p} effects and parameters; the limit is {MOST_TOGETHER}. fit_components does"
            " without it"
        )
    information = here.observed if observed else here.expected
    covariance = np.zeros((k + p, k + p))
    if sigma > 0:
        penalty = np.diag(np.append(np.full(k, sigma**-2), np.zeros(p)))
        covariance[:] = inverse_of(information + penalty)
    elif p:
        covariance[k:, k:] = inverse_of(information[k:, k:])
    return Joint(design.names, here.theta, covariance, k, sigma, here.link.name)


@dataclass(frozen=True)
class Prediction:
    """What a model with random effects says of a contest that may not have been seen.

    eta: linear predictor; the effect of a new player is 0.  standard_error: of eta: of the effects and
    parameters, and of the effects of new players; sigma taken as known.  plug_in: F(eta).  marginal: F
    averaged over the effects of new players: the share of wins to expect of such players.  averaged: F
    averaged over the whole variance.
    """

    eta: float
    standard_error: float
    plug_in: float
    marginal: float
    averaged: float


def predict(
    joint: Joint, columns: FloatArray, first: int | None, second: int | None, offset: float = 0.0
) -> Prediction:
    """The prediction of a contest between known or new players (Henderson 1975).

    columns float[p]: columns of the fixed parameters: the first player's covariates minus the second's.
    `first`, second: their effects, 0 .. K - 1; -1 for a player that has none; None for a new player.
    """
    a, new = contrast(joint.n_effects, len(joint.theta) - joint.n_effects, columns, first, second)
    eta = float(a @ joint.theta) + offset
    of_new = new * joint.sigma**2
    variance = float(a @ joint.covariance @ a) + of_new
    chosen = link(joint.link)
    return Prediction(
        eta,
        variance**0.5,
        float(chosen.probability(np.array([eta]))[0]),
        mean_probability(chosen, eta, of_new**0.5),
        mean_probability(chosen, eta, variance**0.5),
    )


def contrast(
    k: int, p: int, columns: FloatArray, first: int | None, second: int | None
) -> tuple[FloatArray, int]:
    """The linear predictor of a contest as a combination of effects and parameters.

    k, p: effects, and fixed parameters.  columns float[p].  `first`, second: as :func:`predict` takes them.
    Returns float[k + p], int: the combination, and how many of the sides are new players.
    """
    if np.shape(columns) != (p,):
        raise InputError(f"columns of shape {np.shape(columns)} for {p} fixed parameters")
    a = np.append(np.zeros(k), columns)
    new = 0
    for side, sign in ((first, 1.0), (second, -1.0)):
        if side is None:
            new += 1
        elif not -1 <= side < k:
            raise InputError(f"effect number {side}; there are {k}, from 0 (-1: none, None: a new player)")
        elif side >= 0:
            a[side] += sign
    return a, new


def mean_probability(chosen: Link, eta: float, sd: float) -> float:
    """E F(eta + e), e ~ N(0, sd^2), by the trapezoid rule.

    sd: of e, >= 0.  Returns float: in (0, 1).
    """
    if sd == 0.0:
        return float(chosen.probability(np.array([eta]))[0])
    # The poles of F lie pi / sd away from the real axis: a larger sd takes a smaller step.
    step = STEP / max(1.0, sd / 2.0)
    t = step * np.arange(-round(RADIUS / step), round(RADIUS / step) + 1)
    weight = np.exp(-0.5 * t**2)
    return float(weight @ chosen.probability(eta + sd * t) / weight.sum())
