"""Probabilities of the outcomes of one comparison, and the likelihood of units that occur so often.

With u the log-odds of the first item against the second, and g the tie parameter::

    binary      P(first) = 1 / (1 + exp(-u)),                       P(tie) = 0
    davidson    P(first) : P(tie) : P(second) = exp(u/2) : exp(g) : exp(-u/2)
    rao-kupper  P(first) = 1 / (1 + exp(-(u - g))),  P(second) = 1 / (1 + exp(u + g)),  P(tie) = the rest

Davidson (1970, JASA 65, 317-328) with nu = exp(g); Rao and Kupper (1967, JASA 62, 194-204) with theta =
exp(g), g >= 0.  In the log-linear form of Dras (2015, eq. 1) u/2 = lambda_j - lambda_k and g = gamma.

Refits, profiles and robust standard errors ask for a likelihood as :class:`Law`::

    l(phi) = sum over units i of w_i log P_i(phi)

A unit is an answer of a person as a whole, or one result of a row of comparisons.  Everything else is a
matter of its scores, of the information of any weighting of the units, and of where the maximum is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
OutcomeModel = Literal["binary", "davidson", "rao-kupper"]


def outcome_probabilities(u: FloatArray, g: FloatArray, model: OutcomeModel) -> FloatArray:
    """P(first preferred), P(tie), P(second preferred), without overflow for any u.

    u: log-odds of first against second, order effect included.  g: tie parameter, same shape (ignored if
    binary); -inf gives no ties.  Returns float[..., 3]: each row sums to 1.
    """
    half = np.asarray(u, float) / 2
    if model == "rao-kupper":
        # (1 + tanh(x/2)) / 2 is the logistic function; differences of tanh would cancel for the tie, so the
        # tie is written as a product: P(tie) = P(first) P(second) (exp(2g) - 1).
        p_first = _logistic(2 * half - g)
        p_second = _logistic(-2 * half - g)
        return np.stack([p_first, p_first * p_second * np.expm1(2 * np.asarray(g, float)), p_second], axis=-1)
    tie = (
        np.full_like(half, -np.inf)
        if model == "binary"
        else np.broadcast_to(np.asarray(g, float), half.shape)
    )
    top = np.maximum(np.abs(half), tie)
    weights = np.exp(np.stack([half - top, tie - top, -half - top], axis=-1))
    total: FloatArray = weights / weights.sum(axis=-1, keepdims=True)
    return total


def _logistic(x: FloatArray) -> FloatArray:
    e = np.exp(-np.abs(x))
    p: FloatArray = np.where(x >= 0, 1.0, e) / (1.0 + e)
    return p


class LawPoint(Protocol):
    """The units at one value of the free parameters."""

    @property
    def log_probabilities(self) -> FloatArray:
        """float[n]."""

    @property
    def scores(self) -> FloatArray:
        """float[n, p]: derivatives of the log-probabilities."""

    def information(self, weights: FloatArray) -> FloatArray:
        """float[p, p]: minus the second derivative of the weighted log-likelihood."""


class LawModel(Protocol):
    """The likelihood of the units."""

    def at(self, phi: FloatArray) -> LawPoint:
        """At the free parameters phi, float[p]."""


@dataclass(frozen=True, eq=False)
class Law:
    """What refits, profiles and robust standard errors need: the likelihood, and where its maximum is.

    phi float[p]: the estimate.  covariance float[p, p]: of phi.  outward float[n_params, p]: the fit's
    parameters are outward @ phi.
    """

    model: LawModel
    phi: FloatArray
    covariance: FloatArray
    outward: FloatArray

    @cached_property
    def point(self) -> LawPoint:
        """The units at the estimate."""
        return self.model.at(self.phi)

    def influence(self) -> FloatArray:
        """float[n, n_params]: inverse of the information times the derivative of each unit's log-probability: what one of
        weight 1 moves the parameters by.
        """
        return np.asarray(self.point.scores @ self.covariance @ self.outward.T)
