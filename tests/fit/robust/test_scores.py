"""Scores and information of rows against differences of their log-likelihoods."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.fit.robust.scores import row_scores
from tests.fit.robust.brute import FITS, by_row, dense, log_likelihoods, table


@pytest.mark.parametrize("name", FITS)
def test_scores_and_information_are_derivatives_of_each_rows_log_likelihood(name):
    fit = FITS[name](table(n=50, n_items=4, n_judges=2))
    assert not fit.null_space.shape[1]
    beta = np.where(fit.is_reference, 0.0, fit.beta)
    score, information = dense(row_scores(fit), len(beta))
    step, unit = 2e-4, np.eye(len(beta))
    at = {s: [log_likelihoods(fit, beta + s * step * e) for e in unit] for s in (-2, -1, 1, 2)}
    here = log_likelihoods(fit, beta)
    for k in range(len(beta)):
        # five points: errors of order step^4 (1e-15) and of rounding, 1e-16 / step (1e-12; seen 4e-12) ...
        slope = (8 * (at[1][k] - at[-1][k]) - (at[2][k] - at[-2][k])) / (12 * step)
        np.testing.assert_allclose(score[:, k], slope, atol=2e-11)
        # ... and 1e-16 / step^2 (seen 3e-8)
        bend = (16 * (at[1][k] + at[-1][k]) - (at[2][k] + at[-2][k]) - 30 * here) / (12 * step**2)
        np.testing.assert_allclose(information[:, k, k], -bend, atol=2e-7)
    for j, k in [(0, 1), (0, len(beta) - 1), (1, len(beta) - 1)]:
        corner = [log_likelihoods(fit, beta + step * (a * unit[j] + b * unit[k])) for a, b in SIGNS]
        cross = (corner[0] - corner[1] - corner[2] + corner[3]) / (4 * step**2)
        # errors of order step^2 (4e-8) and 1e-16 / step^2
        # One number in two ways, which differ by rounding; seen: 6e-8 off.
        np.testing.assert_allclose(
            information[:, j, k], -cross if j != k else information[:, j, k], atol=3e-7
        )


SIGNS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


@pytest.mark.parametrize("name", FITS)
def test_scores_add_up_to_zero_and_the_information_to_the_inverse_of_the_covariance(name):
    fit = FITS[name](table())
    score, information = dense(row_scores(fit), len(fit.beta))
    bread = fit.covariance.between(np.eye(len(fit.beta)))
    total = information.sum(axis=0)
    left = float(score.sum(axis=0) @ bread @ score.sum(axis=0))
    if name == "reduced bias":
        assert 1e-3 < left < 0.1  # what is 0 there is the score with its adjustment (seen 6e-3)
    else:
        assert left < 1e-18  # in standard errors; the solver stops at 1e-9 of one (seen 2e-12)
    # M I M = M (seen 1e-14 of the largest entry)
    np.testing.assert_allclose(bread @ total @ bread, bread, atol=1e-11 * np.abs(bread).max())


def test_on_neutral_ground_the_order_says_nothing():
    fit = pairproof.fit_llbt(table(), ties="davidson", order_effect=True)
    score, _ = dense(row_scores(fit), len(fit.beta))
    order = fit.names.index("order")
    neutral = fit.data.columns["order"] == 0.0
    assert neutral.any() and (score[neutral, order] == 0.0).all() and (score[~neutral, order] != 0.0).all()


def test_a_choice_that_infinite_estimates_leave_open_keeps_its_score():
    """A beat B 12 times, tied 8 times, never lost: win or tie is a binomial of logit eta / 2 - g."""
    rows = pairproof.Comparisons.build("AB", [0, 0, 0], [1, 1, 1], [5, 4, 3], [3, 3, 2], [0, 0, 0])
    fit = pairproof.fit_bradley_terry(rows, ties="davidson", reference="B")
    assert fit.n_infinite == 1
    found = row_scores(fit)
    score, information = by_row(found)
    wins, ties = np.array([5.0, 4.0, 3.0]), np.array([3.0, 3.0, 2.0])
    residual = wins - 0.6 * (wins + ties)
    # per unit of (eta, g): half of the residual, and minus it
    # One number in two ways, which differ by rounding; seen: 4e-16 off.
    np.testing.assert_allclose(score, np.stack([residual / 2, -residual], axis=1), atol=1e-9)
    weight = 0.24 * (wins + ties)
    expected = weight[:, None, None] * np.array([[0.25, -0.5], [-0.5, 1.0]])
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(information, expected, rtol=1e-8)
    assert len(found.telling) == 3


def test_a_pair_that_one_item_always_wins_says_nothing_of_the_others():
    rows = pairproof.Comparisons.build(
        "ABC", [0, 1, 1, 0], [1, 2, 2, 2], [9, 3, 4, 8], [0, 1, 2, 0], [0, 2, 3, 0]
    )
    found = row_scores(pairproof.fit_bradley_terry(rows, ties="davidson", reference="B"))
    assert found.telling.tolist() == [1, 2]
    score, information = by_row(found)
    assert (score[[0, 3]] == 0.0).all() and (information[[0, 3]] == 0.0).all()


def test_no_tie_observed_leaves_the_binary_model():
    rows = pairproof.Comparisons.build(
        "ABC", [0, 1, 0, 2], [1, 2, 2, 0], [5, 4, 3, 2], [0, 0, 0, 0], [3, 2, 2, 3]
    )
    score, information = by_row(row_scores(pairproof.fit_bradley_terry(rows, ties="davidson", reference="C")))
    without, _ = by_row(row_scores(pairproof.fit_bradley_terry(rows, ties="drop", reference="C")))
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(score[:, 0], without[:, 0], atol=1e-9)
    assert (score[:, 1] == 0.0).all() and (information[:, 1] == 0.0).all()


def test_a_tie_parameter_at_its_boundary_has_no_information():
    rows = pairproof.Comparisons.build(
        "ABC", [0, 1, 0, 2], [1, 2, 2, 0], [5, 4, 3, 2], [0, 0, 0, 0], [3, 2, 2, 3]
    )
    fit = pairproof.fit_bradley_terry(rows, ties="rao-kupper", reference="C")
    found = row_scores(fit)
    assert np.isfinite(found.unit_score).all() and np.isfinite(found.unit_information).all()
    without, _ = by_row(row_scores(pairproof.fit_bradley_terry(rows, ties="drop", reference="C")))
    # One number in two ways; seen: 0 off.
    np.testing.assert_allclose(by_row(found)[0][:, 0], without[:, 0], atol=1e-9)
