"""Profile intervals of models of contests: where refits with the parameter held have lost the chi-square quantile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import chdtri
from scipy.stats import norm

import pairproof
from pairproof.bridge.packages.asking import ask
from pairproof.errors import InputError
from pairproof.native.comparisons.random_effects.effects_likelihood import profile_sigma
from tests.native.comparisons.contests.contests_tables import four_players, judged, separated, with_ties
from tests.native.comparisons.rows.test_fallback import CASES

QUANTILE = float(chdtri(1, 0.05))


def limits(fit: pairproof.Fit, name: str) -> tuple[float, float]:
    row = fit.profile(name).loc[name]
    return float(row["profile_low"]), float(row["profile_high"])


def by_covariate() -> pairproof.Comparisons:
    """Four players with a covariate, and a column for each row that holds the difference."""
    table = four_players()
    x = np.array([0.0, 1, 2, 4])
    return replace(table, columns={"dx": x[table.first] - x[table.second]})


@pytest.mark.parametrize("link", ["logit", "probit", "cauchit"])
def test_a_refit_with_the_parameter_held_at_a_limit_has_lost_the_quantile(link: str) -> None:
    table = by_covariate()
    one = np.zeros(table.n_rows)
    fit = pairproof.fit_bradley_terry(table, formula="x", link=link, order_effect=True, offset=one)
    for v in limits(fit, "x"):
        assert not isinstance(table.columns["dx"], pairproof.data.columns.Factor)
        held = pairproof.fit_bradley_terry(
            table, formula="1", link=link, order_effect=True, offset=v * np.asarray(table.columns["dx"])
        )
        # The root is sought to 1e-12 and the profile is quadratic there: observed 3e-13.
        assert 2.0 * (fit.llf - held.llf) == pytest.approx(QUANTILE, abs=1e-11)


@pytest.mark.r
def test_r_s_deviance_rises_by_the_quantile_at_both_limits_of_a_probit() -> None:
    table = four_players()
    fit = pairproof.fit_bradley_terry(table, link="probit")
    low, high = limits(fit, "B")
    code = f"""
    first <- c({", ".join(map(str, table.first + 1))}); second <- c({", ".join(map(str, table.second + 1))})
    w <- c({", ".join(map(str, table.wins))}); n <- 10
    X <- diag(4)[first, ] - diag(4)[second, ]
    d <- function(v) {{ g <- glm(cbind(w, n - w) ~ 0 + X[, 3:4], family = binomial("probit"), offset = v * X[, 2],
      epsilon = 1e-14); deviance(g) }}
    full <- deviance(glm(cbind(w, n - w) ~ 0 + X[, 2:4], family = binomial("probit"), epsilon = 1e-14))
    list(rise = c(d({low!r}), d({high!r})) - full)
    """
    rise = ask("live", "held probit", code, {}, ()).as_list().vector("rise").floats()
    # The root is sought to 1e-12, and R's deviances are of order 10: observed 5e-12.
    np.testing.assert_allclose(rise, QUANTILE, atol=1e-10)


@pytest.mark.parametrize("options", [{}, {"reference": "sum"}, {"reference": "C"}])
def test_profiles_of_both_engines_are_the_same(options: dict[str, str]) -> None:
    table = four_players()
    plain = pairproof.fit_bradley_terry(table, **options).profile()
    other = pairproof.fit_bradley_terry(table, offset=np.zeros(6), **options).profile()
    assert list(plain.index) == list(other.index)
    np.testing.assert_allclose(other, plain, atol=1e-11)  # two root searches to 1e-12: observed 6e-13


def test_the_scale_of_a_fit_is_that_of_its_profile() -> None:
    fit = pairproof.fit_bradley_terry(four_players(), offset=np.zeros(6))
    half = fit.on_scale("lambda").profile()
    np.testing.assert_allclose(2.0 * half, fit.profile(), atol=1e-11)  # the same searches: observed 0


def test_separated_sides_are_infinite_and_the_others_those_of_the_plain_engine() -> None:
    asked = {"names": ["A"], "contrasts": [("A", "D"), ("B", "C")]}
    plain = pairproof.fit_bradley_terry(separated(), reference="B").profile(**asked)
    other = pairproof.fit_bradley_terry(separated(), reference="B", offset=np.zeros(6)).profile(**asked)
    np.testing.assert_allclose(other, plain, atol=1e-11)  # nan and inf alike; observed 4e-13
    assert other.loc["A", "profile_high"] == np.inf and 1.4 < other.loc["A", "profile_low"] < 1.5
    probit = pairproof.fit_bradley_terry(separated(), link="probit").profile("B")
    assert probit["profile_low"].tolist() == [-np.inf] and -1 < probit.loc["B", "profile_high"] < 0


def test_what_is_not_connected_has_limits_at_both_infinities() -> None:
    table = pairproof.Comparisons.build("ABCD", [0, 2], [1, 3], [3, 2], None, [1, 4])
    found = pairproof.fit_bradley_terry(table, link="probit").profile()
    assert np.isnan(found.loc["C", "estimate"])
    assert found.loc["C", ["profile_low", "profile_high"]].tolist() == [-np.inf, np.inf]
    assert np.isfinite(found.loc["B"]).all()


def penalised(b: NDArray[np.float64], wins: NDArray[np.float64], x: NDArray[np.float64], n: float) -> float:
    """Log-likelihood plus half the log determinant of the information, written out."""
    eta = x @ b
    p = 1.0 / (1.0 + np.exp(-eta))
    llf = float(wins @ np.log(p) + (n - wins) @ np.log(1.0 - p))
    return llf + 0.5 * float(np.linalg.slogdet(x.T @ ((n * p * (1 - p))[:, None] * x))[1])


def test_the_penalised_profile_is_that_of_heinze_and_schemper() -> None:
    """Two parameters, so that the profile is a search in one dimension of the penalised likelihood, written out here."""
    table = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [5, 5, 3], None, [0, 0, 2])
    fit = pairproof.fit_bradley_terry(table, reduce_bias="mean", reference="A")
    x = np.array([[-1.0, 0], [0, -1], [1, -1]])
    wins = np.array([5.0, 5, 3])
    top = penalised(fit.params[["B", "C"]].to_numpy(), wins, x, 5.0)
    assert fit.penalised == pytest.approx(top, abs=1e-13)  # observed 9e-16
    for v in limits(fit, "B"):
        found = minimize_scalar(
            lambda c: -penalised(np.array([v, c]), wins, x, 5.0), bracket=(v - 1, v), options={"xtol": 1e-12}
        )
        # The golden section stops at 1e-8 of c, of which the value is quadratic: observed 3e-13.
        assert 2.0 * (top + found.fun) == pytest.approx(QUANTILE, abs=1e-11)
    wald = fit.profile("B").loc["B"]
    assert wald["profile_low"] < wald["wald_low"] and wald["profile_high"] < wald["wald_high"]


def test_davidson_s_profile_by_the_general_engine_is_the_plain_one() -> None:
    plain = pairproof.fit_bradley_terry(with_ties()).profile()
    other = pairproof.fit_bradley_terry(with_ties(), offset=np.zeros(3)).profile()
    np.testing.assert_allclose(other, plain, atol=1e-11)  # two root searches to 1e-12: observed 4e-13


def test_laplace_limits_are_where_the_profile_of_the_marginal_likelihood_says() -> None:
    table = by_covariate()
    fit = pairproof.fit_bradley_terry(table, formula="x + (1 | item)", method="laplace")
    assert fit.random_effects is not None
    for v in limits(fit, "x"):
        held = pairproof.fit_bradley_terry(
            table, formula="(1 | item)", offset=v * np.asarray(table.columns["dx"]), method="laplace"
        )
        # The inner search stops at a gradient of 1e-7: observed 5e-16.
        assert 2.0 * (fit.llf - held.llf) == pytest.approx(QUANTILE, abs=1e-11)
    from pairproof.native.comparisons.contests.mixed import mixed_rows
    from pairproof.native.comparisons.contests.specified import contest_rows

    contests = mixed_rows(contest_rows(fit.data, fit.of_contests)).contests
    low, high = limits(fit, "sigma")
    found = profile_sigma(contests, np.array([low, high]))
    np.testing.assert_allclose(
        2.0 * (fit.llf - found), QUANTILE, atol=1e-11
    )  # two searches for the same maximum: observed 2e-14
    # LR of sigma = 0 is 6.15 > 3.84, so that 0 is outside.
    assert 0.0 < low < fit.sigma < high < np.inf


def test_sigma_has_lower_limit_zero_where_the_data_do_not_rule_it_out() -> None:
    table = pairproof.Comparisons.build(
        "ABCD", [0, 0, 1, 2, 1], [1, 2, 2, 3, 3], [5, 4, 5, 5, 4], None, [5, 5, 4, 5, 5]
    )
    fit = pairproof.fit_bradley_terry(table, formula="(1 | item)")
    row = fit.profile().loc["sigma"]
    assert row["estimate"] == 0.0 and np.isnan(row["wald_low"])
    assert row["profile_low"] == 0.0 and 0.2 < row["profile_high"] < 2.0


def test_sigma_of_acyclic_wins_is_bounded_below_only() -> None:
    table = pairproof.Comparisons.build(
        "ABCDEF", [0, 0, 1, 2, 3, 4, 0], [1, 2, 2, 3, 4, 5, 5], np.full(7, 3), None, np.zeros(7)
    )
    fit = pairproof.fit_bradley_terry(table, formula="(1 | item)", method="laplace")
    assert fit.random_effects is not None and [w.kind for w in fit.warnings] == ["sigma-unbounded"]
    low, high = limits(fit, "sigma")
    assert 0.0 < low < fit.sigma and high == np.inf


def test_judges_effects_have_profiles_by_quadrature() -> None:
    fit = pairproof.fit_bradley_terry(judged(), random="item:judge", method="laplace")
    found = fit.profile(contrasts=[("A", "B")])
    assert (
        found.loc["A - B", "profile_low"]
        < found.loc["A - B", "estimate"]
        < found.loc["A - B", "profile_high"]
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"formula": "x + (1 | item)", "method": "pql"}, "has no likelihood to profile"),
        ({"formula": "x", "link": "probit", "reduce_bias": "mean"}, "maximises nothing"),
        ({"formula": "x", "reduce_bias": "median"}, "maximises nothing"),
    ],
)
def test_estimates_that_maximise_nothing_have_no_profile(options: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        pairproof.fit_bradley_terry(four_players(), **options).profile()


def test_contrasts_of_predicted_abilities_have_no_profile() -> None:
    fit = pairproof.fit_bradley_terry(four_players(), formula="x + (1 | item)")
    with pytest.raises(InputError, match="are predictions, not parameters"):
        fit.profile(contrasts=[("A", "B")])


@pytest.mark.parametrize("name", ["x", pytest.param("z", marks=pytest.mark.nightly)])
def test_a_penalised_profile_in_which_scoring_runs_past_the_maximum_still_loses_the_quantile(
    name: str,
) -> None:
    _, _, x, z, won, _ = CASES[2]
    wins = np.array([float(w) for w in won])
    n = len(wins)
    columns = {"x": np.array(x, float), "z": np.array(z, float)}
    nought = np.zeros(n, np.int64)
    table = pairproof.Comparisons.build("AB", nought, nought + 1, wins, None, 1.0 - wins, columns=columns)
    fit = pairproof.fit_bradley_terry(
        table, comparison_terms=["x", "z"], reference="B", link="probit", reduce_bias="jeffreys"
    )
    dense = np.column_stack([np.ones(n), columns["x"], columns["z"]])
    at = ["A", "x", "z"].index(name)

    def penalised(theta: NDArray[np.float64]) -> float:
        eta = dense @ theta
        information = dense.T @ (
            dense * np.exp(2 * norm.logpdf(eta) - norm.logcdf(eta) - norm.logcdf(-eta))[:, None]
        )
        value = np.where(wins > 0, norm.logcdf(eta), norm.logcdf(-eta)).sum()
        return float(value + 0.5 * np.linalg.slogdet(information)[1])

    for v in limits(fit, name):
        held = minimize(
            lambda rest: -penalised(np.insert(rest, at, v)),
            np.delete([fit.params[p] for p in ("A", "x", "z")], at),
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 5000},
        )
        # A search without derivatives: its value is right to 1e-12; observed at most 3e-12.
        assert 2.0 * (fit.penalised + held.fun) == pytest.approx(QUANTILE, abs=1e-8)


def in_two_sets() -> pairproof.Comparisons:
    return pairproof.Comparisons.build(
        "ABCDE", [0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [3, 2, 4, 1, 3], None, [2, 4, 1, 5, 2]
    )


@pytest.mark.parametrize("kind", ["mean", "jeffreys"])
def test_with_reduced_bias_each_of_two_sets_has_the_profile_it_has_alone(kind: str) -> None:
    """Jeffreys' prior of two sets that were never compared is the product of those of each."""
    both = pairproof.fit_bradley_terry(in_two_sets(), reduce_bias=kind).profile()
    alone = pairproof.Comparisons.build("AB", [0, 1], [1, 0], [3, 2], None, [2, 4])
    one = pairproof.fit_bradley_terry(alone, reduce_bias=kind).profile()
    # Observed 3e-13: both searches end at 1e-12 of the limit.
    np.testing.assert_allclose(both.loc["B"], one.loc["B"], atol=1e-10)
    limits = both.loc[["C", "D", "E"], ["profile_low", "profile_high"]].to_numpy()
    assert np.isneginf(limits[:, 0]).all() and np.isposinf(limits[:, 1]).all()


@pytest.mark.parametrize("shift, scale", [(True, False), (False, True), (True, True)])
def test_limits_of_shifted_and_scaled_ties_are_where_another_optimiser_finds_the_quantile_lost(
    shift: bool, scale: bool
) -> None:
    """The likelihood of GenDavidson, written out once more and maximised by scipy with one parameter held."""
    rng = np.random.default_rng(2)
    a, b = np.triu_indices(4, 1)
    first, second = np.concatenate([a, b]), np.concatenate([b, a])
    truth = np.array([1.2, -1.0, 1.8, 0.4, -0.2, *[0.4] * shift, *[0.3] * scale])

    def log_p(theta: np.ndarray) -> np.ndarray:
        ability = np.concatenate([[0.0], theta[:3]])
        one, other = ability[first] + theta[3], ability[second]
        p = 1.0 / (1.0 + np.exp(-theta[5])) if shift else 0.5
        s = np.exp(theta[-1]) if scale else 1.0
        middle = p * one + (1 - p) * other - p * np.log(p) - (1 - p) * np.log(1 - p)
        tie = theta[4] - np.log(2.0) + s * middle + (1 - s) * np.logaddexp(one, other)
        logs = np.stack([one, tie, other], axis=1)
        return np.asarray(logs - np.logaddexp.reduce(logs, axis=1)[:, None])

    counts = np.array([rng.multinomial(400, np.exp(row)) for row in log_p(truth)])
    table = pairproof.Comparisons.build("ABCD", first, second, *counts.T)
    fit = pairproof.fit_bradley_terry(
        table, ties="davidson", order_effect=True, tie_shift=shift, tie_scale=scale
    )
    names = ["tie-shift"] * shift + ["tie-scale"] * scale
    found = fit.profile(names)
    places = {name: list(fit.names).index(name) - 1 for name in names}
    theta = np.delete(fit.beta, 0)
    for name, k in places.items():
        for limit in found.loc[name, ["profile_low", "profile_high"]]:
            assert np.isfinite(limit)
            held = minimize(
                lambda x: -float((counts * log_p(np.insert(x, k, limit))).sum()),
                np.delete(theta, k),
                method="BFGS",
                options={"gtol": 1e-7},
            )
            # BFGS by differences of the likelihood is right to about 1e-8: observed below 2e-11.
            assert 2.0 * (fit.llf + held.fun) == pytest.approx(3.841458820694124, abs=1e-6)
