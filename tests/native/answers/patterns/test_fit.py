"""Pattern models of paired comparisons: the LLBT, prefmod, and what a change of labels may not change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pairproof.data.comparisons import Comparisons
from pairproof.data.respondents.codes import MISSING
from pairproof.errors import NotEstimableError
from pairproof.native.answers.patterns.comparison_patterns import fit_comparisons
from pairproof.native.answers.patterns.natural_parameters import (
    ItemTerm,
    Undecided,
    interaction,
    main_effects,
    n_pairs,
    pairs_of,
)
from pairproof.native.comparisons.counts.llbt import fit_llbt
from tests.native.answers.r import PrefmodFit, table


def sample(seed: int, n: int, n_items: int, ternary: bool, missing: float = 0.0) -> NDArray[np.int64]:
    """Answers of persons in which every item sometimes wins."""
    rng = np.random.default_rng(seed)
    p = [0.45, 0.2, 0.35] if ternary else [0.6, 0.4]
    found = rng.choice([1, 0, -1] if ternary else [1, -1], p=p, size=(n, n_pairs(n_items)))
    found[rng.random(found.shape) < missing] = MISSING
    return np.asarray(found)


@pytest.mark.parametrize("ternary", [False, True])
def test_without_dependence_it_is_the_llbt_digit_for_digit(ternary: bool) -> None:
    answers = sample(1, 60, 4, ternary, missing=0.2)
    fit = fit_comparisons(answers, [main_effects("ABCD")], undecided="one" if ternary else None).estimate
    first, second = pairs_of(4)
    count = [[(answers[:, c] == y).sum() for c in range(6)] for y in (1, 0, -1)]
    data = Comparisons.build("ABCD", first, second, count[0], count[1] if ternary else None, count[2])
    llbt = fit_llbt(data, reference="D")
    names = ["A", "B", "C"] + (["tie"] if ternary else [])
    # Two programmes, one maximum: observed 2e-15 on estimates and 1e-16 on standard errors.
    assert np.abs(fit.phi - [llbt.params[name] for name in names]).max() < 1e-13
    assert np.abs(fit.standard_errors - [llbt.bse[name] for name in names]).max() < 1e-13
    assert abs(fit.llf - llbt.llf) < 1e-10


@pytest.mark.r("prefmod")
def test_dat4_with_dependence_agrees_with_prefmod_at_its_floor() -> None:
    answers = table("dat4").astype(np.int64)
    fit = fit_comparisons(answers, [main_effects("ABCD")], dependence=True)
    r = PrefmodFit("pattPC.fit(dat4, nitems = 4, ia = TRUE)")
    # prefmod's nlm stops at a gradient of 1e-6: observed 4.4e-6 on estimates, 1.2e-5 on standard errors (its
    # Hessian is of differences), 2e-9 on the log-likelihood, of which ours is the larger.
    assert np.abs(fit.estimate.phi - r.coef).max() < 2e-5
    assert np.abs(fit.estimate.standard_errors - r.se).max() < 1e-4
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-6
    assert abs(fit.saturated - r.saturated) < 1e-10 and fit.df == 63 - 15
    assert np.abs(fit.estimate.gradient).max() < 1e-9


@pytest.mark.r("prefmod")
@pytest.mark.parametrize(("n_items", "dependence"), [(4, False), (3, True)])
def test_immig_with_missing_answers_agrees_with_prefmod_at_its_floor(n_items: int, dependence: bool) -> None:
    rows = f"immig[rowSums(!is.na(immig[, 1:{n_pairs(n_items)}])) > 0, 1:{n_pairs(n_items)}]"
    answers = np.nan_to_num(table(rows), nan=MISSING).astype(np.int64)
    fit = fit_comparisons(answers, [main_effects("ABCD"[:n_items])], undecided="one", dependence=dependence)
    r = PrefmodFit(f"pattPC.fit({rows}, nitems = {n_items}, undec = TRUE, ia = {str(dependence).upper()})")
    # Observed 2.3e-6 for four items, 1.8e-6 for three with dependence.
    assert np.abs(fit.estimate.phi - r.coef).max() < 5e-5
    assert np.abs(fit.estimate.standard_errors - r.se).max() < 1e-4
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-6
    assert abs(fit.saturated - r.saturated) < 1e-10


@pytest.mark.r("prefmod")
def test_trdel_by_sex_agrees_with_prefmod_at_its_floor() -> None:
    data = table("trdel[, c(1:6, 13)]").astype(np.int64)  # the first four items, sex
    answers, sex = np.where(data[:, :6] == 1, 1, -1), data[:, 6]
    main = main_effects("ABCD", 2)
    terms = [main, interaction(main, np.array([0.0, 1.0]), "SEX2")]
    fit = fit_comparisons(answers, terms, group=sex - 1)
    r = PrefmodFit("pattPC.fit(trdel[, c(1:6, 13)], nitems = 4, formel = ~sex, elim = ~sex)")
    assert np.abs(fit.estimate.phi - r.coef).max() < 5e-5  # observed 1.7e-6
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-6
    assert fit.estimate.names[3:] == ("A:SEX2", "B:SEX2", "C:SEX2")


@pytest.mark.r("prefmod")
def test_prefmods_test_of_ignorable_gaps_is_a_covariate_for_incomplete_answers() -> None:
    answers = np.nan_to_num(table("immig[, 1:6]"), nan=MISSING).astype(np.int64)
    group = (answers == MISSING).any(axis=1).astype(np.int64)
    main = main_effects("ABCD", 2)
    terms = [main, interaction(main, np.array([0.0, 1.0]), "incomplete")]
    fit = fit_comparisons(answers, terms, group, undecided="one")
    r = PrefmodFit("pattPC.fit(immig[, 1:6], nitems = 4, undec = TRUE, NItest = TRUE)")
    assert np.abs(fit.estimate.phi - r.coef).max() < 1e-4  # observed 7.2e-6
    assert -1e-9 < fit.estimate.llf - r.ll < 1e-6


def test_a_single_item_may_interact_where_the_others_do_not() -> None:
    answers, group = sample(3, 80, 4, False), np.repeat([0, 1], 40)
    main = main_effects("ABCD", 2)
    whole = fit_comparisons(answers, [main, interaction(main, np.array([0.0, 1.0]), "g")], group)
    one = ItemTerm(np.eye(4)[:, :1], np.array([0.0, 1.0]), ("A:g",))
    fit = fit_comparisons(answers, [main, one], group)
    none = fit_comparisons(answers, [main], group)
    assert none.estimate.llf < fit.estimate.llf < whole.estimate.llf
    assert fit.estimate.names == ("A", "B", "C", "A:g") and fit.df == whole.df + 2


def test_an_item_covariate_is_the_constrained_model() -> None:
    answers = sample(4, 50, 4, True)
    covariate = ItemTerm(np.array([[3.0], [1.0], [0.5], [0.0]]), np.ones(1), ("price",))
    fit = fit_comparisons(answers, [covariate], undecided="one", dependence=True)
    free = fit_comparisons(answers, [main_effects("ABCD")], undecided="one", dependence=True)
    assert fit.estimate.llf < free.estimate.llf and len(free.estimate.phi) - len(fit.estimate.phi) == 2
    assert np.abs(fit.estimate.gradient).max() < 1e-9


@settings(deadline=None, max_examples=12)
@given(st.permutations(range(4)), st.sampled_from([None, "one", "each"]), st.integers(0, 99))
def test_relabelled_items_have_the_same_parameters(
    order: list[int], undecided: Undecided | None, seed: int
) -> None:
    answers = sample(seed, 40, 4, undecided is not None, missing=0.1)
    items = np.array(list("ABCD"))
    first, second = pairs_of(4)
    place = {(int(i), int(j)): c for c, (i, j) in enumerate(zip(first, second))}
    moved = np.empty_like(answers)
    for c, (i, j) in enumerate(zip(first, second)):
        a, b = order[i], order[j]
        old = answers[:, place[min(a, b), max(a, b)]]
        moved[:, c] = np.where(old == MISSING, MISSING, old if a < b else -old)
    one = fit_comparisons(answers, [main_effects("ABCD", reference=0)], undecided=undecided)
    names = items[order].tolist()
    other = fit_comparisons(moved, [main_effects(names, reference=names.index("A"))], undecided=undecided)
    values = dict(zip(other.estimate.names, other.estimate.phi))
    assert max(abs(values[n] - v) for n, v in zip(one.estimate.names[:3], one.estimate.phi)) < 1e-10
    assert abs(one.deviance - other.deviance) < 1e-8


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 99), st.booleans())
def test_reversed_answers_change_signs_and_split_weights_change_nothing(seed: int, dependence: bool) -> None:
    answers = sample(seed, 60, 3, True)
    fit = fit_comparisons(answers, [main_effects("ABC")], undecided="one", dependence=dependence)
    back = fit_comparisons(-answers, [main_effects("ABC")], undecided="one", dependence=dependence)
    sign = np.array([-1.0, -1.0] + [1.0] * (len(fit.estimate.phi) - 2))
    assert np.abs(back.estimate.phi - sign * fit.estimate.phi).max() < 1e-9
    twice = np.vstack([answers, answers])
    weights = np.concatenate([np.full(60, 0.25), np.full(60, 0.75)])
    split = fit_comparisons(
        twice, [main_effects("ABC")], weights=weights, undecided="one", dependence=dependence
    )
    assert np.abs(split.estimate.phi - fit.estimate.phi).max() < 1e-10
    assert abs(split.deviance - fit.deviance) < 1e-8 and split.df == fit.df


def test_expected_wins_minus_losses_are_the_observed_ones() -> None:
    answers = sample(7, 200, 3, False)
    fit = fit_comparisons(answers, [main_effects("ABC")], dependence=True)
    # All 8 patterns occur, so that the expected numbers add up to the persons.
    assert len(fit.fitted) == 8 and fit.df == 2 and abs(fit.fitted.sum() - 200) < 1e-9
    margins = np.array([[1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]).T
    assert np.abs(fit.fitted @ fit.pooled.answers @ margins - answers.sum(axis=0) @ margins).max() < 1e-9


def test_separated_and_unconnected_items_are_named() -> None:
    always = np.array([[1, 1, 1], [1, 1, -1], [1, 1, 1]])
    with pytest.raises(NotEstimableError, match="A: the estimate is infinite"):
        fit_comparisons(always, [main_effects("ABC")])
    never = np.array([[1, MISSING, MISSING], [-1, MISSING, MISSING]])
    with pytest.raises(NotEstimableError, match="A, B: cannot be distinguished"):
        fit_comparisons(never, [main_effects("ABC")])
