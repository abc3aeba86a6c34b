"""The marginal likelihood of contests with random effects as a function of the fixed parameters and sigma.

    l(b, sigma) = log of the integral of L(b, u) over u ~ N(0, sigma^2),      l(b, 0) = log L(b, 0)

It depends on sigma^2, and is taken as the same at -sigma: sigma = 0 is then a place like any other, at which the
derivative by sigma is 0, so that nothing has to hold a search at a boundary.  All contests are one unit, as effects
join them; where they fall into sets, items by judge, each kind of sets is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....errors import ConvergenceError
from ....fit.estimates.likelihood import Limit, differenced
from ....numerics.arrays import FloatArray
from ....numerics.constrained import maximum_under
from ..rows.contest_design import Contests
from ..rows.links import ContestPoint, Link, link
from ..rows.maximum_likelihood import fit_structured
from .effect_sets import EffectSets, SetsPoint
from .effects_design import fixed_part
from .marginal_likelihood import Marginal
from .variances import marginal_of, rough_scale

#: Values of sigma from which a maximum is sought where it is estimated as 0.
STARTS = (0.3, 1.0, 3.0)
#: Below this sigma is 0: the likelihood differs by its square.  Beyond FARTHEST nothing is looked for.
LEAST, FARTHEST = 1e-7, 1e6
#: Below this the second derivative by sigma is that of this sigma; it differs by sigma^2.
BENT = 2e-4


@dataclass(frozen=True, eq=False)
class MarginalLikelihood:
    """The marginal likelihood by Laplace's approximation or quadrature.

    contests: whose first K parameters are the effects, the others the p - 1 fixed ones.  size: effects in each set of
    the quadrature; none: all.  weight: of the one unit.
    """

    contests: Contests
    link: Link
    method: str
    size: int | None
    weight: float = 1.0

    @property
    def n_params(self) -> int:
        """p."""
        return len(self.contests.design.names) - self.contests.design.n_own + 1

    @property
    def weights(self) -> FloatArray:
        """float[1]."""
        return np.array([self.weight])

    concave = False

    @cached_property
    def _marginal(self) -> Callable[[FloatArray, float], Marginal]:
        return marginal_of(self.contests, self.link, self.method, self.size)

    @cached_property
    def _fixed(self) -> Contests:
        return fixed_part(self.contests)

    def at(self, theta: FloatArray) -> MarginalPoint | None:
        """The point at theta, float[p], sigma the last; None where no mode of the effects is found."""
        beta, sigma = theta[:-1], float(theta[-1])
        if not abs(sigma) < FARTHEST:
            return None
        if abs(sigma) < LEAST:
            here = ContestPoint(self._fixed, self.link, beta)
            return MarginalPoint(self, theta, here.value, np.append(here.score, 0.0))
        try:
            found = self._marginal(beta, abs(sigma))
        except (ConvergenceError, np.linalg.LinAlgError):
            return None
        slope = found.gradient.copy()
        slope[-1] /= sigma
        return MarginalPoint(self, theta, found.value, slope)

    def start(self) -> FloatArray:
        """float[p]: equal abilities, sigma 1."""
        return np.asarray(np.eye(self.n_params)[-1])

    def scaling(self, theta: FloatArray) -> FloatArray:
        """float[p, p]: a rough information, by that of effects and parameters together."""
        sigma = max(abs(float(theta[-1])), STARTS[0])
        root = rough_scale(self.contests, self.link, theta[:-1], sigma)
        root[-1] *= sigma  # of sigma, not of its logarithm
        return np.linalg.inv(root @ root.T) * self.weight

    def weighted(self, weights: FloatArray) -> MarginalLikelihood:
        """The same with another weight of its one unit, float[1]."""
        return MarginalLikelihood(self.contests, self.link, self.method, self.size, float(weights[0]))

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """Itself: contests whose result is certain whatever the effects are were left out before."""
        return Limit(self)


@dataclass(frozen=True, eq=False)
class MarginalPoint:
    """The marginal likelihood at one place: log L and its derivative, of weight 1."""

    likelihood: MarginalLikelihood
    theta: FloatArray
    log: float
    slope: FloatArray

    @property
    def value(self) -> float:
        return self.likelihood.weight * self.log

    @property
    def llf(self) -> float:
        return self.value

    @property
    def extent(self) -> float:
        return float(np.abs(self.theta).max())

    @property
    def score(self) -> FloatArray:
        return self.likelihood.weight * self.slope

    @cached_property
    def information(self) -> FloatArray:
        return differenced(self.likelihood, self.theta)

    @property
    def values(self) -> FloatArray:
        return np.array([self.log])

    @property
    def scores(self) -> FloatArray:
        return self.slope[None, :]

    def information_of(self, weights: FloatArray) -> FloatArray:
        return np.asarray(float(weights[0]) / self.likelihood.weight * self.information)


@dataclass(frozen=True, eq=False)
class SetsLikelihood:
    """The marginal likelihood of sets of effects: a unit is a kind of sets.

    weights float[n]: sets of each kind.
    """

    sets: EffectSets
    weights: FloatArray

    @property
    def n_params(self) -> int:
        """p."""
        return int(self.sets.contests.design.dense.shape[1]) + 1

    concave = False

    @property
    def sketch(self) -> SetsLikelihood:
        """By fewer points of quadrature."""
        quadrature = self.sets.method == "quadrature"
        return replace(self, sets=replace(self.sets, rough=True)) if quadrature else self

    def at(self, theta: FloatArray) -> SetsAt | None:
        """The point at theta, float[p], sigma the last; None where no mode of the effects is found."""
        sigma = float(theta[-1])
        if not abs(sigma) < FARTHEST:
            return None
        here = self._by_log(theta, abs(sigma))
        near = self._by_log(theta, BENT) if abs(sigma) < BENT else here
        if here is None or near is None:
            return None
        # By sigma in place of its logarithm; near 0 by that of a place beside it, where differences have
        # digits.
        scores, second = here.scores.copy(), here.second.copy()
        scores[:, -1] *= 1.0 / sigma if sigma else 0.0
        at = BENT if abs(sigma) < BENT else sigma
        across = near.second[:, -1, :-1] * sigma / at**2
        second[:, -1, :-1] = second[:, :-1, -1] = across
        second[:, -1, -1] = (near.second[:, -1, -1] - near.scores[:, -1]) / at**2
        extent = float(np.abs(self.sets.contests.design.dense @ theta[:-1]).max(initial=0.0))
        return SetsAt(theta, self.weights, here.log_probabilities, scores, second, extent)

    def _by_log(self, theta: FloatArray, sigma: float) -> SetsPoint | None:
        with np.errstate(divide="ignore"):  # the logarithm of 0
            phi = np.append(theta[:-1], np.log(sigma))
        try:
            return self.sets.at(phi)
        except (ConvergenceError, np.linalg.LinAlgError):
            return None

    def start(self) -> FloatArray:
        """float[p]: equal abilities, sigma 1."""
        return np.asarray(np.eye(self.n_params)[-1])

    def weighted(self, weights: FloatArray) -> SetsLikelihood:
        """The same with other weights of the kinds, float[n]."""
        return replace(self, weights=weights)

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """Itself: contests whose result is certain whatever the effects are were left out before."""
        return Limit(self)


@dataclass(frozen=True, eq=False)
class SetsAt:
    """Kinds of sets at one place.  second float[n, p, p]: second derivatives.  extent: of linear predictors."""

    theta: FloatArray
    weights: FloatArray
    values: FloatArray
    scores: FloatArray
    second: FloatArray
    extent: float

    @property
    def value(self) -> float:
        return float(self.weights @ self.values)

    @property
    def llf(self) -> float:
        return self.value

    @property
    def score(self) -> FloatArray:
        return self.weights @ self.scores

    @property
    def information(self) -> FloatArray:
        return self.information_of(self.weights)

    def information_of(self, weights: FloatArray) -> FloatArray:
        return np.asarray(-np.tensordot(weights, self.second, 1))


def profile_sigma(contests: Contests, sigma: FloatArray, link_name: str = "logit") -> FloatArray:
    """float[m]: the greatest of Laplace's marginal log-likelihoods at given values of sigma, float[m]."""
    whole = MarginalLikelihood(contests, link(link_name), "laplace", None)
    held, beta = np.eye(whole.n_params)[[-1]], fit_structured(fixed_part(contests), link_name).theta
    out = []
    for value in sigma.tolist():
        top = maximum_under(whole, held, np.array([value]), np.append(beta, value)).point
        beta = top.theta[:-1]
        out.append(top.value)
    return np.array(out)
