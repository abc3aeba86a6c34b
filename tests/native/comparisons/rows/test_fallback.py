"""Bias reduction in small tables that are nearly separated, where scoring alone runs past the root and back."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import ConvergenceError
from pairproof.native.comparisons.rows.contest_design import Contests, Design
from pairproof.native.comparisons.rows.reduced_bias import fit_reduced, root_from_maximum

#: Ten contests each: kind, link, covariate of the players and of the contest beside a constant, which were
#: won, and brglm2 1.1.1's estimates (epsilon 1e-15, up to 50,000 iterations; the first two had not
#: converged by its own rule).
CASES = [
    (
        "mean",
        "logit",
        (-2, 3, 2, -2, -3, -2, -1, -2, 1, 1),
        (1, 0, 0, 2, 0, -1, 2, 2, 0, 0),
        "0110001000",
        (2.75359580445298, -4.44859948076201, 4.1762344327029),
    ),
    (
        "median",
        "logit",
        (0, 3, -3, -2, 2, 0, -3, -2, 3, 3),
        (-1, 2, -2, 2, -2, -1, 2, -1, 1, 2),
        "0101100011",
        (3.40927362320391, 1.75674908247069, 3.71983512896349),
    ),
    (
        "jeffreys",
        "probit",
        (-2, 2, -3, 3, 0, 0, 0, 2, 1, -2),
        (-2, -2, 2, -1, 0, -2, 1, -2, 2, -2),
        "0101000110",
        (1.31623833404261, -1.05476935353451, 0.195084761538551),
    ),
    (
        "mean",
        "probit",
        (2, 0, 2, 1, 0, 3, -1, -2, -3, 1),
        (-1, -2, 2, -2, -1, -2, 0, 1, 0, -1),
        "1010010101",
        (0.957124378570988, 0.933244354249709, 1.44340971978978),
    ),
]


@pytest.mark.parametrize(("kind", "link", "x", "z", "won", "estimates"), CASES)
def test_tables_in_which_scoring_runs_past_the_root_have_brglm2s_estimates(kind, link, x, z, won, estimates):
    wins = np.array([float(w) for w in won])
    nobody = np.full(len(wins), -1)
    dense = np.column_stack([x, np.ones(len(wins)), z]).astype(float)
    contests = Contests(Design(nobody, nobody, dense, np.zeros(len(wins)), ("x", "c", "z")), wins, 1.0 - wins)
    found = fit_reduced(contests, kind, link)
    # brglm2 stops by its own rule; observed at most 1.2e-13.
    np.testing.assert_allclose(found.theta, estimates, rtol=1e-11)
    assert found.decrement < 1e-20


def test_a_score_without_a_root_is_an_error_that_names_what_always_has_one():
    def step_at(theta):
        return np.ones(1), 1.0

    def penalised(theta):
        return -0.5 * float(theta @ theta), -theta

    with pytest.raises(ConvergenceError, match="reduce_bias='jeffreys'"):
        root_from_maximum(step_at, penalised, np.eye(1))
