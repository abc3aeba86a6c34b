"""Plain models of few items, or of which most pairs met: all pairs as a matrix, from one exponential an item.

    Bradley-Terry   P_ij = a_i / t_ij,  t_ij = a_i + a_j                                              a = exp(b)
    Davidson        P_ij = a_i / t_ij,  T_ij = nu s_i s_j / t_ij,  t_ij = a_i + a_j + nu s_i s_j      s = exp(b / 2)

With n_ij the comparisons of a pair, sums over the rows of n P are fitted wins, and n P P' (with ties n T (1 - T) / 4 +
n P P') is minus the Laplacian of the information off its diagonal,

    a_i (n_ij / t_ij^2) a_j           with ties   s_i (n_ij / t_ij^2 (nu (a_i + a_j) / 4 + s_i s_j)) s_j

What depends on i or on j alone is left to sums over rows and to the scale of the unknowns, and sums such as t are
products of matrices with two or three columns.  So a step takes four or six operations on matrices, a part of the rows
at a time where all of them do not fit into the cache, in place of lists of cells that are gathered and added up.

What is not regular, and counts so large that n P would cost digits, is left to :mod:`.blocks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....data.graph import all_reached
from ....fit.estimates.covariance import Covariance
from ....fit.estimates.likelihood import outcome_probabilities
from ....numerics.arrays import BoolArray, FloatArray
from ....numerics.linear_systems import by_conjugate_gradients
from ....numerics.maxima import by_cholesky
from .blocks import LARGE, WRITTEN_OUT, BorderedCovariance, WrittenOut
from .cells import ADDED, Problem
from .outcome_derivatives import MOST_SMALL

#: Items up to which matrices of all pairs beat lists of those that met, however few these are.  Of more items
#: one pair in `MET` has to have met, and no item may have more comparisons than one of few can, lest fitted
#: wins lose digits.
FEW_ITEMS, MET = 200, 4
MOST_OF_ONE = FEW_ITEMS * MOST_SMALL
#: Entries of a matrix that are worked on at a time.
_IN_CACHE = 1 << 16
#: Longest change of a parameter in a step whose value need not be looked at.  No log-odds changes by more
#: than M, twice that; the third derivative along the step is at most M times the second (Bach 2010, Electron.
#: J. Statist. 4, 384-414, proposition 1), so that it gains the decrement times
#: 1 - (exp(M) - M - 1) / M^2 and more, which is positive up to M = 1.79.
SAFE = 0.89


@dataclass(frozen=True, eq=False)
class Squares:
    """A plain model of J items, as something that can be maximised: abilities, then the tie parameter if there is one.

    minus_n float[J, J]: minus the comparisons of each pair, symmetric.  wins float[J, J]: of the row's item.
    n_ties: in all.
    """

    problem: Problem
    minus_n: FloatArray
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

    @cached_property
    def one(self) -> FloatArray:
        """float[J]."""
        return np.ones(len(self.wins))

    @cached_property
    def tied(self) -> FloatArray:
        """float[J]: ties of each item."""
        return np.asarray(-self.minus_n.sum(axis=1) - self.wins.sum(axis=0) - self.wins.sum(axis=1))

    def start(self) -> FloatArray:
        """Starting values: as :meth:`pairproof.native.comparisons.counts.blocks.Blocks.start`."""
        some = np.add(self.wins, ADDED, dtype=np.float32)
        h = np.float32(1.0) / some
        h = h + h.T
        np.divide(self.minus_n < 0.0, h, out=h)
        np.log(some, out=some)
        some *= h
        nodes = some.sum(axis=1) - some.sum(axis=0)
        np.negative(h, out=h)
        h.ravel()[:: len(h) + 1] = -h.sum(axis=1)
        b = np.asarray(self.step(h, nodes, self.one, 0.05)[0], float)  # of a start few digits count
        return np.append(b, self.problem.start_tie()) if self.has_ties else b

    def forward(self, x: FloatArray) -> FloatArray:
        """float[n_params]: abilities against the reference item, then the tie parameter."""
        j = len(self.wins)
        return np.concatenate([x[:j] - x[self.problem.reference], x[j:]])

    def fitted(self, x: FloatArray) -> FloatArray:
        """float[n_cells, 3]: probabilities of the problem's cells."""
        cells = self.problem.cells
        u = x.take(cells.i) - x.take(cells.j)
        return outcome_probabilities(u, x[-1:] if self.has_ties else np.zeros(1), self.problem.model)

    def evaluate(self, x: FloatArray) -> SquaresPoint:
        """The log-likelihood and its derivatives at x."""
        b = x[: len(self.wins)]
        extent = float(b.max() - b.min())
        if self.has_ties:
            extent = max(extent, abs(float(x[-1])))
        if not extent < 100.0:  # nan included; regular estimates end at 20
            return SquaresPoint(self, x, np.inf)
        return SquaresPoint(self, x, extent)

    def step(
        self, h: FloatArray, right: FloatArray, scale: FloatArray, accuracy: float
    ) -> tuple[FloatArray, float]:
        """The Newton step of information diag(scale) H diag(scale), and its product with the gradient diag(scale) right.

        h float[n_params, n_params]: H, with no item held at 0; overwritten.
        """
        at, j = self.problem.reference, len(self.wins)
        if j >= LARGE:  # no item is held at 0: see BlockPoint._whole_step
            # what rounding leaves of the gradient's sum has no solution, and near the maximum is half of it
            one = scale[:j]
            right[:j] -= one * (float(one.dot(right[:j])) / float(one.dot(one)))
            step = by_conjugate_gradients(h, right, accuracy)
            if step is not None:
                decrement = float(step.dot(right))
                step /= scale
                step[:j] -= step[at]
                return step, decrement
        right = right.copy()
        right[at], h[at], h[:, at], h[at, at] = 0.0, 0.0, 0.0, 1.0
        step = by_cholesky(h, right)
        return step / scale, float(step.dot(right))


@dataclass(frozen=True, eq=False)
class SquaresPoint:
    """Log-likelihood, gradient and information at one parameter vector."""

    squares: Squares
    x: FloatArray
    extent: float

    @cached_property
    def value(self) -> float:
        """The log-likelihood."""
        of, x = self.squares, self.x
        if not self.extent < np.inf:
            return -np.inf
        if not of.has_ties:
            a = np.exp(x)
            p = np.add.outer(a, a)
            np.divide(a[:, None], p, out=p)
            return float(of.wins.ravel().dot(np.log(p, out=p).ravel()))
        root = np.exp(0.5 * x[:-1])
        q = root[:, None] / root
        total = q + q.T
        total += np.exp(x[-1])
        rest = -0.5 * float(of.minus_n.ravel().dot(np.log(total, out=total).ravel()))
        return float(of.lead.dot(x[:-1])) + of.n_ties * float(x[-1]) - rest

    def _derivatives(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """H float[n_params, n_params], the gradient over the scale and the scale, float[n_params]: what a step takes."""
        of = self.squares
        if of.has_ties:
            return self._with_ties()
        a = np.exp(self.x)
        j, one = len(a), of.one
        h, shares, squares = np.empty((j, j)), np.empty(j), np.empty(j)
        left, right = np.array((a, one)).T, np.array((one, a))
        for rows in _parts(j):
            t, part = left[rows] @ right, h[rows]
            np.divide(of.minus_n[rows], t, out=part)
            np.dot(part, one, out=shares[rows])
            part /= t
            np.dot(part, a, out=squares[rows])
        h.ravel()[:: j + 1] = squares / -a
        return h, of.lead / a + shares, a

    def _with_ties(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same, of abilities and the tie parameter."""
        of, j = self.squares, len(self.x) - 1
        s, one, nu = np.exp(0.5 * self.x[:-1]), of.one, float(np.exp(self.x[-1]))
        a = s * s
        right, left = np.array((one, a, s)), np.array((a, one, nu * s)).T
        bend = np.array((0.25 * nu * a, 0.25 * nu * one, s)).T
        h, shares, squares, degree = np.empty((j + 1, j + 1)), np.empty((j, 3)), np.empty((j, 2)), np.empty(j)
        of_squares = np.array((s, s * a)).T
        for rows in _parts(j):
            t, part = left[rows] @ right, h[:j, :j][rows]
            np.divide(of.minus_n[rows], t, out=part)
            shares[rows] = part @ right.T
            part /= t
            squares[rows] = part @ of_squares
            part *= np.matmul(bend[rows], right, out=t)
            degree[rows] = part @ s
        own = a * squares[:, 0]
        h.ravel()[: j * (j + 1) : j + 2] = degree / -s
        h[j, :j] = h[:j, j] = 0.5 * nu * (own - squares[:, 1])
        h[j, j] = -nu * float(s.dot(own))
        items = (of.lead + 0.5 * (a * shares[:, 0] - shares[:, 1])) / s
        ties = of.tied + nu * s * shares[:, 2]  # item by item: the whole sums have fewer digits
        return h, np.append(items, 0.5 * ties.sum()), np.append(s, 1.0)

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """The Newton step, and its product with the gradient."""
        return self.squares.step(*self._derivatives(), accuracy)

    def covariance(self) -> Covariance:
        """Covariance of the parameters: the inverse of the information."""
        (h, _, scale), at = self._derivatives(), self.squares.problem.reference
        j = len(self.squares.wins)
        h *= scale
        h *= scale[:, None]
        h[at, :j] = h[:j, at] = 0.0
        h[at, at] = 1.0
        ground = np.zeros((1, j), bool)
        ground[0, at] = True
        c, e = h[None, :j, j:].copy(), h[j:, j:]
        c[0, at] = 0.0
        inverse = WrittenOut(np.ascontiguousarray(h[None, :j, :j]), ground)
        return BorderedCovariance(inverse, c, e, np.ones((1, 1)), at)


def _parts(j: int) -> tuple[slice, ...]:
    """The rows of float[j, j], as many at a time as fit into the cache."""
    some = max(_IN_CACHE // j, 1)
    return tuple(slice(k, min(k + some, j)) for k in range(0, j, some)) if some < j else (slice(None),)


def as_squares(problem: Problem) -> Squares | None:
    """Lay a plain problem out as matrices; None if it is none, has large counts or few pairs, or may fall apart."""
    cells, j = problem.cells, problem.n_items
    plain = problem.x is None and problem.further is None and problem.z.shape == (1, 1)
    few_met = j > FEW_ITEMS and MET * 2 * len(cells) < j * j
    if not plain or problem.order.shape[1] or few_met or j > WRITTEN_OUT:
        return None
    if problem.model == "rao-kupper" or problem.tie.shape[1] != (problem.model == "davidson"):
        return None
    if not cells.totals.max(initial=0.0) <= MOST_SMALL:
        return None
    (wins, back), place = np.zeros((2, j, j)), cells.i * j + cells.j
    wins.ravel()[place], back.ravel()[place] = cells.counts[:, 0], cells.counts[:, 2]
    wins += back.T
    n, n_ties = wins + wins.T, float(cells.counts[:, 1].sum())
    if n_ties:
        back.ravel()[place] = cells.counts[:, 1]
        n += back
        n += back.T
    np.negative(n, out=n)
    if j > FEW_ITEMS:
        if not all_reached(wins > 0.0) or n.sum(axis=1).min() < -MOST_OF_ONE:
            return None
    elif 2 * len(cells) <= (j - 1) * (j - 2) and not _within_two(n < 0.0):
        return None
    return Squares(problem, n, wins, n_ties)


def _within_two(met: BoolArray) -> bool:
    """Whether any two items met each other or a third one."""
    steps = met.astype(np.float32)
    return bool((steps @ steps + steps > 0.0).all())
