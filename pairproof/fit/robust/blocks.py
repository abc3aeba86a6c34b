"""Rows sorted by cluster, in blocks of clusters that fit a processor's cache.

A block's clusters need only the parameters that its rows touch, so memory grows with rows and with clusters times
parameters touched, and arrays of clusters times parameters are never longer than a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Union

import numpy as np
from numpy.typing import NDArray

from .designs import Design
from .scores import RowScores

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Numbers of one array float[clusters, parameters] of a block: 2 MB.
_CELLS = 2**18
#: Rows of a block that has more than one cluster.
_ROWS = 2**17
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


#: Value of a design's column in every pattern, or in all of them.
Values = Union[float, FloatArray]


def _columns(design: Design) -> list[tuple[IntArray, Values]]:
    """Parameter and value of each column of a design; one number for a value that does not vary."""
    out: list[tuple[IntArray, Values]] = []
    for at, value in zip(np.ascontiguousarray(design.at.T), np.ascontiguousarray(design.value.T)):
        same = len(value) > 0 and bool((value == value[0]).all())
        out.append((at, float(value[0]) if same else value))
    return out


@dataclass(frozen=True, eq=False)
class Block:
    """Some clusters: what their rows are made of, and I_g v.

    Attributes
    ----------
    first, last : int
        The clusters' places in the order of clusters, `last` excluded.
    at : int[u]
        Parameters that the rows touch.
    pattern : int[n]
        Of the block's rows.
    of_row : int[n]
        Cluster of each row, from 0 within the block.
    x, z : list of (int[n], float or float[n])
        Flat positions in float[clusters, u] and values of the rows' design.
    score : list of float[n]
        By log-odds and, if there is one, by the tie parameter.
    information : list of float[n]
        By log-odds twice, both, tie parameter twice.
    """

    first: int
    last: int
    at: IntArray
    pattern: IntArray
    of_row: IntArray
    x: list[tuple[IntArray, Values]]
    z: list[tuple[IntArray, Values]]
    score: list[FloatArray]
    information: list[FloatArray]

    @property
    def shape(self) -> tuple[int, int]:
        return self.last - self.first, len(self.at)

    def summed(self, by_eta: FloatArray, by_tie: FloatArray | None) -> FloatArray:
        """float[clusters, u]: derivatives of rows by log-odds and tie parameter, summed over clusters."""
        n, u = self.shape
        out = np.zeros(n * u)
        for entries, weights in ((self.x, by_eta), (self.z, by_tie)):
            for at, value in entries:
                if weights is not None:
                    out += np.bincount(at, weights=weights * value, minlength=n * u)
        return out.reshape(n, u)

    @cached_property
    def scores(self) -> FloatArray:
        """float[clusters, u]: s_g."""
        return self.summed(self.score[0], self.score[1] if self.z else None)

    def information_times(self, vectors: FloatArray) -> FloatArray:
        """float[clusters, u]: I_g v_g of float[clusters, u]."""
        flat = np.ascontiguousarray(vectors).reshape(-1)
        eta = _gathered(flat, self.x, len(self.of_row))
        return self.weighted(eta, _gathered(flat, self.z, len(self.of_row)) if self.z else None)

    def weighted(self, eta: FloatArray, tie: FloatArray | None) -> FloatArray:
        """float[clusters, u]: I_g v, given the rows' x'v and z'v."""
        if tie is None:
            return self.summed(self.information[0] * eta, None)
        k, cross, own = self.information
        return self.summed(k * eta + cross * tie, cross * eta + own * tie)

    def bound(self, scale: FloatArray) -> FloatArray:
        """float[clusters]: the least b with I_g <= b D by rows' absolute sums, D = 1 / scale[parameters].

        (sum x_i v_i)^2 <= sum |x_i| sum |x_i| v_i^2, and 2 k a b <= |k| (a^2 + b^2).
        """
        long_x = _absolute_sum(self.x)
        if not self.z:
            sums = self.summed_absolute(self.information[0] * long_x, None)
        else:
            k, cross, own = self.information
            cross = np.abs(cross)
            sums = self.summed_absolute((k + cross) * long_x, (own + cross) * _absolute_sum(self.z))
        return np.asarray((sums * scale[self.at]).max(axis=1, initial=0.0))

    def summed_absolute(self, by_eta: FloatArray, by_tie: FloatArray | None) -> FloatArray:
        """:meth:`summed` with the absolute values of the design."""
        absolute = Block(
            self.first,
            self.last,
            self.at,
            self.pattern,
            self.of_row,
            [(at, np.abs(value)) for at, value in self.x],
            [(at, np.abs(value)) for at, value in self.z],
            self.score,
            self.information,
        )
        return absolute.summed(by_eta, by_tie)


def _absolute_sum(entries: list[tuple[IntArray, Values]]) -> Values:
    total: Values = 0.0
    for _, value in entries:
        total = total + np.abs(value)
    return total


def _gathered(flat: FloatArray, entries: list[tuple[IntArray, Values]], n: int) -> FloatArray:
    out = np.zeros(n)
    for at, value in entries:
        out += flat[at] * value
    return out


class SortedRows:
    """Rows in an order of their clusters.

    Parameters
    ----------
    rows : RowScores
    rank : int[n_rows]
        Place of each row's cluster in the order of clusters.
    n : int
        Clusters.
    n_params : int
    """

    def __init__(self, rows: RowScores, rank: IntArray, n: int, n_params: int) -> None:
        self.rows = rows.only(order_of(rank, n))
        self.n, self.n_params = n, n_params
        #: int[n + 1]: where each cluster's rows begin
        self.start: IntArray = np.concatenate([[0], np.cumsum(np.bincount(rank, minlength=n))]).astype(
            np.int64
        )
        ties = rows.has_ties
        self.score = [self.rows.weighted_score(k) for k in range(2 if ties else 1)]
        self.information = [self.rows.weighted_information(k) for k in range(3 if ties else 1)]
        self._x, self._z = _columns(rows.x), _columns(rows.z)

    def blocks(self) -> Iterator[Block]:
        """All clusters, some at a time."""
        first = 0
        while first < self.n:
            last = min(self.n, first + max(1, _CELLS // max(self.n_params, 1)))
            within = int(np.searchsorted(self.start, self.start[first] + _ROWS, side="right")) - 1
            last = max(first + 1, min(last, within))
            yield self.block(first, last)
            first = last

    def block(self, first: int, last: int) -> Block:
        """The clusters from `first` to `last`, the latter excluded."""
        rows = slice(int(self.start[first]), int(self.start[last]))
        pattern = self.rows.pattern[rows]
        sizes = np.diff(self.start[first : last + 1])
        of_row = np.repeat(np.arange(last - first), sizes)
        at, place = self._touched(pattern)
        base = of_row * len(at)

        def taken(columns: list[tuple[IntArray, Values]]) -> list[tuple[IntArray, Values]]:
            return [
                (base + place[at][pattern], value if isinstance(value, float) else value[pattern])
                for at, value in columns
            ]

        return Block(
            first,
            last,
            at,
            pattern,
            of_row,
            taken(self._x),
            taken(self._z),
            [score[rows] for score in self.score],
            [k[rows] for k in self.information],
        )

    def _touched(self, pattern: IntArray) -> tuple[IntArray, IntArray]:
        """Parameters that these patterns touch, and where each parameter stands among them."""
        if self.n_params <= _FEW_PARAMETERS:
            every = np.arange(self.n_params)
            return every, every
        here = np.zeros(self.rows.n_patterns, bool)
        here[pattern] = True
        touched = np.zeros(self.n_params, bool)
        for columns in (self._x, self._z):
            for at, _ in columns:
                touched[at[here]] = True
        at = np.flatnonzero(touched)
        place = np.zeros(self.n_params, np.int64)
        place[at] = np.arange(len(at))
        return at, place
