"""What becomes what on the way to R, and what is refused by name.  No R is started here."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from pairproof.bridge.records.calls import make_call
from pairproof.bridge.values.convert import data_frame, factor_of, matrix, to_node
from pairproof.bridge.values.nodes import INT_NA, NA_BITS, Expr, Formula, factor, from_node


def bits(node):
    return [f"{b:016x}" for b in np.asarray(node[1]).view(np.uint64).tolist()]


@pytest.mark.parametrize(("value", "tag", "payload"), [
    (True, "lgl", [1]), (3, "int", [3]), (2.5, "dbl", [2.5]), ("é日", "chr", ["é日"]),
    ([1, None, 3], "int", [1, INT_NA, 3]), ([True, None], "lgl", [1, INT_NA]), (["a", None], "chr", ["a", None]),
    ([1, 2.5], "dbl", [1.0, 2.5]), (np.int8(4), "int", [4]), (np.float32(0.5), "dbl", [0.5]), (np.bool_(False), "lgl", [0]),
    (b"\x00\xff", "raw", [0, 255]), (1 + 2j, "cplx", [1 + 2j]), (2**31 - 1, "int", [2**31 - 1]),
    (dt.date(2024, 1, 31), "dbl", [19753.0]), (np.array(["a", "b"]), "chr", ["a", "b"]), (np.array([1, 2], "u1"), "int", [1, 2]),
])  # fmt: skip
def test_each_kind_of_value_has_one_r_type(value, tag, payload):
    node = to_node(value)
    assert node[0] == tag
    assert list(node[1]) == payload


def test_none_is_null_and_a_mapping_is_a_named_list():
    assert to_node(None)[0] == "null"
    tag, nodes, attributes = to_node({"a": 1, "b": {"c": None}})
    assert tag == "list" and attributes["names"][1] == ["a", "b"]
    assert nodes[1][1][0][0] == "null"


def test_whole_numbers_beyond_r_integers_become_exact_doubles_or_are_refused():
    assert to_node(2**31)[0] == "dbl" and to_node(2**53)[1].tolist() == [2.0**53]
    assert to_node(np.array([0, 3_000_000_000], "u4"))[1].tolist() == [0.0, 3e9]
    assert to_node([-(2**31)])[0] == "dbl", "R's smallest integer is its NA"
    with pytest.raises(OverflowError, match="9007199254740993 fits neither"):
        to_node(2**53 + 1)
    with pytest.raises(OverflowError, match=r"column 'big'"):
        to_node(pd.DataFrame({"big": [2**62 + 1]}))


def test_nan_stays_nan_in_an_array_and_becomes_na_in_a_float_column():
    assert bits(to_node(np.array([np.nan]))) == ["7ff8000000000000"]
    assert bits(to_node(pd.DataFrame({"x": [np.nan]}))[1][0]) == [f"{NA_BITS:016x}"]
    column = pd.Series(pd.array([1.5, pd.NA], dtype="Float64"))
    assert bits(to_node(column))[1] == f"{NA_BITS:016x}"


@pytest.mark.parametrize("value", [
    object(), {1, 2}, decimal.Decimal("1"), dt.timedelta(1), np.timedelta64(1, "D"),
    np.array([object()]), np.array([1, "a"], dtype=object), np.array([dt.timedelta(1)]), slice(1), np.array([1.0], "g"),
])  # fmt: skip
def test_what_has_no_r_form_is_refused(value):
    with pytest.raises(TypeError):
        to_node(value)


@pytest.mark.parametrize("column", [
    [1, "a"], [1.5, "a", None], [dt.date(2024, 1, 1), 3], [True, 2], [object()], [dt.timedelta(1)],
    [dt.date(2024, 1, 1), dt.datetime(2024, 1, 1)], [{"a": 1}],
])  # fmt: skip
def test_a_column_of_several_kinds_is_refused_by_name(column):
    with pytest.raises(TypeError, match="column 'mixed'"):
        to_node(pd.DataFrame({"ok": range(len(column)), "mixed": pd.Series(column, dtype=object)}))


@pytest.mark.parametrize(("frame", "said"), [
    (pd.DataFrame({1: [2]}), "column names must be text; found"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "repeated: \\['a'\\]"),
    (pd.DataFrame({"a": [1, 2]}, index=["x", "x"]), "with duplicates.*reset_index"),
    (pd.DataFrame({"a": [1.0]}, index=pd.MultiIndex.from_tuples([("u", 1)])), "reset_index"),
    (pd.DataFrame({"a": pd.Categorical([1.5])}), "column 'a': factor levels"),
    (pd.DataFrame({"a": pd.to_timedelta([1], unit="D")}), "column 'a'"),
    (pd.DataFrame({"a": pd.period_range("2024", periods=1, freq="M")}), "column 'a'"),
])  # fmt: skip
def test_a_frame_r_cannot_have_is_refused_with_the_reason(frame, said):
    with pytest.raises((TypeError, ValueError), match=said):
        to_node(frame)


def test_nothing_that_is_passed_is_changed():
    frame = pd.DataFrame(
        {"x": [1.0, np.nan], "i": pd.array([1, None], dtype="Int64"), "f": pd.Categorical(["a", None])}
    )
    array = np.array([[1.0, np.nan], [3.0, 4.0]])
    before = (frame.copy(deep=True), array.copy())
    to_node(frame)
    to_node(array)
    pd.testing.assert_frame_equal(frame, before[0])
    np.testing.assert_array_equal(array, before[1])


def test_the_key_of_a_call_follows_what_r_sees_and_not_the_python_type():
    def key(value):
        return make_call("f", {"x": value}).key

    assert key([1, 2]) == key(np.array([1, 2], "i8")) == key(np.array([1, 2], "u1")) == key(pd.Series([1, 2]))
    assert key(pd.Series([1, None], dtype="Int64")) == key([1, None])
    assert key(pd.Series(["a", None])) == key(["a", None])
    assert (
        key(pd.DataFrame({"a": [1.5]}))
        == key(data_frame({"a": [1.5]}))
        == key(pd.DataFrame({"a": [1.5]}, index=[0]))
    )
    assert key(pd.Categorical(["b", "a"], categories=["b", "a"])) == key(factor_of(["b", "a"], ["b", "a"]))
    different = [
        1,
        1.0,
        True,
        "1",
        [1, 1],
        np.array([[1]]),
        None,
        {"a": 1},
        [None, 1],
        Formula("~1"),
        Expr("1"),
        b"\x01",
        pd.Categorical(["1"]),
        np.nan,
        [1.0, None],
        -0.0,
        0.0,
        dt.date(1970, 1, 2),
    ]
    assert len({key(v) for v in different}) == len(different)


def key_of(value):
    return make_call("f", {"x": value}).key


@given(
    st.lists(st.integers(-(10**12) + 1, 10**12 - 1), min_size=1), st.integers(-14, 14), st.integers(-8, 8)
)
def test_a_key_does_not_turn_on_the_last_bits_of_an_argument_and_turns_on_its_twelfth_digit(
    digits, exponent, steps
):
    literals = np.array([float(f"{d}e{exponent}") for d in digits])
    moved = literals + steps * np.where(
        literals == 0, 0.0, np.spacing(literals)
    )  # as another libm or BLAS gives them: at most 8 units in the last place
    assert (
        key_of(moved)
        == key_of(literals)
        == key_of(pd.Series(moved))
        == key_of(pd.DataFrame({"c": moved})["c"])
    )
    other = np.array([float(f"{digits[0] + (1 if digits[0] >= 0 else -1)}e{exponent}"), *literals[1:]])
    assert key_of(other) != key_of(literals)


def test_the_key_sees_computed_arguments_inside_frames_lists_matrices_and_complex_numbers():
    third, moved = 1 / 3, np.nextafter(1 / 3, 1)
    for place in (
        lambda v: [v, 2.0],
        lambda v: {"a": {"b": v}},
        lambda v: np.array([[v, 1.0]]),
        lambda v: pd.DataFrame({"a": [v]}),
        lambda v: complex(v, v),
        lambda v: [v, None, float("nan")],
    ):
        assert key_of(place(third)) == key_of(place(moved))
        assert key_of(place(third)) != key_of(place(third + 1e-11))


def test_every_part_of_a_call_but_its_needs_and_label_is_in_its_key():
    base = dict(code="x", args={"x": 1, "y": 2}, extract="value", seed=1)
    keys = [
        make_call(**{**base, **change}).key
        for change in (
            {},
            {"code": "y"},
            {"args": {"y": 2, "x": 1}},
            {"args": {"x": 1}},
            {"extract": None},
            {"seed": 2},
        )
    ]
    assert len(set(keys)) == len(keys)
    assert make_call(**base, needs=["gnm"], label="named").key == keys[0]


def test_the_key_is_the_same_on_every_machine():
    # Fixed here: records made elsewhere must be found. Change it only together with KEY_FORMAT.
    call = make_call("f", {"x": [1.0, None], "g": factor_of(["u", "v"]), "s": "é", "n": None}, seed=3)
    assert call.key == KEY


KEY = "50859648bd6fca64c7ebef0fab64d070d74205a0dc64a1b24fcd22164687e853"


def test_a_factor_keeps_its_stated_levels_and_refuses_others():
    assert from_node(factor_of(["b", "a"], ["b", "a", "c"]).node).levels == ("b", "a", "c")
    with pytest.raises(ValueError, match="'z'.*not among the levels"):
        factor_of(["z"], ["a"])
    with pytest.raises(ValueError, match="found 0 to 2"):
        factor([0, 2], ["a", "b"])
    with pytest.raises(ValueError, match="must be unique"):
        factor([0], ["a", "a"])


def test_columns_of_unequal_length_and_wrong_matrices_are_refused_with_their_sizes():
    with pytest.raises(ValueError, match="'a': 2, 'b': 3"):
        data_frame({"a": [1, 2], "b": [1, 2, 3]})
    with pytest.raises(ValueError, match=r"found shape \(2, 3\)"):
        matrix(np.zeros((2, 3)), ["a", "b"])


def test_a_scalar_says_how_many_it_found():
    with pytest.raises(ValueError, match="found 2"):
        from_node(to_node([1, 2])).scalar()


def test_a_missing_list_element_is_named_with_those_that_are_there():
    with pytest.raises(KeyError, match="'b'.*\\['a'\\]"):
        from_node(to_node({"a": 1}))["b"]
