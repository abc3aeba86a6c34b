"""The largest of many correlated standard normal variables, differences of points.

A covariance of abilities V, centred, is P P', the same for every reference item; the difference of items a
and b is (P_a - P_b)'e, e standard normal in r dimensions.  Images of the points, P w on shifted Sobol
directions w and P e for normal e, are drawn once and serve every family of pairs, each in eight independent
parts, whose spread shows the Monte Carlo error.

Z_k = (P_a - P_b)'e / sd_k.  Nothing is inverted, so that a singular correlation, as that of all pairs, needs
no care.  With e = R w, w uniform on the sphere and R^2 chi-square on r degrees of freedom (Genz and Bretz
2009, Computation of Multivariate Normal and t Probabilities, section 4)::

    P(max_k Z_k > c) = mean over w of P(R > c / m(w)),   m(w) = max_k (P_a - P_b)'w / sd_k

r = 1 is exact, r = 2 an integral over an angle, few dimensions are taken over Sobol points.  In many
dimensions, and for small probabilities, no direction of a sample is near enough to a pair; there a pair k is
drawn first, and then e given Z_k > c (Naiman and Priebe 2001, J. Comput. Graph. Statist. 10, 296-328)::

    P(max_k Z_k > c) = sum_k P(Z_k > c) * E[ 1 / #{l : Z_l > c} ]

The sum is Bonferroni's bound; the mean is between 0 and 1 and tends to 1 in the tail, so that small
probabilities keep their digits.  With `df`, Z is divided by one common sqrt(chi-square / df), which makes it
a multivariate t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...numerics.arrays import BoolArray, FloatArray, IntArray

SingleArray = NDArray[np.float32]

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
        return np.asarray(np.sqrt(((self.root[first] - self.root[second]) ** 2).sum(axis=1)))

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
        return np.asarray((self.root @ self.root.T).astype(np.float32))


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

    return np.asarray((qmc.Sobol(r, scramble=False).random(n) + generator.random(r)) % 1.0)


#: Probabilities below this are found by drawing a pair first, in any number of dimensions above 2.
SMALL = 0.02
#: Classes into which the values of m(w) are gathered; with 2,000 a tail changes by less than 1e-7.
CLASSES = 2_000
#: The secant's last step: far below the Monte Carlo error, 0.001 for all pairs of 100 items.
TOLERANCE = 1e-4
#: Up to this many tails are worked out one by one; of more the mean of 1 / # is interpolated between these
#: distances from the least c.
ONE_BY_ONE = 40
GRID = np.array([0.0, 0.15, 0.3, 0.5, 0.8, 1.2, 1.8, 2.7, 4.5, 8.0, 15.0, 36.0])
#: Above this c the probability is that of Bonferroni's bound: all tails are below 1e-315.
FAR = 38.0


@dataclass(frozen=True, eq=False)
class MaxNormal:
    """The distribution of the largest of the Z_k, or of the largest |Z_k|.

    points: their differences are what is compared.  `first`, second int[m]: points of each pair; first -
    second is compared, of different points.  df: common degrees of freedom of a multivariate t; inf is the
    normal.
    """

    points: Points
    first: IntArray
    second: IntArray
    two_sided: bool = True
    df: float = math.inf
    _means: dict[float, FloatArray] = field(default_factory=dict)

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs.of(self.first, self.second, self.two_sided)

    @cached_property
    def _sd(self) -> FloatArray:
        return self.points.distance(self._pairs.first, self._pairs.second)

    @cached_property
    def _rows(self) -> FloatArray:
        """float[m, r]: a unit vector for each difference, both directions of it written out."""
        p = self._pairs
        rows = (self.points.root[p.first] - self.points.root[p.second]) / self._sd[:, None]
        return np.concatenate([rows, -rows[p.both]])

    @cached_property
    def _plane(self) -> FloatArray | None:
        """The rows in one or two dimensions; None if they need more."""
        if self.points.root.shape[1] > 2 and len(self._pairs) > 3:
            used = np.unique(np.concatenate([self.first, self.second]))
            if len(used) > 3:
                return None
        _, s, w = np.linalg.svd(self._rows, full_matrices=False)
        along = w[s > s[0] * 1e-7]
        out: FloatArray = self._rows @ along.T
        return out if len(along) <= 2 else None

    @property
    def is_exact(self) -> bool:
        """Whether tails are integrals of one angle, without Monte Carlo error."""
        return self._plane is not None

    # -- over directions ------------------------------------------------------------------------------------

    @cached_property
    def _directions(self) -> tuple[FloatArray, FloatArray, int]:
        """Weights and m(w), float[parts, n], and the dimension r."""
        if self._plane is not None and self._plane.shape[1] == 1:
            sides = np.array([[self._plane.max(), (-self._plane).max()]])
            return np.full(sides.shape, 0.5), sides, 1
        if self._plane is not None:
            weight, largest = _angles(self._plane)
            return weight[None, :], largest[None, :], 2
        images = self.points.on_sphere
        largest = np.zeros(images.shape[1], np.float32)
        for here, z in self._pairs.scores(images, self._sd):
            np.maximum(largest[here], z.max(axis=0), out=largest[here])
        return (*_gathered(largest.astype(np.float64).reshape(PARTS, -1)), self.points.root.shape[1])

    def _over_directions(self, c: float) -> FloatArray:
        """float[parts]: P(max > c)."""
        from scipy.special import fdtrc, gammaincc

        weight, largest, r = self._directions
        up = largest > 0.0
        square = (c / np.where(up, largest, 1.0)) ** 2
        tail = gammaincc(r / 2, 0.5 * square) if math.isinf(self.df) else fdtrc(r, self.df, square / r)
        return np.asarray((weight * np.where(up, tail, 0.0)).sum(axis=1))

    # -- given one pair above c -----------------------------------------------------------------------------

    @property
    def _sides(self) -> int:
        return len(self._pairs) + int(self._pairs.both.sum())

    def log_bonferroni(self, c: float) -> float:
        """log of sum_k P(Z_k > c), which may be above 0."""
        from scipy.special import log_ndtr

        return math.log(self._sides) + float(log_ndtr(-c))

    def _mean_inverse(self, c: float) -> FloatArray:
        """float[parts]: E[1 / #{l : Z_l > c}], given that a pair drawn with equal chance is above c."""
        if c not in self._means:
            self._means[c] = self._drawn_mean(c)
        return self._means[c]

    def _drawn_mean(self, c: float) -> FloatArray:
        from scipy.special import log_ndtr, ndtri_exp

        pairs, (at, even, u) = self._pairs, self.points.at_random
        chance = np.cumsum(np.where(pairs.both, 2.0, 1.0))
        k = np.minimum(np.searchsorted(chance, even * chance[-1], side="right"), len(chance) - 1)
        a, b, sd = pairs.first[k], pairs.second[k], self._sd[k]
        column = np.arange(at.shape[1])
        # e given Z_k > c: the part of e along the pair is replaced by a normal above c.
        z = -ndtri_exp(np.log1p(-u) + log_ndtr(-c))
        change = ((z - (at[a, column] - at[b, column]) / sd) / sd).astype(np.float32)
        gram = self.points.gram
        if len(pairs) < len(k):
            along = (gram[:, pairs.first] - gram[:, pairs.second])[:, k]
        else:
            along = gram[:, a] - gram[:, b]
        along *= change
        images = at + along
        count = np.zeros(len(column), np.int64)
        for here, scores in pairs.scores(images, self._sd):
            count[here] += np.count_nonzero(scores > np.float32(c), axis=0)
        # In single precision the drawn pair itself may fall back to c.
        return np.asarray((1.0 / np.maximum(count, 1)).reshape(PARTS, -1).mean(axis=1))

    # -- tails and quantiles --------------------------------------------------------------------------------

    def _is_small(self, c: float, p: float) -> bool:
        """Whether P(max > c), which is p over the directions, is found by drawing a pair first."""
        if self.is_exact or not math.isinf(self.df):
            return False
        if self.points.root.shape[1] <= FEW_DIMENSIONS:
            return p < SMALL
        # Where Bonferroni's bound is above 1/2, too many pairs are above c for the mean to be precise.
        return c >= self.bound_at(0.5)

    def bound_at(self, p: float, factor: float = 1.0) -> float:
        """c at which Bonferroni's bound times a factor is p: of factor 1 above the 1 - p point."""
        from scipy.special import ndtri_exp

        return max(float(-ndtri_exp(math.log(p) - math.log(factor) - math.log(self._sides))), 0.0)

    def _tail(self, c: float) -> FloatArray:
        many = self.points.root.shape[1] > FEW_DIMENSIONS and not self.is_exact
        p = np.full(PARTS, np.nan) if many and self._is_small(c, math.nan) else self._over_directions(c)
        if not self._is_small(c, float(p.mean())):
            return p
        return math.exp(self.log_bonferroni(c)) * self._mean_inverse(c)

    def tail(self, c: float) -> float:
        """P(max > c), for c >= 0."""
        return float(self._tail(c).mean())

    def log_tails(self, c: FloatArray) -> FloatArray:
        """float[m]: log P(max > c) for many c >= 0; never larger for a larger c."""
        if self.is_exact:
            return np.array([self._log_exact(float(x)) for x in c])
        body = self._body(c)
        small = np.array([self._is_small(float(x), float(p)) for x, p in zip(c, body)], dtype=bool)
        with np.errstate(divide="ignore"):
            out = np.log(body)
        if small.any():
            factor: Callable[[float], float] = self._factor
            if int(small.sum()) > ONE_BY_ONE:
                factor = self._interpolated(float(c[small].min()), float(c[small].max()))
            out[small] = [self.log_bonferroni(float(x)) + math.log(factor(float(x))) for x in c[small]]
        order = np.argsort(c, kind="stable")
        out[order] = np.minimum(np.minimum.accumulate(out[order]), 0.0)
        return out

    def _log_exact(self, c: float) -> float:
        p = self.tail(c)
        # Beyond the doubles Bonferroni's bound is the probability to all digits that are shown.
        return math.log(p) if p > 1e-290 else self.log_bonferroni(c)

    def _factor(self, c: float) -> float:
        return float(self._mean_inverse(c).mean()) if c < FAR else 1.0

    def _interpolated(self, least: float, most: float) -> _Interpolated:
        grid = least + GRID
        grid = grid[: int(np.searchsorted(grid, min(most, FAR))) + 1]
        return _Interpolated(grid, np.array([self._factor(float(c)) for c in grid]))

    def _body(self, c: FloatArray) -> FloatArray:
        """P(max > c) where it is not small."""
        if len(c) <= ONE_BY_ONE:
            return np.array([self._over_directions(float(x)).mean() for x in c])
        from scipy.interpolate import PchipInterpolator

        grid = np.linspace(0.0, float(c.max()) + 1e-9, 60)
        values = [float(self._over_directions(float(x)).mean()) for x in grid]
        # Slopes between values that are all but equal overflow on their way to 0.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            return np.asarray(PchipInterpolator(grid, values)(c))

    def quantile(self, level: float) -> tuple[float, float]:
        """c with P(max <= c) = level, and its standard error (0 where it is exact)."""
        p = 1.0 - level
        if self.is_exact or not math.isinf(self.df) or self.points.root.shape[1] <= FEW_DIMENSIONS:
            c = _root(lambda at: float(self._over_directions(at).mean()) - p)
            if self.is_exact:
                return c, 0.0
            if not self._is_small(c, p):
                step = 1e-3
                slope = self._over_directions(c - step).mean() - self._over_directions(c + step).mean()
                return c, _error(self._over_directions(c)) * 2.0 * step / float(slope)
        return self._point_by_pairs(p)

    def _point_by_pairs(self, p: float) -> tuple[float, float]:
        """c with bound(c) x mean(c) = p, and its error; the mean hardly moves with c: three steps of the secant."""
        from scipy.special import log_ndtr

        def next_of(c: float) -> float:
            return self.bound_at(p, self._factor(c))

        c = self.bound_at(p)
        after = next_of(c)
        for _ in range(20):
            before, c_before, c = after, c, after
            after = next_of(c)
            contraction = (after - before) / (c - c_before) if c != c_before else 0.0
            after = c + (after - c) / (1.0 - min(contraction, 0.9))
            if abs(after - c) < TOLERANCE:
                break
        hazard = math.exp(-0.5 * c * c - 0.5 * math.log(2.0 * math.pi) - float(log_ndtr(-c)))
        return after, _error(self._mean_inverse(c)) / (self._factor(c) * hazard)


def _error(parts: FloatArray) -> float:
    """Standard error of the mean of independent parts."""
    return float(np.std(parts, ddof=1) / math.sqrt(len(parts)))


@dataclass(frozen=True, eq=False)
class _Interpolated:
    grid: FloatArray
    factor: FloatArray

    def __call__(self, c: float) -> float:
        if c > self.grid[-1] or len(self.grid) < 2:
            return 1.0 if c > self.grid[-1] else float(self.factor[0])
        return float(self._curve(c))

    @cached_property
    def _curve(self) -> Any:
        from scipy.interpolate import PchipInterpolator

        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            return PchipInterpolator(self.grid, self.factor)


def _root(f: Callable[[float], float]) -> float:
    """Where a decreasing function of c >= 0 is 0."""
    from scipy.optimize import brentq

    top = 2.0
    while f(top) > 0.0:
        top *= 1.5
    return float(brentq(f, 0.0, top, xtol=1e-12))


def _gathered(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights and means of values in 2,000 narrow classes, part by part: what is averaged over them is smooth."""
    low, high = float(values.min()), float(values.max())
    n = CLASSES
    place = np.minimum(((values - low) * (n / max(high - low, 1e-300))).astype(np.int64), n - 1)
    weight, mean = np.empty((len(values), n)), np.empty((len(values), n))
    for part, (at, here) in enumerate(zip(place, values)):
        count = np.bincount(at, minlength=n)
        weight[part] = count / values.shape[1]
        mean[part] = np.bincount(at, here, n) / np.maximum(count, 1)
    return weight, mean


def _angles(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights and m(w) of all angles, for r = 2: Gauss's rule between the angles where the largest changes."""
    from scipy.special import roots_legendre

    direction = np.sort(np.unique(np.round(np.arctan2(rows[:, 1], rows[:, 0]) % (2 * np.pi), 14)))
    middle = (direction + np.append(direction[1:], direction[0] + 2 * np.pi)) / 2
    away = np.concatenate([direction + np.pi / 2, direction - np.pi / 2])
    cuts = np.unique(
        np.concatenate([np.concatenate([direction, middle, away]) % (2 * np.pi), [0.0, 2 * np.pi]])
    )
    x, w = roots_legendre(40)
    half = np.diff(cuts) / 2
    angle = ((cuts[:-1] + half)[:, None] + half[:, None] * x).ravel()
    weight = (half[:, None] * w / (2 * np.pi)).ravel()
    largest: FloatArray = (np.stack([np.cos(angle), np.sin(angle)], 1) @ rows.T).max(axis=1)
    return weight, largest
