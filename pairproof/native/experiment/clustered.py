"""Differences of models' perplexities where test comparisons go together: by judge, by source, or both.

A perplexity is P = 2^h, h the mean of the bits b_i = -log2 Q_i over N test comparisons.  Cluster g, with bits b_g of n_g
comparisons, adds log(2) P (b_g - h n_g) / N to its error (delta method) and holds n_g / N of the information.  A difference
of two models on the same test set, averaged over trials, is such a sum as well; its variance is CR0, CR1 or CR2 of
:mod:`pairproof.native.ranking.by_cluster`, and stands in the place of the delete-a-group jackknife over sources of
:mod:`pairproof.native.experiment.summary`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fit.robust.clusters import Kind, intersection
from ...fit.robust.robust import FEW
from ..ranking.by_cluster import check_clusters, cluster_codes, clustered_error
from .splits import Split
from .summary import Part, Result, best_by_size, difference

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HeldOutClusters:
    """The clusters of each track's test comparisons.

    columns: one or two.  ways: cluster of each cell of :func:`pairproof.native.ranking.by_cluster.cells_of`,
    by each column.
    """

    columns: tuple[str, ...]
    kind: Kind
    ways: Mapping[str, tuple[IntArray, ...]]

    def n_clusters(self, track: str) -> tuple[int, ...]:
        """In the test set of a track, by each column."""
        return tuple(int(codes.max()) + 1 for codes in self.ways[track])

    @property
    def caution(self) -> str:
        """What to know where a test set has few clusters; "" otherwise."""
        few = [
            f"{track}: {n} by {column}"
            for track in self.ways
            for column, n in zip(self.columns, self.n_clusters(track))
            if n < FEW
        ]
        return f"few clusters, so that standard errors are rough: {'; '.join(few)}" if few else ""

    def over_test(self, track: str, rows: Sequence[tuple[Result, Result]]) -> Part:
        """Variance of the mean difference of perplexities over trials, and its degrees of freedom."""
        sizes = np.array(rows[0][0].sizes)
        parts = np.zeros(len(sizes))
        for pair in rows:
            for result, sign in zip(pair, (1.0, -1.0)):
                bits = np.array(result.bits)
                mean = float(bits.sum() / sizes.sum())
                parts += sign * math.log(2.0) * 2.0**mean * (bits - mean * sizes) / sizes.sum() / len(rows)
        # Two models that say the same differ by rounding alone.
        if np.abs(parts).max() < 1e-15:
            return 0.0, 1.0
        shares = sizes / sizes.sum()
        error = clustered_error(parts[:, None], shares[:, None], self.ways[track], self.columns, self.kind)
        return error.se**2, error.df


def clusters_of(tracks: Mapping[str, Split], columns: Sequence[str], kind: Kind = "CR2") -> HeldOutClusters:
    """The clusters of all tracks' test sets."""
    check_clusters(columns, kind)
    ways = {}
    for track, split in tracks.items():
        codes = [cluster_codes(split.test, column, np.arange(split.test.n_rows)) for column in columns]
        first = np.unique(intersection(codes), return_index=True)[1]
        ways[track] = tuple(code[first] for code in codes)
        for column, code in zip(columns, codes):
            if not code.any():
                raise InputError(
                    f"track {track}: all {split.test.n_rows} test comparisons are of one {column}, so nothing says how"
                    f" {column}s differ; cluster by another column, or leave the track out"
                )
    return HeldOutClusters(tuple(columns), kind, ways)


def differences_from_best(
    results: Sequence[Result], level: float, clusters: HeldOutClusters
) -> list[dict[str, Any]]:
    """For each training size the difference of every model's mean perplexity from the best one's, as JSON rows."""
    out = []
    for best in best_by_size(results, level, clusters.over_test):
        size = best.train_size
        own = [r for r in results if (r.model, r.train_size) == (best.model, size)]
        for model in dict.fromkeys(r.model for r in results):
            theirs = [r for r in results if (r.model, r.train_size) == (model, size)]
            if model == best.model or not theirs:
                continue
            gap = difference(theirs, own, level, clusters.over_test)
            out.append({"train_size": size, "best": best.model, "model": model, **vars(gap)})
    return out
