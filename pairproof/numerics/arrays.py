"""Types of arrays by what they hold, shapes standing in docstrings as float[n, p]; the distinct rows of an array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def distinct_rows(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """First index of each distinct row, and which of them every row is.
    Rows are sorted by a 64-bit hash, as sorting whole rows takes ten times as long; if ever two different
    rows had the same hash, whole rows are sorted after all.  rows float[n, p].  Returns int[m], int[n]: in
    the order in which the distinct rows come first."""
    mixed = np.zeros(len(rows), dtype=np.uint64)
    for k in range(rows.shape[1]):
        bits = (rows[:, k] + 0.0).view(np.uint64)  # + 0.0: -0.0 becomes 0.0
        mixed = (mixed ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    _, kept, label = np.unique(mixed, return_index=True, return_inverse=True)
    if not np.array_equal(rows[kept][label], rows):
        _, kept, label = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(kept)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.asarray(kept[order]), np.asarray(place[np.asarray(label).reshape(-1)])
