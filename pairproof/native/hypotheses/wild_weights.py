"""The weights of a wild bootstrap, its statistic, and the inversion of its p-values into an interval."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import NotEstimableError, TooLargeError
from .null_fit import AtNull, NullFits

FloatArray = NDArray[np.float64]
WeightKind = Literal["rademacher", "webb"]
#: Clusters up to which all sign vectors are gone through: 4,096 of them.
ALL_SIGNS = 12
#: Webb vectors gone through at most: 6^6.
ALL_WEBB = 6**6
WEBB = np.array([-np.sqrt(1.5), -1.0, -np.sqrt(0.5), np.sqrt(0.5), 1.0, np.sqrt(1.5)])
#: |t(w)| counts as reached if rounding alone keeps it below |t(1)|.
EQUAL = 1e-10
#: A sum of squares of scores, or a share of information, that is rounding alone.
NOTHING = 1e-10
#: Limits by inversion are found to this share of a standard error.
LIMIT = 1e-9
MOST_DOUBLINGS = 40
#: Clusters times vectors drawn at most: 1 GB, and as much again for each of two steps of the statistic.
MOST_WEIGHTS = 125_000_000


def weight_vectors(clusters: int, kind: WeightKind, replicates: int, seed: int) -> tuple[FloatArray, bool]:
    """float[R, G] weights, and whether they are all there are."""
    values = WEBB if kind == "webb" else np.array([1.0, -1.0])
    if (kind == "rademacher" and clusters <= ALL_SIGNS) or (kind == "webb" and 6.0**clusters <= ALL_WEBB):
        places = np.stack(np.meshgrid(*[np.arange(len(values))] * clusters, indexing="ij"), axis=-1)
        return values[places.reshape(-1, clusters)], True
    if clusters * replicates > MOST_WEIGHTS:
        raise TooLargeError(
            f"{replicates:,} weight vectors of {clusters:,} clusters are {clusters * replicates:,} numbers (limit"
            f" {MOST_WEIGHTS:,}); ask for {MOST_WEIGHTS // clusters:,} replicates at most, or use fit.clustered(...), which"
            " is as good with so many clusters"
        )
    rng = np.random.default_rng(seed)
    return values[rng.integers(0, len(values), (replicates, clusters))], False


def statistic(at: AtNull, weights: FloatArray) -> FloatArray:
    """float[R]: t(w) for weights float[R, G]."""
    own = weights * at.scores[:, 0]
    u = own - (weights @ at.raw) @ at.linear[:, 0].T
    spread = np.sqrt((u**2).sum(axis=1))
    total = own.sum(axis=1)
    # Clusters that all say the same leave nothing but rounding in u: t is then infinite.
    least = NOTHING * np.sqrt((at.scores[:, 0] ** 2).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(spread > least, total / spread, np.sign(total) * np.inf)
    return np.where(np.abs(total) > least, t, 0.0)


class Inversion:
    """p-values of one contrast as a function of its value under the null."""

    def __init__(self, fits: NullFits, vectors: FloatArray, exact: bool, estimate: float) -> None:
        self.fits, self.vectors, self.exact, self.estimate = fits, vectors, exact, estimate

    def test(self, value: float) -> tuple[float, float, FloatArray]:
        """t, p and |t(w)| at a value."""
        at = self.fits.at(np.array([value]))
        t = float(statistic(at, np.ones((1, self.vectors.shape[1])))[0])
        size = float(np.sqrt((at.scores[:, 0] ** 2).sum()))
        if size <= NOTHING * float(np.sqrt(at.variances[0])) or float(at.shares[:, 0].max()) > 1.0 - NOTHING:
            raise NotEstimableError(
                "one cluster alone has all the information on this contrast, so that there are no clusters to tell"
                " apart for a test"
            )
        several = np.abs(statistic(at, self.vectors))
        reached = int(np.sum(several >= abs(t) * (1.0 - EQUAL)))
        p = reached / len(several) if self.exact else (1.0 + reached) / (1.0 + len(several))
        return t, p, several

    def side(self, side: float, alpha: float) -> float:
        """The limit on one side of the estimate."""
        inside = self.estimate
        step = self._step(inside)
        for _ in range(MOST_DOUBLINGS):
            outside = inside + side * step
            try:
                rejected = self._beyond(outside, alpha) > 0.0
            except NotEstimableError:
                return side * np.inf
            if rejected:
                return self._between(inside, outside, alpha)
            inside, step = outside, step * 2.0
            if step > 1e4:
                break
        return side * np.inf

    def _step(self, value: float) -> float:
        """About a clustered standard error."""
        at = self.fits.at(np.array([value]))
        return float(np.sqrt((at.scores[:, 0] ** 2).sum())) or 1.0

    def _beyond(self, value: float, alpha: float) -> float:
        """How far |t(1)| lies beyond what p <= alpha needs: above 0 if, and only if, the value is rejected.

        It is continuous in the value but for exact ties of |t(1)| with other vectors, which do not reject.
        """
        t, _, several = self.test(value)
        n = len(several)
        most = alpha * n if self.exact else alpha * (n + 1.0) - 1.0
        # So many vectors may reach |t(1)|; alpha times their number is whole or not by the luck of rounding.
        k = int(np.floor(most + 1e-9))
        if k < 0 or not np.isfinite(t):
            return 1.0 if k >= 0 and np.sum(several >= abs(t)) <= k else -1.0
        next_largest = float(np.partition(several, n - 1 - k)[n - 1 - k]) if k < n else 0.0
        gap = abs(t) - next_largest
        return gap if gap > EQUAL * abs(t) else min(gap, -EQUAL * abs(t) - 1e-300)

    def _between(self, inside: float, outside: float, alpha: float) -> float:
        """Where rejection begins, between a value that is not rejected and one that is."""
        from scipy.optimize import brentq

        wide = max(abs(outside - inside), 1e-3)
        return float(brentq(lambda v: self._beyond(v, alpha), inside, outside, xtol=LIMIT * wide))
