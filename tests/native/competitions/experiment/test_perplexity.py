"""Perplexity: what is impossible is infinite and counted."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.competitions.experiment.preference_models import perplexity


def test_perplexity_is_the_inverse_geometric_mean_of_what_happened():
    found = perplexity(np.array([0.5, 0.25, 0.125]))
    assert found.value == pytest.approx(4.0, rel=1e-15) and found.n == 3 and float(found) == found.value


def test_a_weight_counts_as_so_many_comparisons():
    assert perplexity(np.array([0.5, 0.2]), np.array([3.0, 1.0])).value == pytest.approx(
        perplexity(np.array([0.5, 0.5, 0.5, 0.2])).value, rel=1e-15
    )


def test_an_impossible_outcome_makes_it_infinite_and_is_counted():
    found = perplexity(np.array([0.5, 0.5, 0.0]), np.array([1.0, 1.0, 2.0]))
    assert found.value == float("inf") and found.impossible == 2 and found.finite == 2.0
    assert "2 of them were given probability 0" in str(found)


def test_nothing_possible_at_all_is_infinite_too():
    found = perplexity(np.zeros(3))
    assert found.value == float("inf") and np.isnan(found.finite)


def test_an_outcome_of_weight_zero_did_not_happen():
    assert perplexity(np.array([0.5, 0.0]), np.array([1.0, 0.0])).value == 2.0


@pytest.mark.parametrize("q", [[], [1.2], [-0.1], [float("nan")]])
def test_what_is_no_probability_is_refused(q):
    with pytest.raises(InputError, match="perplexity"):
        perplexity(np.array(q))
