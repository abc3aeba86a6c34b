"""Sums over all patterns, one by one: what the recursions and factorisations are held against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairproof.native.answers.patterns.answer_likelihood import Space

FloatArray = NDArray[np.float64]

#: Two ways to add the same numbers in doubles; observed 2e-15 and less, for moments up to 20.
SAME = 1e-12


def assert_moments(
    space: Space, table: FloatArray, agree: NDArray[np.bool_], beta: FloatArray, seed: int = 0
) -> None:
    """Probabilities, scores and information of a space are those of a table of all patterns.

    `table` holds t of every pattern, and `agree` says which patterns agree with each answer.
    """
    weight = np.exp(table @ beta)
    weight /= weight.sum()
    mean = weight @ table
    covariance = (table.T * weight) @ table - np.outer(mean, mean)
    rows = np.arange(len(agree))
    w = np.random.default_rng(seed).random(len(rows))
    log_p, scores, information = [], [], np.zeros((len(beta),) * 2)
    for r in rows:
        part, own = weight[agree[r]], table[agree[r]]
        log_p.append(np.log(part.sum()))
        m = part @ own / part.sum()
        scores.append(m - mean)
        information += w[r] * (covariance - (own.T * part) @ own / part.sum() + np.outer(m, m))
    point = space.at(beta)
    assert np.abs(point.log_probabilities(rows) - log_p).max() < SAME
    assert np.abs(point.scores(rows) - scores).max() < SAME
    assert np.abs(point.information(rows, w) - information).max() < SAME * max(1.0, np.abs(information).max())


def assert_derivatives(likelihood: Any, phi: FloatArray, weights: FloatArray) -> None:
    """Scores and information are the differences of log-probabilities and scores."""
    h = 1e-5
    for k in range(len(phi)):
        step = h * np.eye(len(phi))[k]
        up, down = likelihood.at(phi + step), likelihood.at(phi - step)
        here = likelihood.at(phi)
        slope = (up.log_probabilities - down.log_probabilities) / (2 * h)
        # Central differences of a function of size 10 with h = 1e-5: error about 1e-9; observed 2e-9.
        assert np.abs(slope - here.scores[:, k]).max() < 1e-7
        bend = (weights @ up.scores - weights @ down.scores) / (2 * h)
        assert np.abs(bend + here.information(weights)[k]).max() < 1e-6
