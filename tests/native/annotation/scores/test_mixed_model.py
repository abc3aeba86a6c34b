"""Mixed models of scores, against R's lme4 and nlme and against the definition with dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError, NotEstimableError, TooLargeError
from pairproof.native.annotation.scores import mixed_equations
from pairproof.native.annotation.scores.mixed_model import mixed_model
from tests.native.annotation.cases import codes, scores

#: The vectors are printed with 8 decimals (R 4.2.2, lme4 1.1-31, nlme 3.1-162); observed 5e-9.
PRINTED = 5.1e-9


@pytest.fixture(scope="module")
def crossed():
    return scores("item"), codes("item", "item"), codes("item", "annotator")


def dense(y, effects, x, tau, sigma2, likelihood="REML"):
    """The log-likelihood as it is defined."""
    v = np.diag(sigma2) + sum(t * (e[:, None] == e[None, :]) for t, e in zip(tau, effects))
    w = np.linalg.inv(v)
    b = np.linalg.solve(x.T @ w @ x, x.T @ w @ y)
    r = y - x @ b
    free, total = len(y), np.linalg.slogdet(v)[1] + r @ w @ r
    if likelihood == "REML":
        free, total = free - x.shape[1], total + np.linalg.slogdet(x.T @ w @ x)[1]
    return -0.5 * (free * np.log(2 * np.pi) + total)


def test_items_and_annotators_crossed_are_lme4s(crossed):
    y, item, annotator = crossed
    fit = mixed_model(y, [item, annotator])
    assert fit.coefficients[0] == pytest.approx(0.61512082, abs=PRINTED)
    assert np.sqrt(fit.covariance[0, 0]) == pytest.approx(0.03563316, abs=PRINTED)
    # lme4 with tolerances of 1e-12: 0.01792397684762 0.00789358404489 0.01391372555735; it has 8 digits
    # itself.
    np.testing.assert_allclose(fit.variances, [0.01792398, 0.00789358], atol=PRINTED)
    assert fit.residual[0] == pytest.approx(0.01391373, abs=PRINTED)
    assert fit.loglik == pytest.approx(97.10391083818304, abs=1e-9)  # observed 3e-13
    np.testing.assert_allclose(
        fit.predictions[1],
        [-0.00829153, -0.06435153, 0.00147433, 0.02417947, -0.07749860, 0.17993090, -0.08567516, 0.03023211],
        atol=PRINTED,
    )
    np.testing.assert_allclose(fit.predictions[0][:2], [0.09615355, 0.03789490], atol=PRINTED)
    np.testing.assert_allclose(fit.conditional_sd[0][:2], 0.06239611, atol=PRINTED)


def test_full_maximum_likelihood_is_lme4s(crossed):
    y, item, annotator = crossed
    fit = mixed_model(y, [item, annotator], likelihood="ML")
    assert fit.coefficients[0] == pytest.approx(0.61509756, abs=PRINTED)
    np.testing.assert_allclose(
        [*fit.variances, *fit.residual], [0.01785742, 0.00699449, 0.01391881], atol=PRINTED
    )
    assert fit.loglik == pytest.approx(99.54342743, abs=PRINTED)


def test_a_variance_at_the_boundary_is_exactly_0_and_changes_nothing_else(crossed):
    y, item, annotator = crossed
    hit = np.unique(annotator * 1000 + codes("item", "hit"), return_inverse=True)[1]
    with_hit, without = mixed_model(y, [item, annotator, hit]), mixed_model(y, [item, annotator])
    assert with_hit.variances[2] == 0.0
    assert (with_hit.predictions[2] == 0.0).all() and (with_hit.conditional_sd[2] == 0.0).all()
    assert with_hit.loglik == pytest.approx(without.loglik, abs=1e-10)
    np.testing.assert_allclose(with_hit.variances[:2], without.variances, rtol=1e-8)


def test_a_residual_variance_for_each_annotator_is_nlmes(crossed):
    y, item, annotator = crossed
    fit = mixed_model(y, [item, annotator], group=annotator)
    assert fit.coefficients[0] == pytest.approx(0.61428873, abs=PRINTED)
    # nlme stops where the slope is not quite 0 (ours is, see below): annotators' .08881056 against
    # .088810595.
    np.testing.assert_allclose(np.sqrt(fit.variances), [0.13927775, 0.08881056], atol=6e-8)
    np.testing.assert_allclose(
        np.sqrt(fit.residual),
        [0.0487575, 0.0814162, 0.0969180, 0.1653032, 0.0535089, 0.1017866, 0.1220276, 0.1972351],
        atol=6e-8,
    )
    assert fit.loglik == pytest.approx(115.57244853, abs=PRINTED)
    assert fit.predictions[1][5] == pytest.approx(0.17876774, abs=PRINTED)
    assert fit.predictions[0][0] == pytest.approx(0.13655113, abs=PRINTED)


@pytest.mark.parametrize("likelihood", ["REML", "ML"])
@pytest.mark.parametrize("by_annotator", [False, True])
def test_the_log_likelihood_is_the_dense_one_and_no_neighbour_has_a_higher(crossed, likelihood, by_annotator):
    y, item, annotator = crossed
    x = np.column_stack([np.ones(len(y)), codes("item", "system") == 1])
    group = annotator if by_annotator else np.zeros(len(y), int)
    fit = mixed_model(y, [item, annotator], x, group, likelihood)

    def at(log_change):
        k = len(fit.variances)
        return dense(
            y, [item, annotator], x, fit.variances * np.exp(log_change[:k]),
            (fit.residual * np.exp(log_change[k:]))[group], likelihood,
        )  # fmt: skip

    free = len(fit.variances) + len(fit.residual)
    assert at(np.zeros(free)) == pytest.approx(fit.loglik, abs=1e-9)  # observed 3e-13
    # Where a direction's slope is 0 the two sides are alike: a slope of 1e-6 would show as 2e-9. Observed
    # 3e-11.
    for step in 1e-3 * np.eye(free):
        assert at(step) < fit.loglik and at(-step) < fit.loglik
        assert abs(at(step) - at(-step)) < 2e-7  # the third derivative; observed 5e-8


def test_the_derivatives_are_those_of_the_log_likelihood(crossed):
    y, item, annotator = crossed
    x, group = np.ones((len(y), 1)), annotator
    at = mixed_equations.layout(y, x, [item, annotator], [item.max() + 1, annotator.max() + 1], group)
    tau, sigma = np.array([0.03, 0.002]), np.linspace(0.004, 0.03, 8)
    for likelihood in ("REML", "ML"):
        gradient, information = mixed_equations.derivatives(mixed_equations.solve(at, tau, sigma, likelihood))
        for k in range(10):
            step = np.zeros(10)
            step[k] = 1e-5
            ends = [
                dense(
                    y, [item, annotator], x, tau * np.exp(s[:2]), (sigma * np.exp(s[2:]))[group], likelihood
                )
                for s in (step, -step)
            ]
            # Central differences of a number near 100 have 7 digits; observed 2e-8.
            assert gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-5, rel=1e-6)
        assert np.linalg.eigvalsh(information)[0] > 0


def test_scores_of_items_are_mean_plus_prediction_with_the_prediction_error(crossed):
    y, item, annotator = crossed
    fit = mixed_model(y, [item, annotator], group=annotator)
    x = np.ones((len(y), 1))
    t = np.column_stack([item[:, None] == np.arange(item.max() + 1), annotator[:, None] == np.arange(8), x])
    t = t.astype(float)
    d = np.r_[np.full(item.max() + 1, 1 / fit.variances[0]), np.full(8, 1 / fit.variances[1]), 0.0]
    c = np.linalg.inv(t.T @ (t / fit.residual[annotator][:, None]) + np.diag(d))
    for effect, first in ((0, 0), (1, item.max() + 1)):
        value, se = fit.sum_with([1.0], effect)
        for level in range(len(value)):
            a = np.zeros(len(d))
            a[[first + level, -1]] = 1.0
            assert se[level] == pytest.approx(np.sqrt(a @ c @ a), rel=1e-10)  # observed 2e-14
        np.testing.assert_allclose(value, fit.coefficients[0] + fit.predictions[effect], rtol=1e-12)


def test_the_prior_draws_the_annotators_noise_together(crossed):
    y, item, annotator = crossed
    apart = mixed_model(y, [item, annotator], group=annotator)
    held = mixed_model(y, [item, annotator], group=annotator, prior_spread=0.6)
    tight = mixed_model(y, [item, annotator], group=annotator, prior_spread=1e-3)
    one = mixed_model(y, [item, annotator])
    spread = [np.log(fit.residual).std() for fit in (apart, held, tight)]
    assert spread[0] > spread[1] > spread[2]
    # With no spread at all the noises are one; 1e-3 leaves a few thousandths.
    np.testing.assert_allclose(tight.residual, one.residual[0], rtol=1e-3)
    assert held.loglik < apart.loglik


@pytest.mark.parametrize(
    ("seed", "unit", "zero"),
    [(1, 100.0, 0.0), (2, 0.01, 0.5), (3, 7.0, -50.0), (4, 1000.0, 50.0), (5, 1.0, 3.0)],
)
def test_unit_zero_point_and_order_of_rows_change_nothing_but_the_unit(seed, unit, zero):
    r = np.random.default_rng(seed)
    item, annotator = r.integers(0, 12, 60), r.integers(0, 4, 60)
    y = r.normal(size=12)[item] + 0.5 * r.normal(size=4)[annotator] + 0.5 * r.normal(size=60)
    one = mixed_model(y, [item, annotator])
    order = r.permutation(60)
    two = mixed_model(zero + unit * y[order], [item[order], annotator[order]])
    assert two.coefficients[0] == pytest.approx(zero + unit * one.coefficients[0], abs=1e-7 * unit, rel=1e-9)
    # Variances near the boundary are flat directions; observed 1e-8.
    np.testing.assert_allclose(two.variances, unit**2 * one.variances, atol=1e-6 * unit**2)
    assert two.loglik == pytest.approx(one.loglik - 59 * np.log(unit), abs=1e-7)


def test_ten_thousand_items_take_a_small_matrix_only():
    r = np.random.default_rng(3)
    item, annotator = np.repeat(np.arange(10_000), 3), r.integers(0, 20, 30_000)
    y = 0.2 * r.normal(size=10_000)[item] + 0.1 * r.normal(size=20)[annotator] + 0.15 * r.normal(size=30_000)
    fit = mixed_model(y, [item, annotator])
    assert fit._solved.inverse.shape == (21, 21)
    # Standard errors: items .002, noise .001; annotators sqrt(.1^2 / 40) = .016.
    np.testing.assert_allclose(np.sqrt([*fit.variances, *fit.residual]), [0.2, 0.1, 0.15], atol=0.05)
    assert np.sqrt(fit.residual[0]) == pytest.approx(0.15, abs=0.003)


@pytest.mark.parametrize(
    ("y", "effect", "x", "error", "said"),
    [
        ([0.1, 0.2, np.nan, 0.3], [0, 0, 1, 1], None, InputError, "score number 3 is nan"),
        ([0.1, 0.2, 0.3], [0, 0, 1, 1], None, InputError, "3 scores, 3 rows of X"),
        ([0.5] * 6, [0, 0, 1, 1, 2, 2], None, NotEstimableError, "all 6 scores are 0.5"),
        ([0.1, 0.2, 0.3, 0.5], [0, 0, 1, 1], np.ones((4, 2)), NotEstimableError, "fixed effects have rank 1"),
        ([0.1, 0.2, 0.3, 0.5], [0, 0, 1, 1], [[1.0], [2.0], [3.0], [4.0]], InputError, "have no constant"),
        ([0.1, 0.2], [0, 1], None, NotEstimableError, "2 scores for 1 fixed"),
    ],
)
def test_data_that_cannot_be_fitted_are_refused(y, effect, x, error, said):
    with pytest.raises(error, match=said):
        mixed_model(y, [effect], x)


def test_annotators_who_agree_exactly_leave_no_residual_variance():
    item = np.repeat(np.arange(6), 3)
    with pytest.raises(NotEstimableError, match="explained without error"):
        mixed_model(np.linspace(0, 1, 6)[item], [item])


def test_a_model_too_large_for_a_dense_matrix_is_refused_with_the_number():
    n = 2 * (mixed_equations.LARGEST + 1)
    r = np.random.default_rng(0)
    with pytest.raises(TooLargeError, match="leave out the effect of the HIT"):
        mixed_model(r.random(n), [np.arange(n) // 2, r.permutation(n) // 2])


@pytest.mark.parametrize("seed", range(12))
def test_on_small_and_odd_data_no_other_maximum_is_higher(seed):
    """Against a general optimiser from two starts; with variances at 0, lone levels, coinciding effects."""
    from scipy.optimize import minimize

    r = np.random.default_rng(seed)
    n = int(r.integers(12, 50))
    item, annotator = (np.unique(r.integers(0, k, n), return_inverse=True)[1] for k in (n // 2, 4))
    hit = np.unique(annotator * 50 + r.integers(0, 5, n), return_inverse=True)[1]
    sizes = r.choice([0, 0.1, 1], 3)
    y = sum(s * r.normal(size=n)[e] for s, e in zip(sizes, (item, annotator, hit))) + 0.5 * r.normal(size=n)
    likelihood = ("REML", "ML")[seed % 2]
    fit = mixed_model(y, [item, annotator, hit], likelihood=likelihood)

    def negative(log):
        tau, sigma = np.exp(log[:3]), np.exp(log[3:])
        return -dense(y, [item, annotator, hit], np.ones((n, 1)), tau, np.full(n, sigma), likelihood)

    here = np.log(np.maximum([*fit.variances, *fit.residual], 1e-9))
    best = min(
        minimize(negative, s, method="L-BFGS-B", bounds=[(-25, 5)] * 4).fun for s in (here, np.full(4, -1.0))
    )
    assert -fit.loglik <= best + 1e-6  # observed 2e-8: the optimiser's own boundary is e^-25, not 0
