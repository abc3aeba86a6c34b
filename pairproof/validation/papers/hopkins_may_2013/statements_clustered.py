"""Tests of what Hopkins and May (2013) say of one track's systems, from all its comparisons and under
clustering.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from ....fit.tails import p_words
from ...statements.clustered import CODE, Effect, effects_of, order_open, rough
from ...statements.registry import Context, Finding, holds, statement_test
from .clusters import WAYS, fit_track
from .statements_abilities import p_better_from_all
from .tracks import Tracks, one_track


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
        f"of {n} pairs across the bands told apart: independent answers {told}; {counts}. Nearest:"
        f" {_nearest(effects)}"
    )
    weakest = max((test for e in effects for test in e.clustered), key=lambda test: test.p).statistic
    if told < n:
        return holds(False, text, native=weakest)
    if not any(lost):
        return Finding("agrees", f"survives clustering: {text}", weakest)
    return Finding.because(
        CODE,
        (
            "comes out if all answers are independent; some pairs do not survive clustering:"
            f" {text}{rough(effects)}"
        ),
        "explained",
        weakest,
    )


def _lost(effects: Sequence[Effect], way: int, alpha: float) -> list[str]:
    return [e.name for e in effects if not e.clustered[way].significant(alpha, e.sign)]


def _nearest(effects: Sequence[Effect]) -> str:
    """The pair whose largest clustered p is the largest of all, in numbers."""
    e = max(effects, key=lambda e: max(test.p for test in e.clustered))
    clustered = ", ".join(
        f"{test.statistic:.2f} on {test.df:.1f} df (p = {p_words(test.p, digits=2)})" for test in e.clustered
    )
    return (
        f"{e.name} {e.independent.estimate:.4f}, z = {e.independent.statistic:.2f}, clustered t = {clustered}"
    )
