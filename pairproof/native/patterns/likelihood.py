"""The likelihood of persons' whole answers, whatever the answers are.

An answer y of a person in covariate group s has probability

    P(y | s) = exp(t(y)' beta_s) / Z(beta_s),    beta_s = M_s phi,    Z(beta) = sum of exp(t' beta) over all
    patterns

(Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10)).  An incomplete
answer is the set C of the patterns that agree with what was observed; its probability is the sum of theirs.
With E and Cov under the model, an answer's score is M_s' (E[t | C] - E[t]) and its information, minus the
second derivative of its log-probability, M_s' (Cov[t] - Cov[t | C]) M_s.  Both are exact: a *space* of
patterns gives these moments at any beta, by enumeration or by a recursion that needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class SpacePoint(Protocol):
    """All patterns, and the answers observed, at one value of the natural parameters."""

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]: log-probability of these answers."""

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]: E[t | C] - E[t] of these answers."""

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]: sum of the weights times Cov[t] - Cov[t | C]."""


@runtime_checkable
class Contracting(Protocol):
    """A point that gives the information of the free parameters itself, where that is much less work."""

    def contracted_information(self, rows: IntArray, weights: FloatArray, matrix: FloatArray) -> FloatArray:
        """float[p, p]: M' information M for M float[q, p]."""


@runtime_checkable
class Batched(Protocol):
    """A space that computes its points at many parameters together, where that is much less work."""

    def at_each(self, betas: FloatArray) -> Sequence[SpacePoint]:
        """The moments at each row of betas, float[G, q]."""


class Space(Protocol):
    """A set of patterns with their statistics, and the answers observed in it."""

    @property
    def n_statistics(self) -> int:
        """Length q of t and beta."""

    @property
    def n_rows(self) -> int:
        """Number of answers."""

    def at(self, beta: FloatArray) -> SpacePoint:
        """The moments at beta, float[q]."""

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: what a direction v of beta may not make negative if the likelihood of these answers is
        never to fall along it; where it makes one positive, the probability of some pattern tends to 0.
        """


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log-likelihood of answers as a function of the free parameters phi.

    space: holds the n answers.  group int[n]: covariate group of each answer, 0 to n_groups - 1.  maps: M_s
    of each group.
    """

    space: Space
    group: IntArray
    maps: Sequence[FloatArray]

    def __post_init__(self) -> None:
        if len(self.group) != self.space.n_rows:
            raise InputError(f"{len(self.group)} groups for {self.space.n_rows} answers; give one to each")
        shapes = {m.shape for m in self.maps}
        if len(shapes) != 1 or next(iter(shapes))[0] != self.space.n_statistics:
            raise InputError(
                f"maps of shape {sorted(shapes)}; each has {self.space.n_statistics} rows, one a statistic,"
                " and they have the same number of columns"
            )
        if len(self.group) and not 0 <= self.group.min() <= self.group.max() < len(self.maps):
            raise InputError(
                f"groups {int(self.group.min())} to {int(self.group.max())}, but {len(self.maps)} maps"
            )

    @property
    def n_params(self) -> int:
        """Number p of free parameters."""
        return int(self.maps[0].shape[1])

    @cached_property
    def rows(self) -> list[IntArray]:
        """Numbers of the answers of each group."""
        return [np.flatnonzero(self.group == s) for s in range(len(self.maps))]

    def at(self, phi: FloatArray) -> LikelihoodPoint:
        """The answers at phi."""
        return LikelihoodPoint(self, phi)


@dataclass(frozen=True, eq=False)
class LikelihoodPoint:
    """Log-probabilities, scores and information of the answers at one value of phi.

    phi float[p].  log_probabilities float[n].
    """

    likelihood: Likelihood
    phi: FloatArray
    log_probabilities: FloatArray = field(init=False)
    _points: list[SpacePoint | None] = field(init=False)

    def __post_init__(self) -> None:
        log_p = np.zeros(len(self.likelihood.group))
        groups = self.likelihood.rows
        points: list[SpacePoint | None] = [None] * len(groups)
        filled = [s for s, rows in enumerate(groups) if len(rows)]
        for s, point in zip(filled, self._points_of(filled)):
            points[s] = point
            log_p[groups[s]] = point.log_probabilities(groups[s])
        object.__setattr__(self, "log_probabilities", log_p)
        object.__setattr__(self, "_points", points)

    def _points_of(self, filled: Sequence[int]) -> Iterable[SpacePoint]:
        """The space at the parameters of these groups."""
        space, maps = self.likelihood.space, self.likelihood.maps
        if isinstance(space, Batched) and filled:
            return space.at_each(np.stack([maps[s] @ self.phi for s in filled]))
        return (space.at(maps[s] @ self.phi) for s in filled)

    @property
    def extent(self) -> float:
        """Largest natural parameter in absolute value."""
        betas = [m @ self.phi for m in self.likelihood.maps]
        return max((float(np.abs(b).max()) for b in betas if len(b)), default=0.0)

    @property
    def scores(self) -> FloatArray:
        """float[n, p]: derivative of each answer's log-probability."""
        found = np.zeros((len(self.likelihood.group), self.likelihood.n_params))
        for rows, matrix, point in zip(self.likelihood.rows, self.likelihood.maps, self._points):
            if point is not None:
                found[rows] = point.scores(rows) @ matrix
        return found

    def information(self, weights: FloatArray) -> FloatArray:
        """float[p, p]: minus the second derivative of the weighted log-likelihood, for weights float[n]."""
        found = np.zeros((self.likelihood.n_params,) * 2)
        for rows, matrix, point in zip(self.likelihood.rows, self.likelihood.maps, self._points):
            if isinstance(point, Contracting):
                found += point.contracted_information(rows, weights[rows], matrix)
            elif point is not None:
                found += matrix.T @ point.information(rows, weights[rows]) @ matrix
        return found
