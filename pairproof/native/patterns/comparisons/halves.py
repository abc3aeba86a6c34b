"""Sums over all answers to comparisons that depend on each other, in two halves.

With A and B the first and the other comparisons (Hatzinger and Dittrich 2012, Journal of Statistical Software
48(10), for the model),

    exp(t' beta) = exp(f(A) + g(B) + A' T B),

a matrix P of |A| x |B| probabilities, and the moment of any product of statistics, which is a monomial in A
times one in B, is an entry of F_A' P F_B.  3^15 patterns (six items) are 2,187 x 6,561 and take matrix
products, not a table of 14 million rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..moments import Moments

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: A monomial in y: (comparison, exponent 1 or 2) for each factor.
Monomial = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Monomials:
    """Which entries of F_A' P F_B are the moments of the statistics, for one way of halving.

    `left`, `right`: columns of F_A and F_B.  `first` (int[q], int[q]): row and column of each statistic's
    mean.  second (int[q, q], int[q, q]): row and column of the mean of each product of two statistics.
    """

    left: tuple[Monomial, ...]
    right: tuple[Monomial, ...]
    first: tuple[IntArray, IntArray]
    second: tuple[IntArray, IntArray]


@lru_cache(maxsize=64)
def monomials(n: int, ternary: bool, depends: tuple[tuple[int, int], ...], cut: int) -> Monomials:
    """The monomials of the statistics and their products, comparisons from `cut` on in the second half.

    n: number of comparisons.  depends: comparisons that depend on each other.  cut: 0 to n.  Returns
    Monomials: with y_c^2 in the place of u_c = 1 - y_c^2.
    """
    powers: list[dict[int, int]] = [{c: 1} for c in range(n)]
    powers += [{c: 2} for c in range(n)] if ternary else []
    powers += [{a: 1, b: 1} for a, b in depends]
    left: dict[Monomial, int] = {(): 0}
    right: dict[Monomial, int] = {(): 0}

    def place(power: dict[int, int]) -> tuple[int, int]:
        # y^3 = y and y^4 = y^2; y^2 = 1 where there are two categories.
        small = {c: (k - 1) % 2 + 1 if ternary else k % 2 for c, k in power.items()}
        a = tuple(sorted((c, k) for c, k in small.items() if c < cut and k))
        b = tuple(sorted((c, k) for c, k in small.items() if c >= cut and k))
        return left.setdefault(a, len(left)), right.setdefault(b, len(right))

    first = np.array([place(p) for p in powers], dtype=np.int64).reshape(-1, 2)
    q = len(powers)
    second = np.zeros((q, q, 2), dtype=np.int64)
    for i, one in enumerate(powers):
        for j, other in enumerate(powers[: i + 1]):
            both = {c: one.get(c, 0) + other.get(c, 0) for c in {*one, *other}}
            second[i, j] = second[j, i] = place(both)
    return Monomials(tuple(left), tuple(right), (first[:, 0], first[:, 1]), (second[..., 0], second[..., 1]))


def cube_moments(
    values: tuple[tuple[int, ...], ...], ternary: bool, depends: tuple[tuple[int, int], ...], beta: FloatArray
) -> Moments:
    """The moments over all patterns whose comparisons have these values.

    values: possible answers to each comparison.  ternary: whether the statistics include u_c.  depends:
    comparisons that depend on each other.  beta float[q]: natural parameters of y_c, u_c if ternary, y_a y_b.
    """
    n = len(values)
    sizes = np.cumprod([1] + [len(v) for v in values])
    cut = int(np.searchsorted(sizes.astype(float) ** 2, float(sizes[-1])))
    wanted = monomials(n, ternary, depends, cut)
    left, right = _kept_patterns(values[:cut]), _kept_patterns(values[cut:])
    p, log_total = _probabilities(left, right, cut, ternary, depends, beta)
    if len(left) > 100 and all(len(v) == (3 if ternary else 2) for v in values[:cut]):
        of_left = _by_axes(p, values[:cut])[_positions(wanted.left, cut, len(values[0]))]
    else:
        of_left = _kept_columns(values[:cut], wanted.left, 0).T @ p
    table = of_left @ _kept_columns(values[cut:], wanted.right, cut)
    mean = table[wanted.first]
    covariance = table[wanted.second] - np.outer(mean, mean)
    if ternary:  # u = 1 - y^2
        sign = np.ones(len(mean))
        sign[n : 2 * n] = -1.0
        mean = np.where(sign < 0, 1.0 - mean, mean)
        covariance = covariance * np.outer(sign, sign)
    return Moments(log_total, mean, covariance)


def all_patterns(values: tuple[tuple[int, ...], ...]) -> FloatArray:
    """All answers to some comparisons.

    values: possible answers to each comparison.  Returns float[product of the numbers of values, number of
    comparisons].
    """
    if not values:
        return np.zeros((1, 0))
    grid = np.meshgrid(*[np.array(v, dtype=float) for v in values], indexing="ij")
    return np.stack([g.ravel() for g in grid], axis=1)


def _kept_patterns(values: tuple[tuple[int, ...], ...]) -> FloatArray:
    """:func:`all_patterns`, kept from step to step where they are few."""
    return _few_patterns(values) if _few(values, 1) else all_patterns(values)


def _kept_columns(
    values: tuple[tuple[int, ...], ...], wanted: tuple[Monomial, ...], offset: int
) -> FloatArray:
    """Columns of monomials, kept from step to step where they are few."""
    if _few(values, len(wanted)):
        return _few_columns(values, wanted, offset)
    return _columns(all_patterns(values), wanted, offset)


def _few(values: tuple[tuple[int, ...], ...], columns: int) -> bool:
    """Whether 64 tables of this size take less than 64 MB."""
    return prod(len(v) for v in values) * max(columns, len(values)) <= 125_000


@lru_cache(maxsize=64)
def _few_patterns(values: tuple[tuple[int, ...], ...]) -> FloatArray:
    found = all_patterns(values)
    found.setflags(write=False)
    return found


@lru_cache(maxsize=64)
def _few_columns(
    values: tuple[tuple[int, ...], ...], wanted: tuple[Monomial, ...], offset: int
) -> FloatArray:
    found = _columns(_few_patterns(values), wanted, offset)
    found.setflags(write=False)
    return found


def _columns(patterns: FloatArray, wanted: tuple[Monomial, ...], offset: int) -> FloatArray:
    found = np.ones((len(patterns), len(wanted)))
    for column, monomial in enumerate(wanted):
        for c, power in monomial:
            found[:, column] *= patterns[:, c - offset] ** power
    return found


def _by_axes(p: FloatArray, values: tuple[tuple[int, ...], ...]) -> FloatArray:
    """F_A' P for all monomials of the first half at once, one comparison after the other.

    Each comparison's axis of answers becomes one of exponents; the whole takes as many additions as P has
    entries for each comparison, where the product with F_A takes one for each monomial.
    """
    after = p.shape[1]
    for c in reversed(range(len(values))):
        k = len(values[c])
        parts = p.reshape(-1, k, after)
        powers = np.empty_like(parts)
        np.subtract(parts[:, 0], parts[:, -1], out=powers[:, 1])  # answers are 1, (0,) -1
        np.add(parts[:, 0], parts[:, -1], out=powers[:, -1 if k == 3 else 0])
        if k == 3:
            np.add(powers[:, 2], parts[:, 1], out=powers[:, 0])
        p, after = powers, after * k
    return np.asarray(p.reshape(-1, after // int(np.prod([len(v) for v in values]))))


def _positions(wanted: tuple[Monomial, ...], n: int, base: int) -> IntArray:
    """int[number of monomials]: their rows in the table of all exponents, the last comparison fastest."""
    return np.array([sum(power * base ** (n - 1 - c) for c, power in m) for m in wanted], dtype=np.int64)


def _probabilities(
    left: FloatArray,
    right: FloatArray,
    cut: int,
    ternary: bool,
    depends: tuple[tuple[int, int], ...],
    beta: FloatArray,
) -> tuple[FloatArray, float]:
    """The matrix of probabilities and the logarithm of the sum that they were divided by."""
    n = cut + right.shape[1]
    square = np.zeros((n, n))
    for (a, b), theta in zip(depends, beta[(2 * n if ternary else n) :]):
        square[min(a, b), max(a, b)] += theta
    halves = []
    for patterns, own in ((left, slice(0, cut)), (right, slice(cut, n))):
        f = patterns @ beta[:n][own] + np.einsum("ij,jk,ik->i", patterns, square[own, own], patterns)
        halves.append(f + (patterns == 0) @ beta[n : 2 * n][own] if ternary else f)
    eta = left @ square[:cut, cut:] @ right.T
    eta += halves[0][:, None]
    eta += halves[1][None, :]
    top = float(eta.max())
    eta -= top
    p = np.exp(eta, out=eta)
    total = float(p.sum())
    p /= total
    return p, top + float(np.log(total))
