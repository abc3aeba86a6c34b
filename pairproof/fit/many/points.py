"""Points whose differences are compared, and their images on many directions.

A covariance of abilities V, centred, is P P'; the difference of items a and b is (P_a - P_b)'e, e standard normal in r
dimensions.  Centring makes P the same for every reference item.  Images of the points are drawn once and serve every
family of pairs: P w on shifted Sobol directions w, and P e for normal e, each in eight independent parts, whose
spread shows the Monte Carlo error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
SingleArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: Independent parts of all that is drawn.
PARTS = 8
#: In more dimensions than this Sobol points are no better than random ones.
FEW_DIMENSIONS = 16
#: Directions in each part (in few dimensions, in many), and normal draws in each part: at least, and at most.
DIRECTIONS = ((1 << 10, 1 << 14), (1 << 10, 1 << 12))
DRAWS = (1 << 7, 1 << 11)
#: Directions times pairs that are worked through in about a second.
WORK = 300_000_000
#: Numbers of a block that stays in the processor's cache (256 KB in single precision).
IN_CACHE = 65_536
#: Eigenvalues of a covariance below this share of the largest are rounding.
SINGULAR = 1e-12


@dataclass(frozen=True, eq=False)
class Points:
    """Points of which differences are compared.

    root float[n_points, r]: P, with P P' the centred covariance.  seed: of what is drawn.
    """

    root: FloatArray
    seed: int = 0

    @classmethod
    def of(cls, covariance: FloatArray, seed: int = 0, varies: BoolArray | None = None) -> Points:
        """Points of a covariance, float[n_points, n_points], which may be singular.

        Those that do not vary, bool[n_points], are compared with none: what is drawn is as without them.
        """
        varies = np.ones(len(covariance), bool) if varies is None else varies
        v = covariance[np.ix_(varies, varies)]
        if not len(v):
            return cls(np.zeros((len(covariance), 0)), seed)
        centred = v - v.mean(axis=0) - v.mean(axis=1)[:, None] + v.mean()
        value, vector = np.linalg.eigh((centred + centred.T) / 2)
        keep = value > max(float(value[-1]), 0.0) * SINGULAR
        root = np.zeros((len(covariance), int(keep.sum())))
        root[varies] = vector[:, keep] * np.sqrt(value[keep])
        # The sign of an eigenvector is an accident of the order of the items.
        return cls(root * np.where((root**3).sum(axis=0) < 0.0, -1.0, 1.0), seed)

    def __len__(self) -> int:
        return len(self.root)

    def distance(self, first: IntArray, second: IntArray) -> FloatArray:
        """float[m]: standard deviation of each difference."""
        out: FloatArray = np.sqrt(((self.root[first] - self.root[second]) ** 2).sum(axis=1))
        return out

    def _size(self, least: int, most: int) -> int:
        """In each part, a power of 2: fewer if there are many pairs."""
        n = int(self.root.any(axis=1).sum())
        pairs = max(n * (n - 1) // 2, 1)
        return int(np.clip(1 << int(np.log2(max(WORK / (pairs * PARTS), 1.0))), least, most))

    def _generators(self, salt: int) -> list[np.random.Generator]:
        return [np.random.default_rng(s) for s in np.random.SeedSequence([self.seed, salt]).spawn(PARTS)]

    @cached_property
    def on_sphere(self) -> SingleArray:
        """float32[n_points, n]: P w for unit vectors w, part after part."""
        from scipy.special import ndtri

        r = self.root.shape[1]
        many = r > FEW_DIMENSIONS
        n = self._size(*DIRECTIONS[many])
        out = np.empty((len(self), PARTS * n), np.float32)
        for part, generator in enumerate(self._generators(0)):
            if many:
                e = generator.standard_normal((n, r))
            else:
                uniform = _shifted_sobol(r, n, generator)
                e = ndtri(np.clip(uniform, 1e-15, 1.0 - 1e-15))
            e /= np.sqrt((e**2).sum(axis=1, keepdims=True))
            out[:, part * n : (part + 1) * n] = self.root @ e.T
        return out

    @cached_property
    def at_random(self) -> tuple[SingleArray, FloatArray, FloatArray]:
        """float32[n_points, n]: P e for standard normal e; beside each draw two numbers in (0, 1), float[n] each.

        The first numbers of a part are spread evenly, the others uniform.
        """
        n = self._size(*DRAWS)
        at = np.empty((len(self), PARTS * n), np.float32)
        even, uniform = np.empty(PARTS * n), np.empty(PARTS * n)
        for part, generator in enumerate(self._generators(1)):
            here = slice(part * n, (part + 1) * n)
            at[:, here] = self.root @ generator.standard_normal((self.root.shape[1], n))
            even[here] = (np.arange(n) + generator.random()) / n
            uniform[here] = generator.random(n)
        return at, even, uniform

    @cached_property
    def gram(self) -> SingleArray:
        """float32[n_points, n_points]: P P'."""
        out: SingleArray = (self.root @ self.root.T).astype(np.float32)
        return out


@dataclass(frozen=True, eq=False)
class Pairs:
    """A family of differences first - second, each once; `both` where second - first belongs to it as well."""

    first: IntArray
    second: IntArray
    both: BoolArray

    @classmethod
    def of(cls, first: IntArray, second: IntArray, two_sided: bool) -> Pairs:
        """From pairs that may hold a difference twice, or in both directions."""
        first, second = np.asarray(first, np.int64), np.asarray(second, np.int64)
        low, high = np.minimum(first, second), np.maximum(first, second)
        n = int(high.max()) + 1
        key, place = np.unique(low * n + high, return_inverse=True)
        up, down = np.zeros(len(key), bool), np.zeros(len(key), bool)
        up[np.ravel(place)[first <= second]] = True
        down[np.ravel(place)[first > second]] = True
        both = (up & down) | two_sided
        a, b = key // n, key % n
        turned = down & ~both
        return cls(np.where(turned, b, a), np.where(turned, a, b), both)

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def _by_common_point(self) -> list[tuple[int, IntArray, IntArray, int]]:
        """Common point, the others, their places in the family, and 1 if the common point comes first."""
        swap = len(np.unique(self.second)) < len(np.unique(self.first))
        common, other = (self.second, self.first) if swap else (self.first, self.second)
        out = []
        for sided in (True, False):
            at = np.flatnonzero(self.both == sided)
            at = at[np.lexsort([other[at], common[at]])]
            points, start = np.unique(common[at], return_index=True)
            for point, places in zip(points, np.split(at, start[1:])):
                out.append((int(point), other[places], places, -1 if swap else 1))
        return out

    def scores(self, images: SingleArray, sd: FloatArray) -> Iterator[tuple[slice, SingleArray]]:
        """Z of every difference, |Z| of those in both directions, by blocks: columns of `images`, float32[m', columns]."""
        n = images.shape[1]
        for point, others, places, sign in self._by_common_point:
            whole = others[-1] - others[0] + 1 == len(others)
            scale = (-sign / sd[places]).astype(np.float32)[:, None]
            both = bool(self.both[places[0]])
            width = max(IN_CACHE // len(others), 64)
            for start in range(0, n, width):
                here = slice(start, min(start + width, n))
                block = images[others[0] : others[-1] + 1, here] if whole else images[others, here]
                z = block - images[point, here]
                z *= scale
                if both:
                    np.abs(z, out=z)
                yield here, z


def _shifted_sobol(r: int, n: int, generator: np.random.Generator) -> FloatArray:
    """float[n, r]: Sobol points, shifted at random modulo 1 (Cranley and Patterson 1976, SIAM J. Numer. Anal. 13).

    scipy's own scrambling draws other points in every few versions, and the same seed would not give the same
    critical value everywhere.
    """
    from scipy.stats import qmc

    points: FloatArray = (qmc.Sobol(r, scramble=False).random(n) + generator.random(r)) % 1.0
    return points
