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
from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from ...native.annotation.beta import IntArray

#: HITs that a team gets before the row of annotators is drawn anew.
TOGETHER = 4
#: Rows drawn for a batch at most: large batches keep their teams longer.
ROWS = 8


def deal(hits: int, annotators: IntArray, each: int, load: IntArray, rng: np.random.Generator) -> IntArray:
    """Deal HITs to annotators.

    Parameters
    ----------
    hits : int
    annotators : int[m]
        Their numbers, distinct.
    each : int
        Different annotators for each HIT, 1 to m.
    load : int[m]
        HITs that each had before; at the end of the deal those who had fewer come first.
    rng : Generator

    Returns
    -------
    int[hits, each]
        Numbers of annotators.

    Raises
    ------
    InputError
        Fewer annotators than each HIT needs.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.campaign.hits.dealing import deal
    >>> given = deal(6, np.array([7, 8, 9]), 2, np.zeros(3, int), np.random.default_rng(1))
    >>> np.unique(given, return_counts=True)    # everybody gets four of the twelve
    (array([7, 8, 9]), array([4, 4, 4]))
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

    Parameters
    ----------
    given : int[hits, each]
        From :func:`deal`.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.campaign.hits.dealing import teams_of
    >>> teams, team = teams_of(np.array([[2, 1], [3, 4], [1, 2]]))
    >>> teams.tolist(), team.tolist()
    ([[1, 2], [3, 4]], [0, 1, 0])
    """
    teams, which = np.unique(np.sort(given, axis=1), axis=0, return_inverse=True)
    return teams.astype(np.int64), np.ravel(which).astype(np.int64)


def own_order(hits: IntArray, after: Sequence[tuple[int, int]], rng: np.random.Generator) -> IntArray:
    """An annotator's own order of HITs: random, but a repeat comes after its original.

    Parameters
    ----------
    hits : int[n]
        Ascending.
    after : sequence of (hit, earlier hit)
        The first has a repeat from the second, which is smaller; pairs with HITs of others are left out.
    rng : Generator

    Returns
    -------
    int[n]
        The HITs in this order.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.campaign.hits.dealing import own_order
    >>> order = own_order(np.arange(4), [(2, 0), (3, 2)], np.random.default_rng(1)).tolist()
    >>> order.index(0) < order.index(2) < order.index(3)
    True
    """
    key = dict(zip(hits.tolist(), rng.random(len(hits)).tolist()))
    for hit, earlier in sorted(after):
        if hit in key and earlier in key and key[hit] <= key[earlier]:
            key[hit] = key[earlier] + (1.0 - key[earlier]) * key[hit]
    return np.array(sorted(key, key=lambda hit: (key[hit], hit)), np.int64)
