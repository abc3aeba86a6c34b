"""Through R and back: every bit of a double, NA and NaN told apart, and everything that hangs on a value."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from pairproof.bridge.process.session import session
from pairproof.bridge.values.convert import data_frame, matrix, to_frame, to_node
from pairproof.bridge.values.nodes import NA_BITS, RList, RVector, dump, factor, load

pytestmark = pytest.mark.r

SPECIAL = np.array([
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800FFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
    0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000, NA_BITS, 0x7FF80000000007A2, 0x7FF0000000000001,
    0xFFFFFFFFFFFFFFFF, 0x3FF0000000000001, 0x3FB999999999999A], dtype=np.uint64).view(np.float64)  # fmt: skip
few = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def through_r(value):
    return session().call(code="x", args={"x": value}).node


def same(a, b):
    """The same node, to the bit, whatever the order of attributes."""
    assert a[0] == b[0]
    assert sorted(a[2]) == sorted(b[2])
    for name in a[2]:
        same(a[2][name], b[2][name])
    if a[0] == "list":
        assert len(a[1]) == len(b[1])
        for x, y in zip(a[1], b[1]):
            same(x, y)
    elif isinstance(a[1], np.ndarray):
        assert a[1].tobytes() == b[1].tobytes()
    else:
        assert a[1] == b[1]


def test_special_doubles_come_back_bit_for_bit():
    same(through_r(SPECIAL), to_node(SPECIAL))


def test_r_takes_na_and_nan_for_what_they_are():
    value = session().call(code="list(is.na(x) & !is.nan(x), is.nan(x))", args={"x": SPECIAL}).value
    mine = to_node(SPECIAL)
    back = session().call(code="x", args={"x": SPECIAL}).value
    assert value[0].values.tolist() == back.na.tolist()
    assert value[1].values.tolist() == (np.isnan(mine[1]) & ~back.na).tolist()


@few
@given(hnp.arrays(np.uint64, st.integers(0, 50)))
def test_any_bits_come_back(raw):
    doubles = raw.view(np.float64)
    same(through_r(doubles), to_node(doubles))


@few
@given(st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31) + 1, 2**31 - 1) | st.floats() | st.text(
        st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=8)
    | st.lists(st.none() | st.integers(-9, 9), min_size=1).filter(any) | st.complex_numbers() | st.binary(max_size=5),
    lambda inner: st.dictionaries(
        st.text("abcXYZ .:[]é", min_size=1, max_size=6), inner, min_size=1, max_size=4) | st.lists(inner, min_size=2, max_size=4),
    max_leaves=12))  # fmt: skip
def test_any_nest_of_values_comes_back_from_r_and_from_json(value):
    node = to_node(value)
    same(through_r(value), node)
    same(load(dump(node)), node)


@pytest.mark.parametrize("value", [
    np.arange(6.0).reshape(2, 3), np.arange(24, dtype="i4").reshape(2, 3, 4), np.zeros((0, 3)), np.array([], "f8"),
    np.array([], "i4"), np.array([True, False]), np.array(["é", "日本", ""]), np.array([1 + 2j, np.nan]), np.array([[True], [False]]),
])  # fmt: skip
def test_arrays_keep_their_shape_and_order(value):
    back = session().call(code="x", args={"x": value}).value
    assert back.values.shape == value.shape
    assert back.values.dtype.kind == ("O" if value.dtype.kind == "U" else value.dtype.kind)
    assert back.values.tolist() == value.tolist() or np.array_equal(back.values, value, equal_nan=True)
    if value.size:
        corner = session().call(code="x[[length(x)]]", args={"x": value}).value
        assert corner.values[0] == value.ravel(order="F")[-1] or np.isnan(corner.values[0])


def test_names_dimnames_and_odd_column_names_survive():
    value = (
        session()
        .call(
            code="""list(v = c(`o1:SUBJ3` = 1, `a b` = 2), m = matrix(1:4, 2, dimnames = list(NULL, c("é", "")))
        , a = structure(1, class = "kl", extra = "x"))"""
        )
        .value
    )
    assert value["v"].names == ("o1:SUBJ3", "a b")
    assert value["m"].dimnames == (None, ("é", ""))
    assert value["a"].rclass == ("kl",) and value["a"].attributes["extra"].scalar() == "x"


def test_integer_na_is_no_number():
    value = session().call(code="c(-2147483647L, NA, 3L)").value
    assert value.na.tolist() == [False, True, False]
    assert value.values.tolist() == [-2147483647, 0, 3]
    assert np.isnan(value.floats()[1])


def test_a_frame_of_every_kind_comes_back_as_it_was():
    frame = pd.DataFrame(
        {
            "o1:SUBJ3": [1 / 3, np.nan, np.pi],
            "a b": [1, 2, 3],
            "f": pd.Categorical(["u", None, "v"], categories=["v", "u", "w"]),
            "o": pd.Categorical(["hi", "lo", "hi"], categories=["lo", "hi"], ordered=True),
            "s": ["x", None, "é日"],
            "b": pd.array([True, None, False], dtype="boolean"),
            "i": pd.array([1, None, 3], dtype="Int32"),
            "d": [dt.date(2024, 1, 31), None, dt.date(1960, 2, 29)],
            "l": [True, False, True],
        },
        index=["r1", "r2", "é"],
    )
    result = session().call(code="x", args={"x": frame})
    pd.testing.assert_frame_equal(to_frame(result.as_list()), frame, check_dtype=False)
    classes = session().call(code="sapply(x, function(k) class(k)[1])", args={"x": frame}).value.by_name()
    assert classes == {
        "o1:SUBJ3": "numeric",
        "a b": "integer",
        "f": "factor",
        "o": "ordered",
        "s": "character",
        "b": "logical",
        "i": "integer",
        "d": "Date",
        "l": "logical",
    }
    assert session().call(code="levels(x$f)", args={"x": frame}).value.values.tolist() == ["v", "u", "w"]
    assert session().call(
        code="c(is.na(x[[1]][2]), is.nan(x[[1]][2]))", args={"x": frame}
    ).value.values.tolist() == [True, False]


def test_moments_keep_their_instant_and_zone():
    times = pd.to_datetime(["2024-01-31 12:34:56.789012", None, "1960-02-01 00:00:00.000001"])
    for zone in (None, "Asia/Tokyo"):
        frame = pd.DataFrame({"t": times if zone is None else times.tz_localize(zone)})
        text = session().call(code="format(x$t, '%Y-%m-%d %H:%M')", args={"x": frame}).value
        assert text.values[0] == "2024-01-31 12:34" and text.na.tolist() == [False, True, False]
        back = to_frame(session().call(code="x", args={"x": frame}).as_list())["t"]
        expected = frame["t"].dt.tz_localize("UTC") if zone is None else frame["t"]
        assert [a == b for a, b in zip(back.dropna(), expected.dropna())] == [True, True]


def test_row_numbers_that_r_would_keep_are_kept():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]}).iloc[[0, 2]]
    assert session().call(code="rownames(x)", args={"x": frame}).value.values.tolist() == ["0", "2"]


def test_an_r_value_goes_back_as_it_came():
    code = """list(f = factor(c("u", NA), levels = c("v", "u")), d = as.Date("2024-01-31"), m = matrix(c(1, NA), 1),
        x = data.frame(a = 1:2, b = c("p", NA)), r = as.raw(255), z = 1i, n = NULL, l = c(NA, TRUE))"""
    first = session().call(code=code)
    assert isinstance(first.value, RList)
    again = session().call(code="identical(x, y)", args={"x": first.value, "y": first.value}).value
    assert again.scalar() is True
    original = session().call(code=f"identical(x, {code})", args={"x": first.value}).value
    assert original.scalar() is True


def test_what_has_no_plain_form_is_marked_and_code_comes_as_text():
    value = session().call(code="list(f = function(x) x, e = globalenv(), q = quote(a + b), w = y ~ x)").value
    assert [type(v).__name__ for v in value] == ["ROpaque", "ROpaque", "RLang", "RLang"]
    assert value["w"].text == "y ~ x"


def test_text_that_is_no_utf_8_arrives_with_its_bytes_shown():
    assert session().call(code="rawToChar(as.raw(c(0x61, 0xe9)))").value.scalar() == "a<e9>"
    assert session().call(code="{ x <- '\\xe9'; Encoding(x) <- 'latin1'; x }").value.scalar() == "é"


def test_a_ready_made_frame_keeps_nan_apart_from_na():
    table = data_frame({"x": np.array([np.nan, SPECIAL[9]]), "g": factor([1, 0], ["a", "b"])})
    assert session().call(code="is.nan(t$x)", args={"t": table}).value.values.tolist() == [True, False]
    assert session().call(code="as.character(t$g)", args={"t": table}).value.values.tolist() == ["b", "a"]
    named = session().call(code="colnames(m)", args={"m": matrix([[1.0, 2.0]], ["p", "q"])}).value
    assert isinstance(named, RVector) and named.values.tolist() == ["p", "q"]


def test_eight_megabytes_go_there_and_back_quickly(r):
    import time

    table = np.random.default_rng(1).standard_normal((100_000, 10))
    r.call(code="1")
    started = time.perf_counter()
    same(through_r(table), to_node(table))
    assert time.perf_counter() - started < 3  # seen: 0.06 s
