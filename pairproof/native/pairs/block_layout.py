"""How the parameters of a model lie in blocks, one a pattern, with a border of tie and order parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .incidence import Incidence
from .problem import Problem
from .ties import Counts

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: From this many items on, a matrix may be kept sparse.
MANY = 300
#: A matrix of `MANY` items or more is kept sparse if fewer than one entry in this many is not 0.
FULL = 8


@dataclass(frozen=True, eq=False)
class BlockLayout:
    """A problem whose item terms are saturated, with S patterns of subject covariates.

    inverse float[n_terms, S]: gives the terms from the abilities of the patterns: b_t = sum_s inverse[t, s]
    a_s.  node_i, node_j int[n_cells]: positions of each cell's items in the abilities float[S, n_items],
    flattened.  label int[S * n_items]: for each pattern and item, the set of items with which it can be
    compared.  ground bool[S, n_items]: marks one item of each set, whose ability is held at 0: the reference
    if the set contains it.  order_columns, tie_columns float[n_cells, q], float[n_cells, r]: order terms
    (times sign) and tie terms.
    """

    problem: Problem
    inverse: FloatArray
    node_i: IntArray
    node_j: IntArray
    label: IntArray
    ground: BoolArray
    order_columns: FloatArray
    tie_columns: FloatArray
    y: Counts
    incidence: Incidence

    @property
    def n_sets(self) -> int:
        """S, the number of patterns."""
        return len(self.inverse)

    @property
    def n_nodes(self) -> int:
        return self.n_sets * self.problem.n_items

    @cached_property
    def n_grounds(self) -> int:
        return int(self.ground.sum())

    @cached_property
    def sparse(self) -> bool:
        """Whether there are many items and most pairs were never compared."""
        return (
            self.problem.n_items >= MANY and FULL * 2 * len(self.node_i) < self.n_nodes * self.problem.n_items
        )

    @cached_property
    def ground_of(self) -> IntArray:
        """int[S * n_items]: the item held at 0 in the set of each node."""
        j = self.problem.n_items
        reference = np.repeat(np.arange(self.n_sets) * j + self.problem.reference, j)
        of: IntArray = np.where(self.label == self.label[reference], reference, self.label)
        return of

    @property
    def n_border(self) -> int:
        return self.order_columns.shape[1] + self.tie_columns.shape[1]
