"""The table that prefmod reads from a data frame, its rows, codes and covariates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as any_of, strategies as st
from numpy.testing import assert_array_equal

from pairproof.bridge.values.nodes import RLang
from pairproof.migration.translate.prefmod.patterns import given as arguments_of
from pairproof.migration.translate.prefmod.prefmod_table import (
    Covariates,
    Given,
    answered,
    check_covariates,
    coding_of,
    given,
    left_out,
    numbers_of,
    read,
    unanimous,
    understood,
    written_names,
)
from pairproof.migration.translate.recorded_answers import StaysInR
from tests.migration.translate.prefmod.made import a_prefmod_call, factor, frame, texts, truths


def test_a_factor_counts_as_the_number_that_its_level_spells() -> None:
    names, values = numbers_of(
        frame(a=[1, 2], b=factor([2, 1], ["10", "20"]), c=texts(" 3", "x"), d=truths(True, False))
    )
    assert names == ("a", "b", "c", "d")
    # as.matrix makes text of all columns where one is text or a factor, so that TRUE is no number any more
    assert_array_equal(values, [[1, 20, 3, np.nan], [2, 10, np.nan, np.nan]])


def test_a_logical_counts_as_0_and_1_among_numbers_alone() -> None:
    found = numbers_of(frame(a=[1, None], d=truths(True, False)))
    assert_array_equal(found[1], [[1, 1], [np.nan, 0]])


def test_names_of_columns_are_unique_and_none_is_a_weight() -> None:
    assert written_names(["x", "", "x", "weight", "judge"]) == ("x", "V2", "x_", "weight_", "judge_")


def test_a_file_name_or_a_missing_table_is_no_table() -> None:
    for values, why in (
        ({"obj": "a.dat"}, "reads its data from a file"),
        ({}, "was not recorded"),
        ({"obj": frame(a=[1], b=[1])}, "has 2 columns and 3 answers"),
    ):
        with pytest.raises(StaysInR, match=why):
            given(a_prefmod_call("pattPC.fit", values), 3)


def test_rows_left_out_are_numbered_from_1() -> None:
    rows = np.array([True, False, True])
    assert left_out(rows, "nothing answered") == (
        "prefmod leaves out 2 rows (1, 3) of 3: nothing answered; so does this script",
    )
    assert left_out(rows & ~rows, "nothing") == ()
    table = Given(("a", "b"), np.array([[1, np.nan], [np.nan, np.nan]]), 2)
    assert answered(table).tolist() == [True, False] and answered(table, 2).tolist() == [False, False]


def test_arguments_whose_values_were_not_kept_are_what_prefmod_understood() -> None:
    call = a_prefmod_call(
        "pattPC.fit", {"nitems": 3}, {"undec": truths(False), "mis_alpha": truths(False, True)}
    )
    assert understood(call).one("undec", True) is True  # not given: R's default
    asked = a_prefmod_call("pattPC.fit", {"undec": True, "MISalpha": True}, dict(call.result))
    lost = {k: v for k, v in asked.values.items() if k == "nitems"}
    without = type(asked)(**{**asked.__dict__, "values": lost})
    assert understood(without).one("undec", True) is False
    assert arguments_of(understood(without))["MISalpha"] == [False, True]


# -- codes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codes", "first", "tie", "second"),
    [
        ((0, 1, 2), 0, 1, 2),
        ((1, 0, -1), 1, 0, -1),
        ((0, 1), 0, None, 1),
        ((1, -1), 1, None, -1),
        ((2, 4), 2, None, 4),
        ((1, 2, 3, 4, 5), [1, 2], 3, [4, 5]),
        ((1, 2, 3, 4), [1, 2], None, [3, 4]),
        ((2, 1, 0, -1, -2), [2, 1], 0, [-1, -2]),
    ],
)
def test_codes_are_read_as_prefmod_reads_them(codes, first, tie, second) -> None:
    found = coding_of(np.array([codes], float))
    assert found == {"first": first, **({} if tie is None else {"tie": tie}), "second": second}
    assert coding_of(np.array([[*codes, np.nan]])) == found | {"missing": "NA"}


@any_of(st.lists(st.sampled_from([-1, 0, 1]), min_size=4, max_size=30), st.integers(0, 5))
def test_a_shift_of_codes_that_are_not_negative_changes_no_answer(answers: list[int], shift: int) -> None:
    x = np.array([answers], float)
    try:
        a = coding_of(x + 1)
    except StaysInR:
        with pytest.raises(StaysInR):
            coding_of(x + 1 + shift)
        return
    b = coding_of(x + 1 + shift)
    assert {k: np.add(v, shift).tolist() for k, v in a.items()} == b


def test_one_answer_alone_and_an_empty_middle_are_no_coding() -> None:
    with pytest.raises(StaysInR, match="all its answers are the same"):
        coding_of(np.array([[1.0, 1.0]]))
    with pytest.raises(StaysInR, match="none of its 3 codes is the middle"):
        coding_of(np.array([[0.0, 1.0, 4.0]]))
    assert unanimous(np.array([[0.0, 1.0], [0.0, 1.0]])) and not unanimous(np.array([[0.0, 1.0], [1.0, 1.0]]))


# -- covariates ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "products"),
    [
        ("~1", ()),
        ("~SEX", (("SEX",),)),
        ("~SEX + age.group", (("SEX",), ("age.group",))),
        ("~SEX * AGE", (("SEX",), ("AGE",), ("SEX", "AGE"))),
        ("~1 + SEX:`a b`", (("SEX", "a b"),)),
        ("~(SEX)", (("SEX",),)),
        ("~ -1 + SEX", None),
        ("~log(x)", None),
        ("y ~ x", None),
    ],
)
def test_formulas_of_covariates(text: str, products: object) -> None:
    assert read(RLang(text)) == products


def test_covariates_of_the_table_alone_are_cells() -> None:
    found = Covariates((("sex",),), (("sex",), ("age",)))
    assert (found.by, found.cells, found.in_table) == ("sex", ["age"], ("sex", "age"))
    assert Covariates((("sex",),)).cells == []  # elim is formel where it was not given
    assert Covariates((("a",), ("b",), ("a", "b"))).by == "a * b"
    assert not Covariates((("a",), ("a", "b"))).whole


def test_covariates_that_are_not_coded_1_to_k_are_found() -> None:
    table = Given(("V1", "s", "t"), np.array([[0, 1, 1], [1, 3, 2.0]]), 1)
    found = Covariates((("s",), ("t",)))
    with pytest.raises(StaysInR, match="^s is not coded 1, 2, ..., K"):
        check_covariates(found, table)
    assert found.levels(table) == {"s": [1, 3], "t": [1, 2]}
