"""Contests with a link, an offset, reduced bias or general ties, fitted to other counts of the same rows.

A replicate counts each row of the table anew, and is solved as any table is: from the start, at infinity where it
separates.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import ComparisonError, ConvergenceError, InputError, NotEstimableError, PairproofWarning
from ...fit.contests.fit import ContestFit
from ...fit.contests.mixed import MixedFit
from ...fit.fit import Fit
from ..contests.fitted import fit_spec
from ..contests.outcomes import outward
from ..contests.rows import contest_rows
from ..contests.solved import Solved, contests_of, limit_of, solved
from ..hypotheses.at_infinity import AtInfinity
from ..hypotheses.taken_apart import SAME
from .draws import AnyDraws, ByRows, Weights

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContestRefit:
    """The estimates of one replicate; attributes as in :class:`pairproof.native.resampling.refit.Refit`."""

    beta: FloatArray
    infinite: AtInfinity | None
    separated: bool


class ContestRefitter:
    """Fits of one model of contests to other counts of its rows."""

    def __init__(self, fit: ContestFit) -> None:
        if isinstance(fit, MixedFit):
            raise InputError(
                f"the bootstrap of {fit.title}: rows or clusters that are drawn again share the random effects of the table, and"
                " say nothing of how these vary; fit.profile() and fit.conf_int() are of the marginal likelihood"
            )
        self.fit, self.rows = fit, contest_rows(fit.data, fit.of_contests)
        table = self.rows.table
        self.model = ByRows(fit.data, table, fit.of_contests)
        self.full: FloatArray = np.stack([table.wins, table.ties, table.losses], axis=1)
        found = solved(self.rows)
        self.outward = outward(fit, self.rows, found)
        self._check(found)

    def _check(self, found: Solved) -> None:
        fit = self.fit
        known = fit.free & (np.abs(fit.null_space).max(axis=1, initial=0.0) < 1e-9)
        se = np.sqrt(np.maximum(fit.covariance.variances(), 0.0))
        gap = np.abs(self.outward @ found.theta - fit.beta) / np.where(se > 0, se, 1.0)
        if known.any() and gap[known].max() > SAME:
            k = np.flatnonzero(known)[int(np.argmax(gap[known]))]
            raise ComparisonError(
                f"{fit.names[k]} is {fit.beta[k]:.10g} by {fit.engine} and {(self.outward @ found.theta)[k]:.10g} by the"
                " native engine, which makes the refits; they have to agree"
            )

    def refit(self, counts: FloatArray) -> ContestRefit | None:
        """The fit to counts float[n_rows, 3]; None if the solver found none, or there are no comparisons."""
        if not counts.any():
            return None
        rows = replace(self.rows, table=_counted(self.rows.table, counts))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PairproofWarning)
                found = solved(rows)
        except (ConvergenceError, NotEstimableError, np.linalg.LinAlgError):
            return None
        beta = self.outward @ found.theta
        if not found.null_space.shape[1]:
            return ContestRefit(beta, None, False)
        null = found.null_space
        certain = np.zeros((0, null.shape[1]))
        if found.n_infinite:
            limit = limit_of(contests_of(rows))
            sign = np.where(limit.contests.wins[limit.certain] > 0, 1.0, -1.0)
            subset = limit.contests.design.subset(limit.certain)
            null = limit.flat
            certain = sign[:, None] * (subset.rows(np.arange(len(sign))) @ null)
            size = np.abs(certain).max(axis=1)
            certain = certain[size > 1e-9] / size[size > 1e-9, None]
        return ContestRefit(beta, AtInfinity(self.outward @ null, certain), bool(found.n_infinite))

    def influence(self, refit: ContestRefit, functions: FloatArray) -> FloatArray:
        """Refused: replicates are not given standard errors."""
        raise InputError(
            f"studentize=True of {self.fit.title}: replicates of such models have no standard errors here; use bca or"
            " percentile limits"
        )

    def fit_again(self, draws: AnyDraws, counts: FloatArray, weights: Weights | None) -> Fit | None:
        """A whole fit of the replicate, for a user's function; None if there is none."""
        fit, data = self.fit, self.fit.data
        if weights is None:
            return fit
        rows = draws.row_factors(weights, np.stack([data.wins, data.ties, data.losses], axis=1))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PairproofWarning)
                again = fit_spec(_counted(data, rows), fit.of_contests)
        except (ConvergenceError, NotEstimableError):
            return None
        return again if again.scale == fit.scale else again.on_scale(fit.scale)


def _counted(table: Comparisons, counts: FloatArray) -> Comparisons:
    return replace(table, wins=counts[:, 0], ties=counts[:, 1], losses=counts[:, 2])
