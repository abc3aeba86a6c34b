"""Positive definite systems: Cholesky, and conjugate gradients with a diagonal preconditioner (Hestenes and
Stiefel 1952).

The information of a well-connected comparison graph is a diagonal minus a little: a dozen products with it
solve what a Cholesky factor would need n**3 / 3 operations for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


#: A pivot that has lost 11 of the 16 digits a double carries is a zero: some parameters cannot be told apart.
SMALL_PIVOT = 1e-11


def by_cholesky(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """x with H x = right.

    Parameters
    ----------
    matrix : float[n, n]
        H, symmetric.
    right : float[n]

    Raises
    ------
    LinAlgError
        If H is not positive definite in doubles.
    """
    from scipy.linalg.lapack import dposv

    factor, x, info = dposv(matrix, right)
    if info != 0 or (factor.diagonal() ** 2 < SMALL_PIVOT * matrix.diagonal()).any():
        raise np.linalg.LinAlgError("not positive definite: some parameters cannot be told apart")
    out: FloatArray = x
    return out


def by_conjugate_gradients(
    matrix: FloatArray, right: FloatArray, accuracy: float, most: int = 80
) -> FloatArray | None:
    """x with H x = right, or None if `most` products were not enough.

    Parameters
    ----------
    matrix : float[n, n]
        H, symmetric, with a positive diagonal.
    right : float[n]
    accuracy : float
        Of the preconditioned residual, relative to its start.
    """
    inverse = 1.0 / np.diagonal(matrix)
    x = np.zeros(len(right))
    residual = right.copy()
    scaled = residual * inverse
    direction, part = scaled.copy(), np.empty(len(right))
    rho = float(residual.dot(scaled))
    goal = rho * accuracy * accuracy
    for _ in range(most):
        if rho <= goal:
            return x
        along = matrix.dot(direction)
        curvature = float(direction.dot(along))
        if curvature <= 0:
            return None
        length = rho / curvature
        np.multiply(direction, length, out=part)
        x += part
        along *= length
        residual -= along
        np.multiply(residual, inverse, out=scaled)
        rho, before = float(residual.dot(scaled)), rho
        direction *= rho / before
        direction += scaled
    return None
