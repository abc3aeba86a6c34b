"""Summaries of an experiment's results: mean learning curves, the best model, how many judgments are enough.

The mean of a model at a size is that of its T tracks' means over n trials.  Two things make it uncertain, the
tracks being taken as they are: which comparisons were drawn to train on, and which sources are in the test
set.  With v_t the variance over the trials of track t, and u_t the delete-a-group jackknife variance over G
groups of test sources,

    training sets   sum_t v_t / n / T^2              test sets   sum_t u_t / T^2

Intervals of single curves are over the training sets; the test sets move all curves together.  Differences of
models are taken trial by trial on the same training and test sets and have both, added (Student's t,
Satterthwaite's degrees of freedom).  Whether other tracks would order models alike is another question: for
that see in how many they do.

Where test comparisons go together, by judge, by source, or both: a perplexity is P = 2^h, h the mean of the
bits b_i = -log2 Q_i over N test comparisons.  Cluster g, with bits b_g of n_g comparisons, adds log(2) P (b_g
- h n_g) / N to its error (delta method) and holds n_g / N of the information.  A difference of two models on
the same test set, averaged over trials, is such a sum as well; its variance is CR0, CR1 or CR2 of
:mod:`pairproof.native.competitions.ranking.sums_by_cluster`, in the place of the jackknife over sources.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ....errors import InputError
from ....fit.robust.clustered_fit import FEW, Kind, intersection
from ....numerics.arrays import FloatArray, IntArray
from ..irt.posterior import Note, check_level
from ..ranking.sums_by_cluster import check_clusters, cluster_codes, clustered_error
from .held_out import Split

Results = Sequence["Result"]
#: A variance and its degrees of freedom.
Part = tuple[float, float]
#: What a variance over the test set is made by: a track, and pairs of results on it.
OverTest = Callable[[str, "Sequence[tuple[Result, Result]]"], Part]


@dataclass(frozen=True)
class Result:
    """The perplexity of one model, trained on one sample of one track.
    train_size: training comparisons asked for; `n_train` is how many there were.  perplexity: inf if the
    model gave probability 0 to an outcome that occurred.  impossible: test comparisons to whose outcome the
    model gave probability 0.  unseen: systems of the test set that were not in the sample.  bits: -log2 of
    the probabilities of the observed outcomes, summed over each group of test sources; empty if not kept.
    sizes: test comparisons in each of these groups."""

    track: str
    model: str
    train_size: int
    trial: int
    perplexity: float
    n_train: int
    test_size: int
    impossible: int = 0
    unseen: int = 0
    notes: tuple[Note, ...] = ()
    bits: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.track, self.model, self.train_size, self.trial

    def to_dict(self) -> dict[str, Any]:
        """The JSON row; an infinite perplexity is null, and `impossible` says why."""
        found = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("bits", "sizes")}
        perplexity = self.perplexity if np.isfinite(self.perplexity) else None
        return {**found, "perplexity": perplexity, "notes": list(map(str, self.notes))}


@dataclass(frozen=True)
class Mean:
    """The mean perplexity of one model at one training size.
    mean: inf if one of the perplexities is.  se, low, high: over the choice of training sets; nan with one
    trial, where every trial has the whole training set of every track, or where the mean is infinite.  n,
    n_infinite: perplexities averaged, and how many of them are infinite."""

    model: str
    train_size: int
    mean: float
    se: float
    low: float
    high: float
    n: int
    n_infinite: int


@dataclass(frozen=True)
class Best:
    """The best model at one training size.
    model: the one with the smallest mean perplexity.  level_with: models that do not differ significantly
    from it: the interval of the mean difference contains 0, or there is no interval (one trial).  lowest_in,
    n_tracks: tracks in which its mean is the smallest, of how many."""

    train_size: int
    model: str
    level_with: tuple[str, ...]
    lowest_in: int
    n_tracks: int


@dataclass(frozen=True)
class Difference:
    """The mean difference in perplexity of two models.
    mean: first minus second; inf or nan if a perplexity is infinite.  se, low, high: over the choice of
    training sets and of test sources; nan with one trial, or where the mean is not finite.  se_train,
    se_test: the parts of `se` that are due to the training sets and to the test sources; `se_test` is nan if
    the results do not have the groups of the test sets, and `se` is then `se_train`.  positive_in, n_tracks:
    tracks in which the first is larger, of how many."""

    mean: float
    se: float
    low: float
    high: float
    se_train: float
    se_test: float
    positive_in: int
    n_tracks: int


def means(results: Results, level: float = 0.95) -> list[Mean]:
    """Mean perplexities with t intervals, models in the order in which they first appear, then by size."""
    check_level(level)
    out = []
    for model in _models(results):
        for size in _sizes(results):
            here = _of(results, model, size)
            if not here:
                continue
            values = {t: np.array([r.perplexity for r in rows]) for t, rows in _by_track(here).items()}
            mean = float(np.mean([v.mean() for v in values.values()]))
            se, df = np.nan, 0.0
            if np.isfinite(mean) and any(r.n_train >= r.train_size for r in here):
                se, df = _combined([_over_trials(v) for v in values.values()], len(values))
            half = _half_width(se, df, level)
            infinite = sum(np.isinf(r.perplexity) for r in here)
            out.append(Mean(model, size, mean, se, mean - half, mean + half, len(here), int(infinite)))
    return out


def best_by_size(results: Results, level: float = 0.95, over_test: OverTest | None = None) -> list[Best]:
    """The best model at each training size, and the models that do not differ significantly from it."""
    check_level(level)
    table = {(m.model, m.train_size): m for m in means(results, level)}
    out = []
    for size in _sizes(results):
        here = [m for (_, k), m in table.items() if k == size and np.isfinite(m.mean)]
        if not here:
            continue
        top = min(here, key=lambda m: m.mean)
        own = _of(results, top.model, size)
        others = [m.model for m in here if m.model != top.model]
        gaps = {name: difference(_of(results, name, size), own, level, over_test) for name in others}
        tracks = _by_track(own)
        lowest = sum(
            all(_mean_in(results, m.model, size, t) >= _mean_in(results, top.model, size, t) for m in here)
            for t in tracks
        )
        level_with = tuple(name for name, gap in gaps.items() if not gap.low > 0)
        out.append(Best(size, top.model, level_with, lowest, len(tracks)))
    return out


def difference(
    first: Results, second: Results, level: float = 0.95, over_test: OverTest | None = None
) -> Difference:
    """Mean difference in perplexity of two models, or of one model trained on two kinds of data, taken track
    by track and trial by trial.
    `first`, second: each of one model and one size; both of the same tracks and trials.  over_test: variance
    over the test set and its degrees of freedom; default: the jackknife over groups of sources."""
    check_level(level)
    sides = [{(r.track, r.trial): r for r in side} for side in (first, second)]
    for side, found in zip((first, second), sides):
        if len(found) != len(side):
            raise InputError(
                f"{len(side)} results for {len(found)} trials of tracks; expected those of one model at one"
                " size"
            )
    if set(sides[0]) != set(sides[1]):
        only = sorted(set(sides[0]) ^ set(sides[1]))[:3]
        raise InputError(
            f"{len(sides[0])} and {len(sides[1])} results that are not of the same tracks and trials; one"
            f" side alone has {only}"
        )
    pairs: dict[str, list[tuple[Result, Result]]] = {}
    for key, result in sides[0].items():
        pairs.setdefault(key[0], []).append((result, sides[1][key]))
    gaps = [np.array([a.perplexity - b.perplexity for a, b in rows]) for rows in pairs.values()]
    mean = float(np.mean([g.mean() for g in gaps])) if gaps else float("nan")
    if not np.isfinite(mean):
        return Difference(mean, np.nan, np.nan, np.nan, np.nan, np.nan, 0, len(gaps))
    train = [_over_trials(g) for g in gaps]
    grouped = all(a.bits and len(a.bits) == len(b.bits) for rows in pairs.values() for a, b in rows)
    spread = over_test or (lambda _, rows: _over_sources(rows))
    test = [spread(track, rows) for track, rows in pairs.items()] if grouped else []
    se, df = _combined(train + test, len(gaps))
    half = _half_width(se, df, level)
    parts = (_combined(train, len(gaps))[0], _combined(test, len(gaps))[0] if grouped else float("nan"))
    positive = sum(bool(g.mean() > 0) for g in gaps)
    return Difference(mean, se, mean - half, mean + half, *parts, positive, len(gaps))


def judgments_enough(results: Results, within: float = 0.01) -> dict[str, int | None]:
    """For each model the smallest size from which on its mean perplexity stays within a share of that at the
    largest size.
    Sizes at which no track has more to train on than at the size before are one size: that of the largest
    training set.  within: 0.01: within 1 %, above or below.  Returns dict of model to size: none where the
    largest size's mean is infinite."""
    if not within > 0:
        raise InputError(f"within={within}; expected a share > 0, for example 0.01")
    trained = sizes_trained(results)
    out: dict[str, int | None] = {}
    for model in _models(results):
        curve = [m for m in means(results) if m.model == model and m.train_size in trained]
        last = curve[-1].mean
        enough: int | None = None
        for point in reversed(curve):
            if not abs(point.mean - last) <= last * within:
                break
            enough = trained[point.train_size]
        out[model] = enough if np.isfinite(last) else None
    return out


def sizes_trained(results: Results) -> dict[int, int]:
    """For each size asked for, the largest training set that a track had at it; sizes at which no track had
    more than at the size before are left out."""
    out: dict[int, int] = {}
    before: dict[str, int] = {}
    for size in _sizes(results):
        had = {r.track: r.n_train for r in results if r.train_size == size}
        if any(n > before.get(track, 0) for track, n in had.items()):
            out[size] = max(had.values())
        before = had
    return out


# -- parts of a variance -------------------------------------------------------------------------------------


def _over_trials(values: FloatArray) -> Part:
    """Variance of the mean over trials; nan with one trial."""
    n = len(values)
    return (float(values.var(ddof=1)) / n, n - 1.0) if n > 1 else (float("nan"), 0.0)


def _over_sources(rows: Sequence[tuple[Result, Result]]) -> Part:
    """Delete-a-group jackknife of the mean difference over trials."""
    sizes = np.array(rows[0][0].sizes)
    n = sizes.sum()
    without = np.zeros(len(sizes))
    for a, b in rows:
        for result, sign in ((a, 1.0), (b, -1.0)):
            bits = np.array(result.bits)
            without += sign * 2.0 ** ((bits.sum() - bits) / (n - sizes)) / len(rows)
    g = len(sizes)
    return (g - 1.0) / g * float(np.sum((without - without.mean()) ** 2)), g - 1.0


def _combined(parts: Sequence[Part], tracks: int) -> tuple[float, float]:
    """Standard error of a mean over tracks, and Satterthwaite's degrees of freedom (0: none needed, all
    variances are 0)."""
    total = sum(v for v, _ in parts)
    if not total > 0:  # nan included
        return float(np.sqrt(total)) if total == 0 else float("nan"), 0.0
    return float(np.sqrt(total)) / tracks, total**2 / sum(v**2 / df for v, df in parts if v > 0)


def _half_width(se: float, df: float, level: float) -> float:
    from scipy.special import stdtrit

    if not se > 0:
        return float(se)
    return float(stdtrit(df, (1 + level) / 2)) * se


# -- which results -------------------------------------------------------------------------------------------


def _models(results: Results) -> list[str]:
    return list(dict.fromkeys(r.model for r in results))


def _sizes(results: Results) -> list[int]:
    return sorted({r.train_size for r in results})


def _of(results: Results, model: str, size: int) -> list[Result]:
    return [r for r in results if r.model == model and r.train_size == size]


def _by_track(results: Results) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for r in results:
        found.setdefault(r.track, []).append(r)
    return found


def _mean_in(results: Results, model: str, size: int, track: str) -> float:
    return float(np.mean([r.perplexity for r in _of(results, model, size) if r.track == track]))


@dataclass(frozen=True, eq=False)
class HeldOutClusters:
    """The clusters of each track's test comparisons.
    ways: cluster of each cell of `cells_of`, by each column."""

    columns: tuple[str, ...]
    kind: Kind
    ways: Mapping[str, tuple[IntArray, ...]]

    def n_clusters(self, track: str) -> tuple[int, ...]:
        """In the test set of a track, by each column."""
        return tuple(int(codes.max()) + 1 for codes in self.ways[track])

    @property
    def caution(self) -> str:
        """What to know where a test set has few clusters; "" otherwise."""
        each = ((track, *way) for track in self.ways for way in zip(self.columns, self.n_clusters(track)))
        few = [f"{track}: {n} by {column}" for track, column, n in each if n < FEW]
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


def differences_from_best(results: Results, level: float, clusters: HeldOutClusters) -> list[dict[str, Any]]:
    """For each training size the difference of every model's mean perplexity from the best one's, as JSON rows."""
    out = []
    for best in best_by_size(results, level, clusters.over_test):
        size = best.train_size
        own = _of(results, best.model, size)
        for model in _models(results):
            theirs = _of(results, model, size)
            if model == best.model or not theirs:
                continue
            gap = difference(theirs, own, level, clusters.over_test)
            out.append({"train_size": size, "best": best.model, "model": model, **vars(gap)})
    return out
