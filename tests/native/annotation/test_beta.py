"""Bounded scores: every vector and trace of the specification of Sakaguchi and Van Durme (2018), sections 3.2
and 4.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.native.annotation import beta
from pairproof.native.annotation.beta import Pair, chances, update_pair

#: Vectors are given to 10 decimals; the arithmetic has 15 digits.
PRINTED = 6e-11


def test_the_mode_at_the_uniform_start_is_one_half_and_elsewhere_equation_12():
    np.testing.assert_array_equal(
        beta.mode([1, 2, 1, 2.8, 1.25], [1, 1, 3, 1.2, 2.75]), [0.5, 1.0, 0.0, 0.9, 0.125]
    )


def test_the_variance_is_equation_13_and_can_rise():
    assert beta.variance(1, 1) == pytest.approx(1 / 12, rel=1e-15)
    assert beta.variance(1, 4) == pytest.approx(0.026667, abs=5e-7) and beta.variance(2, 4) == pytest.approx(
        0.031746, abs=5e-7
    )


@pytest.mark.parametrize("b", [1.2, 1.7, math.sqrt(3) - 1e-3, math.sqrt(3) + 1e-3, 2.5, 40.0])
def test_at_alpha_1_the_variance_rises_with_alpha_exactly_where_beta_exceeds_the_root_of_3(b):
    assert bool(beta.variance(1 + 1e-6, b) > beta.variance(1, b)) is (b > math.sqrt(3))


def test_chances_of_the_start_and_of_the_specified_pairs():
    start = chances(0.5, 0.5)
    assert start.win == pytest.approx(0.4750208125, abs=PRINTED) and start.tie == pytest.approx(
        0.0499583750, abs=PRINTED
    )
    assert chances(1, 0) == pytest.approx((0.7109495026, 0.0393106030, 0.2497398944), abs=PRINTED)
    assert chances(0.7, 0.4) == pytest.approx((0.5498339973, 0.0488536628, 0.4013123399), abs=PRINTED)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 3))
def test_chances_sum_to_one_and_the_loss_is_equation_15s_number(mi, mj, epsilon):
    p = chances(mi, mj, epsilon)
    assert sum(p) == pytest.approx(1.0, abs=4e-16 * 4)  # three roundings
    assert chances(mj, mi, epsilon).win == pytest.approx(p.loss, rel=1e-15)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_chance_to_win_is_confined_so_that_surprise_is_never_small(mi, mj):
    assert 0.2497 < chances(mi, mj).win < 0.7110


def test_the_first_step_and_the_trace_of_four_pairs():
    c = math.sqrt(2 * 0.01 + 2 / 12)
    assert c == pytest.approx(0.4320493799, abs=PRINTED) and 1 / 12 / c == pytest.approx(
        0.1928791875, abs=PRINTED
    )
    alpha, beta_ = np.ones(3), np.ones(3)
    steps = []
    for i, j, outcome in ((0, 1, "win"), (1, 2, "win"), (0, 2, "win"), (0, 1, "tie")):
        alpha[i], beta_[i], alpha[j], beta_[j] = update_pair(
            Pair(alpha[i], beta_[i], alpha[j], beta_[j]), outcome
        )
        steps.append((alpha.copy(), beta_.copy()))
    assert steps[0][0][0] == steps[0][1][1] == pytest.approx(1.1012575591, abs=PRINTED)
    # The specification prints 8 decimals: half a unit of the last.  Observed 2.9e-9.
    np.testing.assert_allclose(alpha, [1.15603092, 1.29708592, 1], atol=5.1e-9)
    np.testing.assert_allclose(beta_, [1.17872393, 1.10125756, 1.1798], atol=5.1e-6)  # 1.1798 has 4 decimals
    np.testing.assert_allclose(beta.mode(alpha, beta_), [0.466105, 0.745803, 0], atol=5.1e-7)


def test_after_one_win_the_modes_are_exactly_1_and_0():
    won = update_pair(Pair(1, 1, 1, 1), "win")
    assert (float(beta.mode(won.alpha_i, won.beta_i)), float(beta.mode(won.alpha_j, won.beta_j))) == (
        1.0,
        0.0,
    )


def test_a_tie_of_near_equals_moves_more_than_a_win():
    tied, won = update_pair(Pair(1, 1, 1, 1), "tie"), update_pair(Pair(1, 1, 1, 1), "win")
    assert tied.alpha_i - 1 == pytest.approx(0.1832, abs=5e-5) and won.alpha_i - 1 == pytest.approx(
        0.1013, abs=5e-5
    )
    assert tied.alpha_i == tied.beta_i == tied.alpha_j == tied.beta_j


def test_a_tie_of_unequals_draws_them_together_whichever_stands_first():
    high, low = (3.0, 1.5), (1.5, 3.0)
    one = update_pair(Pair(*high, *low), "tie")
    other = update_pair(Pair(*low, *high), "tie")
    assert one.alpha_i == high[0] and one.beta_i > high[1] and one.alpha_j > low[0] and one.beta_j == low[1]
    assert (one.alpha_i, one.beta_i, one.alpha_j, one.beta_j) == (
        other.alpha_j,
        other.beta_j,
        other.alpha_i,
        other.beta_i,
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.permutations(range(5)),
            st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0, math.nan]), min_size=5, max_size=5),
        ),
        max_size=8,
    )
)
def test_alpha_and_beta_never_decrease_and_modes_stay_in_the_unit_interval(hits):
    alpha, beta_ = np.ones(5), np.ones(5)
    for items, scores in hits:
        before = alpha.copy(), beta_.copy()
        for k, l, outcome in beta.pairs_of_hit(scores):
            i, j = items[k], items[l]
            pair = beta.Pair(alpha[i], beta_[i], alpha[j], beta_[j])
            alpha[i], beta_[i], alpha[j], beta_[j] = beta.update_pair(pair, outcome)
        assert (alpha >= before[0]).all() and (beta_ >= before[1]).all()
        m = beta.mode(alpha, beta_)
        assert ((m >= 0) & (m <= 1)).all()


def test_easl_adds_the_score_and_its_complement():
    alpha, beta_ = beta.add_scores(np.ones(2), np.ones(2), [0, 1, 0, 1], [0.8, 0.25, 1.0, 0.0])
    np.testing.assert_allclose([alpha, beta_], [[2.8, 1.25], [1.2, 2.75]], rtol=1e-15)
    np.testing.assert_allclose(beta.mode(alpha, beta_), [0.9, 0.125], rtol=1e-15)
    np.testing.assert_allclose(beta.variance(alpha, beta_), [0.042, 0.04296875], rtol=1e-14)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1)), max_size=40), st.randoms())
def test_easl_is_the_same_to_the_last_bit_in_any_order_and_its_mode_is_the_mean(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    results = [
        beta.add_scores(np.ones(5), np.ones(5), [i for i, _ in r], [s for _, s in r])
        for r in (rows, shuffled)
    ]
    np.testing.assert_array_equal(results[0], results[1])
    modes = beta.mode(*results[0])
    for k in range(5):
        own = [s for i, s in rows if i == k]
        # 1 + sum loses what a sum far below 1 has beyond 2^-53; observed up to 1.1e-16.
        assert modes[k] == pytest.approx(math.fsum(own) / len(own) if own else 0.5, abs=2.3e-16)


def test_the_interval_holds_the_mode_and_the_stated_mass():
    from scipy.special import betainc

    alpha, beta_ = np.array([1, 1, 3, 1.01, 7.5, 200.0]), np.array([1, 4, 1, 9, 2.5, 300.0])
    low, high = beta.interval(alpha, beta_, 0.9)
    m = beta.mode(alpha, beta_)
    assert ((low <= m) & (m <= high)).all()
    # The quantiles of SciPy 1.10 have about 9 digits in the worst of these cases; observed 2e-12.
    np.testing.assert_allclose(betainc(alpha, beta_, high) - betainc(alpha, beta_, low), 0.9, atol=1e-8)
    assert (low[1], high[2]) == (0.0, 1.0) and (low[0], high[0]) == pytest.approx((0.05, 0.95))
