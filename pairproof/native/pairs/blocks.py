"""Solver for models in which every pattern has abilities of its own: blocks with a border.

If the item terms are saturated (no covariates, one factor, a crossing of factors) the abilities of different
patterns meet only in the tie and order parameters.  The information is then

    H = [ diag(D_1, ..., D_S)   C ]        D_s: weighted Laplacian of pattern s, grounded at one item of each
        [ C'                    E ]             connected set;  C, E: border of tie and order parameters

and a Newton step costs one solve with each D_s and one with the Schur complement E - C'D^-1 C (for one large
block conjugate gradients on the whole do instead).  A factor of 400 judges and 30 items (11,601 parameters)
takes no more than 400 matrices of 30 x 30.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...data.graph import components, groups
from ...errors import TooLargeError
from ...fit.covariance import Covariance
from ..numerics.laplacian import Graph, sparse_laplacian
from ..numerics.linear_systems import SMALL_PIVOT, by_cholesky, by_conjugate_gradients
from . import design
from .block_covariance import BorderedCovariance, InverseBlocks, OfGraph, WrittenOut
from .incidence import Incidence
from .problem import Problem, empirical_logits
from .ties import Counts, Derivatives, derivatives

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: From this many items on, conjugate gradients beat a Cholesky factor (measured with the reference BLAS).
LARGE = 48
#: From this many nodes on, a matrix of which less than one entry in eight is not 0 is kept sparse.
_MANY, _FULL = 300, 8
#: From this many items on, an inverse is not written out unless all of it is asked for.
_WRITTEN_OUT = 1500
#: Entries of matrices, and of directions without an estimate, held at most: 1 GB.
_MOST_ENTRIES = 125_000_000


@dataclass(frozen=True, eq=False)
class Blocks:
    """A problem whose item patterns are saturated.

    Attributes
    ----------
    problem : Problem
    inverse : float[n_terms, S]
        Terms from patterns: b_t = sum_s inverse[t, s] a_s.
    node_i, node_j : int[n_cells]
        Position of each cell's items in the abilities, raveled float[S, n_items].
    label : int[S * n_items]
        Set of items that can be compared, per pattern.
    ground : bool[S, n_items]
        One item of each set, whose ability is 0; the reference where it is in the set.
    order_columns, tie_columns : float[n_cells, q], float[n_cells, r]
        Order terms (times sign) and tie terms.
    y : Counts
    incidence : Incidence
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
        return len(self.inverse)

    @property
    def n_nodes(self) -> int:
        return self.n_sets * self.problem.n_items

    @cached_property
    def n_grounds(self) -> int:
        return int(self.ground.sum())

    @cached_property
    def sparse(self) -> bool:
        """Whether most pairs of many items have never met, so that all patterns make one large graph."""
        return (
            self.problem.n_items >= _MANY
            and _FULL * 2 * len(self.node_i) < self.n_nodes * self.problem.n_items
        )

    @cached_property
    def ground_of(self) -> IntArray:
        """int[S * n_items]: the ground of each node's set."""
        j = self.problem.n_items
        reference = np.repeat(np.arange(self.n_sets) * j + self.problem.reference, j)
        of: IntArray = np.where(self.label == self.label[reference], reference, self.label)
        return of

    @property
    def n_border(self) -> int:
        return self.order_columns.shape[1] + self.tie_columns.shape[1]

    def origin(self) -> FloatArray:
        """All abilities equal."""
        x = np.zeros(self.n_nodes + self.n_border)
        if self.tie_columns.shape[1]:
            x[self.n_nodes + self.order_columns.shape[1]] = self.problem.start_tie()
        return x

    def start(self) -> FloatArray:
        """Least squares of the empirical logits, which say nothing of ties."""
        untied = replace(self, tie_columns=self.tie_columns[:, :0])
        x, _ = BlockPoint(untied, empirical_logits(self.y, "binary"), 0.0).newton_step(0.05)
        r = self.tie_columns.shape[1]
        return np.concatenate([x, [self.problem.start_tie()], np.zeros(r - 1)]) if r else x

    def predictors(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """u and g of the cells; g is one number if it is the same for all."""
        a, border = x[: self.n_nodes], x[self.n_nodes :]
        q = self.order_columns.shape[1]
        u = a.take(self.node_i) - a.take(self.node_j)
        if q:
            u = u + self.order_columns @ border[:q]
        if self.tie_columns.shape[1] <= 1:
            return u, border[q : q + 1] if len(border) > q else np.zeros(1)
        return u, self.tie_columns @ border[q:]

    def evaluate(self, x: FloatArray) -> BlockPoint:
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
        """float[n_params, k]: shifts of whole sets against the reference, which the data do not see."""
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
    """The problem as blocks, or None if its item terms are not saturated.

    Parameters
    ----------
    problem : Problem
    label : int[S * n_items] or None
        Sets of items; cells that join two sets must be gone.  Default: sets joined by comparisons.
    """
    if problem.x is not None:
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
    """Whether the matrices of all patterns can be held, unless they are kept sparse."""
    return n_sets * j * j <= _MOST_ENTRIES or (j >= _MANY and _FULL * 2 * n_cells < n_sets * j * j)


def check_null_space(n_params: int, k: int, n_items: int) -> None:
    """TooLargeError if k directions without an estimate cannot be written out."""
    if n_params * k > _MOST_ENTRIES:
        raise TooLargeError(
            f"{n_items:,} items fall into {k + 1:,} sets between which no difference can be estimated (never"
            f" compared, or one always preferred); naming them takes {8e-9 * n_params * k:.1f} GB (limit"
            f" {8e-9 * _MOST_ENTRIES:.1f} GB). Fit the largest set alone: table.unseparated_sets()[0] has its"
            " items"
        )


def _connected(node_i: IntArray, node_j: IntArray, place: IntArray, n_sets: int, j: int) -> IntArray:
    """Labels of connected sets of nodes; where more than (J-1)(J-2)/2 pairs met, no item can have been left
    out.
    """
    if n_sets == 1 and 2 * len(place) > (j - 1) * (j - 2) and (place[1:] > place[:-1]).all():
        return np.zeros(j, np.int64)
    return components(node_i, node_j, n_sets * j)


@dataclass(frozen=True, eq=False)
class BlockPoint:
    """Log-likelihood, gradient and information at one place."""

    blocks: Blocks
    d: Derivatives | None
    extent: float

    @property
    def value(self) -> float:
        return self.d.llf if self.d is not None else -np.inf

    @cached_property
    def _border(self) -> tuple[FloatArray, FloatArray]:
        """C, float[S, J, b], and E, float[b, b]."""
        b, d = self.blocks, self.d
        assert d is not None
        q, nb = b.order_columns.shape[1], b.n_border
        on_node, corner = np.zeros((nb, b.n_nodes)), np.zeros((nb, nb))
        for k in range(nb):
            along = d.w_uu * b.order_columns[:, k] if k < q else self._cross(k - q)
            on_node[k] = b.incidence.onto_items(along)
            corner[k, :q] = along @ b.order_columns
        if nb > q:
            assert d.w_ug is not None and d.w_gg is not None
            corner[:q, q:] = b.order_columns.T @ (d.w_ug[:, None] * b.tie_columns)
            constant = nb - q == 1  # a single tie column is the constant
            corner[q:, q:] = d.w_gg.sum() if constant else b.tie_columns.T @ (d.w_gg[:, None] * b.tie_columns)
        return on_node.T.reshape(b.n_sets, b.problem.n_items, nb), corner

    @cached_property
    def _grounded_border(self) -> tuple[FloatArray, FloatArray]:
        c, e = self._border
        return np.where(self.blocks.ground[:, :, None], 0.0, c), e

    def _cross(self, k: int) -> FloatArray:
        """-d2l/du dgamma_k of the cells."""
        assert self.d is not None and self.d.w_ug is not None
        w = self.d.w_ug
        return w if self.blocks.tie_columns.shape[1] == 1 else w * self.blocks.tie_columns[:, k]

    @cached_property
    def _graph(self) -> Graph:
        """The information about the abilities, of all patterns as one graph."""
        b = self.blocks
        if not b.sparse:
            return Graph(self._floating[0], b.ground_of)
        assert self.d is not None
        return Graph(sparse_laplacian(b.node_i, b.node_j, self.d.w_uu, b.n_nodes), b.ground_of)

    @cached_property
    def _floating(self) -> FloatArray:
        """float[S, J, J]: Laplacians before anything is grounded; rows sum to 0."""
        assert self.d is not None
        lap = self.blocks.incidence.onto_pairs(-self.d.w_uu)
        at = np.arange(self.blocks.problem.n_items)
        lap[:, at, at] = -lap.sum(axis=2)
        return lap

    @cached_property
    def _laplacian(self) -> FloatArray:
        """float[S, J, J]: D_s, with an identity row and column at each ground."""
        lap = self._floating.copy()
        s, k = np.nonzero(self.blocks.ground)
        lap[s, k, :] = 0.0
        lap[s, :, k] = 0.0
        lap[s, k, k] = 1.0
        return lap

    def gradient(self) -> tuple[FloatArray, FloatArray]:
        """On the abilities, float[S, J], and on the border, float[b]."""
        b, d = self.blocks, self.d
        assert d is not None
        nodes = b.incidence.onto_items(d.r_u)
        parts = [d.r_u @ b.order_columns]
        if b.tie_columns.shape[1]:
            assert d.r_g is not None
            parts.append(np.array([d.r_g.sum()]) if b.tie_columns.shape[1] == 1 else d.r_g @ b.tie_columns)
        return nodes.reshape(b.n_sets, -1), np.concatenate(parts)

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        nodes, border = self.gradient()
        if self.blocks.sparse or (
            self.blocks.n_sets == 1 and self.blocks.problem.n_items >= _MANY and self.blocks.n_grounds > 1
        ):
            return self._graph_step(nodes, border, accuracy)
        if self.blocks.n_sets == 1:
            return self._whole_step(nodes[0], border, accuracy)
        nodes = np.where(self.blocks.ground, 0.0, nodes)
        if not self.blocks.n_border:
            step = _solve(self._laplacian, nodes[:, :, None])[:, :, 0]
            return step.ravel(), float(np.vdot(step, nodes))
        c, _ = self._grounded_border
        solved = _solve(self._laplacian, np.concatenate([nodes[:, :, None], c], axis=2))
        return self._with_border(solved[:, :, 0], solved[:, :, 1:], nodes, border)

    def _graph_step(self, nodes: FloatArray, border: FloatArray, accuracy: float) -> tuple[FloatArray, float]:
        """The step for a large graph."""
        b = self.blocks
        nodes = np.where(b.ground, 0.0, nodes)
        right = nodes.reshape(-1, 1)
        if b.n_border:
            right = np.concatenate([right, self._grounded_border[0].reshape(b.n_nodes, -1)], axis=1)
        solved = self._graph.solve(right, accuracy).reshape(b.n_sets, -1, right.shape[1])
        if not b.n_border:
            return solved.ravel(), float(np.vdot(solved[:, :, 0], nodes))
        return self._with_border(solved[:, :, 0], solved[:, :, 1:], nodes, border)

    def _with_border(
        self, d_nodes: FloatArray, d_c: FloatArray, nodes: FloatArray, border: FloatArray
    ) -> tuple[FloatArray, float]:
        """The step, given D^-1 applied to the gradient and to C."""
        c, e = self._grounded_border
        schur = e - np.einsum("sjb,sjc->bc", c, d_c)
        if (np.diag(schur) <= SMALL_PIVOT * np.diag(e)).any():
            raise np.linalg.LinAlgError("a tie or order parameter cannot be told from the items")
        on_border = np.linalg.solve(schur, border - np.einsum("sjb,sj->b", c, d_nodes))
        step = d_nodes - d_c @ on_border
        return np.concatenate([step.ravel(), on_border]), float(np.vdot(step, nodes) + on_border @ border)

    def _whole_step(self, nodes: FloatArray, border: FloatArray, accuracy: float) -> tuple[FloatArray, float]:
        """The step for a single block with its border."""
        b = self.blocks
        if b.problem.n_items >= LARGE and b.n_grounds == 1:
            # Nothing is grounded here: gradients sum to 0, so the system has a solution, and without the
            # small eigenvalue that a ground brings conjugate gradients need two products fewer. The level is
            # taken off afterwards.
            floating = np.concatenate([nodes, border])
            step = by_conjugate_gradients(self._whole(self._floating[0], self._border), floating, accuracy)
            if step is not None:
                decrement = float(step.dot(floating))
                step[: len(nodes)] -= step[: len(nodes)][b.ground[0]]
                return step, decrement
        right = np.concatenate([np.where(b.ground[0], 0.0, nodes), border])
        step = by_cholesky(self._whole(self._laplacian[0], self._grounded_border), right)
        return step, float(step.dot(right))

    def _whole(self, lap: FloatArray, border: tuple[FloatArray, FloatArray]) -> FloatArray:
        """The information of a single block with its border, float[J + b, J + b]."""
        nb = self.blocks.n_border
        if not nb:
            return lap
        (c,), e = border
        j = len(lap)
        whole = np.empty((j + nb, j + nb))
        whole[:j, :j], whole[:j, j:], whole[j:, :j], whole[j:, j:] = lap, c, c.T, e
        return whole

    def covariance(self) -> Covariance:
        b = self.blocks
        c, e = (
            self._grounded_border
            if b.n_border
            else (np.zeros((b.n_sets, b.problem.n_items, 0)), np.zeros((0, 0)))
        )
        inverse: InverseBlocks
        if b.sparse or (b.n_sets == 1 and b.problem.n_items >= _WRITTEN_OUT):
            inverse = OfGraph(self._graph, b.n_sets)
        else:
            inverse = WrittenOut(self._laplacian, b.ground)
        return BorderedCovariance(inverse, c, e, b.inverse, b.problem.reference)


def _solve(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """D_s^-1 R_s for positive definite D_s; LinAlgError if one is not."""
    np.linalg.cholesky(matrices)
    return np.linalg.solve(matrices, right)
