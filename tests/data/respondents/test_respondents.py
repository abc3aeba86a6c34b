"""`Respondents`: what it checks, what it says, and what does not change it."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents, from_pairs, from_ranks, from_ratings
from pairproof.data.respondents.codes import MISSING
from pairproof.data.wide import prefmod_pair_order
from pairproof.errors import InputError, ItemError
from pairproof.native.answers.patterns import natural_parameters as native
from tests.data.respondents.tables import salad, tables


def rows_of(table: Respondents) -> Counter[Any]:
    """Weight of each distinct answer with its covariates, independent of the order of the rows."""
    found: Counter[Any] = Counter()
    for k in range(table.n_rows):
        who = [c.codes[k] if isinstance(c, Factor) else repr(float(c[k])) for c in table.columns.values()]
        found[(table.answers[k].tobytes(), *map(str, who))] += float(table.weights[k])
    return found


def by_name(table: Respondents) -> list[dict[tuple[str, str], int]]:
    """Each row's comparisons as {(preferred or first by name, other): answer}, at each time."""
    found = []
    for row in table.pair_answers:
        own = {}
        for t, answers in enumerate(row):
            for (i, j), answer in zip(prefmod_pair_order(len(table.items)), answers):
                a, b = table.items[i], table.items[j]
                turned = answer if a < b or answer == MISSING else -answer
                own[f"{min(a, b)} {max(a, b)} {t}"] = int(turned)
        found.append(own)
    return found


# -- its codes are those of the models -----------------------------------------------------------------------


def test_the_order_of_pairs_is_that_of_the_pattern_models() -> None:
    assert prefmod_pair_order(7) == tuple(zip(*(part.tolist() for part in native.pairs_of(7))))


# -- it says what it is --------------------------------------------------------------------------------------


def test_salad_prints_as_a_sentence_with_its_rankings() -> None:
    lines = repr(salad()).split("\n")
    assert lines[0] == "32 rankings of 4 items (no ties), from salad"
    assert lines[1:3] == ["  11  B > C > D > A", "  6  B > D > C > A"]
    assert len(lines) == 13
    assert "<li>11  B &gt; C &gt; D &gt; A</li>" in salad()._repr_html_()


def test_gaps_ties_and_items_that_were_not_presented_are_told() -> None:
    table = Respondents.build("ABCD", "rankings", [[1, 1, 0, 0], [2, -1, 1, -1], [0, 0, 0, 0]])
    assert repr(table).split("\n") == [
        "2 rankings of 4 items, 2 of them partial (1 with ties), 1 more without a rank, from table",
        "  1  no rank; below: A, B, C, D",
        "  1  A = B; below: C, D",
        "  1  C > A; not presented: B, D",
    ]


def test_names_cannot_make_a_line_or_a_colour_of_their_own() -> None:
    table = Respondents.build(["A\nB", "\x1b[31mC".replace("[", "")], "rankings", [[1, 2]])
    assert repr(table).count("\n") == 1
    assert "\x1b" not in repr(table)


# -- it refuses what is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(kind="rank", answers=[[1, 2, 3]]), "kind='rank'; expected one of 'comparisons', 'rankings', 'ratings'"),
        (dict(kind="rankings", answers=[[1, 2]]), "answers of shape (1, 1, 2); expected (rows, 1, 3)"),
        (dict(kind="rankings", answers=[[1, 2, 2.5]]), "answers have type float64"),
        (dict(kind="rankings", answers=[[1, 2, 3], [1, -2, 3]]), "table, row 2, answer 2: the code is -2"),
        (dict(kind="rankings", answers=[[1, 2, 2]], tie_category=False), "row 1: two of the items A, B, C have the same rank"),
        (dict(kind="rankings", answers=[[1, -1, -1], [0, 0, 0]]), "no answer compares two items"),
        (dict(kind="comparisons", answers=[[1, 0, 1]]), "tie_category=None; state whether 'no preference'"),
        (dict(kind="comparisons", answers=[[1, 0, 1]], tie_category=False), "row 1, answer 2: the code is 0; expected 1, -1, 9"),
        (dict(kind="comparisons", answers=[[9, 9, 9]], tie_category=True), "no answer compares two items"),
        (dict(kind="ratings", answers=[[1, 2, 3]]), "the scale has the points []"),
        (dict(kind="ratings", answers=[[1, 2, 6]], scale=range(1, 6)), "row 1, answer 3: the code is 6; expected 1 to 5"),
        (dict(kind="ratings", answers=[[1, 2, 3]], scale=[1, 1, 2]), "expected two or more different numbers"),
        (dict(kind="rankings", answers=[[1, 2, 3]], scale=[1, 2]), "scale=[1, 2] is for ratings"),
        (dict(kind="rankings", answers=[[1, 2, 3]] * 2, weights=[1, -1]), "row 2: the weight is -1.0"),
        (dict(kind="rankings", answers=[[1, 2, 3]] * 2, weights=[0, 0]), "all weights are 0"),
        (dict(kind="rankings", answers=[[1, 2, 3]] * 2, weights=[1]), "weights have shape (1,)"),
        (dict(kind="rankings", answers=[[1, 2, 3]] * 2, columns={"x": np.ones(3)}), "column 'x' has 3 values for 2 rows"),
        (dict(kind="rankings", answers=[[1, 2, 3]], columns={"time": np.ones(1)}), "no covariate can have the name 'time'"),
        (dict(kind="rankings", answers=[[[1, 2, 3]] * 2], times=["a", "a"]), "times are ['a', 'a']"),
        (dict(kind="rankings", answers=np.zeros((0, 3), int)), "no rows"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_place(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        Respondents.build("ABC", **options)
    assert words in str(error.value)


def test_answers_are_read_only_and_not_those_of_the_caller() -> None:
    given_answers = np.array([[1, 2]])
    table = Respondents.build("AB", "rankings", given_answers)
    given_answers[0] = 2, 1
    assert table.answers.tolist() == [[[1, 2]]]
    with pytest.raises(ValueError, match="read-only"):
        table.answers[0] = 0


def test_a_covariate_without_a_value_is_refused_where_groups_need_it() -> None:
    table = Respondents.build("AB", "rankings", [[1, 2], [2, 1]], columns={"age": np.array([20, np.nan])})
    with pytest.raises(InputError, match="table, row 2: 'age' has no value"):
        table.groups(["age"])
    with pytest.raises(InputError, match="no covariate 'sex'; found 'age'"):
        table.groups(["sex"])


def test_several_times_are_not_taken_for_one() -> None:
    table = Respondents.build("AB", "rankings", [[[1, 2], [2, 1]]], times=["before", "after"])
    with pytest.raises(InputError, match="answers at 2 times"):
        table.once
    assert table.at_time("after").once.tolist() == [[2, 1]]
    with pytest.raises(InputError, match="no time 'later'; found 'before', 'after'"):
        table.at_time("later")


# -- what does not change it ---------------------------------------------------------------------------------


@settings(deadline=None)  # other work on the machine is no failure
@given(tables(), st.randoms(use_true_random=False))
def test_items_in_another_order_make_the_same_comparisons(table: Respondents, random: Any) -> None:
    order = list(table.items)
    random.shuffle(order)
    turned = table.with_items(order)
    assert by_name(turned) == by_name(table)
    assert dict(zip(turned.items, turned.item_data["price"])) == dict(
        zip(table.items, table.item_data["price"])
    )
    again = turned.with_items(table.items)
    assert (again.answers == table.answers).all()
    if table.kind != "comparisons":
        assert turned.to_comparisons().ranked_together == table.to_comparisons().ranked_together


def test_an_order_that_leaves_an_item_out_is_refused() -> None:
    with pytest.raises(ItemError, match="expected an ordering of"):
        salad().with_items(["A", "B", "C"])


@settings(deadline=None)  # other work on the machine is no failure
@given(tables(), st.randoms(use_true_random=False))
def test_permuted_rows_are_the_same_table(table: Respondents, random: Any) -> None:
    order = list(range(table.n_rows))
    random.shuffle(order)
    turned = table.select(order)
    assert rows_of(turned) == rows_of(table)
    assert sorted(turned.sentences(99)) == sorted(table.sentences(99))
    assert rows_of(turned.merged()) == rows_of(table.merged())
    assert turned.to_comparisons().digest() == table.to_comparisons().digest()


@settings(deadline=None)  # other work on the machine is no failure
@given(tables())
def test_merged_rows_have_the_weights_of_all_that_were_alike(table: Respondents) -> None:
    twice = table.select(list(range(table.n_rows)) * 2)
    merged = twice.merged()
    assert rows_of(merged) == rows_of(twice)
    assert len(rows_of(merged)) == merged.n_rows
    assert merged.n_persons == 2 * table.n_persons
    assert merged.to_comparisons().digest() == twice.to_comparisons().digest()
    assert (merged.merged().answers == merged.answers).all()


@settings(deadline=None)  # other work on the machine is no failure
@given(tables())
def test_a_pickled_table_is_the_same(table: Respondents) -> None:
    again = pickle.loads(pickle.dumps(table))
    assert repr(again) == repr(table)
    assert rows_of(again) == rows_of(table)
    assert not again.answers.flags.writeable


@settings(deadline=None)  # other work on the machine is no failure
@given(tables())
def test_a_frame_is_read_back_as_the_same_table(table: Respondents) -> None:
    frame = table.to_frame()
    levels = {"sex": ["f", "m"]}
    k = table.answers.shape[2]
    own = list(frame)[: k * table.n_times]
    times = table.n_times if table.n_times > 1 else None
    options: dict[str, Any] = dict(items=table.items, levels=levels)
    if table.kind == "comparisons":
        if (
            table.n_times > 1
        ):  # each time is a table of its own: repeated comparisons have no wide layout here
            frame, table = table.at_time("t0").to_frame(), table.at_time("t0")
        again = from_pairs(
            frame,
            pair_order="prefmod",
            coding="first=1,tie=0,second=-1,missing=NA",
            tie_category=True,
            pairs=list(frame)[:k],
            **options,
        )
    elif table.kind == "rankings":
        again = from_ranks(
            frame,
            answers=own,
            times=times,
            unranked={0: "below", "NA": "absent"},
            tie_category=True,
            **options,
        )
    else:
        again = from_ratings(frame, answers=own, times=times, scale=table.scale, best="high", **options)
    assert rows_of(again) == rows_of(table)
    assert (again.kind, again.scale, again.tie_category) == (table.kind, table.scale, table.tie_category)


def test_groups_are_those_of_equal_covariates() -> None:
    sex = Factor(np.array([1, 0, 1, 0]), ("f", "m"))
    table = Respondents.build(
        "AB", "rankings", [[1, 2]] * 4, columns={"sex": sex, "age": np.array([3.0, 3, 3, 4])}
    )
    group, first = table.groups(["sex", "age"])
    assert group.tolist() == [2, 0, 2, 1]
    assert first.tolist() == [1, 3, 0]
    assert [part.tolist() for part in table.groups([])] == [[0, 0, 0, 0], [0]]


def test_the_frame_writes_a_missing_label_as_none() -> None:
    table = Respondents.build(
        "AB", "rankings", [[1, 2], [2, 1]], columns={"sex": Factor(np.array([-1, 0]), ("f",))}
    )
    assert table.to_frame()["sex"].tolist() == [None, "f"]
    assert isinstance(table.to_frame(), pd.DataFrame)
