"""Scores of items corrected for who judged them."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError, NotEstimableError
from pairproof.native.annotation.scores.annotator_model import annotator_model
from tests.native.annotation.cases import column, scores


@pytest.fixture(scope="module")
def judged():
    return column("item", "item"), column("item", "annotator"), scores("item")


def test_the_levels_are_the_models_of_r(judged):
    location = annotator_model(*judged, level="location")
    assert (location.mean, location.loglik) == pytest.approx((0.61512082, 97.10391084), abs=5.1e-9)
    assert location.items[:2] == ("i01", "i02") and location.annotators == tuple(f"a{k}" for k in range(1, 9))
    np.testing.assert_allclose(location.score[:2], 0.61512082 + np.array([0.09615355, 0.03789490]), atol=1e-8)
    precision = annotator_model(*judged, level="precision", prior_spread=None)
    # nlme's own stopping leaves 4e-8 (test_mixed_model).
    assert (precision.item_sd, precision.annotator_sd) == pytest.approx((0.13927775, 0.08881056), abs=6e-8)
    assert precision.location[5] == pytest.approx(0.17876774, abs=5.1e-9)
    complete = column("complete", "item"), column("complete", "annotator"), scores("complete")
    scale = annotator_model(*complete, level="scale", prior_spread=None)
    assert (scale.slope[0], scale.loglik, scale.likelihood) == pytest.approx(
        (1.1640812, 174.5797828, "ML"), abs=5e-8
    )


def test_a_hit_counts_within_its_annotator(judged):
    found = annotator_model(*judged, hit=column("item", "hit"), level="location")
    assert found.hit_sd == 0.0 and found.loglik == pytest.approx(97.10391084, abs=5.1e-9)


def test_the_default_is_precision_with_the_prior(judged):
    found = annotator_model(*judged)
    assert found.level == "precision" and "10 scores or more" in found.why
    bare = annotator_model(*judged, prior_spread=None)
    assert bare.noise[0] < found.noise[0] and found.noise[7] < bare.noise[7]


def test_fewer_data_have_a_lower_level_with_the_reason(judged):
    item, annotator, score = judged
    some = [k for k, who in enumerate(annotator) if who != "a3"] + [
        k for k, w in enumerate(annotator) if w == "a3"
    ][:9]
    part = [[column_[k] for k in some] for column_ in (item, annotator, list(score))]
    found = annotator_model(*part)
    assert found.level == "location" and "1 annotator(s) with fewer than 10 scores: a3 (9)" in found.why
    two = [k for k, who in enumerate(annotator) if who in ("a1", "a2")]
    found = annotator_model(*([column_[k] for k in two] for column_ in (item, annotator, list(score))))
    assert found.level == "raw" and "a location needs 3 or more" in found.why
    assert np.isnan(found.location).all() and np.isnan(found.loglik)


def test_a_level_that_is_asked_for_and_cannot_be_had_is_refused(judged):
    with pytest.raises(
        NotEstimableError, match=r"level scale: 4 annotator\(s\) with fewer than 30 scores: a1 \(28\)"
    ):
        annotator_model(*judged, level="scale")
    with pytest.raises(InputError, match="expected one of 'raw'"):
        annotator_model(*judged, level="best")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prior_spread": 0.0}, "prior_spread=0.0"),
        ({"likelihood": "MAP"}, "expected one of 'REML', 'ML'"),
        ({"annotator": ["a"] * 3}, "3 labels of the annotator and 240 scores"),
        ({"item": [None] * 240}, "row 1: no item"),
    ],
)
def test_input_that_is_wrong_is_refused_with_what_was_found(judged, options, said):
    item, annotator, score = judged
    with pytest.raises(InputError, match=said):
        annotator_model(**{"item": item, "annotator": annotator, "score": score, **options})


def test_a_shifted_and_a_careless_annotator_are_seen_and_corrected():
    r = np.random.default_rng(5)
    truth = np.clip(0.6 + 0.2 * r.normal(size=60), 0, 1)
    item, annotator = (a.ravel() for a in np.indices((60, 4)))
    kept = r.random(240) < 0.6
    noise = np.array([0.07, 0.07, 0.1, 0.3])[annotator] * r.normal(size=240)
    y = truth[item] + np.array([0.0, 0.25, 0.0, 0.0])[annotator] + noise
    found = annotator_model(item[kept], annotator[kept], y[kept])
    assert found.location.argmax() == 1 and found.noise.argmax() == 3
    at = [int(name) for name in found.items]
    corrected = np.corrcoef(found.score, truth[at])[0, 1]
    raw = np.corrcoef(found.raw, truth[at])[0, 1]
    assert corrected > raw + 0.05  # observed .97 and .82
    low, high = found.interval(0.95)
    assert ((low < found.score) & (found.score < high)).all()
    # The truth up to the panel's own mean, which nobody can know; SE of a share .03.
    centred = truth[at] - truth[at].mean() + found.score.mean()
    assert 0.85 <= np.mean((low <= centred) & (centred <= high)) <= 1.0


def test_labels_may_change_and_rows_move():
    r = np.random.default_rng(6)
    item, annotator = (a.ravel() for a in np.indices((20, 4)))
    y = r.normal(size=20)[item] + 0.3 * r.normal(size=4)[annotator] + 0.3 * r.normal(size=80)
    one = annotator_model(item, annotator, y)
    order = r.permutation(80)
    two = annotator_model([f"x{k:02d}" for k in item[order]], annotator[order], y[order])
    np.testing.assert_allclose(two.score, one.score, atol=1e-9)
    assert two.items[3] == "x03" and one.items[3] == "3"


def test_raw_scores_are_means_with_the_pooled_spread_within_items():
    found = annotator_model(["a", "a", "b"], ["x", "y", "x"], [0.2, 0.4, 0.9], level="raw")
    np.testing.assert_allclose(found.score, [0.3, 0.9])
    np.testing.assert_allclose(found.se, np.sqrt(0.02 / np.array([2, 1])))
    alone = annotator_model(["a", "b"], ["x", "x"], [0.2, 0.9], level="raw")
    assert np.isnan(alone.se).all()
