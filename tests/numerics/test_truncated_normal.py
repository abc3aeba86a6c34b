"""Truncated normals against the exact distribution, far into both tails."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from pairproof.numerics.markov_chains import above, between


def exact_quantile(u, a, b):
    """The u-quantile of a standard normal on (a, b) to 40 digits."""
    with mpmath.workdps(60):
        cdf = lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2  # noqa: E731
        low, high = cdf(mpmath.mpf(a)), mpmath.mpf(1) if b == float("inf") else cdf(mpmath.mpf(b))
        target = low + mpmath.mpf(u) * (high - low)
        left, right = mpmath.mpf(a), mpmath.mpf(min(b, max(a, 0) + 45))
        for _ in range(170):
            middle = (left + right) / 2
            left, right = (middle, right) if cdf(middle) < target else (left, middle)
        return float(left)


@pytest.mark.parametrize("a", [-45.0, -8.0, -1.0, 0.0, 0.7, 5.0, 20.0, 36.9, 37.1, 60.0])
@pytest.mark.parametrize("u", [1e-12, 0.3, 0.9999])
def test_a_draw_above_a_bound_is_the_exact_quantile(a, u):
    """-Phi^-1(u Phi(-a)) is the (1-u)-quantile.  Observed: within 3e-13 of it, in units of what is left above
    the bound where that is small; below -8 a quantile of u near 0 lies so deep that 1 - Phi cannot be told
    from 1."""
    z = float(above(np.array([a]), np.array([u]))[0])
    with mpmath.workdps(60):
        tail = lambda x: mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) / 2  # noqa: E731
        share = float(tail(z) / tail(a))
    assert z >= a
    assert share == pytest.approx(u, rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (-0.4, 0.4),
        (-3.0, -2.0),
        (-12.0, -10.0),
        (-30.0, 1.0),
        (-38.0, -37.5),
        (-60.0, -59.9),
        (-500.0, -499.0),
    ],
)
@pytest.mark.parametrize("u", [1e-6, 0.5, 0.99])
def test_a_draw_between_two_bounds_is_the_exact_quantile(a, b, u):
    """Observed: within 2e-12 of the interval's length."""
    z = float(between(np.array([a]), np.array([b]), np.array([u]))[0])
    assert a <= z <= b
    if a > -100:
        assert z == pytest.approx(exact_quantile(u, a, b), abs=1e-9 * (b - a))
    else:  # the density there is exp(-500 z): the quantile sits at the upper end
        assert b - z == pytest.approx(-np.log(u) / 499.0, rel=1e-2)


def test_no_draw_leaves_its_interval_or_is_lost():
    rng = np.random.default_rng(0)
    bound = rng.normal(scale=20, size=20_000)
    u = np.maximum(rng.random(20_000), np.finfo(float).tiny)
    z = above(bound, u)
    assert np.isfinite(z).all() and (z >= bound).all()
    width = rng.gamma(1, size=20_000)
    low = -np.abs(bound) - width
    inside = between(low, low + width, u)
    assert np.isfinite(inside).all() and (inside >= low).all() and (inside <= low + width).all()


@pytest.mark.parametrize("a", [-2.0, 0.5, 6.0])
def test_the_mean_of_many_draws_is_the_inverse_mills_ratio(a):
    from scipy.special import log_ndtr

    u = (np.arange(200_000) + 0.5) / 200_000
    exact = np.exp(-a * a / 2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-a))
    assert above(np.full(len(u), a), u).mean() == pytest.approx(
        exact, abs=2e-5
    )  # midpoint rule; observed 6e-6
