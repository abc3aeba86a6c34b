"""Abilities over the trials: the learning curve's own samples, means and sds by hand, bands, systems that a
sample lacks.
"""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.competitions.experiment.held_out import split_by_source
from pairproof.native.competitions.experiment.learning_curves import (
    Design,
    TrialAbilities,
    centred,
    run,
    training_sample,
    trial_abilities,
)
from pairproof.native.competitions.experiment.preference_models import PreferenceModel, PreferenceOptions
from tests.native.translation import random_table

QUICK = PreferenceOptions(chains=1, warmup=10, draws=40)
DESIGN = Design(sizes=(100,), trials=3, models=("irt-gaussian",), seed=5, options=QUICK)


@pytest.fixture(scope="module")
def split():
    return split_by_source(random_table(1, n=300), 100)


def made(trials, names="abcd"):
    p = np.full((len(names) + 1, len(names) + 1, 3), 1 / 3)
    better = np.full((len(names), len(names)), 0.5)
    return TrialAbilities(
        tuple(names),
        10,
        10,
        np.array(trials, float),
        better,
        PreferenceModel("irt-gaussian", tuple(names), p, 10.0),
    )


def test_the_mean_model_is_made_of_the_very_fits_of_the_learning_curve(split):
    found = trial_abilities(split, "x", 100, DESIGN)
    single = [trial_abilities(split, "x", 100, Design(**{**DESIGN.__dict__, "trials": 1}))]
    assert np.allclose(single[0].trials[0], found.trials[0], atol=1e-13)
    (first,) = [r for r in run({"x": split}, DESIGN) if r.trial == 1]
    assert single[0].model.perplexity(split.test).value == pytest.approx(first.perplexity, rel=1e-13)
    assert np.allclose(found.model.probabilities.sum(axis=2), 1, atol=1e-12) and found.n_train == 100
    assert np.allclose(found.trials.mean(axis=1), 0, atol=1e-12)
    assert np.allclose(found.p_better + found.p_better.T, 1, atol=1e-12)
    assert all(
        (found.p_better[a, b] > 0.5) == (found.mean[a] > found.mean[b])
        for a in range(5)
        for b in range(5)
        if abs(found.mean[a] - found.mean[b]) > 0.3
    )


def test_mean_and_sd_are_over_the_trials_that_have_the_system():
    found = made([[1, 0, -1, np.nan], [3, 0, -2, np.nan], [2, 0, np.nan, np.nan]])
    assert found.mean[:3].tolist() == [2, 0, -1.5] and np.isnan(found.mean[3])
    assert found.sd[:3] == pytest.approx([1, 0, np.sqrt(0.5)]) and np.isnan(found.sd[3])
    assert found.n_seen.tolist() == [3, 3, 2, 0] and found.ranking == ("a", "b", "c", "d")
    assert found.difference("a", "c") == pytest.approx((3.5, np.sqrt(4.5)))
    assert found.to_dict()["systems"][3] == {"item": "d", "mean": None, "sd": None, "trials": 0}


def test_a_strong_system_that_a_sample_lacks_does_not_move_the_others():
    whole = np.array([[2.0, 0.5, 0.0], [2.2, 0.3, 0.2], [1.8, 0.4, 0.1]])
    lacking = whole - whole.mean(axis=1, keepdims=True)
    lacking[1] = [np.nan, 0.05, -0.05]
    found = centred(lacking)
    # The two others are 0.5, 0.1 and 0.3 apart, and average the same in each trial.
    assert found[:, 1] - found[:, 2] == pytest.approx([0.5, 0.1, 0.3]) and np.ptp(
        found[:, 1] + found[:, 2]
    ) == pytest.approx(0, abs=1e-12)
    assert np.nanmean(found, axis=0).mean() == pytest.approx(0, abs=1e-12)


def test_bands_are_cut_where_neighbours_are_farthest_apart():
    found = made([[2.0, 0.3, 0.2, -0.9]])
    assert [found.bands(n) for n in (1, 2, 3)] == [
        (("a", "b", "c", "d"),),
        (("a",), ("b", "c", "d")),
        (("a",), ("b", "c"), ("d",)),
    ]
    for n in (0, 5):
        with pytest.raises(InputError, match=f"{n} bands of 4 systems; expected 1 to 4"):
            found.bands(n)


def test_a_system_that_a_small_sample_lacks_is_named_with_its_count(split):
    found = trial_abilities(split, "x", 2, DESIGN)
    lacking = np.isnan(found.trials).sum(axis=0)
    assert lacking.any() and all(
        f"{name} ({n} of 3)" in found.notes[0] for name, n in zip(found.items, lacking) if n
    )
    for trial in range(3):
        sample = training_sample(split, "x", trial + 1, 2, DESIGN.seed)
        met = {sample.items[k] for k in (*sample.first, *sample.second)}
        assert {name for name, value in zip(found.items, found.trials[trial]) if not np.isnan(value)} == met


def test_a_size_below_one_and_an_unknown_system_are_refused(split):
    with pytest.raises(InputError, match="abilities at 0 training comparisons"):
        trial_abilities(split, "x", 0, DESIGN)
    with pytest.raises(InputError, match="no system 'z'; there are a, b, c, d"):
        made([[1, 0, -1, 0]]).difference("a", "z")
