"""Covariance of a block model, never written out: blocks D_s with a border C, E (module `blocks`).

    cov(a_s, a_r) = [s = r] D_s^-1 + F_s M F_r',   cov(a_s, border) = -F_s M,   cov(border) = M
    F_s = D_s^-1 C_s,   M = (E - sum_s C_s' F_s)^-1

Standard errors need only the diagonals of the inverses, which for one large block cost two thirds of the
inverse.  The parameters are a linear map of the abilities a and the border (`FromPatterns`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLargeError
from ...fit.covariance import Covariance, sandwich
from ..numerics.laplacian import MOST_DENSE, Graph

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

#: From this many items on, the inverse of the factor is worth a path of its own (at 100 it saves a third of
#: the time).
_LARGE = 48


class InverseBlocks(Protocol):
    """D_s^-1 of all S patterns with J items each; rows and columns of grounds are 0."""

    @property
    def diagonal(self) -> FloatArray:
        """float[S, J]."""

    def solve(self, right: FloatArray) -> FloatArray:
        """float[S, J, k]: D_s^-1 R_s for R, float[S, J, k]."""

    def between(self, functions: FloatArray) -> FloatArray:
        """float[m, m]: sum over s of L_s D_s^-1 L_s' for L, float[m, S, J]."""


@dataclass(frozen=True, eq=False)
class WrittenOut:
    """Inverses of blocks that are written out.

    Attributes
    ----------
    laplacian : float[S, J, J]
        D_s, with an identity row and column at each ground.
    ground : bool[S, J]
        Items whose ability is 0, the reference among them.
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

    def between(self, functions: FloatArray) -> FloatArray:
        # Functions of one covariate cell touch two or three of perhaps hundreds of patterns.
        sets = np.flatnonzero(functions.any(axis=(0, 2)))
        if len(sets) == 1:
            return sandwich(functions[:, sets[0]], self.inverse[sets[0]])
        by_set = functions[:, sets].transpose(1, 0, 2)
        out: FloatArray = np.einsum("smj,snj->mn", by_set @ self.inverse[sets], by_set, optimize=True)
        return out


@dataclass(frozen=True, eq=False)
class OfGraph:
    """The same for a large graph of S * J nodes: nothing but what is asked for is solved for."""

    graph: Graph
    n_sets: int

    @cached_property
    def diagonal(self) -> FloatArray:
        return self.graph.variances().reshape(self.n_sets, -1)

    def solve(self, right: FloatArray) -> FloatArray:
        if not right.size:
            return np.zeros_like(right)
        return self.graph.solve(right.reshape(self.graph.n, -1)).reshape(right.shape)

    def between(self, functions: FloatArray) -> FloatArray:
        m = len(functions)
        if m > MOST_DENSE:
            raise TooLargeError(
                f"the covariance of {m:,} numbers has {m**2:,} entries, {8e-9 * m**2:.1f} GB (limit"
                f" {MOST_DENSE:,} numbers); ask for fewer"
            )
        on_nodes = functions.reshape(m, -1)
        if 10 * m > self.graph.n and self.graph.n <= MOST_DENSE:
            return sandwich(on_nodes, self.graph.inverse)
        out = on_nodes @ self.graph.solve(np.ascontiguousarray(on_nodes.T))
        symmetric: FloatArray = 0.5 * (out + out.T)
        return symmetric


@dataclass(frozen=True, eq=False)
class BorderedCovariance:
    """Covariance of all abilities, raveled float[S, J], and the border after them.

    Attributes
    ----------
    blocks : InverseBlocks
    c, e : float[S, J, b], float[b, b]
        Border, 0 at the grounds.
    """

    blocks: InverseBlocks
    c: FloatArray
    e: FloatArray

    @cached_property
    def f(self) -> FloatArray:
        """float[S, J, b]: D_s^-1 C_s."""
        return self.blocks.solve(self.c)

    @cached_property
    def m(self) -> FloatArray:
        """float[b, b]: covariance of the border."""
        inverse: FloatArray = np.linalg.inv(self.e - np.einsum("sjb,sjc->bc", self.c, self.f))
        return inverse

    def _split(self, functions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Functions on the abilities, float[m, S, J], and on what the border moves, float[m, b]."""
        n_sets, n_items, b = self.c.shape
        on_nodes = functions[:, : n_sets * n_items].reshape(-1, n_sets, n_items)
        if not b:
            return on_nodes, np.zeros((len(functions), 0))
        along: FloatArray = np.tensordot(on_nodes, self.f, axes=2)
        return on_nodes, along - functions[:, n_sets * n_items :]

    def variances(self) -> FloatArray:
        if not len(self.e):
            return self.blocks.diagonal.ravel()
        of_nodes = self.blocks.diagonal + np.einsum("sjb,bc,sjc->sj", self.f, self.m, self.f)
        return np.concatenate([of_nodes.ravel(), np.diag(self.m)])

    def between(self, functions: FloatArray) -> FloatArray:
        on_nodes, along = self._split(functions)
        out = self.blocks.between(on_nodes)
        return out + along @ self.m @ along.T if len(self.e) else out

    def product(self, function: FloatArray) -> FloatArray:
        on_nodes, along = self._split(function[None, :])
        of_nodes = self.blocks.solve(on_nodes[0][:, :, None])[:, :, 0]
        if not len(self.e):
            return of_nodes.ravel()
        mixed = self.m @ along[0]
        return np.concatenate([(of_nodes + self.f @ mixed).ravel(), -mixed])


@dataclass(frozen=True, eq=False)
class FromPatterns:
    """The map from abilities and border to parameters: b_t = sum_s patterns[t, s] (a_s - a_s of the reference).

    Attributes
    ----------
    patterns : float[n_terms, S]
    n_items : int
    reference : int
        A ground of its set in every pattern.
    """

    patterns: FloatArray
    n_items: int
    reference: int

    def forward(self, values: FloatArray) -> FloatArray:
        n = self.patterns.shape[1] * self.n_items
        a = values[:n].reshape(-1, self.n_items)
        terms = self.patterns @ (a - a[:, [self.reference]])
        return np.concatenate([terms.ravel(), values[n:]])

    def back(self, functions: FloatArray) -> FloatArray:
        m, n = len(functions), len(self.patterns) * self.n_items
        terms = functions[:, :n].reshape(m, -1, self.n_items).copy()
        terms[:, :, self.reference] -= terms.sum(axis=2)
        used = np.flatnonzero(terms.any(axis=(0, 2)))
        mix = self.patterns[used]
        sets = np.flatnonzero(mix.any(axis=0))
        on_nodes = np.zeros((m, self.patterns.shape[1], self.n_items))
        on_nodes[:, sets] = np.tensordot(terms[:, used], mix[:, sets], axes=(1, 0)).transpose(0, 2, 1)
        return np.concatenate([on_nodes.reshape(m, -1), functions[:, n:]], axis=1)

    def variances(self, before: Covariance) -> FloatArray:
        """Abilities of different patterns meet only in the border, so the diagonals are enough."""
        assert isinstance(before, BorderedCovariance)
        items: FloatArray = self.patterns**2 @ before.blocks.diagonal
        if not len(before.e):
            return items.ravel()
        f = before.f - before.f[:, [self.reference], :]
        w = np.einsum("ts,sjb->tjb", self.patterns, f)
        items = items + np.einsum("tjb,bc,tjc->tj", w, before.m, w)
        return np.concatenate([items.ravel(), np.diag(before.m)])
