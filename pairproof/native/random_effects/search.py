"""The search for the maximum of Laplace's approximation, in b and the log sigma of every component.

It starts from the maximum without one component: of a few sigmas of that one the best.  Steps with second
derivatives that leave out those of the weights (:meth:`pairproof.native.random_effects.curvature.Curvature.rough`)
lead near the maximum, quasi-Newton steps in their units to it, and exact second derivatives to its last digit.  A
variance is 0 where none of this gains over the fit without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError
from ..structured.contests import Contests
from ..structured.links import Link
from .curvature import Curvature
from .factors import DenseFactor
from .laplace import Marginal, Mode, laplace, mode_of
from .optimum import Optimum, optimum

FloatArray = NDArray[np.float64]

#: Values of sigma of which the best is where the search starts.
STARTS = (0.02, 0.1, 0.3, 0.7, 1.5, 3.0)
#: A gain in log-likelihood below this is rounding: sigma is 0.
NOTHING = 1e-9
#: With more effects than this, a factor of which takes long, one start is tried before the others; second
#: derivatives are those of a place up to 1e-4 standard errors away, or where products would not fit into
#: MEMORY differences of two points (200 effects, 400 contests: standard errors within 2e-6).
MANY = 200
#: Of products of K x K matrices, in numbers.
MEMORY = 1e8
#: Where the one start is, and the sigma below which the others are tried after all.
LIKELY, LITTLE = 0.7, 0.08
#: Squared length, in standard errors, of a step after which quasi-Newton steps take over; steps before, and
#: the longest change of log sigma in one.
NEAR, MOST_ROUGH, LONGEST = 0.3, 8, 1.0
#: Largest absolute log sigma.
WIDEST = 12.0


@dataclass(frozen=True, eq=False)
class Lower:
    """The maximum without one component.

    beta float[p].  sigma float[C - 1].  left_out: which of the C components.
    """

    value: float
    beta: FloatArray
    sigma: FloatArray
    left_out: int

    def with_sigma(self, sigma: float) -> FloatArray:
        """float[p + C]: b and log sigma, with this sigma of the component left out."""
        return np.append(self.beta, np.log(np.insert(self.sigma, self.left_out, sigma)))


def highest(contests: Contests, chosen: Link, lower: Sequence[Lower]) -> tuple[Optimum, Mode] | None:
    """The maximum of Laplace's approximation over b and log sigma.

    contests: with effects of C components.  chosen: logit or probit.  lower: the maximum without each
    component; those in which all other sigmas are above 0.  Returns (Optimum, Mode) or None: the mode of the
    effects there; None if leaving one of the components out is as good.
    """
    place = _Place(contests, chosen)
    top = max(low.value for low in lower)
    dear = contests.design.n_own > MANY
    trials = [low.with_sigma(LIKELY) for low in lower] if dear else []
    for trial in [*trials, None]:
        start, gained = _of_grid(contests, chosen, lower, top) if trial is None else (trial, True)
        try:
            found = _from(place, start, dear)
        except ConvergenceError:
            if trial is None and gained:
                raise
            continue  # on the way to sigma = 0 the likelihood is flat in log sigma
        if found.value > top + NOTHING:
            mode = place.at(found.x).mode
            assert mode is not None
            return found, mode
    return None


def _of_grid(contests: Contests, chosen: Link, lower: Sequence[Lower], top: float) -> tuple[FloatArray, bool]:
    """The best of STARTS, and whether it gains anything."""
    p = contests.design.dense.shape[1]
    places = [low.with_sigma(sigma) for low in lower for sigma in STARTS]
    values = [mode_of(contests, chosen, x[:p], np.exp(x[p:])).log_likelihood for x in places]
    best = int(np.argmax(values))
    return places[best], values[best] > top


class _Place:
    """Laplace's approximation at the last place that was asked for."""

    def __init__(self, contests: Contests, chosen: Link) -> None:
        self.contests, self.chosen, self.p = contests, chosen, contests.design.dense.shape[1]
        self.x: FloatArray | None = None
        self.last: Marginal | None = None

    def at(self, x: FloatArray) -> Marginal:
        if self.last is None or self.x is None or not np.array_equal(x, self.x):
            self.last = laplace(self.contests, self.chosen, x[: self.p], np.exp(x[self.p :]), self.last)
            self.x = x.copy()
        return self.last

    def function(self, x: FloatArray) -> tuple[float, FloatArray]:
        if not np.abs(x[self.p :]).max() < WIDEST:
            return -np.inf, np.zeros(len(x))
        found = self.at(x)
        return found.value, found.gradient

    def curvature(self, x: FloatArray) -> Curvature:
        mode = self.at(x).mode
        assert mode is not None
        return Curvature(mode, self.contests.design.dense)

    def exact(self, x: FloatArray) -> FloatArray:
        return self.curvature(x).exact()


def _from(place: _Place, start: FloatArray, dear: bool) -> Optimum:
    x, scale = _nearer(place, start)
    k = place.contests.design.n_own
    mode = place.at(x).mode
    assert mode is not None
    whole = isinstance(mode.factor, DenseFactor) and len(x) * float(k) ** 2 <= MEMORY
    return optimum(
        place.function,
        x,
        scale,
        points=2 if dear and isinstance(mode.factor, DenseFactor) else 6,
        second=place.exact if whole else None,
        moved=1e-8 if dear or not whole else 1e-17,
    )


def _nearer(place: _Place, start: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A place nearer to the maximum, and a square root of a rough covariance there."""
    x, p = start, place.p
    scale = np.eye(len(x))
    for _ in range(MOST_ROUGH):
        gradient = place.at(x).gradient
        minus = -place.curvature(x).rough()
        try:
            half = np.linalg.cholesky(minus)
        except np.linalg.LinAlgError:
            # Far from a maximum: the size of each parameter's own second derivative will do.
            half = np.diag(np.sqrt(np.maximum(np.abs(np.diag(minus)), 1.0)))
        scale = np.linalg.inv(half).T
        step = scale @ (scale.T @ gradient)
        if float(step @ gradient) < NEAR:
            break
        x = x + step * min(1.0, LONGEST / max(float(np.abs(step[p:]).max()), 1e-300))
        if x[p:].min() < np.log(LITTLE):
            break
    return x, scale
