"""Highest-density intervals of many items at once, and intervals that hold as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError, NotEstimableError
from pairproof.native.annotation.beta import interval
from pairproof.native.annotation.methods import calibration


@settings(max_examples=60, deadline=None)
@given(st.floats(1.0001, 3000), st.floats(1.0001, 3000), st.floats(0.01, 0.999))
def test_the_ends_hold_the_level_and_have_the_same_density(a, b, level):
    from scipy.special import betainc, xlog1py, xlogy

    (low,), (high,) = interval(np.array([a]), np.array([b]), level)
    # SciPy's incomplete beta has 9 digits and more in this range; observed 3e-11.
    assert betainc(a, b, high) - betainc(a, b, low) == pytest.approx(level, abs=1e-9)
    mode = (a - 1) / (a + b - 2)
    assert 0 <= low <= mode <= high <= 1
    if low > 1e-200 and high < 1 - 1e-9:
        at = [xlogy(a - 1, x) + xlog1py(b - 1, -x) for x in (low, high)]
        # One unit in the last place of 1 - high moves the density by (b - 1) 1e-16 / (1 - high).
        assert at[0] == pytest.approx(at[1], rel=1e-9, abs=1e-6)


def test_it_is_the_shortest_interval_of_its_mass():
    from scipy.special import betainc, betaincinv

    for a, b in ((1.01, 9.0), (2.8, 1.2), (30.0, 4.0)):
        (low,), (high,) = interval(np.array([a]), np.array([b]), 0.9)
        for p in np.linspace(0.001, 0.099, 50):
            assert high - low <= betaincinv(a, b, p + 0.9) - betaincinv(a, b, p) + 1e-9
        assert betainc(a, b, high) - betainc(a, b, low) == pytest.approx(0.9, abs=1e-10)


def test_reflected_distributions_have_reflected_intervals():
    a, b = np.array([1.5, 40.0, 1.0, 1.0001]), np.array([3.0, 7.0, 2.0, 80.0])
    low, high = interval(a, b, 0.95)
    low_, high_ = interval(b, a, 0.95)
    np.testing.assert_allclose([1 - high_, 1 - low_], [low, high], atol=1e-12)


def test_modes_at_an_end_and_the_uniform_distribution():
    low, high = interval(np.array([1.0, 5.0, 1.0]), np.array([4.0, 1.0, 1.0]), 0.9)
    np.testing.assert_allclose(low, [0.0, 0.1**0.2, 0.05], atol=1e-15)
    np.testing.assert_allclose(high, [1 - 0.1**0.25, 1.0, 0.95], atol=1e-15)


def test_a_hundred_thousand_different_items_each_have_an_interval():
    r = np.random.default_rng(0)
    a, b = 1 + r.gamma(2, 3, 100_000), 1 + r.gamma(2, 3, 100_000)
    low, high = interval(a, b)
    assert (low < high).all()


# -- calibrated ----------------------------------------------------------------------------------------------


def calibrated_interval(a, b, spread):
    k = calibration(a, b, spread)
    return interval(1 + k * (a - 1), 1 + k * (b - 1))


@pytest.mark.parametrize(("noise", "n"), [(0.1, 3), (0.1, 20), (0.2, 5), (0.2, 20), (0.3, 3), (0.3, 10)])
def test_calibrated_intervals_cover_the_expected_score_and_easls_own_nearly_always(noise, n):
    r = np.random.default_rng([7, n, int(10 * noise)])
    truth = r.random(400)
    draws = np.clip(truth[:, None] + noise * r.normal(size=(400, 4000)), 0, 1)
    expected = draws.mean(axis=1)
    scores = draws[:, :n]
    a, b = 1 + scores.sum(axis=1), 1 + n - scores.sum(axis=1)
    spread = float(np.sqrt(scores.var(axis=1, ddof=1).mean()))
    low, high = calibrated_interval(a, b, spread)
    held = np.mean((low <= expected) & (expected <= high))
    # With 2,400 items each: .940 .937 .945 .954 .959 .949; .011 is the standard error of 400 items.
    assert 0.92 - 0.033 <= held <= 0.96 + 0.033
    own = interval(a, b)
    assert np.mean((own[0] <= expected) & (expected <= own[1])) >= 0.995
    assert (low <= scores.mean(axis=1)).all() and (scores.mean(axis=1) <= high).all()


def test_with_the_spread_of_a_coin_nothing_changes():
    a, b = np.array([3.0, 2.0]), np.array([2.0, 3.0])
    m = (a - 1) / (a + b - 2)
    spread = np.sqrt(np.mean(m * (1 - m)))
    assert calibration(a, b, spread) == pytest.approx(1.0)
    np.testing.assert_allclose(calibrated_interval(a, b, spread), interval(a, b))


def test_items_without_a_judgment_are_left_out_of_the_factor():
    assert calibration([3.0, 1.0], [2.0, 1.0], 0.2) == calibration([3.0], [2.0], 0.2)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: calibration([2.0], [2.0], 0.0), InputError, "spread=0.0"),
        (lambda: calibration([1.0], [1.0], 0.1), NotEstimableError, "0 judged items"),
        (lambda: calibration([3.0], [1.0], 0.1), NotEstimableError, "between the ends"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(call, error, said):
    with pytest.raises(error, match=said):
        call()
