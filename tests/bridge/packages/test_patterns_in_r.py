"""The optimum that R reaches by Newton's method is that of 40-digit arithmetic, and the listed answers are all there
are."""

from __future__ import annotations

import os

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.errors import InputError, TooLargeError
from tests.bridge.conftest import digits
from tests.bridge.packages import patterns_in_r as answers
from tests.bridge.packages.patterns_in_r import Enumerated, newton
from tests.native.answers.patterns.data import SALAD, SALAD_PERSONS

RECORD = os.environ.get("PAIRPROOF_RECORD") or None


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


def test_salads_have_the_digits_of_the_reference(policy):
    model = answers.model(answers.all_rankings(4), answers.compared(SALAD), SALAD_PERSONS, items="ABCD")
    best = newton(model, backend=policy)
    true = (-0.2774185056283571, 0.5912528647502006, 0.1887875986820734)
    se = (0.1245452774812784, 0.1432827758173084, 0.1114237542668843)
    assert min(digits(b, t) for b, t in zip(best.coef, true)) > 13  # observed 15.0
    assert min(digits(b, t) for b, t in zip(best.se, se)) > 13  # observed 14.9
    assert digits(best.llf, -77.44573646528155) > 15 and best.largest_score < 1e-13  # observed 7e-15
    assert best.names == ("A", "B", "C") and best.iterations < 10


def test_the_lists_have_the_known_numbers_of_answers():
    assert [len(answers.all_comparisons(n, True)) for n in (3, 4)] == [27, 729]
    assert [len(answers.all_rankings(n)) for n in (3, 4, 5)] == [6, 24, 120]
    # Fubini numbers where the points suffice.
    assert [len(answers.all_ratings(n, n)) for n in (2, 3, 4, 5)] == [3, 13, 75, 541]
    assert len(answers.all_ratings(4, 2)) == 15  # 2^4 ratings, two of which tie all items


def test_names_of_dependence_are_prefmods():
    products, names = answers.dependence(answers.all_comparisons(3, False), 3)
    assert names == ["I12.13", "I12.23", "I13.23"] and products.shape == (8, 3)
    assert len(answers.dependence(answers.all_rankings(4), 4)[1]) == 12


def test_an_item_without_a_rank_is_below_and_undetermined_among_its_like():
    found = answers.compared_top([[1, np.nan, 2, np.nan]])
    # 12 13 23 14 24 34
    assert found.tolist() == [[1, 1, -1, 1, answers.MISSING, 1]]


def test_an_answer_that_is_not_possible_is_named():
    circle = np.array([[1, -1, 1]])
    with pytest.raises(InputError, match=r"answer 1, \[1, -1, 1\], is none of the 6 possible ones"):
        answers.model(answers.all_rankings(3), circle, [1], items="ABC")


@pytest.mark.parametrize(
    "call",
    [
        lambda: answers.all_comparisons(8, True),
        lambda: answers.all_rankings(9),
        lambda: answers.all_ratings(10, 9),
        lambda: answers.missing_model(answers.all_comparisons(5, True), np.ones((1, 10)), [1], items="ABCDE"),
        lambda: answers.repeated_model(answers.all_rankings(5), [np.ones((1, 10))] * 4, [1], items="ABCDE"),
    ],
)  # fmt: skip
def test_what_is_too_large_to_list_is_refused(call):
    with pytest.raises(TooLargeError, match="too many to list"):
        call()


def test_parts_that_do_not_fit_are_refused():
    model = Enumerated(np.ones((4, 1)), ("a",), [np.array([0])], np.ones(2), np.zeros(1, int))
    with pytest.raises(InputError, match="1 answers, 2 counts, 1 groups"):
        newton(model)
