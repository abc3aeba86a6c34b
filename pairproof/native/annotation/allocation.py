"""The choice of items for the next HITs.

Sakaguchi and Van Durme (2018), Algorithm 1: the k items of largest variance, k = N/n, are each the anchor of
a HIT of n and get n - 1 partners by match quality.  Where the paper and the two public codes differ, the
difference has a name:

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
N/n HITs touches about 111 of 150 items, and one item can be partner several times.

The paper's "20 HITs x 10 iterations" is 1,000 judgments of 150 items, not the 1,500 of its direct assessment:
k = N/n is 30.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ...data.options import one_of
from ...errors import InputError
from .beta import GAMMA, FloatArray, IntArray
from .match_quality import draw_partners
from .methods import ScoreState

Pool = Literal["paper", "keisks", "cjmay"]
POOLS: tuple[Pool, ...] = get_args(Pool)
KEISKS_HITS = 20


def default_hits(n_items: int, per_hit: int, pool: Pool = "paper") -> int:
    """Number of HITs of a batch after the first, unless stated: ceil(N/n), or keisks' 20.

    n_items, per_hit: N and n.
    """
    return KEISKS_HITS if pool == "keisks" else -(-n_items // per_hit)


def next_hits(
    state: ScoreState,
    shown: IntArray,
    per_hit: int,
    hits: int,
    rng: np.random.Generator,
    *,
    first: bool,
    pool: Pool = "paper",
    gamma: float = GAMMA,
    ids: tuple[str, ...] | None = None,
    sizes: IntArray | None = None,
) -> IntArray:
    """A batch of HITs (Sakaguchi and Van Durme 2018, Algorithm 1).

    state: what is known of every item.  shown int[n_items]: how often each item was judged or is out to be
    judged; da, random and the first batch even these out.  per_hit, hits: items a HIT, HITs; >= 1.  rng: of
    numpy.  `first`: whether no batch was opened before.  pool: where partners come from, see the module's
    table.  gamma: skill chain, > 0.  ids: for keisks' order of equal variances; default: the items' own
    order.  sizes int[hits]: items of each HIT, 0 to per_hit, where other slots of the HIT are for repeats or
    checks; default: all per_hit.  Returns int[hits, per_hit]: no item twice in a HIT; HITs, and items in a
    HIT, in random order.  With `sizes`, HIT k has sizes[k] items and then -1, and HITs stand in the order of
    `sizes`.
    """
    one_of("pool", pool, POOLS)
    n_items = len(state.a)
    most = per_hit if sizes is None else int(np.max(sizes))
    if not (1 <= per_hit and most <= n_items):
        raise InputError(f"{most} items a HIT of {n_items} items in all; expected 1 to {n_items}")
    if hits < 1:
        raise InputError(f"{hits} HITs; expected 1 or more")
    if sizes is not None and (len(sizes) != hits or sizes.min() < 0 or most > per_hit):
        raise InputError(f"sizes of {len(sizes)} HITs; expected {hits}, each 0 to {per_hit}")
    if first or state.method in ("da", "random"):
        return even_hits(shown, per_hit, hits, rng, sizes)
    anchors = _largest(state.variance, hits, rng, ids if pool == "keisks" else None, by_id=pool == "keisks")
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


def _mixed(batch: IntArray, rng: np.random.Generator) -> IntArray:
    """The items of each HIT in random order, -1 last."""
    keys = np.where(batch < 0, 2.0, rng.random(batch.shape))
    return np.take_along_axis(batch, np.argsort(keys, axis=1), axis=1)


def even_hits(
    shown: IntArray, per_hit: int, hits: int, rng: np.random.Generator, sizes: IntArray | None = None
) -> IntArray:
    """HITs that even out how often items are shown: those shown least come first, at random among equals.

    With hits * per_hit = N and equal counts this is a random partition of the items.

    shown int[n_items]: how often each was shown before.  per_hit, hits: >= 1.  sizes int[hits]: as in
    :func:`next_hits`.  Returns int[hits, per_hit]: no item twice in a HIT; with `sizes`, HIT k has sizes[k]
    items and then -1.
    """
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


def _largest(
    variance: FloatArray, k: int, rng: np.random.Generator, ids: tuple[str, ...] | None, by_id: bool
) -> IntArray:
    """The k items of largest variance; at the edge equal ones by chance, or by id."""
    n = len(variance)
    if k >= n:
        return np.arange(n)
    edge = np.partition(variance, n - k)[n - k]
    above, level = np.flatnonzero(variance > edge), np.flatnonzero(variance == edge)
    lacking = k - len(above)
    if by_id:
        if ids is not None:
            name = dict(enumerate(ids))
            level = np.array(sorted(level.tolist(), key=lambda i: name[i]), np.int64)
        return np.concatenate([above, level[:lacking]])
    return np.concatenate([above, rng.choice(level, lacking, replace=False)])


def next_sources(
    state: ScoreState, shown: IntArray, source: IntArray, hits: int, rng: np.random.Generator, *, first: bool
) -> IntArray:
    """The sources whose items come next, where a HIT holds all items of one source.

    easl, ra and trueskill take the sources whose items have the largest mean variance: a HIT judges all of
    them, so the mean says how much is to be learned from each judgment.  da, random and the first batch take
    those shown least.  Equals are chosen at random.

    shown int[n_items]: as in :func:`next_hits`.  source int[n_items]: source of every item, from 0; -1 for an
    item that takes no part.  hits: >= 1.  Returns int[hits]: distinct sources in random order; where counts
    are evened out and more HITs than sources are asked for, the sources again.
    """
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
    return rng.permutation(_largest(mean, hits, rng, None, by_id=False))
