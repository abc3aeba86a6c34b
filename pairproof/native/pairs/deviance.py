"""Deviance of a table of counts, computed without cancellation.

    D = 2 sum (y log(y/m) - y + m)

Each term is >= 0, and near y = m it is computed from (y - m)/m by its series, so that a small deviance of
large counts keeps its digits (the usual y log(y/m) summed with both signs loses them).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Below this relative difference the series is used; the terms left out are below 0.02**10.
_NEAR, _TERMS = 0.02, 11
#: In tables of more cells than this, 2 (saturated - fitted) log-likelihood stands in for the sum of positive
#: terms while it is no smaller than this share of the terms it is made of: rounding of 1e-16 of them then
#: leaves 13 digits.
_MANY, _SHARE = 1000, 5e-3

_BLOCK = 16384


@dataclass(frozen=True)
class Saturated:
    """Log-likelihood of counts under their own shares in each cell, sum y log y - sum n log n.

    terms: sum n log n, on which its rounding depends.
    """

    llf: float
    terms: float
    n_cells: int

    def deviance(self, llf: float) -> float | None:
        """2 (saturated - llf), or None if that difference would lose digits or the sum costs next to
        nothing.
        """
        value = 2.0 * (self.llf - llf)
        return value if self.n_cells > _MANY and value > _SHARE * self.terms else None


def saturated(observed: FloatArray, totals: FloatArray) -> Saturated:
    """The saturated log-likelihood of counts, float[n_cells, k], with totals, float[n_cells]."""
    terms = _sum_y_log_y(totals)
    return Saturated(_sum_y_log_y(observed) - terms, terms, len(totals))


def _sum_y_log_y(y: FloatArray) -> float:
    flat, total = np.ravel(y, order="K"), 0.0
    for k in range(0, len(flat), _BLOCK):  # what fits into the processor's cache
        part = flat[k : k + _BLOCK]
        total += float(part.dot(np.log(np.maximum(part, 1e-300))))  # 0 log 0 is 0
    return total


def deviance(observed: FloatArray, fitted: FloatArray) -> float:
    """Poisson (= product multinomial, totals being equal) deviance.

    observed, fitted: same totals in each cell; fitted is 0 only where observed is.
    """
    y, m = np.ravel(observed), np.ravel(fitted)
    live = m > 0
    y, m = y[live], m[live]
    x = (y - m) / m
    near = np.abs(x) < _NEAR
    far_y, far_m = y[~near], m[~near]
    ratio = np.where(far_y > 0, far_y, far_m) / far_m
    far = np.vdot(far_y, np.log(ratio)) - np.sum(far_y - far_m)
    return 2.0 * float(far + (np.vdot(m[near], _gap(x[near])) if near.any() else 0.0))


def _gap(x: FloatArray) -> FloatArray:
    """(1 + x) log(1 + x) - x = sum over k >= 2 of (-x)**k / (k (k - 1)), for small x."""
    total = np.zeros_like(x)
    for k in range(_TERMS, 1, -1):
        total = total * -x + 1.0 / (k * (k - 1))
    return total * x * x
