"""A ranking as choices in stages: at each stage the next group is chosen among the items that are left.

The left sets of all rankings are kept once each.  A last group of one item is no choice; a last group of
several items of equal rank is one (Turner, van Etten, Firth and Kosmidis 2020, Computational Statistics 35,
1027-1057). Items below all others are never chosen: the ranking stops before them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .ranks import Ranks

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stages:
    """The choices of all rankings.

    row int[m]: the ranking of each choice.  `left` int[m]: number of the set that it was made from.  chosen
    bool[m, J].  sets bool[n_sets, J]: distinct sets of items left.
    """

    row: IntArray
    left: IntArray
    chosen: BoolArray
    sets: BoolArray

    @property
    def size(self) -> IntArray:
        """int[m]: number of items chosen."""
        return np.asarray(self.chosen.sum(axis=1))

    def counts(self, n_rows: int) -> sparse.csr_matrix:
        """float[n_rows, n_sets]: how often a ranking chose from a set."""
        ones = np.ones(len(self.row))
        return sparse.csr_matrix((ones, (self.row, self.left)), shape=(n_rows, len(self.sets)))


def stages_of(ranks: Ranks) -> Stages:
    """The choices of these rankings."""
    groups = ranks.groups
    row, left, chosen = [], [], []
    for s in range(max(int(ranks.ranks.max()), 0)):
        # Items without a rank have the last group where they are below: left, never chosen.
        own = (groups == s) & (ranks.ranks > 0)
        there = groups >= s
        choice = np.flatnonzero(own.any(axis=1) & (there.sum(axis=1) > 1))
        row.append(choice)
        left.append(there[choice])
        chosen.append(own[choice])
    n_items = ranks.ranks.shape[1]
    rows = np.concatenate(row) if row else np.zeros(0, dtype=np.int64)
    lefts = np.concatenate(left) if left else np.zeros((0, n_items), dtype=bool)
    picks = np.concatenate(chosen) if chosen else np.zeros((0, n_items), dtype=bool)
    order = np.argsort(rows, kind="stable")
    sets, number = np.unique(lefts[order], axis=0, return_inverse=True)
    return Stages(rows[order].astype(np.int64), np.asarray(number).reshape(-1), picks[order], sets)
