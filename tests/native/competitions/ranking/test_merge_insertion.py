"""Merge insertion: Vilar's seven comparisons, the worst case, and a plan that is saved and goes on."""

from __future__ import annotations

import json
from itertools import permutations
from math import ceil, factorial, log2

import numpy as np
import pytest

from pairproof import read
from pairproof.errors import InputError, ItemError
from pairproof.native.competitions.ranking.merge_insertion import (
    Plan,
    _insertion_order,
    rank_by_merge_insertion,
    worst_case,
)
from pairproof.native.competitions.ranking.two_systems import compare_two

WORST = [0, 1, 3, 5, 7, 10, 13, 16, 19, 22, 26, 30, 34]


def test_the_worst_case_of_1_to_13_systems():
    assert [worst_case(n) for n in range(1, 14)] == WORST
    assert [ceil(log2(factorial(n))) for n in (12, 13)] == [
        29,
        33,
    ]  # what information alone would ask: not reached


def test_five_systems_take_seven_comparisons_and_nine_take_nineteen():
    assert (worst_case(5), worst_case(9)) == (7, 19)


def test_the_order_of_insertion_goes_down_from_each_t():
    assert [k + 1 for k in _insertion_order(13)] == [3, 2, 5, 4, 11, 10, 9, 8, 7, 6, 13, 12]


@pytest.mark.parametrize("n", range(1, 8))
def test_every_order_is_found_within_the_worst_case_which_some_order_needs(n):
    asked = set()
    for order in permutations(range(n)):
        plan = rank_by_merge_insertion([f"s{k}" for k in order], lambda a, b: a if a > b else b)
        assert plan.ranking == tuple(f"s{k}" for k in reversed(range(n)))
        asked.add(plan.asked)
    assert max(asked) == WORST[n - 1]


@pytest.mark.parametrize("n", [8, 10, 12, 13, 21, 40])
def test_random_orders_of_more_systems_are_found_within_the_worst_case(n):
    rng = np.random.default_rng(n)
    for _ in range(150 if n < 20 else 20):
        names = [f"s{k:02d}" for k in rng.permutation(n)]
        plan = rank_by_merge_insertion(names, lambda a, b: "first" if a > b else "second")
        assert plan.ranking == tuple(sorted(names, reverse=True)) and plan.asked <= worst_case(n)


def test_the_seven_pairs_of_table_2_are_a_run_of_merge_insertion(shared):
    """Pairs A C and B D, E left out, the lower middle probed: AC BD AB EA EB DC DA, and the paper's ranking E
    B D A C.
    """
    columns = {"first": "x", "second": "y", "wins": "n_x_better", "losses": "n_y_better", "ties": "n_same"}
    table = read(shared / "data" / "vilar2007_table2.csv", layout="counts", columns=columns)
    asked = []

    def compare(a, b):
        asked.append(a + b)
        return compare_two(table, a, b).merged.better

    plan = rank_by_merge_insertion("ACBDE", compare)
    assert asked == ["AC", "BD", "AB", "EA", "EB", "DC", "DA"] and plan.ranking == tuple("EBDAC")
    with pytest.raises(
        InputError, match="'C' and 'B' were never compared"
    ):  # with votes A and C change places: another run
        rank_by_merge_insertion("ACBDE", lambda a, b: compare_two(table, a, b).votes.better)


def test_a_plan_says_what_to_run_next_and_when_it_is_done():
    plan = Plan(("A", "B", "C"))
    assert plan.to_dict() == {"next": ["A", "B"], "asked": 0, "at_most": 3, "ranking": None}
    plan = plan.answer("B")
    assert plan.next == ("C", "A") and plan.asked == 1  # the odd one out is looked for in the chain A < B
    plan = plan.answer("second")
    assert plan.to_dict() == {"next": None, "asked": 2, "at_most": 3, "ranking": ["B", "A", "C"]}


def test_a_plan_saved_after_every_answer_goes_on_as_if_it_had_not_been():
    rng = np.random.default_rng(4)
    names = [f"s{k}" for k in rng.permutation(11)]
    whole = rank_by_merge_insertion(names, lambda a, b: max(a, b))
    plan = Plan(tuple(names))
    while (question := plan.next) is not None:
        plan = Plan.from_json(plan.to_json()).answer(max(question))
    assert plan == whole and plan.ranking == whole.ranking and Plan.from_json(whole.to_json()).next is None


def test_one_system_is_ranked_without_a_question():
    assert (
        Plan(("A",)).ranking == ("A",) and Plan(("A",)).next is None and worst_case(1) == 0 == worst_case(0)
    )


def test_a_tie_needs_a_rule_and_the_rule_is_kept_in_the_plan():
    with pytest.raises(InputError, match="tie_rule='listed'"):
        Plan(("A", "B")).answer("tie")
    plan = Plan(("A", "B", "C"), tie_rule="listed").answer("tie")
    assert plan.next == ("C", "B") and plan.ties == (("A", "B"),)
    settled = Plan.from_json(plan.to_json()).answer("tie")
    assert settled.ranking == ("A", "B", "C") and settled.asked == 2


def test_names_in_any_script_survive_a_save():
    plan = Plan(("систем", "体系", 'a, "b"')).answer("体系")
    assert Plan.from_json(plan.to_json()) == plan and "体系" in plan.to_json()


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        ((), "no systems"),
        (("A", "A"), "more than once: A"),
        (("A", " "), "non-empty"),
        (("A", "tie"), "'tie' cannot be distinguished"),
        (("A", 3), "non-empty"),
    ],
)
def test_systems_that_cannot_be_ranked_are_refused(systems, said):
    with pytest.raises(ItemError, match=said):
        Plan(systems)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Plan(("A", "B")).answer("C"), "expected one of the two"),
        (lambda: Plan(("A", "B")).answer("A").answer("A"), "settled after 1"),
        (lambda: Plan(("A", "B"), tie_rule="coin"), "tie_rule='coin'"),
        (lambda: Plan(("A", "B"), (("B", "A", "first"),)), "answer 1 is about 'B' and 'A'"),
        (
            lambda: Plan(("A", "B"), (("A", "B", "first"), ("A", "B", "first"))),
            "2 answers, but the ranking was settled after 1",
        ),
        (lambda: Plan(("A", "B"), (("A", "B", "perhaps"),)), "answer='perhaps'"),
        (lambda: Plan.from_json("{}"), "not a saved ranking"),
        (lambda: Plan.from_json("nothing"), "not a saved ranking"),
        (lambda: Plan.from_json("[1]"), "not a saved ranking"),
        (lambda: Plan.from_json(json.dumps({"pairproof": "merge-insertion", "format": 99})), "format 99"),
    ],
)
def test_answers_and_texts_that_do_not_belong_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
