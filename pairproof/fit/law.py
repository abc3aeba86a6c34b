"""A likelihood of units that occur so often, as refits, profiles and robust standard errors ask for it.

    l(phi) = sum over units i of w_i log P_i(phi)

A unit is an answer of a person as a whole, or one result of a row of comparisons.  Everything else is a matter of its
scores, of the information of any weighting of the units, and of where the maximum is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


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
