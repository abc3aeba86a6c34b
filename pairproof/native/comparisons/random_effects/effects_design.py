"""Contests whose linear predictor has fixed parts and random effects: one or several components of variance.

    eta = x'b + offset + sum over components c of  u_c[first_c] - u_c[second_c],    u_c ~ N(0, sigma_c^2)

(Turner and Firth 2012, Journal of Statistical Software 48(9), section 3.1, has one; Breslow and Clayton 1993,
JASA 88, 9-25, any number).  Components are, for example, the players (crossed) and the items by judge, every
judge's own deviation from an item's ability (nested).  The effects of all components are numbered through,
component by component; they are the own abilities of a :class:`BlockDesign`, which has two columns of numbers
for every component, and the fixed parameters its columns.  A player with an ability of its own, a fixed
parameter, has no effect: index -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....numerics.arrays import FloatArray, IntArray
from ..rows.contest_design import Contests, Design


@dataclass(frozen=True, eq=False)
class Block:
    """One component of variance: which of its effects each side of a contest has.
    `first`, second int[n]: 0 .. K - 1; -1 for none.  effects: K names."""

    first: IntArray
    second: IntArray
    effects: Sequence[str]


@dataclass(frozen=True, eq=False)
class BlockDesign(Design):
    """Linear predictors of n contests with effects of several components and p further columns.
    `first`, second int[n, C]: effects of each component, numbered through all components; -1 for none. sizes:
    effects of each component.  dense float[n, p]: columns that enter as they are.  offset float[n].  names: of the
    effects and then of the p columns."""

    sizes: tuple[int, ...]

    def _sides(self) -> list[tuple[IntArray, float]]:
        """Columns of effects with their signs."""
        c = len(self.sizes)
        return [(self.first[:, k], 1.0) for k in range(c)] + [(self.second[:, k], -1.0) for k in range(c)]

    def predictor(self, theta: FloatArray) -> FloatArray:
        """eta, float[n], for parameters theta, float[m + p]."""
        own = np.append(theta[: self.n_own], 0.0)  # the last is the 0 that index -1 reads
        eta = self.dense @ theta[self.n_own :] + self.offset
        for side, sign in self._sides():
            eta += sign * own[side]
        return np.asarray(eta)

    def _own_gram(self, weights: FloatArray) -> FloatArray:
        m = self.n_own
        wide = np.zeros((m + 1) ** 2)
        sides = self._sides()
        for k, (one, sign) in enumerate(sides):
            for other, sign2 in sides[:k]:
                wide += sign * sign2 * np.bincount((one + 1) * (m + 1) + other + 1, weights, (m + 1) ** 2)
        found = wide.reshape(m + 1, m + 1)
        own: FloatArray = found + found.T
        for one, _ in sides:
            own[np.diag_indices(m + 1)] += np.bincount(one + 1, weights, m + 1)
        return own[1:, 1:]

    def without(self, columns: IntArray) -> Design:
        """The design with these columns' parameters fixed at 0.
        columns int[k]: of whole components, or of fixed parameters."""
        m = self.n_own
        kept = np.setdiff1d(np.arange(len(self.names)), columns)
        dense = self.dense[:, kept[kept >= m] - m]
        names = tuple(self.names[k] for k in kept)
        ends = np.cumsum((0, *self.sizes))
        left = [c for c in range(len(self.sizes)) if np.isin(np.arange(ends[c], ends[c + 1]), kept).all()]
        shift = np.cumsum([0] + [self.sizes[c] for c in left])
        sides = []
        for side in (self.first, self.second):
            own = [np.where(side[:, c] < 0, -1, side[:, c] - ends[c] + s) for c, s in zip(left, shift)]
            sides.append(np.column_stack(own) if left else np.full((self.n_rows, 1), -1))
        if len(left) <= 1:
            return Design(sides[0][:, 0], sides[1][:, 0], dense, self.offset, names)
        return BlockDesign(sides[0], sides[1], dense, self.offset, names, tuple(self.sizes[c] for c in left))

    def projected(self, matrix: FloatArray, part: slice) -> FloatArray:
        """float[r, k]: X M for these rows of X and M of float[m + p, k]."""
        own = np.vstack([matrix[: self.n_own], np.zeros((1, matrix.shape[1]))])
        found = self.dense[part] @ matrix[self.n_own :]
        for side, sign in self._sides():
            found += sign * own[side[part]]
        return np.asarray(found)

    def variances(self, covariance: FloatArray) -> FloatArray:
        """float[n]: x'Vx of each contest, the variance of its linear predictor."""
        m = self.n_own
        wide = np.zeros((m + 1, m + 1))
        wide[:m, :m] = covariance[:m, :m]
        across = np.vstack([covariance[:m, m:], np.zeros((1, covariance.shape[0] - m))])
        found = np.einsum("ij,ij->i", self.dense @ covariance[m:, m:], self.dense)
        sides = self._sides()
        for k, (one, sign) in enumerate(sides):
            found += wide.diagonal()[one] + 2.0 * sign * np.einsum("ij,ij->i", across[one], self.dense)
            for other, sign2 in sides[:k]:
                found += 2.0 * sign * sign2 * wide[one, other]
        return np.asarray(found)


def with_blocks(fixed: Contests, blocks: Sequence[Block]) -> Contests:
    """The same contests with random effects of several components, pooled.
    fixed: n rows, with the design of the fixed parameters.  Returns Contests: whose first parameters are the
    effects, component by component."""
    n, shift = fixed.design.n_rows, 0
    first: list[IntArray] = []
    second: list[IntArray] = []
    for block in blocks:
        for side, found in ((block.first, first), (block.second, second)):
            found.append(np.where(side < 0, -1, side + shift))
        shift += len(block.effects)
    columns = fixed.design.rows(np.arange(n))
    effects = tuple(effect for block in blocks for effect in block.effects) + fixed.design.names
    if len(blocks) == 1:
        design = Design(first[0], second[0], columns, fixed.design.offset, effects)
    else:
        sizes = tuple(len(block.effects) for block in blocks)
        one, other = np.column_stack(first), np.column_stack(second)
        design = BlockDesign(one, other, columns, fixed.design.offset, effects, sizes)
    return Contests(design, fixed.wins, fixed.losses).pooled()


def component_sizes(design: Design) -> tuple[int, ...]:
    """How many effects each component has."""
    return design.sizes if isinstance(design, BlockDesign) else (design.n_own,)


def fixed_part(contests: Contests) -> Contests:
    """The same contests without their random effects: sigma = 0."""
    return Contests(contests.design.without(np.arange(contests.design.n_own)), contests.wins, contests.losses)


def acyclic(contests: Contests) -> bool:
    """Whether no chain of wins leads from a random effect back to it: sigma is then bounded below only.
    As sigma grows with b / sigma held, the likelihood tends to the positive probability that normal effects
    reproduce the order of the wins, so it need not have a maximum in sigma."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    design, k = contests.design, contests.design.n_own
    inner = (design.first >= 0) & (design.second >= 0)
    won, lost = inner & (contests.wins > 0), inner & (contests.losses > 0)
    winner = np.concatenate([design.first[won], design.second[lost]])
    loser = np.concatenate([design.second[won], design.first[lost]])
    graph = coo_matrix((np.ones(len(winner)), (winner, loser)), shape=(k, k))
    n_strong = connected_components(graph, connection="strong", return_labels=False)
    return bool(n_strong == k)
