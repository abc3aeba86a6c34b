"""Random effects: the specification's numbers, BradleyTerry2's, integrals of 30 digits, and what changes nothing."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof import fit_bradley_terry, read
from pairproof.errors import InputError, NotEstimableError, TooLargeError
from pairproof.native.comparisons.random_effects.effect_sets import EffectSets
from pairproof.native.comparisons.random_effects.effects_design import acyclic, fixed_part
from pairproof.native.comparisons.random_effects.effects_likelihood import profile_sigma
from pairproof.native.comparisons.random_effects.joint import mean_probability
from pairproof.native.comparisons.random_effects.quasi_likelihood import fit_pql
from pairproof.native.comparisons.random_effects.variances import fit_mixed, marginal_of
from pairproof.native.comparisons.rows.contest_design import Contests, contest_design
from pairproof.native.comparisons.rows.links import link
from pairproof.native.comparisons.rows.maximum_likelihood import limiting_contests
from tests.native.comparisons.random_effects.data import (
    eight_judges,
    four_players,
    of_chameleons,
    of_lizards,
    predict,
    with_effects,
)
from tests.native.comparisons.rows.data import log_coefficients, of_r


def close(a: object, b: object, limit: float) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= limit)


# -- the specification's four players and eight judges -------------------------------------------------------


def test_four_players_by_penalised_quasi_likelihood_have_r_s_digits() -> None:
    found = fit_pql(four_players())
    # R at a tolerance of 1e-13, 15 digits printed: observed 5e-15, 1e-15, 1e-13.
    assert abs(found.sigma - 0.864170689763473) < 1e-13 and abs(found.sigma_se - 0.512193456923) < 1e-12
    assert abs(found.joint.theta[4] - 0.441342689294456) < 1e-13
    assert abs(found.joint.standard_errors[4] - 0.325786347391968) < 1e-13
    assert close(
        found.joint.theta[:4], [0.127498841611, 0.462701362983, -0.949049727697, 0.358849523103], 1e-12
    )


def test_predictions_of_known_pairs_are_those_of_level_1() -> None:
    joint = fit_pql(four_players()).joint
    x = np.array([[0.0], [1], [2], [4]])
    pairs = list(itertools.combinations(range(4), 2))
    found = [predict(joint, x[a] - x[b], a, b) for a, b in pairs]
    eta = [-0.7765452, 0.1938632, -1.9967214, 0.9704084, -1.2201762, -2.1905846]
    error = [0.4693594, 0.4713621, 0.6000268, 0.4749925, 0.5499961, 0.5762432]
    assert np.round([p.eta for p in found], 7).tolist() == eta
    assert np.round([p.standard_error for p in found], 7).tolist() == error
    assert all(p.marginal == p.plug_in for p in found)


def test_four_players_by_laplace_have_the_specifications_digits() -> None:
    found = fit_mixed(four_players())
    assert abs(found.without.llf + log_coefficients(four_players()) - -13.794256039051174) < 1e-13
    assert close([found.sigma, found.beta[0]], [0.70671206164, 0.45593646984], 5e-12)
    assert abs(found.llf + log_coefficients(four_players()) - -10.717324607948) < 5e-13
    assert close(found.standard_errors, [0.281477, 0.545775], 6e-7)
    assert abs(found.lr - 6.153862862206) < 1e-12 and abs(found.p - 0.006556269695924) < 1e-15
    assert close(
        found.joint.standard_errors, [0.58309222, 0.47495459, 0.46145695, 0.65785718, 0.27829019], 6e-9
    )
    # The specification's modes sum to 1.2e-8, where modes sum to 0: they hold to 2e-8 only.
    assert close(found.joint.theta[:4], [0.144886948, 0.441509310, -0.882661341, 0.296265095], 2.5e-8)
    assert abs(found.joint.theta[:4].sum()) < 1e-13


def test_four_players_by_quadrature_have_the_exact_digits() -> None:
    found = fit_mixed(four_players(), method="quadrature")
    # The specification's sigma is 5e-11 off its own maximum, at which our gradient is 2e-9.
    assert close([found.sigma, found.beta[0]], [0.71286950855, 0.45610538614], 5e-12)
    assert abs(found.llf + log_coefficients(four_players()) - -10.69390022310594) < 1e-13
    assert close([*found.standard_errors, found.sigma_se], [0.283267, 0.546868, 0.389846], 6e-7)
    # Likelihood ratio to 1e-12 relative: observed 6e-14.
    assert abs(found.lr - 6.200711631890) < 1e-12 and abs(found.p - 0.006384947984529) < 1e-15
    means = [0.122009676200, 0.446438623172, -0.913677287158, 0.345228987786]
    assert found.posterior_means is not None and close(found.posterior_means, means, 1e-10)


def test_a_new_player_has_the_variance_of_its_effect_and_a_marginal_probability() -> None:
    found = predict(fit_mixed(four_players()).joint, np.array([3.0]), None, 0)
    # The specification's, from its modes: 2e-8 off.
    assert abs(found.eta - 1.222922462) < 2.5e-8 and abs(found.standard_error - 0.959747299) < 5e-9
    assert abs(found.plug_in - 0.7725774394) < 5e-9 and abs(found.marginal - 0.7515757718) < 5e-9
    assert abs(found.averaged - 0.7374090419) < 5e-9
    two = predict(fit_mixed(four_players()).joint, np.zeros(1), None, None)
    assert (
        two.eta == 0.0
        and abs(two.standard_error - 2**0.5 * 0.70671206164) < 1e-10
        and abs(two.marginal - 0.5) < 1e-15
    )


@pytest.mark.slow
def test_items_by_judge_have_the_specifications_digits() -> None:
    found = fit_mixed(eight_judges(), method="quadrature", set_size=3)
    assert close([found.sigma, *found.beta], [1.0890208794, -0.3828268145, -0.5561834643], 6e-11)
    assert abs(found.llf + log_coefficients(eight_judges()) - -34.600610078296) < 5e-13
    # Differences of the exact gradient leave 4e-9 of a standard error.
    assert close([found.sigma_se, *found.standard_errors[:2]], [0.335290, 0.659501, 0.658707], 6e-7)


def test_the_integral_has_the_digits_of_another_one_in_30_digit_arithmetic() -> None:
    mpmath = pytest.importorskip("mpmath", reason="30-digit arithmetic comes with mpmath")
    wins, losses, beta, sigma = [4, 1, 3], [1, 5, 3], 0.3, 0.8
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    x = np.array([[0.0], [1], [3]])
    fixed = Contests(contest_design(a, b, "ABC", x, ["x"]), np.array(wins, float), np.array(losses, float))
    sets = EffectSets(with_effects(fixed, a, b, "ABC"), 3, link("logit"), "quadrature")
    found = sets.at(np.array([beta, np.log(sigma)])).of_all()
    with mpmath.workdps(30):
        # In the differences from the third player, of covariance sigma^2 [2 1; 1 2]: no Helmert, no mode.
        s2 = mpmath.mpf(sigma) ** 2
        h = mpmath.mpf(1) / 5
        total = mpmath.mpf(0)
        axis = [h * k for k in range(-60, 61)]
        win = {}
        for e in range(-120, 121):
            for r, shift in enumerate((-1, -3, -2)):
                p = 1 / (1 + mpmath.exp(-(h * e + shift * mpmath.mpf(beta))))
                win[r, e] = p ** wins[r] * (1 - p) ** losses[r]
        for i, d1 in zip(range(-60, 61), axis):
            for j, d2 in zip(range(-60, 61), axis):
                normal = mpmath.exp(-(d1 * d1 - d1 * d2 + d2 * d2) / (3 * s2))
                total += normal * win[0, i - j] * win[1, i] * win[2, j]
        value = mpmath.log(total * h * h / (2 * mpmath.pi * s2 * mpmath.sqrt(3)))
    # 12 / .8 standard deviations and a step of .2: 1e-28 in itself.  Doubles: observed 2e-15.
    assert abs(found.value - float(value)) < 5e-14


@pytest.mark.parametrize(
    ("name", "eta", "sd"), [("logit", 1.5, 2.0), ("logit", -3.0, 7.0), ("probit", 1.0, 1.5)]
)
def test_a_probability_averaged_over_an_effect_has_30_digit_arithmetics_digits(
    name: str, eta: float, sd: float
) -> None:
    mpmath = pytest.importorskip("mpmath", reason="30-digit arithmetic comes with mpmath")
    cdf = mpmath.ncdf if name == "probit" else lambda t: 1 / (1 + mpmath.exp(-t))
    with mpmath.workdps(30):
        value = mpmath.quad(lambda t: cdf(eta + sd * t) * mpmath.npdf(t), [-14, -7, -3, 0, 3, 7, 14])
    assert abs(mean_probability(link(name), eta, sd) - float(value)) < 1e-14  # observed 2e-16


@pytest.mark.parametrize("method", ["laplace", "quadrature"])
@pytest.mark.parametrize("name", ["logit", "probit"])
def test_the_gradient_is_the_derivative(method: str, name: str) -> None:
    at = marginal_of(four_players(), link(name), method, None)
    beta, sigma, h = np.array([0.3]), 0.6, 1e-4
    gradient = at(beta, sigma).gradient
    by_beta = (at(beta + h, sigma).value - at(beta - h, sigma).value) / (2 * h)
    by_sigma = (at(beta, sigma * np.exp(h)).value - at(beta, sigma * np.exp(-h)).value) / (2 * h)
    assert close(gradient, [by_beta, by_sigma], 1e-6)  # differences of step 1e-4: observed 4e-8


def test_with_many_effects_standard_errors_by_two_points_are_those_by_four(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    four = fit_mixed(four_players())
    monkeypatch.setattr("pairproof.native.comparisons.random_effects.search.MANY", 3)
    monkeypatch.setattr("pairproof.native.comparisons.random_effects.search.MEMORY", 3)
    two = fit_mixed(four_players())
    assert abs(two.sigma - four.sigma) < 1e-12 and two.standard_errors[-1] != four.standard_errors[-1]
    # With four players only the likelihood is far from quadratic: observed 3e-5.
    assert np.abs(two.standard_errors / four.standard_errors - 1).max() < 2e-4


# -- BradleyTerry2's animals ---------------------------------------------------------------------------------


@pytest.mark.r("BradleyTerry2")
def test_chameleons_have_no_variance_by_either_method() -> None:
    contests = of_chameleons()
    by_pql, found = fit_pql(contests), fit_mixed(contests)
    assert (
        by_pql.sigma == 0.0 and np.isnan(by_pql.sigma_se) and found.sigma == 0.0 and np.isnan(found.sigma_se)
    )
    assert (found.lr, found.p) == (0.0, 1.0) and np.isnan(found.covariance[-1, -1])
    for beta in (by_pql.joint.theta[35:], found.beta):
        assert close(np.round(beta, 9), [0.609311521, 0.089279689, 2.381295595], 1.1e-9)
    profile = profile_sigma(contests, np.array([0.0, 0.1, 0.3]))
    assert np.round(-2 * profile, 7).tolist() == [85.3956653, 85.4188809, 85.6020163]


TIGHT = (
    "control = BradleyTerry2::glmmPQL.control(tol = 1e-14, maxiter = 500, IWLSiter = 200), epsilon = 1e-14"
)


@pytest.mark.r("BradleyTerry2")
def test_lizards_have_the_vignettes_numbers_and_those_of_a_tighter_r() -> None:
    found = fit_pql(of_lizards("SVL"))
    assert round(found.joint.theta[-1], 4) == 0.2051 and round(found.joint.standard_errors[-1], 4) == 0.1158
    assert round(found.sigma, 3) == 1.126 and round(found.sigma_se, 3) == 0.261
    r = of_r(
        f"""local({{ m <- BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards, {TIGHT})
      s <- summary(m); c(coef(m), s$fixef[, 2], s$ranef[1:2], attr(coef(m), "random")) }})"""
    ).ravel()
    own = [found.joint.theta[-1], found.joint.standard_errors[-1], found.sigma, found.sigma_se]
    assert close(own, r[:4], 1e-11)  # observed 2e-13
    assert close(found.joint.theta[:77], r[4:], 1e-10)


@pytest.mark.r("BradleyTerry2")
def test_a_lizard_that_never_loses_is_named_and_the_others_keep_the_vignettes_numbers() -> None:
    contests = of_lizards("throat.PC1", "throat.PC3", "head.length", "SVL")
    with pytest.raises(NotEstimableError, match="the estimate is infinite .separation.: in 3 of 100 rows"):
        fit_pql(contests)
    limit, k = limiting_contests(fixed_part(contests)), contests.design.n_own
    left = np.setdiff1d(np.arange(contests.design.n_rows), limit.certain)
    rest = Contests(
        contests.design.subset(left).without(k + limit.dropped), contests.wins[left], contests.losses[left]
    )
    found = fit_pql(rest)
    printed = ["0.9531", "-0.08689", "0.3735", "-1.382", "0.1722"]
    for value, text in zip(found.joint.theta[k:], printed):
        assert f"{value:.{len(text.split('.')[1])}f}" == text
    for value, text in zip(
        found.joint.standard_errors[k:], ["1.283", "0.04120", "0.1527", "0.7390", "0.1373"]
    ):
        assert f"{value:.{len(text.split('.')[1])}f}" == text
    assert (round(found.sigma, 4), round(found.sigma_se, 4)) == (1.1099, 0.3223)


@pytest.mark.r("BradleyTerry2")
def test_lizards_bound_sigma_from_below_only() -> None:
    contests = of_lizards("SVL")
    found = fit_mixed(contests)
    assert acyclic(contests) and found.bounded_below_only and np.isnan(found.sigma_se)
    # lme4's own search stopped at 4.58638 with -2 log L 102.287280, 2e-6 above ours.
    assert abs(found.sigma - 4.58638) < 2e-4 and abs(found.beta[0] - 0.896819) < 5e-5
    assert 0 < 102.287280 - -2 * found.llf < 5e-6
    profile = profile_sigma(contests, np.array([0.0, 1.126, 2.0, 3.0, 8.0]))
    assert np.round(-2 * profile, 4).tolist() == [130.5526, 108.7191, 103.7792, 102.5350, 102.5081]


@pytest.mark.r("lme4")
def test_laplace_is_glmers() -> None:
    contests = four_players()
    z = contests.design.rows(np.arange(6))
    n, y = contests.totals, contests.wins

    def vector(values: Any) -> str:
        return f"c({', '.join(repr(float(v)) for v in np.ravel(values))})"

    code = f"""local({{
      suppressMessages(library(lme4)); n <- {vector(n)}; y <- {vector(y)}
      X <- cbind(x = {vector(z[:, 4])}); Z <- matrix({vector(z[:, :4].T)}, 6)
      N <- 6; K <- 4
      no <- glmerControl(check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore")
      gf <- glFormula(y ~ 0 + X + (1 | g), data = c(list(y = y/n, g = factor(rep_len(1:K, N))), list(X = X)),
                      family = binomial(), weights = n, control = no)
      rt <- gf$reTrms; rt$Zt <- as(Matrix::Matrix(t(Z), sparse = TRUE), "dgCMatrix")
      rt$Lambdat <- as(Matrix::Diagonal(K), "dgCMatrix"); rt$Lind <- rep(1L, K); rt$theta <- 1; rt$lower <- 0
      rt$Ztlist <- list(rt$Zt); rt$Gp <- c(0L, K); rt$nl <- c(g = K)
      rt$flist <- structure(list(g = factor(rep_len(1:K, N), levels = 1:K)), assign = 1L)
      df <- mkGlmerDevfun(gf$fr, gf$X, rt, family = binomial(), control = glmerControl(tolPwrss = 1e-13))
      o0 <- optimizeGlmer(df); df <- updateGlmerDevfun(df, rt)
      o <- optimizeGlmer(df, stage = 2, optimizer = "bobyqa", control = list(rhobeg = .1, rhoend = 1e-9))
      c(o$par, o$fval) }})"""
    r, found = of_r(code).ravel(), fit_mixed(contests)
    assert close([found.sigma, found.beta[0]], r[:2], 2e-8)  # bobyqa, without derivatives: observed 3e-9
    assert abs(-2 * (found.llf + log_coefficients(contests)) - r[2]) < 5e-9  # observed 1.1e-9


# -- what changes nothing, and what is refused ---------------------------------------------------------------


@settings(max_examples=5, deadline=None)
@given(st.permutations(range(4)), st.lists(st.booleans(), min_size=6, max_size=6))
def test_relabelling_players_and_swapping_sides_change_nothing(order: list[int], swap: list[bool]) -> None:
    a, b = np.triu_indices(4, 1)
    wins, turned = np.array([3.0, 6, 1, 8, 2, 1]), np.array(swap)
    x = np.array([[0.0], [1], [2], [4]])
    place = np.argsort(order)
    first, second = np.where(turned, b, a), np.where(turned, a, b)
    own = np.where(turned, 10 - wins, wins)
    design = contest_design(place[first], place[second], "ABCD", x[order], ["x"])
    contests = with_effects(Contests(design, own, 10 - own), place[first], place[second], "ABCD")
    found, before = fit_mixed(contests), fit_mixed(four_players())
    assert abs(found.sigma - before.sigma) < 1e-11 and abs(found.llf - before.llf) < 1e-12  # observed 1e-14
    assert close(found.joint.theta[:4], before.joint.theta[:4][order], 1e-10)
    assert abs(fit_pql(contests).sigma - 0.864170689763473) < 1e-12


def test_one_pair_with_a_draw_has_no_variance() -> None:
    # A pair alone: its effects widen the distribution of a probability of 1/2, and nothing is gained by it.
    fixed = Contests(contest_design([0], [1], "AB", np.zeros((2, 0)), []), np.array([5.0]), np.array([5.0]))
    contests = with_effects(fixed, np.array([0]), np.array([1]), "AB")
    found = fit_mixed(contests)
    assert found.sigma == 0.0 and found.p == 1.0


def test_quadrature_over_crossed_effects_of_many_players_is_refused() -> None:
    a, b = np.triu_indices(6, 1)
    fixed = Contests(contest_design(a, b, "ABCDEF", np.arange(6.0)[:, None], ["x"]), np.ones(15), np.ones(15))
    contests = with_effects(fixed, a, b, "ABCDEF")
    with pytest.raises(TooLargeError, match="sets of 6 effects; the limit is 5. Use Laplace's"):
        fit_mixed(contests, method="quadrature")
    with pytest.raises(InputError, match="row 2: a contest between effects of two sets"):
        fit_mixed(contests, method="quadrature", set_size=2)
    with pytest.raises(InputError, match="link 'cauchit' with random effects; expected logit or probit"):
        fit_mixed(contests, "cauchit")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 99), min_size=6, max_size=6))
def test_effects_that_the_fixed_parameters_explain_have_no_sigma(wins: list[int]) -> None:
    """Items without the covariate have abilities of their own: what is left of the effects is rounding, of either
    sign by the processor, and sigma was once the highest that is searched."""
    columns = {
        "first": list("111223"),
        "second": list("234344"),
        "wins": wins,
        "losses": [100 - w for w in wins],
    }
    table = read(columns, item_data={"item": list("1234"), "x": [0, 1, None, None]})
    fit = fit_bradley_terry(table, formula="x + (1 | item)", method="pql")
    assert fit.sigma == 0.0 and np.isnan(fit.sigma_se)
