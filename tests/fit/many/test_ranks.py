"""Rank sets and the possible best, against csranks and Hsu's definition."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.errors import InputError, NotEstimableError
from pairproof.fit.many.ranks import against_the_best, rank_sets
from tests.fit.many.cases import apart, counterexample, d24, d24_fit, of, r8, separated, with_infinite_df
from tests.places import DATA

RANKS = {
    (True, "both"): ([1, 1, 1, 1, 3, 4, 5, 5], [4, 4, 5, 6, 8, 8, 8, 8]),
    (False, "both"): ([1, 1, 1, 1, 3, 5, 5, 5], [4, 4, 5, 5, 8, 8, 8, 8]),
    (True, "lower"): ([1, 1, 1, 1, 3, 4, 5, 5], [8] * 8),
    (True, "upper"): ([1] * 8, [4, 4, 5, 6, 8, 8, 8, 8]),
    (False, "lower"): ([1, 1, 1, 2, 3, 5, 5, 6], [8] * 8),
}


@pytest.mark.parametrize(("simultaneous", "side"), list(RANKS))
def test_rank_sets_are_those_of_csranks(simultaneous, side):
    """The fourth marginal lower bound is 2 (csranks' printed 1 was an error of the printing)."""
    found = rank_sets(r8(), simultaneous=simultaneous, side=side)
    low, high = RANKS[simultaneous, side]
    assert found.low.tolist() == low and found.high.tolist() == high
    assert abs(found.critical - 3.021) <= 0.002 + 4.0 * found.critical_error


def test_the_sets_do_not_depend_on_the_seed():
    """The scores nearest the critical value 3.021 are 2.985 and 3.198; its error is .0002."""
    for seed in range(4):
        assert rank_sets(r8(), seed=seed).high.tolist() == RANKS[True, "both"][1]


def test_the_best_and_the_worst_few():
    found = rank_sets(r8())
    assert [found.tau_best(k) for k in (1, 2, 3, 4)] == [
        tuple("ABCD"),
        tuple("ABCD"),
        tuple("ABCDE"),
        tuple("ABCDEF"),
    ]
    assert [found.tau_worst(k) for k in (1, 2, 3, 4)] == [
        tuple("EFGH"),
        tuple("EFGH"),
        tuple("DEFGH"),
        tuple("CDEFGH"),
    ]
    for wrong in (0, 9, 1.5, True):
        with pytest.raises(InputError, match="expected a number of items from 1 to 8"):
            found.tau_best(wrong)


def test_the_items_that_may_be_best_are_hsus():
    """d_i by 4e6 plain draws, good to .0007; D loses by 2.3452 against 2.3434."""
    found = against_the_best(r8())
    assert found.best == ("A", "B", "C") == rank_sets(r8()).best
    np.testing.assert_allclose(
        found.critical[:4], [2.3196, 2.3328, 2.3416, 2.3434], atol=0.002
    )  # seen: .0012
    assert found.adjusted[3] == pytest.approx(0.05, abs=0.001) and found.adjusted[3] < 0.05
    assert (found.high[:3] > 0).all() and (found.high[3:] == 0).all() and (found.low < 0).all()


def test_two_items_against_the_best_are_one_one_sided_test():
    """b_A - b_B with a point of 1.6449: by hand, with d = 1, se = sqrt(.08)."""
    found = against_the_best(of(("A", "B"), np.array([1.0, 0.0]), np.eye(2) * 0.04))
    assert found.best == ("A",)
    # One number in two ways, which differ by rounding; seen: 5e-9 off.
    assert found.low.tolist() == [0.0, pytest.approx(-1.0 - 1.6448536 * 0.08**0.5)]
    # One number in two ways, which differ by rounding; seen: 5e-9 off.
    assert found.high.tolist() == [pytest.approx(1.0 + 1.6448536 * 0.08**0.5), 0.0]


def test_an_item_is_shown_to_be_the_best_exactly_if_no_other_may_be():
    found = against_the_best(of(tuple("ABC"), np.array([3.0, 0.0, -1.0]), np.eye(3) * 0.04))
    assert found.best == ("A",) and found.low[0] == 0.0 and found.low[1] < 0.0 == found.high[1]


def test_dras_ranks_are_exact_by_the_model_and_pairs_by_judge():
    table = pairproof.read(DATA / "dras_table1.csv")
    fit = pairproof.fit_llbt(table)
    assert fit.ranks().low.tolist() == fit.ranks().high.tolist() == [1, 3, 4, 2]
    from pairproof.fit.many.abilities import abilities_of

    # csranks knows no degrees of freedom.
    by_judge = rank_sets(with_infinite_df(abilities_of(fit.clustered("judge"))))
    assert list(zip(by_judge.low, by_judge.high)) == [(1, 2), (3, 4), (3, 4), (1, 2)]


def test_that_all_items_are_equal_is_tested_at_once():
    """clubSandwich's HTZ on whitened rows: F 1.61440648783 on 5 and 18.9875916209; with covariates fewer dimensions."""
    test = d24_fit().test_equal_items()
    # The printed digits; seen: 3e-12 off.
    assert (test.statistic, test.df_denom) == pytest.approx((1.61440648783, 18.9875916209), rel=1e-10)
    # The printed digits; seen: 2e-14 off.
    assert test.df == 5 and test.p == pytest.approx(0.204292713204, rel=1e-10)
    fit = pairproof.fit_bradley_terry(counterexample(), ties="none")
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert fit.test_equal_items().statistic == pytest.approx(fit.wald(["B", "C", "D"]).statistic, rel=1e-10)
    assert pairproof.fit_bradley_terry(apart()).test_equal_items().hypothesis == "A = B"
    never = pairproof.Comparisons.build("AB", [0], [1], [10], None, [0])
    with pytest.raises(NotEstimableError, match="not all items can be compared"):
        pairproof.fit_bradley_terry(never).test_equal_items()


def test_ranks_by_judge_of_d24():
    found = d24_fit().ranks()
    assert found.low.tolist() == [1] * 6 and found.high.tolist() == [6] * 6
    assert found.groups == (("A", "D", "B", "C", "E", "F"),)
    marginal = rank_sets(with_infinite_df(d24()), simultaneous=False)
    assert marginal.low.tolist() == [1, 1, 1, 1, 1, 2] and marginal.high.tolist() == [6, 6, 6, 5, 6, 6]


def test_a_pair_that_the_old_strata_hid_is_told_apart():
    fit = pairproof.fit_bradley_terry(counterexample(), ties="none")
    found = fit.ranks()
    assert found.rank.tolist() == [1, 2, 3, 4] and found.above[0, 2] and found.low[3] == 4
    assert found.letters == ("a", "ab", "b", "c") and found.groups == (("A", "B"), ("B", "C"), ("D",))
    assert fit.contrast("A", "C").p < 0.01


@settings(deadline=None, max_examples=6)
@given(st.integers(3, 6), st.integers(0, 10_000))
def test_sets_are_consistent(n, seed):
    """Marginal sets lie in simultaneous ones, a higher level gives larger ones, and letters say what is told apart."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, n))
    abilities = of(tuple("ABCDEFG"[:n]), rng.normal(0, 3, n), a @ a.T / n + 0.1 * np.eye(n))
    found, marginal = rank_sets(abilities), rank_sets(abilities, simultaneous=False)
    wider = rank_sets(abilities, level=0.99)
    assert (found.low <= marginal.low).all() and (found.high >= marginal.high).all()
    assert (wider.low <= found.low).all() and (wider.high >= found.high).all()
    assert (found.low <= found.rank).all() and (found.rank <= found.high).all()
    for i in range(n):
        for j in range(n):
            shared = bool(set(found.letters[i]) & set(found.letters[j]))
            assert shared == (not (found.above[i, j] or found.above[j, i]))
    order = rng.permutation(n)
    v = abilities.covariance[np.ix_(order, order)]
    other = of(tuple(abilities.items[k] for k in order), abilities.estimate[order], v)
    assert rank_sets(other).low.tolist() == found.low[order].tolist()


def test_an_item_that_won_everything_has_a_set_on_one_side_and_the_rest_theirs():
    """A won 18 of 18: the likelihood shows it to be above both; B is shown to be above C."""
    found = pairproof.fit_bradley_terry(separated()).ranks()
    assert found.low.tolist() == [1, 2, 3] and found.high.tolist() == [1, 2, 3]
    assert np.isnan(found.rank[0]) and found.rank[1:].tolist() == [2, 3] and found.left_out == ()
    assert found.best == ("A",) and "A (above all): compared with" in " ".join(str(found).split())
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["items"][0]["rank"] is None and document["items"][0]["status"] == "above all"


def test_nothing_is_claimed_across_items_that_were_never_compared():
    found = pairproof.fit_bradley_terry(apart()).ranks()
    assert found.low.tolist() == [1, 2, 1, 1] and found.high.tolist() == [3, 4, 4, 4]
    wins = {
        10: [1, 2],
        2: [1, 1],
    }  # of 10 and of 2: sqrt(2 n log 2) is 3.72, and 1.67 of 1.96 that are needed
    for n, low in wins.items():
        two = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [n], None, [0])).ranks()
        assert two.low.tolist() == low and "tests of all differences. May be" in " ".join(str(two).split())


def test_a_separated_fit_against_the_best_leaves_the_infinite_item_alone():
    found = pairproof.fit_bradley_terry(separated()).contrasts("against the best")
    assert found.best == ("A",) and found.estimate.tolist() == [np.inf, -np.inf, -np.inf]
    assert found.low[0] == 0.0 and found.high[0] == np.inf and (found.high[1:] == 0.0).all()
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_the_frame_and_the_json_are_best_first():
    found = pairproof.fit_bradley_terry(counterexample(), ties="none").ranks()
    assert found.to_frame().index.tolist() == list("ABCD")
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [row["item"] for row in document["items"]] == list("ABCD") and document["groups"][0] == ["A", "B"]
    text = str(found)
    for words in (
        "1 to 2",
        "all sets hold jointly",
        "May be the best (Hsu",
        "not evidence that they are equal",
    ):
        assert words in " ".join(text.split())
    assert all(len(line) <= 100 for line in text.splitlines())


def test_what_is_asked_wrongly_is_refused():
    with pytest.raises(InputError, match="level=0.3"):
        rank_sets(r8(), level=0.3)
    with pytest.raises(InputError, match="side='left'; expected one of 'both', 'lower', 'upper'"):
        rank_sets(r8(), side="left")
