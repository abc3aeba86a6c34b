"""Standard errors of counts: by clusters whose rows are too many to hold, CR0 and CR1 by passes over them, and by single votes.

A row's score depends on its cell and its answer alone, so it is looked up, and each row adds its few numbers to the sum of
its cluster::

    S[g, :] += s(cell, answer),      V = M S'S M,      CR1 = V G / (G - 1)

S is held for as many clusters at a time as :data:`.sums.MOST_NUMBERS` allows, the others wait for a further pass.  What
one cluster alone determines has no standard error: t of a cluster is at most the trace of T_g, a sum over its rows as well,
and only clusters whose trace is above nine tenths are looked at by their cells, in one more pass.

Where every vote is a cluster of its own, its score depends on its cell (pattern of the row) and its outcome alone: with
n_co votes of outcome o in cell c::

    V = M (sum over c, o of n_co s_co s_co') M,      CR1 = V G / (G - 1),      G = sum n_co

whatever the number of votes: the sandwich of White (1980, Econometrica 48, 817-838) and Huber.  A tie that counts as
two half wins has the score of the two together, .5 - p; one that is dropped is no vote.  Half a win for each in one row is
such a tie, counted before; half a win alone is half a vote.  Where counts are other fractions (soft preferences, weights)
they are no votes, and each row is a cluster.

A vote that alone determines a direction (t = 1) is a single one in its cell, since n equal votes have t <= 1/n each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...data.counting.passes import Batch, Labels, Passes, numbers, passes
from ...errors import InputError, TooLargeError
from ...numerics.arrays import FloatArray, IntArray
from ..estimates.covariance import DenseCovariance
from ..estimates.fit_record import FitRecord
from ..estimates.identification import R
from . import sums
from .clustered_fit import Clusters, Kind, Missing, Robust, Way, bread_of, by_model, checked, symmetric
from .scores import Design, RowScores, pattern_cells, row_scores, units
from .sums import LARGEST, Cells, ClusterSums

#: What is offered where rows are gone through, and what is not.
OFFERED = (
    "rows= gives CR0 and CR1 for one column in passes over the rows. For CR2, its degrees of freedom, two columns"
    " or a bootstrap, count by buckets of clusters (a column bucket, judge % 64), and cluster by these in memory"
)


def clustered_through(fit: R, columns: Sequence[str], kind: Kind, missing: Missing, given: Any) -> R:
    """The fit with standard errors by cluster of `given`, the rows that its table was counted from."""
    if fit.answers is not None or fit.spec.random or fit.spec.general_ties:
        raise InputError(
            "rows= is for models of comparisons, without random effects and with ties that log-linear models have; cluster"
            " this one in memory, or count by the clusters, or by buckets of them, and cluster by that column"
        )
    if kind == "CR2":
        raise InputError(
            f"kind='CR2' needs the information of each cluster, which rows= does not keep; {OFFERED}"
        )
    if len(columns) > 1:
        raise InputError(
            f"clustered by {' and '.join(columns)} through rows=: one column at a time; {OFFERED}"
        )
    if missing == "own":
        raise InputError(
            f"missing='own' is for tables in memory; through rows= every row needs its {' '.join(columns)}: give each"
            " row without one its own label, or omit these rows from the count"
        )
    fit, (column,) = checked(fit, columns, kind, missing)
    way = _way(fit, bread_of(fit), column, kind, given)
    v = way.covariance
    robust = Robust(kind, (way,), v, fit.covariance, refitted=False)
    return replace(fit, covariance=DenseCovariance(v), robust=robust)


def _way(fit: FitRecord, bread: FloatArray, column: str, kind: Kind, given: Any) -> Way:
    """One way of clustering, in passes over the rows."""
    own = np.array(
        [k for k, term in enumerate(fit.terms) if term.kind != "comparison" or not fit.spec.through]
    )
    terms = [term.name for k, term in enumerate(fit.terms) if k not in set(own.tolist())]
    base = fit
    if terms:
        base = replace(
            fit,
            spec=replace(fit.spec, comparison_terms=(), through=""),
            terms=tuple(fit.terms[k] for k in own),
            beta=fit.beta[own],
            is_reference=fit.is_reference[own],
            null_space=fit.null_space[own],
        )
    rows = treated(row_scores(base), fit.spec.ties)
    if not (rows.unit_information[:, 0] != 0.0).any():
        raise InputError(
            f"no comparison carries information about a finite estimate, so there is nothing to cluster by {column}"
        )
    rows = replace(rows, x=replace(rows.x, at=own[rows.x.at]), z=replace(rows.z, at=own[rows.z.at]))
    with passes(given, pattern_cells(base), [column, *terms], " to cluster by") as found:
        labels = Labels(column, found.header.source)
        return (_SumsThrough if terms else _Sums)(found, fit, rows, bread, labels).way(column, kind)


def treated(rows: RowScores, ties: str) -> RowScores:
    """Derivatives of a tie as it enters the likelihood: of nothing where ties are dropped, of two halves."""
    score, information = rows.unit_score.copy(), rows.unit_information.copy()
    for unit in (score, information):
        if ties == "drop":
            unit[1] = 0.0
        elif ties == "half":
            unit[1] = (unit[0] + unit[2]) / 2.0
    return replace(rows, unit_score=score, unit_information=information)


class Few(ClusterSums):
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


#: Rows of a part whose scores are worked out one by one.
_ROWS = 1 << 17
#: A parameter, or one for each row, and what each row adds there.
_Entry = tuple[Any, FloatArray]


class _Sums:
    """Sums over the rows of each cluster.  trace float[G]: of T_g."""

    def __init__(
        self, passes: Passes, fit: FitRecord, rows: RowScores, bread: FloatArray, labels: Labels
    ) -> None:
        self.passes, self.fit, self.rows, self.bread, self.labels = passes, fit, rows, bread, labels
        self.trace: FloatArray = np.zeros(0)
        x, z = rows.x, rows.z
        self._quadratics = (x.quadratic(bread, x), 2.0 * x.quadratic(bread, z), z.quadratic(bread, z))
        self._unit_trace = np.ravel(rows.traces(bread))
        self._tells = None if rows.tells.all() else rows.tells.ravel()
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
                f"{column}: all rows of {self.passes.header.source} belong to one cluster"
                f" ({', '.join(self.labels.texts())}); at least two are needed"
            )
        v = meat if n < p else self.bread @ meat @ self.bread
        if kind == "CR1":
            v = v * (n / (n - 1))
        heavy = np.flatnonzero(self.trace > LARGEST)
        few = self._heavy(heavy) if len(heavy) else None
        names = self.labels.texts() if len(heavy) else []
        return Way(
            column, tuple(names[k] for k in heavy), StreamedClusters(n, self.bread, few), v, self.passes.n
        )

    def _pass(self, held: FloatArray, first: int, at_once: int) -> None:
        """Add the scores of the clusters first, ..., first + at_once - 1."""
        p, missing = len(self.bread), 0
        for part, code in self._batches():
            missing += int((code < 0).sum())
            if missing:
                continue
            entries, trace = self._touched(part)
            if self.passes.n == 1:
                trace = trace if part.weight is None else trace * part.weight
                here = np.bincount(code, trace, len(self.labels)).astype(float)
                here[: len(self.trace)] += self.trace
                self.trace = here
            all_now = first == 0 and len(self.labels) <= at_once
            now = slice(None) if all_now else np.flatnonzero((code >= first) & (code < first + at_once))
            start = (code[now] - first) * p
            for parameter, each in entries:
                each = each if part.weight is None else each * part.weight
                np.add.at(held, start + (parameter if np.ndim(parameter) == 0 else parameter[now]), each[now])
        if missing:
            column = self.passes.own(self.passes.more[0])
            raise InputError(
                f"{self.passes.header.source}: {missing:,} of {self.passes.n_rows:,} rows have no {column}; fill it in,"
                " or count and fit the other rows"
            )

    def _batches(self) -> Iterator[tuple[Batch, IntArray]]:
        """Answers that carry information about a finite estimate, and their clusters."""
        for batch in self.passes.batches():
            if self._tells is not None:
                batch = batch.only(np.flatnonzero(self._tells[batch.at]))
            yield batch, self.labels.codes(*batch.more[0])

    def _touched(self, part: Batch) -> tuple[list[_Entry], FloatArray]:
        """What each row adds to the scores, and to the trace of T_g."""
        return [(parameter[part.at], score[part.at]) for parameter, score in self._slots], self._unit_trace[
            part.at
        ]

    def _heavy(self, heavy: IntArray) -> ClusterSums:
        """The clusters whose trace leaves open whether they alone determine a direction."""
        n_cells = 3 * self.rows.n_patterns
        keys: IntArray = np.zeros(0, np.int64)
        counts: FloatArray = np.zeros(0)
        for part, code in self._of(heavy):
            more = np.ones(len(code)) if part.weight is None else part.weight
            keys, place = np.unique(np.concatenate([keys, code * n_cells + part.at]), return_inverse=True)
            counts = np.bincount(np.ravel(place), np.concatenate([counts, more]), len(keys)).astype(float)
        codes, cell = np.divmod(keys, n_cells)
        return Few(Cells(self.rows, codes, cell, counts), len(heavy), self.bread)

    def _of(self, heavy: IntArray) -> Iterator[tuple[Batch, IntArray]]:
        """One more pass: the rows of some clusters, numbered from 0."""
        number = np.full(len(self.labels), -1, np.int64)
        number[heavy] = np.arange(len(heavy))
        for part, code in self._batches():
            here = np.flatnonzero(number[code] >= 0)
            yield part.only(here), number[code[here]]


class _SumsThrough(_Sums):
    """The same of a fit with covariates that the rows have and the cells have not: scores are worked out row by row.

    With w of a row, its log-odds are those of its cell plus w'd, and what is said about x holds for (x, w).
    """

    def __init__(
        self, passes: Passes, fit: FitRecord, rows: RowScores, bread: FloatArray, labels: Labels
    ) -> None:
        super().__init__(passes, fit, rows, bread, labels)
        self._further = [fit.names.index(name) for name in passes.more[1:]]
        beta = np.where(fit.is_reference, 0.0, fit.beta)
        self._d = beta[self._further]
        self._predictors = [design.times(beta) for design in (rows.x, rows.z)]
        self._across = [design.times(bread[:, self._further]) for design in (rows.x, rows.z)]

    def _batches(self) -> Iterator[tuple[Batch, IntArray]]:
        """Fewer at a time, so that the derivatives of all outcomes stay within a processor's cache."""
        for batch, code in super()._batches():
            for start in range(0, len(code), _ROWS):
                part = slice(start, start + _ROWS)
                yield batch.only(part), code[part]

    def _units(self, part: Batch) -> tuple[IntArray, IntArray, FloatArray, RowScores]:
        """Cell and outcome of each row, float[k, m] its covariates, and the derivatives of all outcomes in its place."""
        outcome, cell = np.divmod(part.at, self.rows.n_patterns)
        columns = [numbers(*coded) for coded in part.more[1:]]
        w = np.array([values if levels is None else levels[values] for values, levels in columns], float)
        eta, g = (each[cell] for each in self._predictors)
        unit = units(
            eta + np.einsum("k,kn->n", self._d, w), g, np.ones((3, len(cell)), bool), self.fit.outcome_model
        )
        rows = replace(self.rows, unit_score=unit[0], unit_information=unit[1])
        return cell, outcome, w, treated(rows, self.fit.spec.ties)

    def _touched(self, part: Batch) -> tuple[list[_Entry], FloatArray]:
        cell, outcome, w, rows = self._units(part)
        at = np.arange(len(cell))
        score, k = rows.unit_score[outcome, :, at].T, rows.unit_information[outcome, :, at].T
        entries: list[_Entry] = [
            (parameter[cell], each * value[cell])
            for design, each in zip((self.rows.x, self.rows.z), score)
            for parameter, value in zip(design.at.T, design.value.T)
        ]
        entries += [(parameter, score[0] * column) for parameter, column in zip(self._further, w)]
        own = self.bread[np.ix_(self._further, self._further)]
        by_u, by_g = (np.einsum("kn,nk->n", w, across[cell]) for across in self._across)
        xx, xz, zz = (part[cell] for part in self._quadratics)
        of_w = np.einsum("in,ij,jn->n", w, own, w)
        return entries, k[0] * (xx + 2.0 * by_u + of_w) + k[1] * (xz + 2.0 * by_g) + k[2] * zz

    def _heavy(self, heavy: IntArray) -> ClusterSums:
        """By their rows, as no two of them need have the same covariates."""
        found, n = [], 0
        for part, code in self._of(heavy):
            found.append((*self._units(part), part.weight, code))
            n += len(code)
            if n * 20 > sums.MOST_NUMBERS:
                raise TooLargeError(
                    f"{len(heavy):,} clusters each carry a large part of the information, with more than {n:,}"
                    " rows: whether one of them alone determines a parameter cannot be checked in memory;"
                    " cluster by a column with more levels"
                )
        cell, outcome, w = (np.concatenate([each[k] for each in found], axis=-1) for k in range(3))
        score, information = (
            np.concatenate([getattr(each[3], name) for each in found], axis=-1)
            for name in ("unit_score", "unit_information")
        )
        weight = np.concatenate([np.ones(len(each[5])) if each[4] is None else each[4] for each in found])
        at = np.broadcast_to(self._further, (n, len(self._further)))
        x, z = self.rows.x, self.rows.z
        wide = Design(np.concatenate([x.at[cell], at], axis=1), np.concatenate([x.value[cell], w.T], axis=1))
        rows = RowScores(
            wide, Design(z.at[cell], z.value[cell]), np.arange(n), np.zeros((3, 0)), score, information
        )
        codes = np.concatenate([each[5] for each in found])
        return Few(Cells(rows, codes, outcome * n + np.arange(n), weight), len(heavy), self.bread)


#: What a fit whose comparisons are no independent votes is told.
NOTHING_TOLD = "no comparison carries information about a finite estimate, so votes cannot be used"


def by_vote(fit: R, kind: Kind, missing: Missing = "refuse") -> R:
    """The fit with standard errors by single votes; see :meth:`pairproof.Fit.clustered`."""
    if kind == "CR2":
        raise InputError(
            "kind='CR2' without a column: it is for clusters of several votes; for single votes, use"
            " CR1 (the default) or CR0"
        )
    if missing != "refuse":
        raise InputError(f"missing={missing!r} without a column; it concerns missing values in the column")
    fit = by_model(fit, kind)
    rows, bread = row_scores(fit), bread_of(fit)
    way = _each_vote(fit, rows, bread, kind) if _counts_votes(fit) else _each_row(rows, bread, kind)
    robust = Robust(kind, (way,), way.covariance, fit.covariance, refitted=fit.spec.has_refits)
    return replace(fit, covariance=DenseCovariance(way.covariance), robust=robust)


def _counts_votes(fit: FitRecord) -> bool:
    """Whether counts are of votes: all are whole or halves, and no column of weights made them."""
    table = fit.data
    twice = (2.0 * count for count in (table.wins, table.ties, table.losses))
    return not fit.spec.weights and all(bool((count == np.floor(count)).all()) for count in twice)


def _votes_of(fit: FitRecord) -> tuple[str, tuple[FloatArray, FloatArray, FloatArray]]:
    """How a tie enters, and the counts with half a win for each as a tie, unless ties are no half wins."""
    table, ties = fit.data, fit.spec.ties
    if ties not in ("none", "half"):
        return ties, (table.wins, table.ties, table.losses)
    half: FloatArray = np.minimum(table.wins % 1.0, table.losses % 1.0)
    return "half", (table.wins - half, table.ties + 2.0 * half, table.losses - half)


def _checked(n: int) -> int:
    if n == 0:
        raise InputError(NOTHING_TOLD)
    if n == 1:
        raise InputError("only one vote carries information about finite estimates; two are needed")
    return n


def _each_row(rows: RowScores, bread: FloatArray, kind: Kind) -> Way:
    used = rows.telling
    _checked(len(used))
    clusters = Clusters(rows.only(used), np.arange(len(used)), bread)
    labels = tuple(str(k + 1) for k in used)
    return Way("row", labels, clusters, clusters.covariance(kind), each="rows, whose counts are weights")


def _each_vote(fit: FitRecord, rows: RowScores, bread: FloatArray, kind: Kind) -> Way:
    table, p = fit.data, len(bread)
    ties, counts = _votes_of(fit)
    rows = treated(rows, ties)
    votes: FloatArray = np.stack([np.bincount(rows.pattern, each, rows.n_patterns) for each in counts])
    votes[~rows.tells] = 0.0
    n, told = _checked(round(votes.sum())), np.flatnonzero(votes)
    scores = rows.scores_by_cell(p)[told]
    meat = (scores.T @ scores.multiply(votes.ravel()[told, None]).tocsr()).toarray()
    if kind == "CR1":
        meat *= n / (n - 1)
    alone = np.flatnonzero((rows.traces(bread) > LARGEST) & (votes > 0.0) & (votes <= 1.0))
    first, second = np.zeros((2, rows.n_patterns), np.int64)
    first[rows.pattern], second[rows.pattern] = table.first, table.second
    pairs = [(fit.items[first[k]], fit.items[second[k]]) for k in alone % rows.n_patterns]
    few = Few(Cells(rows, np.arange(len(alone)), alone, None), len(alone), bread) if len(alone) else None
    covariance = symmetric(bread @ meat, bread)
    labels = tuple(f"of {a} vs. {b}" for a, b in pairs)
    return Way("vote", labels, StreamedClusters(n, bread, few), covariance, each="votes")
