"""Rankings as ranks, orders, rows and text; what R's PlackettLuce and prefmod make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from pairproof.data.respondents import (
    Respondents,
    from_long_ranks,
    from_orders,
    from_ranking_text,
    from_ranks,
)
from pairproof.errors import InputError, ItemError
from pairproof.native.answers.patterns.natural_parameters import main_effects
from pairproof.native.answers.patterns.ranking_patterns import fit_mallows, fit_plackett_luce
from tests.data.respondents.tables import salad, tables

FRUIT = {"apple": [1, 4, 2, 1, 2, 1], "banana": [2, 1, 1, 2, 1, 0], "orange": [0, 2, 1, 3, 1, 3], "pear": [0, 3, 1, 0, 0, 2]}  # fmt: skip
ABSENT = {0: "absent", "NA": "absent"}


def ranks_of(**columns: list[Any]) -> Respondents:
    return from_ranks(columns, items=list(columns), unranked=ABSENT)


# -- the models find in it what they should ------------------------------------------------------------------


def test_plackett_and_luces_model_of_fruit_is_the_40_digit_value() -> None:
    table = from_ranks(FRUIT, items=list(FRUIT), unranked={0: "absent"})
    fit = fit_plackett_luce(table.once, [main_effects(table.items)], weights=table.weights)
    # An independent Newton fit at 40 digits has 14 decimals of this; observed 0.
    assert fit.estimate.llf == pytest.approx(-14.56973928913296, abs=1e-13)


def test_salad_fits_as_the_pattern_model_of_its_40_digit_value() -> None:
    fit = fit_mallows(salad().ranks[:, 0], [main_effects("ABCD")], weights=salad().weights)
    assert fit.estimate.llf == pytest.approx(
        -77.44573646528155, abs=1e-12
    )  # 14 decimals are known; observed 0
    lam = [-0.2774185056283571, 0.5912528647502006, 0.1887875986820734]
    assert fit.estimate.phi == pytest.approx(lam, abs=1e-13)  # 16 decimals are known; observed 1.3e-15


# -- what R's PlackettLuce makes of ranks, and where we ask --------------------------------------------------


@pytest.mark.parametrize(
    ("given_ranks", "dense"),
    [([1, 1, 3], [1, 1, 2]), ([10, 20, 5], [2, 3, 1]), ([0.5, 0.2, 0.9], [2, 1, 3]), ([1.5, 1.5, 3], [1, 1, 2]),
     ([2, 2, 2], [1, 1, 1]), ([10, 0, 5], [2, -1, 1])],
)  # fmt: skip
def test_only_the_order_of_ranks_counts(given_ranks: list[float], dense: list[int]) -> None:
    assert ranks_of(**{n: [r, k] for n, r, k in zip("ABC", given_ranks, [1, 2, 3])}).once[0].tolist() == dense


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "table, row 1, column 'A': the rank is 0; if that is not a rank specify the meaning"),
        ({"unranked": "below"}, "pass zero_based=True"),  # a word is for blank cells: 0 has to be named
        ({"unranked": {0: "last"}}, "unranked has the meaning 'last'"),
        ({"unranked": {"zero": "below"}}, "unranked has the code 'zero'"),
        ({"unranked": 0}, "unranked=0; expected 'absent', 'below' or a mapping"),
    ],
)
def test_zero_is_no_rank_until_it_is_said(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        from_ranks({"A": [0, 1], "B": [1, 2], "C": [2, 0]}, items=list("ABC"), **options)
    assert words in str(error.value)


def test_zero_can_be_the_best_rank() -> None:
    table = from_ranks({"A": [0, 1], "B": [1, 0], "C": [2, 2]}, items=list("ABC"), zero_based=True)
    assert table.once.tolist() == [[1, 2, 3], [2, 1, 3]]


def test_zero_and_blank_may_mean_different_things() -> None:
    table = from_ranks(
        {"A": [1, 1], "B": [0, None], "C": [0, 2]}, items=list("ABC"), unranked={0: "below", "NA": "absent"}
    )
    assert table.once.tolist() == [[1, 0, 0], [1, -1, 2]]
    # One item below all others has the last rank: the same answer.
    assert ranks_below([1, 2, 0]) == [1, 2, 3]


def ranks_below(row: list[int]) -> list[int]:
    columns = {name: [rank] for name, rank in zip("ABC", row)}
    found: list[int] = from_ranks(columns, items=list("ABC"), unranked={0: "below"}).once[0].tolist()
    return found


@pytest.mark.parametrize(
    ("cell", "words"),
    [(-1, "row 2, column 'B': the rank is -1"), ("x", "row 2, column 'B': the rank is 'x'; expected a number"),
     (float("inf"), "the rank is inf"), (None, "row 2, column 'B': no rank; specify the meaning")],
)  # fmt: skip
def test_a_cell_that_is_no_rank_is_refused_with_its_place(cell: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        from_ranks({"A": [1, 1], "B": [2, cell]}, items=["A", "B"])
    assert words in str(error.value)


def test_a_file_is_named_with_its_line(tmp_path: Any) -> None:
    path = tmp_path / "ranks.csv"
    path.write_text("A,B,sex\n1,2,f\n\n2,first,m\n")
    with pytest.raises(InputError, match=r"ranks.csv, row 2 \(line 4\), column 'B': the rank is 'first'"):
        from_ranks(path, items=["A", "B"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "unclear which contain answers; pass items="),
        ({"items": ["A", "D"]}, "no column 'D' to hold answers"),
        ({"items": ["x", "y", "z"], "answers": ["A", "B"]}, "2 columns contain answers, but 3 items need 3"),
        ({"answers": ["A", "A"]}, "answer columns appear twice: 'A'"),
        ({"answers": "AB"}, "answers='AB' is one string"),
        ({"answers": ["A", "B", "C"], "times": 2}, "3 columns contain answers"),
        ({"items": ["A"], "times": 2}, "counts blocks of columns"),
        ({"items": ["A"], "times": [".1"]}, "expected two or more different endings"),
        ({"answers": ["A", "B"], "levels": {"sex": [1]}}, "levels are given for 'sex'"),
    ],
)
def test_columns_of_answers_are_stated_and_there(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        from_ranks({"A": [1], "B": [2], "C": [3]}, **options)
    assert words in str(error.value)


def test_ties_are_refused_where_the_instrument_had_none() -> None:
    with pytest.raises(InputError, match="row 2, column 'B': a tie, but tie_category=False"):
        from_ranks({"A": [1, 1], "B": [2, 1]}, items=["A", "B"], tie_category=False)


@pytest.mark.parametrize("options", [{"answers": list("abcd"), "times": 2, "items": ["x", "y"]}])
def test_repeated_rankings_are_blocks_of_columns(options: dict[str, Any]) -> None:
    table = from_ranks({"a": [1], "b": [2], "c": [2], "d": [1], "sex": [2]}, **options)
    assert table.answers.tolist() == [[[1, 2], [2, 1]]]
    assert table.times == ("1", "2")
    named = from_ranks(
        {"x_t1": [1], "x_t2": [2], "y_t1": [2], "y_t2": [1]}, items=["x", "y"], times=["_t1", "_t2"]
    )
    assert named.answers.tolist() == table.answers.tolist()
    assert named.times == ("t1", "t2")


@pytest.mark.r("prefmod")
def test_carconf_of_prefmod_has_its_435_persons_and_104_rows_with_gaps() -> None:
    from pairproof import bridge

    frame = bridge.package_data("prefmod", "carconf")
    table = from_ranks(frame, answers=list(frame)[:6], unranked="below", levels={"sex": [1, 2]})
    assert table.n_persons == 435
    assert int((frame.iloc[:, :6].isna()).any(axis=1).sum()) == 104
    # One item without a rank is the last one: such a row is no partial ranking.
    assert int((table.once == 0).any(axis=1).sum()) == int((frame.iloc[:, :6].isna().sum(axis=1) > 1).sum())
    assert list(table.columns) == ["sex", "age", "segment"]


# -- orders, rows and text -----------------------------------------------------------------------------------


@settings(deadline=None)  # other work on the machine is no failure
@given(tables(("rankings",)))
def test_orders_rows_and_text_are_the_same_rankings(table: Respondents) -> None:
    table = table.at_time(table.times[0])
    absent = np.where(table.once == 0, -1, table.once)  # one meaning of a gap in these layouts
    table = Respondents.build(table.items, "rankings", absent, tie_category=True)
    texts, long = [], {"who": [], "what": [], "rank": []}  # type: dict[str, Any]
    for k, row in enumerate(table.once):
        places = [[i for i, r in zip(table.items, row) if r == rank] for rank in range(1, row.max() + 1)]
        texts.append(" > ".join(" = ".join(place) for place in places))
        for name, rank in zip(table.items, row):
            long["who"].append(k)
            long["what"].append(name)
            long["rank"].append(None if rank < 0 else int(rank))
    options: dict[str, Any] = dict(items=table.items, unranked="absent", tie_category=True)
    read = [
        from_ranking_text({"x": texts}, column="x", **options),
        from_long_ranks(long, person="who", item="what", rank="rank", **options),
    ]
    j = len(table.items)
    cells = [[*text.split(" > "), *[None] * j][:j] for text in texts]
    columns = {f"p{k}": [row[k] for row in cells] for k in range(j)}
    read.append(from_orders(columns, places=list(columns), ties=" = ", **options))
    for found in read:
        assert (found.once == table.once).all()


def test_an_item_with_two_places_is_refused() -> None:
    # R's PlackettLuce takes the order B, B, C for ranks 0 1 3, without a word.
    with pytest.raises(ItemError, match="table, row 1, column 'q': 'B' already has place 1"):
        from_orders({"p": ["B"], "q": ["B"], "r": ["C"]}, places=["p", "q", "r"])


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"p": ["A"], "q": ["D"]}, {"items": ["A", "B"]}, "row 1, column 'q': found 'D', not among the items given"),
        ({"p": ["A", "B"], "q": ["", "A"], "r": ["C", "C"]}, {}, "row 1, column 'r': an item, but none in the place before ('q')"),
        ({"p": ["A", "B"], "q": ["B", "C"]}, {}, "the ranking that begins here has no place for 'C' (2 such rankings)"),
        ({"p": ["A", "a"], "q": ["B", "B"]}, {}, "differ only in blanks, case"),
        ({"p": [1], "q": [3]}, {"items": ["A", "B"], "cells": "numbers"}, "column 'q': the item is '3'; expected a number from 1 to 2"),
        ({"p": [1], "q": [2]}, {"cells": "numbers"}, "pass items="),
        ({"p": ["A="], "q": ["B"]}, {"ties": "="}, "the place is 'A='"),
    ],
)  # fmt: skip
def test_an_order_that_is_none_is_refused_with_its_place(columns: Any, options: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        from_orders(columns, places=list(columns), **options)
    assert words in str(error.value)


def test_numbers_of_items_are_orders_as_names_are() -> None:
    table = from_orders(
        {"p": [2, 1], "q": [1, 0]}, places=["p", "q"], items=["A", "B"], cells="numbers", unranked="below"
    )
    assert table.once.tolist() == [[2, 1], [1, 2]]


@pytest.mark.parametrize(
    ("text", "words"),
    [("A > B > ...", "R has shortened it"), ("A >  > B", "expected names with '>' or '=' between them"),
     ("A > C", "found 'C', not among the items given"), ("A > A", "'A' already has place 1"),
     ("A", "has no place for 'B'")],
)  # fmt: skip
def test_a_text_that_is_no_ranking_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        from_ranking_text({"x": ["A > B", text]}, column="x", items=["A", "B"])
    assert "table, row 2, column 'x'" in str(error.value)
    assert words in str(error.value)


def test_rows_of_one_person_say_an_item_once_and_the_same_of_the_person() -> None:
    rows = {
        "id": ["b", "b", "a", "a"],
        "item": ["A", "B", "A", "B"],
        "rank": [1, 2, 2, 1],
        "age": [30, 30, 40, 40],
    }
    table = from_long_ranks(rows, person="id", item="item", rank="rank")
    assert table.once.tolist() == [[1, 2], [2, 1]]
    assert np.asarray(table.columns["age"]).tolist() == [30, 40]
    with pytest.raises(
        InputError, match="row 2, column 'age': age is 31, but has another value in an earlier row"
    ):
        from_long_ranks({**rows, "age": [30, 31, 40, 40]}, person="id", item="item", rank="rank")
    with pytest.raises(
        InputError, match="row 2, column 'item': 'A' appears in an earlier row of the same person"
    ):
        from_long_ranks({**rows, "item": ["A", "A", "A", "B"]}, person="id", item="item", rank="rank")
