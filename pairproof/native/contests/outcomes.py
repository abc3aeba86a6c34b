"""Probabilities of the outcomes from a linear predictor, for results to carry with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..structured.design import Design
from ..structured.links import link
from ..ties_general.model import TiePoint, general_ties
from .solved import binary

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class LinkOutcomes:
    """Wins and losses under a link."""

    name: str

    def probabilities(self, eta: FloatArray, home: FloatArray, ties: FloatArray) -> FloatArray:
        """float[n, 3]: first preferred, tie, second preferred; `home` and `ties` play no part."""
        known = np.isfinite(eta)
        p = np.full(len(eta), np.nan)
        p[known] = link(self.name).probability(eta[known])
        return binary(p)


@dataclass(frozen=True)
class TieOutcomes:
    """Wins, ties and losses under Davidson's model, shifted or scaled."""

    shift: bool
    scale: bool

    def probabilities(self, eta: FloatArray, home: FloatArray, ties: FloatArray) -> FloatArray:
        """float[n, 3]: first preferred, tie, second preferred.

        eta float[n].  home float[n]: 1 where the item named first has its advantage.  ties float[q]: the tie
        parameter log nu, then shift and scale if the model has them.
        """
        known = np.isfinite(eta)
        out = np.full((len(eta), 3), np.nan)
        u, at = eta[known], home[known]
        none, nobody = np.zeros(len(u)), np.full(len(u), -1)
        design = Design(nobody, nobody, np.zeros((len(u), 0)), u, ())
        contests = general_ties(design, none, none, none, at, self.shift, self.scale)
        theta = ties.copy()
        theta[0] -= np.log(2.0)  # nu = 2 exp(tie.max)
        out[known] = TiePoint(contests, theta).probabilities
        return out
