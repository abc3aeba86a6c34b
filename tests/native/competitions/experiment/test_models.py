"""One door for every preference model: distributions, unseen systems, maximum likelihood where it has no
estimate.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import DataWarning, InputError
from pairproof.native.competitions.experiment.preference_models import (
    MODELS,
    PreferenceOptions,
    fit_preference_model,
)
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel
from pairproof.numerics.markov_chains import MixingWarning
from tests.native.translation import SYSTEMS, random_table, table, table_2, two

QUICK = PreferenceOptions(chains=2, warmup=50, draws=150)


def fit(train, model, options=QUICK, seed=1):
    return fit_preference_model(train, model, options=options, seed=seed, warn=False)


def test_the_models_are_those_of_the_interface():
    assert MODELS == (
        "uniform",
        "adjusted-uniform",
        "pairs",
        "students-asymmetric",
        "students-arithmetic",
        "students-geometric",
        "irt-gaussian",
        "irt-categorical",
        "bradley-terry",
        "davidson",
        "rao-kupper",
        "llbt",
    )


@pytest.mark.parametrize("model", MODELS)
def test_every_model_fits_predicts_and_is_judged(model):
    data = random_table(2)
    fitted = fit(data, model)
    n = len(data.items) + 1
    assert fitted.probabilities.shape == (n, n, 3) and (fitted.probabilities >= 0).all()
    assert np.abs(fitted.probabilities.sum(axis=-1) - 1).max() < 1e-12
    p = fitted.predict("s0", "s1")
    assert p == tuple(fitted.probabilities[0, 1]) and p._fields == ("tie", "first", "second")
    if model != "students-asymmetric":
        assert fitted.predict("s1", "s0") == pytest.approx((p.tie, p.second, p.first), abs=1e-12)
    found = fitted.perplexity(data)
    assert 1 < found.value < 3.0000001 and found.n == 600 and found.unseen == ()
    assert np.abs(np.diag(fitted.advantage())).max() == 0
    document = json.loads(json.dumps(fitted.to_dict()))
    assert document["model"] == model and len(document["probabilities"]) == 20 and model in repr(fitted)


def test_perplexities_of_table_2_through_the_door():
    expected = {
        "adjusted-uniform": 2.582907,
        "pairs": 2.0,
        "students-asymmetric": 1.850474,
        "students-arithmetic": 1.937897,
        "students-geometric": 1.919986,
    }
    for model, value in expected.items():
        assert fit(table_2(), model).perplexity(table_2()).value == pytest.approx(value, abs=5e-7)
    raw = fit(table_2(), "students-geometric", PreferenceOptions(raw_geometric=True))
    assert raw.perplexity(table_2()).value == pytest.approx(2.016134, abs=5e-7) and raw.predict(
        "uedin", "cmu"
    ).first == pytest.approx(0.494872, abs=5e-7)


def test_davidson_and_llbt_are_one_likelihood_and_so_one_prediction():
    data = random_table(5)
    assert np.abs(fit(data, "davidson").probabilities - fit(data, "llbt").probabilities).max() < 1e-12


def test_bradley_terry_keeps_the_rate_of_ties_apart_from_the_abilities():
    data = random_table(5)
    fitted = fit(data, "bradley-terry")
    tie = (1 + data.ties.sum()) / (3 + 600)
    frame = fitted.fitted.probabilities()
    first = frame[(frame["first"] == "s0") & (frame["second"] == "s3")]["p_first"].iloc[0]
    assert fitted.predict("s0", "s3") == pytest.approx(
        (tie, (1 - tie) * first, (1 - tie) * (1 - first)), abs=1e-14
    )


# -- systems the training set does not have ------------------------------------------------------------------

UNSEEN = {
    "uniform": (1 / 3, 1 / 3, 1 / 3),
    "adjusted-uniform": (0.1, 0.45, 0.45),
    "pairs": (1 / 3, 1 / 3, 1 / 3),
    "students-asymmetric": (1 / 3, 1 / 3, 1 / 3),
    "students-arithmetic": (1 / 3, 1 / 3, 1 / 3),
    "students-geometric": (1 / 3, 1 / 3, 1 / 3),
    "irt-gaussian": (0.1495637317, 0.4252181342, 0.4252181342),
    "irt-categorical": (0.125605, 0.437198, 0.437198),
    "bradley-terry": (2 / 13, 5.5 / 13, 5.5 / 13),
    "davidson": (2 / 13, 5.5 / 13, 5.5 / 13),
    "rao-kupper": (2 / 13, 5.5 / 13, 5.5 / 13),
    "llbt": (2 / 13, 5.5 / 13, 5.5 / 13),
}


@pytest.mark.parametrize("model", MODELS)
def test_two_unseen_systems_have_the_prior_predictive_and_it_is_said(model):
    fitted = fit(table_2(), model)
    with pytest.warns(DataWarning, match="'new', 'newer' not in the training set"):
        assert fitted.predict("new", "newer") == pytest.approx(UNSEEN[model], abs=5e-7)
    data = table([("bbn", "new", 1), ("bbn", "cmu", 1)], ["bbn", "cmu", "new", "unused"])
    assert fitted.perplexity(data).unseen == ("new",)  # "unused" is in no comparison
    assert "not in the training set: new" in str(fitted.perplexity(data))


def test_an_unseen_system_is_as_good_as_the_prior_says_against_a_known_one():
    """The prior's variance widens the step: P = Phi((m - d) / sqrt(tau^2 + s0^2))."""
    fitted = fit(table_2(), "irt-gaussian")
    best = fitted.fitted.mean[SYSTEMS.index("bbn")]
    with pytest.warns(DataWarning):
        found = fitted.predict("bbn", "new")
    assert (
        found == pytest.approx(tuple(GaussianModel().preferences(np.array(best), 1.0)), rel=1e-12)
        and found.first > found.second
    )


def test_an_item_that_is_listed_but_never_compared_counts_as_unseen():
    data = table([("A", "B", 1), ("B", "A", 0)] * 5, "ABC")
    for model in ("irt-gaussian", "davidson", "students-geometric"):
        fitted = fit(data, model)
        assert fitted.items == ("A", "B") and fitted.perplexity(table([("A", "C", 1)], "ABC")).unseen == (
            "C",
        )


def test_a_system_against_itself_is_refused():
    with pytest.raises(InputError, match="against itself"):
        fit(table_2(), "pairs").predict("bbn", "bbn")


# -- maximum likelihood without an estimate ------------------------------------------------------------------


@pytest.mark.parametrize("model", ["bradley-terry", "davidson", "rao-kupper", "llbt"])
def test_where_one_always_wins_the_pooled_rates_predict_and_the_notes_count_the_pairs(model):
    data = table([("A", "B", 1)] * 3 + [("B", "C", 1), ("C", "B", 1)] + [("B", "C", 0)], "ABC")
    fitted = fit(data, model)
    assert [note.kind for note in fitted.notes] == ["no-finite-estimate"]
    assert "2 of 3 pairs have no finite estimate" in fitted.notes[0].text
    pooled = (2 / 9, 3.5 / 9, 3.5 / 9)
    assert fitted.predict("A", "B") == pytest.approx(pooled) and fitted.predict("A", "C") == pytest.approx(
        pooled
    )
    assert fitted.predict("B", "C").first == pytest.approx(fitted.predict("B", "C").second, abs=1e-9)


def test_all_ties_leave_bradley_terry_with_pooled_rates():
    fitted = fit(two([0, 0, 0]), "bradley-terry")
    assert (
        fitted.predict("A", "B") == pytest.approx((4 / 6, 1 / 6, 1 / 6))
        and fitted.notes[0].kind == "all-ties"
    )


@pytest.mark.parametrize("model", ["adjusted-uniform", "davidson", "rao-kupper", "llbt"])
def test_no_tie_in_a_small_sample_makes_tied_test_items_impossible_for_unsmoothed_models(model):
    train = table([("A", "B", 1), ("A", "B", 1), ("A", "B", 2)], "AB")
    found = fit(train, model).perplexity(two([0, 1]))
    assert found.value == float("inf") and found.impossible == 1 and found.finite < 3


@pytest.mark.parametrize(
    "model", ["pairs", "students-geometric", "irt-gaussian", "irt-categorical", "bradley-terry"]
)
def test_no_tie_in_a_small_sample_leaves_smoothed_models_finite(model):
    train = table([("A", "B", 1), ("A", "B", 1), ("A", "B", 2)], "AB")
    assert fit(train, model).perplexity(two([0, 1])).value < 5


# -- instruments without a tie category ----------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_where_no_tie_could_be_answered_none_is_predicted(model):
    data = random_table(3, ties=False)
    fitted = fit(data, model)
    assert (fitted.probabilities[..., 0] == 0).all() and np.abs(
        fitted.probabilities.sum(axis=-1) - 1
    ).max() < 1e-12
    assert fitted.perplexity(data).value <= 2.0000001
    if model == "uniform":
        assert fitted.predict("s0", "s1") == (0, 0.5, 0.5)


# -- options and bad input -----------------------------------------------------------------------------------


def test_averaging_and_plugging_in_differ_little_with_much_data_and_more_with_little():
    for data, least, most in ((random_table(2, n=2000), 0, 0.004), (table_2(), 0.004, 0.1)):
        p, q = (
            fit(data, "irt-gaussian", PreferenceOptions(average=a, items="fresh", draws=1000)).probabilities[
                0, 1
            ]
            for a in (False, True)
        )
        assert least <= np.abs(p - q).max() <= most


def test_the_same_seed_gives_the_same_bits():
    data = random_table(1, n=150)
    for model in ("irt-gaussian", "irt-categorical"):
        runs = [fit(data, model, seed=s).probabilities for s in (1, 1, 2)]
        assert (runs[0] == runs[1]).all() and (runs[0] != runs[2]).any()


def test_chains_that_have_not_mixed_warn_or_stand_in_the_notes():
    data = random_table(1, n=150)
    short = PreferenceOptions(chains=2, warmup=0, draws=20)
    assert any(note.kind == "not-mixed" for note in fit(data, "irt-gaussian", short).notes)
    with pytest.warns(MixingWarning):
        fit_preference_model(data, "irt-gaussian", options=short)


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("elo", QUICK, "model='elo'"),
        ("pairs", PreferenceOptions(alpha=0), "alpha=0"),
        ("bradley-terry", PreferenceOptions(alpha=-1), "alpha=-1"),
        ("irt-gaussian", PreferenceOptions(items="shared"), "no column 'source'"),
    ],
)
def test_what_cannot_be_fitted_is_refused(model, options, said):
    with pytest.raises(InputError, match=said):
        fit(table_2(), model, options)


def test_duplicated_comparisons_are_two_comparisons_and_a_judge_with_one_row_is_no_trouble():
    twice = table([("A", "B", 1), ("A", "B", 1), ("A", "B", 0)], "AB", [1, 1, 2])
    assert fit(twice, "pairs").predict("A", "B").first == pytest.approx(3 / 6)
    judged = Comparisons.build(
        twice.items,
        twice.first,
        twice.second,
        twice.wins,
        twice.ties,
        twice.losses,
        columns={**twice.columns, "judge": Factor(np.array([0, 1, 1]), ("once", "twice"))},
    )
    for model in MODELS:
        assert fit(judged, model).predict("A", "B") == fit(twice, model).predict("A", "B")


def test_ranks_that_are_text_are_refused_when_the_table_is_read():
    from pairproof import read

    with pytest.raises(InputError, match="rank is 'best'"):
        read(
            {
                "source": [1],
                "judge": ["j"],
                "system1": ["A"],
                "rank1": ["best"],
                "system2": ["B"],
                "rank2": [2],
            }
        )
