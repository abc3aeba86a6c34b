"""Terms dropped and added, one after the other, and models side by side, against BradleyTerry2 and by first principles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.bridge.packages.asking import ask
from pairproof.errors import ComparisonError, InputError
from tests.native.comparisons.contests.contests_tables import four_players, judged, separated, with_ties
from tests.native.comparisons.contests.tables import LIZARDS, baseball, chameleons, example, lizards


def statistic(frame: pd.DataFrame, *terms: str) -> list[float]:
    return [float(frame.loc[t, "statistic"]) for t in terms]


def test_home_advantage_is_added_to_baseball_with_five_point_four_on_one_degree() -> None:
    """The specification: truth 5.41 on 1 df, p .0200; R's add1 prints 5.23 on 5 df, p .388."""
    found = pairproof.fit_bradley_terry(baseball(), formula="item").add1(". + at.home")
    assert list(found.index) == ["<none>", "at.home"] and found.attrs["test"] == "likelihood ratio"
    row = found.loc["at.home"]
    # Vignette: deviances 44.053461228573767 and 38.642852143970522.
    assert row["df"] == 1 and row["statistic"] == pytest.approx(
        44.053461228573767 - 38.642852143970522, abs=1e-11  # observed 4e-14
    )
    assert row["p"] == pytest.approx(0.0200, abs=5e-5)
    # AIC differs from R's by the binomial coefficients, which are those of all models: 140.5186 - 137.1080.
    gain = found.loc["<none>", "aic"] - row["aic"]
    assert gain == pytest.approx(140.51860099056498 - 137.10799190596174, abs=1e-11)  # observed 3e-14


@pytest.mark.r("BradleyTerry2")
def test_r_s_own_add1_is_wrong_for_baseball_and_chameleons_as_recorded() -> None:
    code = """
    suppressMessages(suppressWarnings(library(BradleyTerry2))); data(baseball, chameleons, package = "BradleyTerry2")
    baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
    baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
    m <- BTm(cbind(home.wins, away.wins), home.team, away.team, data = baseball, formula = ~ team, id = "team")
    a <- add1(m, ~ . + at.home, test = "Chisq")
    f <- suppressWarnings(BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID], id = "ID", data = chameleons))
    b <- suppressWarnings(add1(f, ~ . + prop.main[ID] + SVL[ID] + log(SVL[ID]), test = "Chisq"))
    truth <- sapply(c("prop.main[ID]", "SVL[ID]", "log(SVL[ID])"), function(t)
      deviance(f) - deviance(suppressWarnings(update(f, as.formula(paste("~ . +", t)), epsilon = 1e-14))))
    list(a = as.numeric(unlist(a[2, c("LRT", "Df", "Pr(>Chi)")])), b = as.numeric(b$LRT[-1]), truth = as.numeric(truth))
    """
    answer = ask("live", "add1", code, {}, ("BradleyTerry2",)).as_list()
    # R's printed digits, of a wrong table: observed 8e-4.
    np.testing.assert_allclose(answer.vector("a").floats(), [5.23, 5, 0.388], rtol=1e-2)  # as printed
    fit = pairproof.fit_bradley_terry(chameleons(), formula="prev.wins.2 + ch.res")
    ours = statistic(fit.add1("prop.main + SVL + log(SVL)"), "prop.main", "SVL", "log(SVL)")
    # R's glm stops at 1e-8 of its deviance: observed 1e-13; its add1 has other numbers in each row.
    np.testing.assert_allclose(ours, answer.vector("truth").floats(), atol=1e-9)
    assert np.all(np.abs(np.array(ours) - answer.vector("b").floats()) > 0.1)


@pytest.mark.r("BradleyTerry2")
def test_terms_of_the_lizards_are_dropped_and_added_in_turn_as_in_r() -> None:
    code = """
    suppressMessages(suppressWarnings(library(BradleyTerry2))); data(flatlizards, package = "BradleyTerry2")
    result <- rep(1, 100)
    f <- ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..]
    m <- suppressWarnings(BTm(result, winner, loser, f, data = flatlizards))
    q <- suppressWarnings(BTm(result, winner, loser, update(f, ~ . + (1 | ..)), data = flatlizards, tol = 1e-12))
    d <- suppressWarnings(drop1(m, test = "Chisq")); a <- suppressWarnings(anova(m)); w <- drop1(q); s <- anova(q)
    list(d = d$LRT[-1], a = a$Deviance[-1], w = w$Statistic, s = s$Statistic[-1])
    """
    answer = ask("live", "lizards", code, {}, ("BradleyTerry2",)).as_list()
    names = LIZARDS.split(" + ")
    fit = pairproof.fit_bradley_terry(lizards(), formula=LIZARDS)
    # R's separated lizards leave a little likelihood where its steps end: observed 9e-8.
    np.testing.assert_allclose(statistic(fit.drop1(), *names), answer.vector("d").floats(), atol=1e-6)
    np.testing.assert_allclose(statistic(fit.anova(), *names), answer.vector("a").floats(), atol=1e-6)
    mixed = pairproof.fit_bradley_terry(lizards(), formula=f"{LIZARDS} + (1 | item)", method="pql")
    dropped = mixed.drop1()
    assert dropped.attrs["test"] == "Wald chi-square"
    # R at tol 1e-12, ours at the fixed point: observed 3e-13.
    np.testing.assert_allclose(statistic(dropped, *names), answer.vector("w").floats(), atol=1e-10)
    np.testing.assert_allclose(statistic(mixed.anova(), *names), answer.vector("s").floats(), atol=1e-10)


def test_a_covariate_with_missing_values_is_tested_beside_the_same_own_abilities() -> None:
    """lizard096 and lizard099 have no throat.PC1; R's add1 stops with "object 'heading' not found"."""
    fit = pairproof.fit_bradley_terry(lizards(), formula="SVL + (1 | item)", method="pql")
    found = fit.add1("throat.PC1")
    assert found.loc["throat.PC1", "df"] == 1
    assert found.loc["throat.PC1", "note"].startswith(
        "lizard096, lizard099 without a value: own ability in both models"
    )
    dropped = pairproof.fit_bradley_terry(lizards(), formula="SVL + throat.PC1").drop1()
    assert "lizard096, lizard099 without a value" in dropped.loc["throat.PC1", "note"]
    assert dropped.loc["throat.PC1", "df"] == dropped.loc["SVL", "df"] == 1


def test_a_main_effect_inside_a_product_is_not_dropped_and_a_factor_goes_as_one() -> None:
    table = example("sound fields, factorial effects")
    wins = np.tile([9.0, 4, 2, 7], 21)
    table = replace(table, wins=wins, losses=12 - wins)
    assert list(pairproof.fit_bradley_terry(table, formula="a*b + c").drop1().index) == ["<none>", "c", "a:b"]
    free = pairproof.fit_bradley_terry(four_players()).drop1()
    assert list(free.index) == ["<none>", "item"] and free.loc["item", "df"] == 3
    found = pairproof.fit_bradley_terry(table, formula="c").add1("a*b")
    assert list(found.index) == ["<none>", "a", "b"] and found.attrs["left_out"][0].startswith("a:b")


def test_sequential_tests_add_up_to_the_whole() -> None:
    fit = pairproof.fit_bradley_terry(four_players(), formula="x + I(x^2)", order_effect=True)
    found = fit.anova()
    assert list(found.index) == ["(no terms)", "x", "I(x^2)", "order"]
    nothing = -60.0 * np.log(2.0)
    # Sums of the same numbers: observed 0.
    assert found["statistic"].sum() == pytest.approx(2.0 * (fit.llf - nothing), abs=1e-10)
    between = pairproof.anova(pairproof.fit_bradley_terry(four_players(), formula="x"), fit)
    assert between["df"].iloc[1] == 2
    # Sums of the same numbers: observed 0.
    assert between["statistic"].iloc[1] == pytest.approx(found["statistic"].iloc[2:].sum(), abs=1e-10)


def test_marginal_likelihoods_of_random_effects_are_compared() -> None:
    fit = pairproof.fit_bradley_terry(four_players(), formula="x + (1 | item)", method="laplace")
    without = pairproof.fit_bradley_terry(four_players(), formula="(1 | item)", method="laplace")
    # The same two fits, made again: observed 0.
    assert statistic(fit.drop1(), "x") == [pytest.approx(2.0 * (fit.llf - without.llf), abs=1e-12)]
    assert statistic(without.add1("x"), "x") == [pytest.approx(2.0 * (fit.llf - without.llf), abs=1e-12)]


def test_with_reduced_bias_the_penalised_likelihood_is_that_of_the_larger_model_in_both() -> None:
    """Two items: the statistic is 2 (l*(b^) - l*(0)), l* = l + log(n p q) / 2."""
    table = pairproof.Comparisons.build("AB", [0], [1], [4], None, [0])
    fit = pairproof.fit_bradley_terry(table, reduce_bias="mean", reference="B")
    found = fit.drop1()
    p = 0.9  # (4 + 1/2) / 5
    expected = 2 * ((4 * np.log(p) + 0.5 * np.log(4 * p * (1 - p))) - (4 * np.log(0.5) + 0.5 * np.log(1.0)))
    assert found.attrs["test"] == "penalised likelihood ratio"
    # The same test by another call: observed 0.
    assert statistic(found, "item") == [pytest.approx(expected, abs=1e-12)]
    assert np.isnan(found["aic"]).all()


def test_separation_is_said_beside_the_test() -> None:
    row = pairproof.fit_bradley_terry(separated()).drop1().loc["item"]
    assert row["df"] == 3 and row["note"] == "separated (B, C, D infinite): the chi-square is rough"


def test_models_without_a_formula_have_terms_too() -> None:
    fit = pairproof.fit_llbt(judged(), by="judge")
    found = fit.anova()
    assert list(found.index) == ["(no terms)", "item", "judge"] and found.loc["judge", "df"] == 14
    assert list(fit.drop1().index) == ["<none>", "judge"]
    free = pairproof.fit_llbt(judged())
    # The same two fits, made again: observed 0.
    assert statistic(found, "judge") == [pytest.approx(2.0 * (fit.llf - free.llf), abs=1e-12)]
    table = pairproof.read(
        {
            "first": ["A", "B", "A"],
            "second": ["B", "C", "C"],
            "wins": [6, 5, 8],
            "losses": [4, 4, 3],
            "z": [1.0, -2.0, 0.5],
        }
    )
    other = pairproof.fit_bradley_terry(table, comparison_terms="z").drop1()
    assert list(other.index) == ["<none>", "item", "z"] and other.loc["z", "df"] == 1


def test_what_the_data_do_not_tell_apart_has_no_degrees_of_freedom() -> None:
    table = four_players()
    table = replace(table, item_data={**table.item_data, "double": np.array([0.0, 2, 4, 8])})
    row = pairproof.fit_bradley_terry(table, formula="x").add1("double").loc["double"]
    assert row["df"] == 0 and np.isnan(row["statistic"])
    assert "the item covariate double cannot be distinguished from x" in row["note"]


def test_refusals_say_what_to_do() -> None:
    fit = pairproof.fit_bradley_terry(judged())
    with pytest.raises(ComparisonError, match="fit.wald"):
        fit.clustered("judge").drop1()
    with pytest.raises(ComparisonError, match="quasi-likelihood"):
        pairproof.fit_bradley_terry(with_ties(), ties="half").anova()
    with pytest.raises(InputError, match="has all of these terms already"):
        fit.add1("item")
    with pytest.raises(InputError, match="maximises nothing"):
        pairproof.fit_bradley_terry(separated(), reduce_bias="median").drop1()


@settings(max_examples=20)  # each example is two fits with all their tests
@given(st.integers(0, 2**16))
def test_permuted_rows_and_swapped_sides_leave_every_test_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = four_players()
    order, swap = rng.permutation(table.n_rows), rng.random(table.n_rows) < 0.5
    a, b, w, l = (v[order] for v in (table.first, table.second, table.wins, table.losses))
    other = pairproof.Comparisons.build(
        "ABCD", np.where(swap, b, a), np.where(swap, a, b), np.where(swap, l, w), None, np.where(swap, w, l),
        item_data=table.item_data,
    )  # fmt: skip
    one, two = (pairproof.fit_bradley_terry(t, formula="x + I(x^2)").drop1() for t in (table, other))
    # Sums in another order: observed 0 on the examples tried, at most rounding.
    np.testing.assert_allclose(one["statistic"], two["statistic"], atol=1e-10)


def test_with_reduced_bias_two_sets_have_the_sum_of_their_statistics() -> None:
    """Jeffreys' prior of two sets that were never compared is the product of those of each."""
    build = pairproof.Comparisons.build
    both = build("ABCDE", [0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [3, 2, 4, 1, 3], None, [2, 4, 1, 5, 2])
    one = build("AB", [0, 1], [1, 0], [3, 2], None, [2, 4])
    other = build("CDE", [0, 1, 2], [1, 2, 0], [4, 1, 3], None, [1, 5, 2])
    found = [
        pairproof.fit_bradley_terry(t, reduce_bias="mean").drop1().loc["item"] for t in (both, one, other)
    ]
    assert [float(row["df"]) for row in found] == [3.0, 1.0, 2.0]
    # Observed 5e-15; each maximum is right to 1e-12.
    assert found[0]["statistic"] == pytest.approx(found[1]["statistic"] + found[2]["statistic"], abs=1e-10)


def test_a_term_beside_one_that_is_the_same_for_all_items_is_not_said_to_have_no_degrees_of_freedom() -> None:
    table = four_players()
    same = pairproof.data.columns.Factor(np.zeros(len(table.items), int), ("a",))
    table = replace(table, item_data={**table.item_data, "same": same})
    found = pairproof.fit_bradley_terry(table, formula="x + same").drop1()
    assert np.isnan(found.loc["x", "df"]) and np.isnan(found.loc["x", "p"])
    assert "same are the same for all items" in found.loc["x", "note"]
    assert found.loc["same", "df"] == 0 and "do not distinguish it" in found.loc["same", "note"]


def test_a_covariate_of_the_comparison_alone_cancels_and_the_note_has_the_term_that_does_not():
    rows = {"first": [*"AABB"], "second": [*"BBAA"], "outcome": ["first", "second"] * 2, "sex": [*"fmfm"]}
    note = pairproof.fit_llbt(pairproof.read(rows)).add1("sex").loc["sex", "note"]
    assert "sex is the same for both items and cancels; sex:item is its effect on the items" in note
