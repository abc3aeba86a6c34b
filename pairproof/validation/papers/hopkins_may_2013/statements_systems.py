"""Tests of what Hopkins and May (2013) say of one track's systems, distinguished by their abilities and under
clustering, of the rankings and the rules that rank, and of their models' formulas.

Under clustering one model of all comparisons of a track, Davidson's; each difference of two systems with its
model-based standard error and with cluster-robust ones, by judge, by source segment, by both.  A judge ranks
many sentences, and a sentence is ranked by several judges, so answers go together both ways.  So do the ten
comparisons that one ranking of five systems encodes, which are of one judge and on one source segment: either
way of clustering takes them together.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, product
from statistics import median

from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....data.reading.layouts import read
from ....errors import RankingWarning
from ....fit.estimates.tails import p_words
from ....fit.fit import Fit
from ....native.comparisons.counts.llbt import fit_llbt
from ....native.competitions.experiment.learning_curves import TrialAbilities
from ....native.competitions.irt.gaussian_irt import fit_irt_gaussian
from ....numerics.arrays import FloatArray
from ...statements.registers import Context, Finding, holds, statement_test
from ...statements.under_clustering import CODE, Effect, effects_of, order_open, rough, ways_of
from .computations import Tracks, clusters_of, one_track, read_tracks
from .statements_experiment import abilities_of, paper_splits

#: Ways of clustering that rankings of translations allow.
WAYS = ("judge", "source", "judge and source")


@dataclass(frozen=True)
class Way:
    """All pairs of a track's systems under one way of clustering."""

    by: str
    n_clusters: tuple[int, ...]
    ratio: float
    remain: int


@dataclass(frozen=True)
class TrackTold:
    """Which pairs of a track's systems are distinguished."""

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
    ways = []
    for k, (name, columns) in enumerate(zip(by, ways_of(by))):
        n_clusters = tuple(len(clusters_of(table, column)) for column in columns)
        ratio = median(e.clustered[k].se / e.independent.se for e in effects)
        ways.append(Way(name, n_clusters, ratio, sum(e.clustered[k].significant(alpha) for e in significant)))
    return TrackTold(float(table.n_comparisons), len(effects), len(significant), tuple(ways))


@statement_test("ability-bands")
def ability_bands(
    context: Context, *, tracks: Tracks, track: str, size: int, bands: Sequence[int], first: str, draws: int
) -> Finding:
    """Cut where neighbours are farthest apart, the ranking by ability falls into bands of these sizes, this
    system alone on top.

    Five random training sets are one draw; whether others fall into the same bands is tried with other seeds.
    """
    split = paper_splits({track: one_track(context.table, tracks, track)})[track]
    found = abilities_of(split, track, size)
    cut = found.bands(len(bands))
    value = dict(zip(found.items, found.mean))
    text = " | ".join(", ".join(f"{name} {value[name]:.2f}" for name in band) for band in cut)

    def as_said(seen: TrialAbilities) -> bool:
        return [len(band) for band in seen.bands(len(bands))] == list(bands) and seen.ranking[0] == first

    others = [abilities_of(split, track, size, seed) for seed in range(1, draws + 1)]
    share = sum(map(as_said, others))
    same = sum(_members(seen, bands) == _members(found, bands) for seen in others)
    edge = sum(bands[:2])
    text += (
        f"; of {draws} other draws of five training sets, {share} have these bands,"
        f" {draws - sum(seen.ranking[0] != first for seen in others)} have {first} on top, {same} have the"
        f" same systems in places 1, 2-{edge}, {edge + 1}-{edge + bands[2]} and {edge + bands[2] + 1}"
    )
    if as_said(found):
        return Finding("agrees", text)
    if share:
        some = f"holds for some random training sets, but not for these: {text}"
        return Finding.because("other-training-sets", some, "explained")
    return Finding.because("false", text)


def _members(found: TrialAbilities, bands: Sequence[int]) -> list[frozenset[str]]:
    """The systems in the places of each band."""
    ends = [sum(bands[:k]) for k in range(len(bands) + 1)]
    return [frozenset(found.ranking[a:b]) for a, b in zip(ends, ends[1:])]


#: P(one is better than the other) between these leaves the order open.
OPEN = (0.05, 0.95)


@statement_test("any-order-arbitrary")
def any_order_arbitrary(
    context: Context, *, tracks: Tracks, track: str, size: int, systems: Sequence[str]
) -> Finding:
    """From so many comparisons, no two of these systems can be put in order: P(better), mean of the trials,
    within 0.05 and 0.95.

    If all comparisons of the track do put them in order, that is said, and the statement holds for the
    smaller number only.
    """
    table = one_track(context.table, tracks, track)
    found = abilities_of(paper_splits({track: table})[track], track, size)
    pairs = [(a, b) for k, a in enumerate(systems) for b in systems[k + 1 :]]
    part = {(a, b): _p_better(found.items, found.p_better, a, b) for a, b in pairs}
    all_ = p_better_from_all(table, pairs)
    text = "; ".join(
        f"P({a} better than {b}) {part[a, b]:.2f} from {size}, {all_[a, b]:.3f} from all"
        f" {table.n_comparisons:,.0f}"
        for a, b in pairs
    )
    first = [max(systems, key=lambda s: float(row[found.items.index(s)])) for row in found.trials]
    text += f"; best of them in the {len(first)} trials: {', '.join(first)}"
    if not all(map(_open, part.values())):
        return Finding.because("false", text)
    if not all(map(_open, all_.values())):
        return Finding.because(
            "smaller-sample", f"holds from {size} comparisons, but not from all: {text}", "explained"
        )
    return Finding("agrees", text)


def p_better_from_all(table: Comparisons, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """P(first better than second) by IRT-Gaussian from all comparisons, which it takes as independent."""
    whole = fit_irt_gaussian(table, warmup=100, draws=500, seed=1, warn=False)
    return {(a, b): _p_better(whole.items, whole.p_better, a, b) for a, b in pairs}


def _p_better(items: Sequence[str], p: FloatArray, a: str, b: str) -> float:
    for name in (a, b):
        one_of("system", name, tuple(items))
    return float(p[items.index(a), items.index(b)])


def _open(p: float) -> bool:
    return OPEN[0] <= p <= OPEN[1]


@statement_test("order-open-in-track-by-cluster")
def order_open_in_track_by_cluster(
    context: Context, *, tracks: Tracks, track: str, systems: Sequence[str], by: Sequence[str] = WAYS
) -> Finding:
    """No two of these systems of a track can be put in order, from all comparisons clustered.

    Davidson's model; beside it the probability by the paper's own model from all comparisons, which takes
    them as independent.
    """
    table = one_track(context.table, tracks, track)
    pairs = list(combinations(systems, 2))
    found = order_open(effects_of(fit_track(table), by, pairs), context.alpha)
    better = p_better_from_all(table, pairs)
    text = (
        f"{found.explanation}. By IRT-Gaussian from all {table.n_comparisons:,.0f} comparisons: "
        + ", ".join(f"P({a} better than {b}) {p:.3f}" for (a, b), p in better.items())
    )
    return Finding(found.verdict, text, found.native, found.code)


@statement_test("bands-by-cluster")
def bands_by_cluster(
    context: Context,
    *,
    tracks: Tracks,
    track: str,
    above: Sequence[str],
    below: Sequence[str],
    by: Sequence[str] = WAYS,
) -> Finding:
    """Every system of one band stands above every system of the next, from all comparisons clustered."""
    fit = fit_track(one_track(context.table, tracks, track))
    effects = effects_of(fit, by, list(product(above, below)))
    n = len(effects)
    told = sum(e.independent.significant(context.alpha, e.sign) for e in effects)
    lost = [_lost(effects, way, context.alpha) for way in range(len(by))]
    counts = "; ".join(
        f"{tests[0].title} {n - len(names)}" + (f" (not {', '.join(names)})" if names else "")
        for tests, names in zip(zip(*(e.clustered for e in effects)), lost)
    )
    text = (
        f"of {n} pairs across the bands, distinguished with independent answers: {told}; {counts}. Closest:"
        f" {_nearest(effects)}"
    )
    weakest = max((test for e in effects for test in e.clustered), key=lambda test: test.p).statistic
    if told < n:
        return holds(False, text, native=weakest)
    if not any(lost):
        return Finding("agrees", f"survives clustering: {text}", weakest)
    some = "holds if all answers are independent; some pairs do not survive clustering"
    return Finding.because(CODE, f"{some}: {text}{rough(effects)}", "explained", weakest)


def _lost(effects: Sequence[Effect], way: int, alpha: float) -> list[str]:
    return [e.name for e in effects if not e.clustered[way].significant(alpha, e.sign)]


def _nearest(effects: Sequence[Effect]) -> str:
    """The pair whose largest clustered p is the largest of all, in numbers."""
    e = max(effects, key=lambda e: max(test.p for test in e.clustered))
    own = e.independent
    tests = (f"{t.statistic:.2f} on {t.df:.1f} df (p = {p_words(t.p, digits=2)})" for t in e.clustered)
    return f"{e.name} {own.estimate:.4f}, z = {own.statistic:.2f}, clustered t = {', '.join(tests)}"


@statement_test("least-compared-source")
def least_compared_source(context: Context, *, tracks: Tracks, at_least: int) -> Finding:
    """Every source segment has at least so many comparisons."""
    found = read_tracks(context.table, tracks)
    least = {name: float(clusters_of(table, "source").min()) for name, table in found.items()}
    text = "the least compared segment has: " + ", ".join(f"{name} {n:g}" for name, n in least.items())
    return holds(min(least.values()) >= at_least, text, native=min(least.values()))


@statement_test("track-sizes")
def track_sizes(context: Context, *, tracks: Tracks, low: int, high: int) -> Finding:
    """Every track has between `low` and `high` comparisons."""
    sizes = {name: t.n_comparisons for name, t in read_tracks(context.table, tracks).items()}
    outside = {name: n for name, n in sizes.items() if not low <= n <= high}
    text = f"from {min(sizes.values()):,.0f} to {max(sizes.values()):,.0f}"
    if outside:
        text += "; outside: " + ", ".join(f"{name} {n:,.0f}" for name, n in outside.items())
    return holds(not outside, text)


@statement_test("duplicated-system")
def duplicated_system(context: Context) -> Finding:
    """ORIGWMT of two equal systems is 2/3 each; with B submitted twice A's stays and B's is 5/6."""
    from ....native.competitions.ranking.ranking_rules import orig_wmt

    thirds = {"wins": [1, 1, 0], "ties": [1, 1, 3], "losses": [1, 1, 0]}
    one = orig_wmt(read({"first": ["A"], "second": ["B"], **{k: v[:1] for k, v in thirds.items()}})).to_dict()
    two = orig_wmt(read({"first": ["A", "A", "B"], "second": ["B", "C", "C"], **thirds})).to_dict()
    text = f"one B: A {one['A']:.4f}, B {one['B']:.4f}; two: A {two['A']:.4f}, B {two['B']:.4f}"
    wanted = ((one["A"], 2 / 3), (one["B"], 2 / 3), (two["A"], 2 / 3), (two["B"], 5 / 6))
    return holds(all(value is not None and abs(value - right) < 1e-12 for value, right in wanted), text)


@statement_test("distinct-rankings")
def distinct_rankings(context: Context, *, tracks: Tracks, track: str, at_least: int) -> Finding:
    """The ranking rules in use give so many different rankings."""
    from ....native.competitions.ranking.ranking_rules import all_rankings

    rankings = all_rankings(one_track(context.table, tracks, track))
    different = len({r.ranking for r in rankings.values() if r.ranking})
    text = f"{different} different rankings by {len(rankings)} rules: " + "; ".join(
        f"{name} {' '.join(r.ranking) or r.notes[0]}" for name, r in rankings.items()
    )
    return holds(different >= at_least, text, native=float(different))


@statement_test("agreement-of-judges")
def agreement_of_judges(context: Context, *, low: str, high: str) -> Finding:
    """Two judges of the same two outputs say the same in a share of cases between these."""
    from ....native.competitions.experiment.judge_agreement import judge_agreement

    found = judge_agreement(read(context.table, layout="rankings"), tracks=("srclang", "trglang"))
    text = (
        f"{found.agreeing:,} of {found.pairs:,} pairs of judgments by {found.judges} judges agree,"
        f" {100 * found.share:.1f} %; kappa {found.kappa:.3f}"
    )
    return holds(float(low) <= found.share <= float(high), text, native=found.share)


@statement_test("spearman-favours")
def spearman_favours(
    context: Context, *, gold: Sequence[str], rankings: Sequence[Sequence[str]], favoured: int
) -> Finding:
    """Of several rankings, Spearman's rho with the gold ranking is largest for this one (counted from 1)."""
    n = len(gold)
    rho = [
        1.0 - 6.0 * sum((gold.index(s) - ranking.index(s)) ** 2 for s in gold) / (n * (n * n - 1))
        for ranking in rankings
    ]
    text = ", ".join(f"({k}) {value:.2f}" for k, value in enumerate(rho, 1))
    own, others = rho[favoured - 1], rho[: favoured - 1] + rho[favoured:]
    return holds(all(own > value for value in others), f"Spearman's rho: {text}", native=own)


@statement_test("tie-within-radius")
def tie_within_radius(context: Context, *, radius: int) -> Finding:
    """Whether whole-numbered qualities ever tie, ties being differences lower than this radius."""
    from ....native.competitions.irt.categorical_irt import CategoricalModel

    model = CategoricalModel(radius=radius)
    within = float(model.likelihood[0].mean())
    none = sum(abs(a - b) < radius for a in range(model.levels) for b in range(model.levels))
    text = (
        f"with radius {radius}, {none} of the {model.levels**2} differences are smaller, so no tie"
        ' could happen and any tie in a test set would have probability 0; with "at most" a tie has'
        f' probability {within:.3f} on average; it should read "at most"'
    )
    return holds(none > 0, text, "erratum", verdict="differs")


@statement_test("example-of-figure-1")
def example_of_figure_1(
    context: Context,
    *,
    qualities: Sequence[str],
    noises: Sequence[str],
    seen: Sequence[str],
    radius: str,
    preference: int,
) -> Finding:
    """Quality plus noise is what is seen, and what is seen decides as the figure says."""
    sums = [Decimal(q) + Decimal(e) for q, e in zip(qualities, noises)]
    gap = sums[0] - sums[1]
    found = 0 if abs(gap) < Decimal(radius) else 1 if gap > 0 else 2
    text = f"observed {', '.join(map(str, sums))}; they differ by {abs(gap)}, radius {radius}: preference {found}"
    return holds(sums == [Decimal(s) for s in seen] and found == preference, text)
