"""prefmod's mixture over cells: its own numbers on dat4, and the members of a class."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.answers.patterns.class_mixture import fit_classes
from pairproof.native.answers.patterns.comparison_patterns import all_patterns
from pairproof.native.answers.patterns.natural_parameters import incidence
from pairproof.native.prefmod_defects.defects_of_models import PoissonCells
from tests.native.answers.r import table


@pytest.mark.r("prefmod")
@pytest.mark.parametrize(("k", "disparity", "cells", "persons"), [
    (2, 170.2550684, [0.745738888709, 0.254261111291], [0.81820192, 0.18179808]),
    (3, 169.833977703, [0.444555317, 0.339779766, 0.215664917], [0.417476314, 0.423277916, 0.159245770]),
])  # fmt: skip
def test_classes_of_dat4_s_cells_are_prefmods(
    k: int, disparity: float, cells: list[float], persons: list[float]
) -> None:
    # pattnpml.fit(y ~ 1, random = ~ o1 + o2 + o3, k = k, design = patt.design(dat4, nitems = 4),
    # EMdev.change = 1e-10) from 30 and 50 seeds: EM stops within 1e-8 of the maximum and 2e-6 of its shares.
    answers = table("dat4").astype(np.int64)
    patterns = all_patterns(((1, -1),) * 6)
    counts = (answers[:, None, :] == patterns).all(axis=2).sum(axis=0).astype(float)
    model = PoissonCells(np.column_stack([np.ones(64), patterns @ incidence(4)[:, :3]]), counts)
    names, random = ["(Intercept)", "o1", "o2", "o3"], np.array([False, True, True, True])
    found = fit_classes(model, np.ones(64), names, k, random, 5, 0, model.maximum())
    assert -1e-9 < disparity + 2 * found.llf < 1e-7
    assert np.abs(found.shares - cells).max() < 1e-5
    assert np.abs(counts @ found.posterior / counts.sum() - persons).max() < 1e-5
    assert np.isfinite(found.standard_errors).all()


def test_scores_and_information_of_cells_are_differences() -> None:
    rng = np.random.default_rng(1)
    cells = PoissonCells(rng.normal(size=(6, 3)), rng.integers(0, 9, size=6).astype(float))
    phi, w, h = rng.normal(size=3), rng.random(6), 1e-5
    here = cells.at(phi)
    for k in range(3):
        up, down = (cells.at(phi + sign * h * np.eye(3)[k]) for sign in (1, -1))
        assert (
            np.abs((up.log_probabilities - down.log_probabilities) / (2 * h) - here.scores[:, k]).max() < 1e-6
        )
        assert np.abs(w @ (up.scores - down.scores) / (2 * h) + here.information(w)[k]).max() < 1e-6


def test_a_design_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match=r"a design of shape \(3, 1\) for 2 counts"):
        PoissonCells(np.ones((3, 1)), np.ones(2))
