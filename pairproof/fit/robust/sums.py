"""Scores and information of a fit by cluster, and (1 - T_g)^(-1/2) applied to vectors of clusters.

Rows are sorted by cluster, in blocks of clusters that fit a processor's cache.  A block's clusters need only
the parameters that its rows touch, so memory grows with rows and with clusters times parameters touched, and
arrays of clusters times parameters are never longer than a block.

No root of M is needed: r_g with L'r_g = (1 - T_g)^(-1/2) L'v_g is (1 - I_g M)^(-1/2) v_g, a polynomial in I_g
M applied to v_g, whose degree is as high as a bound on the eigenvalues t of T_g asks for (3 with 20,000
clusters of like size).  The bound is the trace of T_g, or that of :meth:`.Block.bound`: I_g <= b D and I >= c
D, D the diagonal of I, give t <= b / c.  Clusters that may hold nine tenths of what is known of a direction
are taken apart instead: t and eigenvectors of B_g'M B_g, I_g = B_g B_g'.

An eigenvalue t = 1 says that cluster g alone determines a direction: its score there is 0 by construction,
and a sandwich would report a standard error of 0.  Such directions are kept, so that contrasts along them can
be refused.

(1 - t)^(-1/2) on [0, limit] is a polynomial, applied to a matrix by products alone.  The interpolating one in
Chebyshev's points has an error of about 2 rho^-n of the function at degree n, rho = z + sqrt(z^2 - 1), z =
2/limit - 1: 3 products for clusters with a thousandth of the information, 17 for a half, 46 for nine tenths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...errors import TooLargeError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from .scores import Design, RowScores

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

    def weighted(self, unit: FloatArray) -> FloatArray:
        """float[m]: weight times float[3, n_patterns]."""
        each: FloatArray = np.ascontiguousarray(unit).reshape(-1)[self.cell]
        return each if self.weight is None else each * self.weight

    def totals(self) -> FloatArray:
        """float[3, n_patterns]: comparisons of all clusters."""
        return np.bincount(self.cell, self.weight, minlength=self.rows.n_cells).astype(float).reshape(3, -1)

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
            if n < len(design.at):
                column = place[np.take(design.at, pattern, axis=0)]
            else:
                column = np.take(place[design.at], pattern, axis=0)
            column += base[:, None]
            start = np.arange(0, n * k + 1, k, dtype=np.int32)
            shape = (n, (last - first) * len(at))
            value = np.take(design.value, pattern, axis=0)
            return csr_matrix((value.reshape(-1), column.reshape(-1), start), shape=shape)

        x, z = designed(self.rows.x), designed(self.rows.z) if self.rows.has_ties else None
        score, information = ([each[rows] for each in sums] for sums in (self.score, self.information))
        return Block(first, last, at, cell, x, z, score, information)

    def _touched(self, cell: IntArray) -> tuple[IntArray, NDArray[np.int32]]:
        """Parameters that these cells touch, and where each parameter stands among them."""
        if self.n_params <= _FEW_PARAMETERS:
            every = np.arange(self.n_params)
            return every, every.astype(np.int32)
        here = np.unique(cell % self.rows.n_patterns)
        touched = np.zeros(self.n_params, bool)
        for design in (self.rows.x, self.rows.z):
            touched[design.at[here]] = True
        at = np.flatnonzero(touched)
        place = np.zeros(self.n_params, np.int32)
        place[at] = np.arange(len(at))
        return at, place


#: Largest error of the polynomial, relative to the function, which is 1 or more: that of a standard error is
#: as large at most.
TOLERANCE = 3e-14
#: The same where each product takes a tenth of a second or more.
ROUGH = 2e-11
#: Beyond this limit eigenvalues are cheaper, and a cluster that alone determines a direction has to be
#: recognised.
LARGEST = 0.9
#: Points in which the function is interpolated: 1.92^-128 = 1e-36 at the largest limit.
_POINTS = 128


@lru_cache(maxsize=512)
def coefficients(limit: float, tolerance: float = TOLERANCE) -> tuple[float, ...]:
    """Coefficients of Chebyshev's polynomials in 2t/limit - 1; those beyond the tolerance are left away."""
    # cos(k pi (i + 1/2) / n), the angle reduced in whole numbers so that it stays exact for large k
    turns = np.outer(np.arange(_POINTS), 2 * np.arange(_POINTS) + 1) % (4 * _POINTS)
    cosine = np.cos(np.pi / (2 * _POINTS) * turns)
    values = 1.0 / np.sqrt(1.0 - limit * (cosine[1] + 1.0) / 2.0)
    c = 2.0 / _POINTS * cosine @ values
    c[0] /= 2.0
    # values are exact to some 1e-16, so coefficients below 1e-15 are noise
    c[np.abs(c) < 1e-15] = 0.0
    left = np.cumsum(np.abs(c)[::-1])[::-1]
    n = int(np.argmax(left < tolerance)) if (left < tolerance).any() else _POINTS
    return tuple(float(v) for v in c[: max(n, 1)])


@lru_cache(maxsize=512)
def _by_powers(c: tuple[float, ...], limit: float) -> tuple[float, ...]:
    """Coefficients of powers of t in place of those of Chebyshev's polynomials in 2t/limit - 1."""
    series = np.polynomial.Chebyshev(c, [0.0, limit])
    return tuple(series.convert(kind=np.polynomial.Polynomial).coef.tolist())


def rounded_up(limit: float) -> float:
    """One of 16 limits for each power of two, at least as large: few polynomials serve all clusters."""
    if not limit > 0.0:
        return 1e-8
    fraction, exponent = np.frexp(limit)
    return float(min(np.ldexp(np.ceil(fraction * 32.0) / 32.0, exponent), LARGEST))


def applied(
    limit: float, times: Callable[[FloatArray], FloatArray], vectors: FloatArray, tolerance: float = TOLERANCE
) -> FloatArray:
    """(1 - A)^(-1/2) v by Clenshaw's recurrence.

    limit: at least the largest eigenvalue of A, which has none below 0; at most 0.9.  times function of
    float[n, p] to float[n, p]: A v for each row v.  vectors float[n, p].  tolerance: largest relative error.
    """
    c = coefficients(limit, tolerance)
    if limit <= _LOW:  # powers lose no digits there, and take half the operations beside products
        *rest, first = _by_powers(c, limit)
        last = first * vectors
        for k in reversed(rest):
            last = times(last)
            last += k * vectors
        return last
    if len(c) == 1:
        return c[0] * vectors
    later, last = np.zeros_like(vectors), c[-1] * vectors
    for k in range(len(c) - 2, -1, -1):
        # the argument is 2A/limit - 1, doubled but for the last step
        factor = 2.0 if k else 1.0
        new = times(last)
        new *= 2.0 * factor / limit
        new -= factor * last
        new -= later
        new += c[k] * vectors
        later, last = last, new
    return last


#: 1 - t below this: the cluster alone determines the direction.
ALONE = 1e-10
#: A contrast with more than this share of its variance along such directions has no standard error.
LARGEST_SHARE = 1e-8
#: Numbers that eigenvectors of clusters may take: 1 GB.
MOST_NUMBERS = 125_000_000
#: With more parameters than this no bound is looked for beyond the trace of T_g: it takes an eigenproblem of
#: them all.
_MOST_FOR_BOUND = 1_500
#: Operations of a product over all clusters, G p^2, from which standard errors are exact to 2e-11 instead of
#: 3e-14 (seen 4e-12 with 100 items and 20,000 clusters): one product less of three.
_LONG = 1e8
#: A multiplication of sparse matrices takes as long as so many of dense ones.
_SPARSE_IS_SLOWER = 100.0
#: A bound as low as this needs no sharper one, which takes as long as the product that it may spare.
_LOW = 0.005


@dataclass(frozen=True, eq=False)
class Root:
    """A cluster's part of the information, I_g = B B', in the eigenvectors of B'M B.

    `at` int[m]: parameters that the cluster touches.  along float[m, r]: B W, the columns of B turned into
    eigenvectors.  t float[r]: eigenvalues of T_g, in [0, 1].
    """

    at: IntArray
    along: FloatArray
    t: FloatArray

    @property
    def alone(self) -> BoolArray:
        return 1.0 - self.t < ALONE

    @property
    def gain(self) -> FloatArray:
        """((1 - t)^(-1/2) - 1) / t for each eigenvalue; -1/t, which takes the direction out, where t is 1."""
        t = self.t
        out = np.empty_like(t)
        small, alone = t < 1e-5, self.alone
        rest = ~(small | alone)
        out[small] = 0.5 + t[small] * (3.0 / 8.0 + t[small] * 5.0 / 16.0)
        out[rest] = np.expm1(-0.5 * np.log1p(-t[rest])) / t[rest]
        out[alone] = -1.0 / t[alone]
        return out


class ClusterSums:
    """Scores and information of a fit, summed over clusters.

    codes int[n_rows]: cluster of each row, from 0; every cluster has a row with comparisons.  bread
    float[n_params, n_params]: M, with 0 for references (or centred, where items sum to zero).
    """

    def __init__(self, rows: RowScores, codes: IntArray, bread: FloatArray) -> None:
        self.bread = bread
        self.n = int(codes.max()) + 1
        self._rows, self._cells = rows, cells_of(rows, codes, self.n)

    # -- scores by cluster, without an order of clusters -------------------------------------------

    @cached_property
    def by_cluster(self) -> csr_matrix:
        """float[G, p] sparse: s_g, clusters as they are numbered."""
        rows, by = self._rows, order_of(self._cells.codes, self.n)
        start = np.concatenate([[0], np.cumsum(np.bincount(self._cells.codes, minlength=self.n))])
        weight = np.ones(len(by)) if self._cells.weight is None else self._cells.weight[by]
        counts = csr_matrix((weight, self._cells.cell[by], start), shape=(self.n, rows.n_cells))
        return counts @ rows.scores_by_cell(len(self.bread))

    def squares(self, by: FloatArray | None = None) -> FloatArray:
        """float[p, p]: sum of s_g s_g', of scores times a matrix float[p, p] if one is given."""
        scores, p = self.by_cluster, len(self.bread)
        touched = np.diff(scores.indptr).astype(float)
        if by is None and _SPARSE_IS_SLOWER * float(touched @ touched) < self.n * float(p) ** 2:
            return np.asarray((scores.T @ scores).toarray())
        out, step = np.zeros((p, p)), max(1, _CELLS // p)
        for first in range(0, self.n, step):
            some = scores[first : first + step]
            each = some.toarray() if by is None else some @ by
            out += each.T @ each
        return out

    # -- clusters in order of their weight ---------------------------------------------------------

    @cached_property
    def _trace(self) -> FloatArray:
        """float[G]: trace of T_g, which bounds its eigenvalues."""
        each = self._cells.weighted(self._rows.traces(self.bread))
        return np.asarray(np.bincount(self._cells.codes, weights=each, minlength=self.n))

    @cached_property
    def order(self) -> IntArray:
        """int[G]: clusters from the lightest to the heaviest, so that neighbours need the same polynomial."""
        return np.argsort(self._trace, kind="stable")

    @cached_property
    def sorted(self) -> SortedRows:
        """The rows in this order of clusters."""
        rank = np.empty(self.n, np.int64)
        rank[self.order] = np.arange(self.n)
        cells = replace(self._cells, codes=rank[self._cells.codes])
        return SortedRows(cells, self.n, len(self.bread))

    @cached_property
    def limits(self) -> FloatArray:
        """float[G], in the order of :attr:`order`: at least the largest eigenvalue of T_g."""
        trace = self._trace[self.order]
        if len(self.bread) > _MOST_FOR_BOUND or trace[-1] <= _LOW:
            return trace
        information = self._information()
        diagonal = np.diag(information)
        scale = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0.0)
        root = np.sqrt(scale)
        value = np.linalg.eigvalsh(information * root * root[:, None])
        if ((value > 1e-12) & (value < 1e-6)).any() or not (value >= 1e-6).any():
            return trace
        least = float(value[value >= 1e-6].min())
        bounds = np.concatenate([block.bound(scale) for block in self.sorted.blocks()]) / least
        # rounding aside: eigvalsh is exact to 1e-14
        return np.minimum(trace, bounds * (1.0 + 1e-6))

    def _information(self) -> FloatArray:
        """float[p, p]: I, the sum of the rows' information."""
        rows, p = self._rows, len(self.bread)
        k = np.einsum("op,okp->kp", self._cells.totals(), rows.unit_information)
        out = rows.x.weighted_products(k[0], rows.x, p)
        if rows.has_ties:
            cross = rows.x.weighted_products(k[1], rows.z, p)
            out += rows.z.weighted_products(k[2], rows.z, p) + cross + cross.T
        return out

    # -- clusters with a large part of the information ---------------------------------------------

    @cached_property
    def roots(self) -> dict[int, Root]:
        """Clusters that may hold nine tenths of what is known of a direction, by their place in the order."""
        out: dict[int, Root] = {}
        if self._trace.max() <= LARGEST:  # no limit is above the trace
            return out
        heavy = np.flatnonzero(self.limits > LARGEST)
        numbers = 0
        for place in heavy:
            out[int(place)] = self._root(int(place))
            numbers += out[int(place)].along.size
            if numbers > MOST_NUMBERS:
                raise TooLargeError(
                    f"{len(heavy):,} clusters each carry a large part of the information on"
                    f" {len(self.bread):,} parameters: their eigenvectors take more than"
                    f" {MOST_NUMBERS * 8 / 1e9:.0f} GB (at cluster {len(out):,}); fit fewer parameters, or cluster by"
                    " a column with more levels"
                )
        return out

    def _root(self, place: int) -> Root:
        block = self.sorted.block(place, place + 1)
        used, where = np.unique(block.cell % self._rows.n_patterns, return_inverse=True)
        p, rows = len(self.bread), self._rows
        k = [np.bincount(np.ravel(where), each, minlength=len(used)) for each in block.information]
        local = np.zeros(p, np.int64)
        local[block.at] = np.arange(len(block.at))
        x = _local(rows.x.at[used], rows.x.value[used], local, len(block.at))
        information = (x * k[0][:, None]).T @ x
        if rows.has_ties:
            z = _local(rows.z.at[used], rows.z.value[used], local, len(block.at))
            cross = (x * k[1][:, None]).T @ z
            information += (z * k[2][:, None]).T @ z + cross + cross.T
        touched = np.diag(information) > 0.0
        at, information = block.at[touched], information[np.ix_(touched, touched)]
        value, vector = np.linalg.eigh(information)
        keep = value > value[-1] * 1e-14
        b = vector[:, keep] * np.sqrt(value[keep])
        t, w = np.linalg.eigh(b.T @ self.bread[np.ix_(at, at)] @ b)
        return Root(at, b @ w, np.clip(t, 0.0, 1.0))

    # -- the adjustment ----------------------------------------------------------------------------

    def bread_of(self, block: Block) -> FloatArray:
        """float[u, u]: M between the parameters that a block touches."""
        if len(block.at) == len(self.bread):
            return self.bread
        return np.ascontiguousarray(self.bread[np.ix_(block.at, block.at)])

    def adjusted(self, block: Block, vectors: FloatArray) -> FloatArray:
        """float[clusters, u]: r_g with L'r_g = (1 - T_g)^(-1/2) L'v_g; directions fitted from g alone at 0."""
        limits = self.limits[block.first : block.last]
        heavy = [place for place in range(block.first, block.last) if place in self.roots]
        light = vectors
        if heavy:
            light = np.array(vectors)
            light[[place - block.first for place in heavy]] = 0.0
        if len(heavy) < len(limits):
            bread = self.bread_of(block)
            limit = rounded_up(float(limits[limits <= LARGEST].max(initial=0.0)))
            tolerance = ROUGH if self.n * float(len(self.bread)) ** 2 > _LONG else TOLERANCE
            out = applied(limit, lambda v: block.information_times(v @ bread), light, tolerance)
        else:
            out = np.zeros_like(vectors)
        where = np.zeros(len(self.bread), np.int64)
        where[block.at] = np.arange(len(block.at))
        for place in heavy:
            g, root = place - block.first, self.roots[place]
            along = root.along.T @ (self.bread[np.ix_(root.at, block.at)] @ vectors[g])
            out[g] = vectors[g]
            out[g, where[root.at]] += root.along @ (root.gain * along)
        return out

    # -- directions that one cluster alone determines ----------------------------------------------

    def share_alone_all(self, functions: FloatArray) -> tuple[FloatArray, IntArray]:
        """float[m], int[m]: largest share of c'Mc that one cluster alone determines, and that cluster or -1, of every c."""
        share, cluster = np.zeros(len(functions)), np.full(len(functions), -1, np.int64)
        alone = {place: root for place, root in self.roots.items() if root.alone.any()}
        if not alone:
            return share, cluster
        d = self.directions(functions)
        total = np.einsum("ij,ij->i", functions, d)
        for place, root in alone.items():
            along = root.along[:, root.alone].T @ d[:, root.at].T
            here = (along**2 / root.t[root.alone][:, None]).sum(axis=0)
            here = np.divide(here, total, out=np.zeros_like(here), where=total > 0.0)
            cluster[here > share] = self.order[place]
            share = np.maximum(share, here)
        return share, cluster

    def directions(self, functions: FloatArray) -> FloatArray:
        """float[m, p]: M c of every row c of `functions`."""
        if functions.size > 10_000 and np.count_nonzero(functions) * 10 < functions.size:
            return np.asarray(csr_matrix(functions) @ self.bread)
        return np.asarray(functions @ self.bread)


def _local(at: IntArray, value: FloatArray, local: IntArray, n: int) -> FloatArray:
    """float[n_rows, n]: rows of a design, zeros written out, in numbers of the parameters that `local` gives."""
    out = np.zeros((len(at), n))
    for a, v in zip(at.T, value.T):
        out[np.arange(len(at)), local[a]] += v
    return out
