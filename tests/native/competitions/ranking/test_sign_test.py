"""The sign test and Friedman's test, against closed forms, scipy and R."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.native.competitions.ranking.sign_test import (
    binomial_p,
    first_preferences_by_judge,
    friedman,
    friedman_by_judge,
    sign_test,
)

#: Sprent and Smeeton's rule needs nothing but counts; these are Dras's (2015), Figure 1(c).
MODPREF, COLLINS = (61, 35, 24), (83, 39, 77)


@pytest.mark.parametrize(("counts", "dropped"), [(MODPREF, 0.0103459), (COLLINS, 8.40739e-05)])
def test_dras_sign_tests_with_ties_dropped_have_the_p_of_binom_test(counts, dropped):
    assert sign_test(*counts).p == pytest.approx(dropped, rel=5e-6)  # six digits of R's printout


def test_an_odd_number_of_ties_split_drops_one_and_says_so():
    test = sign_test(*COLLINS, rule="split")
    assert (test.wins, test.losses, test.dropped) == (121, 77, 1)
    assert "and the one left over is dropped" in str(test)
    assert sign_test(*MODPREF, rule="split").dropped == 0


def test_dropped_ties_are_counted_in_the_sentence():
    assert "24 ties dropped" in str(sign_test(*MODPREF))


@pytest.mark.parametrize("n", [1, 2, 7, 30, 121, 1000])
def test_the_two_sided_p_is_the_sum_of_all_probabilities_not_larger_than_the_observed_one(n):
    for x in range(0, n + 1, max(1, n // 7)):
        p = np.array([float(stats.binom.pmf(k, n, 0.5)) for k in range(n + 1)])
        assert binomial_p(x, n) == pytest.approx(float(p[p <= p[x] * (1 + 1e-7)].sum()), rel=1e-12)


def test_the_tail_of_many_answers_is_the_exact_ratio_and_no_coefficient_is_computed_anew():
    """A coefficient of its own for each term takes time with the cube of the number of answers."""
    called = []
    binomial_p.cache_clear()
    sys.setprofile(
        lambda frame, event, what: called.append(what) if event == "c_call" and what is comb else None
    )
    try:
        found = {n: [binomial_p(k, n) for k in (0, 1, n // 3, n // 2 - 1)] for n in (7, 1074, 1500)}
    finally:
        sys.setprofile(None)
    for n, ps in found.items():
        for k, p in zip((0, 1, n // 3, n // 2 - 1), ps):
            assert p == float(Fraction(2 * sum(comb(n, j) for j in range(k + 1)), 2**n))
    assert called == []


def test_even_preferences_have_p_1_and_a_single_one_too():
    assert binomial_p(5, 10) == binomial_p(1, 1) == 1.0


@pytest.mark.nightly
def test_the_tail_is_the_same_on_both_sides_of_the_change_to_the_beta_function():
    """Observed 14.3 digits: bdtr's own error in a tail of 1e-3."""
    n, x = 10_001, 4_830
    exact = float(Fraction(2 * sum(comb(n, k) for k in range(x + 1)), 2**n))
    assert binomial_p(x, n) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("counts", [(1.5, 2, 0), (-1, 2, 0), (1, 2, float("nan")), (0, 0, 0), (0, 0, 1)])
def test_counts_that_are_no_counts_are_refused(counts):
    with pytest.raises(InputError):
        sign_test(*counts, rule="split")


def test_an_unknown_rule_is_refused_with_the_rules_there_are():
    with pytest.raises(InputError, match="'drop', 'split'"):
        sign_test(1, 2, 3, rule="half")


def table_1(dras_rows):
    items, judges = "ABCD", "1234"
    return Comparisons.build(
        list(items),
        [items.index(r[1]) for r in dras_rows],
        [items.index(r[2]) for r in dras_rows],
        [r[3] for r in dras_rows],
        [r[4] for r in dras_rows],
        [r[5] for r in dras_rows],
        columns={"judge": Factor(np.array([judges.index(r[0]) for r in dras_rows]), tuple(judges))},
    )


@pytest.fixture(scope="module")
def dras(root_rows):
    return table_1(root_rows)


@pytest.fixture(scope="module")
def root_rows():
    from tests.certified.load import load_data

    return [
        (str(r["judge"]), r["first"], r["second"], r["wins"], r["ties"], r["losses"])
        for r in load_data("dras-table1")["rows"]
    ]


def test_first_preferences_by_judge_add_up_to_the_papers_totals(dras):
    won = first_preferences_by_judge(dras)
    assert won.sum(axis=0).tolist() == [402, 127, 54, 334]  # A, B, C, D: the ranking A-D-B-C of section 2


def test_friedman_is_scipys_on_the_same_scores(dras):
    won = first_preferences_by_judge(dras)
    expected = stats.friedmanchisquare(*won.T)
    test = friedman_by_judge(dras)
    assert (test.statistic, test.p) == (
        pytest.approx(expected[0], rel=1e-13),
        pytest.approx(expected[1], rel=1e-12),
    )
    assert test.df == 3 and "first preferences" in str(test)


def test_ties_within_a_block_share_their_mean_rank_and_widen_the_statistic():
    scores = [[1, 1, 2], [3, 1, 2], [1, 2, 2], [1, 1, 1]]
    assert friedman(scores, "scores").statistic == pytest.approx(
        stats.friedmanchisquare(*np.array(scores).T)[0], rel=1e-13
    )


@pytest.mark.parametrize(
    "scores", [[[1, 2, 3]], [[1], [2]], [[1, float("nan")], [1, 2]], [[1, 1], [2, 2]], [1, 2]]
)
def test_scores_that_cannot_be_ranked_are_refused(scores):
    with pytest.raises(InputError):
        friedman(scores, "scores")


def test_friedman_needs_to_know_who_judged(dras):
    bare = Comparisons.build(["A", "B"], [0], [1], [3], [1], [2])
    with pytest.raises(InputError, match="judge column"):
        friedman_by_judge(bare)


@pytest.mark.r
def test_r_gives_the_same_p_values(dras):
    """Observed: binom.test 14.6 digits, friedman.test 15.9."""
    from pairproof.bridge.packages import base

    for wins, losses, ties in (MODPREF, COLLINS):
        for rule in ("drop", "split"):
            test = sign_test(wins, losses, ties, rule=rule)
            assert test.p == pytest.approx(
                base.binom_test(test.wins, test.wins + test.losses).p_value, rel=1e-12
            )
    own, r = friedman_by_judge(dras), base.friedman_test(first_preferences_by_judge(dras))
    assert (own.statistic, own.df, own.p) == (
        pytest.approx(r.statistic, rel=1e-13),
        r.df,
        pytest.approx(r.p_value, rel=1e-12),
    )
