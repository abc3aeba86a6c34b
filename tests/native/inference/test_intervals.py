"""Limits from given replicates: values of R's boot::boot.ci and of Davison and Hinkley's formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import ndtri

from pairproof.errors import InputError
from pairproof.native.inference import replicates as intervals

#: t*_b = .8 + .3 z_b + .05 (z_b^2 - 1), z_b = q(b/1000): replicates without a seed.
Z = ndtri(np.arange(1, 1000) / 1000.0)
REPLICATES = 0.8 + 0.3 * Z + 0.05 * (Z**2 - 1.0)


def test_percentile_limits_are_boots_norm_inter():
    # 12 printed digits; observed difference 5e-13.
    limits = intervals.percentile(np.sort(REPLICATES), 0.95)
    np.testing.assert_allclose(limits, [0.354083745673, 1.53006213640], rtol=5e-12)


@pytest.mark.parametrize(
    ("a", "expected"), [(0.0, [0.393180641662, 1.69660500131]), (0.03, [0.406158238859, 1.77395437798])]
)
def test_bca_limits_are_those_of_boot(a, expected):
    # 12 printed digits; observed difference 3e-12.
    np.testing.assert_allclose(intervals.bca(np.sort(REPLICATES), 0.8, a, 0.95), expected, rtol=1e-11)


def test_an_order_statistic_that_is_whole_is_taken_as_it_is():
    ordered = np.arange(1.0, 40.0)
    assert intervals.quantile(ordered, 0.025) == 1.0
    assert intervals.quantile(ordered, 0.975) == 39.0
    assert intervals.quantile(np.arange(1.0, 2000.0), 0.025) == 50.0


def test_a_quantile_beyond_the_replicates_is_nan_and_not_the_extreme():
    assert np.isnan(intervals.quantile(np.arange(1.0, 39.0), 0.025))
    assert np.isnan(intervals.quantile(np.arange(1.0, 39.0), 0.9999))


def test_a_limit_among_infinite_replicates_is_infinite():
    ordered = np.sort(np.concatenate([np.arange(95.0), np.full(4, np.inf)]))
    # The 2.5th of 100 places is between the values 1 and 2, by the normal scale not halfway; seen: .04 off.
    assert intervals.percentile(ordered, 0.95) == (pytest.approx(1.5, abs=0.2), np.inf)
    ordered = np.sort(np.concatenate([np.arange(97.0), [np.inf, -np.inf]]))
    low, high = intervals.percentile(ordered, 0.9)
    assert np.isfinite([low, high]).all(), "one infinite replicate on a side leaves a 90 % limit of 99 finite"


def test_a_quantile_between_a_finite_and_an_infinite_replicate_is_infinite():
    assert intervals.quantile(np.array([-np.inf, 1.0, 2.0]), 0.3) == -np.inf
    assert intervals.quantile(np.array([1.0, 2.0, np.inf]), 0.7) == np.inf


@pytest.mark.parametrize(("level", "least"), [(0.95, 39), (0.9, 19), (0.99, 199), (0.5, 3)])
def test_a_level_needs_as_many_replicates_as_put_one_in_each_tail(level, least):
    assert intervals.least_replicates(level) == least
    intervals.check_replicates(least, level)
    with pytest.raises(
        InputError, match=f"{least - 1} replicates, and limits at level {level} need {least} or more"
    ):
        intervals.check_replicates(least - 1, level)


def test_the_acceleration_is_that_of_the_formula_and_weights_are_repetitions():
    values, weights = np.array([1.0, 2.0, 6.0]), np.array([2.0, 1.0, 3.0])
    repeated = np.repeat(values, weights.astype(int))
    l = repeated.mean() - repeated
    expected = (l**3).sum() / (6.0 * (l**2).sum() ** 1.5)
    # One number in two ways, which differ by rounding; seen: 7e-16 off.
    assert intervals.acceleration(values, weights) == pytest.approx(expected, rel=1e-13)
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert intervals.jackknife_error(values, weights) == pytest.approx(
        np.sqrt(5 / 6 * (l**2).sum()), rel=1e-13
    )


def test_the_acceleration_of_equal_values_is_not_a_number():
    assert np.isnan(intervals.acceleration(np.ones(5)))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=39, max_size=120), st.floats(0.1, 10.0), st.floats(-3, 3))
def test_percentile_and_bca_limits_follow_a_change_of_units(values, factor, shift):
    ordered, t0 = np.sort(values), float(np.median(values))
    moved = factor * ordered + shift
    for of in (intervals.percentile, lambda o, level, t=t0: intervals.bca(o, t, 0.02, level)):
        low, high = of(ordered, 0.9)
        if of is not intervals.percentile:
            new_low, new_high = intervals.bca(moved, factor * t0 + shift, 0.02, 0.9)
            if np.sum(moved < factor * t0 + shift) != np.sum(ordered < t0):
                continue  # rounding moved a replicate across the estimate
        else:
            new_low, new_high = of(moved, 0.9)
        # Rounding of the units: at most a few units in the last place of numbers below 60; observed 2e-14.
        np.testing.assert_allclose(
            [new_low, new_high], [factor * low + shift, factor * high + shift], atol=1e-11
        )
