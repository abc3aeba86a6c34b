"""Probabilities of the outcomes of one comparison, and what every verb asks of a likelihood.

With u the log-odds of the first item against the second, and g the tie parameter::

    binary      P(first) = 1 / (1 + exp(-u)),                       P(tie) = 0
    davidson    P(first) : P(tie) : P(second) = exp(u/2) : exp(g) : exp(-u/2)
    rao-kupper  P(first) = 1 / (1 + exp(-(u - g))),  P(second) = 1 / (1 + exp(u + g)),  P(tie) = the rest

Davidson (1970, JASA 65, 317-328) with nu = exp(g); Rao and Kupper (1967, JASA 62, 194-204) with theta =
exp(g), g >= 0.  In the log-linear form of Dras (2015, eq. 1) u/2 = lambda_j - lambda_k and g = gamma.

A :class:`Likelihood` is a function of p coordinates theta, and a sum over n units::

    l(theta) = sum over units i of w_i log P_i(theta),      value(theta) = l(theta) + penalty(theta)

A unit is an independent piece that can be counted again: an outcome of a cell or of a row, the whole answer of a
person, the comparisons of one judge.  A penalty or a prior keeps its weight whatever the units have.  What a verb
asks: the value with its derivatives (maxima, profiles), the same by unit (robust errors, mixtures), other weights
(bootstrap), and what remains where the maximum is at infinity (:class:`Limit`).  The maximum itself, free or under
constraints, and the profile are those of :mod:`pairproof.numerics.maxima`, for every likelihood the same.

Not asked by any verb, and so not here: predictions and new data, which a fit makes itself, and deviances.  The
contract stands here and not in `fit/likelihood.py`, as parts of a fit hold one and no two folders import each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...numerics.constrained import Place, Rough, Smooth
from ...numerics.infinity import NULL_TOLERANCE, AtInfinity
from ...numerics.maxima import complement
from .covariance import LinearMap

OutcomeModel = Literal["binary", "davidson", "rao-kupper"]


def outcome_probabilities(u: FloatArray, g: FloatArray, model: str) -> FloatArray:
    """P(first preferred), P(tie), P(second preferred), without overflow for any u.

    u: log-odds of first against second, order effect included.  g: tie parameter, same shape (ignored if
    binary); -inf gives no ties.  Returns float[..., 3]: each row sums to 1.
    """
    half = np.asarray(u, float) / 2
    if model == "rao-kupper":
        # (1 + tanh(x/2)) / 2 is the logistic function; differences of tanh would cancel for the tie, so the
        # tie is written as a product: P(tie) = P(first) P(second) (exp(2g) - 1).
        p_first = logistic(2 * half - g)
        p_second = logistic(-2 * half - g)
        return np.stack([p_first, p_first * p_second * np.expm1(2 * np.asarray(g, float)), p_second], axis=-1)
    assert model in ("binary", "davidson"), model  # other laws say their own
    tie = np.broadcast_to(-np.inf if model == "binary" else np.asarray(g, float), half.shape)
    top = np.maximum(np.abs(half), tie)
    weights = np.exp(np.stack([half - top, tie - top, -half - top], axis=-1))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def logistic(x: FloatArray) -> FloatArray:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, e) / (1.0 + e)


class Point(Place, Protocol):
    """A likelihood at one place: what is maximised is the log-likelihood, and the penalty if there is one."""

    @property
    def llf(self) -> float:
        """The log-likelihood of the units."""

    @property
    def values(self) -> FloatArray:
        """float[n]: log P of each unit."""

    @property
    def scores(self) -> FloatArray:
        """float[n, p]: derivative of each unit's log P."""

    @property
    def extent(self) -> float:
        """The largest linear predictor in absolute value, by which a maximum at infinity is suspected."""

    def information_of(self, weights: FloatArray) -> FloatArray:
        """float[p, p]: minus the second derivative of sum w_i log P_i, for any weights float[n]."""


class Likelihood(Smooth[Point], Protocol):
    """What was asked of the data, as a function of p coordinates; frozen."""

    @property
    def weights(self) -> FloatArray:
        """float[n]: how often each unit was observed."""

    def weighted(self, weights: FloatArray) -> Likelihood:
        """The same with other weights of the units, float[n]; a penalty keeps its own."""

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """What remains at infinity where constraints float[q, p] times theta are held, or nothing is."""


#: Of a step of differences, where parameters are of order 1: the error is of its square.
STEP = 1e-4


def differenced(likelihood: Likelihood, theta: FloatArray) -> FloatArray:
    """float[p, p]: minus the second derivatives, by differences of the score of fourth order, where formulas are not worth
    it; observed: 10 digits.
    """
    out = np.zeros((len(theta), len(theta)))
    for k, unit in enumerate(np.eye(len(theta))):
        for steps, weight in ((1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)):
            up, down = (likelihood.at(theta + side * steps * STEP * unit) for side in (1.0, -1.0))
            if up is None or down is None:
                raise np.linalg.LinAlgError(
                    "no second derivatives this close to the edge of the parameter space"
                )
            out[k] -= weight * (up.score - down.score) / STEP
    return np.asarray((out + out.T) / 2.0)


@dataclass(frozen=True, eq=False)
class Limit:
    """A likelihood in the limit along its directions of recession (Geyer 2009, Electronic Journal of Statistics 3, 259-289).

    remaining: the likelihood of the outcomes that stay possible, in coordinates z: theta = keep z + far.  keep
    float[p, k] or None: none: everything is finite, theta = z.  far float[p] or None: where the remaining likelihood
    is the whole one, so far out that nothing is left to gain; none: it is taken in the limit itself.  infinite: the
    directions along which the likelihood is flat or grows without end, in the coordinates theta, or none.
    """

    remaining: Likelihood
    keep: FloatArray | None = None
    far: FloatArray | None = None
    infinite: AtInfinity | None = None

    def reduced(self, functions: FloatArray) -> FloatArray:
        """float[m, k]: linear functions of theta, float[m, p], that stay finite, as functions of z."""
        return functions if self.keep is None else functions @ self.keep

    def inward(self, theta: FloatArray) -> FloatArray:
        """float[k]: z of the place nearest to theta, float[p]."""
        inner = theta if self.far is None else theta - self.far
        return inner if self.keep is None else np.asarray(self.keep.T @ inner)

    def outward(self, z: FloatArray) -> FloatArray:
        """float[p]: theta of z."""
        theta = z if self.keep is None else self.keep @ z
        return theta if self.far is None else theta + self.far


@dataclass(frozen=True, eq=False)
class Within:
    """A likelihood along the columns of keep, float[p, k]: theta = keep z + far."""

    whole: Likelihood
    keep: FloatArray
    far: FloatArray

    @property
    def n_params(self) -> int:
        """k."""
        return int(self.keep.shape[1])

    @property
    def weights(self) -> FloatArray:
        return self.whole.weights

    @property
    def concave(self) -> bool:
        return self.whole.concave

    def at(self, z: FloatArray) -> WithinPoint | None:
        """The point at z, float[k]."""
        found = self.whole.at(self.keep @ z + self.far)
        return None if found is None else WithinPoint(z, found, self.keep)

    def start(self) -> FloatArray:
        """float[k]: next to where the whole likelihood starts."""
        return np.asarray(np.linalg.lstsq(self.keep, self.whole.start() - self.far, rcond=None)[0], float)

    def weighted(self, weights: FloatArray) -> Within:
        """The same with other weights of the units, float[n]."""
        return replace(self, whole=self.whole.weighted(weights))

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """Without the directions that move nothing: those in which it was to remain finite are left out already."""
        flat = complement(self.keep.T)
        if constraints is not None and flat.shape[1]:
            flat = flat @ complement((constraints @ flat).T)
        if not flat.shape[1]:
            return Limit(self)
        keep = complement(flat)
        infinite = AtInfinity(flat, np.zeros((0, flat.shape[1])))
        return Limit(replace(self, keep=self.keep @ keep), keep, None, infinite)


class RoughWithin(Within):
    """The same of a likelihood whose second derivatives are not formed on the way."""

    def scaling(self, z: FloatArray) -> FloatArray:
        """float[k, k]: a positive definite matrix near minus the second derivatives."""
        assert isinstance(self.whole, Rough)
        return np.asarray(self.keep.T @ self.whole.scaling(self.keep @ z + self.far) @ self.keep)


def within(whole: Likelihood, keep: FloatArray, far: FloatArray | None = None) -> Within:
    """A likelihood along the columns of keep, float[p, k]."""
    start = np.zeros(len(keep)) if far is None else far
    return (RoughWithin if isinstance(whole, Rough) else Within)(whole, keep, start)


@dataclass(frozen=True, eq=False)
class WithinPoint:
    """A restricted likelihood at z, float[k]."""

    theta: FloatArray
    whole: Point
    keep: FloatArray

    @property
    def value(self) -> float:
        return self.whole.value

    @property
    def llf(self) -> float:
        return self.whole.llf

    @property
    def score(self) -> FloatArray:
        return self.whole.score @ self.keep

    @property
    def information(self) -> FloatArray:
        return np.asarray(self.keep.T @ self.whole.information @ self.keep)

    @property
    def extent(self) -> float:
        return self.whole.extent

    @property
    def values(self) -> FloatArray:
        return self.whole.values

    @property
    def scores(self) -> FloatArray:
        return self.whole.scores @ self.keep

    def information_of(self, weights: FloatArray) -> FloatArray:
        return np.asarray(self.keep.T @ self.whole.information_of(weights) @ self.keep)


@dataclass(frozen=True, eq=False)
class AtEstimate:
    """What a fit has of its likelihood: `fit.likelihood`.

    theta float[p]: the estimate; where something is infinite, the finite part.  covariance float[p, p]: of theta, 0
    along what has no estimate.  outward float[n_params, p]: the fit's parameters, on its scale and against its
    reference, are outward @ theta.  supremum: the greatest value, which at infinity no theta reaches.  infinite: in the
    fit's parameters, what is flat or without end.  at_edge bool[n_params] or None: parameters at the end of the
    parameter space.  further: linear functions of theta, float[p], that are no parameters of the fit, by name.  starts:
    further places from which a maximum is sought.  farthest float[p] or None: so far from its estimate a coordinate
    has no limit; farthest_errors: so many standard errors.  unit_of_row int[n_rows] or None: of a model whose units are
    judges, the unit of each row of the table; -1 for none.
    """

    likelihood: Likelihood
    theta: FloatArray
    covariance: FloatArray
    outward: FloatArray
    supremum: float
    infinite: AtInfinity | None = None
    at_edge: BoolArray | None = None
    further: Mapping[str, FloatArray] = field(default_factory=dict)
    starts: tuple[FloatArray, ...] = ()
    farthest: FloatArray | None = None
    farthest_errors: float = np.inf
    unit_of_row: IntArray | None = None

    @cached_property
    def point(self) -> Point:
        """The likelihood at the estimate."""
        found = self.likelihood.at(self.theta)
        assert found is not None  # an estimate is inside the parameter space
        return found

    @cached_property
    def absent(self) -> FloatArray:
        """float[n_params, k]: flat and infinite directions for which the likelihood has no coordinates."""
        if self.infinite is None:
            return np.zeros((len(self.outward), 0))
        null = self.infinite.null
        left = null - self.outward @ np.linalg.lstsq(self.outward, null, rcond=None)[0]
        return null[:, np.abs(left).max(axis=0) > NULL_TOLERANCE]

    def influence(self) -> FloatArray:
        """float[n, n_params]: inverse of the information times the derivative of each unit's log P: what one of weight 1
        moves the parameters by.
        """
        return np.asarray(self.point.scores @ self.covariance @ self.outward.T)

    def mapped(self, by: LinearMap, kept: BoolArray | None = None) -> AtEstimate:
        """For parameters that are a linear map of these, of which bool[n_params] those not kept are 0."""
        outward = np.asarray(by.forward(self.outward))
        infinite = self.infinite
        if infinite is not None:
            infinite = AtInfinity(np.asarray(by.forward(infinite.null)), infinite.rows)
        return replace(self, outward=outward if kept is None else outward * kept[:, None], infinite=infinite)

    def estimates(self, functions: FloatArray) -> FloatArray:
        """float[m]: linear functions of the fit's parameters, with inf, -inf, and nan where the data do not say."""
        finite = np.asarray(functions @ (self.outward @ self.theta))
        return finite if self.infinite is None else self.infinite.values(functions, finite)
