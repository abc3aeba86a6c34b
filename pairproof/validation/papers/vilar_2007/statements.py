"""Tests of what Vilar, Leusch and Ney (2007) say in words."""


from __future__ import annotations

from collections.abc import Sequence
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
        (
            f"comes out if equation 6, made for sentences, is applied to {len(results[0].by_judge)} votes"
            f" (votes {said}); by an exact sign test not significant are {exact}"
        ),
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
