"""What prefmod makes of a table: what changes, what is said about it, and that nothing else changes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.errors import DataWarning, InputError
from pairproof.native.prefmod_defects.defects_of_input import patt_design, read_as_prefmod, seven_digits

THREE = [[1, 1, 1], [1, 0, -1], [-1, -1, 0], [1, -1, -1], [0, 1, 1], [-1, 0, 1]]


def table(answers: list[list[int]], **options: object) -> Respondents:
    return Respondents.build("ABC", "comparisons", answers, tie_category=True, **options)  # type: ignore[arg-type]  # options by name


def test_a_table_on_which_prefmod_is_right_is_not_changed_and_nothing_is_said() -> None:
    whole = table(THREE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for function in ("pattPC.fit", "llbtPC.fit", "llbt.design"):
            read = read_as_prefmod(whole, function)
            assert read.committed == () and read.text == ""
            assert (read.table.answers == whole.answers).all() and read.table.tie_category


def test_without_compat_nothing_is_changed_on_any_table() -> None:
    lost = table([[1, 1, 1], [1, 0, 0], [1, 1, 0]])
    assert (read_as_prefmod(lost, "pattPC.fit", compat="").table.answers == lost.answers).all()
    assert pairproof.fit_pattern(lost).warnings == pairproof.fit_pattern(lost, compat="").warnings


def test_the_warning_names_the_defect_and_what_it_changed() -> None:
    one_column = table([[1, 1, 1], [1, 0, -1], [-1, -1, 0], [1, -1, 1], [-1, 1, 1], [-1, 0, 1]])
    with pytest.warns(DataWarning, match="B1-ties-as-losses: 3 ties became wins of the second item"):
        read = read_as_prefmod(one_column, "pattPC.fit")
    assert not read.table.tie_category and (read.table.answers != 0).all()
    with pytest.warns(DataWarning, match="prefmod's pattPC.fit would, with its defects B1-ties-as-losses"):
        fit = pairproof.fit_pattern(one_column, compat="prefmod")
    assert "tie" not in fit.names and fit.warnings[-1].kind == "as-prefmod"


def test_unanimous_answers_are_ties_to_prefmod() -> None:
    same = table([[1, 1, 1]] * 3)
    read = read_as_prefmod(same, "llbtPC.fit", warn=False)
    assert (read.table.answers == 0).all() and str(read.committed[0]).endswith("9 preferences became ties")


def test_a_coding_with_a_negative_code_turns_answers_round_when_it_is_not_seen() -> None:
    # 1/0/-1 of which -1 does not occur: 0 is then the smallest code, "first preferred", and 1 the second.
    lost = table([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    read = read_as_prefmod(lost, "llbtPC.fit", codes=(1, 0, -1), warn=False)
    assert (read.table.once == np.where(lost.once == 1, -1, 1)).all()
    assert "6 preferences turned round" in str(read.committed[0])


def test_defects_that_change_nothing_are_named() -> None:
    with pytest.warns(DataWarning, match="B12-gap-in-the-levels changes nothing in this table"):
        read = read_as_prefmod(table(THREE), "pattPC.fit", compat="prefmod:B12")
    assert read.without_effect == ("B12-gap-in-the-levels",)
    with pytest.warns(DataWarning, match="B3-beta-of-the-comparison changes nothing here"):
        pairproof.fit_pattern(table(THREE), compat="prefmod:B3")


def test_a_defect_of_printed_numbers_is_not_one_of_a_fit() -> None:
    with pytest.raises(InputError, match="a defect of printed numbers, not of a fit; printed_as_prefmod"):
        pairproof.fit_pattern(table(THREE), compat="prefmod:N1")


def test_two_gaps_in_levels_put_groups_on_the_table_of_all_levels() -> None:
    # S has levels 1, 3 and T 1, 2: groups 11 31 12 32 stand in rows 1 to 4 of 11 21 31 12 22 32.
    codes = {"S": [0, 2, 0, 2], "T": [0, 0, 1, 1]}
    of = {"S": ("1", "2", "3"), "T": ("1", "2")}
    data = table(THREE[:4], columns={k: Factor(np.array(codes[k]), of[k]) for k in codes})
    read = read_as_prefmod(data, "pattPC.fit", by="S + T", warn=False)
    found = {
        k: [c.levels[i] for i in c.codes] for k, c in read.table.columns.items() if isinstance(c, Factor)
    }
    assert found == {"S": ["1", "2", "3", "1"], "T": ["1", "1", "1", "2"]}


def test_persons_of_a_weight_are_as_many_rows() -> None:
    many = table([[1, 0, -1], [1, 1, 1]], weights=[2, 1])
    assert read_as_prefmod(many, "pattPC.fit", compat="").table.n_rows == 3
    with pytest.raises(InputError, match="weights must be whole numbers"):
        read_as_prefmod(table([[1, 0, -1]], weights=[0.5]), "pattPC.fit")


def test_codes_and_covariates_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match="expected three different numbers"):
        read_as_prefmod(table(THREE), "pattPC.fit", codes=(1, 2, 0))
    with pytest.raises(InputError, match="no covariate 'S'; found none"):
        read_as_prefmod(table(THREE), "pattPC.fit", by="S")


def test_seven_digits_are_those_of_the_smallest_number() -> None:
    # R: as.matrix(data.frame(x = c(3141.59265, 0.5, NA), f = factor(1:3)))[, "x"] is "3141.593", "0.500", NA.
    found = seven_digits(np.array([3141.59265, 0.5, np.nan]))
    assert found[:2].tolist() == [3141.593, 0.5] and np.isnan(found[2])
    assert seven_digits(np.array([3141.59265, 0.123456789])).tolist() == [3141.59265, 0.1234568]


def test_patt_design_turns_codes_with_a_negative_one() -> None:
    answers, ties = patt_design(np.array([[1.0, 0.0, -1.0]]), None)
    assert answers.tolist() == [[1, 0, -1]] and ties


@given(st.lists(st.tuples(*[st.sampled_from([1, 0, -1, 9])] * 3), min_size=1, max_size=8), st.randoms())
def test_what_prefmod_reads_does_not_depend_on_the_order_of_persons(
    answers: list[tuple[int, int, int]], random: object
) -> None:
    if all(a == 9 for row in answers for a in row):
        return
    rows = [list(a) for a in answers]
    first = read_as_prefmod(table(rows), "pattPC.fit", warn=False).table
    turned = read_as_prefmod(table(rows[::-1]), "pattPC.fit", warn=False).table
    assert first.tie_category == turned.tie_category
    assert (first.answers[::-1] == turned.answers).all()
    assert ((first.answers == 9) == (table(rows).answers == 9)).all()  # what is missing stays missing
