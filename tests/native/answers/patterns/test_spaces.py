"""Answers to comparisons, with and without dependence, against the sum over all patterns."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from pairproof.data.respondents.codes import MISSING
from pairproof.errors import TooLargeError
from pairproof.native.answers.patterns.answer_likelihood import Likelihood
from pairproof.native.answers.patterns.comparison_patterns import CubeSpace, FactoredSpace
from pairproof.native.answers.patterns.natural_parameters import (
    comparison_maps,
    interaction,
    main_effects,
    n_pairs,
    pairs_of,
    sharing,
    sharing_names,
)
from tests.native.answers.brute import assert_derivatives, assert_moments


def answers_of(rng: np.random.Generator, n: int, comparisons: int, ternary: bool) -> NDArray[np.int64]:
    found = rng.choice([1, 0, -1] if ternary else [1, -1], size=(n, comparisons))
    found[1:][rng.random((n - 1, comparisons)) < 0.3] = MISSING
    return np.asarray(found)


def statistics(patterns: NDArray[np.int64], ternary: bool, n_items: int) -> NDArray[np.float64]:
    """Written out from the definition, apart from the package's own."""
    names = [f"{i + 1}{j + 1}" for i, j in zip(*pairs_of(n_items))]
    pairs = [name[1:].split(".") for name in sharing_names(n_items)]
    parts = [patterns] + ([patterns == 0] if ternary else [])
    parts += [patterns[:, [names.index(a)]] * patterns[:, [names.index(b)]] for a, b in pairs]
    return np.hstack(parts).astype(float)


@pytest.mark.parametrize("ternary", [False, True])
@pytest.mark.parametrize("n_items", [2, 3, 4])
def test_moments_are_those_of_all_patterns(n_items: int, ternary: bool) -> None:
    rng = np.random.default_rng(n_items)
    c = n_pairs(n_items)
    answers = answers_of(rng, 6, c, ternary)
    patterns = np.array(list(itertools.product([1, 0, -1] if ternary else [1, -1], repeat=c)))
    agree = ((answers[:, None, :] == patterns) | (answers[:, None, :] == MISSING)).all(axis=2)
    table = statistics(patterns, ternary, n_items)
    beta = rng.normal(size=table.shape[1])
    assert_moments(CubeSpace(answers, ternary, sharing(n_items)), table, agree, beta)
    q = c * (2 if ternary else 1)
    assert_moments(FactoredSpace(answers, ternary), table[:, :q], agree, beta[:q])


def test_moments_by_axes_are_those_of_all_59049_ternary_patterns_of_five_items() -> None:
    rng = np.random.default_rng(5)
    answers = rng.choice([1, 0, -1], size=(2, 10))
    patterns = np.array(list(itertools.product([1, 0, -1], repeat=10)))
    agree = (answers[:, None, :] == patterns).all(axis=2)
    table = statistics(patterns, True, 5)
    beta = 0.3 * rng.normal(size=table.shape[1])
    assert_moments(CubeSpace(answers, True, sharing(5)), table, agree, beta)


def test_an_answer_with_many_gaps_is_summed_in_halves_as_one_with_few_is_from_a_table() -> None:
    rng = np.random.default_rng(8)
    answers = rng.choice([1, 0, -1], size=(2, 10))
    answers[:, 1:9] = MISSING
    patterns = np.array(list(itertools.product([1, 0, -1], repeat=10)))
    agree = ((answers[:, None, :] == patterns) | (answers[:, None, :] == MISSING)).all(axis=2)
    table = statistics(patterns, True, 5)
    assert_moments(CubeSpace(answers, True, sharing(5)), table, agree, 0.3 * rng.normal(size=table.shape[1]))


def test_six_items_with_three_categories_halve_to_the_factored_sums_where_dependence_is_zero() -> None:
    rng = np.random.default_rng(6)
    answers = rng.choice([1, 0, -1], size=(3, 15))
    beta = rng.normal(size=30)
    rows, w = np.arange(3), rng.random(3)
    cube = CubeSpace(answers, True, sharing(6)).at(np.append(beta, np.zeros(60)))
    plain = FactoredSpace(answers, True).at(beta)
    # Two sums of 14 million terms and a product of 15; observed 7e-15.
    assert np.abs(cube.log_probabilities(rows) - plain.log_probabilities(rows)).max() < 1e-11
    assert np.abs(cube.scores(rows)[:, :30] - plain.scores(rows)).max() < 1e-11
    assert np.abs(cube.information(rows, w)[:30, :30] - plain.information(rows, w)).max() < 1e-11


@pytest.mark.parametrize("dependence", [False, True])
def test_scores_and_information_are_derivatives_with_covariates(dependence: bool) -> None:
    rng = np.random.default_rng(1)
    answers = answers_of(rng, 5, 6, True)
    main = main_effects("ABCD", 2)
    terms = [main, interaction(main, np.array([0.0, 1.5]), "x")]
    maps, names = comparison_maps(terms, "each", dependence)
    space = CubeSpace(answers, True, sharing(4)) if dependence else FactoredSpace(answers, True)
    likelihood = Likelihood(space, np.array([0, 1, 0, 1, 1]), maps)
    assert_derivatives(likelihood, 0.5 * rng.normal(size=len(names)), rng.random(5))


def test_dependence_is_in_prefmods_order() -> None:
    # pattPC.fit(dat4, nitems = 4, ia = TRUE) prints these labels.
    assert sharing_names(4)[:6] == ("I12.13", "I12.14", "I13.14", "I12.23", "I12.24", "I23.24")
    assert len(sharing(6)) == 60


def test_what_cannot_be_summed_is_refused() -> None:
    with pytest.raises(TooLargeError, match="4,782,969|2,097,152|10,460,353,203"):
        CubeSpace(np.ones((1, 21), dtype=np.int64), True, sharing(7))
