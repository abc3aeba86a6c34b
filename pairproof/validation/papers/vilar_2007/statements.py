"""Tests of what papers on comparing translation systems say in words: Vilar, Leusch and Ney (2007); Hopkins
and May (2013).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ....fit.tails import p_equals
from ...statements.registry import Context, Finding, holds, statement_test

if TYPE_CHECKING:
    from ....native.ranking.two_systems import TwoSystems


def _results(context: Context) -> tuple[TwoSystems, ...]:
    from ....native.ranking.two_systems import compare_all_pairs

    return compare_all_pairs(context.data)


def _same_pairs(found: Sequence[TwoSystems], pairs: Sequence[Sequence[str]]) -> bool:
    return sorted({frozenset((r.merged.first, r.merged.second)) for r in found}, key=sorted) == sorted(
        {frozenset(p) for p in pairs}, key=sorted
    )


def _name(result: TwoSystems) -> str:
    return f"{result.merged.first}-{result.merged.second}"


@statement_test("all-pairs-significant-but")
def all_pairs_significant_but(context: Context, *, pairs: Sequence[Sequence[str]]) -> Finding:
    """Summed over judges, every pair differs significantly but these (Vilar's equations 1 and 6)."""
    results = _results(context)
    text = "R over 1.96 se: " + ", ".join(
        f"{_name(r)} {r.merged.R:.4f}/{1.96 * (r.merged.se_vilar or 0):.4f}" for r in results
    )
    text += "; not significant: " + ", ".join(_name(r) for r in results if not r.merged.significant)
    return holds(_same_pairs([r for r in results if not r.merged.significant], pairs), text)


@statement_test("all-pairs-significant-by-votes-but")
def all_pairs_significant_by_votes_but(context: Context, *, pairs: Sequence[Sequence[str]]) -> Finding:
    """By majority vote of the judges, every pair differs significantly but these.

    With the paper's own equation 6 on the votes; where all votes agree it gives standard error 0, and then
    any difference is beyond it.  An exact sign test of the votes stands beside it.
    """
    results = [r for r in _results(context) if r.votes is not None]
    votes = {_name(r): r.votes for r in results if r.votes is not None}
    by_equation = [r for r in results if not _beyond(r)]
    by_sign_test = [r for r in results if votes[_name(r)].p_sign >= context.alpha]
    said = ", ".join(f"{name} {v.wins}-{v.losses}" for name, v in votes.items())
    exact = ", ".join(f"{_name(r)} ({p_equals(votes[_name(r)].p_sign, digits=3)})" for r in by_sign_test)
    if not _same_pairs(by_equation, pairs):
        return Finding.because(
            "false", f"by equation 6 not significant: {', '.join(map(_name, by_equation))}; votes {said}"
        )
    if _same_pairs(by_sign_test, pairs):
        return Finding("agrees", f"votes {said}")
    return Finding.because(
        "equation-6-on-votes",
        f"comes out if equation 6, made for sentences, is applied to {len(results[0].by_judge)} votes (votes"
        f" {said}); by an exact sign test not significant are {exact}",
        "explained",
    )


def _beyond(result: TwoSystems) -> bool:
    votes = result.votes
    assert votes is not None
    return abs(votes.R) > 1.96 * (votes.se_vilar or 0.0)


@statement_test("ranking-by-pairs")
def ranking_by_pairs(context: Context, *, ranking: Sequence[str]) -> Finding:
    """The order that the pairs compared settle, summed over judges; that of the majority votes stands beside
    it.
    """
    from ....native.ranking.pairwise_order import settled_ranking

    results = _results(context)
    found, votes = settled_ranking(results), settled_ranking(results, votes=True)
    text = f"by sums {' '.join(found or ())}" + (
        f"; by majority votes {' '.join(votes or ())}" if votes != found else ", and by majority votes"
    )
    reversals = [r.reversal for r in results if r.reversal]
    return holds(found == tuple(ranking), "; ".join([text, *reversals]))


@statement_test("judges-not-significant")
def judges_not_significant(context: Context) -> Finding:
    """For many judges by themselves the number of samples is too low for a significant result: a third or
    more.
    """
    each = [j for r in _results(context) for j in r.by_judge]
    n = sum(not j.significant for j in each)
    return holds(
        3 * n >= len(each),
        f"{n} of {len(each)} comparisons of one judge are not significant",
        native=float(n),
    )


@statement_test("judges-against-the-rest")
def judges_against_the_rest(context: Context) -> Finding:
    """Some judges prefer the system that all together put second."""
    against = {_name(r): r.against for r in _results(context) if r.against}
    n = sum(map(len, against.values()))
    return holds(
        n > 0,
        f"{n} comparisons of one judge go against the sum: "
        + "; ".join(f"{k} {', '.join(v)}" for k, v in against.items()),
        native=float(n),
    )


@statement_test("bound-not-reached")
def bound_not_reached(context: Context, *, systems: Sequence[int], reached: Sequence[int]) -> Finding:
    """Merge insertion needs more than ceil(log2 n!) comparisons for these numbers of systems, and no more for
    the others.
    """
    from math import factorial

    from ....native.ranking.merge_insertion import worst_case

    above = {n: (worst_case(n), (factorial(n) - 1).bit_length()) for n in systems}
    text = ", ".join(f"n = {n}: {w} against {bound}" for n, (w, bound) in above.items())
    return holds(
        all(w > bound for w, bound in above.values())
        and all(worst_case(n) == (factorial(n) - 1).bit_length() for n in reached),
        text,
    )


@statement_test("least-compared-source")
def least_compared_source(context: Context, *, tracks: Mapping[str, Sequence[str]], at_least: int) -> Finding:
    """Every source segment has at least so many comparisons."""
    from .computations import on_least_compared_source, tracks as read_tracks

    least = {name: on_least_compared_source(t) for name, t in read_tracks(context.table, tracks).items()}
    text = "the least compared segment has: " + ", ".join(f"{name} {n:g}" for name, n in least.items())
    return holds(min(least.values()) >= at_least, text, native=min(least.values()))


@statement_test("track-sizes")
def track_sizes(context: Context, *, tracks: Mapping[str, Sequence[str]], low: int, high: int) -> Finding:
    """Every track has between `low` and `high` comparisons."""
    from .computations import tracks as read_tracks

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
def distinct_rankings(
    context: Context, *, tracks: Mapping[str, Sequence[str]], track: str, at_least: int
) -> Finding:
    """The ranking rules in use (ORIGWMT, BOJAR, Lopez's, Most Probable Ranking, Playoffs, Expected Wins) give
    so many different rankings.
    """
    from ....native.ranking.all_rules import all_rankings
    from .computations import tracks as read_tracks

    rankings = all_rankings(read_tracks(context.table, {track: tracks[track]})[track])
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
