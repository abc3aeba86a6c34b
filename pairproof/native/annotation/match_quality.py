"""Match quality: how much is learned from setting two items beside each other, and drawing partners by it.

Sakaguchi and Van Durme (2018), equations 11 and 23, with the mean (TrueSkill) or the mode (beta) as location
m:

    q(i, j) = sqrt(2 gamma^2 / c^2) exp(-(m_i - m_j)^2 / (2 c^2)),   c^2 = 2 gamma^2 + v_i + v_j

Partners of an item are drawn one after the other without replacement, each with probability proportional to q
among those left ("sampling n-1 items by p", Algorithm 1; R's ``sample(prob=)``, NumPy's
``choice(replace=False)``).

Not all q are computed: partners are proposed and accepted or refused (rejection), which draws from exactly
the same distribution.  There are three ways to propose.  Each completes what the one before left undone;
every proposal is independent of those refused before it, so that the distribution does not change:

1. from the whole pool uniformly, accepted with q over its largest possible value (sufficient nearly always);
2. from 64 slices of the pool by location, each slice with its own bound;
3. by all q of the item, in logarithms (for an item so far from all others that every q underflows): Gumbel's
   largest keys.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from .beta import GAMMA, FloatArray, IntArray

#: Proposals an item gets in one round: a fifth more than 4 partners need at 1.64 proposals each (observed
#: mean).
PROPOSALS = 8
UNIFORM_ROUNDS, SLICED_ROUNDS = 12, 40
SLICES = 64


def match_quality(
    location_i: ArrayLike,
    variance_i: ArrayLike,
    location_j: ArrayLike,
    variance_j: ArrayLike,
    gamma: float = GAMMA,
) -> FloatArray:
    """How much is learned from a pair of items (Sakaguchi and Van Durme 2018, equations 11 and 23).

    location_i, variance_i, location_j, variance_j: means or modes, and variances > 0; they broadcast.  gamma:
    skill chain, > 0.  Returns float[...]: in (0, 1]; 1 only for equal items without variance.
    """
    c2 = 2.0 * gamma * gamma + np.asarray(variance_i, np.float64) + np.asarray(variance_j, np.float64)
    gap = np.asarray(location_i, np.float64) - np.asarray(location_j, np.float64)
    found: FloatArray = np.sqrt(2.0 * gamma * gamma / c2) * np.exp(-gap * gap / (2.0 * c2))
    return found


def draw_partners(
    anchors: ArrayLike,
    location: FloatArray,
    variance: FloatArray,
    size: int,
    pool: ArrayLike,
    rng: np.random.Generator,
    gamma: float = GAMMA,
    uniform_rounds: int = UNIFORM_ROUNDS,
    sliced_rounds: int = SLICED_ROUNDS,
) -> IntArray:
    """Partners of each anchor, drawn without replacement by match quality.

    Sakaguchi and Van Durme (2018), Algorithm 1; the same distribution as R's sample(prob = q).

    anchors int[k].  location, variance float[n_items]: mean or mode of every item, and its variance > 0.
    size: partners of each anchor.  pool int[p]: items that may be drawn; an anchor never draws itself.
    gamma: > 0.  uniform_rounds, sliced_rounds: how often the first two ways are tried; 0 leaves one out.
    Returns int[k, size]: in the order drawn.
    """
    a, among = np.asarray(anchors, np.int64), np.asarray(pool, np.int64)
    own = np.isin(a, among, assume_unique=False)
    left = len(among) - int(own.any())
    if left < size:
        raise InputError(
            f"match quality: {left} item(s) to draw {size} partners from; give more items, fewer HITs, or a"
            " smaller --per-hit"
        )
    drawing = _Drawing(a, location, variance, size, among, gamma, rng)
    for _ in range(uniform_rounds):
        if not drawing.open().size:
            return drawing.partners
        drawing.accept(*drawing.propose_uniformly())
    if sliced_rounds and drawing.open().size:
        slices = _Slices(drawing)
        for _ in range(sliced_rounds):
            if not drawing.open().size:
                break
            drawing.accept(*slices.propose())
    for row in drawing.open():
        drawing.complete(int(row))
    return drawing.partners


class _Drawing:
    """Partners drawn so far; a row an anchor."""

    def __init__(
        self,
        anchors: IntArray,
        location: FloatArray,
        variance: FloatArray,
        size: int,
        pool: IntArray,
        gamma: float,
        rng: np.random.Generator,
    ) -> None:
        self.anchors, self.pool, self.rng, self.size = anchors, pool, rng, size
        self.location, self.spread = location, 2.0 * gamma * gamma + variance
        self.variance = variance
        self.least_variance = float(variance[pool].min())
        # The column before the first holds the anchor itself, so that it counts as taken.
        self.taken = np.full((len(anchors), size + 1), -1, np.int64)
        self.taken[:, 0] = anchors
        self.filled = np.zeros(len(anchors), np.int64)

    @property
    def partners(self) -> IntArray:
        return self.taken[:, 1:]

    def open(self) -> IntArray:
        """Rows that lack a partner."""
        return np.flatnonzero(self.filled < self.size)

    def log_quality(self, rows: IntArray, items: IntArray) -> tuple[FloatArray, FloatArray]:
        """log q of each row's anchor with its items but for a constant, and c^2."""
        a = self.anchors[rows]
        c2 = self.variance[items]
        c2 += self.spread[a][:, None]
        gap = self.location[items]
        gap -= self.location[a][:, None]
        gap *= gap
        gap /= c2
        gap += np.log(c2)
        gap *= -0.5
        return gap, c2

    def propose_uniformly(self) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """Rows, their proposals, and whether each is accepted."""
        rows = self.open()
        items = self.pool[self.rng.integers(0, len(self.pool), (len(rows), PROPOSALS))]
        a = self.anchors[rows]
        spread = self.spread[a]
        c2 = self.variance[items]
        c2 += spread[:, None]
        gap = self.location[items]
        gap -= self.location[a][:, None]
        gap *= gap
        gap /= c2
        gap *= -0.5
        chance = np.exp(gap, out=gap)
        # q over its bound is sqrt(least c^2 / c^2) times the exponential.
        np.divide((spread + self.least_variance)[:, None], c2, out=c2)
        chance *= np.sqrt(c2, out=c2)
        return rows, items, self.rng.random(chance.shape) < chance

    def accept(self, rows: IntArray, items: IntArray, accepted: NDArray[np.bool_]) -> None:
        """Put accepted proposals in their places, column by column; one that is taken already counts as
        refused.
        """
        for column in range(items.shape[1]):
            here = np.flatnonzero(accepted[:, column] & (self.filled[rows] < self.size))
            row, item = rows[here], items[here, column]
            fresh = (self.taken[row] != item[:, None]).all(axis=1)
            row, item = row[fresh], item[fresh]
            self.filled[row] += 1
            self.taken[row, self.filled[row]] = item

    def complete(self, row: int) -> None:
        """The partners a row still lacks, from all its q: the items with the largest log q + Gumbel noise, in
        that order, are successive draws without replacement."""
        free = self.pool[~np.isin(self.pool, self.taken[row])]
        log_q, _ = self.log_quality(np.array([row]), free[None, :])
        keys = log_q[0] + self.rng.gumbel(size=len(free))
        lacking = self.size - int(self.filled[row])
        best = free[np.argsort(-keys)[:lacking]]
        self.taken[row, self.filled[row] + 1 :] = best
        self.filled[row] = self.size


class _Slices:
    """The pool in slices of equal size by location, each with bounds for q."""

    def __init__(self, drawing: _Drawing) -> None:
        self.drawing = drawing
        order = drawing.pool[np.argsort(drawing.location[drawing.pool], kind="stable")]
        self.order = order
        edges = np.unique(np.linspace(0, len(order), min(SLICES, len(order)) + 1).astype(np.int64))
        self.start, self.size = edges[:-1], np.diff(edges)
        place, spread = drawing.location[order], drawing.variance[order]
        self.low, self.high = place[self.start], place[edges[1:] - 1]
        self.least = np.minimum.reduceat(spread, self.start)
        self.most = np.maximum.reduceat(spread, self.start)

    def log_bound(self, rows: IntArray) -> FloatArray:
        """float[rows, slices]: the largest log q that an item of the slice can have; c = |gap| is where it
        peaks.
        """
        a = self.drawing.anchors[rows]
        m, spread = self.drawing.location[a][:, None], self.drawing.spread[a][:, None]
        gap2 = np.maximum(np.maximum(self.low - m, m - self.high), 0.0) ** 2
        c2 = np.clip(gap2, spread + self.least, spread + self.most)
        bound: FloatArray = -0.5 * (np.log(c2) + gap2 / c2)
        return bound

    def propose(self) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        d = self.drawing
        rows = d.open()[:4096]  # 4096 x 64 x 8 numbers at most
        bound = self.log_bound(rows)
        mass = self.size * np.exp(bound - bound.max(axis=1, keepdims=True))
        upto = np.cumsum(mass, axis=1)
        shot = d.rng.random((len(rows), PROPOSALS)) * upto[:, -1:]
        which = np.minimum((upto[:, None, :] <= shot[:, :, None]).sum(axis=2), len(self.size) - 1)
        items = self.order[
            self.start[which] + (d.rng.random(which.shape) * self.size[which]).astype(np.int64)
        ]
        log_q, _ = d.log_quality(rows, items)
        return (
            rows,
            items,
            np.log(d.rng.random(which.shape)) < log_q - np.take_along_axis(bound, which, axis=1),
        )


def quality_map(
    location: FloatArray, variance: FloatArray, order: ArrayLike, cells: int = 30, gamma: float = GAMMA
) -> FloatArray:
    """Match quality of all pairs, averaged over cells (Sakaguchi and Van Durme 2018, figure 8).

    location, variance float[n_items].  order int[n_items]: in which the items stand, for example by the
    truth.  cells: at most so many a side.  gamma: skill chain, > 0.  Returns float[k, k]: k = min(cells,
    n_items).
    """
    by = np.asarray(order, np.int64)
    edges = np.unique(np.linspace(0, len(by), min(cells, len(by)) + 1).astype(np.int64))
    rows = []
    for first, last in zip(edges[:-1], edges[1:]):  # a strip at a time: never all pairs at once
        strip = by[first:last]
        row, column = (strip[:, None], by[None, :])
        q = match_quality(location[row], variance[row], location[column], variance[column], gamma)
        rows.append(np.add.reduceat(q.mean(axis=0), edges[:-1]) / np.diff(edges))
    return np.array(rows)
