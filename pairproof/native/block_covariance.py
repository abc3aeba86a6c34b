"""Covariance of a block model, never written out: blocks D_s with a border C, E (module `blocks`).

    cov(a_s, a_r) = [s = r] D_s^-1 + F_s M F_r',   cov(a_s, border) = -F_s M,   cov(border) = M
    F_s = D_s^-1 C_s,   M = (E - sum_s C_s' F_s)^-1

Standard errors need only the diagonals of the inverses, which for one large block cost two thirds of the inverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

#: From this many items on, the inverse of the factor is worth a path of its own (at 100 it saves a third of the time).
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

        factor, info = dpotrf(self.laplacian[0].T, lower=1)  # symmetric, and a transpose is as LAPACK wants it
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
        items: FloatArray = self.patterns**2 @ self.diagonal  # against the reference, which is a ground of its set
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
        on_nodes = np.tensordot(terms[:, used], mix[:, sets], axes=(1, 0)).transpose(2, 0, 1)  # set, function, item
        out: FloatArray = np.einsum("smj,snj->mn", on_nodes @ self.inverse[sets], on_nodes, optimize=True)
        if len(self.e):
            w = np.tensordot(on_nodes, self.f[sets], axes=((0, 2), (0, 1))) - functions[:, n:]
            out = out + w @ self.m @ w.T
        return out
