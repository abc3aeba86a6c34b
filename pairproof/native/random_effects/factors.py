"""The information about random effects, factored: A = Z' diag(w) Z + diag(1 / sigma^2).

A Cholesky factor of K x K gives log det A, and its inverse the variance z'A^-1 z of every row (Golub and Van Loan
2013, Matrix Computations, section 4.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, TooLargeError
from ..structured.design import Design

FloatArray = NDArray[np.float64]

#: Effects in one matrix: a factor of it takes half a minute.
MOST_TOGETHER = 8000


def factored(information: FloatArray) -> FloatArray:
    """The lower Cholesky factor of an information matrix, which is overwritten.

    information float[K, K].  Returns float[K, K]: what is above the diagonal says nothing.
    """
    from scipy.linalg.lapack import dpotrf

    # The lower triangle of the transposed, which is the same matrix, in the order that LAPACK takes as it is.
    factor, trouble = dpotrf(information.T, lower=1, overwrite_a=1)
    if trouble:
        raise ConvergenceError(
            f"the information about {len(information)} effects and parameters is singular but for rounding"
        )
    return np.asarray(factor)


def inverse_of(information: FloatArray) -> FloatArray:
    """The inverse of an information matrix, which is overwritten.

    information float[K, K].  Returns float[K, K].
    """
    return _inverse(factored(information))


def _inverse(factor: FloatArray) -> FloatArray:
    from scipy.linalg.lapack import dpotri

    half = dpotri(factor, lower=1)[0]
    return np.asarray(np.tril(half) + np.tril(half, -1).T)


class DenseFactor:
    """A of all effects together, as one matrix.

    design: whose K parameters are the effects.  weights float[n]: w >= 0.  precision float[K]: 1 / sigma^2 of
    every effect.
    """

    def __init__(self, design: Design, weights: FloatArray, precision: FloatArray) -> None:
        if len(precision) > MOST_TOGETHER:
            raise TooLargeError(
                f"{len(precision)} random effects that meet each other; the limit is {MOST_TOGETHER}, a matrix of"
                f" {8e-9 * MOST_TOGETHER**2:.1f} GB"
            )
        self.design = design
        information = design.gram(weights)
        information[np.diag_indices(len(precision))] += precision
        self.factor = factored(information)

    @property
    def log_det(self) -> float:
        """log det A."""
        return 2.0 * float(np.log(np.diag(self.factor)).sum())

    @cached_property
    def inverse(self) -> FloatArray:
        """float[K, K]: A^-1."""
        return _inverse(self.factor)

    @property
    def diagonal(self) -> FloatArray:
        """float[K]: that of A^-1."""
        return np.asarray(np.diag(self.inverse))

    def solve(self, values: FloatArray) -> FloatArray:
        """A^-1 v, float[K] or float[K, q]."""
        from scipy.linalg.lapack import dpotrs

        if "inverse" in self.__dict__:
            return np.asarray(self.inverse @ values)
        return np.asarray(dpotrs(self.factor, values, lower=1)[0])

    @property
    def spreads(self) -> FloatArray:
        """float[n]: z'A^-1 z of each row."""
        return self.design.variances(self.inverse)

    def squared_traces(self, parts: Sequence[slice]) -> FloatArray:
        """float[C, C]: sum of the squares of A^-1 between the effects of two components."""
        return np.array([[float((self.inverse[a, b] ** 2).sum()) for b in parts] for a in parts])
