"""TrueSkill's update: the specified vectors, 400-digit truncated normals, and the paper's two slips."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from hypothesis import given, strategies as st

from pairproof.native.annotation.trueskill import Skills, chance_to_win, tie, update_pair, win

PAIR = Skills(0.3, 1.0, -0.2, 0.64)
GAMMA, EPSILON = 0.5, 0.08885596505


def test_the_specified_win_and_tie():
    assert update_pair(PAIR, "win", GAMMA, EPSILON) == pytest.approx(
        (0.729286978, 0.733236625, -0.474743666, 0.530733722), abs=6e-10
    )
    assert update_pair(PAIR, "tie", GAMMA, EPSILON) == pytest.approx(
        (0.066642329, 0.533284626, -0.050651091, 0.448833383), abs=6e-10
    )


def test_a_loss_is_the_others_win():
    lost, won = update_pair(PAIR, "loss", GAMMA, EPSILON), update_pair(
        Skills(*PAIR[2:], *PAIR[:2]), "win", GAMMA, EPSILON
    )
    assert lost == (*won[2:], *won[:2])


@pytest.mark.parametrize(
    ("t", "v", "w"), [(-2, 2.822745, 0.911026), (0, 1.141078, 0.731520), (2, 0.138790, 0.227447)]
)
def test_the_specified_factors_of_a_win(t, v, w):
    assert win(t, 0.5) == pytest.approx((v, w), abs=6e-7)


@pytest.mark.parametrize(("t", "v", "w"), [(1, -0.920645, 0.923058), (0, 0.0, 0.919411)])
def test_the_specified_factors_of_a_tie(t, v, w):
    assert tie(t, 0.5) == pytest.approx((v, w), abs=6e-7)


def cut_normal(t, low, high):
    """v and w from the moments of N(t, 1) cut to (low, high), with 400 digits."""
    with mp.workdps(400):
        a, b = (mp.mpf(x) - mp.mpf(t) if abs(x) < math.inf else mp.mpf(x) for x in (low, high))
        density = [mp.npdf(x) if abs(x) < mp.inf else mp.mpf(0) for x in (a, b)]
        edge = [x * d if abs(x) < mp.inf else mp.mpf(0) for x, d in zip((a, b), density)]
        held = mp.ncdf(b) - mp.ncdf(a) if b < mp.inf else mp.ncdf(-a)
        v = (density[0] - density[1]) / held
        return float(v), float(v * v + (edge[1] - edge[0]) / held)


@pytest.mark.parametrize("e", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("t", [-1000.0, -40.0, -10.0, -3.0, -2.9, -2.5, -1.0, 0.0, 1.0, 5.0, 10.0])
def test_a_win_has_every_digit_in_both_tails(t, e):
    # Observed: worst 1e-14, in w just inside the switch at t - e = -3.
    assert win(t, e) == pytest.approx(cut_normal(t, e, math.inf), rel=3e-14)


@pytest.mark.parametrize("e", [1e-8, 1e-3, 0.049, 0.05, 0.1, 0.5, 1.0, 3.0, 8.0, 20.0])
@pytest.mark.parametrize("t", [1e-6, 0.3, 1.0, 3.9, 4.1, 10.0, 30.0, 200.0])
def test_a_tie_has_every_digit_where_the_printed_formula_is_0_over_0(t, e):
    v, w = cut_normal(t, -e, e)
    # Observed: worst 6e-14 in w, 1e-12 in v at t = 1e-6, where v is the difference of t and a mean of its
    # size.
    assert tie(t, e).v == pytest.approx(v, rel=1e-13, abs=3e-18)
    assert tie(t, e).w == pytest.approx(w, rel=2e-13)
    assert tie(-t, e) == (-tie(t, e).v, tie(t, e).w)


def test_a_tie_without_margin_is_its_limit():
    assert tie(0.7, 0.0) == (-0.7, 1.0)
    assert tie(0.7, 1e-9) == pytest.approx((-0.7, 1.0), abs=1e-15)


def test_the_printed_tie_formula_is_lost_at_t_10():
    def naive(t, e):
        def cdf(x):
            return 0.5 * (1 + math.erf(x / math.sqrt(2)))

        return cdf(e - t) - cdf(-e - t)

    assert naive(10, 0.5) == 0.0 and tie(10, 0.5).v == pytest.approx(-9.603009323393747, rel=1e-13)


@given(st.floats(-30, 30), st.floats(0, 5))
def test_w_lies_between_0_and_1_so_that_the_variance_always_decreases(t, e):
    assert 0 <= win(t, e).w <= 1 and 0 < tie(t, e).w <= 1
    for outcome in ("win", "tie"):
        after = update_pair(Skills(t, 1.0, 0.0, 2.0), outcome, 0.5, e)
        assert after.variance_i <= 1.0 and after.variance_j <= 2.0


def test_surprise_grows_linearly_not_exponentially():
    assert win(-10, 0.5).v == pytest.approx(10.594, abs=5e-4)
    steps = [win(-t - 1, 0.5).v - win(-t, 0.5).v for t in (10, 100, 1000)]
    assert steps == pytest.approx([1, 1, 1], abs=0.01)


def test_a_difference_of_gamma_wins_76_percent_and_80_needs_1_19_gamma():
    assert chance_to_win(0.1, 0.1) == pytest.approx(0.760, abs=5e-4)
    assert chance_to_win(1.190 * 0.1, 0.1) == pytest.approx(0.8, abs=5e-5)
