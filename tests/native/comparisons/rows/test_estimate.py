"""Structured Bradley-Terry models: every printed number of the vignette of fixed effects, links, offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.errors import InputError, NotEstimableError
from pairproof.native.comparisons.rows.contest_design import Contests, Design, contest_design
from pairproof.native.comparisons.rows.maximum_likelihood import fit_limiting, fit_structured
from tests.native.comparisons.rows.data import (
    baseball,
    chameleons,
    citations,
    deviance,
    lizards,
    log_coefficients,
    of_r,
)


def aic(contests: Contests, llf: float) -> float:
    """R's, with the binomial coefficients of the rows."""
    return -2.0 * (llf + log_coefficients(contests)) + 2.0 * len(contests.design.names)


def close(a: object, b: object, limit: float) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= limit)


def test_citations_have_the_estimates_of_the_vignette() -> None:
    found = fit_structured(citations())
    # R's 17 digits from the default epsilon, of a quadratic iteration: observed 3e-16, 5e-13, 9e-13.
    assert close(found.theta, [-2.9490724968439093, -0.47956976975199239, 0.2689540558194719], 1e-13)
    assert abs(deviance(citations(), found.theta) - 4.2933839698890637) < 1e-11
    assert abs(aic(citations(), found.llf) - 46.393880654452929) < 1e-9
    other = fit_structured(citations("JASA"))
    assert close(other.theta, [0.47956976975199284, -2.4695027270919181, 0.74852382557146424], 1e-13)
    assert abs(deviance(citations("JASA"), other.theta) - 4.293383969889) < 1e-11


def test_the_maximum_is_that_of_50_digits() -> None:
    mpmath = pytest.importorskip("mpmath", reason="50-digit arithmetic comes with mpmath")
    contests = citations()
    with mpmath.workdps(50):
        x = [[int(v) for v in row] for row in contests.design.rows(np.arange(6))]

        def score(*theta: Any) -> list[Any]:
            p = [1 / (1 + mpmath.exp(-sum(a * b for a, b in zip(row, theta)))) for row in x]
            n, y = contests.totals.tolist(), contests.wins.tolist()
            return [sum((y[r] - n[r] * p[r]) * x[r][k] for r in range(6)) for k in range(3)]

        exact = [float(v) for v in mpmath.findroot(score, [-2.9, -0.4, 0.2])]
    # Doubles: observed 2e-16 relative.
    assert close(fit_structured(contests).theta, exact, 1e-14)


@pytest.mark.r("BradleyTerry2")
def test_baseball_has_every_estimate_and_standard_error_of_the_vignette() -> None:
    table, teams = baseball()
    home, away = table[:, 0].astype(int), table[:, 1].astype(int)
    plain = Contests(contest_design(home, away, teams), table[:, 2], table[:, 3])
    found = fit_structured(plain)
    printed = [1.1076977053723449, 0.68385276915327642, 1.4364084318058052, 1.5813558766547788, 1.2476178451349438,
               1.2944851239053328]  # fmt: skip
    # R's glm takes its covariance one step early: the standard errors agree to 4e-7 only, the estimates, from
    # a last step of 1e-6, to 1e-12.
    assert close(found.theta, printed, 1e-11)
    assert close(found.standard_errors[[0, 5]], [0.33387790816248342, 0.33666909269332967], 1e-6)
    assert abs(deviance(plain, found.theta) - 44.053461228573767) < 1e-11 and plain.n_used - 6 == 36
    assert abs(aic(plain, found.llf) - 140.51860099056498) < 1e-10
    ones = np.ones((len(home), 1))
    with_home = contest_design(home, away, teams, contest_columns=ones, contest_names=["at.home"])
    at_home = Contests(with_home, table[:, 2], table[:, 3])
    found = fit_structured(at_home)
    printed = [1.1438026532973615, 0.70469445690015264, 1.4753572135855642, 1.6195549935783569, 1.2813404032755142,
               1.3271103980716861, 0.30226065552755271]  # fmt: skip
    assert close(found.theta, printed, 1e-11)
    assert abs(found.standard_errors[6] - 0.130943642532349) < 1e-6
    assert abs(deviance(at_home, found.theta) - 38.642852143970522) < 1e-11
    assert abs(aic(at_home, found.llf) - 137.10799190596174) < 1e-10


@pytest.mark.r("BradleyTerry2")
def test_residuals_are_those_of_the_vignette_by_their_right_names() -> None:
    table, teams = baseball()
    home, away = table[:, 0].astype(int), table[:, 1].astype(int)
    games = pairproof.Comparisons.build(teams, home, away, table[:, 2], None, table[:, 3])
    fit = pairproof.fit_bradley_terry(games, order_effect=True)
    found = pairproof.contest_residuals(fit)
    assert found.deviance[:4].round(3).tolist() != found.pearson[:4].round(3).tolist()
    quantiles = [
        -2.0381908448445687,
        -0.4057710570104508,
        0.043258433862347616,
        0.61162859711875639,
        2.260007376238343,
    ]
    assert close(np.quantile(found.deviance, [0, 0.25, 0.5, 0.75, 1]), quantiles, 1e-7)  # R's last step: 2e-8
    grouped = pairproof.item_residuals(fit)
    mean, weight = grouped["residual"].to_numpy(), grouped["weight"].to_numpy()
    r = of_r(
        """local({ b <- baseball
      b$home.team <- data.frame(team = b$home.team, at.home = 1)
      b$away.team <- data.frame(team = b$away.team, at.home = 0)
      m <- BTm(cbind(home.wins, away.wins), home.team, away.team, ~ team + at.home, id = "team", data = b,
               epsilon = 1e-14)
      g <- residuals(m, "grouped"); cbind(g, attr(g, "weights")) })"""
    )
    # Sums to 0 in each column of an unstructured model: what is left is rounding.
    assert close(mean, r[:, 0], 1e-9) and close(weight, r[:, 1], 1e-9)


@pytest.mark.r("BradleyTerry2")
def test_chameleons_have_the_estimates_of_a_fit_without_random_effects() -> None:
    sides, before, covariates = chameleons()
    design = contest_design(
        sides[:, 0].astype(int), sides[:, 1].astype(int), [f"C{k:02}" for k in range(35)], covariates,
        ["ch.res", "prop.main"], contest_columns=before, contest_names=["prev.wins.2"],
    )  # fmt: skip
    found = fit_structured(Contests(design, np.ones(106), np.zeros(106)))
    # The specification's digits.
    assert close(found.theta[[2, 0, 1]].round(9), [2.381295595, 0.609311521, 0.089279689], 1.1e-9)
    assert abs(-2 * found.llf - 85.3956653186) < 1e-9


@pytest.mark.r("BradleyTerry2")
def test_a_lizard_with_missing_covariates_has_an_ability_of_its_own_in_place_of_them() -> None:
    names = ["throat.PC1", "throat.PC3", "head.length", "SVL"]
    sides, covariates = lizards(*names)
    lizards_names = [f"lizard{k}" for k in range(77)]
    design = contest_design(
        sides[:, 0].astype(int), sides[:, 1].astype(int), lizards_names, covariates, names
    )
    contests = Contests(design, np.ones(100), np.zeros(100))
    assert design.n_own == 2
    with pytest.raises(
        NotEstimableError, match=rf"^{design.names[0]}: the estimate is infinite.* in 3 of 100 rows.*row 31"
    ):
        fit_structured(contests)
    found = fit_limiting(contests)
    r = of_r(
        """summary(BTm(1, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..],
                 data = flatlizards, epsilon = 1e-13, maxit = 40))$coefficients[, 1:2]"""
    )
    assert found.theta[0] == np.inf and np.isnan(found.standard_errors[0])
    assert round(found.theta[1], 3) == 0.836 and round(found.standard_errors[1], 3) == 1.159
    # R stops where the probability of the certain contest is 1e-13 off: observed 6e-13 and 9e-13.
    assert close(found.theta[1:], r[1:, 0], 1e-10) and close(found.standard_errors[1:], r[1:, 1], 1e-8)


@pytest.mark.r("BradleyTerry2")
@pytest.mark.parametrize("name", ["probit", "cauchit"])
def test_other_links_agree_with_glm(name: str) -> None:
    table, teams = baseball()
    home, away = table[:, 0].astype(int), table[:, 1].astype(int)
    found = fit_structured(Contests(contest_design(home, away, teams), table[:, 2], table[:, 3]), name)
    r = of_r(
        f"""summary(BTm(cbind(home.wins, away.wins), home.team, away.team, data = baseball,
                 family = binomial("{name}"), epsilon = 1e-15, maxit = 200))$coefficients[, 1:2]"""
    )
    # Scoring converges linearly: observed 3e-9 (cauchit, 1e-15 in the deviance); R's errors are of the
    # expected information.
    assert close(found.theta, r[:, 0], 2e-8)
    assert close(np.sqrt(np.diag(found.expected_covariance)), r[:, 1], 1e-7)
    assert not close(found.standard_errors, r[:, 1], 1e-4)


@pytest.mark.parametrize(
    ("name", "values"), [("probit", (0.8416212335729143, 2.8)), ("cauchit", (1.3763819204711736, 10))]
)
def test_two_players_have_the_quantile_of_the_share_of_wins(name: str, values: tuple[float, float]) -> None:
    contests = Contests(contest_design([0], [1], "AB", reference="B"), np.array([8.0]), np.array([2.0]))
    found = fit_structured(contests, name)
    assert abs(found.theta[0] - values[0]) < 1e-14  # Phi^-1(.8), tan(.3 pi)
    # The maximum is exact there, so the observed information is the expected one: n f^2 / (p q).
    assert close(found.covariance, found.expected_covariance, 1e-12)


def random_contests(seed: int, n: int = 60) -> Contests:
    rng = np.random.default_rng(seed)
    a = rng.integers(5, size=n)
    b = (a + rng.integers(1, 5, size=n)) % 5
    design = contest_design(a, b, "ABCDE", contest_columns=rng.integers(2, size=(n, 1)).astype(float),
                            contest_names=["home"], offset=rng.normal(size=n) / 4)  # fmt: skip
    return Contests(
        design, rng.integers(1, 4, size=n).astype(float), rng.integers(1, 4, size=n).astype(float)
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["logit", "probit", "cauchit"]))
def test_pooling_permuting_and_swapping_sides_change_nothing(seed: int, name: str) -> None:
    contests = random_contests(seed)
    rows, y, n = contests.design, contests.wins, contests.losses
    found = fit_structured(contests, name)
    order = np.random.default_rng(seed).permutation(len(y))
    swapped = Design(rows.second, rows.first, -rows.dense, -rows.offset, rows.names)
    twice = Contests(rows.subset(np.repeat(order, 2)), np.repeat(y[order] / 2, 2), np.repeat(n[order] / 2, 2))
    # Rounding of sums in another order: observed 2e-14.
    for other in (Contests(swapped, n, y), twice):
        again = fit_structured(other, name)
        assert close(again.theta, found.theta, 1e-11) and abs(again.llf - found.llf) < 1e-10
        assert close(again.covariance, found.covariance, 1e-10)


@pytest.mark.parametrize("name", ["logit", "probit", "cauchit"])
def test_score_and_information_are_the_derivatives(name: str) -> None:
    from pairproof.native.comparisons.rows.links import ContestPoint, link

    contests, theta, h = random_contests(5), np.array([0.5, -1.0, 2.0, 0.1, 0.3]), 1e-5
    here = ContestPoint(contests, link(name), theta)
    for k, step in enumerate(np.eye(5) * h):
        up, down = (ContestPoint(contests, link(name), theta + s) for s in (step, -step))
        assert abs((up.value - down.value) / (2 * h) - here.score[k]) < 1e-6  # differences: observed 1e-8
        assert close((down.score - up.score) / (2 * h), here.observed[:, k], 1e-6)


def test_tails_of_the_links_keep_their_digits() -> None:
    from pairproof.native.comparisons.rows.links import link

    mpmath = pytest.importorskip("mpmath", reason="50-digit arithmetic comes with mpmath")
    with mpmath.workdps(200):  # 1 - Phi(25) is 1e-138
        cdf = {
            "logit": lambda t: 1 / (1 + mpmath.exp(-t)),
            "probit": mpmath.ncdf,
            "cauchit": lambda t: mpmath.mpf(1) / 2 + mpmath.atan(t) / mpmath.pi,
        }
        for name, function in cdf.items():
            for eta in (-30.0, -5.0, -0.3, 0.0, 0.7, 4.0, 25.0):
                own = link(name)
                at = np.array([eta])
                exact = [mpmath.diff(lambda t: mpmath.log(function(t)), mpmath.mpf(eta), k) for k in range(4)]
                got = [own.log_cdf(at)[0], *(v[0] for v in own.derivatives(at)), own.third(at)[0]]
                # 1 + t r cancels in the far lower tail of the probit: observed 3e-13 in the second derivative
                # at -30, 6e-8 in the third, 7e-5 of which is what is left of 3e-2.
                for a, b, limit in zip(got, exact, (1e-12, 1e-12, 1e-12, 1e-6)):
                    assert abs(a - float(b)) <= limit * abs(float(b)) + 1e-200, (name, eta, a, b)


def test_separated_and_aliased_parameters_are_named() -> None:
    design = contest_design([0, 0, 1], [1, 2, 2], "ABC", reference="C")
    always = Contests(design, np.array([5.0, 5, 3]), np.array([0.0, 0, 2]))
    with pytest.raises(
        NotEstimableError, match=r"^A: the estimate is infinite \(separation\): in 2 of 3 rows, .*row 1"
    ):
        fit_structured(always)
    found = fit_limiting(always)
    assert found.theta[0] == np.inf and abs(found.theta[1] - np.log(1.5)) < 1e-13
    assert (
        found.certain.tolist() == [0, 1] and abs(found.rest.llf - (3 * np.log(0.6) + 2 * np.log(0.4))) < 1e-12
    )
    x = np.array([[1.0, 2], [2, 4], [5, 10]])
    with pytest.raises(NotEstimableError, match="^x, twice: cannot be distinguished"):
        fit_structured(
            Contests(contest_design([0, 1], [1, 2], "ABC", x, ["x", "twice"]), np.ones(2), np.ones(2))
        )
    parts = contest_design([0, 2], [1, 3], "ABCD")
    with pytest.raises(NotEstimableError, match="^C, D: cannot be distinguished"):
        fit_structured(Contests(parts, np.ones(2), np.ones(2)))


def test_a_covariate_beyond_doubles_is_named_with_its_row() -> None:
    with pytest.raises(InputError, match="contest_columns, row 1, column 'h': inf"):
        contest_design([0], [1], "AB", contest_columns=np.array([[np.inf]]), contest_names=["h"])


def test_a_design_without_an_item_of_its_own_is_the_offset_alone() -> None:
    x = np.zeros((2, 0))
    contests = Contests(
        contest_design([0], [1], "AB", x, [], offset=np.array([np.log(3)])), np.array([1.0]), np.array([1.0])
    )
    found = fit_structured(contests)
    assert len(found.theta) == 0 and abs(found.llf - (np.log(0.75) + np.log(0.25))) < 1e-14
