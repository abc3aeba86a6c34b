"""Tests of what Hopkins and May (2013) say of one track's systems: which are told apart by their abilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....native.experiment.trial_abilities import TrialAbilities
from ....native.irt.gaussian import fit_irt_gaussian
from ...statements.registry import Context, Finding, statement_test
from .experiment import abilities_of, paper_splits
from .tracks import Tracks, one_track

FloatArray = NDArray[np.float64]


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
        f"; of {draws} other draws of five training sets {share} are cut so,"
        f" {draws - sum(seen.ranking[0] != first for seen in others)} have {first} on top, {same} have the"
        f" same systems in places 1, 2-{edge}, {edge + 1}-{edge + bands[2]} and {edge + bands[2] + 1}"
    )
    if as_said(found):
        return Finding("agrees", text)
    if share:
        return Finding.because(
            "other-training-sets",
            f"comes out for some random training sets, not for these: {text}",
            "explained",
        )
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
    text += f"; first of them in the {len(first)} trials: {', '.join(first)}"
    if not all(map(_open, part.values())):
        return Finding.because("false", text)
    if not all(map(_open, all_.values())):
        return Finding.because(
            "smaller-sample",
            f"comes out from {size} comparisons, not from all that were made: {text}",
            "explained",
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
