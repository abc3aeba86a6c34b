"""Plain models of few items: probabilities of all pairs as a matrix, from one exponential an item.

    Bradley-Terry   P_ij = a_i / (a_i + a_j)                                                 a = exp(b)
    Davidson        P_ij = q_ij / (q_ij + q_ji + nu),  T_ij = nu / (q_ij + q_ji + nu)        q_ij = exp((b_i - b_j) / 2)

With N the comparisons of each pair, sums over the rows of N P are fitted wins, and N P P' (with ties N T (1 - T) / 4 +
N P P') is minus the Laplacian of the information off its diagonal.  A step takes a dozen operations on matrices, in
place of lists of cells that are gathered and added up: of 20 items a third of the time, of 100 two thirds.

What is not regular, and counts so large that N P would cost digits, is left to :mod:`.blocks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....fit.estimates.covariance import Covariance
from ....fit.estimates.likelihood import outcome_probabilities
from ....numerics.arrays import BoolArray, FloatArray
from ....numerics.linear_systems import by_conjugate_gradients
from ....numerics.maxima import by_cholesky
from .blocks import LARGE, BorderedCovariance, WrittenOut
from .cells import ADDED, Problem
from .outcome_derivatives import MOST_SMALL

#: Items up to which matrices of all pairs beat lists of those that met.
MOST_ITEMS = 200


@dataclass(frozen=True, eq=False)
class Squares:
    """A plain model of J items, as something that can be maximised: abilities, then the tie parameter if there is one.

    n float[J, J]: comparisons of each pair, symmetric.  wins float[J, J]: of the row's item.  n_ties: in all.
    """

    problem: Problem
    n: FloatArray
    wins: FloatArray
    n_ties: float

    @property
    def has_ties(self) -> bool:
        return bool(self.problem.tie.shape[1] == 1)

    @cached_property
    def lead(self) -> FloatArray:
        """float[J]: wins of each item; with ties half its wins less half its losses."""
        won = self.wins.sum(axis=1)
        return np.asarray(0.5 * (won - self.wins.sum(axis=0)) if self.has_ties else won)

    def start(self) -> FloatArray:
        """Starting values: as :meth:`pairproof.native.comparisons.counts.blocks.Blocks.start`."""
        some = self.wins + ADDED
        weight = some * some.T
        weight /= some + some.T
        weight *= self.n > 0.0
        some /= some.T
        b = self.step(weight, (weight * np.log(some)).sum(axis=1), None, 0.05)[0]
        return np.append(b, self.problem.start_tie()) if self.has_ties else b

    def forward(self, x: FloatArray) -> FloatArray:
        """float[n_params]: abilities against the reference item, then the tie parameter."""
        j = len(self.n)
        return np.concatenate([x[:j] - x[self.problem.reference], x[j:]])

    def fitted(self, x: FloatArray) -> FloatArray:
        """float[n_cells, 3]: probabilities of the problem's cells."""
        cells = self.problem.cells
        u = x.take(cells.i) - x.take(cells.j)
        return outcome_probabilities(u, x[-1:] if self.has_ties else np.zeros(1), self.problem.model)

    def evaluate(self, x: FloatArray) -> SquaresPoint:
        """The log-likelihood and its derivatives at x."""
        b = x[: len(self.n)]
        extent = float(b.max() - b.min())
        if self.has_ties:
            extent = max(extent, abs(float(x[-1])))
        if not extent < 200.0:  # nan included; regular estimates end at 20
            return SquaresPoint(self, x, np.inf)
        return SquaresPoint(self, x, extent)

    def step(
        self,
        weight: FloatArray,
        nodes: FloatArray,
        border: tuple[FloatArray, float, float] | None,
        accuracy: float,
    ) -> tuple[FloatArray, float]:
        """The Newton step of information `weight` between items, and its product with the gradient.

        nodes float[J]: gradient.  border: information of the tie parameter with the items, float[J], and by itself, and
        its gradient.
        """
        at = self.problem.reference
        h, right = self.information(weight, border), nodes
        if border is not None:
            right = np.append(nodes, border[2])
        if len(nodes) >= LARGE:  # no item is held at 0: see BlockPoint._whole_step
            step = by_conjugate_gradients(h, right, accuracy)
            if step is not None:
                decrement = float(step.dot(right))
                step[: len(nodes)] -= step[at]
                return step, decrement
        right = right.copy()
        right[at], h[at], h[:, at], h[at, at] = 0.0, 0.0, 0.0, 1.0
        step = by_cholesky(h, right)
        return step, float(step.dot(right))

    @staticmethod
    def information(weight: FloatArray, border: tuple[FloatArray, float, float] | None) -> FloatArray:
        """float[J, J] or float[J + 1, J + 1]: with no item held at 0; the diagonal of `weight` is 0."""
        j = len(weight)
        if border is None:
            h = -weight
        else:
            h = np.empty((j + 1, j + 1))
            np.negative(weight, out=h[:j, :j])
            h[j, :j] = h[:j, j] = border[0]
            h[j, j] = border[1]
        h.ravel()[: j * len(h) : len(h) + 1] = weight.sum(axis=1)
        return h


@dataclass(frozen=True, eq=False)
class SquaresPoint:
    """Log-likelihood, gradient and information at one parameter vector."""

    squares: Squares
    x: FloatArray
    extent: float

    @cached_property
    def _shares(self) -> tuple[FloatArray, FloatArray]:
        """float[J, J] twice: P, and q_ij + q_ji + nu; without ties a_i + a_j."""
        of = self.squares
        if not of.has_ties:
            a = np.exp(self.x)
            total = a[:, None] + a
            return a[:, None] / total, total
        root = np.exp(0.5 * self.x[:-1])
        q = root[:, None] / root
        total = q + q.T
        total += np.exp(self.x[-1])
        q /= total
        return q, total

    @cached_property
    def value(self) -> float:
        """The log-likelihood."""
        of = self.squares
        if not self.extent < np.inf:
            return -np.inf
        p, total = self._shares
        if of.has_ties:
            rest = 0.5 * float(of.n.ravel().dot(np.log(total).ravel()))
            return float(of.lead.dot(self.x[:-1])) + of.n_ties * float(self.x[-1]) - rest
        return float(of.wins.ravel().dot(np.log(p).ravel()))

    @cached_property
    def _derivatives(self) -> tuple[FloatArray, FloatArray, tuple[FloatArray, float, float] | None]:
        """Information between the items float[J, J], gradient float[J], and what the tie parameter has."""
        of, (p, total) = self.squares, self._shares
        n_p = of.n * p
        weight = n_p * p.T
        if not of.has_ties:
            return weight, of.lead - n_p.sum(axis=1), None
        n_tie = of.n / total
        n_tie *= np.exp(self.x[-1])
        own = n_tie * p
        # n and n_tie are symmetric: sums of n (P - P') over rows are sums over rows less sums over columns
        nodes = of.lead - 0.5 * (n_p.sum(axis=1) - n_p.sum(axis=0))
        by_item = own.sum(axis=1)
        across = 0.5 * (own.sum(axis=0) - by_item)
        border = across, float(by_item.sum()), of.n_ties - 0.5 * float(n_tie.sum())
        own *= 0.25
        weight += own
        weight += own.T
        return weight, nodes, border

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """The Newton step, and its product with the gradient."""
        return self.squares.step(*self._derivatives, accuracy)

    def covariance(self) -> Covariance:
        """Covariance of the parameters: the inverse of the information."""
        weight, _, border = self._derivatives
        j, at = len(weight), self.squares.problem.reference
        h = self.squares.information(weight, border)
        h[at, :j] = h[:j, at] = 0.0
        h[at, at] = 1.0
        ground = np.zeros((1, j), bool)
        ground[0, at] = True
        c, e = h[None, :j, j:].copy(), h[j:, j:]
        c[0, at] = 0.0
        inverse = WrittenOut(np.ascontiguousarray(h[None, :j, :j]), ground)
        return BorderedCovariance(inverse, c, e, np.ones((1, 1)), at)


def as_squares(problem: Problem) -> Squares | None:
    """Lay a plain problem out as matrices; None if it is none, has many items or large counts, or may fall apart."""
    cells, j = problem.cells, problem.n_items
    plain = problem.x is None and problem.further is None and problem.z.shape == (1, 1)
    if not plain or problem.order.shape[1] or j > MOST_ITEMS:
        return None
    if problem.model == "rao-kupper" or problem.tie.shape[1] != (problem.model == "davidson"):
        return None
    if not cells.totals.max(initial=0.0) <= MOST_SMALL:
        return None
    first, second, n = np.zeros((3, j, j))
    place = cells.i * j + cells.j
    first.ravel()[place], second.ravel()[place] = cells.counts[:, 0], cells.counts[:, 2]
    n.ravel()[place] = cells.totals
    wins, n = first + second.T, n + n.T
    if 2 * len(cells) <= (j - 1) * (j - 2) and not _within_two(n > 0.0):
        return None
    return Squares(problem, n, wins, float(cells.counts[:, 1].sum()))


def _within_two(met: BoolArray) -> bool:
    """Whether any two items met each other or a third one."""
    steps = met.astype(np.float32)
    return bool((steps @ steps + steps > 0.0).all())
