"""Gibbs sampling of the categorical item-response model, whole arrays at a time.

What is seen of the options is integrated out: only K[p, l1, l2] = P(outcome | qualities) is left.  Shared
items::

    lambda_i | theta, the others    in proportion to theta_a(i),l times the product of K over the item's
                                    comparisons
    theta_s  | lambda               Dirichlet(aa + numbers of its items of each quality)

Drawing what is seen as well would make items independent, but mixes five times more slowly (autocorrelation
times of strengths 50 against 10 on 10,000 comparisons of 15 systems).  Fresh items: the pairs (lambda_1,
lambda_2) of all comparisons of two systems with one outcome are a multinomial draw with cells theta_1,l1
theta_2,l2 K[p, l1, l2].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...data.judgments import HAT, Judgments

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: From this concentration on a gamma variable is below the smallest double, 1e-308, with probability 4e-16 at
#: most.
SMALL = 0.05
#: Smaller shapes give the same draws, a single component with everything, and would overflow in their
#: logarithm.
_LEAST_SHAPE = 1e-300


@dataclass(frozen=True, eq=False)
class CategoricalTables:
    """The model's constants as arrays.

    likelihood float[3, L, L].
    """

    likelihood: FloatArray
    concentration: float

    @property
    def size(self) -> int:
        """L"""
        return self.likelihood.shape[-1]

    @cached_property
    def log_likelihood_rows(self) -> FloatArray:
        """log K of (outcome, other's quality), a row for each, own quality along it; held at 1e-308 where K
        underflows.
        """
        rows = self.likelihood.transpose(0, 2, 1).reshape(-1, self.size)
        return np.asarray(np.log(np.maximum(rows, np.finfo(float).tiny)))


def draw_theta(counts: FloatArray, concentration: float, rng: Generator) -> tuple[FloatArray, FloatArray]:
    """Dirichlet draws, float[n_systems, L], of a prior `concentration` a component and these counts, and
    their logarithms.

    theta is a row of gamma variables over its sum.  Of a small shape a these are below every double, so that
    their logarithms are drawn, log G(a) = log G(a + 1) + log(U) / a (Stuart 1962, Biometrika 49, 564-565),
    and nothing underflows but what is 0 beside the rest of its row.
    """
    if concentration >= SMALL:  # seeds keep their draws
        gamma = np.maximum(rng.standard_gamma(concentration + counts), np.finfo(float).tiny)
        theta = gamma / gamma.sum(axis=1, keepdims=True)
        return theta, np.log(theta)
    shape = np.maximum(concentration + counts, _LEAST_SHAPE)
    log_gamma = np.log(rng.standard_gamma(shape + 1.0)) - rng.standard_exponential(shape.shape) / shape
    log_theta = log_gamma - log_gamma.max(axis=1, keepdims=True)
    log_theta -= np.log(np.exp(log_theta).sum(axis=1, keepdims=True))
    return np.exp(log_theta), log_theta


class SweepChain:
    """Items shared over comparisons.

    Items are updated in turn by their place within the segment: the k-th items of all segments at once, since
    items of different segments share no comparison.

    author, segment int[n_items]: items of a segment stand together.  item int[2 n]: items of the first
    options, then of the second ones.
    """

    def __init__(
        self,
        data: Judgments,
        author: IntArray,
        segment: IntArray,
        item: IntArray,
        tables: CategoricalTables,
        rng: Generator,
    ) -> None:
        self.author, self.tables, self.rng = author, tables, rng
        self.n_systems, self.size = len(data.items), tables.size
        self.turns = _turns(data, segment, item)
        self.theta, self.log_theta = draw_theta(
            np.zeros((self.n_systems, self.size)), tables.concentration, rng
        )
        self.quality = rng.integers(0, self.size, len(author))

    def step(self) -> FloatArray:
        size, table = self.size, self.tables.log_likelihood_rows
        log_theta = np.log(self.theta) if self.tables.concentration >= SMALL else self.log_theta
        for turn in self.turns:
            rows = table.take(turn.outcome * size + self.quality.take(turn.other), axis=0)
            log_w = np.add.reduceat(rows, turn.start, axis=0)
            log_w += log_theta.take(self.author.take(turn.items), axis=0)
            log_w -= log_w.max(axis=1, keepdims=True)
            ladder = np.cumsum(np.exp(log_w, out=log_w), axis=1)
            u = self.rng.random((len(turn.items), 1)) * ladder[:, -1:]
            self.quality[turn.items] = (ladder[:, :-1] < u).sum(axis=1)
        counts = np.bincount(self.author * size + self.quality, minlength=self.n_systems * size)
        self.theta, self.log_theta = draw_theta(
            counts.reshape(-1, size).astype(float), self.tables.concentration, self.rng
        )
        return self.theta


@dataclass(frozen=True, eq=False)
class Turn:
    """Items that are updated together.

    items int[k].  start int[k]: where each item's comparisons begin in the next two.  outcome, `other`
    int[m]: outcome from the item's own side, and the item on the other side.
    """

    items: IntArray
    start: IntArray
    outcome: IntArray
    other: IntArray


def _turns(data: Judgments, segment: IntArray, item: IntArray) -> list[Turn]:
    n = len(data)
    other = np.concatenate([item[n:], item[:n]])
    outcome = np.concatenate([data.outcome, HAT[data.outcome]])
    first_of = np.concatenate([[0], np.cumsum(np.bincount(segment))[:-1]])
    place = np.arange(len(segment)) - first_of[segment]
    order = np.lexsort((item, place[item]))
    item, other, outcome = item[order], other[order], outcome[order]
    turns = []
    bounds = np.searchsorted(place[item], np.arange(place.max() + 2))
    for low, high in zip(bounds, bounds[1:]):
        items, start = np.unique(item[low:high], return_index=True)
        turns.append(Turn(items, start, outcome[low:high], other[low:high]))
    return turns


class FreshCells:
    """A new item for each option of each comparison.

    counts float[n_systems, n_systems, 3]: from :func:`pairproof.data.judgments.preference_counts`.
    """

    def __init__(self, counts: FloatArray, tables: CategoricalTables, rng: Generator) -> None:
        self.n_systems, self.size = len(counts), tables.size
        upper = np.triu(np.ones(counts.shape[:2]), 1)[:, :, None] * counts
        self.i, self.j, self.outcome = np.nonzero(upper)
        self.times = upper[self.i, self.j, self.outcome].astype(np.int64)
        self.tables, self.rng = tables, rng
        self.theta, self.log_theta = draw_theta(
            np.zeros((self.n_systems, self.size)), tables.concentration, rng
        )

    def _cells(self) -> FloatArray:
        """float[n_cells, L * L]: theta_1 theta_2 K up to a factor a cell."""
        if self.tables.concentration >= SMALL:
            one, two = self.theta[self.i][:, :, None], self.theta[self.j][:, None, :]
            cells = one * two * self.tables.likelihood[self.outcome]
            return np.asarray(np.maximum(cells.reshape(len(cells), -1), np.finfo(float).tiny))
        log_k = np.log(np.maximum(self.tables.likelihood, np.finfo(float).tiny))
        logs = self.log_theta[self.i][:, :, None] + self.log_theta[self.j][:, None, :] + log_k[self.outcome]
        logs = logs.reshape(len(logs), -1)
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))

    def step(self) -> FloatArray:
        size = self.size
        p = self._cells()
        pairs = self.rng.multinomial(self.times, p / p.sum(axis=1, keepdims=True)).reshape(-1, size, size)
        counts = np.zeros((self.n_systems, size))
        np.add.at(counts, self.i, pairs.sum(axis=2))
        np.add.at(counts, self.j, pairs.sum(axis=1))
        self.theta, self.log_theta = draw_theta(counts, self.tables.concentration, self.rng)
        return self.theta
