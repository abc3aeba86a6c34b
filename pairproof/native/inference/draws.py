"""The counts of bootstrap replicates: which comparisons a replicate holds, and how often.

    clusters one way    multinomial(G; 1/G) weights w_g; a row counts w_g times
    two ways            independent weights of both factors; a row counts w_a w_b times (the pigeonhole bootstrap of
                        Owen 2007, Annals of Applied Statistics 1, 386-411), which is conservative: where answers of a
                        judge about a source are alike their share of the variance is counted twice over
    no clusters         multinomial(N; n/N) counts of single comparisons

Replicates are drawn in blocks of `BLOCK`, each with its own stream of the seed, so that their numbers do not depend on
the number of processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np
from scipy import sparse

from ...data.comparisons import Comparisons
from ...data.options import whole_number
from ...errors import InputError, TooLargeError
from ...fit.estimates.specification import ModelSpec
from ...fit.robust.clustered_fit import Missing, cluster_codes
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ..comparisons.counts.build import Model
from ..comparisons.counts.cells import Cells, cell_key

#: Replicates drawn from one stream of the seed.
BLOCK = 50
#: Comparisons that are drawn one by one, unless their kinds are fewer.
MOST_COMPARISONS = 20_000_000


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of one replicate.

    of_groups float[G]: of the clusters, of the pairs of clusters that occur, or of the kinds of single
    comparisons.  rows float[G_1 + G_2] or None: of the clusters of both factors (two ways).
    """

    of_groups: FloatArray
    rows: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class ByRows:
    """A model whose cells are the rows of its table.

    data: as it was given.  table: as it enters the likelihood.
    """

    data: Comparisons
    table: Comparisons
    spec: ModelSpec


def cell_of_rows(model: Model | ByRows) -> tuple[IntArray, BoolArray]:
    """int[n_rows]: the problem's cell of every row, -1 for a row without comparisons; and whether the row names the
    cell's second item first.
    """
    table = model.table
    if isinstance(model, ByRows):
        return np.arange(table.n_rows), np.zeros(table.n_rows, bool)
    cells, n = model.problem.cells, len(table.items)
    back = table.first > table.second
    i, j = np.where(back, table.second, table.first), np.where(back, table.first, table.second)
    sign = np.zeros(table.n_rows, np.int64)
    if model.order is not None:
        sign = np.where(model.order != 0, np.where(back, -1, 1), 0)
    known = cells.key(n, model.patterns.n)
    by_key = np.argsort(known)
    value: IntArray | int = 0 if model.directed is None else model.directed.of_row
    of_row = cell_key(value, model.patterns.of_row, model.patterns.n, i, j, n, sign)
    place = np.minimum(np.searchsorted(known[by_key], of_row), len(known) - 1)
    found = by_key[place]
    return np.where(known[found] == of_row, found, -1), back


def _n_cells(model: Model | ByRows) -> int:
    return model.table.n_rows if isinstance(model, ByRows) else len(model.problem.cells)


def _onto_cells(model: Model | ByRows, group: IntArray, n_groups: int) -> sparse.csr_matrix:
    """float[n_groups, 3 n_cells]: counts of every cell by group of rows; group -1 is left out."""
    cell, back = cell_of_rows(model)
    table, n = model.table, _n_cells(model)
    parts = []
    first = np.where(back, 2, 0)
    for values, place in ((table.wins, first), (table.ties, np.ones_like(first)), (table.losses, 2 - first)):
        here = (values > 0) & (cell >= 0) & (group >= 0)
        at = (3 * cell + place)[here]
        parts.append((values[here], group[here], at))
    value, row, column = (np.concatenate(part) for part in zip(*parts))
    return sparse.csr_matrix((value, (row, column)), shape=(n_groups, 3 * n))


@dataclass(frozen=True, eq=False)
class ByCluster:
    """Clusters drawn with replacement.

    code int[n_rows]: cluster of every row, -1 for rows without comparisons.  groups float[G, width n_cells]: width 3 of
    comparisons, 1 of whole answers.
    """

    column: str
    code: IntArray
    groups: sparse.csr_matrix
    width: int = 3

    def left_out(self) -> tuple[sparse.csr_matrix, FloatArray, IntArray]:
        """What the jackknife takes from the cells, float[m, 3 n_cells], how often it does so, float[m], and the group
        of which one is taken, int[m].
        """
        return self.groups, self.whole, np.arange(len(self.whole))

    @property
    def whole(self) -> FloatArray:
        """float[G]: the weights of the groups that give the table itself."""
        return np.ones(self.groups.shape[0])

    @property
    def title(self) -> str:
        return f"pairs bootstrap by {self.column} ({self.groups.shape[0]} clusters)"

    def draw(self, rng: np.random.Generator) -> Weights:
        return Weights(_multinomial(rng, self.groups.shape[0]))

    def counts(self, weights: Weights) -> FloatArray:
        return np.asarray(weights.of_groups @ self.groups).reshape(-1, self.width)

    def row_factors(self, weights: Weights, rows: FloatArray) -> FloatArray:
        return np.asarray(rows * np.where(self.code >= 0, weights.of_groups[self.code], 0.0)[:, None])


@dataclass(frozen=True, eq=False)
class TwoWays:
    """Clusters of two factors drawn independently.

    one, `other`: `one` has the fewer clusters.  single float[n_pairs, 3 n_cells]: what each occurring pair of
    clusters adds to the cells.  pairs int[2, n_pairs].
    """

    one: ByCluster
    other: ByCluster
    single: sparse.csr_matrix
    pairs: IntArray

    @property
    def title(self) -> str:
        a, b = self.one, self.other
        return (
            f"two-way pigeonhole bootstrap by {a.column} ({a.groups.shape[0]} clusters) and {b.column}"
            f" ({b.groups.shape[0]} clusters), conservative"
        )

    def draw(self, rng: np.random.Generator) -> Weights:
        a = _multinomial(rng, self.one.groups.shape[0])
        b = _multinomial(rng, self.other.groups.shape[0])
        return Weights(a[self.pairs[0]] * b[self.pairs[1]], np.concatenate([a, b]))

    def counts(self, weights: Weights) -> FloatArray:
        return np.asarray(weights.of_groups @ self.single).reshape(-1, 3)

    def row_factors(self, weights: Weights, rows: FloatArray) -> FloatArray:
        assert weights.rows is not None
        n = self.one.groups.shape[0]
        a, b = Weights(weights.rows[:n]), Weights(weights.rows[n:])
        return self.other.row_factors(b, self.one.row_factors(a, rows))


@dataclass(frozen=True, eq=False)
class ByComparison:
    """Single comparisons, or persons, drawn with replacement.

    row, outcome int[n_kinds]: row of the table, and 0, 1, 2 for win, tie, loss: one kind each.  multiplicity
    float[n_kinds]: how many there are.  groups float[n_kinds, 3 n_cells]: what one comparison of a kind adds
    to the cells.  width: as of `ByCluster`.
    """

    row: IntArray
    outcome: IntArray
    multiplicity: FloatArray
    groups: sparse.csr_matrix
    width: int = 3
    what: str = "comparisons"

    def left_out(self) -> tuple[sparse.csr_matrix, FloatArray, IntArray]:
        # Comparisons of one cell and outcome, in whatever rows, change the same number.
        kind = np.asarray(self.groups @ np.arange(1.0, self.groups.shape[1] + 1.0))
        _, first, back = np.unique(kind, return_index=True, return_inverse=True)
        times: FloatArray = np.bincount(np.ravel(back), self.multiplicity).astype(float)
        return self.groups[first], times, first.astype(np.int64)

    @property
    def whole(self) -> FloatArray:
        return self.multiplicity

    @property
    def title(self) -> str:
        return f"bootstrap of single {self.what} ({self.multiplicity.sum():,.0f})"

    def draw(self, rng: np.random.Generator) -> Weights:
        n, kinds = int(self.multiplicity.sum()), len(self.multiplicity)
        if n <= 8 * kinds:  # one by one: cheaper than a binomial a kind
            ends = np.cumsum(self.multiplicity)
            chosen = np.searchsorted(ends, rng.integers(0, n, n), side="right")
            return Weights(np.bincount(chosen, minlength=kinds).astype(float))
        return Weights(rng.multinomial(n, self.multiplicity / n).astype(float))

    def counts(self, weights: Weights) -> FloatArray:
        return np.asarray(weights.of_groups @ self.groups).reshape(-1, self.width)

    def row_factors(self, weights: Weights, rows: FloatArray) -> FloatArray:
        out = np.zeros_like(rows)
        out[self.row, self.outcome] = weights.of_groups
        return out


AnyDraws = Union[ByCluster, ByComparison, TwoWays]


def _multinomial(rng: np.random.Generator, n: int) -> FloatArray:
    """float[n]: how often each of n is drawn in n draws with replacement."""
    return np.bincount(rng.integers(0, n, n), minlength=n).astype(float)


def by_cluster(model: Model | ByRows, column: str, code: IntArray) -> ByCluster:
    """Draws of the clusters of one column."""
    return ByCluster(column, code, _onto_cells(model, code, int(code.max()) + 1))


def two_ways(model: Model | ByRows, columns: tuple[str, str], codes: tuple[IntArray, IntArray]) -> TwoWays:
    """Independent draws of the clusters of two columns."""
    parts = [by_cluster(model, column, code) for column, code in zip(columns, codes)]
    parts.sort(key=lambda part: int(part.groups.shape[0]))
    one, other = parts
    used = (one.code >= 0) & (other.code >= 0)
    n = other.groups.shape[0]
    key = np.where(used, one.code * n + other.code, -1)
    distinct, place = np.unique(key[used], return_inverse=True)
    group = np.full(len(key), -1)
    group[used] = np.ravel(place)
    single = _onto_cells(model, group, len(distinct))
    return TwoWays(one, other, single, np.stack([distinct // n, distinct % n]))


def by_comparison(model: Model | ByRows) -> ByComparison:
    """Draws of single comparisons."""
    data = model.data
    counts = np.stack([data.wins, data.ties, data.losses], axis=1)
    if model.spec.ties == "drop":
        counts[:, 1] = 0.0
    odd = np.flatnonzero((counts != np.round(counts)).any(axis=1))
    if len(odd):
        raise InputError(
            f"{data.source}, row {odd[0] + 1}: {counts[odd[0]].max():g} comparisons; single comparisons can be drawn"
            f" only from whole numbers ({len(odd)} row(s) have others). Name the column to cluster by, or round"
        )
    if counts.sum() > MOST_COMPARISONS and counts.sum() <= 8 * np.count_nonzero(counts):
        raise TooLargeError(
            f"{counts.sum():,.0f} single comparisons a replicate (limit {MOST_COMPARISONS:,}); count them"
        )
    row, outcome = np.nonzero(counts)
    cell, back = cell_of_rows(model)
    half = model.spec.ties == "half"
    first = np.where(back[row], 2, 0)
    at = 3 * cell[row] + np.where(outcome == 1, 1, np.where(outcome == 0, first, 2 - first))
    each = np.arange(len(row))
    tied = half & (outcome == 1)
    rows = np.concatenate([each[~tied], each[tied], each[tied]])
    columns = np.concatenate([at[~tied], 3 * cell[row[tied]], 3 * cell[row[tied]] + 2])
    values = np.concatenate([np.ones(int((~tied).sum())), np.full(2 * int(tied.sum()), 0.5)])
    groups = sparse.csr_matrix((values, (rows, columns)), shape=(len(row), 3 * _n_cells(model)))
    return ByComparison(row, outcome, counts[row, outcome], groups)


def cells_with(cells: Cells, counts: FloatArray) -> Cells:
    """The cells with these counts, empty ones left out."""
    full = counts.sum(axis=1) > 0
    return cells.at(full, counts)


def check_several(column: str, labels: Sequence[str], drawn: str = "comparisons") -> None:
    """InputError of a column with a single cluster."""
    if len(labels) < 2:
        raise InputError(
            f"{column}: all {drawn} are of one cluster ({labels[0]}); there is nothing to distinguish clusters by"
        )


def codes_of(model: Model | ByRows, column: str, missing: Missing) -> IntArray:
    """int[n_rows]: cluster of every row of the table as fitted, -1 for rows without comparisons."""
    table = model.table
    used = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    code, labels = cluster_codes(table, column, used, missing)
    check_several(column, labels)
    out = np.full(table.n_rows, -1)
    out[used] = code
    return out


def draws_of(model: Model | ByRows, columns: Sequence[str], missing: Missing) -> AnyDraws:
    """How replicates are drawn, by no, one or two columns."""
    if len(columns) > 2 or len(set(columns)) != len(columns):
        raise InputError(f"bootstrap by {', '.join(columns)}; expected no column, one, or two different ones")
    if not columns:
        return by_comparison(model)
    codes = [codes_of(model, column, missing) for column in columns]
    if len(columns) == 1:
        return by_cluster(model, columns[0], codes[0])
    return two_ways(model, (columns[0], columns[1]), (codes[0], codes[1]))


def seed_or_drawn(seed: int | None) -> int:
    """The seed that was given, or one of the system's."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    return whole_number("seed", seed)
