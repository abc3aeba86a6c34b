"""Rows sorted by cluster, in blocks of clusters that fit a processor's cache.

A block's clusters need only the parameters that its rows touch, so memory grows with rows and with clusters times
parameters touched, and arrays of clusters times parameters are never longer than a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .designs import Design
from .scores import RowScores

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Numbers of one array float[clusters, parameters] of a block: 2 MB.
_CELLS = 2**18
#: Rows of a block that has more than one cluster.
_ROWS = 2**17
#: Blocks of at most this many rows in all are kept: they take some 60 bytes a row.
_KEPT = 2_000_000
#: With more parameters than this a block looks for those that its rows touch.
_FEW_PARAMETERS = 256


def order_of(codes: IntArray, n: int) -> IntArray:
    """int[n_rows]: rows in the order of their codes 0..n-1, as they came within one code.

    numpy sorts 16-bit integers by counting, in a tenth of the time that longer ones take.
    """
    if n <= 2**16:
        return np.argsort(codes.astype(np.uint16), kind="stable")
    if n <= 2**32:
        low = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
        high = np.argsort((codes[low] >> 16).astype(np.uint16), kind="stable")
        return np.asarray(low[high])
    return np.argsort(codes, kind="stable")


@dataclass(frozen=True, eq=False)
class Cells:
    """Answers by cluster, outcome and pattern: what the sums of a cluster are made of.

    rows: where the patterns and the derivatives of each outcome come from.  codes int[m]: clusters.  cell
    int[m]: outcome (0 win, 1 tie, 2 loss) times the number of patterns, plus pattern.  weight float[m] or
    None: comparisons; None if all are 1.
    """

    rows: RowScores
    codes: IntArray
    cell: IntArray
    weight: FloatArray | None

    @property
    def n_cells(self) -> int:
        return 3 * self.rows.n_patterns

    def weighted(self, unit: FloatArray) -> FloatArray:
        """float[m]: weight times float[3, n_patterns]."""
        each: FloatArray = np.ascontiguousarray(unit).reshape(-1)[self.cell]
        return each if self.weight is None else each * self.weight

    def totals(self) -> FloatArray:
        """float[3, n_patterns]: comparisons of all clusters."""
        return np.bincount(self.cell, self.weight, minlength=self.n_cells).astype(float).reshape(3, -1)

    def ordered(self, by: IntArray) -> Cells:
        """The same in another order."""
        weight = None if self.weight is None else self.weight[by]
        return Cells(self.rows, self.codes[by], self.cell[by], weight)


def cells_of(rows: RowScores, codes: IntArray, n: int) -> Cells:
    """The cells of rows of n clusters; equal ones are added where there are fewer of them than rows."""
    win, tie, loss = rows.counts
    weight = win + tie + loss
    ties, losses = tie > 0.0, loss > 0.0
    several = ((win > 0.0) & (ties | losses)) | (ties & losses)
    if several.any():
        found = [np.flatnonzero(count) for count in rows.counts]
        cell = np.concatenate([rows.pattern[here] + k * rows.n_patterns for k, here in enumerate(found)])
        weight = np.concatenate([count[here] for count, here in zip(rows.counts, found)])
        codes = codes[np.concatenate(found)]
    else:
        cell = rows.pattern + rows.n_patterns * (ties + 2 * losses)
    n_cells = 3 * rows.n_patterns
    if 2 * n * n_cells <= len(cell):
        key = codes * n_cells + cell
        weight = np.bincount(key, weights=weight, minlength=n * n_cells)
        codes, cell = np.divmod(np.flatnonzero(weight), n_cells)
        weight = weight[weight != 0.0]
    return Cells(rows, codes, cell, None if (weight == 1.0).all() else weight)


@dataclass(frozen=True, eq=False)
class Block:
    """Some clusters: what their rows are made of, and I_g v.

    `first`, `last`: the clusters' places in the order of clusters, `last` excluded.  `at` int[u]: parameters
    that the rows touch.  cell int[n]: outcome and pattern of each of the block's rows.  x, z sparse float[n,
    clusters * u]: the rows' design of the log-odds and, if there is one, of the tie parameter, in their
    clusters' columns.  score: by log-odds and, if there is one, by the tie parameter.  information: by
    log-odds twice, both, tie parameter twice.
    """

    first: int
    last: int
    at: IntArray
    cell: IntArray
    x: csr_matrix
    z: csr_matrix | None
    score: list[FloatArray]
    information: list[FloatArray]

    @property
    def shape(self) -> tuple[int, int]:
        return self.last - self.first, len(self.at)

    def summed(self, by_eta: FloatArray, by_tie: FloatArray | None) -> FloatArray:
        """float[clusters, u]: derivatives of rows by log-odds and tie parameter, summed over clusters."""
        out: FloatArray = self.x.T @ by_eta
        if self.z is not None:
            out += self.z.T @ by_tie
        return out.reshape(self.shape)

    @cached_property
    def scores(self) -> FloatArray:
        """float[clusters, u]: s_g."""
        return self.summed(self.score[0], self.score[-1])

    def information_times(self, vectors: FloatArray) -> FloatArray:
        """float[clusters, u]: I_g v_g of float[clusters, u]."""
        flat = np.ascontiguousarray(vectors).reshape(-1)
        return self.weighted(self.x @ flat, None if self.z is None else self.z @ flat)

    def weighted(self, eta: FloatArray, tie: FloatArray | None) -> FloatArray:
        """float[clusters, u]: I_g v, given the rows' x'v and z'v."""
        if tie is None:
            return self.summed(self.information[0] * eta, None)
        k, cross, own = self.information
        by_eta = k * eta
        by_eta += cross * tie
        by_tie = own * tie
        by_tie += cross * eta
        return self.summed(by_eta, by_tie)

    def bound(self, scale: FloatArray) -> FloatArray:
        """float[clusters]: b with I_g <= b D, D = 1 / scale[parameters], by sums of absolute values.

        (sum x_i v_i)^2 <= sum_j |x_j| sum_i |x_i| v_i^2, and 2 k a b <= |k| (a^2 + b^2).
        """
        k = [np.abs(each) for each in self.information]
        out = np.zeros(self.shape[0] * self.shape[1])
        designs = [(self.x, k[0])] if self.z is None else [(self.x, k[0] + k[1]), (self.z, k[1] + k[2])]
        for design, weight in designs:
            absolute = _absolute(design)
            out += absolute.T @ (weight * (absolute @ np.ones(len(out))))
        return np.asarray((out.reshape(self.shape) * scale[self.at]).max(axis=1))


def _absolute(design: csr_matrix) -> csr_matrix:
    """|x| without the sorting that abs() does."""
    return csr_matrix((np.abs(design.data), design.indices, design.indptr), shape=design.shape)


class SortedRows:
    """Rows in an order of their clusters.

    cells: their codes are the places of clusters in the order that is asked for.  n: clusters.
    """

    def __init__(self, cells: Cells, n: int, n_params: int) -> None:
        self.n, self.n_params, self.rows = n, n_params, cells.rows
        #: int[n + 1]: where each cluster's rows begin
        self.start: IntArray = np.concatenate([[0], np.cumsum(np.bincount(cells.codes, minlength=n))]).astype(
            np.int64
        )
        self.cells = cells.ordered(order_of(cells.codes, n))
        rows, ties = cells.rows, cells.rows.has_ties
        self.score = [self.cells.weighted(rows.unit_score[:, k]) for k in range(2 if ties else 1)]
        self.information = [self.cells.weighted(rows.unit_information[:, k]) for k in range(3 if ties else 1)]
        self._kept: list[Block] = []

    def blocks(self) -> Iterator[Block]:
        """All clusters, some at a time; kept unless there are very many rows."""
        if self._kept:
            yield from self._kept
            return
        keep = len(self.cells.cell) <= _KEPT
        made: list[Block] = []
        first = 0
        while first < self.n:
            last = min(self.n, first + max(1, _CELLS // max(self.n_params, 1)))
            within = int(np.searchsorted(self.start, self.start[first] + _ROWS, side="right")) - 1
            last = max(first + 1, min(last, within))
            block = self.block(first, last)
            if keep:
                made.append(block)
            yield block
            first = last
        self._kept = made

    def block(self, first: int, last: int) -> Block:
        """The clusters from `first` to `last`, the latter excluded."""
        rows = slice(int(self.start[first]), int(self.start[last]))
        cell = self.cells.cell[rows]
        at, place = self._touched(cell)
        sizes = np.diff(self.start[first : last + 1])
        base = np.repeat(np.arange(last - first, dtype=np.int32) * np.int32(len(at)), sizes)
        pattern = cell % self.rows.n_patterns

        def designed(design: Design) -> csr_matrix:
            n, k = len(cell), design.at.shape[1]
            # numbers of a block stay below 2^31: it is one cluster, or at most _CELLS of them
            column = np.take(place[design.at].astype(np.int32), pattern, axis=0)
            column += base[:, None]
            start = np.arange(0, n * k + 1, k, dtype=np.int32)
            shape = (n, (last - first) * len(at))
            value = np.take(design.value, pattern, axis=0)
            return csr_matrix((value.reshape(-1), column.reshape(-1), start), shape=shape)

        return Block(
            first,
            last,
            at,
            cell,
            designed(self.rows.x),
            designed(self.rows.z) if self.rows.has_ties else None,
            [score[rows] for score in self.score],
            [k[rows] for k in self.information],
        )

    def _touched(self, cell: IntArray) -> tuple[IntArray, IntArray]:
        """Parameters that these cells touch, and where each parameter stands among them."""
        if self.n_params <= _FEW_PARAMETERS:
            every = np.arange(self.n_params)
            return every, every
        here = np.unique(cell % self.rows.n_patterns)
        touched = np.zeros(self.n_params, bool)
        for design in (self.rows.x, self.rows.z):
            touched[design.at[here]] = True
        at = np.flatnonzero(touched)
        place = np.zeros(self.n_params, np.int64)
        place[at] = np.arange(len(at))
        return at, place
