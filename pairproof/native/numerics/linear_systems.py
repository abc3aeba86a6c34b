"""Positive definite systems: Cholesky, and conjugate gradients with a diagonal preconditioner (Hestenes and
Stiefel 1952).

The information of a well-connected comparison graph is a diagonal minus a little: a dozen products with it
solve what a Cholesky factor would need n**3 / 3 operations for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


#: A pivot that has lost 11 of the 16 digits a double carries is a zero: some parameters cannot be told apart.
SMALL_PIVOT = 1e-11


def by_cholesky(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """x with H x = right.

    matrix float[n, n]: H, symmetric.  `right` float[n].
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

    matrix float[n, n]: H, symmetric, with a positive diagonal.  `right` float[n].  accuracy: of the
    preconditioned residual, relative to its start.
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


class Matrix(Protocol):
    """A symmetric matrix, dense or sparse."""

    shape: tuple[int, ...]

    def dot(self, other: Any) -> Any:
        ...

    def diagonal(self) -> Any:
        ...


class Step(NamedTuple):
    """A step of conjugate gradients: its length, rho = residual' D^-1 residual before it, and its direction.

    The direction, float[n, m], is overwritten by the next step; length and rho are float[m].
    """

    length: FloatArray
    rho: FloatArray
    direction: FloatArray


def conjugate_gradients(
    matrix: Matrix, inverse: FloatArray, right: FloatArray, going: Callable[[FloatArray], Any], most: int
) -> Iterator[Step]:
    """Preconditioned conjugate gradients for several right sides, a product with the matrix at a time.

    matrix float[n, n]: symmetric, dense or sparse.  inverse float[n, 1]: D^-1, the inverse of its diagonal.
    `right` float[n, m].  going function of rho, float[m]: which right sides are not solved yet, bool[m].
    most: products.
    """
    residual = right
    scaled = residual * inverse
    direction, rho = scaled.copy(), dots(residual, scaled)
    for _ in range(most):
        live = going(rho)
        if not live.any():
            return
        along = matrix.dot(direction)
        curvature = dots(direction, along)
        if (curvature[live] <= 0).any():
            raise np.linalg.LinAlgError("not positive definite")
        length = np.divide(rho, curvature, out=np.zeros_like(rho), where=live)
        yield Step(length, rho, direction)
        along *= length
        residual = residual - along
        np.multiply(residual, inverse, out=scaled)
        after = dots(residual, scaled)
        direction *= np.divide(after, rho, out=np.zeros_like(rho), where=live)
        direction += scaled
        rho = np.where(live, after, rho)
    raise np.linalg.LinAlgError(f"conjugate gradients did not get there in {most} products")


def dots(a: FloatArray, b: FloatArray) -> FloatArray:
    """Product of each column of a with that of b, float[m]."""
    products: FloatArray = np.einsum("ij,ij->j", a, b)
    return products
