"""The likelihoods of rows of contests: by link, with ties, and penalised by Jeffreys' prior.

    l(theta) = sum over rows r and outcomes o of y_ro log P_o(row r at theta)

A unit is one win, tie or loss of one row, so that the 3 n weights are the counts; where no tie is modelled a tie has
no probability.  With Jeffreys' prior the value is l + log det I / 2, I the expected information of all parameters, also
those that are held (Firth 1993, Biometrika 80, 27-38; Heinze and Schemper 2002, Statistics in Medicine 21, 2409-2419).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Union

import numpy as np

from ....errors import TooLargeError
from ....fit.estimates.likelihood import Limit, differenced
from ....numerics.arrays import FloatArray
from ..counts.existence import remaining
from .contest_design import Contests, Design
from .links import ContestPoint, Link
from .reduced_bias import adjustment, covariance_of
from .tied_contests import TiesLikelihood, TiesPoint, jeffreys

#: Entries of the rows of a constrained design where contests are separated.
MOST_ENTRIES = 50_000_000


@dataclass(frozen=True, eq=False)
class LinkLikelihood:
    """Wins and losses under a link.  null float[p, k] or None: the flat and the infinite directions, where they are known."""

    contests: Contests
    link: Link
    null: FloatArray | None = None

    @property
    def n_params(self) -> int:
        """p."""
        return len(self.contests.design.names)

    @cached_property
    def weights(self) -> FloatArray:
        """float[3 n]."""
        own = self.contests
        return np.stack([own.wins, np.zeros(len(own.wins)), own.losses], axis=1).ravel()

    @property
    def concave(self) -> bool:
        return self.link.concave

    @cached_property
    def pooled(self) -> Contests:
        """The different rows, whose likelihood is the same."""
        return self.contests.pooled()

    def at(self, theta: FloatArray) -> LinkPoint | None:
        """The point at theta, float[p]; None where it has no likelihood in doubles."""
        found = LinkPoint(self.pooled, self.link, theta, self)
        return found if np.isfinite(found.value) else None

    def start(self) -> FloatArray:
        return np.zeros(self.n_params)

    def weighted(self, weights: FloatArray) -> LinkLikelihood:
        """The same with other counts, float[3 n]."""
        wins, _, losses = weights.reshape(-1, 3).T
        return LinkLikelihood(Contests(self.contests.design, wins, losses), self.link)

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """What remains along the directions in which constraints @ theta does not change."""
        own, p = self.pooled, self.n_params
        c = np.zeros((0, p)) if constraints is None else constraints
        n = own.design.n_rows
        if n * max(p, 1) > MOST_ENTRIES and (self.null is None or self.null.shape[1]):
            raise TooLargeError(
                f"a profile of separated contests takes a design of {n:,} rows and {p:,} columns (limit"
                f" {MOST_ENTRIES:,} entries); reduce_bias='mean' has finite estimates"
            )

        def onto(directions: FloatArray) -> tuple[FloatArray, FloatArray]:
            u = own.design.projected(directions, slice(None))
            return u, np.zeros_like(u)

        found = remaining(onto, np.stack([own.wins, np.zeros(n), own.losses], axis=1), "binary", c, self.null)
        if found is None:
            return Limit(self)
        keep, left = found.keep, np.arange(n)
        if found.alive is not None:
            left = np.flatnonzero(found.alive[:, 0] & found.alive[:, 2])
        nobody = np.full(len(left), -1)
        names = tuple(f"d{k}" for k in range(keep.shape[1]))
        design = Design(nobody, nobody, own.design.rows(left) @ keep, own.design.offset[left], names)
        inner = LinkLikelihood(Contests(design, own.wins[left], own.losses[left]), self.link)
        return Limit(inner, keep, None, found.infinite)


@dataclass(frozen=True, eq=False)
class LinkPoint(ContestPoint):
    """Wins and losses at one place; sums are those of the pooled rows."""

    likelihood: LinkLikelihood

    @property
    def llf(self) -> float:
        return self.value

    @cached_property
    def information(self) -> FloatArray:
        return self.observed

    @property
    def values(self) -> FloatArray:
        """float[3 n]: -inf for a tie."""
        of = self.likelihood
        eta = of.contests.design.predictor(self.theta)
        log = of.link.log_cdf
        return np.stack([log(eta), np.full(len(eta), -np.inf), log(-eta)], axis=1).ravel()

    @property
    def scores(self) -> FloatArray:
        """float[3 n, p]."""
        of = self.likelihood
        eta = of.contests.design.predictor(self.theta)
        slopes = np.stack(
            [of.link.derivatives(eta)[0], np.zeros(len(eta)), -of.link.derivatives(-eta)[0]], axis=1
        )
        rows = of.contests.design.rows(np.arange(len(eta)))
        return np.asarray((slopes[:, :, None] * rows[:, None, :]).reshape(3 * len(eta), -1))

    def information_of(self, weights: FloatArray) -> FloatArray:
        of = self.likelihood
        wins, _, losses = weights.reshape(-1, 3).T
        return ContestPoint(Contests(of.contests.design, wins, losses), of.link, self.theta).observed


RowLikelihood = Union[LinkLikelihood, TiesLikelihood]


@dataclass(frozen=True, eq=False)
class PenalisedLikelihood:
    """A likelihood of rows penalised by Jeffreys' prior: its information is that of differences of the score."""

    plain: RowLikelihood

    @property
    def n_params(self) -> int:
        """p."""
        return self.plain.n_params

    @property
    def weights(self) -> FloatArray:
        return self.plain.weights

    #: The penalty is not: under a constraint there may be other maxima.
    concave = False

    def at(self, theta: FloatArray) -> PenalisedPoint | None:
        """The point at theta, float[p]; None where the information is singular."""
        plain = self.plain.at(theta)
        if plain is None:
            return None
        information = plain.expected
        sign, log_det = np.linalg.slogdet(information)
        try:
            covariance = covariance_of(information)
        except np.linalg.LinAlgError:
            return None
        if not (sign > 0 and np.isfinite(log_det)):
            return None
        return PenalisedPoint(self, plain, 0.5 * float(log_det), covariance)

    def start(self) -> FloatArray:
        return self.plain.start()

    def scaling(self, theta: FloatArray) -> FloatArray:
        """float[p, p]: the expected information without the penalty."""
        point = self.plain.at(theta)
        return np.eye(self.n_params) if point is None else point.expected

    def weighted(self, weights: FloatArray) -> PenalisedLikelihood:
        """The same with other counts, float[3 n], and the penalty of these."""
        return PenalisedLikelihood(self.plain.weighted(weights))

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """Itself: its maximum is finite."""
        return Limit(self)


@dataclass(frozen=True, eq=False)
class PenalisedPoint:
    """A penalised likelihood at one place.  penalty: log det I / 2.  covariance float[p, p]: the inverse of I."""

    likelihood: PenalisedLikelihood
    plain: LinkPoint | TiesPoint
    penalty: float
    covariance: FloatArray

    @property
    def theta(self) -> FloatArray:
        return self.plain.theta

    @property
    def value(self) -> float:
        return self.plain.value + self.penalty

    @property
    def llf(self) -> float:
        return self.plain.llf

    @property
    def extent(self) -> float:
        return self.plain.extent

    @cached_property
    def score(self) -> FloatArray:
        if isinstance(self.plain, TiesPoint):
            return self.plain.score + jeffreys(self.plain, self.covariance)
        return self.plain.score + adjustment(self.plain, self.covariance, "jeffreys")

    @cached_property
    def information(self) -> FloatArray:
        return differenced(self.likelihood, self.theta)

    @property
    def values(self) -> FloatArray:
        return self.plain.values

    @property
    def scores(self) -> FloatArray:
        return self.plain.scores

    def information_of(self, weights: FloatArray) -> FloatArray:
        return self.plain.information_of(weights)
