"""Answers at several times: the sum over all sequences of patterns, prefmod, and times without a link."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pairproof.errors import InputError, NotEstimableError, TooLargeError
from pairproof.native.answers.patterns.natural_parameters import main_effects, sharing
from pairproof.native.answers.patterns.ranking_patterns import fit_mallows
from pairproof.native.answers.patterns.rating_patterns import (
    agreeing,
    as_comparisons,
    dense_places,
    fit_ratings,
    statistics,
    weak_orders,
)
from pairproof.native.answers.patterns.repeated_answers import ChainSpace, fit_repeated
from tests.native.answers.brute import assert_moments
from tests.native.answers.patterns.data import SALAD, SALAD_PERSONS
from tests.native.answers.r import PrefmodFit, table

ABC = [main_effects("ABC")]


def test_moments_are_those_of_all_sequences_with_answers_missing() -> None:
    rng = np.random.default_rng(1)
    orders = weak_orders(3, 3)
    table_, signs = statistics(orders, sharing(3)), as_comparisons(orders).astype(float)
    ratings = rng.integers(1, 4, size=(5, 3, 3))
    ratings[1, 1] = 0  # a time without an answer
    ratings[2, 2, 0] = ratings[4, 0, 2] = 0
    places = dense_places(ratings.reshape(-1, 3), ratings.reshape(-1, 3) > 0).reshape(5, 3, 3)
    agree = [agreeing(orders, places[:, k]) for k in range(3)]
    every = np.array(list(itertools.product(range(13), repeat=3)))
    t = np.hstack(
        [table_[every[:, k]] for k in range(3)]
        + [signs[every[:, k]] * signs[every[:, k + 1]] for k in (0, 1)]
    )
    dense = [a.toarray().astype(bool) for a in agree]
    whole = np.array([np.logical_and.reduce([dense[k][r][every[:, k]] for k in range(3)]) for r in range(5)])
    assert_moments(ChainSpace(table_, signs, agree), t, whole, 0.5 * rng.normal(size=t.shape[1]))


def test_times_without_a_link_are_fits_of_each_time() -> None:
    rng = np.random.default_rng(2)
    ratings = rng.integers(1, 6, size=(40, 2, 3))
    both = fit_repeated(ratings, ABC, "ratings", 5)
    each = [fit_ratings(ratings[:, k], 5, ABC).estimate for k in (0, 1)]
    assert both.estimate.names == ("A:T1", "B:T1", "A:T2", "B:T2", "UT1", "UT2")
    wanted = np.concatenate([each[0].phi[:2], each[1].phi[:2], each[0].phi[2:], each[1].phi[2:]])
    assert np.abs(both.estimate.phi - wanted).max() < 1e-12
    assert abs(both.estimate.llf - each[0].llf - each[1].llf) < 1e-9
    ranks = np.repeat(SALAD[:, None, :], 2, axis=1)
    pair = fit_repeated(ranks, [main_effects("ABCD")], "rankings", weights=SALAD_PERSONS).estimate
    alone = fit_mallows(SALAD, [main_effects("ABCD")], weights=SALAD_PERSONS).estimate
    assert np.abs(pair.phi.reshape(2, 3) - alone.phi).max() < 1e-13
    assert abs(pair.llf - 2 * alone.llf) < 1e-10


@pytest.mark.r("prefmod")
@pytest.mark.parametrize(("columns", "times", "dependence"), [("1:6", 2, True), ("c(1:3, 7:12)", 3, False)])
def test_music_agrees_with_prefmod_at_its_floor(columns: str, times: int, dependence: bool) -> None:
    rows = f"music[complete.cases(music[, {columns}]), {columns}]"
    ratings = table(rows).astype(np.int64).reshape(-1, times, 3)
    fit = fit_repeated(ratings, ABC, "ratings", 5, dependence=dependence, between_times=True)
    r = PrefmodFit(
        f"pattLrep.fit({rows}, nitems = 3, tpoints = {times}, ia = {str(dependence).upper()}, iaT = TRUE)"
    )
    # nlm stops at a gradient of 1e-6: observed 2.5e-5, 2e-4 (its Hessian is of differences) and
    # 1.2e-7.
    assert np.abs(fit.estimate.phi - r.coef).max() < 2e-4
    assert np.abs(fit.estimate.standard_errors / r.se - 1).max() < 1e-3
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-5
    assert abs(fit.saturated - r.saturated) < 1e-8
    assert np.abs(fit.estimate.gradient).max() < 1e-8


@pytest.mark.r("prefmod")
def test_repeated_rankings_agree_with_prefmod_at_its_floor() -> None:
    salad = table("salad").astype(np.int64)
    answers = np.stack([salad[:, :3], salad[::-1, 1:]], axis=1)
    answers = np.argsort(np.argsort(answers, axis=2), axis=2) + 1
    fit = fit_repeated(answers, ABC, "rankings", between_times=True)
    data = "t(apply(cbind(salad[, 1:3], salad[32:1, 2:4]), 1, function(x) c(rank(x[1:3]), rank(x[4:6]))))"
    r = PrefmodFit(f"pattRrep.fit(data.frame({data}), nitems = 3, tpoints = 2, iaT = TRUE)")
    assert np.abs(fit.estimate.phi - r.coef).max() < 1e-4  # observed 2.6e-6
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-6
    assert abs(fit.saturated - r.saturated) < 1e-10


def test_a_missed_time_keeps_the_person() -> None:
    rng = np.random.default_rng(3)
    ratings = rng.integers(1, 4, size=(60, 2, 3))
    ratings[:10, 1] = 0
    fit = fit_repeated(ratings, ABC, "ratings", 3, between_times=True)
    assert fit.pooled.weights.sum() == 60 and len(fit.possible) == 2
    assert fit.df == (13 * 13 - 1) + (13 - 1) - len(fit.estimate.phi)
    ranks = np.argsort(rng.random((50, 2, 3)), axis=2) + 1
    ranks[:10, 0] = 0
    ranks[10:20, 1] = np.where(ranks[10:20, 1] == 1, 1, 0)
    two = fit_repeated(ranks, ABC, "rankings", between_times=True)
    assert two.pooled.weights.sum() == 50
    assert two.df == (36 - 1) + (6 - 1) + (18 - 1) - len(two.estimate.phi)


def test_a_link_of_which_one_sequence_was_never_seen_is_named_as_infinite() -> None:
    """Neither time is separated, and only the three statistics together are: log(2 x 1 / (1 x 0))."""
    answers = np.array([[[1, 2], [1, 2]], [[1, 2], [2, 1]], [[2, 1], [2, 1]]])
    for between_times in (False, True):
        if between_times:
            with pytest.raises(NotEstimableError, match="A:T1, A:T2, 12:IT12: the estimate is infinite"):
                fit_repeated(answers, [main_effects("AB")], "rankings", between_times=True)
        else:
            finite = fit_repeated(answers, [main_effects("AB")], "rankings").estimate
            assert np.abs(finite.phi - np.log(np.array([2.0, 0.5])) / 2).max() < 1e-12


def test_ties_and_too_many_items_are_refused() -> None:
    with pytest.raises(InputError, match="person 2 has equal ranks at time 1"):
        fit_repeated(np.array([[[1, 2, 3]] * 2, [[1, 1, 2]] * 2]), ABC, "rankings")
    with pytest.raises(TooLargeError, match="the limit is 6"):
        fit_repeated(np.array([[np.arange(1, 8)] * 2]), [main_effects("ABCDEFG")], "rankings")
