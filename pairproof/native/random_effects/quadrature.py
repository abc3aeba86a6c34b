"""The marginal likelihood of contests by quadrature, where the random effects fall into small sets.

Only differences of effects matter, so that J effects are J - 1 independent ones: z = H c with the Helmert
matrix H.  The integral of every set is a trapezoid sum in c about the mode, in units of its Cholesky factor;
for an analytic integrand that vanishes at both ends the trapezoid rule converges exponentially (Trefethen and
Weideman 2014, SIAM Review 56, 385-458).  The tails of logistic likelihoods are fat, so that the box matters
more than the step.

Derivatives are posterior means (Fisher 1925; Louis 1982, JRSS-B 44, 226-233): d/d b = X'E(r), d/d log sigma =
E(r'Zu), of the same grid.  The effects of judges are sets of items by judge; the players of contests between
players are one set, so that there may be five of them at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from ..structured.contests import Contests
from ..structured.likelihood import ContestPoint
from ..structured.links import Link
from .laplace import Marginal
from .penalised import effects_alone, penalised_mode

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Half the width of the box and the step, in posterior standard deviations, by dimension.  With radius 11 the
#: likelihood of the specification's four players has 15 digits, with 8.5 it has 10.
GRIDS = {1: (14.0, 0.25), 2: (11.0, 0.35), 3: (11.0, 0.5), 4: (9.0, 0.6)}
#: Effects in a set; beyond that Laplace's approximation remains.
MOST_EFFECTS = 1 + max(GRIDS)
#: Points of the grid taken at a time.
CHUNK = 8192


@dataclass(frozen=True, eq=False)
class EffectSets:
    """Random effects in sets of J, numbered set by set.

    contests: whose first K = J * number of sets parameters are the effects.  size: J.
    """

    contests: Contests
    size: int

    def __post_init__(self) -> None:
        design = self.contests.design
        if self.size > MOST_EFFECTS:
            raise TooLargeError(
                f"quadrature over sets of {self.size} effects; the limit is {MOST_EFFECTS}. Use Laplace's"
                " approximation"
            )
        if self.size < 2 or design.n_own % self.size:
            raise InputError(f"{design.n_own} effects are not a whole number of sets of {self.size}")
        a, b = design.first // self.size, design.second // self.size
        wrong = np.flatnonzero((a != b) | (design.first < 0) | (design.second < 0))
        if len(wrong):
            raise InputError(
                f"row {wrong[0] + 1}: a contest between effects of two sets, or with a side that has none; use"
                " Laplace's approximation"
            )

    @property
    def n_sets(self) -> int:
        """Number of sets."""
        return self.contests.design.n_own // self.size

    @property
    def set_of_row(self) -> IntArray:
        """int[n]: the set of each row."""
        return np.asarray(self.contests.design.first // self.size)


def helmert(size: int) -> FloatArray:
    """Columns that are orthonormal, and orthogonal to 1.

    size: J.  Returns float[J, J - 1].
    """
    found = np.zeros((size, size - 1))
    for k in range(1, size):
        found[:k, k - 1], found[k, k - 1] = 1.0, -k
        found[:, k - 1] /= np.sqrt(k * (k + 1.0))
    return found


def exact(
    sets: EffectSets, chosen: Link, beta: FloatArray, sigma: float, grid: tuple[float, float] | None = None
) -> Marginal:
    """The marginal likelihood by quadrature, at one place.

    chosen: logit or probit.  beta float[p]: the fixed parameters.  sigma: standard deviation of the effects,
    > 0.  grid: half the width of the box and the step, in posterior standard deviations; GRIDS if not given.
    Returns Marginal: with posterior means of the effects.
    """
    alone = effects_alone(sets.contests, beta)
    k = alone.design.n_own
    mode = penalised_mode(alone, chosen, np.full(k, sigma**-2), np.zeros(k))
    total, by_sigma = 0.0, 0.0
    residual = np.zeros(alone.design.n_rows)
    effects = np.zeros(k)
    for s in range(sets.n_sets):
        rows = np.flatnonzero(sets.set_of_row == s)
        one = _OneSet(sets, chosen, mode, rows, s, sigma)
        log_value, residual[rows], own, slope = one.integrated(*(grid or GRIDS[sets.size - 1]))
        total, by_sigma = total + log_value, by_sigma + slope
        effects[s * sets.size : (s + 1) * sets.size] = own
    gradient = np.append(residual @ sets.contests.design.dense, by_sigma)
    return Marginal(total, gradient, effects)


class _OneSet:
    """The integral over the effects of one set."""

    def __init__(
        self, sets: EffectSets, chosen: Link, mode: ContestPoint, rows: IntArray, s: int, sigma: float
    ) -> None:
        design, size = mode.contests.design, sets.size
        self.h, self.sigma, self.link = helmert(size), sigma, chosen
        self.wins, self.losses = mode.contests.wins[rows], mode.contests.losses[rows]
        self.offset = design.offset[rows]
        z = np.zeros((len(rows), size))
        np.add.at(z, (np.arange(len(rows)), design.first[rows] - s * size), 1.0)
        np.add.at(z, (np.arange(len(rows)), design.second[rows] - s * size), -1.0)
        self.z = sigma * z @ self.h  # d eta / d c
        self.centre = self.h.T @ mode.theta[s * size : (s + 1) * size] / sigma
        curvature = mode.row_curvatures[rows]
        information = np.eye(size - 1) + self.z.T @ (curvature[:, None] * self.z)
        self.spread = np.linalg.inv(np.linalg.cholesky(information)).T  # L^-T

    def _points(self, radius: float, step: float) -> Iterator[FloatArray]:
        axis = step * np.arange(-int(radius / step), int(radius / step) + 1)
        d = len(self.centre)
        n = len(axis) ** d
        for start in range(0, n, CHUNK):
            index = np.unravel_index(np.arange(start, min(start + CHUNK, n)), (len(axis),) * d)
            yield self.centre + np.column_stack([axis[i] for i in index]) @ self.spread.T

    def _log_density(self, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        eta = c @ self.z.T + self.offset
        log_cdf = self.link.log_cdf
        return log_cdf(eta) @ self.wins + log_cdf(-eta) @ self.losses - 0.5 * (c**2).sum(axis=1), eta

    def integrated(self, radius: float, step: float) -> tuple[float, FloatArray, FloatArray, float]:
        """Log of the integral; posterior means of dl/d eta, of the effects, of dl/d log sigma."""
        top = float(self._log_density(self.centre[None])[0][0])
        mass, slope = 0.0, 0.0
        residual, mean = np.zeros(len(self.offset)), np.zeros(len(self.centre))
        for c in self._points(radius, step):
            density, eta = self._log_density(c)
            weight = np.exp(density - top)
            up, down = self.link.derivatives(eta)[0], self.link.derivatives(-eta)[0]
            gaps = self.wins * up - self.losses * down
            mass += float(weight.sum())
            residual += weight @ gaps
            mean += weight @ c
            slope += float(weight @ (gaps * (eta - self.offset)).sum(axis=1))
        d = len(self.centre)
        log_volume = d * np.log(step / np.sqrt(2.0 * np.pi)) + float(
            np.log(np.abs(np.diag(self.spread))).sum()
        )
        return (
            top + float(np.log(mass)) + log_volume,
            residual / mass,
            self.sigma * (self.h @ (mean / mass)),
            slope / mass,
        )
