"""The pattern model of rankings (Mallows 1957, Bradley and Terry): a ranking is its paired comparisons.

    P(ranking) = product of w_i^(items below i) / F(items presented),    w_i = exp(2 lambda_i)

(Critchlow and Fligner 1991, Psychometrika 56, 517-533; prefmod's pattR).  Where the order within a group is
not known (a tie that is not resolved, or the items below all those with a rank) the probability is the sum
over the orders of the group:

    P(C_1 > C_2 > ...) = product over groups s of F(C_s) product over i in C_s of w_i^(items in later groups)
                         / F(all items presented).

This is prefmod's composite link for partial rankings, without its sum over all rankings.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .ranks import Ranks, above
from .subsets import SubsetMoments, levels, moments_of_each

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MallowsSpace:
    """Rankings of J items, ties as orders that are not known."""

    ranks: Ranks
    _below: FloatArray = field(init=False, repr=False)
    _used: IntArray = field(init=False, repr=False)
    _all: IntArray = field(init=False, repr=False)
    _group_row: IntArray = field(init=False, repr=False)
    _group_set: IntArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        levels(self.n_statistics)
        groups = self.ranks.groups
        bits = np.int64(1) << np.arange(self.n_statistics)
        later = (groups[:, None, :] > groups[:, :, None]) & (groups[:, :, None] >= 0)
        row, mask = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for s in range(int(groups.max()) + 1):
            inside = groups == s
            several = np.flatnonzero(inside.sum(axis=1) > 1)
            row.append(several)
            mask.append(inside[several] @ bits)
        object.__setattr__(self, "_below", later.sum(axis=2).astype(float))
        # Only the sets that some answer needs are kept: with complete rankings the set of all items alone.
        masks = np.concatenate([np.asarray(self.ranks.presented @ bits), *mask])
        used, where = np.unique(masks, return_inverse=True)
        where = np.asarray(where, dtype=np.int64).ravel()
        object.__setattr__(self, "_used", used)
        object.__setattr__(self, "_all", where[: self.n_rows])
        object.__setattr__(self, "_group_row", np.concatenate(row))
        object.__setattr__(self, "_group_set", where[self.n_rows :])

    @property
    def n_statistics(self) -> int:
        """Number of items."""
        return int(self.ranks.ranks.shape[1])

    @property
    def n_rows(self) -> int:
        """Number of rankings."""
        return len(self.ranks.ranks)

    def at(self, beta: FloatArray) -> MallowsPoint:
        """The sums over all rankings of the subsets at lambda, float[J]."""
        return self.at_each(beta[None, :])[0]

    def at_each(self, betas: FloatArray) -> list[MallowsPoint]:
        """The same at each of many lambdas, float[G, J], in one recursion."""
        return [MallowsPoint(self, b, m) for b, m in zip(betas, moments_of_each(betas, self._used))]

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, J]: e_i - e_j for each i that somebody ranked above j.

        A direction is one of recession if it never has the lower item of two ahead.
        """
        edges = above(Ranks(self.ranks.ranks[rows]))
        i, j = np.nonzero(edges)
        eye = np.eye(self.n_statistics)
        return np.asarray(eye[i] - eye[j])


@dataclass(frozen=True, eq=False)
class MallowsPoint:
    """Rankings at one value of the items' parameters.

    lam float[J].  moments: of the sets of items that were presented, or tied.
    """

    space: MallowsSpace
    lam: FloatArray
    moments: SubsetMoments

    def _groups(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Position among these rows, and number of the set, of each group with several items."""
        if not len(self.space._group_row):
            return self.space._group_row, self.space._group_set
        place = np.full(self.space.n_rows, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        where = place[self.space._group_row]
        return where[where >= 0], self.space._group_set[where >= 0]

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        found = 2.0 * self.space._below[rows] @ self.lam - self.moments.log_total[self.space._all[rows]]
        where, tied = self._groups(rows)
        np.add.at(found, where, self.moments.log_total[tied])
        return np.asarray(found)

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, J]."""
        found = self.space._below[rows] - self.moments.mean[self.space._all[rows]]
        where, tied = self._groups(rows)
        np.add.at(found, where, self.moments.mean[tied])
        return np.asarray(2.0 * found)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[J, J]."""
        where, tied = self._groups(rows)
        each = np.bincount(self.space._all[rows], weights, len(self.moments.log_total))
        each -= np.bincount(tied, weights[where], len(each))
        used = np.flatnonzero(each)
        return np.asarray(4.0 * np.einsum("s,sij->ij", each[used], self.moments.covariance[used]))
