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
BoolArray = NDArray[np.bool_]


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

    def unit_derivatives(self, eta: FloatArray, possible: BoolArray) -> tuple[FloatArray, FloatArray] | None:
        """float[3, 2, n] and float[3, 3, n]: of one win, tie and loss by eta; 0 where the outcome is certain."""
        if self.name == "logit":
            return None
        score, information = np.zeros((3, 2, len(eta))), np.zeros((3, 3, len(eta)))
        both = possible[0] & possible[2]
        for outcome, side in ((0, 1.0), (2, -1.0)):
            first, second = link(self.name).derivatives(side * eta)
            score[outcome, 0] = np.where(both, side * first, 0.0)
            information[outcome, 0] = np.where(both, -second, 0.0)
        return score, information


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

    def unit_derivatives(self, eta: FloatArray, possible: BoolArray) -> None:
        """None: Davidson's model without shift and scale; with them, standard errors by cluster are refused before."""
