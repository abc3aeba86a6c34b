"""The largest of correlated normal variables against qtukey, qmvnorm and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.fit.many.max_normal import MaxNormal, root_of


def all_pairs(covariance: np.ndarray, two_sided: bool = True) -> MaxNormal:
    root = root_of(covariance)
    first, second = np.triu_indices(len(covariance), 1)
    sd = np.sqrt(((root[first] - root[second]) ** 2).sum(axis=1))
    return MaxNormal(root, first, second, sd, two_sided)


def against_first(m: int, two_sided: bool) -> MaxNormal:
    return MaxNormal(
        root_of(np.eye(m + 1)), np.arange(1, m + 1), np.zeros(m, int), np.full(m, math.sqrt(2)), two_sided
    )


def test_two_dimensions_are_exact():
    v = np.zeros((3, 3))
    v[:2, :2] = [[0.09, 0.03], [0.03, 0.05]]
    largest = all_pairs(v)
    assert largest.rank == 2
    assert largest.quantile(0.95)[0] == pytest.approx(2.33596552727, abs=1e-11)
    tails = [largest.tail(c) for c in (1.0, 2.0, 2.5, 3.0)]
    np.testing.assert_allclose(
        tails, [0.573412444584, 0.110294436972, 0.0325709047838, 0.00744877825650], rtol=1e-11
    )
    assert against_first(2, True).quantile(0.95)[0] == pytest.approx(2.21212774658, abs=1e-11)
    assert against_first(2, False).quantile(0.95)[0] == pytest.approx(1.91633194469, abs=1e-11)


@pytest.mark.parametrize(
    ("n", "point"),
    [(3, 2.34370058638), (4, 2.56903177255), (6, 2.84970541961), (10, 3.16368357705), (20, 3.54379913152)],
)
def test_all_pairs_of_equal_items_have_tukeys_point(n, point):
    """qtukey / sqrt 2.  Held to five of the errors that the estimate reports; seen: at most 2 of them."""
    c, error = all_pairs(np.eye(n)).quantile(0.95)
    assert error < 2e-3
    assert abs(c - point) <= 5.0 * error + 1e-10


@pytest.mark.parametrize(
    ("m", "two", "one"), [(4, 2.44177077320, 2.16033328116), (9, 2.68622336737, 2.41701752460)]
)
def test_all_against_one_has_dunnetts_point(m, two, one):
    for sided, point in ((True, two), (False, one)):
        c, error = against_first(m, sided).quantile(0.95)
        assert abs(c - point) <= 5.0 * error


def test_one_pair_is_the_normal_distribution():
    pair = MaxNormal(np.array([[2.0], [0.0]]), np.array([0]), np.array([1]), np.array([2.0]))
    assert pair.quantile(0.95)[0] == pytest.approx(1.959963984540054, abs=1e-12)


def test_small_tails_keep_their_digits():
    """Against Bonferroni's bound, which the tail approaches from below."""
    largest = all_pairs(np.eye(5))
    bound = 10 * math.erfc(7.0 / math.sqrt(2.0))
    assert 0.9 * bound < largest.tail(7.0) <= bound * 1.01


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 5), st.integers(0, 10_000))
def test_a_common_shift_and_the_scale_change_nothing(n, seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, n))
    v = a @ a.T + 0.01 * np.eye(n)
    c, error = all_pairs(v).quantile(0.9)
    shifted, other = all_pairs(7.0 * v + 3.0).quantile(0.9)
    # Other directions are drawn for another root of the covariance: equal within what both errors allow.
    assert abs(shifted - c) <= 6.0 * (error + other) + 1e-8
