"""Gradients and Hessians are those of the log-likelihood, checked against mpmath's derivatives of its
definition.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from pairproof.fit.estimates.likelihood import OutcomeModel, outcome_probabilities
from pairproof.native.comparisons.counts.outcome_derivatives import Counts, Derivatives, derivatives

# A million to one, near-even large counts, ordinary ones, zeros.
CELLS = [(7, 3, 5), (1, 0, 0), (0, 4, 0), (999_999, 0, 1), (500_001, 30, 500_000), (0, 0, 9)]
POINTS = [(0.3, 0.4), (-2.0, 0.1), (9.0, 0.7), (-13.5, 2.0), (1e-8, 1.5), (0.0, 0.9)]


def log_probability(k: int, u: mp.mpf, g: mp.mpf, model: str) -> mp.mpf:
    if model == "rao-kupper":
        first, second = 1 / (1 + mp.exp(g - u)), 1 / (1 + mp.exp(g + u))
        return mp.log([first, 1 - first - second, second][k])
    weights = [mp.exp(u / 2), mp.exp(g) if model == "davidson" else mp.mpf(0), mp.exp(-u / 2)]
    return mp.log(weights[k] / sum(weights)) if weights[k] else mp.ninf


def definition(u: mp.mpf, g: mp.mpf, y: tuple[int, int, int], model: str) -> mp.mpf:
    return mp.fsum(n * log_probability(k, u, g, model) for k, n in enumerate(y) if n)


def at(u: float, g: float, y: tuple[int, int, int], model: OutcomeModel) -> Derivatives:
    columns = [np.array([float(v)]) for v in y]
    return derivatives(np.array([u]), np.array([g]), Counts(*columns, total=np.array([float(sum(y))])), model)


@pytest.mark.parametrize("model", ["binary", "davidson", "rao-kupper"])
@pytest.mark.parametrize("y", CELLS)
@pytest.mark.parametrize("point", POINTS)
def test_first_and_second_derivatives_are_those_of_the_definition(
    model: OutcomeModel, y: tuple[int, int, int], point: tuple[float, float]
) -> None:
    if model == "binary":
        y = (y[0], 0, y[2])
    u, g = point
    found = at(u, g, y, model)
    with mp.workdps(60):

        def d(i: int, j: int) -> mp.mpf:
            return mp.diff(lambda a, b: definition(a, b, y, model), (mp.mpf(u), mp.mpf(g)), (i, j))

        expected = {"r_u": d(1, 0), "w_uu": -d(2, 0)}
        if model != "binary":
            expected |= {"r_g": d(0, 1), "w_ug": -d(1, 1), "w_gg": -d(0, 2)}
        llf = definition(mp.mpf(u), mp.mpf(g), y, model)
    n = sum(y)
    # Of the size of the terms: the value sums n terms of order log n; a derivative is a difference of counts.
    assert abs(found.llf - float(llf)) <= 1e-14 * max(1.0, abs(float(llf)), n)
    for name, value in expected.items():
        got = float(getattr(found, name)[0])
        # Weights have no cancellation: 13 digits (observed 14), but the cross term, which vanishes at u = 0,
        # only of its factors. Residuals are differences of counts: 1e-15 n, observed 2e-16 n.
        scale = abs(float(value)) * 1e-13 + (1e-15 * n if name in ("r_u", "r_g", "w_ug") else 1e-300)
        assert abs(got - float(value)) <= scale, (name, got, float(value))


# Under Rao-Kupper a tie cannot die while both wins live: that would need g below 0.
@pytest.mark.parametrize(
    "model, dead", [("davidson", 0), ("davidson", 1), ("davidson", 2), ("rao-kupper", 0), ("rao-kupper", 2)]
)
def test_without_one_outcome_the_other_two_are_a_logistic_pair(model: OutcomeModel, dead: int) -> None:
    y = [6.0, 4.0, 3.0]
    y[dead] = 0.0
    alive = np.ones((3, 1), bool)
    alive[dead] = False
    u, g = 0.6, 0.5
    columns = [np.array([v]) for v in y]
    found = derivatives(
        np.array([u]), np.array([g]), Counts(*columns, total=np.array([sum(y)]), alive=alive), model
    )
    half = 1.0 if model == "rao-kupper" else 0.5
    # Log-odds of the two that are left, in terms of u and g.
    slope_u, slope_g, a, b = {0: (half, 1.0, 1, 2), 1: (1.0, 0.0, 0, 2), 2: (half, -1.0, 0, 1)}[dead]
    x = slope_u * u + slope_g * g
    p = 1 / (1 + np.exp(-x))
    residual, weight = y[a] - (y[a] + y[b]) * p, (y[a] + y[b]) * p * (1 - p)
    assert found.llf == pytest.approx(
        y[a] * np.log(p) + y[b] * np.log(1 - p), rel=1e-14
    )  # doubles; observed 2e-16
    assert found.r_u[0] == pytest.approx(
        residual * slope_u, rel=1e-13
    )  # a difference of counts; observed 1e-15
    assert found.w_uu[0] == pytest.approx(weight * slope_u**2, rel=1e-14)  # no cancellation; observed 2e-16
    assert found.r_g is not None and found.r_g[0] == pytest.approx(
        residual * slope_g, rel=1e-13, abs=1e-14
    )  # as r_u


@pytest.mark.parametrize("model", ["binary", "davidson", "rao-kupper"])
def test_outcome_probabilities_are_those_of_the_definition_even_a_million_to_one(model: OutcomeModel) -> None:
    for u, g in POINTS:
        p = outcome_probabilities(np.array([u]), np.array([g]), model)[0]
        with mp.workdps(60):
            for k in range(3):
                expected = mp.exp(log_probability(k, mp.mpf(u), mp.mpf(g), model))
                # Products and quotients only; observed 4e-16. The tie of Rao-Kupper passes through expm1:
                # 5e-16.
                assert abs(p[k] - float(expected)) <= 1e-14 * float(expected), (u, g, k)
