"""Models in which every pattern of subject covariates has its own abilities, as blocks with a border.

If the item terms are saturated (no covariates, one factor, or crossed factors), the abilities of different
patterns are linked only by the tie and order parameters, and the information matrix has a block for each
pattern (module `block_step`).  A factor of 400 judges and 30 items, with 11,601 parameters, then needs only
400 matrices of 30 x 30.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...data.graph import components, groups
from ...errors import TooLargeError
from . import design
from .block_layout import FULL, MANY, BlockLayout
from .block_step import BlockPoint
from .incidence import Incidence
from .problem import Problem, empirical_logits
from .ties import Counts, derivatives

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: Most entries of matrices, or of directions without an estimate, that are held: 1 GB.
_MOST_ENTRIES = 125_000_000


@dataclass(frozen=True, eq=False)
class Blocks(BlockLayout):
    """A model laid out in blocks, as something that can be maximised."""

    def origin(self) -> FloatArray:
        """The parameters at which all abilities are equal."""
        x = np.zeros(self.n_nodes + self.n_border)
        if self.tie_columns.shape[1]:
            x[self.n_nodes + self.order_columns.shape[1]] = self.problem.start_tie()
        return x

    def start(self) -> FloatArray:
        """Starting values: least squares on the empirical logits, with a constant tie parameter."""
        untied = replace(self, tie_columns=self.tie_columns[:, :0])
        x, _ = BlockPoint(untied, empirical_logits(self.y, "binary"), 0.0).newton_step(0.05)
        r = self.tie_columns.shape[1]
        return np.concatenate([x, [self.problem.start_tie()], np.zeros(r - 1)]) if r else x

    def predictors(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log-odds u and tie parameter g of the cells; g is a single number if all cells share it."""
        a, border = x[: self.n_nodes], x[self.n_nodes :]
        q = self.order_columns.shape[1]
        u = a.take(self.node_i) - a.take(self.node_j)
        if q:
            u = u + self.order_columns @ border[:q]
        if self.tie_columns.shape[1] <= 1:
            return u, border[q : q + 1] if len(border) > q else np.zeros(1)
        return u, self.tie_columns @ border[q:]

    def evaluate(self, x: FloatArray) -> BlockPoint:
        """The log-likelihood and its derivatives at x; minus infinity where x is not allowed."""
        u, g = self.predictors(x)
        extent = float(np.abs(u).max(initial=0.0))
        if self.problem.model == "rao-kupper" and not (g > 0).all():
            extent = np.inf
        elif self.tie_columns.shape[1]:
            extent = max(extent, float(np.abs(g).max(initial=0.0)))
        if not extent < np.inf:  # nan included
            return BlockPoint(self, None, np.inf)
        return BlockPoint(self, derivatives(u, g, self.y, self.problem.model, extent), extent)

    def forward(self, x: FloatArray) -> FloatArray:
        """float[n_params]: b_t against the reference item, then order, then tie."""
        a = x[: self.n_nodes].reshape(self.n_sets, -1)
        b = self.inverse @ (a - a[:, [self.problem.reference]])
        return np.concatenate([b.ravel(), x[self.n_nodes :]])

    def null_space(self) -> FloatArray:
        """float[n_params, k]: shifts of whole sets, which do not change the likelihood."""
        j = self.problem.n_items
        if self.n_grounds == self.n_sets:
            return np.zeros((self.problem.n_params, 0))
        k = self.n_grounds - self.n_sets
        check_null_space(self.problem.n_params, k, self.problem.n_items)
        out, at = np.zeros((self.problem.n_params, k)), 0
        for s in range(self.n_sets):
            for members in groups(self.label[s * j : (s + 1) * j]):
                if self.problem.reference not in members:
                    for t in np.flatnonzero(self.inverse[:, s]):
                        out[t * j + np.array(members), at] = self.inverse[t, s]
                    at += 1
        return out


def as_blocks(problem: Problem, label: IntArray | None = None) -> Blocks | None:
    """Lay a problem out in blocks, or return None if its item terms are not saturated.

    label int[S * n_items] or None: sets of items; no cell may join two of them.  Default: the sets that
    comparisons join.
    """
    if problem.x is not None or problem.further is not None:
        return None
    z, of_pattern = problem.item_patterns()
    if z.shape[0] != z.shape[1]:
        return None
    j, cells = problem.n_items, problem.cells
    if not _fits(len(z), j, len(cells)):
        raise TooLargeError(
            f"{len(z):,} groups of subjects with abilities of their own for each of {j:,} items take"
            f" {len(z)} matrices of {j:,} x {j:,}, {8e-9 * len(z) * j * j:.1f} GB (limit"
            f" {8e-9 * _MOST_ENTRIES:.1f} GB); pool subjects, take a numeric covariate, or fewer items"
        )
    base = of_pattern[cells.pattern] * j
    node_i, node_j = base + cells.i, base + cells.j
    place = node_i * j + cells.j
    if label is None:
        label = _connected(node_i, node_j, place, len(z), j)
    ground = np.zeros(len(z) * j, bool)
    reference = np.arange(len(z)) * j + problem.reference
    ground[reference] = True
    if label.any() and len(label):
        ground[np.setdiff1d(label, label[reference])] = True  # a label is the smallest node of its set
    return Blocks(
        problem,
        design.inverse_of_treatments(z),
        node_i,
        node_j,
        label,
        ground.reshape(len(z), j),
        problem.order[cells.pattern] * cells.sign[:, None],
        problem.tie[cells.pattern],
        problem.counts(),
        Incidence(node_i, node_j, len(z), j, place),
    )


def _fits(n_sets: int, j: int, n_cells: int) -> bool:
    """Whether the matrices of all patterns fit in memory, or can be kept sparse."""
    return n_sets * j * j <= _MOST_ENTRIES or (j >= MANY and FULL * 2 * n_cells < n_sets * j * j)


def check_null_space(n_params: int, k: int, n_items: int) -> None:
    """Raise TooLargeError if k directions without an estimate would take more than 1 GB."""
    if n_params * k > _MOST_ENTRIES:
        raise TooLargeError(
            f"{n_items:,} items fall into {k + 1:,} sets between which no difference can be estimated (never"
            f" compared, or one always preferred); naming them takes {8e-9 * n_params * k:.1f} GB (limit"
            f" {8e-9 * _MOST_ENTRIES:.1f} GB). Fit the largest set alone: table.unseparated_sets()[0] has its"
            " items"
        )


def _connected(node_i: IntArray, node_j: IntArray, place: IntArray, n_sets: int, j: int) -> IntArray:
    """Labels of connected sets of nodes.

    A graph of J items with more than (J-1)(J-2)/2 different pairs is connected, so nothing is searched.
    """
    if n_sets == 1 and 2 * len(place) > (j - 1) * (j - 2) and (place[1:] > place[:-1]).all():
        return np.zeros(j, np.int64)
    return components(node_i, node_j, n_sets * j)
