"""Standard errors by single votes: every vote is a cluster of its own, worked out on counts.

A vote's score depends on its cell (pattern of the row) and its outcome alone, so with n_co votes of outcome o in cell c::

    V = M (sum over c, o of n_co s_co s_co') M,      CR1 = V G / (G - 1),      G = sum n_co

whatever the number of votes: the sandwich of White (1980, Econometrica 48, 817-838) and Huber.  A tie that counts as
two half wins has the score of the two together, .5 - p; one that is dropped is no vote.  Where counts are fractional
(soft preferences, weights) they are no votes, and each row is a cluster.

A vote that alone determines a direction (t = 1) is a single one in its cell, since n equal votes have t <= 1/n each.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import InputError
from ...numerics.arrays import FloatArray
from ..estimates.covariance import DenseCovariance
from ..estimates.fit_record import FitRecord
from ..estimates.identification import R
from .clustered_fit import Clusters, Kind, Missing, Robust, Way, bread_of, by_model, symmetric
from .scores import RowScores, row_scores
from .streamed import Few, StreamedClusters, treated
from .sums import LARGEST, Cells

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
    """Whether each count is a vote: all are whole, and no column of weights made them."""
    table = fit.data
    return not fit.spec.weights and all(
        bool((count == np.floor(count)).all()) for count in (table.wins, table.ties, table.losses)
    )


def _checked(n: int) -> int:
    if n < 2:
        raise InputError(
            NOTHING_TOLD
            if n == 0
            else "only one vote carries information about finite estimates; two are needed"
        )
    return n


def _each_row(rows: RowScores, bread: FloatArray, kind: Kind) -> Way:
    used = rows.telling
    _checked(len(used))
    clusters = Clusters(rows.only(used), np.arange(len(used)), bread)
    labels = tuple(str(k + 1) for k in used)
    return Way("row", labels, clusters, clusters.covariance(kind), each="rows, whose counts are weights")


def _each_vote(fit: FitRecord, rows: RowScores, bread: FloatArray, kind: Kind) -> Way:
    rows, table, p = treated(rows, fit.spec.ties), fit.data, len(bread)
    counts = (table.wins, table.ties, table.losses)
    votes: FloatArray = np.stack([np.bincount(rows.pattern, each, rows.n_patterns) for each in counts])
    votes[~rows.tells] = 0.0
    n, told = _checked(round(votes.sum())), np.flatnonzero(votes)
    scores = rows.scores_by_cell(p)[told]
    meat = (scores.T @ scores.multiply(votes.ravel()[told, None]).tocsr()).toarray()
    if kind == "CR1":
        meat *= n / (n - 1)
    alone = np.flatnonzero((rows.traces(bread) > LARGEST) & (votes == 1.0))
    first, second = np.zeros((2, rows.n_patterns), np.int64)
    first[rows.pattern], second[rows.pattern] = table.first, table.second
    pairs = [(fit.items[first[k]], fit.items[second[k]]) for k in alone % rows.n_patterns]
    few = Few(Cells(rows, np.arange(len(alone)), alone, None), len(alone), bread) if len(alone) else None
    covariance = symmetric(bread @ meat, bread)
    labels = tuple(f"of {a} vs. {b}" for a, b in pairs)
    return Way("vote", labels, StreamedClusters(n, bread, few), covariance, each="votes")
