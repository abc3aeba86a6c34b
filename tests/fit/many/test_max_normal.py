"""The largest of correlated normal variables against qtukey, qmvnorm and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.fit.estimates.tails import log10_two_sided_p
from pairproof.fit.many.max_normal import MaxNormal, Pairs, Points


def all_pairs(covariance: np.ndarray, two_sided: bool = True, df: float = math.inf) -> MaxNormal:
    first, second = np.triu_indices(len(covariance), 1)
    return MaxNormal(Points.of(covariance), first, second, two_sided, df)


def against_first(m: int, two_sided: bool) -> MaxNormal:
    return MaxNormal(Points.of(np.eye(m + 1)), np.arange(1, m + 1), np.zeros(m, int), two_sided)


def test_two_dimensions_are_exact():
    v = np.zeros((3, 3))
    v[:2, :2] = [[0.09, 0.03], [0.03, 0.05]]
    largest = all_pairs(v)
    assert largest.is_exact
    # The printed digits; seen: 4e-12 off.
    assert largest.quantile(0.95)[0] == pytest.approx(2.33596552727, abs=1e-11)
    tails = [largest.tail(c) for c in (1.0, 2.0, 2.5, 3.0)]
    # The printed digits; seen: 5e-12 off.
    np.testing.assert_allclose(
        tails, [0.573412444584, 0.110294436972, 0.0325709047838, 0.00744877825650], rtol=1e-11
    )
    # The printed digits; seen: 1e-12 off.
    assert against_first(2, True).quantile(0.95)[0] == pytest.approx(2.21212774658, abs=1e-11)
    # The printed digits; seen: 2e-12 off.
    assert against_first(2, False).quantile(0.95)[0] == pytest.approx(1.91633194469, abs=1e-11)


@pytest.mark.parametrize(
    ("n", "point"),
    [
        (3, 2.34370058638),
        (4, 2.56903177255),
        (5, 2.72777437087),
        (6, 2.84970541961),
        (10, 3.16368357705),
        (20, 3.54379913152),
        (100, 4.30248846360),  # scipy's studentized_range
    ],
)
def test_all_pairs_of_equal_items_have_tukeys_point(n, point):
    """qtukey / sqrt 2.  Held to five of the errors that the estimate reports, from eight parts; seen: at most 2.4."""
    c, error = all_pairs(np.eye(n)).quantile(0.95)
    assert error < 2e-3  # seen: 0 for 3 items, 3e-5 for 4, .0014 for 100
    assert abs(c - point) <= 5.0 * error + 1e-10


@pytest.mark.parametrize(
    ("m", "two", "one"), [(4, 2.44177077320, 2.16033328116), (9, 2.68622336737, 2.41701752460)]
)
def test_all_against_one_has_dunnetts_point(m, two, one):
    for sided, point in ((True, two), (False, one)):
        c, error = against_first(m, sided).quantile(0.95)
        # Items are alike, so the processor chooses among directions of equal eigenvalues, and so the points.
        # Seen: errors of 6e-5 to .0017 (OPENBLAS_CORETYPE of Haswell, Nehalem), distances up to 1.3 of them.
        assert error < 5e-3 and abs(c - point) <= 5.0 * error


def test_one_pair_is_the_normal_distribution():
    pair = MaxNormal(Points.of(np.diag([4.0, 0.0])), np.array([0]), np.array([1]))
    c, error = pair.quantile(0.95)
    # The printed digits; seen: 2e-15 off.
    assert c == pytest.approx(1.959963984540054, abs=1e-12) and error == 0.0
    # The printed digits; seen: 9e-16 off.
    assert MaxNormal(pair.points, pair.first, pair.second, False).quantile(0.95)[0] == pytest.approx(
        1.6448536269514722
    )


@pytest.mark.parametrize("n", [4, 10, 30, 100])
def test_small_tails_keep_their_digits(n):
    """Against scipy's studentized range; the largest error is that of 100 items at 4.5."""
    from scipy.stats import studentized_range

    found = np.exp(all_pairs(np.eye(n)).log_tails(np.array([4.5, 6.0, 7.5])))
    exact = studentized_range.sf(np.sqrt(2.0) * np.array([4.5, 6.0, 7.5]), n, np.inf)
    # Four Monte Carlo errors, which are .04, .18, .4 and .6 % at 4.5; seen: .03, .23, .18 and .98 % off.
    np.testing.assert_allclose(found, exact, rtol={4: 0.0015, 10: 0.0075, 30: 0.016, 100: 0.024}[n])


def test_tails_beyond_the_doubles_are_bonferronis_bound():
    largest = all_pairs(np.eye(5))
    (tail,) = largest.log_tails(np.array([60.0])) / math.log(10.0)
    assert tail == pytest.approx(math.log10(10) + log10_two_sided_p(np.array([60.0]))[0], rel=1e-12)  # -784.6


def test_many_tails_are_interpolated_to_what_each_is_by_itself():
    """100 tails go over a grid; each against its own, to .2 % (seen: .09 %)."""
    largest = all_pairs(np.diag([1.0, 2.0, 0.5, 1.5, 1.0]))
    c = np.linspace(0.1, 6.0, 100)
    together = largest.log_tails(c)
    by_itself = np.array([largest.log_tails(c[k : k + 1])[0] for k in range(0, 100, 9)])
    np.testing.assert_allclose(together[::9], by_itself, atol=0.002)
    assert (np.diff(together) <= 0).all()


def test_a_common_df_gives_the_multivariate_t():
    """qtukey(.95, 3, 10) / sqrt 2 and qtukey(.95, 6, 23) / sqrt 2, by scipy's studentized_range."""
    from scipy.stats import studentized_range

    for n, df in ((3, 10.0), (6, 23.0)):
        c, error = all_pairs(np.eye(n), df=df).quantile(0.95)
        assert (
            abs(c - studentized_range.isf(0.05, n, df) / math.sqrt(2.0)) <= 5.0 * error + 1e-7
        )  # seen: 1.1, 2e-9


def test_directed_pairs_in_both_directions_are_two_sided():
    i, j = np.triu_indices(6, 1)
    points = Points.of(np.eye(6))
    both = MaxNormal(points, np.concatenate([i, j]), np.concatenate([j, i]), False)
    assert both.quantile(0.95) == MaxNormal(points, i, j, True).quantile(0.95)
    pairs = Pairs.of(np.array([0, 2, 2]), np.array([1, 0, 0]), False)
    assert len(pairs) == 2 and not pairs.both.any()
    assert set(zip(pairs.first.tolist(), pairs.second.tolist())) == {(0, 1), (2, 0)}


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 7), st.integers(0, 10_000))
def test_the_reference_item_changes_nothing_and_the_scale_neither(n, seed):
    """A shift by a common variable, as another reference item makes it: rounding of V alone is left, 1e-9."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, n))
    v = a @ a.T + 0.01 * np.eye(n)
    shift = rng.normal(size=n)
    c, _ = all_pairs(v).quantile(0.9)
    shifted, _ = all_pairs(7.0 * (v + shift[:, None] + shift)).quantile(0.9)
    # One number in two ways, which differ by rounding; seen: 4e-8 off.
    assert shifted == pytest.approx(c, abs=1e-6)


@settings(deadline=None, max_examples=15)
@given(st.integers(3, 7), st.integers(0, 10_000))
def test_the_order_of_the_items_changes_nothing_and_a_higher_level_is_farther_out(n, seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, n))
    v = a @ a.T + 0.01 * np.eye(n)
    order = rng.permutation(n)
    largest, other = all_pairs(v), all_pairs(v[np.ix_(order, order)])
    c, error = largest.quantile(0.95)
    # One number in two ways, which differ by rounding; seen: 4e-16 off.
    assert other.quantile(0.95)[0] == pytest.approx(c, abs=1e-6 + 4.0 * error)
    assert largest.quantile(0.9)[0] < c < largest.quantile(0.99)[0]
    subset = MaxNormal(largest.points, largest.first[:2], largest.second[:2])
    assert subset.quantile(0.95)[0] <= c + 4.0 * error
