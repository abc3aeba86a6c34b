"""The bootstrap test of the number of classes: it finds two, and does not find what is not there."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pairproof.data.respondents.respondents import Respondents
from pairproof.fit.estimates.parts import ClassTest
from pairproof.native.answers.drawn_answers import draw_independent
from pairproof.native.answers.latent_classes import fit_latent_classes
from pairproof.native.answers.patterns.natural_parameters import incidence


def bootstrap(answers: NDArray[np.int64], starts: int) -> ClassTest:
    table = Respondents.build("ABC", "comparisons", answers, tie_category=False)
    return fit_latent_classes(table, 1).test_classes(19, starts=starts)


def draw(phi: NDArray[np.float64], draws: np.random.Generator) -> NDArray[np.int64]:
    return draw_independent(np.column_stack([phi, np.zeros(len(phi))]) @ incidence(3).T, None, draws)


@pytest.mark.nightly
def test_two_opposed_classes_are_found_and_one_class_is_enough_for_one() -> None:
    draws = np.random.default_rng(1)
    sides = np.where(np.arange(100) < 50, 1.0, -1.0)[:, None] * np.array([1.0, 0.5])
    test = bootstrap(draw(sides, draws), starts=3)
    assert test.p == 0.05 and test.ratio > 10 and len(test.ratios) + test.failed == 19
    panels = [draw(np.tile([0.5, 0.2], (100, 1)), draws) for _ in range(5)]
    same = [bootstrap(panel, starts=2) for panel in panels]
    # The mean of five uniform p-values is below .2 in 0.8 % of cases. Of 40 such panels 2.5 % had p <= .05,
    # 12.5 % p <= .1 and 25 % p <= .25.
    assert np.mean([test.p for test in same]) > 0.2
    assert all(test.ratio > -1e-8 and (test.ratios > -1e-8).all() for test in same)
