"""The pattern model of rankings: the sum over all rankings, prefmod, and what may not change."""

from __future__ import annotations

import itertools
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError, NotEstimableError, TooLargeError
from pairproof.native.answers.patterns.comparison_patterns import fit_comparisons
from pairproof.native.answers.patterns.luce_choices import Ranks
from pairproof.native.answers.patterns.natural_parameters import ItemTerm, interaction, main_effects
from pairproof.native.answers.patterns.ranking_patterns import (
    MallowsSpace,
    fit_mallows,
    fit_plackett_luce,
    subset_moments,
)
from tests.native.answers.brute import assert_moments
from tests.native.answers.patterns.data import SALAD, SALAD_PERSONS
from tests.native.answers.r import PrefmodFit, table

LAST = [main_effects("ABCD")]


def test_moments_are_those_of_all_rankings() -> None:
    ranks = Ranks(np.array([[1, 2, 3, 4], [1, 2, 0, 0], [0, 1, 0, 0], [2, 1, 1, 3]]))
    every = np.array(list(itertools.permutations(range(4))))  # places
    groups = ranks.groups
    # A ranking agrees if it never has an item of a later group ahead.
    agree = np.array(
        [[all(p[i] < p[j] for i in range(4) for j in range(4) if g[i] < g[j]) for p in every] for g in groups]
    )
    wins_minus_losses = 2.0 * (3 - every) - 3
    assert_moments(MallowsSpace(ranks), wins_minus_losses, agree, np.array([0.4, -0.3, 0.9, 0.0]))


def test_absent_items_leave_a_ranking_of_the_others() -> None:
    lam = np.array([0.4, -0.3, 0.9, 0.2])
    part = MallowsSpace(Ranks(np.array([[2, -1, 1, 3]]))).at(lam)
    alone = MallowsSpace(Ranks(np.array([[2, 1, 3]]))).at(lam[[0, 2, 3]])
    row = np.array([0])
    assert abs(part.log_probabilities(row)[0] - alone.log_probabilities(row)[0]) < 1e-14
    assert np.abs(part.scores(row)[0, [0, 2, 3]] - alone.scores(row)[0]).max() < 1e-14


def test_many_lambdas_at_once_give_what_each_gives_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "pairproof.native.answers.patterns.ranking_patterns.MOST_AT_ONCE", 2 * 2**4 * 16
    )  # two at once
    lam = np.random.default_rng(8).normal(size=(5, 4))
    space = MallowsSpace(Ranks(np.array([[1, 2, 3, 4], [1, 2, 0, 0], [2, 1, 1, 3]])))
    rows, weights = np.arange(3), np.array([2.0, 1.0, 0.5])
    for point, one in zip(space.at_each(lam), lam):
        alone = space.at(one)
        # The order of the sums in a product of matrices may depend on their number: observed 0 on one
        # processor, 4.4e-16 and 8.9e-16 with OPENBLAS_CORETYPE=SkylakeX, of numbers of 2 to 20.
        assert np.abs(point.log_probabilities(rows) - alone.log_probabilities(rows)).max() < 1e-13
        assert np.abs(point.scores(rows) - alone.scores(rows)).max() < 1e-13
        assert np.abs(point.information(rows, weights) - alone.information(rows, weights)).max() < 1e-13


def test_at_equal_worths_the_sum_is_the_number_of_rankings_of_12_items() -> None:
    found = subset_moments(np.zeros(12))
    assert abs(np.exp(found.log_total[-1]) / factorial(12) - 1) < 1e-12
    # Variance of a rank: (J^2 - 1)/12; covariance of two: -(J + 1)/12.
    assert abs(found.covariance[-1][0, 0] - 143 / 12) < 1e-11
    assert abs(found.covariance[-1][0, 5] + 13 / 12) < 1e-11


def test_salad_is_the_40_digit_value() -> None:
    fit = fit_mallows(SALAD, LAST, weights=SALAD_PERSONS)
    true = [-0.2774185056283571, 0.5912528647502006, 0.1887875986820734]
    se = [0.1245452774812784, 0.1432827758173084, 0.1114237542668843]
    assert np.abs(fit.estimate.phi - true).max() < 1e-14  # observed 1.3e-15
    assert np.abs(fit.estimate.standard_errors - se).max() < 1e-15  # observed 1.1e-16
    assert abs(fit.estimate.llf + 77.44573646528155) < 1e-12
    assert abs(fit.deviance - 22.24862468240942) < 1e-12 and fit.df == 20


@pytest.mark.r("prefmod")
def test_salad_agrees_with_prefmod_at_its_floor() -> None:
    fit = fit_mallows(SALAD, LAST, weights=SALAD_PERSONS)
    r = PrefmodFit("pattR.fit(salad, nitems = 4)")
    # nlm stops at a gradient of 1e-6: observed 1.5e-6, 2.0e-5 and 7.5e-11.
    assert np.abs(fit.estimate.phi - r.coef).max() < 1e-5
    assert np.abs(fit.estimate.standard_errors - r.se).max() < 1e-4
    assert -1e-12 < fit.estimate.llf - r.ll < 1e-8
    assert abs(fit.saturated - r.saturated) < 1e-11


@pytest.mark.r("prefmod")
def test_carconf_with_items_below_and_a_covariate_agrees_with_prefmod_at_its_floor() -> None:
    # Four of the six modules: with six prefmod takes a minute.  Nobody without a rank: prefmod mixes up the
    # sexes then.
    rows = "carconf[rowSums(!is.na(carconf[, 1:4])) > 0, c(1:4, 7)]"
    data = table(rows)
    ranks, sex = np.nan_to_num(data[:, :4]).astype(np.int64), data[:, 4].astype(np.int64)
    main = main_effects("ABCD", 2)
    terms = [main, interaction(main, np.array([0.0, 1.0]), "SEX2")]
    fit = fit_mallows(ranks, terms, group=sex - 1)
    r = PrefmodFit(f"pattR.fit({rows}, nitems = 4, formel = ~sex, elim = ~sex)")
    assert np.abs(fit.estimate.phi - r.coef).max() < 1e-4  # observed 1.5e-6
    assert np.abs(fit.estimate.standard_errors - r.se).max() < 1e-4
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-6


def test_reversed_rankings_change_signs() -> None:
    one = fit_mallows(SALAD, LAST, weights=SALAD_PERSONS)
    back = fit_mallows(5 - SALAD, LAST, weights=SALAD_PERSONS)
    assert np.abs(one.estimate.phi + back.estimate.phi).max() < 1e-13
    assert abs(one.deviance - back.deviance) < 1e-11


def test_two_items_are_bradley_terry_in_both_models() -> None:
    ranks = np.array([[1, 2], [2, 1]])
    weights = np.array([7.0, 3.0])
    luce = fit_plackett_luce(ranks, [main_effects("AB")], weights=weights).estimate.phi[0]
    pattern = fit_mallows(ranks, [main_effects("AB")], weights=weights).estimate.phi[0]
    pairs = fit_comparisons(np.array([[1], [-1]]), [main_effects("AB")], weights=weights).estimate.phi[0]
    assert abs(luce - np.log(7 / 3)) < 1e-14
    assert abs(luce - 2 * pattern) < 1e-14 and abs(pattern - pairs) < 1e-14


@settings(deadline=None, max_examples=15)
@given(st.permutations(range(5)), st.integers(0, 50))
def test_relabelled_items_and_split_weights_give_the_same_numbers(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks = np.argsort(rng.random((30, 5)), axis=1) + 1
    ranks = np.where(ranks <= rng.integers(2, 6, size=(30, 1)), ranks, 0)
    terms = [main_effects("ABCDE", reference=0)]
    names = np.array(list("ABCDE"))[order].tolist()
    one = fit_mallows(ranks, terms)
    moved = [main_effects(names, reference=names.index("A"))]
    other = fit_mallows(np.vstack([ranks[:, order]] * 2), moved, weights=np.full(60, 0.5))
    values = dict(zip(other.estimate.names, other.estimate.phi))
    assert max(abs(values[n] - v) for n, v in zip(one.estimate.names, one.estimate.phi)) < 1e-10
    assert abs(one.deviance - other.deviance) < 1e-8 and one.df == other.df


def test_an_item_covariate_is_the_constrained_model() -> None:
    concentration = ItemTerm(np.array([[0.5], [1.0], [1.5], [2.0]]), np.ones(1), ("acid",))
    fit = fit_mallows(SALAD, [concentration], weights=SALAD_PERSONS)
    free = fit_mallows(SALAD, LAST, weights=SALAD_PERSONS)
    assert fit.df == free.df + 2 and fit.deviance > free.deviance
    assert np.abs(fit.estimate.gradient).max() < 1e-11


def test_gaps_ties_and_sizes_are_told() -> None:
    with pytest.raises(NotEstimableError, match=r"\{A\} \{B, C\}"):
        fit_mallows(np.array([[1, 2, 3], [1, 3, 2]]), [main_effects("ABC")])
    with pytest.raises(InputError, match="person 2 has equal ranks; ties_unresolved=True"):
        fit_mallows(np.array([[1, 2, 3], [1, 1, 2]]), [main_effects("ABC")])
    with pytest.raises(TooLargeError, match="Plackett and Luce's model has no such limit"):
        MallowsSpace(Ranks(np.array([np.arange(1, 17)])))


def test_a_person_to_whom_nothing_was_presented_says_nothing_and_has_no_ties() -> None:
    ranks = np.vstack([SALAD, np.full((1, 4), -1)])
    weights = np.append(SALAD_PERSONS, 3.0)
    found = fit_mallows(ranks, [main_effects("ABCD")], None, weights)
    alone = fit_mallows(SALAD, [main_effects("ABCD")], None, SALAD_PERSONS)
    assert found.estimate.phi.tolist() == alone.estimate.phi.tolist()
