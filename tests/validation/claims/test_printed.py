"""A printed number stands for the set of values that print so."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pairproof.errors import InputError
from pairproof.validation.claims.printed import Printed

COMES_OUT = [
    ("0.2778", 0.27776290134, 4),
    ("0.190", 0.1904, 3),
    ("-.294", -0.2943, 3),
    ("\u22120.3", -0.29, 1),
    ("2.34e-05", 2.3449e-5, 3),
    ("1.2\u00d710^-5", 1.2e-5, 2),
    ("1.2 \u00d7 10\u207b\u2075", 1.21e-5, 2),
    ("1925", 1925.2329, 4),
    ("30.646 on 8", 30.64585, 5),
    ("2.67", 2.675, 3),
    ("2.68", 2.675, 3),
    ("0.0088 **", 0.008798, 2),
    ("5%", 0.053, 1),
    ("3.668e+01", 36.68, 4),
    ("5.", 5.4, 1),
    ("0.0000", 0.0, 1),
    ("0.0000", -0.00004, 1),
]


@pytest.mark.parametrize(("text", "value", "digits"), COMES_OUT)
def test_a_value_agrees_with_the_print_it_rounds_to(text: str, value: float, digits: int) -> None:
    match = Printed.parse(text).verdict(value)
    assert (match.verdict, match.k, match.m) == ("agrees", digits, digits)


DIFFERS = [
    ("0.2778", 0.27774),
    ("0.2778", 0.27791),
    ("0.190", 0.1895 - 1e-6),
    ("0.190", 0.19100001),
    ("0.60", 0.6101),
    ("-0.60", -0.594),
    ("30.646 on 8", 30.45544),
    ("5e-8", 2e-15),
    ("0.0000", 0.00011),
    ("1925", 1928.0),
    ("-0.3", 0.3),
    ("0.4", float("nan")),
    ("0.4", float("inf")),
    ("1e3", 2001.0),
]


@pytest.mark.parametrize(("text", "value"), DIFFERS)
def test_a_value_differs_from_a_print_it_does_not_round_to(text: str, value: float) -> None:
    assert Printed.parse(text).verdict(value).verdict == "differs"


@pytest.mark.parametrize(
    ("text", "value", "k"), [("-1720", -1723.2, 3), ("-1700", -1723.2, 2), ("120", 118.0, 2)]
)
def test_zeros_that_end_an_integer_may_be_no_digits(text: str, value: float, k: int) -> None:
    match = Printed.parse(text).verdict(value)
    assert (match.verdict, match.k, match.m) == ("agrees-k-of-m", k, len(text.lstrip("-")))


def test_zeros_after_the_point_are_always_digits() -> None:
    assert Printed.parse("1720.0").verdict(1723.0).verdict == "differs"
    assert Printed.parse("1720.").verdict(1719.6).verdict == "agrees"


@pytest.mark.parametrize(
    ("text", "value"), [("0.27", 0.2779), ("-0.27", -0.2779), ("1.9e-5", 1.99e-5), ("7", 7.9)]
)
def test_truncation_is_told_apart_from_rounding(text: str, value: float) -> None:
    assert Printed.parse(text).verdict(value).verdict == "agrees-truncated"


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("<.001", 0.0005, 0.002),
        ("< 2e-16", 1e-20, 3e-16),
        ("ns", 0.06, 0.04),
        ("n.s.", 0.5, 0.049),
        (">0.5", 0.51, 0.49),
        ("\u2264 0.05", 0.05, 0.051),
        ("***", 0.0005, 0.002),
        ("**", 0.005, 0.0005),
        ("*", 0.02, 0.005),
        (".", 0.07, 0.2),
    ],
)
def test_a_bound_or_a_mark_holds_on_its_own_side_only(text: str, inside: float, outside: float) -> None:
    printed = Printed.parse(text)
    assert printed.is_bound
    assert printed.verdict(inside).verdict == "agrees"
    assert printed.verdict(outside).verdict == "differs"


def test_ns_means_above_the_papers_own_level() -> None:
    assert Printed.parse("ns", alpha="0.01").verdict(0.02).verdict == "agrees"
    assert Printed.parse("ns", alpha="0.05").verdict(0.02).verdict == "differs"


def test_a_star_is_read_by_the_tables_own_legend() -> None:
    legend = {"*": "0.1", "**": "0.05"}
    assert Printed.parse("0.07*", legend=legend).star_verdict(0.07)
    assert not Printed.parse("0.07*").star_verdict(0.07)
    with pytest.raises(InputError, match="does not say what"):
        Printed.parse("0.0001***", legend=legend)


def test_a_number_and_its_star_are_judged_apart() -> None:
    printed = Printed.parse("0.0044 **")
    assert printed.verdict(0.0044).verdict == "agrees" and printed.star_verdict(0.0044)
    assert not printed.star_verdict(0.02)


def test_a_statistic_and_its_degrees_of_freedom_are_two_numbers() -> None:
    for text in ("30.646 on 8", "30.646 on 8 df", "30.646 on 8 degrees of freedom"):
        printed = Printed.parse(text)
        assert printed.on is not None
        assert (printed.value, printed.on.value) == (Decimal("30.646"), Decimal("8"))


@pytest.mark.parametrize(
    "text",
    ["1,720", "0.19 0.2", "abc", "", "-", "1..2", "30.6 on x", "0.1 \u2021", "nan", "1e", "--1", "0x1"],
)
def test_what_is_not_one_number_is_refused_with_the_forms_there_are(text: str) -> None:
    with pytest.raises(InputError, match="is not one number|legend"):
        Printed.parse(text)


def test_a_float_is_refused_because_its_zeros_are_lost() -> None:
    with pytest.raises(InputError, match="write it as a string"):
        Printed.parse(0.19)  # type: ignore[arg-type]


numbers = st.decimals(min_value="-1e6", max_value="1e6", allow_nan=False, allow_infinity=False, places=9)


@given(numbers, st.integers(0, 7))
def test_what_was_rounded_either_way_comes_out(value: Decimal, places: int) -> None:
    unit = Decimal(1).scaleb(-places)
    for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN):
        text = f"{value.quantize(unit, rounding)}"
        assert Printed.parse(text).verdict(float(value)).verdict == "agrees"


@given(numbers, st.integers(0, 7))
def test_what_was_truncated_comes_out_as_rounded_or_as_truncated(value: Decimal, places: int) -> None:
    text = f"{value.quantize(Decimal(1).scaleb(-places), ROUND_DOWN)}"
    assert Printed.parse(text).verdict(float(value)).verdict in ("agrees", "agrees-truncated")


@given(numbers, st.integers(0, 7), st.integers(2, 9))
def test_what_is_more_than_one_unit_away_never_agrees_plainly(value: Decimal, places: int, away: int) -> None:
    unit = Decimal(1).scaleb(-places)
    printed = Printed.parse(f"{value.quantize(unit, ROUND_HALF_EVEN)}")
    for other in (value + away * unit, value - away * unit):
        assert printed.verdict(float(other)).verdict in ("differs", "agrees-k-of-m")


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12), st.integers(1, 15))
def test_pythons_own_formats_come_out(value: float, digits: int) -> None:
    for text in (f"{value:.{digits}e}", f"{value:.{digits}f}"):
        assert Printed.parse(text).verdict(value).verdict == "agrees"


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    try:
        printed = Printed.parse(text)
    except InputError:
        return
    assert printed.text == text


def test_the_set_is_what_verdict_says_it_is_on_many_values() -> None:
    printed = Printed.parse("0.2778")
    assert printed.low is not None and printed.high is not None
    values = np.linspace(0.2776, 0.2780, 4001)
    inside = (values >= float(printed.low) - 1e-13) & (values <= float(printed.high) + 1e-13)
    assert [printed.verdict(v).verdict == "agrees" for v in values] == inside.tolist()
