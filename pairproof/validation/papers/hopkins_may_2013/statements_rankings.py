"""Tests of what Hopkins and May (2013) say of the rankings, of rules that rank, and of their models' formulas."""

from __future__ import annotations

from collections.abc import Sequence

from ...statements.registry import Context, Finding, holds, statement_test
from .tracks import Tracks, on_least_compared_source, one_track, read_tracks


@statement_test("least-compared-source")
def least_compared_source(context: Context, *, tracks: Tracks, at_least: int) -> Finding:
    """Every source segment has at least so many comparisons."""
    least = {name: on_least_compared_source(t) for name, t in read_tracks(context.table, tracks).items()}
    text = "the least compared segment has: " + ", ".join(f"{name} {n:g}" for name, n in least.items())
    return holds(min(least.values()) >= at_least, text, native=min(least.values()))


@statement_test("track-sizes")
def track_sizes(context: Context, *, tracks: Tracks, low: int, high: int) -> Finding:
    """Every track has between `low` and `high` comparisons."""
    sizes = {name: t.n_comparisons for name, t in read_tracks(context.table, tracks).items()}
    outside = {name: n for name, n in sizes.items() if not low <= n <= high}
    text = f"from {min(sizes.values()):,.0f} to {max(sizes.values()):,.0f}" + (
        "; outside: " + ", ".join(f"{name} {n:,.0f}" for name, n in outside.items()) if outside else ""
    )
    return holds(not outside, text)


@statement_test("duplicated-system")
def duplicated_system(context: Context) -> Finding:
    """ORIGWMT of two equally good systems is 2/3 each; with B submitted twice that of A stays and that of B
    is 5/6.
    """
    from ....data.reading import read
    from ....native.ranking.shared_task_rules import orig_wmt

    thirds = {"wins": [1, 1, 0], "ties": [1, 1, 3], "losses": [1, 1, 0]}
    one = orig_wmt(read({"first": ["A"], "second": ["B"], **{k: v[:1] for k, v in thirds.items()}})).to_dict()
    two = orig_wmt(read({"first": ["A", "A", "B"], "second": ["B", "C", "C"], **thirds})).to_dict()
    text = f"one B: A {one['A']:.4f}, B {one['B']:.4f}; two: A {two['A']:.4f}, B {two['B']:.4f}"
    wanted = ((one["A"], 2 / 3), (one["B"], 2 / 3), (two["A"], 2 / 3), (two["B"], 5 / 6))
    return holds(all(value is not None and abs(value - right) < 1e-12 for value, right in wanted), text)


@statement_test("distinct-rankings")
def distinct_rankings(context: Context, *, tracks: Tracks, track: str, at_least: int) -> Finding:
    """The ranking rules in use (ORIGWMT, BOJAR, Lopez's, Most Probable Ranking, Playoffs, Expected Wins) give
    so many different rankings.
    """
    from ....native.ranking.all_rules import all_rankings

    rankings = all_rankings(one_track(context.table, tracks, track))
    different = len({r.ranking for r in rankings.values() if r.ranking})
    text = f"{different} different rankings by {len(rankings)} rules: " + "; ".join(
        f"{name} {' '.join(r.ranking) or r.notes[0]}" for name, r in rankings.items()
    )
    return holds(different >= at_least, text, native=float(different))


@statement_test("agreement-of-judges")
def agreement_of_judges(context: Context, *, low: str, high: str) -> Finding:
    """Two judges of the same two outputs say the same in a share of cases between these."""
    from ....data.reading import read
    from ....native.experiment.judge_agreement import judge_agreement

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
    return holds(
        all(rho[favoured - 1] > value for k, value in enumerate(rho, 1) if k != favoured),
        f"Spearman's rho: {text}",
        native=rho[favoured - 1],
    )


@statement_test("tie-within-radius")
def tie_within_radius(context: Context, *, radius: int) -> Finding:
    """Ties are differences lower than the radius: with whole-numbered qualities and this radius, whether
    there is any tie.
    """
    from ....native.irt.categorical import CategoricalModel

    model = CategoricalModel(radius=radius)
    within = float(model.likelihood[0].mean())
    none = sum(abs(a - b) < radius for a in range(model.levels) for b in range(model.levels))
    text = (
        f"with radius {radius}, {none} of the {model.levels**2} differences are lower than it, so no tie"
        ' could happen and any tie in a test set would have probability 0; with "at most" a tie has'
        f" probability {within:.3f} on average: it should be at most"
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
    from decimal import Decimal

    sums = [Decimal(q) + Decimal(e) for q, e in zip(qualities, noises)]
    gap = sums[0] - sums[1]
    found = 0 if abs(gap) < Decimal(radius) else 1 if gap > 0 else 2
    text = f"seen {', '.join(map(str, sums))}; they differ by {abs(gap)}, radius {radius}: preference {found}"
    return holds(sums == [Decimal(s) for s in seen] and found == preference, text)
