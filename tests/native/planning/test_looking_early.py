"""Confidence sequences: vectors computed in R, and their promise under peeking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError
from pairproof.native.planning.looking_early import (
    bounded_scores,
    first_excluded,
    first_excluded_mean,
    multiplier,
    proportion,
    proportion_e_value,
)

SCORES = [1, 1, 0, 0.5, 1, 0, 1, 0.5, 1, 0]


@pytest.mark.parametrize(
    ("asked", "limits"),
    [
        ((60, 100), (0.434314747941, 0.751429756067)),
        ((600, 1000), (0.542691740395, 0.655535241637)),
        ((10, 10), (0.623012649009, 1.0)),
    ],
)
def test_limits_of_a_proportion_are_those_of_the_beta_mixture(asked, limits):
    # One number in two ways, which differ by rounding; seen: 8e-13 off.
    np.testing.assert_allclose(proportion(*asked), limits, rtol=1e-10)
    low, high = proportion(asked[1] - asked[0], asked[1])
    # One number in two ways, which differ by rounding; seen: 8e-13 off.
    np.testing.assert_allclose((1 - high, 1 - low), limits, rtol=1e-10)


def test_another_mixture_gives_its_own_limits():
    # The printed digits; seen: 3e-13 off.
    np.testing.assert_allclose(proportion(60, 100, prior=1.0), (0.440774448188, 0.746036255348), rtol=1e-10)


def test_limits_of_a_proportion_are_there_for_millions_of_answers():
    low, high = proportion(999_999, 1_000_000)
    assert 0.99998 < low < 0.999999 < high < 1.0


def test_limits_of_bounded_scores_are_those_of_hedged_capital():
    # The printed digits; seen: 6e-13 off.
    np.testing.assert_allclose(bounded_scores(SCORES * 20), (0.500867400838, 0.706882159193), rtol=1e-10)
    # The printed digits; seen: 3e-13 off.
    np.testing.assert_allclose(bounded_scores(SCORES * 5), (0.422134677735, 0.780718757480), rtol=1e-10)


def test_the_multiplier_is_smallest_near_the_planned_size():
    expected = [3.85505463353, 3.36388772578, 3.03520899038, 3.06147721887, 3.24172314541]
    # One number in two ways, which differ by rounding; seen: 1e-12 off.
    np.testing.assert_allclose([multiplier(t, 500) for t in (50, 100, 500, 1000, 5000)], expected, rtol=1e-11)
    with pytest.raises(InputError, match="starts at 50 independent answers"):
        multiplier(49, 500)
    assert multiplier(20, 50, fewest=20) > 3


def test_the_first_look_that_settles_is_the_first_whose_limits_leave_out_a_half():
    rng = np.random.default_rng(5)
    wins = (rng.random(300) < 0.62).astype(float)
    at = first_excluded(wins)
    low = [proportion(float(wins[:t].sum()), t)[0] for t in (at - 1, at)]
    assert low[0] <= 0.5 < low[1]
    assert proportion_e_value(wins[:at].sum(), at) >= 20 > proportion_e_value(wins[: at - 1].sum(), at - 1)
    scores = SCORES * 20
    settled = first_excluded_mean(scores)
    assert bounded_scores(scores[: settled - 1])[0] <= 0.5 < bounded_scores(scores[:settled])[0]
    assert first_excluded([1, 0] * 50) is None


def test_scores_that_drift_have_limits_away_from_their_own_mean():
    """A thousand wins, then as many losses: no constant mean is likely, and the mean so far the least."""
    low, high = bounded_scores([1.0] * 1000 + [0.0] * 1000)
    assert 0.5 < low < high < 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: proportion(3, 2), "expected 0 <= successes <= answers"),
        (lambda: proportion(3, 5, level=1.0), "level=1.0"),
        (lambda: bounded_scores([]), "scores between 0 and 1"),
        (lambda: bounded_scores([0.5, 1.5]), "scores between 0 and 1"),
        (lambda: multiplier(60, 0), "planned=0"),
    ],
)
def test_numbers_that_cannot_be_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


@settings(deadline=None, max_examples=20)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=3, max_size=60))
def test_exchanging_the_systems_mirrors_the_limits(scores):
    low, high = bounded_scores(scores)
    mirrored = bounded_scores([1.0 - y for y in scores])
    # Brent stops at 1e-14; the variances of both sides differ by rounding. Seen: 4e-13.
    np.testing.assert_allclose((1 - mirrored[1], 1 - mirrored[0]), (low, high), atol=1e-9)


def test_looking_after_every_answer_costs_nothing():
    """2,000 studies of 500 answers with p = .5 and a look after each: .05 promised (error .005), .0385 seen in R over
    2,000 looks; an ordinary interval from 20 answers on errs in a third of them.
    """
    rng = np.random.default_rng(2)
    t = np.arange(1, 501)
    successes = np.cumsum(rng.random((2000, 500)) < 0.5, axis=1)
    assert (proportion_e_value(successes, t) >= 20).any(axis=1).mean() <= 0.05 + 3 * 0.005
    share = successes / t
    z = np.abs(share - 0.5) / np.sqrt(np.maximum(share * (1 - share), 1e-12) / t)
    assert (z[:, 19:] > 1.96).any(axis=1).mean() > 0.25
    wide = np.array([multiplier(float(k), 500) for k in t[49:]])
    assert (z[:, 49:] > wide).any(axis=1).mean() <= 0.05 + 3 * 0.005
