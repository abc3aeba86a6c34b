"""All orders of J items with ties: the patterns of ratings.

Ratings on a scale with K categories say which items are preferred to which, and which are alike.  The
patterns are the weak orders with at most K different places: 13, 75, 541 and 3,963 for 3 to 6 items and five
categories, and with as many categories as items the Fubini numbers (Comtet 1974, Advanced Combinatorics,
chapter V).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError, TooLargeError
from ..comparisons.pairs import pairs_of

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

#: 47,293 weak orders of 7 items; of 8 there are 545,835.
MOST_ORDERS = 50_000


def n_weak_orders(n_items: int, places: int) -> int:
    """Number of orders of J items with at most so many different places."""
    # onto[k]: maps of the items onto k places.
    onto = [1] + [0] * places
    for _ in range(n_items):
        onto = [0] + [k * (onto[k] + onto[k - 1]) for k in range(1, places + 1)]
    return sum(onto)


@lru_cache(maxsize=8)
def weak_orders(n_items: int, places: int) -> IntArray:
    """The orders themselves.

    places: different places there can be, >= 1.  Returns int[n_orders, J]: the place of each item, 0 the
    best, without gaps.
    """
    number = n_weak_orders(n_items, places)
    if number > MOST_ORDERS:
        raise TooLargeError(
            f"ratings of {n_items} items have {number:,} patterns; the limit with dependence is {MOST_ORDERS:,} (7"
            " items). Leave the dependence out, or fit fewer items"
        )
    found = np.zeros((1, 1), dtype=np.int64)
    for _ in range(n_items - 1):
        top = found.max(axis=1)
        parts = []
        for place in range(int(top.max()) + 2):
            same = found[top >= place]  # the new item joins this place
            parts.append(np.column_stack([same, np.full(len(same), place)]))
            between = found[top + 1 >= place]  # or has a new place before it
            moved = between + (between >= place)
            parts.append(np.column_stack([moved, np.full(len(moved), place)]))
        found = np.concatenate(parts)
        found = found[found.max(axis=1) < places]
    found.setflags(write=False)
    return found


def as_comparisons(places: IntArray) -> IntArray:
    """The comparisons that places imply: +1 where the first item has the smaller place, 0 where they are
    alike.

    places int[n, J].  Returns int[n, C].
    """
    first, second = pairs_of(places.shape[1])
    return np.sign(places[:, second] - places[:, first]).astype(np.int64)


def dense_places(ratings: IntArray, seen: NDArray[np.bool_]) -> IntArray:
    """Ratings as places without gaps.

    ratings int[n, J]: small = preferred.  `seen` bool[n, J]: which ratings there are.  Returns int[n, J]: 0
    on; -1 where there is no rating.
    """
    if ratings.shape != seen.shape:
        raise InputError(f"ratings of shape {ratings.shape}, but seen of shape {seen.shape}")
    last = np.iinfo(np.int64).max
    marked = np.where(seen, ratings, last)
    order = np.argsort(marked, axis=1, kind="stable")
    rising = np.take_along_axis(marked, order, axis=1)
    place = np.zeros(rising.shape, dtype=np.int64)
    place[:, 1:] = np.cumsum(rising[:, 1:] != rising[:, :-1], axis=1)
    found = np.empty_like(place)
    np.put_along_axis(found, order, place, axis=1)
    return np.where(seen, found, -1)
