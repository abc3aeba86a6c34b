"""Covariance of a block model, never written out: blocks D_s with a border C, E (module `blocks`).

    cov(a_s, a_r) = [s = r] D_s^-1 + F_s M F_r',   cov(a_s, border) = -F_s M,   cov(border) = M
    F_s = D_s^-1 C_s,   M = (E - sum_s C_s' F_s)^-1

Standard errors need only the diagonals of the inverses, which for one large block cost two thirds of the
inverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLargeError
from ...fit.covariance import sandwich
from ..numerics.laplacian import MOST_DENSE, Graph

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: From this many items on, the inverse of the factor is worth a path of its own (at 100 it saves a third of
#: the time).
_LARGE = 48


class InverseBlocks(Protocol):
    """The inverses D_s^-1 of all S patterns with J items each; rows and columns of items held at 0 are 0."""

    @property
    def diagonal(self) -> FloatArray:
        """float[S, J]."""

    def solve(self, right: FloatArray) -> FloatArray:
        """float[S, J, k]: D_s^-1 R_s for R, float[S, J, k]."""

    def between(self, sets: IntArray, functions: FloatArray) -> FloatArray:
        """float[m, m]: sum over these patterns of L_s D_s^-1 L_s' for L, float[m, n_sets, J]."""


@dataclass(frozen=True, eq=False)
class WrittenOut:
    """Inverses that are held as dense matrices.

    laplacian float[S, J, J]: D_s, with an identity row and column at each ground.  ground bool[S, J]: items
    whose ability is 0, the reference among them.
    """

    laplacian: FloatArray
    ground: BoolArray

    @cached_property
    def _factor(self) -> FloatArray:
        """Lower Cholesky factor of a single block."""
        from scipy.linalg.lapack import dpotrf

        # The block is symmetric, and its transpose is laid out as LAPACK wants it.
        factor, info = dpotrf(self.laplacian[0].T, lower=1)
        if info:
            raise np.linalg.LinAlgError("not positive definite")
        out: FloatArray = factor
        return out

    @cached_property
    def inverse(self) -> FloatArray:
        """float[S, J, J]: D_s^-1, 0 at the grounds."""
        if len(self.laplacian) == 1:
            from scipy.linalg.lapack import dpotri

            half, _ = dpotri(self._factor, lower=1)  # the upper triangle is 0
            full: FloatArray = (half + half.T)[None]
            at = np.arange(len(half))
            full[0, at, at] = half[at, at]
        else:
            full = np.linalg.inv(self.laplacian)
        s, k = np.nonzero(self.ground)
        full[s, k, k] = 0.0
        return full

    @cached_property
    def diagonal(self) -> FloatArray:
        if len(self.laplacian) == 1 and self.laplacian.shape[1] >= _LARGE:
            from scipy.linalg.lapack import dtrtri

            root, _ = dtrtri(self._factor, lower=1)
            out: FloatArray = np.einsum("ij,ij->j", root, root)[None]
        else:
            at = np.arange(self.laplacian.shape[1])
            out = self.inverse[:, at, at]
        return np.where(self.ground, 0.0, out)

    def solve(self, right: FloatArray) -> FloatArray:
        if len(self.laplacian) > 1:
            of_each: FloatArray = self.inverse @ right
            return of_each
        from scipy.linalg.lapack import dpotrs

        solved, _ = dpotrs(self._factor, np.where(self.ground[0, :, None], 0.0, right[0]), lower=1)
        out: FloatArray = solved[None]
        return out

    def between(self, sets: IntArray, functions: FloatArray) -> FloatArray:
        if len(sets) == 1:
            return sandwich(functions[:, 0], self.inverse[sets[0]])
        by_set = functions.transpose(1, 0, 2)
        out: FloatArray = np.einsum("smj,snj->mn", by_set @ self.inverse[sets], by_set, optimize=True)
        return out


@dataclass(frozen=True, eq=False)
class OfGraph:
    """Inverses for a large sparse graph of S * J nodes; only the entries that are needed are solved for."""

    graph: Graph
    n_sets: int

    @cached_property
    def diagonal(self) -> FloatArray:
        return self.graph.variances().reshape(self.n_sets, -1)

    def solve(self, right: FloatArray) -> FloatArray:
        if not right.size:
            return np.zeros_like(right)
        return self.graph.solve(right.reshape(self.graph.n, -1)).reshape(right.shape)

    def between(self, sets: IntArray, functions: FloatArray) -> FloatArray:
        m = len(functions)
        if m > MOST_DENSE:
            raise TooLargeError(
                f"the covariance of {m:,} numbers has {m**2:,} entries, {8e-9 * m**2:.1f} GB (limit"
                f" {MOST_DENSE:,} numbers); ask for fewer"
            )
        on_nodes = np.zeros((m, self.n_sets, functions.shape[2]))
        on_nodes[:, sets] = functions
        on_nodes = on_nodes.reshape(m, -1)
        if 10 * m > self.graph.n and self.graph.n <= MOST_DENSE:
            return sandwich(on_nodes, self.graph.inverse)
        out = on_nodes @ self.graph.solve(np.ascontiguousarray(on_nodes.T))
        symmetric: FloatArray = 0.5 * (out + out.T)
        return symmetric


@dataclass(frozen=True, eq=False)
class BorderedCovariance:
    """Covariance of the parameters of blocks with a border.

    The parameters are b_t = sum_s patterns[t, s] (a_s - a_s of the reference), float[n_terms, J] flattened,
    followed by the border.

    c, e float[S, J, b], float[b, b]: border, 0 at the grounds.  patterns float[n_terms, S].  reference: an
    item that is a ground in every pattern.
    """

    blocks: InverseBlocks
    c: FloatArray
    e: FloatArray
    patterns: FloatArray
    reference: int

    @cached_property
    def f(self) -> FloatArray:
        """float[S, J, b]: D_s^-1 C_s."""
        return self.blocks.solve(self.c)

    @cached_property
    def m(self) -> FloatArray:
        """float[b, b]: covariance of the border."""
        inverse: FloatArray = np.linalg.inv(self.e - np.einsum("sjb,sjc->bc", self.c, self.f))
        return inverse

    def _on_nodes(self, functions: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Patterns that the functions touch, the functions of their abilities, float[m, n_touched, J], and
        what of the border moves them, float[m, b].

        Functions of one covariate cell touch two or three of perhaps hundreds of patterns.
        """
        n_items = self.c.shape[1]
        n = len(self.patterns) * n_items
        terms = functions[:, :n].reshape(len(functions), -1, n_items)
        used = np.flatnonzero(terms.any(axis=(0, 2)))
        of_used, mix = terms[:, used], self.patterns[used]
        of_used[:, :, self.reference] -= of_used.sum(axis=2)
        sets = np.flatnonzero(mix.any(axis=0))
        on_nodes = np.tensordot(of_used, mix[:, sets], axes=(1, 0)).transpose(0, 2, 1)
        if not len(self.e):
            return sets, on_nodes, functions[:, n:]
        along: FloatArray = np.tensordot(on_nodes, self.f[sets], axes=2) - functions[:, n:]
        return sets, on_nodes, along

    def variances(self) -> FloatArray:
        """Diagonal of V.  Only the border links patterns, so the diagonals of the inverses suffice."""
        items: FloatArray = self.patterns**2 @ self.blocks.diagonal
        if not len(self.e):
            return items.ravel()
        w = np.einsum("ts,sjb->tjb", self.patterns, self.f - self.f[:, [self.reference], :])
        items = items + np.einsum("tjb,bc,tjc->tj", w, self.m, w)
        return np.concatenate([items.ravel(), np.diag(self.m)])

    def between(self, functions: FloatArray) -> FloatArray:
        sets, on_nodes, along = self._on_nodes(functions)
        out = self.blocks.between(sets, on_nodes)
        return out + along @ self.m @ along.T if len(self.e) else out

    def product(self, function: FloatArray) -> FloatArray:
        sets, on_nodes, along = self._on_nodes(function[None, :])
        right = np.zeros((*self.c.shape[:2], 1))
        right[sets, :, 0] = on_nodes[0]
        of_nodes = self.blocks.solve(right)[:, :, 0]
        mixed = self.m @ along[0] if len(self.e) else np.zeros(0)
        if len(self.e):
            of_nodes = of_nodes + self.f @ mixed
        terms = self.patterns @ (of_nodes - of_nodes[:, [self.reference]])
        return np.concatenate([terms.ravel(), -mixed])
