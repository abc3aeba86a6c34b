"""Covariance of a parameter vector, given by its products, so that the matrix need not be held in memory.

A model with a factor of 400 judges and 30 items has 11,601 free parameters; their covariance matrix takes 1
GB, their standard errors 100 kB.  Another scale, another reference item or another basis is a linear map T of
the parameters, whose covariance is T V T'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ...numerics.arrays import FloatArray, IntArray


class Covariance(Protocol):
    """V of a parameter vector of length p; rows and columns of parameters that are fixed are 0."""

    def variances(self) -> FloatArray:
        """float[p]: the diagonal of V."""

    def between(self, functions: FloatArray) -> FloatArray:
        """float[m, m]: L V L' for m linear functions L, float[m, p]."""

    def product(self, function: FloatArray) -> FloatArray:
        """float[p]: V l for one linear function l, float[p]."""

    def whole(self) -> FloatArray:
        """float[p, p]: V, written out; not to be changed."""


#: From this many functions on, it pays to look for zeros in them; most functions touch two or three
#: parameters.
_MANY_FUNCTIONS = 200


def sandwich(functions: FloatArray, matrix: FloatArray) -> FloatArray:
    """L V L' of a symmetric matrix V; a large L with many zeros is multiplied as a sparse matrix."""
    if len(functions) >= _MANY_FUNCTIONS and np.count_nonzero(functions) * 10 < functions.size:
        from scipy.sparse import csr_matrix

        few = csr_matrix(functions)
        return np.ascontiguousarray((few @ np.ascontiguousarray((few @ matrix).T)))
    return np.asarray(functions @ matrix @ functions.T)


@dataclass(frozen=True, eq=False)
class DenseCovariance:
    """A covariance held as a matrix, float[p, p]."""

    matrix: FloatArray

    def variances(self) -> FloatArray:
        return np.array(np.diag(self.matrix))

    def between(self, functions: FloatArray) -> FloatArray:
        return sandwich(functions, self.matrix)

    def product(self, function: FloatArray) -> FloatArray:
        return np.asarray(self.matrix @ function)

    def whole(self) -> FloatArray:
        return self.matrix


@dataclass(frozen=True, eq=False)
class DeferredCovariance:
    """A covariance that is computed when first needed, since it costs as much as the whole fit."""

    make: Callable[[], Covariance]

    @cached_property
    def _made(self) -> Covariance:
        return self.make()

    def variances(self) -> FloatArray:
        return self._made.variances()

    def between(self, functions: FloatArray) -> FloatArray:
        return self._made.between(functions)

    def product(self, function: FloatArray) -> FloatArray:
        return self._made.product(function)

    def whole(self) -> FloatArray:
        return self._made.whole()


class LinearMap(Protocol):
    """T of the parameters before, float[p], to those after it, float[q]."""

    def forward(self, values: FloatArray) -> FloatArray:
        """T v, float[q] or float[q, k], of values float[p] or float[p, k]."""

    def back(self, functions: FloatArray) -> FloatArray:
        """L T, float[m, p], of linear functions L, float[m, q]."""

    def variances(self, before: Covariance) -> FloatArray:
        """float[q]: the diagonal of T V T'."""


@dataclass(frozen=True, eq=False)
class MappedCovariance:
    """Covariance of parameters that are a linear map of others, T V T'."""

    before: Covariance
    by: LinearMap

    def variances(self) -> FloatArray:
        return self.by.variances(self.before)

    def between(self, functions: FloatArray) -> FloatArray:
        return self.before.between(self.by.back(functions))

    def product(self, function: FloatArray) -> FloatArray:
        return self.by.forward(self.before.product(self.by.back(function[None, :])[0]))

    def whole(self) -> FloatArray:
        return self.by.forward(self.by.forward(self.before.whole()).T)


@dataclass(frozen=True, eq=False)
class Rescaling:
    """Parameters in other units, with further parameters after them that are held at 0.

    units float[p]: factor of each parameter.  held: number of parameters added.
    """

    units: FloatArray
    held: int = 0

    def forward(self, values: FloatArray) -> FloatArray:
        scaled: FloatArray = values * (self.units if values.ndim == 1 else self.units[:, None])
        return np.concatenate([scaled, np.zeros((self.held, *values.shape[1:]))]) if self.held else scaled

    def back(self, functions: FloatArray) -> FloatArray:
        return np.asarray(functions[:, : len(self.units)] * self.units)

    def variances(self, before: Covariance) -> FloatArray:
        return np.concatenate([before.variances() * self.units**2, np.zeros(self.held)])


#: From this many parameters on, variances of shifted ones are formed from those before the shift, which costs
#: a digit where the mean is known far better than the parameter before.
_MANY_SHIFTED = 1000


@dataclass(frozen=True, eq=False)
class Shift:
    """The map that subtracts from each parameter the weighted mean of its block.

    n: parameters, those outside the blocks included.  index int[n_blocks, k]: places of each block's
    parameters.  weights float[n_blocks, k]: of each block they sum to 1: equal for a sum constraint (over the
    items of one set, if there are several), 1 at the reference and 0 elsewhere for a reference.
    """

    n: int
    index: IntArray
    weights: FloatArray

    def forward(self, values: FloatArray) -> FloatArray:
        out = np.array(values)
        for row, weights in zip(self.index, self.weights):
            out[row] -= weights @ out[row]
        return out

    def back(self, functions: FloatArray) -> FloatArray:
        out = np.array(functions)
        for row, weights in zip(self.index, self.weights):
            out[:, row] -= functions[:, row].sum(axis=1)[:, None] * weights
        return out

    def variances(self, before: Covariance) -> FloatArray:
        """Parameter by parameter, or for many var(b_i - m) = V_ii - 2 (V w)_i + w'V w, m = w'b the block's
        mean: one product a block in place of all functions.
        """
        if self.n <= _MANY_SHIFTED:
            return variances_one_by_one(self, self.n, lambda rows: np.diag(before.between(rows)))
        out = before.variances()
        for row, weights in zip(self.index, self.weights):
            mean = np.zeros(self.n)
            mean[row] = weights
            with_mean = before.product(mean)
            out[row] += float(weights @ with_mean[row]) - 2.0 * with_mean[row]
        return out


def unit_functions(at: IntArray | Sequence[int], n: int) -> FloatArray:
    """float[m, n]: a row for each of m parameters, which is 1 at its place."""
    functions = np.zeros((len(at), n))
    functions[np.arange(len(at)), at] = 1.0
    return functions


def variances_one_by_one(by: LinearMap, n: int, variances: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """float[n]: the diagonal of T V T', from `variances` of linear functions of the parameters before."""
    out = np.empty(n)
    for start in range(0, n, 512):
        rows = np.arange(start, min(start + 512, n))
        out[rows] = variances(by.back(unit_functions(rows, n)))
    return out
