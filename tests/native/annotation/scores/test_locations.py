"""Locations of annotators from a crowd: predicted, not fitted to noise."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.campaign.watch.stop import look_at, stop_rule
from pairproof.errors import InputError
from pairproof.native.annotation.scores.annotator_agreement import least_squares_locations, shrunken_locations
from pairproof.native.annotation.scores.mixed_model import mixed_model
from pairproof.native.annotation.scores.stopping_rules import items_short
from tests.campaign.watch.arrays import answers, items


def test_they_are_the_predictions_of_the_mixed_equations_with_their_own_variances():
    rng = np.random.default_rng(8)
    what, who = rng.integers(0, 40, 400), rng.integers(0, 12, 400)
    y = rng.normal(0.5, 0.2, 40)[what] + rng.normal(0, 0.15, 12)[who] + rng.normal(0, 0.1, 400)
    found = shrunken_locations(y, what, who).value
    # Dense: items swept out by their means, then a ridge; its size found from the answer itself.
    z = np.eye(12)[who]
    q = np.eye(40)[what]
    m = np.eye(400) - q @ np.diag(1 / q.sum(axis=0)) @ q.T
    c, right = z.T @ m @ z, z.T @ m @ y
    plain = np.linalg.pinv(c) @ right
    noise = (y @ m @ y - plain @ right) / (400 - 40 - 11)
    between = (plain @ right - noise * 11) / np.trace(c)
    dense = np.linalg.solve(c + noise / between * np.eye(12), right)
    # Conjugate gradients to 1e-13 of the right side; observed 2e-16.
    assert np.abs(found - (dense - dense.mean())).max() < 1e-12
    # Restricted likelihood has other variances, and nearly the same predictions; observed .002.
    likely = mixed_model(y, [what, who]).predictions[1]
    assert np.abs(found - (likely - likely.mean())).max() < 0.01


def test_with_many_scores_each_they_are_nearly_those_of_least_squares():
    rng = np.random.default_rng(2)
    what, who = (a.ravel() for a in np.indices((300, 4)))
    y = rng.normal(0, 0.2, 4)[who] + rng.normal(0, 0.1, 1200)
    found = shrunken_locations(y, what, who)
    # Drawn towards 0 by s^2 / (300 t^2), a tenth of a percent; observed 1.3e-4 and 1.003.
    assert np.abs(found.value - least_squares_locations(y, what, who)).max() < 1e-3
    assert 1.0 < found.widen < 1.01


def test_sets_of_annotators_without_common_items_are_not_compared():
    rng = np.random.default_rng(3)
    what, who = (a.ravel() for a in np.indices((40, 2)))
    what, who = np.r_[what, what + 40], np.r_[who, who + 2]
    y = rng.normal(0, 0.05, 160) + np.array([0.0, 0.3, 0.5, 0.9])[who]
    found = shrunken_locations(y, what, who).value
    assert found[:2].sum() == pytest.approx(0.0, abs=1e-12) and found[2:].sum() == pytest.approx(
        0.0, abs=1e-12
    )


def test_a_spread_is_not_made_smaller():
    with pytest.raises(InputError, match="widen=0.5; expected a number >= 1"):
        items_short(["a", "a", "b"], [0.1, 0.2, 0.3], 0.1, 3, widen=0.5)


@pytest.mark.parametrize("shift", [0.0, 0.14])
def test_a_crowd_of_many_annotators_does_not_make_a_stopping_rule_err(shift):
    """60 annotators of 12 scores each, looks from the third batch on: a 95 % sequence may miss one item in twenty."""
    rng, missed, runs = np.random.default_rng(3), 0.0, 8
    for _ in range(runs):
        truth, location = rng.uniform(0.2, 0.8, 30), rng.normal(0, shift, 60)
        what = np.concatenate([rng.permutation(30) for _ in range(25)])
        who = rng.integers(0, 60, len(what))
        score = truth[what] + location[who] + rng.normal(0, 0.2, len(what))
        ever = np.zeros(30, bool)
        for batch in (3, 4, 5, 7, 10, 15, 20, 25):
            n = 30 * batch
            given = answers(what[:n], who[:n], score[:n], batch=np.arange(n) // 30)
            look = look_at(stop_rule("items<=.12"), given, items(30), 5).look
            ever |= np.abs(look.estimate - truth - location.mean()) > look.half
        missed += ever.mean() / runs
    # In 40 runs with a look after every batch .027 and .020 (SE .005); by least squares .51.
    assert missed < 0.08
