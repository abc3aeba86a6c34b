"""Probabilities of the outcomes from a linear predictor, for results to carry with them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...fit.contests.spec import ContestSpec
from ...fit.family import LOG_WORTH_PER_UNIT
from ...fit.law import Law
from ...fit.record import FitRecord
from ...fit.rescale import shift_to
from ..structured.design import Design
from ..structured.links import link
from ..ties_general.model import GeneralTies, TiePoint, general_ties
from .rows import ContestRows, contest_rows
from .solved import Solved, binary, solved, tied_contests

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

    def law(self, fit: FitRecord) -> Law:
        """Not asked for: wins and losses have two predictors at most."""
        raise NotImplementedError


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
        """None: Davidson's model without shift and scale; with them there is :meth:`law`."""

    def law(self, fit: FitRecord) -> Law:
        """The likelihood of one win, tie or loss in each row, at the estimate."""
        spec = fit.spec
        assert isinstance(spec, ContestSpec)
        rows = contest_rows(fit.data, spec)
        found = solved(rows)
        model = TieUnits(tied_contests(rows), len(rows.design.names))
        return Law(model, found.theta, found.covariance, outward(fit, rows, found))


def outward(fit: FitRecord, rows: ContestRows, found: Solved) -> FloatArray:
    """float[n_params, p]: from the solver's parameters to the fit's, on its scale and against its reference."""
    spec = rows.spec
    out = rows.spread(np.eye(len(found.theta)), len(found.more))
    if fit.scale != spec.scale:
        unit = LOG_WORTH_PER_UNIT[spec.scale] / LOG_WORTH_PER_UNIT[fit.scale]
        out *= np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])[:, None]
    if spec.reference == "sum" and not spec.item_terms and not spec.no_abilities:
        out = shift_to(fit, "sum").forward(out)
    return out


@dataclass(frozen=True, eq=False)
class TieUnits:
    """One win, tie and loss of each row, under Davidson's model shifted or scaled: 3 n units, row by row.

    first_tie: the place of log nu among the parameters.
    """

    contests: GeneralTies
    first_tie: int

    def at(self, theta: FloatArray) -> TieUnitsPoint:
        """The units at the solver's parameters."""
        inner = theta.copy()
        inner[self.first_tie] -= np.log(2.0)  # nu = 2 exp(tie.max)
        return TieUnitsPoint(self.contests, inner)


@dataclass(frozen=True, eq=False)
class TieUnitsPoint:
    """The units at one place."""

    contests: GeneralTies
    theta: FloatArray

    def _counted(self, counts: FloatArray) -> TiePoint:
        wins, ties, losses = counts.T
        return TiePoint(replace(self.contests, wins=wins, ties=ties, losses=losses), self.theta)

    @property
    def log_probabilities(self) -> FloatArray:
        """float[3 n]."""
        return TiePoint(self.contests, self.theta).log_probabilities.ravel()

    @property
    def scores(self) -> FloatArray:
        """float[3 n, p]."""
        n = len(self.contests.wins)
        each = [self._counted(np.tile(np.eye(3)[k], (n, 1))).row_scores for k in range(3)]
        return np.stack(each, axis=1).reshape(3 * n, -1)

    def information(self, weights: FloatArray) -> FloatArray:
        """float[p, p]: of units that occur so often."""
        return self._counted(weights.reshape(-1, 3)).information
