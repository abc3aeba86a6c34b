"""The likelihood of counts of cells, in the coordinates of the layout that solves it.

    l(theta) = sum over cells c and outcomes o of y_co log P_o(u_c, g_c),      u = U theta,  g = G theta

A unit is one outcome of one cell, so that the 3 n weights are the counts.  If the maximum is at infinity, the
limiting likelihood is that of the outcomes whose probability does not tend to 0 (Geyer 2009, Electronic Journal of
Statistics 3, 259-289), in the parameters that it still determines.  Where no tie was observed, the tie parameter is
at its end, minus infinity under Davidson's model and 0 under Rao and Kupper's: what remains are wins and losses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ....fit.estimates.likelihood import Limit, OutcomeModel
from ....numerics.arrays import BoolArray, FloatArray
from ....numerics.infinity import AtInfinity
from .dense import Dense
from .existence import demanded, possible_probabilities, predictor_rows, remaining
from .outcome_derivatives import Counts, Derivatives, derivatives, units
from .sparse import Rows, information_of, score_of


@dataclass(frozen=True, eq=False)
class CountsLikelihood:
    """A likelihood of n cells as a function of p coordinates.

    u, g sparse or float[n, p]: log-odds and tie parameter of the cells.  counts float[n, 3].  origin float[p]: equal
    abilities.  alive bool[n, 3] or None: outcomes that stay possible; none: all.  null float[p, k] or None: the flat
    and the infinite directions, where they are known.
    """

    model: OutcomeModel
    u: Any
    g: Any
    counts: FloatArray
    origin: FloatArray
    alive: BoolArray | None = None
    null: FloatArray | None = None

    @property
    def n_params(self) -> int:
        """p."""
        return int(self.u.shape[1])

    @property
    def weights(self) -> FloatArray:
        """float[3 n]."""
        return self.counts.ravel()

    concave = True

    def start(self) -> FloatArray:
        return self.origin

    def weighted(self, weights: FloatArray) -> CountsLikelihood:
        """The same with other counts, float[3 n]."""
        return replace(self, counts=weights.reshape(-1, 3), null=None)

    @cached_property
    def _y(self) -> Counts:
        return Counts.of(self.counts, self.alive)

    def at(self, theta: FloatArray) -> CountsPoint | None:
        """The point at theta, float[p]; None where a log-odds is not a number or a Rao-Kupper threshold not
        positive."""
        u, g = self.u @ theta, self.g @ theta
        extent = max(float(np.abs(u).max(initial=0.0)), float(np.abs(g).max(initial=0.0)))
        if not extent < np.inf or (self.model == "rao-kupper" and not self._y.in_order(g)):
            return None
        return CountsPoint(self, theta, u, g, extent)

    @cached_property
    def _of_ties(self) -> BoolArray:
        """bool[p]: coordinates of the tie parameter."""
        g = sparse.csr_matrix(self.g)
        return np.bincount(g.indices[g.data != 0.0], minlength=self.n_params) > 0

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """What remains along the directions in which constraints @ theta does not change.

        Its constrained maximum is finite for every value of the constraints, if they are linearly independent.
        """
        c = np.zeros((0, self.n_params)) if constraints is None else constraints
        if self.model != "binary" and self._of_ties.any() and not self.counts[:, 1].any():
            if not c[:, self._of_ties].any():
                return self._without_ties(c)
        found = remaining(self._onto, self.counts, self.model, c, self.null)
        if found is None:
            return Limit(self)
        keep = found.keep
        u, g, nothing = self.u @ keep, self.g @ keep, np.zeros((keep.shape[1], 0))
        inner = replace(self, u=u, g=g, origin=keep.T @ self.origin, alive=found.alive, null=nothing)
        return Limit(inner, keep, None, found.infinite)

    def _onto(self, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self.u @ directions, self.g @ directions

    def _without_ties(self, constraints: FloatArray) -> Limit:
        """The limit of wins and losses; the tie parameter of Davidson's model is at minus infinity."""
        n, other = self.n_params, np.flatnonzero(~self._of_ties)
        u, g, null = self.u[:, other], self.g[:, other], None if self.null is None else self.null[other]
        binary = CountsLikelihood("binary", u, g, self.counts, self.origin[other], None, null)
        inner = binary.limit(constraints[:, other])
        keep = np.eye(n)[:, other] if inner.keep is None else np.eye(n)[:, other] @ inner.keep
        lost = np.eye(n)[:, other] @ inner.infinite.null if inner.infinite else np.zeros((n, 0))
        rows = inner.infinite.rows if inner.infinite else np.zeros((0, 0))
        if self.model == "davidson":
            lost = np.concatenate([lost, np.eye(n)[:, self._of_ties]], axis=1)
            rows = demanded(*self._onto(lost), self.counts, self.model)
        return Limit(inner.remaining, keep, None, AtInfinity(lost, rows) if lost.shape[1] else None)


@dataclass(frozen=True, eq=False)
class CountsPoint:
    """The log-likelihood at one place.  u, g float[n]: of the cells.  extent: the largest of them."""

    likelihood: CountsLikelihood
    theta: FloatArray
    u: FloatArray
    g: FloatArray
    extent: float

    @cached_property
    def _derivatives(self) -> Derivatives:
        return derivatives(self.u, self.g, self.likelihood._y, self.likelihood.model, self.extent)

    @property
    def value(self) -> float:
        return self._derivatives.llf

    @property
    def llf(self) -> float:
        return self._derivatives.llf

    @cached_property
    def score(self) -> FloatArray:
        return score_of(self.likelihood.u, self.likelihood.g, self._derivatives)

    @cached_property
    def information(self) -> FloatArray:
        return information_of(self.likelihood.u, self.likelihood.g, self._derivatives)

    def information_of(self, weights: FloatArray) -> FloatArray:
        of = self.likelihood
        y = Counts.of(weights.reshape(-1, 3), of.alive)
        return information_of(of.u, of.g, derivatives(self.u, self.g, y, of.model, self.extent))

    @cached_property
    def values(self) -> FloatArray:
        """float[3 n]: -inf for an outcome without probability."""
        of = self.likelihood
        with np.errstate(divide="ignore"):
            return np.log(possible_probabilities(self.u, self.g, of.model, of.alive)).ravel()

    @cached_property
    def of_units(self) -> tuple[FloatArray, FloatArray]:
        """float[n, 3, 2] and float[n, 3, 2, 2]: score and information of every unit by its log-odds and tie parameter."""
        return units(self.u, self.g, self.likelihood.model, self.likelihood.alive)

    @property
    def scores(self) -> FloatArray:
        """float[3 n, p]."""
        of, (score, _) = self.likelihood, self.of_units
        u, g = (np.repeat(_written(part), 3, axis=0) for part in (of.u, of.g))
        return np.asarray(score[:, :, 0].reshape(-1, 1) * u + score[:, :, 1].reshape(-1, 1) * g)


def _written(matrix: Any) -> FloatArray:
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.todense())


def counts_likelihood(layout: Dense | Rows, null: FloatArray | None = None) -> CountsLikelihood:
    """The likelihood of a problem laid out by :func:`pairproof.native.comparisons.counts.solve.laid_out`."""
    u, g = predictor_rows(layout)
    problem = layout.problem
    return CountsLikelihood(problem.model, u, g, problem.cells.counts, layout.origin(), None, null)
