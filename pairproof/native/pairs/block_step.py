"""Newton steps for models laid out in blocks with a border (module `blocks`).

The information about the abilities of the patterns s = 1..S and about the border, the tie and order
parameters, is

    H = [ diag(D_1, ..., D_S)   C ]        D_s: weighted Laplacian of pattern s, with one item of each
        [ C'                    E ]             connected set held at 0

A Newton step costs one solve with each D_s and one with the Schur complement E - C'D^-1 C.  For a single
large block, conjugate gradients on the whole of H are faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...fit.covariance import Covariance
from ..numerics.laplacian import Graph, sparse_laplacian
from ..numerics.linear_systems import SMALL_PIVOT, by_cholesky, by_conjugate_gradients
from .block_covariance import BorderedCovariance, InverseBlocks, OfGraph, WrittenOut
from .block_layout import MANY, BlockLayout
from .ties import Derivatives

FloatArray = NDArray[np.float64]

#: From this many items on, conjugate gradients beat a Cholesky factor (measured with the reference BLAS).
LARGE = 48
#: From this many items on, an inverse is not written out unless all of it is asked for.
WRITTEN_OUT = 1500


@dataclass(frozen=True, eq=False)
class BlockPoint:
    """Log-likelihood, gradient and information of a block model at one parameter vector."""

    blocks: BlockLayout
    d: Derivatives | None
    extent: float

    @property
    def value(self) -> float:
        """The log-likelihood."""
        return self.d.llf if self.d is not None else -np.inf

    @cached_property
    def _border(self) -> tuple[FloatArray, FloatArray]:
        """C, float[S, J, b], and E, float[b, b], before any item is held at 0."""
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
        """C and E, with the rows of the items held at 0 set to 0."""
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
        """float[S, J, J]: Laplacians before any item is held at 0; rows sum to 0."""
        assert self.d is not None
        lap = self.blocks.incidence.onto_pairs(-self.d.w_uu)
        at = np.arange(self.blocks.problem.n_items)
        lap[:, at, at] = -lap.sum(axis=2)
        return lap

    @cached_property
    def _laplacian(self) -> FloatArray:
        """float[S, J, J]: D_s, with an identity row and column at each item held at 0."""
        lap = self._floating.copy()
        s, k = np.nonzero(self.blocks.ground)
        lap[s, k, :] = 0.0
        lap[s, :, k] = 0.0
        lap[s, k, k] = 1.0
        return lap

    def gradient(self) -> tuple[FloatArray, FloatArray]:
        """The gradient by the abilities, float[S, J], and by the border parameters, float[b]."""
        b, d = self.blocks, self.d
        assert d is not None
        nodes = b.incidence.onto_items(d.r_u)
        parts = [d.r_u @ b.order_columns]
        if b.tie_columns.shape[1]:
            assert d.r_g is not None
            parts.append(np.array([d.r_g.sum()]) if b.tie_columns.shape[1] == 1 else d.r_g @ b.tie_columns)
        return nodes.reshape(b.n_sets, -1), np.concatenate(parts)

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """The Newton step, and its product with the gradient."""
        nodes, border = self.gradient()
        if self.blocks.sparse or (
            self.blocks.n_sets == 1 and self.blocks.problem.n_items >= MANY and self.blocks.n_grounds > 1
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
        """The Newton step for a large sparse graph."""
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
        """The Newton step, given D^-1 times the gradient and D^-1 C."""
        c, e = self._grounded_border
        schur = e - np.einsum("sjb,sjc->bc", c, d_c)
        if (np.diag(schur) <= SMALL_PIVOT * np.diag(e)).any():
            raise np.linalg.LinAlgError("a tie or order parameter cannot be told from the items")
        on_border = np.linalg.solve(schur, border - np.einsum("sjb,sj->b", c, d_nodes))
        step = d_nodes - d_c @ on_border
        return np.concatenate([step.ravel(), on_border]), float(np.vdot(step, nodes) + on_border @ border)

    def _whole_step(self, nodes: FloatArray, border: FloatArray, accuracy: float) -> tuple[FloatArray, float]:
        """The Newton step for a single block with its border."""
        b = self.blocks
        if b.problem.n_items >= LARGE and b.n_grounds == 1:
            # No item is held at 0 here.  The gradient sums to 0, so the singular system has a solution, and
            # conjugate gradients need two products fewer without the small eigenvalue that a held item
            # causes.  The step of the reference is subtracted afterwards.
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
        """float[J + b, J + b]: the information of a single block with its border."""
        nb = self.blocks.n_border
        if not nb:
            return lap
        (c,), e = border
        j = len(lap)
        whole = np.empty((j + nb, j + nb))
        whole[:j, :j], whole[:j, j:], whole[j:, :j], whole[j:, j:] = lap, c, c.T, e
        return whole

    def covariance(self) -> Covariance:
        """Covariance of the parameters: the inverse of the information."""
        b = self.blocks
        c, e = (
            self._grounded_border
            if b.n_border
            else (np.zeros((b.n_sets, b.problem.n_items, 0)), np.zeros((0, 0)))
        )
        inverse: InverseBlocks
        if b.sparse or (b.n_sets == 1 and b.problem.n_items >= WRITTEN_OUT):
            inverse = OfGraph(self._graph, b.n_sets)
        else:
            inverse = WrittenOut(self._laplacian, b.ground)
        return BorderedCovariance(inverse, c, e, b.inverse, b.problem.reference)


def _solve(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """D_s^-1 R_s for positive definite D_s; LinAlgError if one is not."""
    np.linalg.cholesky(matrices)
    return np.linalg.solve(matrices, right)
