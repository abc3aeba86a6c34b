"""Predictions over the posterior of sigma, and notes where the methods part."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.native.comparisons.random_effects import joint as uncertain, quasi_likelihood as pql
from pairproof.native.comparisons.random_effects.joint import (
    Joint,
    SigmaPosterior,
    limits_over,
    sigma_posterior,
)
from pairproof.native.comparisons.random_effects.quasi_likelihood import (
    fit_pql,
    method_notes,
    second_order_term,
)
from pairproof.native.comparisons.random_effects.variances import fit_mixed
from pairproof.native.comparisons.rows.contest_design import Contests, contest_design
from tests.native.comparisons.random_effects.data import (
    four_players,
    of_chameleons,
    of_lizards,
    predict,
    with_effects,
)


def of_a_season(k: int, n: int, sigma: float, seed: int) -> Contests:
    """n contests of 0 and 1 between k players, with one covariate of weight .7."""
    rng = np.random.default_rng(seed)
    a = rng.integers(k, size=n)
    b = (a + rng.integers(1, k, size=n)) % k
    x, u = rng.normal(size=(k, 1)), sigma * rng.normal(size=k)
    y = (rng.random(n) < 1 / (1 + np.exp(-(0.7 * (x[a] - x[b])[:, 0] + u[a] - u[b])))).astype(float)
    names = [str(i) for i in range(k)]
    return with_effects(Contests(contest_design(a, b, names, x, ["x"]), y, 1 - y), a, b, names)


def test_the_posterior_of_sigma_does_not_depend_on_its_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    contests = of_a_season(20, 300, 1.0, 2)
    fit = fit_mixed(contests)
    found = sigma_posterior(contests, "logit", fit.sigma, float(fit.standard_errors[-1]))
    monkeypatch.setattr(uncertain, "WIDEST", 0.05)
    monkeypatch.setattr(uncertain, "DEPTH", 20.0)
    fine = sigma_posterior(contests, "logit", 0.0)
    assert len(fine.sigma) > 3 * len(found.sigma) and not found.cut and not fine.cut
    # The trapezoid rule with steps of a standard error: observed 1.2e-5 of sigma, 3.4e-5 of the ends.
    assert abs((found.weights @ found.sigma) / (fine.weights @ fine.sigma) - 1) < 1e-3
    for first in (1, None):
        one, other = (limits_over(p, np.array([0.5]), first, 0) for p in (found, fine))
        assert abs(one[0] - other[0]) < 5e-4 and abs(one[1] - other[1]) < 5e-4


def test_the_posterior_is_the_integrated_likelihood_of_every_sigma() -> None:
    # By Laplace's method for effects and parameter together: a matrix of five, written out.
    contests = four_players()
    found = sigma_posterior(contests, "logit", 0.7, 0.5)
    z = contests.design.rows(np.arange(6))
    values = []
    for sigma, joint in zip(found.sigma, found.joints):
        p = 1 / (1 + np.exp(-z @ joint.theta))
        penalty = np.diag([sigma**-2] * 4 + [0.0])
        information = z.T @ ((contests.totals * p * (1 - p))[:, None] * z) + penalty
        assert np.abs(np.linalg.inv(information) - joint.covariance).max() < 1e-12 * joint.covariance.max()
        log_l = contests.wins @ np.log(p) + contests.losses @ np.log(1 - p)
        log_l -= 0.5 * joint.theta @ penalty @ joint.theta + 4 * np.log(sigma)
        values.append(log_l - 0.5 * np.linalg.slogdet(information)[1] + np.log(sigma))
    weights = np.exp(np.array(values) - max(values))
    assert np.abs(found.weights - weights / weights.sum()).max() < 1e-12  # observed 5e-15


def test_an_interval_of_one_node_is_walds() -> None:
    joint = fit_mixed(four_players()).joint
    posterior = SigmaPosterior(np.array([joint.sigma]), np.ones(1), (joint,), False)
    _, upper = limits_over(posterior, np.array([3.0]), None, 0, level=0.9)
    other = predict(joint, np.array([3.0]), None, 0)
    assert abs(upper - (other.eta + 1.6448536269514722 * other.standard_error)) < 1e-12


def test_quantiles_of_a_mixture_leave_the_tails_that_they_should() -> None:
    joints = [Joint(np.array([m]), np.eye(1) * v, 1, s, "logit") for m, v, s in ((0, 1, 1), (2, 4, 3))]
    posterior = SigmaPosterior(np.array([1.0, 3.0]), np.array([0.3, 0.7]), tuple(joints), False)
    lower, upper = limits_over(posterior, np.zeros(0), 0, None)
    rng = np.random.default_rng(1)
    which = rng.random(400_000) < 0.7
    draws = np.where(which, 2.0, 0.0) + rng.normal(size=400_000) * np.where(which, 13.0, 2.0) ** 0.5
    # 400,000 draws, standard error .00035 of the share: observed .0005.
    assert abs(((draws > lower) & (draws < upper)).mean() - 0.95) < 0.0015


def test_intervals_over_sigma_are_wider_than_with_sigma_known() -> None:
    contests = of_a_season(40, 100, 1.0, 1)
    fit = fit_mixed(contests)
    posterior = sigma_posterior(contests, "logit", fit.sigma, float(fit.standard_errors[-1]))
    (lower, upper), plain = limits_over(posterior, np.zeros(1), 1, 0), predict(fit.joint, np.zeros(1), 1, 0)
    assert upper - lower > 1.1 * 2 * 1.96 * plain.standard_error


def test_a_posterior_that_the_prior_cuts_says_so() -> None:
    # All wins go one way: sigma may be as large as one likes.
    fixed = Contests(contest_design([0, 1], [1, 2], "ABC", np.zeros((3, 0)), []), np.ones(2) * 9, np.zeros(2))
    contests = with_effects(fixed, np.array([0, 1]), np.array([1, 2]), "ABC")
    found = sigma_posterior(contests)
    assert found.cut and found.sigma[-1] < 20.0


# -- notes ---------------------------------------------------------------------------------------------------


def test_four_players_have_nothing_to_be_said() -> None:
    fit = fit_mixed(four_players())
    assert method_notes(four_players(), fit, "logit") == []
    term = second_order_term(four_players(), fit.beta, fit.sigma)
    assert round(term, 5) == 0.02385  # the specification's


@pytest.mark.r("BradleyTerry2")
def test_lizards_have_all_four_sentences() -> None:
    contests = of_lizards("SVL")
    cycle, flat, rough, low = method_notes(contests, fit_mixed(contests), "logit")
    assert (
        cycle.startswith("The wins have no cycle")
        and "the data bound sigma from below only. 4.587 is" in cycle
    )
    assert (
        flat
        == "Laplace's likelihood is flat in sigma: at 9.173, twice the estimate, log L is only 0.18 lower."
    )
    assert rough.startswith("The second-order term of Laplace's approximation is 4 in log L at its maximum")
    assert low.startswith(
        "The sigma of penalised quasi-likelihood (PQL), 1.126, lies below the likelihood-ratio"
    )
    # Specification: 108.7191 - 102.2873.
    assert "(2 log L is 6.43 lower there)" in low


@pytest.mark.r("BradleyTerry2")
def test_chameleons_are_said_to_have_no_variance() -> None:
    contests = of_chameleons()
    fit = fit_mixed(contests)
    assert fit.p == 1.0 and method_notes(contests, fit, "logit") == [
        "sigma is estimated as 0 by Laplace's approximation (LR 0, p 1): the fit is the one without random effects."
    ]


# -- penalised quasi-likelihood by secants -------------------------------------------------------------------


@pytest.mark.parametrize("contests", [four_players(), of_a_season(20, 200, 1.0, 4)])
def test_secants_come_to_where_repeated_estimates_come(
    contests: Contests, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = fit_pql(contests)
    monkeypatch.setattr(pql, "_root", lambda slope_at, first: (None, 0))
    repeated = fit_pql(contests)
    assert found.sigma > 0 and abs(found.sigma / repeated.sigma - 1) < 1e-12  # observed 1.1e-15
    assert abs(found.sigma_se / repeated.sigma_se - 1) < 1e-10
