"""A simulated panel: each option does what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError
from pairproof.native.annotation.simulated.simulated_panel import Context, Panel, PanelAtWork

TRUTH = np.linspace(0.3, 0.7, 41)
#: Annotators who are all alike.
ALIKE = {"shift": 0.0, "scale": 0.0, "noise_spread": 0.0, "careless": 0.0}


def work(seed=1, truth=TRUTH, **options):
    return PanelAtWork(Panel(**{"sd": 0.0, **ALIKE, **options}), truth, np.random.default_rng(seed))


def hits(k, size, seed=2):
    return np.random.default_rng(seed).integers(0, len(TRUTH), (k, size))


def test_without_any_option_everybody_says_the_truth():
    shown = hits(50, 5)
    np.testing.assert_allclose(work().judge(shown).score, np.round(TRUTH[shown], 2).ravel())


def test_the_shift_is_half_the_annotators_and_half_the_sessions():
    at = work(shift=0.1, people=400, truth=np.full(41, 0.5) + 1e-6 * np.arange(41))
    judged = at.judge(hits(8000, 5))
    # Scores are rounded to .01, whose variance is 8e-6.
    by_person = np.array([judged.score[judged.annotator == a].mean() for a in range(400)])
    # Standard error of a variance from 400 people: 7 %; sessions add 1 / 20 of theirs to a person's mean.
    assert by_person.var() == pytest.approx(0.005 * 1.05, rel=0.25)
    within = judged.score - by_person[judged.annotator]
    assert within.var() == pytest.approx(0.005 * 0.95, rel=0.1)
    assert np.ptp(judged.score[judged.session == 7]) <= 0.01


def test_single_items_are_judged_five_to_a_session():
    at = work()
    judged = at.judge(hits(12, 1))
    assert judged.session.tolist() == [0] * 5 + [1] * 5 + [2] * 2
    assert [len(np.unique(judged.annotator[judged.session == s])) for s in range(3)] == [1, 1, 1]
    assert at.judge(hits(3, 5)).session.tolist() == [3] * 5 + [4] * 5 + [5] * 5


def test_slopes_stretch_about_the_middle():
    at = work(scale=0.3)
    judged = at.judge(hits(200, 5))
    shown = TRUTH[judged.item]
    expected = np.clip(0.5 + at.slope[judged.annotator] * (shown - 0.5), 0, 1)
    np.testing.assert_allclose(judged.score, expected, atol=0.00501)
    assert np.log(at.slope).std() == pytest.approx(0.3, rel=0.5)


def test_drift_counts_on_through_an_annotators_own_sequence():
    at = work(drift=-0.002, people=2, truth=np.full(41, 0.9) + 1e-6 * np.arange(41))
    one, two = at.judge(hits(10, 5)), at.judge(hits(10, 5))
    for a in range(2):
        own = np.r_[one.score[one.annotator == a], two.score[two.annotator == a]]
        np.testing.assert_allclose(own, 0.9 - 0.002 * np.arange(len(own)), atol=0.00502)


def test_contrast_pushes_away_from_the_mean_of_the_hit_and_not_alone():
    shown = hits(20, 5)
    judged = work(contrast=0.2).judge(shown)
    theta = TRUTH[shown]
    expected = theta + 0.2 * (theta - theta.mean(axis=1, keepdims=True))
    np.testing.assert_allclose(judged.score, expected.ravel(), atol=0.00501)
    alone = hits(20, 1)
    np.testing.assert_allclose(work(contrast=0.2).judge(alone).score, np.round(TRUTH[alone], 2).ravel())


def test_context_lowers_the_noise_inside_a_hit_only():
    spread = TRUTH.std(ddof=1)
    equal, wide = np.full((1, 5), 0.5), np.array([[0.0, 0.25, 0.5, 0.75, 1.0]])
    assert Context.read("uniform:.7").on(wide, spread) == 0.7
    assert Context.read("similar:.5").on(equal, spread) == 0.5
    assert Context.read("similar:.5").on(wide, spread) == 1.0
    assert Context.read("uniform:.7").on(np.array([[0.5]]), spread) == 1.0
    noise = [work(sd=0.1, context=Context.read(c)).judge(hits(2000, 5)) for c in ("none", "uniform:.7")]
    sds = [(j.score - TRUTH[j.item]).std() for j in noise]
    assert sds[1] / sds[0] == pytest.approx(0.7, rel=0.05)


def test_careless_answers_are_uniform():
    judged = work(careless=1.0).judge(hits(2000, 5))
    assert judged.score.mean() == pytest.approx(0.5, abs=0.01)
    assert judged.score.std() == pytest.approx(np.sqrt(1 / 12), abs=0.01)
    some = work(careless=0.05).judge(hits(2000, 5))
    other = ~np.isclose(some.score, np.round(TRUTH[some.item], 2))
    assert other.mean() == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize(
    "text", ["", "uniform", "none:.5", "similar:x", "uniform:-1", "other:.5", "uniform:nan"]
)
def test_a_context_that_is_no_context_is_refused(text):
    with pytest.raises(InputError, match="expected none, uniform:FACTOR or similar:FACTOR"):
        Context.read(text)


@pytest.mark.parametrize("options", [{"shift": -0.1}, {"careless": 1.5}, {"people": 0}, {"drift": np.inf}])
def test_options_of_a_panel_are_checked(options):
    with pytest.raises(InputError, match="expected"):
        Panel(**{"sd": 0.1, **options})


def test_each_annotator_scores_every_item_once_in_an_order_of_their_own():
    at = work(drift=-0.002, people=6, truth=np.full(41, 0.9) + 1e-6 * np.arange(41))
    scores = at.all_alone()
    assert scores.shape == (6, 41)
    for row in scores:
        # Drift by the place in the sequence: every place is taken once.
        np.testing.assert_allclose(np.sort(row), np.sort(0.9 - 0.002 * np.arange(41)), atol=0.00502)
    assert not np.array_equal(scores[0], scores[1])


def test_scores_are_multiples_of_the_step_and_without_one_they_are_not():
    score = work(sd=0.1).judge(hits(50, 5)).score
    np.testing.assert_allclose(score * 100, np.round(score * 100), atol=1e-9)
    free = PanelAtWork(Panel.alike(0.1), TRUTH, np.random.default_rng(1)).judge(hits(50, 5)).score
    assert np.abs(free * 100 - np.round(free * 100)).max() > 0.1


def test_the_people_do_not_depend_on_what_they_are_shown():
    """Every method gets the same people in the same sessions."""
    alone, together = (
        PanelAtWork(Panel(0.1), TRUTH, np.random.default_rng(1), np.random.default_rng(k)).judge(
            hits(k, size)
        )
        for k, size in ((50, 1), (10, 5))
    )
    np.testing.assert_array_equal(alone.annotator, together.annotator)


@given(st.floats(0.0, 0.4), st.sampled_from(["none", "uniform:.7", "similar:.5"]), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_scores_lie_between_0_and_1_whatever_the_panel(shift, context, seed):
    panel = Panel(0.3, shift, drift=-0.01, contrast=0.5, context=Context.read(context), careless=0.2)
    score = PanelAtWork(panel, TRUTH, np.random.default_rng(seed)).judge(hits(40, 5, seed)).score
    assert score.min() >= 0.0 and score.max() <= 1.0


@given(st.permutations(range(5)), st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_the_order_inside_a_hit_does_not_change_what_context_does(order, seed):
    shown = np.random.default_rng(seed).random((4, 5))
    for context in ("uniform:.7", "similar:.5"):
        of = Context.read(context)
        np.testing.assert_allclose(of.on(shown, 0.2), of.on(shown[:, order], 0.2))
