"""The abilities' mode and Laplace approximation: R's optim on Table 2, derivatives, and what the exact draws
say.
"""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.data.comparisons import Comparisons
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel
from pairproof.native.competitions.irt.gaussian_irt import (
    fit_irt_gaussian,
    log_likelihood,
    log_outcomes,
    map_irt_gaussian,
    pair_counts,
    slopes,
)
from tests.native.translation import random_table, table, table_2, two

MODEL = GaussianModel()


def test_the_mode_of_table_2_is_the_one_r_and_scipy_find():
    found = map_irt_gaussian(table_2())
    assert found.mode == pytest.approx([1.147877, -0.561780, 0.280735, -1.147567, 0.280735], abs=2e-6)
    assert found.objective == pytest.approx(11.265942, abs=5e-7)
    assert found.sd == pytest.approx([0.78405, 0.76406, 0.74214, 0.78409, 0.74214], abs=5e-6)


def test_the_mode_sums_to_zero_and_its_level_is_as_uncertain_as_the_prior():
    found = map_irt_gaussian(random_table(3), GaussianModel(sd_ability=1.3))
    assert found.mode.sum() == pytest.approx(0, abs=1e-12)
    ones = np.ones(5) / 5
    assert ones @ found.cov @ ones == pytest.approx(1.3**2 / 5, rel=1e-12)
    assert np.abs(found.centred_cov.sum(axis=0)).max() < 1e-12


@pytest.mark.parametrize(
    "model", [MODEL, GaussianModel(sd_ability=2, radius=1.1), GaussianModel(sd_noise=0.3, sd_quality=0.2)]
)
def test_slopes_are_the_derivatives_of_the_likelihood(model):
    """Central differences of step 1e-5: errors of 1e-10 and 1e-5 are theirs."""
    pairs = pair_counts(random_table(1), model)
    gap = np.linspace(-3, 3, len(pairs.i))

    def value(g):
        return (pairs.counts * log_outcomes(g, model).T).sum(axis=1)

    first, second = slopes(gap, pairs, model)
    h = 1e-5
    assert first == pytest.approx((value(gap + h) - value(gap - h)) / (2 * h), rel=1e-6, abs=1e-5)
    up, down = slopes(gap + h, pairs, model)[0], slopes(gap - h, pairs, model)[0]
    assert second == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-5)
    assert (second < 0).all()  # log-concave


def test_the_likelihood_does_not_see_the_level():
    pairs = pair_counts(random_table(1), MODEL)
    mu = np.random.default_rng(0).normal(size=5)
    assert float(log_likelihood(mu + 7.5, pairs, MODEL)) == pytest.approx(
        float(log_likelihood(mu, pairs, MODEL)), rel=1e-13
    )


def test_log_outcomes_hold_far_out_where_probabilities_are_zero_in_doubles():
    logs = log_outcomes(np.array([0.0, 70.0, -70.0]), MODEL)
    assert np.isfinite(logs).all()
    assert np.exp(logs[:, 0]) == pytest.approx(MODEL.preferences(np.array(0.0)), rel=1e-14)
    assert logs[2, 1] < -900 and logs[1, 2] == logs[2, 1]


def test_the_laplace_approximation_is_near_the_exact_posterior_with_much_data():
    data = random_table(5, n=4000)
    laplace, exact = map_irt_gaussian(data), fit_irt_gaussian(data, items="fresh", draws=2000)
    assert (np.abs(laplace.mode - exact.mean) < 4 * exact.diagnostics.mcse + 0.05 * exact.sd).all()
    assert laplace.centred_sd == pytest.approx(exact.sd, rel=0.05)
    assert laplace.interval(0.95) == pytest.approx(exact.interval(0.95), abs=0.02)


def test_fresh_items_by_gibbs_and_collapsed_have_the_same_posterior():
    data = random_table(6, n=150)
    a, b = (
        fit_irt_gaussian(data, items="fresh", sampler=s, draws=1500, seed=2) for s in ("gibbs", "collapsed")
    )
    assert (
        np.abs(a.mean - b.mean) < 4 * np.hypot(a.diagnostics.mcse, b.diagnostics.mcse)
    ).all() and a.diagnostics.mcse.max() < 0.015
    assert a.sd == pytest.approx(b.sd, rel=0.05)
    assert b.diagnostics.ess.min() > 0.4 * b.diagnostics.n_draws  # observed about 0.8


def test_without_ties_and_radius_it_is_the_probit_model():
    """MCMCpack's MCMCpaircompare: no ties, d = 0, sa^2 + so^2 = 1/2, so P = Phi(gap)."""
    from scipy.special import ndtr

    model = GaussianModel(radius=0, sd_quality=0.5, sd_noise=0.5)
    assert model.preferences(np.array(0.7))[1] == pytest.approx(ndtr(0.7), rel=1e-14)
    found = map_irt_gaussian(two([1, 1, 2]), model)
    assert np.isfinite(found.objective) and found.mode[0] > 0


def test_separated_and_unconnected_systems_have_a_mode_for_the_prior_holds_them():
    found = map_irt_gaussian(table([("A", "B", 1)] * 50 + [("C", "D", 1)], "ABCD"))
    assert (
        np.isfinite(found.mode).all()
        and found.mode[0] - found.mode[1] > 2 > found.mode[2] - found.mode[3] > 0
    )


def test_fractional_counts_are_taken_at_the_mode():
    half = Comparisons.build(["A", "B"], [0], [1], [1.5], [0], [0.5])
    assert map_irt_gaussian(half).mode[0] == pytest.approx(
        map_irt_gaussian(Comparisons.build(["A", "B"], [0, 0], [1, 1], [1, 0.5], [0, 0], [0.5, 0])).mode[0],
        rel=1e-12,
    )
