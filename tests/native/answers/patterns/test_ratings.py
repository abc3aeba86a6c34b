"""Ratings as weak orders: sums over all of them, the recursion over blocks, and prefmod."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pairproof.errors import NotEstimableError, TooLargeError
from pairproof.native.answers.patterns.answer_likelihood import Likelihood
from pairproof.native.answers.patterns.natural_parameters import (
    Undecided,
    comparison_maps,
    main_effects,
    sharing,
)
from pairproof.native.answers.patterns.rating_patterns import (
    BlockSpace,
    OrderSpace,
    block_moments,
    dense_places,
    fit_ratings,
    n_weak_orders,
    statistics,
    weak_orders,
)
from tests.native.answers.brute import SAME, assert_derivatives, assert_moments
from tests.native.answers.r import PrefmodFit, table


def sample(seed: int, n: int, n_items: int, categories: int, missing: float = 0.0) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    found = rng.integers(1, categories + 1, size=(n, n_items))
    found[rng.random(found.shape) < missing] = 0
    return np.asarray(found)


@pytest.mark.parametrize(("n_items", "places", "number"), [
    (3, 5, 13), (4, 5, 75), (5, 5, 541), (6, 5, 3963), (6, 6, 4683), (4, 2, 15),
])  # fmt: skip
def test_weak_orders_are_as_many_as_known_and_each_once(n_items: int, places: int, number: int) -> None:
    orders = weak_orders(n_items, places)
    assert len(orders) == n_weak_orders(n_items, places) == number == len(np.unique(orders, axis=0))
    grid = np.array(list(itertools.product(range(places), repeat=n_items)))
    dense = np.unique(dense_places(grid, np.ones(grid.shape, dtype=bool)), axis=0)
    assert np.array_equal(dense, np.unique(orders, axis=0))


@pytest.mark.parametrize("categories", [2, 3, 4])
def test_moments_are_those_of_all_weak_orders_with_ratings_missing(categories: int) -> None:
    rng = np.random.default_rng(categories)
    ratings = sample(1, 8, 4, categories, 0.3)
    places = dense_places(ratings, ratings > 0)
    orders = weak_orders(4, categories)
    agree = np.zeros((8, len(orders)), dtype=bool)
    for r, own in enumerate(places):
        there = np.flatnonzero(own >= 0)
        for k, order in enumerate(orders):
            agree[r, k] = all(
                np.sign(own[i] - own[j]) == np.sign(order[i] - order[j]) for i in there for j in there
            )
    for depends in ((), sharing(4)):
        full = statistics(orders, depends)
        beta = 0.7 * rng.normal(size=full.shape[1])
        assert_moments(OrderSpace(places, categories, depends), full, agree, beta)
    plain = statistics(orders, ())
    assert_moments(BlockSpace(places, categories), plain, agree, rng.normal(size=plain.shape[1]))


def test_the_recursion_over_blocks_counts_the_weak_orders_of_eight_items() -> None:
    found = block_moments(8, 5, np.zeros(56))
    assert abs(np.exp(found.log_total) / n_weak_orders(8, 5) - 1) < 1e-12
    assert np.abs(found.mean[:28]).max() < SAME  # no comparison leans to a side


def test_scores_and_information_are_derivatives() -> None:
    rng = np.random.default_rng(4)
    ratings = sample(2, 6, 4, 5, 0.2)
    maps, names = comparison_maps([main_effects("ABCD")], "each", True)
    likelihood = Likelihood(
        OrderSpace(dense_places(ratings, ratings > 0), 4, sharing(4)), np.zeros(6, int), maps
    )
    assert_derivatives(likelihood, 0.4 * rng.normal(size=len(names)), rng.random(6))


@pytest.mark.r("prefmod")
@pytest.mark.parametrize("dependence", [False, True])
def test_issp2000_agrees_with_prefmod_at_its_floor(dependence: bool) -> None:
    ratings = table("issp2000[, 1:4]").astype(np.int64)
    fit = fit_ratings(ratings, 5, [main_effects("ABCD")], dependence=dependence)
    r = PrefmodFit(f"pattL.fit(issp2000[, 1:4], nitems = 4, ia = {str(dependence).upper()})")
    # nlm stops at a gradient of 1e-6: observed 1.8e-6 and, with dependence, 3.4e-5.
    assert np.abs(fit.estimate.phi - r.coef).max() < 2e-4
    assert np.abs(fit.estimate.standard_errors / r.se - 1).max() < 1e-3
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-5
    assert abs(fit.saturated - r.saturated) < 1e-9


@pytest.mark.r("prefmod")
def test_music_with_missing_ratings_agrees_with_prefmod_at_its_floor() -> None:
    rows = "music[rowSums(!is.na(music[, 1:4])) > 1, 1:4]"
    ratings = np.nan_to_num(table(rows)).astype(np.int64)
    fit = fit_ratings(ratings, 5, [main_effects("ABCD")])
    r = PrefmodFit(f"pattL.fit({rows}, nitems = 4)")
    assert np.abs(fit.estimate.phi - r.coef).max() < 5e-5  # observed 2.3e-6
    assert np.abs(fit.estimate.standard_errors / r.se - 1).max() < 1e-3
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-5


@settings(deadline=None, max_examples=10)
@given(st.permutations(range(4)), st.sampled_from(["one", "each"]), st.integers(0, 50))
def test_relabelled_items_and_reversed_scales_give_the_same_numbers(
    order: list[int], undecided: Undecided, seed: int
) -> None:
    ratings = sample(seed, 60, 4, 5, 0.15)
    one = fit_ratings(ratings, 5, [main_effects("ABCD", reference=0)], undecided=undecided)
    names = np.array(list("ABCD"))[order].tolist()
    moved = fit_ratings(
        ratings[:, order], 5, [main_effects(names, reference=names.index("A"))], undecided=undecided
    )
    values = dict(zip(moved.estimate.names, moved.estimate.phi))
    assert max(abs(values[n] - v) for n, v in zip(one.estimate.names[:3], one.estimate.phi)) < 1e-10
    assert abs(moved.deviance - one.deviance) < 1e-8 and moved.df == one.df
    back = np.where(ratings > 0, 6 - ratings, 0)
    other = fit_ratings(back, 5, [main_effects("ABCD", reference=0)], undecided=undecided)
    assert np.abs(other.estimate.phi[:3] + one.estimate.phi[:3]).max() < 1e-10
    assert np.abs(other.estimate.phi[3:] - one.estimate.phi[3:]).max() < 1e-10


def test_the_scale_and_not_the_answers_says_how_many_orders_there_are() -> None:
    ratings = sample(5, 40, 4, 2)
    two, five = (fit_ratings(ratings, k, [main_effects("ABCD")]) for k in (2, 5))
    assert two.df == 15 - 1 - 4 and five.df == 75 - 1 - 4
    assert two.estimate.phi[3] < five.estimate.phi[3]  # on the longer scale the same ties are more telling


def test_items_rated_alike_by_all_and_wrong_ratings_are_told() -> None:
    with pytest.raises(NotEstimableError, match="U: the estimate is infinite|A, U: the estimate is infinite"):
        fit_ratings(np.array([[3, 3], [2, 2]]), 5, [main_effects("AB")])
    with pytest.raises(TooLargeError, match="limit with dependence"):
        fit_ratings(np.ones((2, 8), dtype=np.int64), 8, [main_effects("ABCDEFGH")], dependence=True)
