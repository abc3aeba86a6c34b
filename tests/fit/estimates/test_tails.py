"""p-values that no double can hold keep their size, as text and as a logarithm."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.special import gammaincc, ndtri

import pairproof
from pairproof.fit.estimates.tails import (
    _fraction,
    log10_chi_square_p,
    log10_f_p,
    log10_student_p,
    log10_two_sided_p,
    p_equals,
    p_value,
    p_words,
    student_p,
    student_quantile,
)
from pairproof.native.competitions.ranking.sign_test import log10_binomial_p, sign_test

#: One million against one: every p-value of this table underflows.
EXTREME = {
    "first": ["A", "B", "A"],
    "second": ["B", "C", "C"],
    "wins": [1_000_000, 2_000_000, 3_000_000],
    "losses": [100_000, 2, 300],
}


@pytest.mark.parametrize(
    "z, log10_p",
    [
        (100.0, -2173.570512873370395),
        (-12345.678, -33096667.09758888746),
        (1.959963984540054, math.log10(0.05)),
    ],
)
def test_log10_of_a_normal_tail_is_that_of_40_digits(z: float, log10_p: float) -> None:
    # mpmath: log10(erfc(z / sqrt(2))); doubles, observed 1e-16.
    assert float(log10_two_sided_p(np.array([z]))[0]) == pytest.approx(log10_p, rel=1e-14)


@pytest.mark.parametrize(
    "df, statistic, log10_p",
    [
        (1, 3000.0, -653.2784880651405041),
        (3, 1e6, -217144.3390111301350714),
        (11600, 40000.0, -3051.559744430343104),
        (2, 2e4, -4342.944819032518276),
    ],
)
def test_log10_of_a_chi_square_tail_is_that_of_40_digits(df: int, statistic: float, log10_p: float) -> None:
    # mpmath: log10(gammainc(df/2, x/2, inf, regularized)); a difference of logarithms of 1e4, observed 3e-15.
    assert log10_chi_square_p(statistic, df) == pytest.approx(log10_p, rel=1e-13)


@pytest.mark.parametrize(
    "t, df, log10_p",
    [
        (100.0, 30.0, -38.70232443148390981649),
        (40.0, 1e5, -346.3823425624635510383),
        (100.0, 1e7, -2172.485282922423625465),
        (100.0, 99_999_999.0, -2173.461924776953751146),
        (1000.0, 1e12, -217150.2304382334818207),
    ],
)
def test_log10_of_a_tail_of_t_is_that_of_40_digits_also_on_many_degrees_of_freedom(
    t: float, df: float, log10_p: float
) -> None:
    # mpmath: the integral of the density from t on.  betaln of 1e5 costs 1e-13: observed 4e-14, else 3e-16.
    assert float(log10_student_p(np.array([t]), df)[0]) == pytest.approx(log10_p, rel=1e-12)


@pytest.mark.parametrize("a, x", [(0.5, 20.0), (1.0, 300.0), (2.5, 60.0), (300.0, 700.0)])
def test_the_continued_fraction_is_the_tail_where_a_double_holds_it(a: float, x: float) -> None:
    tail = math.exp(-x + a * math.log(x) - math.lgamma(a)) / _fraction(a, x)
    assert tail == pytest.approx(
        float(gammaincc(a, x)), rel=1e-11
    )  # exp of terms of 1e3 costs 1e-13 of them; observed 2e-12 at a = 300


def test_log10_of_a_sign_test_is_that_of_whole_numbers() -> None:
    # mpmath: 2 (1 + n) / 2^n, and the sum of 5,001 binomial coefficients; lgamma of 1e6 leaves 1e-9, observed
    # 5e-10.
    assert log10_binomial_p(1, 1_000_001) == pytest.approx(-301023.99566311260718, abs=1e-8)
    assert log10_binomial_p(5_000, 20_000) == pytest.approx(-1137.92794307564873, abs=1e-8)
    assert log10_binomial_p(2, 10) == pytest.approx(math.log10(112 / 1024), rel=1e-15)  # the same division
    assert str(sign_test(1_000_000, 1)) == "sign test: 1000000 of 1000001 (no ties), p < 1e-300"


def test_no_p_value_is_printed_as_zero() -> None:
    assert p_words(0.0) == p_words(1e-320) == p_value(0.0) == "<1e-300" and p_words(1e-300) == "1e-300"
    assert p_equals(0.0) == "p < 1e-300" and p_equals(0.03, 2) == "p = 0.03"
    assert p_words(0.0123456) == "0.01235" and p_words(math.nan) == "nan"


def test_p_of_a_million_to_one_is_below_1e_300_in_text_and_keeps_its_exponent_in_the_json() -> None:
    fit = pairproof.fit_bradley_terry(pairproof.read(EXTREME))
    summary = fit.summary()
    assert summary.count("<1e-300") == 2 and " 0.0e+00" not in summary and not re.search(r"e-\d{4}", summary)
    assert "p < 1e-300" in str(fit.contrast("A", "B")) and "p < 1e-300" in str(fit.wald(["B", "C"]))
    as_json = fit.to_dict()
    assert as_json["pvalues"]["C"] == 0.0 and as_json["log10_pvalues"]["C"] == pytest.approx(
        -8262.815, abs=1e-3
    )
    assert as_json["log10_pvalues"]["A"] is None
    test = fit.goodness_of_fit()
    assert (
        test.p_pearson == 0.0
        and "p < 1e-300" in str(test)
        and test.log10_p_pearson == pytest.approx(-431.1, abs=0.1)
    )
    two = pairproof.compare_two(
        pairproof.read({"first": ["A"], "second": ["B"], "wins": [10**6], "losses": [1]})
    )
    assert two.merged.p_sign == 0.0 and two.to_dicts()[-1]["log10_p_sign"] == pytest.approx(
        -301023.9957, abs=1e-3
    )


def test_a_likelihood_ratio_too_small_for_a_double_keeps_its_exponent() -> None:
    twice = pairproof.read(
        {
            "first": ["A", "A"],
            "second": ["B", "B"],
            "wins": [10**6, 3],
            "losses": [5, 10**6],
            "judge": ["x", "y"],
        }
    )
    test = pairproof.fit_bradley_terry(twice, by="judge").compare(pairproof.fit_bradley_terry(twice))
    assert test.p == 0.0 and test.log10_p < -600_000 and "p < 1e-300" in str(test)


@pytest.mark.parametrize("df", [0.7, 3.0, 22.97, 1e4, np.inf])
def test_log_p_of_t_agrees_with_p_and_goes_on_where_p_is_zero(df):
    t = np.array([0.0, 0.5, 3.0, 30.0])
    # One number in two ways, which differ by rounding; seen: 5e-14 off.
    np.testing.assert_allclose(10 ** log10_student_p(t, df), student_p(t, df), rtol=1e-11)
    assert np.isfinite(log10_student_p(np.array([1e100]), df)).all()


def test_far_tails_of_t_and_f_are_those_of_50_digit_arithmetic():
    mpmath = pytest.importorskip("mpmath", reason="50-digit arithmetic comes with mpmath")
    with mpmath.workdps(50):

        def tail(a, b, x):
            return float(mpmath.log10(mpmath.betainc(a, b, 0, x, regularized=True)))

        df, t = mpmath.mpf(2000), mpmath.mpf(90)
        expected = tail(df / 2, mpmath.mpf("0.5"), df / (df + t**2))
        # seen: 2e-14 off
        assert float(log10_student_p(np.array([90.0]), 2000.0)[0]) == pytest.approx(expected, rel=1e-12)
        q, d2, f = 3, mpmath.mpf(900), mpmath.mpf(5000)
        assert log10_f_p(5000.0, 3, 900.0) == pytest.approx(
            tail(d2 / 2, mpmath.mpf(q) / 2, d2 / (d2 + q * f)), rel=1e-12
        )


def test_normal_quantiles_and_tails_are_scipys_also_without_its_incomplete_beta_function():
    z, none = np.array([-40.0, 0.0, 1.3, np.nan]), np.array([np.inf, np.inf, np.nan, np.inf])
    assert student_quantile(0.975, np.inf) == ndtri(0.975)
    # one finite number of degrees of freedom takes the other way
    for few, all_ in (
        (student_quantile(0.975, none), student_quantile(0.975, np.append(none, 3.0))[:-1]),
        (student_p(z, none), student_p(np.append(z, 1.0), np.append(none, 3.0))[:-1]),
    ):
        np.testing.assert_array_equal(few, all_)
