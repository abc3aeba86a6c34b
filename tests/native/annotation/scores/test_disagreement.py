"""Items on which annotators disagree: locations and noises by least squares, chi-square against the noise."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import NotEstimableError
from pairproof.native.annotation.scores.annotator_agreement import annotator_effects, disagreement


def panel(seed: int, items: int, noise, chosen: float = 1.0):
    rng = np.random.default_rng(seed)
    what, who = (a.ravel() for a in np.indices((items, len(noise))))
    kept = rng.random(len(what)) < chosen
    shift = rng.normal(0, 0.1, len(noise))
    y = rng.normal(0.5, 0.1, items)[what] + shift[who] + rng.normal(0, 1, len(what)) * np.array(noise)[who]
    return what[kept], who[kept], y[kept], shift


def test_locations_are_the_least_squares_ones_of_dummies_for_items_and_annotators():
    what, who, y, _ = panel(1, 30, [0.05, 0.1, 0.2, 0.05], 0.6)
    items, people = np.unique(what, return_inverse=True)[1], np.unique(who, return_inverse=True)[1]
    design = np.column_stack([np.eye(items.max() + 1)[items], np.eye(people.max() + 1)[people]])
    solved = np.linalg.lstsq(design, y, rcond=None)[0][items.max() + 1 :]
    found = annotator_effects(what, who, y)
    # 11 digits: conjugate gradients against a singular value decomposition; observed 15.
    assert np.allclose(found.location, solved - solved.mean(), rtol=0, atol=1e-11)


def test_noises_are_found_from_complete_and_from_missing_scores():
    noise = [0.06, 0.08, 0.12, 0.2]
    for chosen in (1.0, 0.6):
        what, who, y, _ = panel(2, 4000, noise, chosen)
        # The quietest is found from residuals that hold the others' noise: observed .068 off, others .026.
        assert np.allclose(annotator_effects(what, who, y).noise, noise, rtol=0.12)


def test_annotators_whom_items_do_not_connect_keep_their_own_level():
    y = [0.2, 0.4, 0.3, 0.5, 0.8, 0.6, 0.9, 0.7]
    found = annotator_effects(
        ["a", "a", "b", "b", "c", "c", "d", "d"], ["v", "w", "v", "w", "x", "y", "x", "y"], y
    )
    assert found.location.round(12).tolist() == [-0.1, 0.1, 0.1, -0.1]


def test_without_disagreement_p_values_are_uniform():
    what, who, y, _ = panel(3, 2000, [0.05, 0.1, 0.15, 0.1])
    p = disagreement(what, who, y).p
    # Kolmogorov's distance of 2,000 p-values is below 1.63 / sqrt(2000) = .036 in .99; observed .020.
    assert np.max(np.abs(np.sort(p) - np.arange(1, 2001) / 2000)) < 0.036


def test_a_generous_or_a_noisy_annotator_is_no_disagreement_and_a_split_one_is():
    what, who, y, _ = panel(4, 200, [0.05, 0.05, 0.05, 0.25])
    y = y + 0.3 * (who == 1)
    y[(what == 17) & (who < 2)] += 0.35
    found = disagreement(what, who, y)
    assert found.items[int(found.p.argmin())] == "17" and found.p_holm.min() < 0.01
    assert (found.p_holm < 0.05).sum() <= 2
    assert found.expected.round(2).tolist() == [0.13] * 200  # root of the mean of .05^2 (3 times) and .25^2


def test_the_order_of_rows_and_the_unit_of_scores_make_no_difference():
    what, who, y, _ = panel(5, 40, [0.05, 0.1, 0.2], 0.8)
    order = np.random.default_rng(1).permutation(len(y))
    one, other = disagreement(what, who, y), disagreement(what[order], who[order], 100 * y[order])
    # 9 digits: the equations of the noises are solved from sums in another order; observed 15.
    assert np.allclose(one.p, other.p, rtol=1e-9, equal_nan=True)
    assert np.allclose(100 * one.spread, other.spread, rtol=1e-9, equal_nan=True)
    labels = disagreement([f"item {k:03d}" for k in what], [f"w{k}" for k in who], y)
    assert np.array_equal(labels.p, one.p, equal_nan=True)


def test_what_cannot_be_compared_is_said():
    with pytest.raises(NotEstimableError, match="no item was scored by two annotators"):
        disagreement(["a", "a", "b"], ["x", "x", "y"], [0.1, 0.2, 0.3])
    with pytest.raises(NotEstimableError, match="agree exactly"):
        disagreement(["a", "a", "b", "b"], ["x", "y"] * 2, [0.5, 0.5, 0.75, 0.75])
