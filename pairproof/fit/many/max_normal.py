"""The largest of many correlated standard normal variables.

Z_k = (P_a - P_b)'e / sd_k for pairs (a, b) of points in r dimensions, e standard normal.  With e = R w, w uniform
on the sphere and R^2 chi-square on r degrees of freedom::

    P(max_k |Z_k| > c) = mean over w of P(R > c / m(w)),   m(w) = max_k |(P_a - P_b)'w| / sd_k

(Genz and Bretz 2009, Computation of Multivariate Normal and t Probabilities, section 4).  Nothing is inverted, so
that a singular correlation, as that of all pairs, needs no care; and the mean is over a smooth function of w, so
that small probabilities keep their digits.  r = 1 is exact, r = 2 an integral over an angle, others are taken over
scrambled Sobol points in eight independent parts, whose spread is the error that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Directions in each of the eight parts: at least, and at most (as many as `AT_ONCE` allows).
DIRECTIONS = (1 << 12, 1 << 13)
PARTS = 8
#: Numbers worked on at once (directions x pairs), 64 MB.
AT_ONCE = 8_000_000
#: Eigenvalues of a covariance below this share of the largest are rounding.
SINGULAR = 1e-12


def root_of(covariance: FloatArray) -> FloatArray:
    """float[k, r]: P with P P' = covariance, r its rank."""
    value, vector = np.linalg.eigh(covariance)
    keep = value > max(float(value[-1]), 0.0) * SINGULAR
    out: FloatArray = vector[:, keep] * np.sqrt(value[keep])
    return out


@dataclass(frozen=True, eq=False)
class MaxNormal:
    """The distribution of the largest of the Z_k, or of the largest |Z_k|.

    Attributes
    ----------
    points : float[n_points, r]
        Rows P; their differences are what is compared.
    first, second : int[m]
        Points of each pair.
    sd : float[m]
        Standard deviation of (P_first - P_second)'e, positive.
    two_sided : bool
    seed : int
        Of the directions.
    """

    points: FloatArray
    first: IntArray
    second: IntArray
    sd: FloatArray
    two_sided: bool = True
    seed: int = 0

    @cached_property
    def _plane(self) -> FloatArray:
        """float[m, r]: unit rows of the pairs in as few dimensions as they need; only for r <= 2."""
        rows = (self.points[self.first] - self.points[self.second]) / self.sd[:, None]
        _, s, w = np.linalg.svd(rows, full_matrices=False)
        out: FloatArray = rows @ w[s > s[0] * 1e-9].T
        return out

    @cached_property
    def rank(self) -> int:
        """Dimensions that the pairs span."""
        if self.points.shape[1] <= 2 or len(self.first) <= 2:
            return self._plane.shape[1]
        used = np.unique(np.concatenate([self.first, self.second]))
        centred = self.points[used] - self.points[used].mean(axis=0)
        return max(
            int(np.linalg.matrix_rank(centred, tol=1e-9 * max(float(np.abs(centred).max()), 1e-300))), 1
        )

    @cached_property
    def _angles(self) -> tuple[FloatArray, FloatArray]:
        """Weights and m(w) over all angles, for r = 2: Gauss's rule between the angles where the largest changes."""
        rows = self._plane if not self.two_sided else np.concatenate([self._plane, -self._plane])
        direction = np.sort(np.unique(np.round(np.arctan2(rows[:, 1], rows[:, 0]) % (2 * np.pi), 14)))
        middle = (direction + np.append(direction[1:], direction[0] + 2 * np.pi)) / 2
        away = np.concatenate([direction + np.pi / 2, direction - np.pi / 2])
        cuts = np.unique(
            np.concatenate([direction, middle % (2 * np.pi), away % (2 * np.pi), [0.0, 2 * np.pi]])
        )
        x, w = np.polynomial.legendre.leggauss(40)
        half = np.diff(cuts) / 2
        angle = (cuts[:-1] + half)[:, None] + half[:, None] * x
        weight = (half[:, None] * w / (2 * np.pi)).ravel()
        return weight, _largest(np.stack([np.cos(angle.ravel()), np.sin(angle.ravel())], 1) @ rows.T)

    @cached_property
    def _sphere(self) -> tuple[FloatArray, int]:
        """m(w), float[PARTS, n], and the dimension of the sphere."""
        from scipy.special import ndtri
        from scipy.stats import qmc

        points = self.points
        used = np.unique(np.concatenate([self.first, self.second]))
        if len(used) < points.shape[1]:
            _, s, w = np.linalg.svd(points[used] - points[used].mean(axis=0), full_matrices=False)
            points = points @ w[s > s[0] * 1e-9].T
        r = points.shape[1]
        block = max(1, AT_ONCE // len(self.first))
        least, most = DIRECTIONS
        n = int(np.clip(1 << int(np.log2(block)), least, most))
        out = np.empty((PARTS, n))
        for part, seed in enumerate(np.random.SeedSequence(self.seed).spawn(PARTS)):
            uniform = qmc.Sobol(r, scramble=True, seed=np.random.default_rng(seed)).random(n)
            e = ndtri(np.clip(uniform, 1e-15, 1.0 - 1e-15))
            w = e / np.sqrt((e**2).sum(axis=1, keepdims=True))
            for start in range(0, n, block):
                at = w[start : start + block] @ points.T
                z = (at[:, self.first] - at[:, self.second]) / self.sd
                out[part, start : start + block] = np.abs(z).max(axis=1) if self.two_sided else z.max(axis=1)
        return out, r

    def _tail(self, c: float) -> FloatArray:
        """P(max > c) by part; c >= 0."""
        from scipy.special import gammaincc, ndtr

        if self.rank == 1:
            sides = _largest(np.array([[1.0], [-1.0]]) @ self._plane.T)
            if self.two_sided:
                sides = np.abs(np.array([1.0, 1.0]) * np.abs(self._plane).max())
            return np.array([sum(float(ndtr(-c / s)) for s in sides if s > 0.0)])
        if self.rank == 2:
            weight, largest = self._angles
            up = largest > 0.0
            return np.array([float(weight[up] @ np.exp(-0.5 * (c / largest[up]) ** 2))])
        largest, r = self._sphere
        with np.errstate(divide="ignore"):
            ratio = np.where(largest > 0.0, c / np.maximum(largest, 1e-300), np.inf)
        out: FloatArray = gammaincc(r / 2, 0.5 * ratio**2).mean(axis=1)
        return out

    def tail(self, c: float) -> float:
        """P(max > c), for c >= 0."""
        return float(self._tail(c).mean())

    def quantile(self, level: float) -> tuple[float, float]:
        """c with P(max <= c) = level, and its standard error (0 where it is exact).

        Parameters
        ----------
        level : float
            In (0.5, 1).
        """
        from scipy.optimize import brentq

        top = 2.0
        while self.tail(top) > 1.0 - level:
            top *= 1.5
        c = float(brentq(lambda at: self.tail(at) - (1.0 - level), 0.0, top, xtol=1e-12))
        if self.rank <= 2:
            return c, 0.0
        slope = (self.tail(c - 1e-4) - self.tail(c + 1e-4)) / 2e-4
        return c, float(np.std(self._tail(c), ddof=1) / np.sqrt(PARTS)) / slope


def _largest(z: FloatArray) -> FloatArray:
    out: FloatArray = z.max(axis=1)
    return out
