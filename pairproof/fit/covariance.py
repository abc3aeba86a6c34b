"""Covariance of a parameter vector, as something that can be asked, so that it need not be written out.

A model with a factor of 400 judges and 30 items has 11,601 free parameters; their covariance matrix takes 1
GB, their standard errors 100 kB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Covariance(Protocol):
    """V of a parameter vector of length p; rows and columns of parameters that are fixed are 0."""

    def variances(self) -> FloatArray:
        """float[p]: the diagonal of V."""

    def between(self, functions: FloatArray) -> FloatArray:
        """float[m, m]: L V L' for m linear functions L, float[m, p]."""

    def product(self, function: FloatArray) -> FloatArray:
        """float[p]: V l for one linear function l, float[p]."""


#: From this many parameters on, variances of shifted ones are formed from those before the shift, which costs
#: a digit where the mean is known far better than the parameter before.
_MANY_SHIFTED = 1000
#: From this many functions on, it pays to look for zeros in them; most functions touch two or three
#: parameters.
_MANY_FUNCTIONS = 200


def sandwich(functions: FloatArray, matrix: FloatArray) -> FloatArray:
    """L V L' of a symmetric V that is written out; zeros in L cost nothing if L is large."""
    if len(functions) >= _MANY_FUNCTIONS and np.count_nonzero(functions) * 10 < functions.size:
        from scipy.sparse import csr_matrix

        few = csr_matrix(functions)
        out: FloatArray = np.ascontiguousarray((few @ np.ascontiguousarray((few @ matrix).T)))
        return out
    product: FloatArray = functions @ matrix @ functions.T
    return product


@dataclass(frozen=True, eq=False)
class DenseCovariance:
    """A covariance that is written out, float[p, p]."""

    matrix: FloatArray

    def variances(self) -> FloatArray:
        return np.array(np.diag(self.matrix))

    def between(self, functions: FloatArray) -> FloatArray:
        return sandwich(functions, self.matrix)

    def product(self, function: FloatArray) -> FloatArray:
        column: FloatArray = self.matrix @ function
        return column


@dataclass(frozen=True, eq=False)
class ScaledCovariance:
    """Covariance of units * beta."""

    base: Covariance
    units: FloatArray

    def variances(self) -> FloatArray:
        scaled: FloatArray = self.base.variances() * self.units**2
        return scaled

    def between(self, functions: FloatArray) -> FloatArray:
        return self.base.between(functions * self.units)

    def product(self, function: FloatArray) -> FloatArray:
        column: FloatArray = self.units * self.base.product(function * self.units)
        return column


@dataclass(frozen=True, eq=False)
class ShiftedCovariance:
    """Covariance of parameters whose blocks have had their weighted mean taken off.

    Attributes
    ----------
    base : Covariance
    n_params : int
    index : int[n_blocks, k]
        Places of each block's parameters.
    weights : float[k]
        They sum to 1.
    """

    base: Covariance
    n_params: int
    index: NDArray[np.int64]
    weights: FloatArray

    def _before(self, functions: FloatArray) -> FloatArray:
        """Linear functions of shifted parameters as functions of the parameters."""
        out = np.array(functions)
        for row in self.index:
            out[:, row] -= functions[:, row].sum(axis=1)[:, None] * self.weights
        return out

    def variances(self) -> FloatArray:
        if self.n_params > _MANY_SHIFTED:
            return self._many_variances()
        out = np.empty(self.n_params)
        for start in range(0, self.n_params, 256):
            rows = np.arange(start, min(start + 256, self.n_params))
            functions = np.zeros((len(rows), self.n_params))
            functions[np.arange(len(rows)), rows] = 1.0
            out[rows] = np.diag(self.between(functions))
        return out

    def between(self, functions: FloatArray) -> FloatArray:
        return self.base.between(self._before(functions))

    def product(self, function: FloatArray) -> FloatArray:
        out = self.base.product(self._before(function[None, :])[0])
        for row in self.index:
            out[row] -= self.weights @ out[row]
        return out

    def _many_variances(self) -> FloatArray:
        """var(b_i - m) = V_ii - 2 (V w)_i + w'V w, m = w'b the block's mean: a product a block in place of
        all functions.
        """
        out = self.base.variances()
        for row in self.index:
            mean = np.zeros(self.n_params)
            mean[row] = self.weights
            with_mean = self.base.product(mean)
            out[row] += float(self.weights @ with_mean[row]) - 2.0 * with_mean[row]
        return out
