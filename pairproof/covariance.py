"""Covariance of a parameter vector, as something that can be asked, so that it need not be written out.

A model with a factor of 400 judges and 30 items has 11,601 free parameters; their covariance matrix takes 1 GB,
their standard errors 100 kB.
"""

from __future__ import annotations

from collections.abc import Callable
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


@dataclass(frozen=True, eq=False)
class DenseCovariance:
    """A covariance that is written out, float[p, p]."""

    matrix: FloatArray

    def variances(self) -> FloatArray:
        return np.array(np.diag(self.matrix))

    def between(self, functions: FloatArray) -> FloatArray:
        product: FloatArray = functions @ self.matrix @ functions.T
        return product


@dataclass(frozen=True, eq=False)
class MappedCovariance:
    """Covariance of M beta, given that of beta, for a linear map M.

    Attributes
    ----------
    base : Covariance
    n_params : int
    pull_back : function of float[m, p] to float[m, p]
        L to L M: linear functions of M beta as functions of beta.
    """

    base: Covariance
    n_params: int
    pull_back: Callable[[FloatArray], FloatArray]

    def variances(self) -> FloatArray:
        # 256 functions at a time: a constraint mixes few parameters, but which, only pull_back knows.
        out = np.empty(self.n_params)
        for start in range(0, self.n_params, 256):
            rows = np.arange(start, min(start + 256, self.n_params))
            functions = np.zeros((len(rows), self.n_params))
            functions[np.arange(len(rows)), rows] = 1.0
            out[rows] = np.diag(self.between(functions))
        return out

    def between(self, functions: FloatArray) -> FloatArray:
        return self.base.between(self.pull_back(functions))
