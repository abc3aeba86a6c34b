"""Annotators' use of the scale, against R's factanal and against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import NotEstimableError
from pairproof.native.annotation.scores.annotator_model import scale_model
from tests.native.annotation.cases import codes, scores

#: The vectors are printed with 8 decimals (R 4.2.2's factanal, and its log-likelihood); observed 5e-9.
PRINTED = 5.1e-9


def marginal(item, annotator, y, c, l, psi):
    """The log-likelihood as it is defined, item by item."""
    total = 0.0
    for k in range(item.max() + 1):
        who = annotator[item == k]
        v = np.outer(l[who], l[who]) + np.diag(psi[who])
        r = y[item == k] - c[who]
        total -= 0.5 * (len(who) * np.log(2 * np.pi) + np.linalg.slogdet(v)[1] + r @ np.linalg.solve(v, r))
    return total


def test_a_complete_table_is_factor_analysis():
    fit = scale_model(codes("complete", "item"), codes("complete", "annotator"), scores("complete"))
    loadings = [0.94634245, 0.81246267, 0.95107856, 0.74899052, 0.67926529]
    np.testing.assert_allclose(fit.correlation, loadings, atol=PRINTED)
    np.testing.assert_allclose(fit.location, [0.57625, 0.64075, 0.53025, 0.70975, 0.58675], atol=1e-12)
    slopes = [0.14387343, 0.11184852, 0.16810818, 0.08266914, 0.12895657]
    np.testing.assert_allclose(fit.loading, slopes, atol=PRINTED)
    assert fit.slope[0] == pytest.approx(1.1640812, abs=5e-8)
    assert np.prod(fit.slope) == pytest.approx(1.0, rel=1e-12)
    noise = [0.0491312, 0.0802611, 0.0546084, 0.0731317, 0.1393275]  # printed with 7 decimals
    np.testing.assert_allclose(fit.noise, noise, atol=5.1e-8)
    assert fit.loglik == pytest.approx(174.57978280, abs=PRINTED)


def test_with_scores_missing_the_likelihood_is_the_dense_one_and_no_neighbour_has_a_higher():
    item, who, y = codes("complete", "item"), codes("complete", "annotator"), scores("complete")
    kept = np.random.default_rng(8).random(len(y)) < 0.7
    # One annotator judges some items twice: two scores with the same slope.
    item, who, y = (
        np.r_[item[kept], item[:10:5]],
        np.r_[who[kept], who[:10:5]],
        np.r_[y[kept], y[:10:5] + 0.03],
    )
    fit = scale_model(item, who, y)
    parameters = np.r_[fit.location, fit.loading, 2 * np.log(fit.noise)]

    def at(p):
        return marginal(item, who, y, p[:5], p[5:10], np.exp(p[10:]))

    assert at(parameters) == pytest.approx(fit.loglik, abs=1e-10)  # observed 1e-13
    for step in 1e-4 * np.eye(15):
        up, down = at(parameters + step), at(parameters - step)
        assert max(up, down) <= fit.loglik + 1e-12
        assert abs(up - down) < 2e-6  # the third derivative and what the slope is; observed 1e-7


def test_the_covariance_of_the_locations_is_that_of_the_means_of_a_complete_table():
    fit = scale_model(codes("complete", "item"), codes("complete", "annotator"), scores("complete"))
    v = np.outer(fit.loading, fit.loading) + np.diag(fit.noise**2)
    np.testing.assert_allclose(fit.covariance[:5, :5], v / 40, atol=1e-14)


def test_reversing_the_scale_reverses_the_items_and_not_the_slopes():
    item, who, y = codes("complete", "item"), codes("complete", "annotator"), scores("complete")
    one, two = scale_model(item, who, y), scale_model(item, who, 1 - y)
    np.testing.assert_allclose(two.slope, one.slope, rtol=1e-9)
    np.testing.assert_allclose(two.theta, -one.theta, atol=1e-9)


def test_an_annotator_fitted_without_noise_is_refused_by_name_and_held_by_the_prior():
    item, who, y = codes("item", "item"), codes("item", "annotator"), scores("item")
    with pytest.raises(NotEstimableError, match=r"noise of annotator a1 falls to 0 \(a Heywood case\)"):
        scale_model(item, who, y, names=[f"a{k}" for k in range(1, 9)])
    fit = scale_model(item, who, y, prior_spread=0.6)
    assert fit.noise.min() > 0.04 and fit.noise.argmax() == 7


def test_two_annotators_have_no_slopes():
    item, who = (a.ravel() for a in np.indices((40, 2)))
    with pytest.raises(NotEstimableError, match="three or more"):
        scale_model(item, who, np.random.default_rng(0).random(80))


def test_annotators_who_share_no_items_have_no_slopes():
    r = np.random.default_rng(0)
    item = np.arange(120)
    with pytest.raises(NotEstimableError, match="scale model"):
        scale_model(item, item % 3, r.random(120), prior_spread=0.6)
