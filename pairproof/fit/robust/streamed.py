"""Standard errors by cluster where the rows are too many to hold: CR0 and CR1 of counts, by passes over the rows.

A row's score depends on its cell and its answer alone, so it is looked up, and each row adds its few numbers to the sum of
its cluster::

    S[g, :] += s(cell, answer),      V = M S'S M,      CR1 = V G / (G - 1)

S is held for as many clusters at a time as :data:`.sums.MOST_NUMBERS` allows, the others wait for a further pass.  What
one cluster alone determines has no standard error: t of a cluster is at most the trace of T_g, a sum over its rows as well,
and only clusters whose trace is above nine tenths are looked at by their cells, in one more pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...data.counting.passes import Labels, Passes, passes
from ...errors import InputError
from ...numerics.arrays import FloatArray, IntArray
from ..estimates.fit_record import FitRecord
from . import sums
from .clustered_fit import Clusters, Kind, Way
from .scores import RowScores, pattern_cells
from .sums import LARGEST, Cells, ClusterSums

#: What is offered where rows are gone through, and what is not.
OFFERED = (
    "rows= gives CR0 and CR1 of one column in passes over the rows. For CR2, its degrees of freedom, two columns or a"
    ' bootstrap count buckets of clusters, pairproof.count(..., by=["bucket"]) with bucket = judge % 64, and cluster by'
    " those in memory"
)


def streamed_way(fit: FitRecord, rows: RowScores, bread: FloatArray, column: str, kind: Kind, given: Any) -> Way:
    """One way of clustering, by a column of `given`, the rows that the fit's table was counted from."""
    with passes(given, pattern_cells(fit), [column], " to cluster by") as found:
        return _Sums(found, _treated(rows, fit.spec.ties), bread, Labels(column, found.header.source)).way(column, kind)


def _treated(rows: RowScores, ties: str) -> RowScores:
    """Derivatives of a tie as it enters the likelihood: of nothing where ties are dropped, of two halves."""
    score, information = rows.unit_score.copy(), rows.unit_information.copy()
    for unit in (score, information):
        if ties == "drop":
            unit[1] = 0.0
        elif ties == "half":
            unit[1] = (unit[0] + unit[2]) / 2.0
    return replace(rows, unit_score=score, unit_information=information)


class _Few(ClusterSums):
    """Some of the clusters, by their cells."""

    def __init__(self, cells: Cells, n: int, bread: FloatArray) -> None:
        self.bread, self.n, self._rows, self._cells = bread, n, cells.rows, cells

    @cached_property
    def limits(self) -> FloatArray:
        """float[n], in the order of :attr:`order`: the trace; a sharper bound needs all clusters."""
        return self._trace[self.order]


class StreamedClusters(Clusters):
    """Clusters of which only the number is kept, and those that may alone determine a direction."""

    def __init__(self, n: int, bread: FloatArray, few: ClusterSums | None) -> None:
        self.bread, self.n, self._few = bread, n, few

    def share_alone_all(self, functions: FloatArray) -> tuple[FloatArray, IntArray]:
        """As :meth:`.sums.ClusterSums.share_alone_all`; the cluster is a place among the few."""
        if self._few is None:
            return np.zeros(len(functions)), np.full(len(functions), -1, np.int64)
        return self._few.share_alone_all(functions)


@dataclass
class _Sums:
    """Sums over the rows of each cluster.  trace float[G]: of T_g."""

    passes: Passes
    rows: RowScores
    bread: FloatArray
    labels: Labels

    def __post_init__(self) -> None:
        rows, bread = self.rows, self.bread
        self.trace: FloatArray = np.zeros(0)
        x, z = rows.x, rows.z
        parts = (x.quadratic(bread, x), 2.0 * x.quadratic(bread, z), z.quadratic(bread, z))
        unit = [rows.unit_information[:, k] * part for k, part in enumerate(parts)]
        self._unit_trace = np.ravel(unit[0] + unit[1] + unit[2])
        tells = (rows.unit_score != 0.0).any(axis=1) | (rows.unit_information != 0.0).any(axis=1)
        self._tells = None if tells.all() else tells.ravel()
        #: parameter and score of each place, for each of the few parameters that an answer touches
        self._slots = [
            (np.tile(at, 3), np.ravel(rows.unit_score[:, k] * value))
            for k, design in enumerate((x, z))
            for at, value in zip(design.at.T, design.value.T)
        ]

    def way(self, column: str, kind: Kind) -> Way:
        """The passes, and what they give."""
        p = len(self.bread)
        at_once = max(1, sums.MOST_NUMBERS // p)
        # untouched pages of zeros take no memory, so that the number of clusters need not be known
        held = np.zeros(at_once * p)
        meat = np.zeros((p, p))
        first = 0
        while first == 0 or first < len(self.labels):
            self._pass(held, first, at_once)
            n = min(at_once, len(self.labels) - first)
            scores = held[: n * p].reshape(n, p)
            if len(self.labels) < p:  # as in memory: few clusters are taken through M one by one
                scores = scores @ self.bread
            meat += scores.T @ scores
            held[: n * p] = 0.0
            first += at_once
        n = len(self.labels)
        if n < 2:
            raise InputError(
                f"{column}: all rows of {self.passes.header.source} are of one cluster ({', '.join(self.labels.texts())});"
                " there is nothing to tell clusters apart by"
            )
        v = meat if n < p else self.bread @ meat @ self.bread
        if kind == "CR1":
            v = v * (n / (n - 1))
        heavy = np.flatnonzero(self.trace > LARGEST)
        few = self._heavy(heavy) if len(heavy) else None
        names = self.labels.texts() if len(heavy) else []
        return Way(column, tuple(names[k] for k in heavy), StreamedClusters(n, self.bread, few), v, self.passes.n)

    def _pass(self, held: FloatArray, first: int, at_once: int) -> None:
        """Add the scores of the clusters first, ..., first + at_once - 1."""
        p, missing = len(self.bread), 0
        for at, code, weight in self._batches():
            missing += int((code < 0).sum())
            if missing:
                continue
            if self.passes.n == 1:
                trace = self._unit_trace[at] if weight is None else self._unit_trace[at] * weight
                here = np.bincount(code, trace, len(self.labels)).astype(float)
                here[: len(self.trace)] += self.trace
                self.trace = here
            if first or len(self.labels) > at_once:
                now = np.flatnonzero((code >= first) & (code < first + at_once))
                at, code, weight = at[now], code[now] - first, None if weight is None else weight[now]
            code = code * p
            for parameter, score in self._slots:
                each = score[at] if weight is None else score[at] * weight
                np.add.at(held, code + parameter[at], each)
        if missing:
            column = self.passes.more[0]
            raise InputError(
                f"{self.passes.header.source}: {missing:,} of {self.passes.n_rows:,} rows have no"
                f" {self.passes.own(column)}; give them one, or count and fit the others"
            )

    def _batches(self) -> Any:
        """Place, cluster and weight of the answers that tell something of a finite estimate."""
        for batch in self.passes.batches():
            at, weight, (values, levels) = batch.at, batch.weight, batch.more[0]
            if self._tells is not None:
                told = np.flatnonzero(self._tells[at])
                at, weight, values = at[told], None if weight is None else weight[told], values[told]
            yield at, self.labels.codes(values, levels), weight

    def _heavy(self, heavy: IntArray) -> _Few:
        """The clusters whose trace leaves open whether they alone determine a direction."""
        number = np.full(len(self.labels), -1, np.int64)
        number[heavy] = np.arange(len(heavy))
        n_cells = 3 * self.rows.n_patterns
        keys, counts = np.zeros(0, np.int64), np.asarray(np.zeros(0))
        for at, code, weight in self._batches():
            of = number[code]
            here = np.flatnonzero(of >= 0)
            both = np.concatenate([keys, of[here] * n_cells + at[here]])
            more = np.ones(len(here)) if weight is None else weight[here]
            keys, place = np.unique(both, return_inverse=True)
            counts = np.bincount(np.ravel(place), np.concatenate([counts, more]), len(keys)).astype(float)
        codes, cell = np.divmod(keys, n_cells)
        return _Few(Cells(self.rows, codes, cell, counts), len(heavy), self.bread)
