"""Baselines on Table 2 of Hopkins & May (2013), to six decimals of the specification's vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.data.judgments import HAT, preference_counts
from pairproof.errors import InputError
from pairproof.native.competitions.experiment import preference_models as baselines
from pairproof.native.competitions.experiment.preference_models import perplexity
from tests.native.translation import SYSTEMS, TABLE_2, random_table, table_2

ROWS = [("jhu", "uedin"), ("bbn", "kit"), ("uedin", "cmu")]
VECTORS = {
    "pairs": [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25]],
    "asymmetric": [
        [0.285714, 0.428571, 0.285714],
        [0.142857, 0.714286, 0.142857],
        [0.285714, 0.428571, 0.285714],
    ],
    "arithmetic": [[0.285714, 0.357143, 0.357143], [0.142857, 0.714286, 0.142857], [0.214286, 0.5, 0.285714]],
    "geometric": [
        [0.289898, 0.355051, 0.355051],
        [0.142857, 0.714286, 0.142857],
        [0.205605, 0.503626, 0.290769],
    ],
}
TRAINING = {
    "adjusted": 2.582907,
    "pairs": 2.0,
    "asymmetric": 1.850474,
    "arithmetic": 1.937897,
    "geometric": 1.919986,
    "raw": 2.016134,
}


def model(name, counts):
    if name == "adjusted":
        return baselines.adjusted_uniform(counts)
    if name == "pairs":
        return baselines.independent_pairs(counts)
    return (
        baselines.independent_students(counts, "geometric", raw=True)
        if name == "raw"
        else baselines.independent_students(counts, name)
    )


@pytest.mark.parametrize("name", VECTORS)
def test_the_models_give_the_vectors_of_table_2(name):
    q = model(name, preference_counts(table_2()))
    found = [q[SYSTEMS.index(a), SYSTEMS.index(b)] for a, b in ROWS]
    assert np.abs(np.array(found) - VECTORS[name]).max() < 5e-7  # the vectors have six decimals


def test_the_raw_geometric_reconstruction_sums_to_less_than_one():
    q = model("raw", preference_counts(table_2()))[SYSTEMS.index("uedin"), SYSTEMS.index("cmu")]
    assert np.abs(q - [0.202031, 0.494872, 0.285714]).max() < 5e-7 and q.sum() < 1


def test_adjusted_uniform_is_the_unsmoothed_rate_of_ties():
    assert model("adjusted", preference_counts(table_2()))[0, 1].tolist() == [0.1, 0.45, 0.45]


@pytest.mark.parametrize("name", TRAINING)
def test_training_perplexities_of_table_2(name):
    q = model(name, preference_counts(table_2()))
    given_to = [q[SYSTEMS.index(a), SYSTEMS.index(b), p] for a, b, p in TABLE_2]
    assert perplexity(np.array(given_to)).value == pytest.approx(TRAINING[name], abs=5e-7)


def test_uniform_has_perplexity_three():
    assert perplexity(baselines.uniform(5).reshape(-1, 3)[:, 0]).value == pytest.approx(3.0, rel=1e-15)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 10))
def test_all_but_the_raw_form_are_distributions_and_all_but_the_asymmetric_form_respect_the_order_of_the_pair(
    seed, alpha
):
    counts = preference_counts(random_table(seed, n=40))
    for name in ("asymmetric", "arithmetic", "geometric"):
        q = baselines.independent_students(counts, name, alpha)
        assert np.abs(q.sum(axis=-1) - 1).max() < 1e-12  # three roundings; observed 2e-16
        turned = np.abs(q.transpose(1, 0, 2)[:, :, HAT] - q).max()
        assert turned > 1e-6 if name == "asymmetric" else turned < 1e-12
    raw = baselines.independent_students(counts, "geometric", alpha, raw=True).sum(axis=-1)
    assert raw.max() <= 1 + 1e-12 and raw.min() < 1  # Cauchy-Schwarz


def test_a_system_never_compared_has_the_prior_in_pairs_and_students():
    counts = np.pad(preference_counts(table_2()), ((0, 1), (0, 1), (0, 0)))
    assert baselines.independent_pairs(counts)[5, 0] == pytest.approx([1 / 3] * 3)
    assert baselines.universal_ability(counts)[5] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("alpha", [0, -1, float("nan"), float("inf")])
def test_a_prior_strength_that_is_none_is_refused(alpha):
    with pytest.raises(InputError, match="alpha"):
        baselines.independent_pairs(preference_counts(table_2()), alpha)


def test_raw_is_refused_where_it_would_mean_nothing():
    with pytest.raises(InputError, match="raw"):
        baselines.independent_students(preference_counts(table_2()), "arithmetic", raw=True)
    with pytest.raises(InputError, match="reconstruction"):
        baselines.independent_students(preference_counts(table_2()), "harmonic")


def test_adjusted_uniform_of_nothing_is_refused():
    with pytest.raises(InputError, match="no training comparison"):
        baselines.adjusted_uniform(np.zeros((2, 2, 3)))
