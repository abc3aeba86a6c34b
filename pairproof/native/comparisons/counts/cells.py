"""Counts of comparisons by cell, sums of cell values by item and pair, and the linear predictors of the cells.

A cell is an unordered pair of items and a pattern of covariates.  The likelihood depends on the rows only
through these counts, so a million rows become at most patterns x pairs cells.  Outcomes are those of the item
that comes first in the table's item order.  With an order effect, cells also differ in which of the two items
was named first: +1, -1, or 0 for neutral ground; with comparison terms, in the values of these, in favour of
item i.

The model as arrays, the same for every solver:

    u_c = a[s, i] - a[s, j] + sign_c o_s'delta              log-odds of i against j in cell c with pattern s
          + sum_m z_sm (x_mi - x_mj) eta_m + v_c'beta       selective terms and comparison terms, if any
    g_c = t_s'gamma                                         tie parameter
    a[s, .] = sum_t z_st b_t                                abilities: b_t free, or b_t = X theta_t

All abilities here are log-odds; the lambda of an LLBT is half of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....data.comparisons import Comparisons
from ....fit.estimates.likelihood import OutcomeModel
from ....numerics.arrays import BoolArray, FloatArray, IntArray, distinct_rows
from .outcome_derivatives import Counts, Derivatives

#: Counting into a table of this many boxes per row (or this many in all) is cheaper than sorting the rows.
_BOXES_PER_ROW, _FEW_BOXES = 4, 1 << 20


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells with at least one comparison.
    i, j int[n]: items, i < j.  pattern int[n]: covariate pattern.  sign int[n]: which of the two was named
    first: +1 i, -1 j, 0 neutral or not in the model.  counts float[n, 3]: i preferred, tie, j preferred.
    value int[n] or None: values of the comparison terms, numbered; None if the model has none."""

    i: IntArray
    j: IntArray
    pattern: IntArray
    sign: IntArray
    counts: FloatArray
    value: IntArray | None = None

    def __len__(self) -> int:
        return len(self.i)

    def at(self, rows: BoolArray, counts: FloatArray) -> Cells:
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
        return np.asarray(self.counts[:, 0] + self.counts[:, 1] + self.counts[:, 2])


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
    return np.asarray((((value * n_patterns + pattern) * n_items + i) * n_items + j) * 3 + sign + 1)


def sums(index: IntArray, values: FloatArray, n: int) -> FloatArray:
    """float[n]: sum of the values with each index."""
    return np.asarray(np.bincount(index, values, n).astype(np.float64, copy=False))


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
        return keys, np.stack([b[keys] for b in boxes]).T
    keys, box = np.unique(key, return_inverse=True)
    sums = np.stack([np.bincount(box, c, len(keys)) for c in counts], axis=1)
    full = sums.sum(axis=1) > 0
    return keys[full], sums[full]


def count_cells(
    data: Comparisons,
    pattern: IntArray,
    n_patterns: int,
    order: FloatArray | None = None,
    valued: tuple[IntArray, int] | None = None,
) -> Cells:
    """Count the rows of a table into cells.
    pattern int[n_rows].  order float[n_rows] or None: none: no order effect.  1 where the one named first has
    its advantage, 0 on neutral ground.  valued (int[n_rows] in 0..n-1, n) or None: which values of the comparison
    terms a row has, in favour of the item that comes first in the table's item order."""
    if valued is not None:
        value, n = valued
        cells = count_cells(data, pattern * n + value, n_patterns * n, order)
        return replace(cells, pattern=cells.pattern // n, value=cells.pattern % n)
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
        # A table of counts, one row a cell, in order.
        counts = np.array((data.wins, data.ties, data.losses)).T
        cells = Cells(data.first, data.second, pattern, np.zeros(len(key), np.int64), counts)
        if (cells.totals > 0).all():
            return cells
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
    s = keys // boxes  # numpy divides by one number quickly, but takes remainders one by one
    b = keys - s * boxes
    a = b // n_items
    b -= a * n_items
    back = a > b
    if not back.any():
        return Cells(a, b, s, named_first, sums)
    i, j = np.where(back, b, a), np.where(back, a, b)
    sign = np.where(back, -named_first, named_first)
    sums = np.where(back[:, None], sums[:, ::-1], sums)
    key = cell_key(0, s, n_patterns, i, j, n_items, sign)
    folded, total = _tally(key, n_patterns * boxes * 3, list(sums.T))
    sign = folded % 3 - 1
    folded = folded // 3
    return Cells((folded // n_items) % n_items, folded % n_items, folded // boxes, sign, total)


@dataclass(frozen=True, eq=False)
class Incidence:
    """The items that each cell compares, in every pattern.
    node_i, node_j int[n_cells]: position of each cell's items in raveled float[n_sets, n_items].  place
    int[n_cells]: position of each cell in raveled float[n_sets, n_items, n_items]."""

    node_i: IntArray
    node_j: IntArray
    n_sets: int
    n_items: int
    place: IntArray

    @cached_property
    def _runs(self) -> tuple[IntArray, IntArray] | None:
        """Nodes that come first in some cell, and where the cells of each begin; None if cells are not in their order."""
        change = np.diff(self.node_i)
        if not len(self.node_i) or (change < 0).any():
            return None
        start = np.concatenate([[0], np.flatnonzero(change) + 1])
        return self.node_i[start], start

    def onto_items(self, values: FloatArray) -> FloatArray:
        """float[n_sets * n_items]: sum over an item's cells, with a minus sign where it is the second."""
        n = self.n_sets * self.n_items
        if self._runs is None:
            return sums(self.node_i, values, n) - sums(self.node_j, values, n)
        out, (nodes, start) = -sums(self.node_j, values, n), self._runs
        out[nodes] += np.add.reduceat(values, start)
        return out

    def onto_pairs(self, values: FloatArray) -> FloatArray:
        """float[n_sets, n_items, n_items]: sum over a pair's cells, symmetric, 0 on the diagonal."""
        square = sums(self.place, values, self.n_sets * self.n_items**2).reshape(
            self.n_sets, self.n_items, self.n_items
        )
        return np.asarray(square + square.transpose(0, 2, 1))


@dataclass(frozen=True, eq=False)
class Further:
    """Terms that are not a product of all items with a covariate: selective terms and comparison terms.
    x float[m, n_items]: what each selective term multiplies of the items: an item covariate, or 1 for one
    item.  z float[n_patterns, m]: the subject covariates of each.  comparison float[n_values, c]: values of
    the comparison terms, in favour of item i; row `cells.value` for each cell."""

    x: FloatArray
    z: FloatArray
    comparison: FloatArray

    @property
    def m(self) -> int:
        """Number of selective terms."""
        return int(self.z.shape[1])

    @property
    def c(self) -> int:
        """Number of comparison terms."""
        return int(self.comparison.shape[1])


@dataclass(frozen=True, eq=False)
class Problem:
    """The arrays of a model: cells, design matrices, reference and outcome model.
    z float[n_patterns, n_terms]: item terms; the first column is 1.  order float[n_patterns, q]: order-effect
    terms; q is 0 without an order effect.  tie float[n_patterns, r]: tie terms; r is 0 if the tie parameter
    is held at 0 or there is none.  x float[n_items, k] or None: item covariates; None: free items.
    reference: item whose ability is 0 in every pattern (free items only).  further: parameters are those of z
    and x, of the selective terms, of order, of the comparison terms, of tie."""

    cells: Cells
    n_items: int
    z: FloatArray
    order: FloatArray
    tie: FloatArray
    x: FloatArray | None
    reference: int
    model: OutcomeModel
    further: Further | None = None

    @property
    def n_terms(self) -> int:
        return int(self.z.shape[1])

    @property
    def n_item_params(self) -> int:
        """Length of the item part of the parameter vector, references included."""
        return self.n_terms * (self.n_items if self.x is None else self.x.shape[1])

    @property
    def n_params(self) -> int:
        further = 0 if self.further is None else self.further.m + self.further.c
        return self.n_item_params + further + int(self.order.shape[1] + self.tie.shape[1])

    @property
    def splits(self) -> tuple[int, int, int, int]:
        """Where the selective terms, the order effect, the comparison terms and the tie parameter begin."""
        m, c = (0, 0) if self.further is None else (self.further.m, self.further.c)
        order = self.n_item_params + m
        return self.n_item_params, order, order + self.order.shape[1], order + self.order.shape[1] + c

    @property
    def categories(self) -> int:
        return 2 if self.model == "binary" else 3

    def counts(self, alive: BoolArray | None = None) -> Counts:
        """alive bool[n_cells, 3] or None: outcomes that stay possible in the limit of a separated fit."""
        return Counts.of(self.cells.counts, alive)

    def item_patterns(self) -> tuple[FloatArray, IntArray]:
        """Distinct rows of z, float[n, n_terms], in order of appearance, and the row of each pattern."""
        if len(self.z) == 1:
            return self.z, np.zeros(1, np.int64)
        kept, place = distinct_rows(self.z)
        return self.z[kept], place

    def start_tie(self) -> float:
        """A starting value of the tie parameter near its estimate, in closed form."""
        y = self.cells.counts
        if self.model == "rao-kupper":
            share = float(np.clip(y[:, 1].sum() / y.sum(), 1e-3, 1 - 1e-3))
            return float(np.log((1 + share) / (1 - share)))  # P(tie) = tanh(g/2) at u = 0
        # P(tie) = exp(g) sqrt(P(first) P(second)) for every u.
        return float(np.log((y[:, 1].sum() + 0.5) / np.sum(np.sqrt((y[:, 0] + 0.5) * (y[:, 2] + 0.5)))))


#: 100 items with 20 comparisons a pair: squared distance from the maximum 180, with a half 310, in standard
#: errors.
ADDED = 0.15


def empirical_logits(y: Counts, model: OutcomeModel) -> Derivatives:
    """Weighted least squares of each cell's logit, written as derivatives at 0: its solution is where Newton
    starts.
    Logit and variance with a little added to each count, as in Haldane (1956) but less than his half, whose
    pull towards 0 costs a start from which nothing is reported more than it saves; two or three Newton steps
    fewer than from 0."""
    first, second = y.first + ADDED, y.second + ADDED
    weight = first * second
    weight /= first + second
    weight[y.total <= 0] = 0.0
    first /= second
    logit = np.log(first, out=first)
    logit *= weight
    if model == "binary":
        return Derivatives(0.0, logit, weight)
    none = np.zeros_like(weight)
    return Derivatives(0.0, logit, weight, r_g=none, w_ug=none, w_gg=y.total)
