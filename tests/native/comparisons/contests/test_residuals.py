"""Residuals of contests and of items: the vignette's, R's, and what R has none of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.bridge.packages.asking import ask
from pairproof.errors import InputError
from tests.native.comparisons.contests.contests_tables import four_players, separated, with_ties
from tests.native.comparisons.contests.tables import LIZARDS, baseball, lizards


def of_lizards(**options: object) -> pairproof.Fit:
    return pairproof.fit_bradley_terry(lizards(), formula=f"{LIZARDS} + (1 | item)", method="pql", **options)


def test_residuals_of_the_lizards_are_those_of_the_vignette_by_their_right_name() -> None:
    """Printed as Pearson's: 0.556 0.664 0.220 0.153; they are deviance residuals, and the first Pearson is .409."""
    fit = of_lizards()
    np.testing.assert_array_equal(
        fit.contest_residuals("deviance")["deviance"].head(4).round(3), [0.556, 0.664, 0.220, 0.153]
    )
    assert fit.contest_residuals("pearson")["pearson"][0].round(3) == 0.409


@pytest.mark.r("BradleyTerry2")
def test_every_kind_and_the_grouped_ones_are_r_s_with_random_effects() -> None:
    code = """
    suppressMessages(suppressWarnings(library(BradleyTerry2))); data(flatlizards, package = "BradleyTerry2")
    result <- rep(1, 100)
    q <- suppressWarnings(BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..] + (1 | ..),
      data = flatlizards, tol = 1e-12))
    g <- residuals(q, "grouped")
    list(d = residuals(q, "deviance"), p = residuals(q, "pearson"), w = residuals(q, "working"), r = residuals(q, "response"),
      g = as.numeric(g), gw = as.numeric(attr(g, "weights")), n = nrow(g))
    """
    answer = ask("live", "lizards' residuals", code, {}, ("BradleyTerry2",)).as_list()
    fit = of_lizards()
    found = fit.contest_residuals()
    seen = found["weight"] > 0
    for ours, theirs in (("deviance", "d"), ("pearson", "p"), ("response", "r"), ("working", "w")):
        # R at tol 1e-12, its separated lizard at 37 and not infinite: observed 8e-14.
        np.testing.assert_allclose(found[ours][seen], answer.vector(theirs).floats()[seen], atol=1e-11)
    items = fit.item_residuals()
    there = items["weight"].to_numpy() > 0
    assert list(np.array(items["item"])[~there]) == ["lizard096"]  # its results are certain in the limit
    np.testing.assert_allclose(items["residual"][there], answer.vector("g").floats()[there], atol=1e-11)
    np.testing.assert_allclose(items["weight"][there], answer.vector("gw").floats()[there], atol=1e-11)


def test_free_abilities_leave_no_item_residuals_and_subsets_have_theirs() -> None:
    """R's residuals(m, "grouped") stops with "non-conformable arguments" after any subset."""
    table = baseball()
    fit = pairproof.fit_bradley_terry(table, formula="item + at.home", subset=np.arange(42) != 3)
    found = fit.item_residuals()
    assert np.abs(found["residual"]).max() < 1e-12  # the score equations: observed 3e-15
    assert found["contests"].sum() == 2 * fit.n_comparisons
    one = pairproof.fit_bradley_terry(table, formula="item + at.home")
    rows = one.contest_residuals()
    # Of each row given its contests: the deviance is the sum of squares.
    assert (rows["deviance"] ** 2).sum() == pytest.approx(38.642852143970522, abs=1e-11)  # observed 1e-14


@pytest.mark.parametrize("options", [{}, {"offset": np.zeros(3)}, {"ties": "half"}, {"ties": "drop"}])
def test_with_ties_the_score_counts_a_tie_as_a_half(options: dict[str, object]) -> None:
    table = with_ties()
    fit = pairproof.fit_bradley_terry(table, **options)
    rows = fit.contest_residuals()
    n = table.wins + table.losses + (0 if options.get("ties") == "drop" else table.ties)
    half = 0 if options.get("ties") == "drop" else table.ties / 2
    np.testing.assert_allclose(rows["score"], (table.wins + half) / n, atol=1e-15)
    # Free abilities reproduce every item's score: observed 1e-13.
    assert np.abs(fit.item_residuals()["residual"]).max() < 1e-10
    if options.get("ties") != "half":
        assert (rows["deviance"] ** 2).sum() == pytest.approx(
            fit.deviance, abs=1e-12
        )  # the same sum: observed 5e-15


def test_scales_and_engines_have_the_same_residuals() -> None:
    table = four_players()
    one = pairproof.fit_bradley_terry(table, item_terms=["x"])
    for other in (
        one.on_scale("lambda"),
        pairproof.fit_llbt(table, item_terms=["x"]),
        pairproof.fit_bradley_terry(table, formula="x", offset=np.zeros(6)),
    ):
        # The same numbers in another order: observed rounding of 1e-16.
        pd.testing.assert_frame_equal(one.contest_residuals(), other.contest_residuals(), atol=1e-12)


@pytest.mark.r
def test_probit_and_cauchit_have_the_residuals_of_glm() -> None:
    table = four_players()
    for link in ("probit", "cauchit"):
        fit = pairproof.fit_bradley_terry(table, formula="x", link=link)
        code = f"""
        x <- c(0, 1, 2, 4); a <- c({", ".join(map(str, table.first + 1))}); b <- c({", ".join(map(str, table.second + 1))})
        w <- c({", ".join(map(str, table.wins))}); d <- x[a] - x[b]
        g <- glm(cbind(w, 10 - w) ~ 0 + d, family = binomial("{link}"), epsilon = 1e-15, maxit = 100)
        g <- suppressWarnings(update(g, start = coef(g)))
        list(d = residuals(g, "deviance"), p = residuals(g, "pearson"), w = residuals(g, "working"), r = residuals(g, "response"),
          k = weights(g, "working"))
        """
        answer = ask("live", f"residuals {link}", code, {}, ()).as_list()
        found = fit.contest_residuals()
        for ours, theirs in (
            ("deviance", "d"),
            ("pearson", "p"),
            ("working", "w"),
            ("response", "r"),
            ("weight", "k"),
        ):
            # glm stops at a small change of its deviance: observed 2e-9 (weights of cauchit).
            np.testing.assert_allclose(found[ours], answer.vector(theirs).floats(), rtol=1e-7)


def test_a_certain_result_leaves_nothing_and_an_item_of_certain_results_has_no_residual() -> None:
    fit = pairproof.fit_bradley_terry(separated())
    rows = fit.contest_residuals()
    assert (rows.loc[:2, ["deviance", "pearson", "response", "working", "weight"]] == 0).all(axis=None)
    items = fit.item_residuals().set_index("item")
    assert np.isnan(items.loc["A", "residual"]) and items.loc["A", "contests"] == 15
    assert np.isfinite(items.loc["B":, "residual"]).all()


def test_rows_without_contests_and_items_without_rows_are_nan() -> None:
    table = pairproof.Comparisons.build("ABC", [0, 0], [1, 1], [3, 0], None, [2, 0])
    fit = pairproof.fit_bradley_terry(table)
    rows = fit.contest_residuals()
    assert np.isnan(
        rows.loc[1, ["score", "fitted", "deviance", "pearson", "working", "weight"]].astype(float)
    ).all()
    items = fit.item_residuals().set_index("item")
    assert items.loc["C", "contests"] == 0 and np.isnan(items.loc["C", "residual"])


def test_models_whose_ties_are_not_halves_have_no_working_residuals() -> None:
    fit = pairproof.fit_bradley_terry(with_ties(), ties="rao-kupper")
    assert "working" not in fit.contest_residuals()
    with pytest.raises(InputError, match="not a function of each contest's score"):
        fit.item_residuals()
    with pytest.raises(InputError, match="kind='raw'"):
        fit.contest_residuals("raw")  # type: ignore[arg-type]  # what a user may write


def test_the_plot_s_line_is_flat_against_a_covariate_of_the_model() -> None:
    from matplotlib.figure import Figure

    table = four_players()
    fit = pairproof.fit_bradley_terry(table, formula="x")
    ax = pairproof.plot_item_residuals(fit, "x", Figure().subplots())
    y = ax.lines[-1].get_ydata()
    # x'W(y - m) = 0 and the items' weights share it out: the vignette's 1e-14; observed 2e-15.
    assert abs(y[1] - y[0]) < 1e-12
    bent = pairproof.plot_item_residuals(fit, np.array([0.0, 1, 4, 16]), Figure().subplots())
    assert abs(np.diff(bent.lines[-1].get_ydata())[0]) > 0.01
    assert pairproof.plot_item_residuals(fit, ax=Figure().subplots()).get_xlabel() == "ability"
    with pytest.raises(InputError, match="is not an item covariate; found x"):
        pairproof.plot_item_residuals(fit, "y", Figure().subplots())
    with pytest.raises(InputError, match="expected matplotlib Axes"):
        pairproof.plot_item_residuals(fit, "x", 3)
