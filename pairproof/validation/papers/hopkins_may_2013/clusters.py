"""A track's systems told apart with independent and with clustered answers: by judge, by source segment, by
both.

One model of all comparisons of a track, Davidson's; each difference of two systems with its model-based
standard error and with cluster-robust ones.  A judge ranks many sentences, and a sentence is ranked by
several judges, so answers go together both ways.  So do the ten comparisons that one ranking of five systems
encodes, which are of one judge and on one source segment: either way of clustering takes them together.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ....data.columns import Factor
from ....data.comparisons import Comparisons
from ....errors import RankingWarning
from ....fit.fit import Fit
from ....native.pairs.models import fit_llbt
from ...statements.clustered import effects_of, ways_of

FloatArray = NDArray[np.float64]

#: Ways of clustering that rankings of translations allow.
WAYS = ("judge", "source", "judge and source")


@dataclass(frozen=True)
class Way:
    """All pairs of a track's systems under one way of clustering.

    ratio: median over the pairs of the clustered standard error over the model-based one.  remain: pairs that
    are significant with independent answers and stay so with the t tests of this way.
    """

    by: str
    n_clusters: tuple[int, ...]
    ratio: float
    remain: int


@dataclass(frozen=True)
class TrackTold:
    """Which pairs of a track's systems are told apart.

    significant: pairs that are told apart at alpha with independent answers.
    """

    n_comparisons: float
    n_pairs: int
    significant: int
    ways: tuple[Way, ...]


def fit_track(table: Comparisons) -> Fit:
    """Davidson's model of all comparisons of a track."""
    with warnings.catch_warnings():
        # Pairs of one ranking are not independent, and are of one judge and one source: clusters take them
        # together.
        warnings.simplefilter("ignore", RankingWarning)
        return fit_llbt(table)


def told_apart(table: Comparisons, alpha: float = 0.05, by: Sequence[str] = WAYS) -> TrackTold:
    """All pairs of systems of a track, each test by itself (nothing is adjusted for their number)."""
    fit = fit_track(table)
    effects = effects_of(fit, by, list(combinations(fit.items, 2)))
    significant = [e for e in effects if e.independent.significant(alpha)]
    ways = tuple(
        Way(
            name,
            tuple(len(clusters_of(table, column)) for column in columns),
            median(e.clustered[k].se / e.independent.se for e in effects),
            sum(e.clustered[k].significant(alpha) for e in significant),
        )
        for k, (name, columns) in enumerate(zip(by, ways_of(by)))
    )
    return TrackTold(float(table.n_comparisons), len(effects), len(significant), ways)


def clusters_of(table: Comparisons, column: str) -> FloatArray:
    """Comparisons of each judge, or on each source segment, that has any.

    Returns float[n_clusters].
    """
    labels = table.columns[column]
    assert isinstance(labels, Factor)  # rankings have both as labels
    counts = np.bincount(labels.codes, weights=table.wins + table.ties + table.losses)
    return np.asarray(counts[counts > 0])
