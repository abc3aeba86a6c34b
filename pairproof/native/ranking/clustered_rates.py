"""Error rates and their differences with standard errors by cluster of sentences: by document, editor, or both.

The rate R = D / L is a ratio of sums; sentence i adds e_i / L to its error, e_i = d_i - R l_i, and holds l_i / L of the
information (errors as Poisson counts of mean R l_i).  Summed over clusters these give CR0, CR1 and CR2 of
:mod:`pairproof.native.ranking.by_cluster`.  With each sentence its own cluster CR1 is the delta method of
:mod:`pairproof.native.ranking.error_rates`.  A difference of two systems has the parts e_1i / L1 and -e_2i / L2, each in
the cluster of its own row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...data.reading.sentence_errors import Shared, SystemErrors
from ...errors import InputError
from ...fit.robust.clusters import Kind
from .by_cluster import ClusteredError, clustered_error
from .error_rates import residual_shares

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def clustered_rate(of: SystemErrors, columns: Sequence[str], kind: Kind = "CR2") -> ClusteredError:
    """The standard error of one system's rate by cluster.

    `of`: read with these columns as `clusters`.
    """
    parts, shares, _ = residual_shares(of.errors, of.lengths)
    codes = [_codes(of.clusters[column]) for column in columns]
    return clustered_error(parts[:, None], shares[:, None], codes, columns, kind)


def clustered_difference(
    first: SystemErrors, second: SystemErrors, shared: Shared, columns: Sequence[str], kind: Kind = "CR2"
) -> ClusteredError:
    """The standard error by cluster of first rate - second rate on the sentences both have.

    `first`, second: read with these columns as `clusters`.  shared: their sentences.  Returns ClusteredError:
    without a standard error where a sentence is in one cluster for the first system and in another for the
    second, by every column: its two rows would be taken as independent.
    """
    i, j = shared.first, shared.second
    one, of_one, rate_one = residual_shares(first.errors[i], first.lengths[i])
    two, of_two, rate_two = residual_shares(second.errors[j], second.lengths[j])
    labels = [
        ([first.clusters[column][k] for k in i], [second.clusters[column][k] for k in j])
        for column in columns
    ]
    apart = np.ones(len(i), bool)
    for mine, theirs in labels:
        apart &= np.array(mine, object) != np.array(theirs, object)
    if apart.any():
        k = int(np.flatnonzero(apart)[0])
        names = ", ".join(f"{mine[k]} and {theirs[k]}" for mine, theirs in labels)
        sentence = first.sentences[int(i[k])] if first.sentences is not None else str(k + 1)
        why = (
            f"{int(apart.sum())} sentences are in different clusters of the two systems ({sentence}: {names}), and would be"
            " taken as independent; cluster by the sentence as well"
        )
        nan = float("nan")
        return ClusteredError(nan, nan, kind, tuple(columns), (0,) * len(columns), why_not=why)
    zero = np.zeros(len(i))
    parts = np.concatenate([np.stack([one, zero], axis=1), np.stack([zero, -two], axis=1)])
    shares = np.concatenate([np.stack([of_one, zero], axis=1), np.stack([zero, of_two], axis=1)])
    # Parts of the variance R1 / L1 + R2 / L2 of Poisson errors.
    weights = np.array([rate_one / first.lengths[i].sum(), rate_two / second.lengths[j].sum()])
    codes = [_codes((*mine, *theirs)) for mine, theirs in labels]
    return clustered_error(parts, shares, codes, columns, kind, weights if weights.any() else None)


def check_columns(clusters: Sequence[str], estimator: str) -> None:
    """Refuse an estimator that has no form by cluster."""
    if clusters and estimator != "delta":
        name = (
            "equation 9 takes every word to go wrong by itself"
            if estimator == "vilar"
            else "the jackknife is by sentence"
        )
        raise InputError(
            f"{name}, and has no form by cluster; leave the standard error at delta (--se delta)"
        )


def _codes(labels: Sequence[str]) -> IntArray:
    codes: IntArray = np.unique(np.asarray(labels, dtype=str), return_inverse=True)[1].astype(np.int64)
    return codes
