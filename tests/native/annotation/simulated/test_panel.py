"""A simulated panel: each option does what it says, and methods stand as in the specification's table."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.annotation.simulated.panel_simulation import PanelRun, run_panel, turning
from pairproof.native.annotation.simulated.simulated_annotators import truth_of
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
    assert np.mean(some.score != np.round(TRUTH[some.item], 2)) == pytest.approx(0.05, abs=0.01)


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


@pytest.fixture(scope="module")
def cells():
    """Lexical truth, shifts 0 and .3, annotators alike otherwise; as the table of the specification."""
    truth = truth_of("lexical", 150, np.random.default_rng(5))
    return {
        shift: run_panel(truth, Panel(sd=0.215, **{**ALIKE, "shift": shift}), replicates=4, seed=3)
        for shift in (0.0, 0.3)
    }


def test_corrected_scores_win_with_shifts_and_lose_nothing_without(cells):
    gain = [cells[s].mean("da+")[0] - cells[s].mean("da")[0] for s in (0.0, 0.3)]
    # Specification: 0 and +.16; standard error .015.  Observed .000 and .14.
    assert abs(gain[0]) < 0.02 and gain[1] > 0.08


def test_ra_beats_raw_direct_assessment_with_shifts_only_and_corrected_hits_never(cells):
    still, shifted = cells[0.0], cells[0.3]
    assert still.mean("ra")[0] < still.mean("da")[0] - 0.05
    assert shifted.mean("ra")[0] > shifted.mean("da")[0]
    for cell in cells.values():
        assert (cell.mean("ra") < cell.mean("random+")).all() and (cell.mean("ra") < cell.mean("easl+")).all()


def test_the_table_of_the_specification_within_its_tolerance_and_ours(cells):
    # Two standard errors of four replicates with one truth; observed .009.
    table = {
        0.0: {"da": (0.812, 0.914), "random": (0.810, 0.907)},
        0.3: {"da": (0.606, 0.785), "da+": (0.764, 0.889)},
    }
    for shift, rows in table.items():
        for method, wanted in rows.items():
            np.testing.assert_allclose(cells[shift].mean(method), wanted, atol=0.03)


def test_the_same_seed_gives_the_same_numbers():
    runs = [run_panel(TRUTH, Panel(0.1), ("easl",), (2,), replicates=2, seed=4).rho for _ in range(2)]
    np.testing.assert_array_equal(*runs)


def test_turning_points():
    assert turning([0, 0.1, 0.2], [0.5, 0.7, 0.9], [0.8, 0.8, 0.8]) == (0.1, 0.2)
    assert turning([0, 0.1], [0.9, 0.9], [0.8, 0.8]) == (0.0, 0.0)
    assert turning([0, 0.1], [0.5, 0.5], [0.8, 0.8]) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"after": (4, 2)}, "rising"),
        ({"replicates": 0}, "replicates=0"),
        ({"per_hit": 30}, "per_hit=30 with 41 items"),
        ({"methods": ("best",)}, "method='best'"),
        ({"truth": np.full(41, 0.5)}, "all items are the same"),
    ],
)
def test_a_simulation_that_cannot_be_run_is_refused(options, said):
    with pytest.raises(InputError, match=said):
        run_panel(**{"truth": TRUTH, "panel": Panel(0.1), **options})


def test_a_mean_of_one_replicate_has_no_standard_error():
    run = PanelRun(("da",), (4,), np.full((1, 1, 1), 0.8))
    assert np.isnan(run.standard_error("da")).all()
    with pytest.raises(InputError, match="method='ra'"):
        run.mean("ra")
