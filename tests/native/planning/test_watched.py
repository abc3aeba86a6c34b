"""Looking at a table that grows: two systems, judges, clusters, and all pairs."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

import pairproof
from pairproof.errors import InputError
from pairproof.native.planning.looking_early import (
    first_excluded,
    first_excluded_mean,
    multiplier,
    proportion,
    watch_table,
    watch_two,
)
from tests.places import DATA


def votes(outcomes: list[str], **columns: list[str]) -> pairproof.Comparisons:
    n = len(outcomes)
    return pairproof.read({"first": ["A"] * n, "second": ["B"] * n, "outcome": outcomes, **columns})


def test_two_systems_have_the_exact_sequences_of_their_answers_in_order():
    outcomes = ["first", "first", "second", "tie", "first", "second", "first", "tie", "first", "second"] * 20
    share, score = watch_two(votes(outcomes)).intervals
    assert (share.low, share.high) == proportion(100, 160) and (share.t, share.settled) == (160.0, False)
    # The printed digits; seen: 6e-13 off.
    np.testing.assert_allclose((score.low, score.high), (0.500867400838, 0.706882159193), rtol=1e-10)
    assert score.settled_at == 189 and score.settled and score.t == 200


def test_a_settled_share_counts_the_ties_among_its_looks():
    share, _ = watch_two(votes(["tie"] * 5 + ["first"] * 20)).intervals
    assert share.settled_at == 12  # 7 wins in a row, after 5 ties


def test_rows_of_many_answers_settle_when_their_answers_one_by_one_do():
    """Thirty tables of runs: the look is found in the middle of a row, ties before it counted, or nowhere."""
    r, settled = np.random.default_rng(4), []
    for _ in range(30):
        kinds, counts = r.integers(0, 3, 12), r.integers(1, 5, 12)
        rows = [[n * (k == j) for j in range(3)] for k, n in zip(kinds, counts)]
        wins, ties, losses = map(list, zip(*rows))
        table = pairproof.read(
            {"first": ["A"] * 12, "second": ["B"] * 12, "wins": wins, "ties": ties, "losses": losses}
        )
        single = np.array([1.0, 0.5, 0.0])[kinds].repeat(counts)
        at = first_excluded(single[single != 0.5])
        expected = None if at is None else int(np.flatnonzero(single != 0.5)[at - 1]) + 1
        assert watch_two(table).intervals[0].settled_at == expected
        settled.append(expected)
    assert 5 <= settled.count(None) <= 25


def test_two_rows_of_a_milliard_answers_take_no_memory_of_their_number():
    def look(wins, losses):
        table = {"first": ["A", "A"], "second": ["B", "B"], "wins": [wins, 0], "losses": [0, losses]}
        return watch_two(pairproof.read(table)).intervals

    look(5, 5)  # loads what is loaded once
    tracemalloc.start()
    share, score = look(1e9, 1e9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e7  # 2e9 answers one by one are 16e9 bytes
    assert (share.settled_at, share.estimate) == (7, 0.5) and share.low < 0.5 < share.high
    assert math.isnan(score.low) and "is made for 5,000,000 of them, here are 2,000,000,000" in score.why_not


def test_counts_give_final_numbers_and_no_order():
    table = pairproof.read({"first": ["A"], "second": ["B"], "wins": [60], "ties": [0], "losses": [40]})
    share, score = watch_two(table).intervals
    # The printed digits; seen: 5e-13 off.
    np.testing.assert_allclose((share.low, share.high), (0.434314747941, 0.751429756067), rtol=1e-10)
    assert share.settled_at is None and np.isnan(score.low) and "order of answers" in score.why_not
    one_kind = pairproof.read({"first": ["A"] * 2, "second": ["B"] * 2, "wins": [60, 0], "losses": [0, 40]})
    # Sixty wins, then forty losses: an order, in which the scores drift.
    assert watch_two(one_kind).intervals[1].why_not.startswith("the scores drift")


def test_judges_are_scores_of_their_own():
    rng = np.random.default_rng(3)
    judge = [f"j{k:02}" for k in np.repeat(np.arange(40), 10)]
    outcome = np.where(rng.random(400) < 0.7, "first", "second").tolist()
    found = {i.what: i for i in watch_two(votes(outcome, judge=judge), cluster="judge").intervals}
    mean = found["mean of judges' mean scores"]
    assert mean.t == 40 and mean.low < mean.estimate < mean.high and mean.settled
    odds = found["log-odds"]
    test = pairproof.compare_two(votes(outcome, judge=judge), cluster="judge").headline.test
    half = 0.975
    reach = multiplier(40, 50, fewest=20) * test.se * stdtrit(test.df, half) / ndtri(half)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose((odds.low, odds.high), (test.estimate - reach, test.estimate + reach))
    few = watch_two(votes(outcome[:150], judge=judge[:150]), cluster="judge").intervals[-1]
    assert few.why_not == "the asymptotic sequence starts at 20 clusters, here are 15"


def test_scores_that_drift_have_no_interval_and_say_so():
    found = watch_two(votes(["first"] * 1000 + ["second"] * 1000)).intervals[1]
    assert found.why_not.startswith("the scores drift") and not found.settled


def test_all_pairs_of_a_table_share_alpha():
    table = pairproof.read(str(DATA / "inference_d24.csv"))
    found = watch_table(table, planned=1000)
    fit = pairproof.fit_bradley_terry(table)
    assert len(found.intervals) == 15
    for interval in found.intervals:
        contrast = fit.contrast(interval.first, interval.second)
        reach = multiplier(360, 1000, 1 - 0.05 / 15) * contrast.se
        # One number in two ways, which differ by rounding; seen: 0 off.
        np.testing.assert_allclose(interval.high - interval.low, 2 * reach)
    wide = watch_table(table, cluster=("judge", "source"))
    assert wide.intervals[0].t == 24 and "CR2 by judge (24 clusters) and source" in wide.intervals[0].how
    assert wide.intervals[0].high - wide.intervals[0].low > 1


def test_pairs_that_are_not_estimable_say_so():
    table = pairproof.read({"first": ["A", "C"], "second": ["B", "D"], "wins": [30, 30], "losses": [30, 20]})
    found = {(i.first, i.second): i for i in watch_table(table).intervals}
    assert found["A", "B"].why_not == "" and found["A", "C"].why_not


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: watch_two(t, level=0.0), "level=0.0"),
        (lambda t: watch_table(t, level=1.0), "level=1.0"),
        (lambda t: watch_two(t, cluster="nobody"), "no column 'nobody'"),
        (lambda t: watch_two(t, cluster=("a", "b", "c")), "one column, or two different"),
    ],
)
def test_what_cannot_be_asked_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call(votes(["first", "second"]))


def test_weights_that_are_not_whole_are_refused_by_row():
    table = pairproof.read({"first": ["A"] * 2, "second": ["B"] * 2, "wins": [1, 0.5], "losses": [0, 1]})
    with pytest.raises(InputError, match="row 2: the counts are not whole"):
        watch_two(table)


def test_looking_at_judges_who_differ_costs_nothing_where_judges_are_the_unit():
    """300 studies of 60 judges of 20 answers, sd .6, a look after each judge: error .013; answers alone err in most."""
    rng = np.random.default_rng(7)
    wrong = np.zeros(2)
    for _ in range(300):
        p = 1 / (1 + np.exp(-rng.normal(0, 0.6, 60)))
        answers = rng.random((60, 20)) < p[:, None]
        wrong += [
            first_excluded_mean(answers.mean(axis=1)) is not None,
            first_excluded(answers.ravel().astype(float)) is not None,
        ]
    assert wrong[0] / 300 <= 0.05 + 3 * 0.013 and wrong[1] / 300 > 0.1
