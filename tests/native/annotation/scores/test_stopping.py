"""Confidence sequences, group sequential boundaries and the rules built on them."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError, NotEstimableError
from pairproof.native.annotation.scores.stopping_rules import (
    boundary,
    crossing,
    enough,
    group_sequential,
    items_short,
    items_top,
    mixture_constant,
    source_differences,
    systems_ranking,
    systems_short,
    systems_top,
)

# -- the sequence --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "u"),
    [(0.1, 7.638352), (0.05, 9.211968), (0.01, 12.756371), (0.005, 14.253648), (0.05 / 45, 17.464988),
     (0.05 / 60, 18.074665)],
)  # fmt: skip
def test_the_mixtures_constant_is_the_lambert_function(alpha, u):
    found = mixture_constant(alpha)
    assert found == pytest.approx(u, abs=5.1e-7)  # printed with 6 decimals
    assert found * np.exp(-found) == pytest.approx(alpha**2 / np.e, rel=1e-13)


@pytest.mark.parametrize("alpha", [1e-300, 1e-40, 0.5, 0.999999])
def test_the_constant_holds_for_the_smallest_and_largest_alpha(alpha):
    u = mixture_constant(alpha)
    assert u > 1 and u - np.log(u) == pytest.approx(1 - 2 * np.log(alpha), rel=1e-13)


def test_the_boundary_is_the_vectors():
    n = [2, 5, 10, 30, 100]
    np.testing.assert_allclose(
        boundary(n, 0.05, 10), [2.366726, 1.376820, 0.959790, 0.565990, 0.324631], atol=5.1e-7
    )
    np.testing.assert_allclose(
        boundary([30, 100, 1000], 0.05, 100), [0.582238, 0.303512, 0.102657], atol=5.1e-7
    )
    assert (mixture_constant(0.05) - 1) / 10 == pytest.approx(0.82119681, abs=5.1e-9)


def test_at_the_planned_number_it_is_the_shortest_and_has_its_closed_form():
    for alpha, planned in ((0.05, 10.0), (0.001, 250.0)):
        here = float(boundary(planned, alpha, planned))
        assert here == pytest.approx(np.sqrt(mixture_constant(alpha) / planned), rel=1e-12)
        # r chosen for another number is worse here.
        assert here < min(float(boundary(planned, alpha, planned * f)) for f in (0.8, 1.25))


def test_enough_is_the_smallest_number():
    half, spread = np.array([0.3, 0.1, 0.05, 0.0]), np.full(4, 0.2)
    n = enough(half, spread, 0.05, 10)
    assert np.isinf(n[3])
    for k in range(3):
        assert spread[k] * boundary(n[k], 0.05, 10) <= half[k] < spread[k] * boundary(n[k] - 1, 0.05, 10)


def test_a_mean_is_missed_at_any_look_as_seldom_as_it_says():
    """Normal terms, looks at 5, 10, ..., 1,000: .05 bounds all looks; .0098 is the standard error."""
    r = np.random.default_rng(17)
    n = np.arange(5, 1001, 5)
    paths = r.normal(size=(500, 1000)).cumsum(axis=1)[:, n - 1] / n
    ever = (np.abs(paths) > boundary(n, 0.05, 100)).any(axis=1).mean()
    once = (np.abs(paths) > 1.96 / np.sqrt(n)).any(axis=1).mean()
    assert ever <= 0.05 + 3 * 0.0098 and once > 0.3  # observed .028 and .414


@pytest.mark.parametrize(
    "call", [lambda: boundary(0, 0.05, 10), lambda: boundary(5, 0.05, 0), lambda: boundary(5, 1.5, 10)]
)
def test_numbers_out_of_range_are_refused(call):
    with pytest.raises(InputError, match="expected"):
        call()


# -- planned looks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("looks", "alpha", "shape", "z"),
    [(5, 0.05, "obrien-fleming", 2.0401), (10, 0.05, "obrien-fleming", 2.0865), (5, 0.05, "pocock", 2.4132),
     (10, 0.05, "pocock", 2.5550), (10, 0.005, "obrien-fleming", 2.8792)],
)  # fmt: skip
def test_final_boundaries_are_the_published_ones(looks, alpha, shape, z):
    found = group_sequential(looks, alpha, shape)
    assert found[-1] == pytest.approx(z, abs=5.1e-5)  # printed with 4 decimals (Jennison and Turnbull 2000)
    assert crossing(found) == pytest.approx(alpha, abs=1e-11)  # observed 1e-15
    if shape == "obrien-fleming":
        np.testing.assert_allclose(found * np.sqrt(np.arange(1, looks + 1)), z * np.sqrt(looks), atol=2e-4)


def test_two_looks_are_a_bivariate_normal_probability():
    from scipy.stats import multivariate_normal

    c = np.array([2.5, 2.0])
    rho = np.sqrt(0.5)
    normal = multivariate_normal(cov=[[1, rho], [rho, 1]])
    inside = sum(s * t * normal.cdf([s * c[0], t * c[1]]) for s in (1, -1) for t in (1, -1))
    # SciPy's bivariate normal has 1e-8 here; observed 1e-10.
    assert crossing(c) == pytest.approx(1 - inside, abs=1e-7)


def test_one_look_is_the_normal_quantile_and_looks_are_checked():
    assert group_sequential(1)[0] == pytest.approx(1.959963984540054, abs=1e-12)
    with pytest.raises(InputError, match="looks=0"):
        group_sequential(0)
    with pytest.raises(InputError, match="confidence sequence has no such number"):
        group_sequential(1000)


# -- rules on items ------------------------------------------------------------------------------------------


def judgments(n, sd=0.1, truth=(0.2, 0.5, 0.8), seed=1):
    r = np.random.default_rng(seed)
    item = np.tile(np.arange(len(truth)), n)
    return item, np.asarray(truth)[item] + sd * r.normal(size=len(item))


def test_items_are_short_once_all_are_and_the_forecast_says_when():
    item, y = judgments(10)
    look = items_short(item, y, half=0.06, batches=10)
    assert look.verdict == "go on" and look.further > 0
    assert look.further == sum(
        enough(np.array([0.06]), h / boundary(10, 0.05, 10), 0.05, 10)[0] - 10 for h in look.half
    )
    # Twice the forecast: the spreads of ten judgments are themselves uncertain by a quarter.
    more = 2 * int(np.ceil(look.further / 3))
    item, y = judgments(10 + more)
    assert items_short(item, y, half=0.06, batches=20).verdict == "stop"


def test_the_spread_of_an_item_is_never_below_the_pooled_one():
    r = np.random.default_rng(4)
    item = np.repeat([0, 1], 20)
    y = np.r_[0.5 + 0.01 * r.normal(size=20), 0.5 + 0.2 * r.normal(size=20)]
    look = items_short(item, y, half=0.01, batches=9)
    pooled = np.sqrt(sum(((y[item == k] - y[item == k].mean()) ** 2).sum() for k in (0, 1)) / 38)
    each = look.half / boundary(20, 0.05, 10)
    assert each[0] == pytest.approx(pooled) and each[1] > pooled
    squares = ((y[20:] - y[20:].mean()) ** 2).sum()
    assert each[1] == pytest.approx(np.sqrt((10 * pooled**2 + squares) / 29))


def test_before_the_third_batch_it_is_too_early():
    item, y = judgments(50)
    assert items_short(item, y, half=0.5, batches=2).verdict == "too early"
    assert items_short(item, y, half=0.5, batches=3).verdict == "stop"
    assert "2 batch(es) returned" in items_top(item, y, 1, batches=2).why


def test_an_item_without_a_judgment_keeps_the_rules_from_stopping():
    item, y = judgments(50)
    look = items_short(item, y, half=0.5, batches=5, items=[0, 1, 2, 3])
    assert look.verdict == "go on" and look.n[3] == 0 and np.isinf(look.half[3]) and look.further >= 1
    assert items_top(item, y, 1, batches=5, items=[0, 1, 2, 3]).verdict == "go on"
    with pytest.raises(InputError, match="item 2 is judged, but not in the list"):
        items_short(item, y, half=0.5, batches=5, items=[0, 1])


def test_the_top_is_settled_when_limits_part_and_delta_lets_near_ones_pass():
    item, y = judgments(40)
    look = items_top(item, y, 2, batches=10)
    assert look.verdict == "stop" and look.settled.all() and look.further == 0
    item, y = judgments(40, truth=(0.2, 0.79, 0.8))
    near = items_top(item, y, 1, batches=10)
    assert near.verdict == "go on" and near.further > 100
    assert items_top(item, y, 1, batches=10, delta=0.2).verdict == "stop"


def test_no_item_judged_twice_is_refused():
    with pytest.raises(NotEstimableError, match="no item was judged twice"):
        items_short(["a", "b"], [0.1, 0.2], half=0.1, batches=5)


# -- rules on systems ----------------------------------------------------------------------------------------


def outputs(n, means=(0.5, 0.6, 0.7), seed=1):
    r = np.random.default_rng(seed)
    y = np.asarray(means) + 0.2 * r.normal(size=(n, 1)) + 0.05 * r.normal(size=(n, len(means)))
    source, system = (a.ravel() for a in np.indices(y.shape))
    return source_differences([f"s{k}" for k in system], source, y.ravel())


def test_differences_are_taken_within_sources():
    found = outputs(40)
    assert found.pairs == ((0, 1), (0, 2), (1, 2)) and (found.n == 40).all()
    np.testing.assert_allclose(found.spread, 0.05 * np.sqrt(2), rtol=0.3)  # not the sources' .2


def test_below_thirty_sources_it_is_too_early():
    assert systems_ranking(outputs(29)).verdict == "too early"
    assert systems_ranking(outputs(60)).verdict == "stop"


def test_a_ranking_of_near_systems_needs_a_delta():
    near = outputs(400, means=(0.5, 0.502, 0.7))
    look = systems_ranking(near)
    assert look.verdict == "go on" and look.settled.tolist() == [False, True, True]
    assert look.further > 100
    assert systems_ranking(near, delta=0.02).verdict == "stop"


def test_a_mean_difference_of_0_is_never_settled_and_the_forecast_says_so():
    source, system = (a.ravel() for a in np.indices((40, 2)))
    y = np.where(system == 0, 0.5, 0.5 + 0.1 * np.where(source % 2 == 0, 1, -1))
    look = systems_ranking(source_differences(system, source, y))
    assert look.verdict == "go on" and look.further == np.inf


def test_lengths_and_tops_of_systems():
    found = outputs(60)
    assert systems_short(found, 0.2).verdict == "stop" and systems_short(found, 0.001).verdict == "go on"
    top = systems_top(found, 1)
    assert top.verdict == "stop" and top.names == ("s2 - s0", "s2 - s1")
    assert (top.estimate > 0).all()
    with pytest.raises(InputError, match="k=3 of 3 systems"):
        systems_top(found, 3)


def test_systems_without_a_common_source_cannot_be_told():
    found = source_differences(["a", "b", "a", "b"], [1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4])
    with pytest.raises(NotEstimableError, match="a and b have no common source"):
        systems_top(found, 1)
    assert systems_short(found, 0.1).verdict == "too early"


def test_equal_systems_are_seldom_told_apart_at_any_look():
    """Five equal systems, looks every 20 sources: any false claim .05 at most; t tests made one in .8."""
    r = np.random.default_rng(9)
    source, system = (a.ravel() for a in np.indices((200, 5)))
    false = 0
    for _ in range(40):
        y = 0.05 * r.normal(size=(200, 5)).ravel()
        for n in range(40, 201, 20):
            kept = source < n
            look = systems_ranking(source_differences(system[kept], source[kept], y[kept]))
            if look.settled.any():
                false += 1
                break
    assert false <= 6  # .05 of 40 is 2, and three standard errors 4; observed 1
