"""Covariance of a block model, never written out: blocks D_s with a border C, E (module `blocks`).

    cov(a_s, a_r) = [s = r] D_s^-1 + F_s M F_r',   cov(a_s, border) = -F_s M,   cov(border) = M
    F_s = D_s^-1 C_s,   M = (E - sum_s C_s' F_s)^-1

Standard errors need only the diagonals of the inverses, which for one large block cost two thirds of the
inverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLargeError
from ...fit.covariance import sandwich
from ..numerics.laplacian import MOST_DENSE, Graph

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

#: From this many items on, the inverse of the factor is worth a path of its own (at 100 it saves a third of
#: the time).
_LARGE = 48


@dataclass(frozen=True, eq=False)
class BlockCovariance:
    """Attributes
    ----------
    laplacian : float[S, J, J]
        D_s, with an identity row and column at each ground.
    ground : bool[S, J]
        Items whose ability is 0, the reference among them.
    c, e : float[S, J, b], float[b, b]
        Border.
    patterns : float[n_terms, S]
        Terms from patterns: b_t = sum_s patterns[t, s] a_s.
    reference : int
    """

    laplacian: FloatArray
    ground: BoolArray
    c: FloatArray
    e: FloatArray
    patterns: FloatArray
    reference: int

    @cached_property
    def _factor(self) -> FloatArray:
        """Lower Cholesky factor of a single block."""
        from scipy.linalg.lapack import dpotrf

        factor, info = dpotrf(
            self.laplacian[0].T, lower=1
        )  # symmetric, and a transpose is as LAPACK wants it
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
        """float[S, J]: of D_s^-1, 0 at the grounds."""
        if len(self.laplacian) == 1 and self.laplacian.shape[1] >= _LARGE:
            from scipy.linalg.lapack import dtrtri

            root, _ = dtrtri(self._factor, lower=1)
            out: FloatArray = np.einsum("ij,ij->j", root, root)[None]
        else:
            at = np.arange(self.laplacian.shape[1])
            out = self.inverse[:, at, at]
        return np.where(self.ground, 0.0, out)

    @cached_property
    def f(self) -> FloatArray:
        """float[S, J, b]: D_s^-1 C_s."""
        if len(self.laplacian) == 1:
            from scipy.linalg.lapack import dpotrs

            solved, _ = dpotrs(self._factor, self.c[0], lower=1)
            out: FloatArray = solved[None]
            return out
        of_each: FloatArray = self.inverse @ self.c
        return of_each

    @cached_property
    def m(self) -> FloatArray:
        """float[b, b]: covariance of the border."""
        inverse: FloatArray = np.linalg.inv(self.e - np.einsum("sjb,sjc->bc", self.c, self.f))
        return inverse

    def variances(self) -> FloatArray:
        items: FloatArray = (
            self.patterns**2 @ self.diagonal
        )  # against the reference, which is a ground of its set
        if not len(self.e):
            return items.ravel()
        w = np.einsum("ts,sjb->tjb", self.patterns, self.f - self.f[:, [self.reference], :])
        items = items + np.einsum("tjb,bc,tjc->tj", w, self.m, w)
        return np.concatenate([items.ravel(), np.diag(self.m)])

    def between(self, functions: FloatArray) -> FloatArray:
        n_items = self.laplacian.shape[1]
        n = len(self.patterns) * n_items
        terms = functions[:, :n].reshape(len(functions), -1, n_items).copy()
        terms[:, :, self.reference] -= terms.sum(axis=2)
        # Functions of one covariate cell touch two or three of perhaps hundreds of patterns.
        used = np.flatnonzero(terms.any(axis=(0, 2)))
        mix = self.patterns[used]
        sets = np.flatnonzero(mix.any(axis=0))
        on_nodes = np.tensordot(terms[:, used], mix[:, sets], axes=(1, 0)).transpose(
            2, 0, 1
        )  # set, function, item
        out: FloatArray
        if len(sets) == 1:
            out = sandwich(on_nodes[0], self.inverse[sets[0]])
        else:
            out = np.einsum("smj,snj->mn", on_nodes @ self.inverse[sets], on_nodes, optimize=True)
        if len(self.e):
            w = np.tensordot(on_nodes, self.f[sets], axes=((0, 2), (0, 1))) - functions[:, n:]
            out = out + w @ self.m @ w.T
        return out

    def product(self, function: FloatArray) -> FloatArray:
        """V f: covariances of all parameters with one linear function of them."""
        n_items = self.laplacian.shape[1]
        on_nodes, on_border = _on_nodes(function[None, :], self.patterns, n_items, self.reference)
        return _from_nodes(
            (self.inverse @ on_nodes[0][:, :, None])[:, :, 0],
            on_nodes[0],
            on_border[0],
            self.f,
            self.m,
            self.patterns,
            self.reference,
        )


def _on_nodes(
    functions: FloatArray, patterns: FloatArray, n_items: int, reference: int
) -> tuple[FloatArray, FloatArray]:
    """Functions of the parameters as functions of the abilities, float[m, S, J], and of the border, float[m,
    b].
    """
    n = len(patterns) * n_items
    terms = functions[:, :n].reshape(len(functions), -1, n_items).copy()
    terms[:, :, reference] -= terms.sum(axis=2)
    on_nodes: FloatArray = (
        terms if len(patterns) == 1 else np.einsum("mtj,ts->msj", terms, patterns, optimize=True)
    )
    return on_nodes, functions[:, n:]


def _from_nodes(
    solved: FloatArray,
    on_nodes: FloatArray,
    on_border: FloatArray,
    f: FloatArray,
    m: FloatArray,
    patterns: FloatArray,
    reference: int,
) -> FloatArray:
    """V f from D^-1 f, float[S, J]: the border added, abilities against the reference's as parameters."""
    mixed = m @ (np.einsum("sj,sjb->b", on_nodes, f) - on_border) if len(m) else np.zeros(0)
    of_nodes = solved + f @ mixed if len(m) else solved
    terms = patterns @ (of_nodes - of_nodes[:, [reference]])
    return np.concatenate([terms.ravel(), -mixed])


@dataclass(frozen=True, eq=False)
class BorderedGraph:
    """The same for a large graph: nothing but what is asked for is solved for.

    Attributes
    ----------
    graph : Graph
        All D_s, S * J nodes.
    c, e : float[S * J, b], float[b, b]
        Border, 0 at the grounds.
    patterns : float[n_terms, S]
    reference : int
    """

    graph: Graph
    c: FloatArray
    e: FloatArray
    patterns: FloatArray
    reference: int

    @property
    def _shape(self) -> tuple[int, int]:
        return self.patterns.shape[1], self.graph.n // self.patterns.shape[1]

    @cached_property
    def f(self) -> FloatArray:
        """float[S, J, b]: D^-1 C."""
        return (
            self.graph.solve(self.c).reshape(*self._shape, -1)
            if self.c.shape[1]
            else np.zeros((*self._shape, 0))
        )

    @cached_property
    def m(self) -> FloatArray:
        """float[b, b]: covariance of the border."""
        inverse: FloatArray = np.linalg.inv(self.e - self.c.T @ self.f.reshape(self.c.shape))
        return inverse

    @cached_property
    def _diagonal(self) -> FloatArray:
        return self.graph.variances().reshape(self._shape)

    def variances(self) -> FloatArray:
        items: FloatArray = self.patterns**2 @ self._diagonal
        if not len(self.e):
            return items.ravel()
        w = np.einsum("ts,sjb->tjb", self.patterns, self.f - self.f[:, [self.reference], :])
        items = items + np.einsum("tjb,bc,tjc->tj", w, self.m, w)
        return np.concatenate([items.ravel(), np.diag(self.m)])

    def between(self, functions: FloatArray) -> FloatArray:
        if len(functions) > MOST_DENSE:
            raise TooLargeError(
                f"the covariance of {len(functions):,} numbers has {len(functions) ** 2:,} entries, "
                f"{8e-9 * len(functions) ** 2:.1f} GB (limit {MOST_DENSE:,} numbers); ask for fewer"
            )
        shaped, on_border = _on_nodes(functions, self.patterns, self._shape[1], self.reference)
        on_nodes = shaped.reshape(len(functions), -1)
        if 10 * len(functions) > self.graph.n and self.graph.n <= MOST_DENSE:
            out = sandwich(on_nodes, self.graph.inverse)
        else:
            out = on_nodes @ self.graph.solve(np.ascontiguousarray(on_nodes.T))
            out = 0.5 * (out + out.T)
        if len(self.e):
            w = on_nodes @ self.f.reshape(self.graph.n, -1) - on_border
            out = out + w @ self.m @ w.T
        return out

    def product(self, function: FloatArray) -> FloatArray:
        """V f: covariances of all parameters with one linear function of them."""
        on_nodes, on_border = _on_nodes(function[None, :], self.patterns, self._shape[1], self.reference)
        solved = self.graph.solve(on_nodes.reshape(-1, 1)).reshape(self._shape)
        return _from_nodes(solved, on_nodes[0], on_border[0], self.f, self.m, self.patterns, self.reference)
