"""Counts of comparisons by cell: an unordered pair of items and a pattern of covariates.

The likelihood depends on the rows only through these counts, so a million rows become at most patterns x
pairs cells.  Outcomes are those of the item that comes first in the table's item order.  With an order
effect, cells also differ in which of the two items was named first: +1, -1, or 0 for neutral ground; with
comparison terms, in the values of these, in favour of item i.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Counting into a table of this many boxes per row (or this many in all) is cheaper than sorting the rows.
_BOXES_PER_ROW, _FEW_BOXES = 4, 1 << 20


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells with at least one comparison.

    i, j int[n]: items, i < j.  pattern int[n]: covariate pattern.  sign int[n]: which of the two was named
    first: +1 i, -1 j, 0 neutral or not in the model.  counts float[n, 3]: i preferred, tie, j preferred.
    value int[n] or None: values of the comparison terms, numbered; None if the model has none.
    """

    i: IntArray
    j: IntArray
    pattern: IntArray
    sign: IntArray
    counts: FloatArray
    value: IntArray | None = None

    def __len__(self) -> int:
        return len(self.i)

    def at(self, rows: NDArray[np.bool_], counts: FloatArray) -> Cells:
        """Some of the cells, with other counts float[n, 3]."""
        value = None if self.value is None else self.value[rows]
        return Cells(self.i[rows], self.j[rows], self.pattern[rows], self.sign[rows], counts[rows], value)

    def key(self, n_items: int, n_patterns: int, pattern: IntArray | None = None) -> IntArray:
        """int[n]: a number for each cell, the same in every table of a model; `pattern` in place of its own."""
        value: IntArray | int = 0 if self.value is None else self.value
        where = self.pattern if pattern is None else pattern
        return cell_key(value, where, n_patterns, self.i, self.j, n_items, self.sign)

    @cached_property
    def totals(self) -> FloatArray:
        total: FloatArray = self.counts[:, 0] + self.counts[:, 1] + self.counts[:, 2]
        return total


def cell_key(
    value: IntArray | int,
    pattern: IntArray,
    n_patterns: int,
    i: IntArray,
    j: IntArray,
    n_items: int,
    sign: IntArray,
) -> IntArray:
    """int[n]: a number for each combination of what cells differ in."""
    out: IntArray = (((value * n_patterns + pattern) * n_items + i) * n_items + j) * 3 + sign + 1
    return out


def sums(index: IntArray, values: FloatArray, n: int) -> FloatArray:
    """float[n]: sum of the values with each index."""
    out: FloatArray = np.bincount(index, values, n).astype(np.float64, copy=False)
    return out


def distinct(key: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """Distinct keys in order, and the place of each key among them; keys are in 0..n_keys-1."""
    if n_keys <= max(_FEW_BOXES, _BOXES_PER_ROW * len(key)):
        present = np.zeros(n_keys, bool)
        present[key] = True
        return np.flatnonzero(present), (np.cumsum(present) - 1)[key]
    keys, place = np.unique(key, return_inverse=True)
    return keys, np.ravel(place)


def _tally(key: IntArray, n_keys: int, counts: list[FloatArray]) -> tuple[IntArray, FloatArray]:
    """Sums of counts over equal keys; keys whose sum is 0 are left out."""
    if n_keys <= max(_FEW_BOXES, _BOXES_PER_ROW * len(key)):
        boxes = [np.bincount(key, c, n_keys) for c in counts]
        keys = np.flatnonzero(sum(boxes[1:], start=boxes[0]) > 0)
        return keys, np.stack([b[keys] for b in boxes], axis=1)
    keys, box = np.unique(key, return_inverse=True)
    sums = np.stack([np.bincount(box, c, len(keys)) for c in counts], axis=1)
    full = sums.sum(axis=1) > 0
    return keys[full], sums[full]


def count_cells(
    data: Comparisons, pattern: IntArray, n_patterns: int, order: FloatArray | None = None
) -> Cells:
    """Count the rows of a table into cells.

    pattern int[n_rows].  order float[n_rows] or None: none: no order effect.  1 where the one named first has
    its advantage, 0 on neutral ground.
    """
    n_items = len(data.items)
    key = data.first * n_items + data.second
    boxes = n_items * n_items
    if n_patterns > 1:
        key += pattern * boxes
    if (
        order is None
        and len(key) <= n_patterns * boxes
        and (key[1:] > key[:-1]).all()
        and (data.first < data.second).all()
    ):
        counts = np.stack(
            [data.wins, data.ties, data.losses]
        ).T  # a table of counts, one row a cell, in order
        if (data.wins + data.ties + data.losses > 0).all():
            return Cells(data.first, data.second, pattern, np.zeros(len(key), np.int64), counts)
    ground = 1
    if order is not None:
        ground = 2
        key = key * 2 + (order != 0)
    keys, sums = _tally(key, n_patterns * boxes * ground, [data.wins, data.ties, data.losses])
    if order is None:
        named_first = np.zeros(len(keys), np.int64)
    else:
        named_first = keys % 2
        keys = keys // 2
    s, a, b = keys // boxes, (keys // n_items) % n_items, keys % n_items
    back = a > b
    i, j = np.where(back, b, a), np.where(back, a, b)
    sign = np.where(back, -named_first, named_first)
    sums = np.where(back[:, None], sums[:, ::-1], sums)
    if not back.any():
        return Cells(i, j, s, sign, sums)
    folded, total = _tally(
        ((s * n_items + i) * n_items + j) * 3 + sign + 1,
        n_patterns * boxes * 3,
        [sums[:, 0], sums[:, 1], sums[:, 2]],
    )
    sign = folded % 3 - 1
    folded = folded // 3
    return Cells((folded // n_items) % n_items, folded % n_items, folded // boxes, sign, total)


def count_cells_by_value(
    data: Comparisons, pattern: IntArray, n_patterns: int, order: FloatArray | None, value: IntArray, n: int
) -> Cells:
    """The same with `value`, int[n_rows] in 0..n-1: which values of the comparison terms a row has, in favour of
    the item that comes first in the table's item order.
    """
    cells = count_cells(data, pattern * n + value, n_patterns * n, order)
    return replace(cells, pattern=cells.pattern // n, value=cells.pattern % n)
