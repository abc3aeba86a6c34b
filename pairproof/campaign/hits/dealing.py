"""Who gets which HIT, and in which order.

HITs are dealt round like cards.  With M annotators and K different ones for each HIT, the annotators stand in
a row drawn at random, and HIT h goes to those at places hK, hK + 1, ..., hK + K - 1, counted round.  The HITs
of a deal are in random order already, so this is a random allocation with these properties:

- the numbers of HITs of two annotators differ by at most one;
- teams (the K annotators of a HIT) come back after M / gcd(M, K) HITs, so that a team has several HITs of a
  batch, and an item of one can be repeated in a later one for everybody in the team;
- the row is drawn anew after `TOGETHER` rounds, so that over a batch annotators share items with many others.
  A model of annotators needs that: teams that never mix could not be compared.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from heapq import heappop, heappush

import numpy as np

from ...errors import InputError
from ...native.annotation.beta import IntArray

#: HITs that a team gets before the row of annotators is drawn anew.
TOGETHER = 4
#: Rows drawn for a batch at most: large batches keep their teams longer.
ROWS = 8


def deal(hits: int, annotators: IntArray, each: int, load: IntArray, rng: np.random.Generator) -> IntArray:
    """Deal HITs to annotators.

    annotators int[m]: their numbers, distinct.  each: different annotators for each HIT, 1 to m.  load
    int[m]: HITs that each had before; at the end of the deal those who had fewer come first.  Returns
    int[hits, each]: numbers of annotators.
    """
    m = len(annotators)
    if not 1 <= each <= m:
        raise InputError(
            f"{each} different annotators for each HIT, but {m} can be given HITs; register more ('easl"
            " annotators add'), or ask for fewer (--judgments)"
        )
    period = m // math.gcd(m, each)
    rows = min(ROWS, max(1, hits // (TOGETHER * period)))
    # Full rounds only, so that whoever is first in the next row has had as many HITs as everybody else.
    length = hits // (rows * period) * period
    found = np.empty((hits, each), np.int64)
    for k in range(rows):
        begin, end = k * length, hits if k == rows - 1 else (k + 1) * length
        row = rng.permutation(m)
        whole = begin + (end - begin) // period * period
        found[begin:whole] = annotators[row[_places(whole - begin, each, m)]]
        if whole < end:
            row = row[np.argsort(load[row], kind="stable")]
            found[whole:end] = annotators[row[_places(end - whole, each, m)]]
    return found


def _places(hits: int, each: int, m: int) -> IntArray:
    places: IntArray = (np.arange(hits)[:, None] * each + np.arange(each)) % m
    return places


def teams_of(given: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct teams of a deal, int[teams, each], and the team of every HIT, int[hits].

    given int[hits, each]: from :func:`deal`.
    """
    teams, which = np.unique(np.sort(given, axis=1), axis=0, return_inverse=True)
    return teams.astype(np.int64), np.ravel(which).astype(np.int64)


def own_order(
    hits: IntArray, after: Sequence[tuple[int, int]], rng: np.random.Generator, spread: Collection[int] = ()
) -> IntArray:
    """An annotator's own order of HITs: random, but a repeat comes after its original, and some are spread.

    HITs with degraded items would otherwise come early, because those with repeats have to come late.  Their
    places are drawn first, one in each of as many parts of the work, and the other HITs stand around them.

    hits int[n]: ascending.  after: the first has a repeat from the second, which is smaller; pairs with HITs
    of others are left out.  spread: HITs that are to be spread evenly over the order.  Returns int[n]: the
    HITs in this order.
    """
    key = dict(zip(hits.tolist(), rng.random(len(hits)).tolist()))
    waits, frees = Counter[int](), defaultdict(list)
    for hit, earlier in set(after):
        if hit in key and earlier in key:
            waits[hit] += 1
            frees[earlier].append(hit)
    marked = set(spread) & key.keys()
    ready: dict[bool, list[tuple[float, int]]] = {True: [], False: []}
    for hit in key:
        if not waits[hit]:
            heappush(ready[hit in marked], (key[hit], hit))
    order: list[int] = []
    owed = 0  # marked HITs that stand where others should
    for wanted in _places_of(len(marked), len(key), rng):
        mark = wanted if not owed else owed < 0
        if not ready[mark]:
            mark = not mark
        owed += int(mark) - int(wanted)
        _, hit = heappop(ready[mark])
        order.append(hit)
        for freed in frees[hit]:
            waits[freed] -= 1
            if not waits[freed]:
                heappush(ready[freed in marked], (key[freed], freed))
    return np.array(order, np.int64)


def _places_of(marked: int, n: int, rng: np.random.Generator) -> list[bool]:
    """Which of n places are marked ones: one in each of as many parts, whose sizes differ by one at most."""
    found = [False] * n
    if marked:
        sizes = rng.permutation([len(part) for part in np.array_split(np.arange(n), marked)])
        for end, size in zip(np.cumsum(sizes).tolist(), sizes.tolist()):
            found[end - 1 - int(rng.integers(size))] = True
    return found
