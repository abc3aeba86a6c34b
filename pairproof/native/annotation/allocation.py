"""The choice of items for the next HITs, and of partners by match quality: how much is learned from two items.

Sakaguchi and Van Durme (2018), Algorithm 1: the k items of largest variance, k = N/n, are each the anchor of
a HIT of n and get n - 1 partners, one after the other without replacement, each with probability proportional
to (equations 11 and 23, with the mean (TrueSkill) or the mode (beta) as location m)

    q(i, j) = sqrt(2 gamma^2 / c^2) exp(-(m_i - m_j)^2 / (2 c^2)),   c^2 = 2 gamma^2 + v_i + v_j

Not all q are computed: partners are proposed and refused, which draws from the same distribution; from the
whole pool, then from 64 slices by location with their own bounds, then by all q in logarithms (Gumbel's
largest keys).

======== ============================== ========================= ==============
pool     partners come from             equal variances           k unless given
======== ============================== ========================= ==============
paper    items that anchor no HIT       at random (not stated)    ceil(N/n)
keisks   items that anchor no HIT       smaller id first          20
cjmay    all items but the anchor       at random                 ceil(N/n)
======== ============================== ========================= ==============

(keisks/EASL at 50b1aa6, cjmay/EASL at e5c2ee4; ids are compared as text.)  In both codes the first batch is a
random partition that shows every item once, which the paper does not say and is done here; where n does not
divide N the last HIT is filled with items drawn at random (there with the first ones).  After it, a batch of
N/n HITs touches about 111 of 150 items.  The paper's "20 HITs x 10 iterations" is 1,000 judgments of 150
items, not the 1,500 of its direct assessment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ...data.options import one_of
from ...errors import InputError
from ...numerics.arrays import BoolArray
from ...text import plural
from .beta import GAMMA, FloatArray, IntArray
from .methods import ScoreState

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
    skill chain, > 0.  Returns float[...]: in (0, 1]; 1 only for equal items without variance."""
    c2 = 2.0 * gamma * gamma + np.asarray(variance_i, np.float64) + np.asarray(variance_j, np.float64)
    gap = np.asarray(location_i, np.float64) - np.asarray(location_j, np.float64)
    return np.asarray(np.sqrt(2.0 * gamma * gamma / c2) * np.exp(-gap * gap / (2.0 * c2)))


def draw_partners(
    anchors: ArrayLike,
    location: FloatArray,
    variance: FloatArray,
    size: int,
    pool: ArrayLike,
    rng: Generator,
    gamma: float = GAMMA,
    uniform_rounds: int = UNIFORM_ROUNDS,
    sliced_rounds: int = SLICED_ROUNDS,
) -> IntArray:
    """Partners of each anchor, drawn without replacement by match quality.
    Sakaguchi and Van Durme (2018), Algorithm 1; the same distribution as R's sample(prob = q).  anchors
    int[k].  location, variance float[n_items]: mean or mode of every item, and its variance > 0.  size:
    partners of each anchor.  pool int[p]: items that may be drawn; an anchor never draws itself.  gamma: > 0.
    uniform_rounds, sliced_rounds: how often the first two ways are tried; 0 leaves one out.  Returns int[k,
    size]: in the order drawn."""
    a, among = np.asarray(anchors, np.int64), np.asarray(pool, np.int64)
    left = len(among) - int(np.isin(a, among).any())
    if left < size:
        raise InputError(
            f"match quality: {plural(left, 'item')} to draw {size} partners from; give more items, fewer HITs, or a smaller --per-hit"
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


@dataclass(eq=False)
class _Drawing:
    """Partners drawn so far; one row per anchor."""

    anchors: IntArray
    location: FloatArray
    variance: FloatArray
    size: int
    pool: IntArray
    gamma: float
    rng: Generator

    def __post_init__(self) -> None:
        self.spread = 2.0 * self.gamma * self.gamma + self.variance
        # The column before the first holds the anchor itself, so that it counts as taken.
        self.taken = np.full((len(self.anchors), self.size + 1), -1, np.int64)
        self.taken[:, 0] = self.anchors
        self.filled = np.zeros(len(self.anchors), np.int64)

    @property
    def partners(self) -> IntArray:
        return self.taken[:, 1:]

    def open(self) -> IntArray:
        """Rows that lack a partner."""
        return np.flatnonzero(self.filled < self.size)

    def _gap(self, a: IntArray, items: IntArray) -> tuple[FloatArray, FloatArray]:
        """(mu_a - mu_i)^2 / c^2 and c^2 of anchors and their items."""
        c2 = self.variance[items]
        c2 += self.spread[a][:, None]
        gap = self.location[items]
        gap -= self.location[a][:, None]
        gap *= gap
        gap /= c2
        return gap, c2

    def log_quality(self, rows: IntArray, items: IntArray) -> FloatArray:
        """log q of each row's anchor with its items but for a constant."""
        gap, c2 = self._gap(self.anchors[rows], items)
        gap += np.log(c2)
        gap *= -0.5
        return gap

    def propose_uniformly(self) -> tuple[IntArray, IntArray, BoolArray]:
        """Rows, their proposals, and whether each is accepted."""
        rows = self.open()
        items = self.pool[self.rng.integers(0, len(self.pool), (len(rows), PROPOSALS))]
        a = self.anchors[rows]
        gap, c2 = self._gap(a, items)
        gap *= -0.5
        chance = np.exp(gap, out=gap)
        # q over its bound is sqrt(least c^2 / c^2) times the exponential.
        np.divide((self.spread[a] + self.variance[self.pool].min())[:, None], c2, out=c2)
        chance *= np.sqrt(c2, out=c2)
        return rows, items, self.rng.random(chance.shape) < chance

    def accept(self, rows: IntArray, items: IntArray, accepted: BoolArray) -> None:
        """Put accepted proposals in their places, column by column; one that is taken already is refused."""
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
        keys = self.log_quality(np.array([row]), free[None, :])[0] + self.rng.gumbel(size=len(free))
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
        """float[rows, slices]: the largest log q of an item of the slice, which peaks at c = |gap|."""
        a = self.drawing.anchors[rows]
        m, spread = self.drawing.location[a][:, None], self.drawing.spread[a][:, None]
        gap2 = np.maximum(np.maximum(self.low - m, m - self.high), 0.0) ** 2
        c2 = np.clip(gap2, spread + self.least, spread + self.most)
        return np.asarray(-0.5 * (np.log(c2) + gap2 / c2))

    def propose(self) -> tuple[IntArray, IntArray, BoolArray]:
        d = self.drawing
        rows = d.open()[:4096]  # 4096 x 64 x 8 numbers at most
        bound = self.log_bound(rows)
        mass = self.size * np.exp(bound - bound.max(axis=1, keepdims=True))
        upto = np.cumsum(mass, axis=1)
        shot = d.rng.random((len(rows), PROPOSALS)) * upto[:, -1:]
        which = np.minimum((upto[:, None, :] <= shot[:, :, None]).sum(axis=2), len(self.size) - 1)
        place = (d.rng.random(which.shape) * self.size[which]).astype(np.int64)
        items = self.order[self.start[which] + place]
        log_chance = d.log_quality(rows, items) - np.take_along_axis(bound, which, axis=1)
        return rows, items, np.log(d.rng.random(which.shape)) < log_chance


def quality_map(
    location: FloatArray, variance: FloatArray, order: ArrayLike, cells: int = 30, gamma: float = GAMMA
) -> FloatArray:
    """Match quality of all pairs, averaged over cells (Sakaguchi and Van Durme 2018, figure 8).
    location, variance float[n_items].  order int[n_items]: in which the items stand, for example by the
    truth.  cells: at most so many a side.  gamma: skill chain, > 0.  Returns float[k, k]: k = min(cells,
    n_items)."""
    by = np.asarray(order, np.int64)
    edges = np.unique(np.linspace(0, len(by), min(cells, len(by)) + 1).astype(np.int64))
    rows = []
    for first, last in zip(edges[:-1], edges[1:]):  # a strip at a time: never all pairs at once
        strip = by[first:last]
        row = strip[:, None]
        q = match_quality(location[row], variance[row], location[by], variance[by], gamma)
        rows.append(np.add.reduceat(q.mean(axis=0), edges[:-1]) / np.diff(edges))
    return np.array(rows)


Pool = Literal["paper", "keisks", "cjmay"]
POOLS: tuple[Pool, ...] = get_args(Pool)
KEISKS_HITS = 20


def default_hits(n_items: int, per_hit: int, pool: Pool = "paper") -> int:
    """Number of HITs of a batch after the first, unless stated: ceil(N/n), or keisks' 20.
    n_items, per_hit: N and n."""
    return KEISKS_HITS if pool == "keisks" else -(-n_items // per_hit)


def next_hits(
    state: ScoreState,
    shown: IntArray,
    per_hit: int,
    hits: int,
    rng: Generator,
    *,
    first: bool,
    pool: Pool = "paper",
    gamma: float = GAMMA,
    ids: tuple[str, ...] | None = None,
    sizes: IntArray | None = None,
) -> IntArray:
    """A batch of HITs (Sakaguchi and Van Durme 2018, Algorithm 1).
    shown int[n_items]: how often each item was judged or is out to be judged; da, random and the first batch
    even these out.  pool: where partners come from, see the module's table.  gamma: skill chain, > 0.  ids:
    for keisks' order of equal variances; default: the items' own order.  sizes int[hits]: items of each HIT,
    0 to per_hit, where other slots of the HIT are for repeats or checks; default: all per_hit.  Returns
    int[hits, per_hit]: no item twice in a HIT; HITs, and items in a HIT, in random order.  With `sizes`, HIT
    k has sizes[k] items and then -1, and HITs stand in the order of `sizes`."""
    one_of("pool", pool, POOLS)
    n_items = len(state.a)
    most = per_hit if sizes is None else int(np.max(sizes))
    if not (1 <= per_hit and most <= n_items):
        raise InputError(f"{most} items per HIT of {n_items} items in all; expected 1 to {n_items}")
    if hits < 1:
        raise InputError(f"{hits} HITs; expected 1 or more")
    if sizes is not None and (len(sizes) != hits or sizes.min() < 0 or most > per_hit):
        raise InputError(f"sizes of {len(sizes)} HITs; expected {hits}, each 0 to {per_hit}")
    if first or state.method in ("da", "random"):
        return even_hits(shown, per_hit, hits, rng, sizes)
    names = ids or range(n_items)
    anchors = _largest(state.variance, hits, rng, names if pool == "keisks" else None)
    among = np.arange(n_items)
    if pool != "cjmay":
        free = np.ones(n_items, bool)
        free[anchors] = False
        among = np.flatnonzero(free)
        if len(among) < most - 1:
            raise InputError(
                f"{hits} HITs of {most} need {hits} anchors and {most - 1} other items; there are"
                f" {n_items} items: ask for {max(n_items - most + 1, 0)} HITs at most, or for pool 'cjmay'"
            )
    partners = draw_partners(anchors, state.score, state.variance, most - 1, among, rng, gamma)
    batch = np.full((len(anchors), per_hit), -1, np.int64)
    batch[:, 0], batch[:, 1:most] = anchors, partners
    if sizes is None:
        return rng.permutation(rng.permuted(batch, axis=1))
    # The first of the partners, drawn one after the other without replacement, are what fewer draws give.
    batch = rng.permutation(batch)
    batch[np.arange(per_hit) >= sizes[:, None]] = -1
    return _mixed(batch, rng)


def _mixed(batch: IntArray, rng: Generator) -> IntArray:
    """The items of each HIT in random order, -1 last."""
    keys = np.where(batch < 0, 2.0, rng.random(batch.shape))
    return np.take_along_axis(batch, np.argsort(keys, axis=1), axis=1)


def even_hits(
    shown: IntArray, per_hit: int, hits: int, rng: Generator, sizes: IntArray | None = None
) -> IntArray:
    """HITs that even out how often items are shown: those shown least come first, at random among equals.
    With hits * per_hit = N and equal counts this is a random partition of the items.  shown int[n_items]: how
    often each was shown before.  sizes int[hits]: as in :func:`next_hits`.  Returns int[hits, per_hit]: no
    item twice in a HIT; with `sizes`, HIT k has sizes[k] items and then -1."""
    count = shown.astype(np.int64, copy=True)
    ends = np.cumsum(np.full(hits, per_hit) if sizes is None else sizes)
    flat = np.zeros(int(ends[-1]), np.int64)
    filled = 0
    while filled < len(flat):
        here = int(np.searchsorted(ends, filled, side="right"))
        begun = filled - (int(ends[here - 1]) if here else 0)
        free = np.arange(len(count))
        if begun:
            free = np.setdiff1d(free, flat[filled - begun : filled])
        least = free[count[free] == count[free].min()]
        # From the beginning of a HIT all of them can be laid out; a HIT already begun is completed first.
        room = int(ends[here]) - filled if begun else len(flat) - filled
        take = rng.permutation(least)[:room]
        flat[filled : filled + len(take)] = take
        count[take] += 1
        filled += len(take)
    if sizes is None:
        return rng.permutation(rng.permuted(flat.reshape(hits, per_hit), axis=1))
    batch = np.full((hits, per_hit), -1, np.int64)
    batch[np.arange(per_hit) < sizes[:, None]] = flat
    return _mixed(batch, rng)


def _largest(variance: FloatArray, k: int, rng: Generator, ids: Sequence[Any] | None = None) -> IntArray:
    """The k items of largest variance; at the edge equal ones by id, or without ids by chance."""
    n = len(variance)
    if k >= n:
        return np.arange(n)
    edge = np.partition(variance, n - k)[n - k]
    above, level = np.flatnonzero(variance > edge), np.flatnonzero(variance == edge)
    lacking = k - len(above)
    if ids is None:
        return np.concatenate([above, rng.choice(level, lacking, replace=False)])
    by_name = sorted(level.tolist(), key=ids.__getitem__)
    return np.concatenate([above, np.array(by_name[:lacking], np.int64)])


def next_sources(
    state: ScoreState, shown: IntArray, source: IntArray, hits: int, rng: Generator, *, first: bool
) -> IntArray:
    """The sources whose items come next, where a HIT holds all items of one source.
    easl, ra and trueskill take the sources whose items have the largest mean variance: a HIT judges all of
    them, so the mean says how much is to be learned from each judgment.  da, random and the first batch take
    those shown least.  Equals are chosen at random.  shown int[n_items]: as in :func:`next_hits`.  source
    int[n_items]: source of every item, from 0; -1 for an item that takes no part.  Returns int[hits]:
    distinct sources in random order; where counts are evened out and more HITs than sources are asked for,
    the sources again."""
    among = source >= 0
    number = np.bincount(source[among])
    if hits < 1:
        raise InputError(f"{hits} HITs; expected 1 or more")
    if first or state.method in ("da", "random"):
        count = np.full(len(number), np.iinfo(np.int64).max)
        np.minimum.at(count, source[among], shown[among])
        found: list[IntArray] = []
        while sum(map(len, found)) < hits:
            least = np.flatnonzero(count == count.min())
            found.append(rng.permutation(least)[: hits - sum(map(len, found))])
            count[found[-1]] += 1
        return rng.permutation(np.concatenate(found))
    if hits > len(number):
        raise InputError(
            f"{hits} HITs of one source each, but there are {len(number)} sources; ask for at most that many"
        )
    mean = np.bincount(source[among], weights=state.variance[among]) / number
    return rng.permutation(_largest(mean, hits, rng))
