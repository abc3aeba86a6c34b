"""Vilar, Leusch, Ney and Banchs (2007): sums over judges and comparisons to sort, and tests of what they say in
words and call significant, also with a judge, not a sentence, as the unit: every pair of Table 2, and the
ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....data.comparisons import Comparisons
from ....errors import InputError
from ....fit.estimates.tails import p_equals, p_words
from ....native.comparisons.contests.bradley_terry import fit_bradley_terry
from ....native.competitions.ranking.two_systems import (
    BinaryResult,
    TwoSystems,
    TwoSystemTests,
    answers_of,
    compare_all_pairs,
)
from ...statements.registers import Computed, Context, Finding, Request, computation, holds, statement_test
from ...statements.under_clustering import CODE, EffectTest, effects_of


@computation("sums-by-pair")
def sums_by_pair(request: Request) -> Computed:
    """first.A-B, second.A-B and difference.A-B of every pair: sentences, summed over judges."""
    found: dict[str, float] = {}
    for result in compare_all_pairs(request.data_of(request.data)):
        m, pair = result.merged, _name(result)
        found[f"first.{pair}"], found[f"second.{pair}"] = float(m.wins), float(m.losses)
        found[f"difference.{pair}"] = float(abs(m.wins - m.losses))
    return Computed(native=found)


@computation("merge-insertion")
def merge_insertion(request: Request) -> Computed:
    """worst.N: the most comparisons that merge insertion asks for N systems; args: `systems`, the Ns."""
    from ....native.competitions.ranking.merge_insertion import worst_case

    return Computed(native={f"worst.{n}": float(worst_case(n)) for n in request.wholes("systems")})


@dataclass(frozen=True)
class PairByJudges:
    """One pair of systems: the paper's sum of sentences, and tests that take a judge as the unit."""

    merged: BinaryResult
    tests: TwoSystemTests
    cluster: EffectTest

    @property
    def name(self) -> str:
        return f"{self.merged.first}-{self.merged.second}"

    def significant(self, alpha: float) -> bool:
        """By judges' means."""
        return self.tests.judge_means.p < alpha

    def __str__(self) -> str:
        m, means, differ = self.merged, self.tests.judge_means, self.tests.judges_differ
        return (
            f"{m.m} sentences summed: R = {m.R:.4f}, se {m.se_vilar or 0:.4f}, R / se = {m.z or 0:.2f}; means"
            f" of {means.df + 1:.0f} judges: t = {means.statistic:.2f} on {means.df:.0f} df, p"
            f" = {p_words(means.p, digits=2)}; exact sign flips p = {p_words(self.tests.sign_flips.p, digits=2)};"
            f" clustered log-odds {self.cluster.estimate:.4f}, CR2 {self.cluster}. Judges differ: chi-square"
            f" {differ.statistic:.1f} on {differ.df:.0f} df, p = {p_words(differ.p, digits=2)}"
        )


def pairs_by_judges(table: Comparisons) -> tuple[PairByJudges, ...]:
    """Every pair of systems that was compared, in the order of the table's pairs."""
    return tuple(_pair(table, two) for two in compare_all_pairs(table))


def _pair(table: Comparisons, two: TwoSystems) -> PairByJudges:
    items = (two.merged.first, two.merged.second)
    rows = answers_of(table, *items).rows
    fit = fit_bradley_terry(table.select(rows), ties="drop", reference=items[1])
    (effect,) = effects_of(fit, ["judge"], [items])
    return PairByJudges(two.merged, two.tests, effect.clustered[0])


def _same_pairs(found: Sequence[TwoSystems], pairs: Sequence[Sequence[str]]) -> bool:
    return {frozenset((r.merged.first, r.merged.second)) for r in found} == {frozenset(p) for p in pairs}


def _name(result: TwoSystems) -> str:
    return f"{result.merged.first}-{result.merged.second}"


@statement_test("all-pairs-significant-but")
def all_pairs_significant_but(context: Context, *, pairs: Sequence[Sequence[str]]) -> Finding:
    """Summed over judges, every pair differs significantly but these (Vilar's equations 1 and 6)."""
    results = compare_all_pairs(context.data)
    text = "R over 1.96 se: " + ", ".join(
        f"{_name(r)} {r.merged.R:.4f}/{1.96 * (r.merged.se_vilar or 0):.4f}" for r in results
    )
    text += "; not significant: " + ", ".join(_name(r) for r in results if not r.merged.significant)
    return holds(_same_pairs([r for r in results if not r.merged.significant], pairs), text)


@statement_test("all-pairs-significant-by-votes-but")
def all_pairs_significant_by_votes_but(context: Context, *, pairs: Sequence[Sequence[str]]) -> Finding:
    """By majority vote of the judges, every pair differs significantly but these.

    With the paper's own equation 6 on the votes; where all votes agree it gives standard error 0, and then
    any difference is beyond it.  An exact sign test of the votes is next to it.
    """
    results = [r for r in compare_all_pairs(context.data) if r.votes is not None]
    votes = {_name(r): r.votes for r in results if r.votes is not None}
    by_equation = [r for r in results if abs(votes[_name(r)].R) <= 1.96 * (votes[_name(r)].se_vilar or 0.0)]
    by_sign_test = [r for r in results if votes[_name(r)].p_sign >= context.alpha]
    said = ", ".join(f"{name} {v.wins}-{v.losses}" for name, v in votes.items())
    exact = ", ".join(f"{_name(r)} ({p_equals(votes[_name(r)].p_sign, digits=3)})" for r in by_sign_test)
    if not _same_pairs(by_equation, pairs):
        which = ", ".join(map(_name, by_equation))
        return Finding.because("false", f"not significant by equation 6: {which}; votes {said}")
    if _same_pairs(by_sign_test, pairs):
        return Finding("agrees", f"votes {said}")
    holds_if = f"holds if equation 6, meant for sentences, is applied to {len(results[0].by_judge)} votes"
    text = f"{holds_if} (votes {said}); not significant by an exact sign test: {exact}"
    return Finding.because("equation-6-on-votes", text, "explained")


@statement_test("ranking-by-pairs")
def ranking_by_pairs(context: Context, *, ranking: Sequence[str]) -> Finding:
    """The order that the pairs settle, summed over judges, beside that of the majority votes."""
    from ....native.competitions.ranking.ranking_rules import settled_ranking

    results = compare_all_pairs(context.data)
    found, votes = settled_ranking(results), settled_ranking(results, votes=True)
    by_votes = f"; by majority votes {' '.join(votes or ())}" if votes != found else ", and by majority votes"
    text = f"by sums {' '.join(found or ())}{by_votes}"
    reversals = [r.reversal for r in results if r.reversal]
    return holds(found == tuple(ranking), "; ".join([text, *reversals]))


@statement_test("judges-not-significant")
def judges_not_significant(context: Context) -> Finding:
    """For a third or more of the judges the samples are too few for a significant result."""
    each = [j for r in compare_all_pairs(context.data) for j in r.by_judge]
    n = sum(not j.significant for j in each)
    text = f"{n} of {len(each)} comparisons by single judges are not significant"
    return holds(3 * n >= len(each), text, native=float(n))


@statement_test("judges-against-the-rest")
def judges_against_the_rest(context: Context) -> Finding:
    """Some judges prefer the system that all together put second."""
    against = {_name(r): r.against for r in compare_all_pairs(context.data) if r.against}
    n = sum(map(len, against.values()))
    which = "; ".join(f"{k} {', '.join(v)}" for k, v in against.items())
    return holds(n > 0, f"{n} comparisons by single judges contradict the sum: {which}", native=float(n))


@statement_test("bound-not-reached")
def bound_not_reached(context: Context, *, systems: Sequence[int], reached: Sequence[int]) -> Finding:
    """Merge insertion needs more than ceil(log2 n!) comparisons for these numbers of systems alone."""
    from math import factorial

    from ....native.competitions.ranking.merge_insertion import worst_case

    found = {n: (worst_case(n), (factorial(n) - 1).bit_length()) for n in (*systems, *reached)}
    text = ", ".join(f"n = {n}: {found[n][0]} versus {found[n][1]}" for n in dict.fromkeys(systems))
    above, level = ([found[n] for n in of] for of in (systems, reached))
    return holds(all(w > bound for w, bound in above) and all(w == bound for w, bound in level), text)


@statement_test("pair-by-judges")
def pair_by_judges(context: Context, *, pair: Sequence[str], significant: bool) -> Finding:
    """What the sum of sentences says about a pair, a difference or none, is what the means of the judges say.

    The verdict is that of the t test of the judges' means; sign flips, the clustered log-odds and the test
    that judges answer alike are next to it.
    """
    found = _of(pairs_by_judges(context.data), pair)
    said, statistic = str(found), found.tests.judge_means.statistic
    if bool(found.merged.significant) != significant:
        return holds(False, f"the sum over judges says the opposite. {said}", native=found.merged.z)
    if found.significant(context.alpha) == significant:
        kept = "the difference" if significant else "the finding of no significant difference"
        return Finding("agrees", f"{kept} survives clustering by judge. {said}", statistic)
    text = f"holds if all sentences are independent, but does not survive clustering by judge. {said}"
    return Finding.because(CODE, text, "explained", statistic)


def _of(pairs: Sequence[PairByJudges], asked: Sequence[str]) -> PairByJudges:
    for found in pairs:
        if {found.merged.first, found.merged.second} == set(asked):
            return found
    raise InputError(
        f"pair {list(asked)}; the pairs that were compared are {', '.join(found.name for found in pairs)}"
    )
