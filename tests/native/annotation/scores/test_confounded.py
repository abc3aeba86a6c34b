"""Designs that cannot tell effects apart say so, or are refused; nothing depends on where a search began."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import NotEstimableError
from pairproof.native.annotation.scores.annotator_model import annotator_model
from pairproof.native.annotation.scores.annotator_quality import drift
from pairproof.native.annotation.scores.mixed_model import mixed_model, not_joined, same_groups, told_apart
from pairproof.native.annotation.scores.stopping_rules import items_short
from pairproof.native.annotation.scores.systems_model import systems_model


def two_blocks(seed=3):
    """Annotators 0 to 2 judge items 0 to 9, annotators 3 to 5 items 10 to 19, and score them .3 higher."""
    item = np.r_[np.repeat(np.arange(10), 3), np.repeat(np.arange(10, 20), 3)]
    who = np.r_[np.tile([0, 1, 2], 10), np.tile([3, 4, 5], 10)]
    rng = np.random.default_rng(seed)
    return item, who, rng.normal(0.5, 0.1, 20)[item] + 0.3 * (who > 2) + rng.normal(0, 0.03, 60)


@pytest.mark.parametrize("level", ["raw", "location", "precision"])
def test_annotators_without_common_items_are_named_as_such(level):
    item, who, y = two_blocks()
    (said,) = annotator_model(item, who, y, level=level).cautions
    assert said.startswith("2 sets of annotators share no item: (0, 1, 2), (3, 4, 5);")
    item[-1] = 0  # one judgment joins them
    assert annotator_model(item, who, y, level=level).cautions == ()


def test_an_annotator_alone_on_own_items_is_named():
    item = np.r_[np.repeat(np.arange(20), 3), np.arange(20, 40)]
    who = np.r_[np.tile([0, 1, 2], 20), np.full(20, 3)]
    found = annotator_model(item, who, np.random.default_rng(1).random(80))
    assert found.level == "precision" and "(0, 1, 2), (3)" in found.cautions[0]


def test_many_sets_are_counted_and_the_first_listed():
    pairs = np.repeat(np.arange(12), 2)
    said = not_joined(pairs, np.arange(24), [f"w{k}" for k in range(24)])
    assert said.startswith(
        "12 sets of annotators share no item: (w0, w1), (w2, w3), (w4, w5), (w6, w7), ...;"
    )


def test_a_hit_for_each_annotator_or_each_score_is_left_out_with_a_caution():
    item, who, y = two_blocks()
    item = np.tile(np.arange(10), 6)
    without = annotator_model(item, who, y, level="location")
    for hit in (np.zeros(60), np.arange(60)):
        found = annotator_model(item, who, y, hit=hit, level="location")
        assert len(found.cautions) == 1 and "HIT" in found.cautions[0] and np.isnan(found.hit_sd)
        np.testing.assert_array_equal(found.score, without.score)


def test_variances_that_no_score_tells_apart_are_refused_by_name():
    rng = np.random.default_rng(2)
    y, a = rng.normal(size=40), np.arange(40) % 8
    with pytest.raises(
        NotEstimableError, match="the variances of source and annotator cannot be distinguished"
    ):
        mixed_model(y, [a, (a + 3) % 8], names=["source", "annotator"])
    with pytest.raises(NotEstimableError, match="the variances of item and residual cannot be distinguished"):
        mixed_model(y, [np.arange(40), a], names=["item", "annotator"])
    with pytest.raises(NotEstimableError, match="the fixed effects contain annotator"):
        mixed_model(y, [a], (a[:, None] == np.arange(8)).astype(float), names=["annotator"])
    # Without that refusal the answer was the value that the search began with.


def test_same_groups_whatever_their_numbers_and_effects_left_out_in_order():
    a = np.array([0, 0, 1, 1, 2, 2])
    assert same_groups(a, (a + 1) % 3) and not same_groups(a, np.array([0, 0, 1, 1, 1, 2]))
    kept, said = told_apart({"source": a, "item": np.arange(6), "annotator": (a + 2) % 3})
    assert list(kept) == ["annotator"] and len(said) == 2
    assert told_apart({"source": a, "annotator": np.array([0, 1, 0, 1, 0, 1])})[1] == []


# -- systems -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crossed():
    source, system, annotator = (a.ravel() for a in np.indices((12, 3, 4)))
    rng = np.random.default_rng(3)
    y = 0.5 + 0.1 * (system == 1) + rng.normal(0, 0.1, 12)[source] + rng.normal(0, 0.05, 144)
    return system, source, annotator, y


@pytest.mark.parametrize("options", [{}, {"annotator_by_system": False}, {"way": "ols"}])
def test_systems_with_an_annotator_each_of_their_own_are_refused(crossed, options):
    system, source, annotator, y = crossed
    own = annotator == system
    with pytest.raises(NotEstimableError, match="systems cannot be distinguished from annotators"):
        systems_model(system[own], source[own], annotator[own], y[own], **options)


def test_annotators_of_one_system_each_leave_their_number_less_the_systems_as_degrees_of_freedom(crossed):
    system, source, _, y = crossed
    who = 2 * system + source % 2  # two annotators for each of three systems
    found = systems_model(system, source, who, y)
    assert found.df == 6 - 3
    assert any("no annotator is shared by 0 and 1, 0 and 2, 1 and 2" in c for c in found.cautions)
    assert "annotator" not in found.variances and "annotator:system" in found.variances


def test_one_score_an_item_leaves_the_item_in_the_residual_and_the_differences_as_they_were(crossed):
    system, source, annotator, y = crossed
    once = annotator == source % 4
    found = systems_model(system[once], source[once], annotator[once], y[once])
    assert "item" not in found.variances
    assert any(c.startswith("every item has one score") for c in found.cautions)


def test_sources_of_one_system_each_are_said_to_pair_nothing(crossed):
    system, source, annotator, y = crossed
    found = systems_model(system, 3 * source + system, annotator, y)
    assert "source" not in found.variances and any("no source is shared by" in c for c in found.cautions)


def test_a_system_judged_by_one_annotator_is_named(crossed):
    system, source, annotator, y = crossed
    kept = (system != 2) | (annotator == 0)
    found = systems_model(system[kept], source[kept], annotator[kept], y[kept], way="ols")
    assert any(c.startswith("2: judged by one annotator only") for c in found.cautions)


# -- elsewhere -----------------------------------------------------------------------------------------------


def test_drift_of_items_judged_once_is_that_of_ordinary_regressions():
    rng = np.random.default_rng(4)
    who, place = np.arange(40) % 4, np.arange(40) // 4
    y = rng.random(40)
    found = drift(np.arange(40), who, place, y)
    slopes = [np.polyfit(place[who == k], y[who == k], 1)[0] for k in range(4)]
    np.testing.assert_allclose(found.slope, slopes, rtol=1e-10)  # observed 1e-15


def test_judgments_that_never_differ_stop_nothing():
    with pytest.raises(NotEstimableError, match="look whether annotators really answered"):
        items_short(["a", "b"] * 10, [0.1, 0.7] * 10, half=0.1, batches=10)
