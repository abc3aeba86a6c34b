"""The bootstrap test of the number of classes: it finds two, and does not find what is not there."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pairproof.native.answers.drawn_answers import draw_comparisons
from pairproof.native.answers.latent_classes import Built, class_test
from pairproof.native.answers.patterns.comparison_patterns import comparison_likelihood
from pairproof.native.answers.patterns.natural_parameters import main_effects

TERMS = [main_effects("ABC")]


def build(answers: NDArray[np.int64]) -> Built:
    likelihood, pooled, names = comparison_likelihood(answers, TERMS)
    return Built(likelihood, pooled.weights, names)


def draw(phi: NDArray[np.float64], draws: np.random.Generator) -> NDArray[np.int64]:
    return draw_comparisons(phi, TERMS, np.zeros(len(phi), dtype=np.int64), draws)


@pytest.mark.nightly
def test_two_opposed_classes_are_found_and_one_class_is_enough_for_one() -> None:
    draws = np.random.default_rng(1)
    sides = np.where(np.arange(100) < 50, 1.0, -1.0)[:, None] * np.array([1.0, 0.5])
    test = class_test(draw(sides, draws), build, draw, 1, samples=19, starts=3)
    assert test.p == 0.05 and test.ratio > 10 and len(test.ratios) + test.failed == 19
    panels = [draw(np.tile([0.5, 0.2], (100, 1)), draws) for _ in range(5)]
    same = [class_test(panel, build, draw, 1, samples=19, starts=2) for panel in panels]
    # The mean of five uniform p-values is below .2 in 0.8 % of cases. Of 40 such panels 2.5 % had p <= .05,
    # 12.5 % p <= .1 and 25 % p <= .25.
    assert np.mean([test.p for test in same]) > 0.2
    assert all(test.ratio > -1e-8 and (test.ratios > -1e-8).all() for test in same)
