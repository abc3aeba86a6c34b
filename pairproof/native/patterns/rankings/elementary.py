"""Elementary symmetric polynomials of the items of a set, whole and without one or two of the items.

    e_d(w) = sum over all sets of d items of the product of their w

is the coefficient of x^d in the product of (1 + w_i x): O(J d) by one item after the other (Baker and Harwell
1996, Applied Psychological Measurement 20, 169-192), where the sum has binom(J, d) terms.  A polynomial
without an item is the product of those of the items before and after it; dividing by (1 + w_i x) would
cancel.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def products(weights: FloatArray, degree: int) -> tuple[FloatArray, FloatArray]:
    """Polynomials of the items before each, and of the items from each on.

    weights float[n, J]: of the items in n sets, >= 0; 0 for an item that is not in the set.  degree: the
    highest coefficient that is wanted.  Returns (float[J + 1, n, degree + 1], float[J + 1, n, degree + 1]):
    entry j of the first is of items 0 to j - 1, of the second of items j to J - 1.
    """
    n, n_items = weights.shape
    before = np.zeros((n_items + 1, n, degree + 1))
    after = np.zeros((n_items + 1, n, degree + 1))
    before[0, :, 0] = after[n_items, :, 0] = 1.0
    for j in range(n_items):
        before[j + 1] = times_item(before[j], weights[:, j])
    for j in reversed(range(n_items)):
        after[j] = times_item(after[j + 1], weights[:, j])
    return before, after


def times_item(polynomial: FloatArray, weight: FloatArray) -> FloatArray:
    """The polynomials times (1 + w x), cut at their degree.

    polynomial float[n, degree + 1].  weight float[n].  Returns float[n, degree + 1].
    """
    found = polynomial.copy()
    found[:, 1:] += polynomial[:, :-1] * weight[:, None]
    return found


def coefficient(first: FloatArray, second: FloatArray, degree: int) -> FloatArray:
    """The coefficient of x^degree in products of two polynomials.

    `first`, second float[n, d + 1].  degree: 0 to d.  Returns float[n].
    """
    return np.asarray(np.einsum("ni,ni->n", first[:, : degree + 1], second[:, degree::-1]))


def without_one(weights: FloatArray, degree: int) -> FloatArray:
    """e_degree of each set without each of the items.

    weights float[n, J].  degree: >= 0.  Returns float[n, J].
    """
    before, after = products(weights, degree)
    each = [coefficient(before[j], after[j + 1], degree) for j in range(weights.shape[1])]
    return np.stack(each, axis=1)


def without_two(weights: FloatArray, degree: int) -> Iterator[tuple[int, int, FloatArray]]:
    """e_degree of each set without each two of the items.

    weights float[n, J].  degree: >= 0.  Returns (int, int, float[n]): the two items, the first before the
    second, and the polynomials without them.
    """
    before, after = products(weights, degree)
    n_items = weights.shape[1]
    for i in range(n_items):
        so_far = before[i]
        for j in range(i + 1, n_items):
            yield i, j, coefficient(so_far, after[j + 1], degree)
            so_far = times_item(so_far, weights[:, j])
