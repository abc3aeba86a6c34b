"""What BradleyTerry2 does with its models, its defects among them, replayed from records."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pairproof.bridge import package_data
from pairproof.bridge.packages import bradleyterry2 as bt
from pairproof.errors import RError
from tests.bridge.conftest import digits
from tests.bridge.packages.bradleyterry2.cases import backend, data, model
from tests.read_in_place import in_place

LIZARDS = ["throat.PC1[..]", "throat.PC3[..]", "head.length[..]", "SVL[..]"]


def test_drop1_and_anova_of_baseball_are_likelihood_ratios():
    home = model("baseball home")
    table = bt.drop1(home, test="Chisq", backend=backend()).frame()
    # The truth of the specification: 5.41 on 1 df, p .0200.
    # R's p to three digits as the specification prints it: observed 7e-4 of it.
    assert table.loc["at.home", ["Df", "LRT", "Pr(>Chi)"]].tolist() == pytest.approx([1, 5.41, 0.0200], rel=1e-3)  # fmt: skip
    both = bt.anova(model("baseball"), home, test="Chisq", backend=backend()).frame()
    assert both["Deviance"].iloc[1] == pytest.approx(table.loc["at.home", "LRT"], rel=1e-12)  # observed 0
    one_by_one = bt.anova(home, backend=backend())
    assert one_by_one.rows == ("NULL", "team", "at.home") and "Resid. Dev" in one_by_one.columns


def test_the_wrong_table_of_add1_is_rs_and_comes_over_as_it_is():
    # Specification, section 3: R says 5.23 on 5 df, p .388, where the truth is 5.41 on 1 df.
    row = bt.add1(model("baseball with home to add"), "~ . + at.home", "Chisq", backend=backend()).frame().loc["at.home"]  # fmt: skip
    assert row[["Df", "LRT", "Pr(>Chi)"]].tolist() == pytest.approx([5, 5.23, 0.388], abs=5e-3)


def test_terms_of_a_random_effects_model_are_tested_by_walds_statistic():
    fit = model("lizards 3.2")
    dropped = bt.drop1(fit, test="Chisq", backend=backend())
    assert dropped.columns == ("Statistic", "Df", "P(>|Chi|)")
    # One column a term: z squared.  Observed 2e-16.
    np.testing.assert_allclose(dropped.values[:, 0], (fit.coef / fit.se)[2:] ** 2, rtol=1e-9)
    added = bt.add1(model("lizards add1"), "~ . + head.length[..] + SVL[..]", "Chisq", backend=backend())
    assert added.rows == tuple(LIZARDS[2:]) and "Single term additions" in added.heading[0]
    assert bt.anova(fit, backend=backend()).rows == ("NULL", *LIZARDS)
    with pytest.raises(RError, match="same random effects"):
        bt.anova(fit, model("lizards no error"), backend=backend())


def test_predictions_are_with_and_without_the_random_effects():
    fit = model("lizards 3.1")
    both = bt.predict(fit, level=(0, 1), se_fit=True, backend=backend())
    assert both.columns == ("population", "individual") and both.fit.shape == both.se.shape == (100, 2)
    alone = bt.predict(fit, level=0, backend=backend())
    assert alone.columns == ("population",) and alone.se.shape == (0, 1)
    np.testing.assert_array_equal(alone.fit[:, 0], both.fit[:, 0])
    np.testing.assert_array_equal(bt.predict(fit, backend=backend()).fit[:, 0], both.fit[:, 1])
    assert (both.se[:, 1] > both.se[:, 0]).all()
    chances = bt.predict(fit, level=1, type="response", backend=backend()).fit[:, 0]
    # The same number in another way, rounding alone; observed 2e-16.
    np.testing.assert_allclose(chances, 1 / (1 + np.exp(-both.fit[:, 1])), rtol=1e-12)
    terms = bt.predict(model("lizards 3.2"), type="terms", se_fit=True, backend=backend())
    assert terms.columns == ("(separate)", *LIZARDS) and terms.fit.shape == (100, 5)
    with pytest.raises(RError, match="invalid for atomic vectors"):
        bt.predict(model("lizards 3.2"), type="terms", backend=backend())


def test_levels_dropped_from_new_data_give_rs_wrong_prediction_and_all_levels_the_right_one():
    fit = model("baseball")
    teams = list(fit.players)

    def game(levels: list[str]) -> pd.DataFrame:
        sides = {"home.team": ["Boston"], "away.team": ["Detroit"]}
        return pd.DataFrame({k: pd.Categorical(v, levels) for k, v in sides.items()})

    right = bt.predict(fit, game(teams), backend=backend()).fit[0, 0]
    wrong = bt.predict(fit, game(["Boston", "Detroit"]), backend=backend()).fit[0, 0]
    # The same sum: observed 0.
    assert right == pytest.approx(fit.estimate("teamBoston") - fit.estimate("teamDetroit"), rel=1e-12)
    assert (round(float(right), 3), round(float(wrong), 3)) == (-0.329, -1.436)


def test_residuals_are_of_contests_or_grouped_by_player():
    home = model("baseball home")
    values = {t: bt.residuals(home, t, backend=backend()) for t in ("deviance", "pearson", "working", "response")}  # fmt: skip
    # The vignette calls the first of these numbers "Pearson": .556 is the deviance residual, .409 would be
    # Pearson's.
    lizard = model("lizards 3.2")
    first = [bt.residuals(lizard, t, backend=backend()).values[0] for t in ("deviance", "pearson")]
    assert [round(float(v), 3) for v in first] == [0.556, 0.409]
    assert (values["deviance"].values ** 2).sum() == pytest.approx(
        home.deviance, rel=1e-12
    )  # rounding; observed 0
    grouped = bt.residuals(model("springall"), "grouped", backend=backend())
    assert len(grouped.names) == len(grouped.values) == len(grouped.weights) == 9
    # Weighted residuals are orthogonal to what the model holds: the help page's own check. Observed 2e-16.
    assert abs((grouped.values * grouped.weights).sum()) < 1e-9
    with pytest.raises(RError, match="non-conformable"):
        bt.residuals(model("sound fields"), "grouped", backend=backend())


def test_the_model_matrix_is_the_difference_of_both_players():
    x = bt.model_matrix(model("baseball home"), backend=backend())
    assert x.names == model("baseball home").names and x.values.shape == (42, 7)
    assert set(np.unique(x.values)) == {-1.0, 0.0, 1.0} and (x.values[:, 6] == 1).all()
    fit = model("baseball home")
    np.testing.assert_allclose(x.values @ fit.coef, fit.eta, atol=1e-13)  # rounding; observed 0


def test_quasi_variances_are_those_of_the_help_page():
    found = bt.qvcalc(model("baseball home"), backend=backend())
    assert found.items == model("baseball home").players
    # Quasi-variances give the standard error of a difference to 4 or 5 digits where qvcalc stops; observed
    # .003.
    boston = np.sqrt(found.quasi_variance[:2].sum())
    assert boston == pytest.approx(model("baseball home").standard_error("teamBoston"), rel=0.02)
    with pytest.raises(RError):
        bt.qvcalc(model("lizards 3.2"), backend=backend())


def test_two_players_stop_btabilities():
    two = bt.BTm([[3, 1]], ["a"], ["b"], backend=backend())
    # glm stops at 1e-8 of the deviance, which is 0 here; observed 2e-16.
    assert digits(two.coef[0], -np.log(3)) > 7
    with pytest.raises(RError, match="non-conformable arguments"):
        bt.BTabilities(two, backend=backend())


def test_positions_as_a_subset_count_every_row_twice_and_truth_values_do_not():
    calls = {}
    rows = np.arange(1, 11)
    for name, subset in (("positions", rows.astype(float)), ("truths", np.isin(np.arange(1, 43), rows))):
        sides = ("cbind(home.wins, away.wins)", "home.team", "away.team")
        calls[name] = bt.BTm(*sides, id="team", data=data("baseball"), subset=subset, backend=backend())
    assert (calls["positions"].used, calls["truths"].used) == (20, 10)
    ratio = calls["truths"].standard_error("teamDetroit") / calls["positions"].standard_error("teamDetroit")
    assert ratio == pytest.approx(np.sqrt(2), rel=1e-6)  # observed 3e-9


def test_calibration_bins_are_returned():
    rng = np.random.default_rng(3)
    names = [
        f"p{k:03d}" for k in range(400)
    ]  # no two fitted probabilities are equal: R puts equal ones into one bin
    first, second, ability = names[:200], names[200:], dict(zip(names, rng.normal(size=400).tolist()))
    won = rng.random(200) < 0.6
    found = bt.plotProportions(won, None, ~won, first, second, ability, backend=backend())
    assert len(found.win) == len(found.win_bin) == 10 and not len(found.tie)
    assert (np.diff(found.win_bin) > 0).all()
    assert found.win.mean() == pytest.approx(won.mean(), abs=1e-12)  # ten bins of 20; observed 1e-16
    result = rng.choice([1, 0, -1], 200, p=[0.5, 0.2, 0.3])
    home = np.ones(200, bool)
    ties = bt.plotProportions(
        result == 1, result == 0, result == -1, first, second, ability, home_adv=0.3, tie_max=-1.0, tie_scale=0.1,
        tie_mode=0.2, at_home1=home, at_home2=~home, backend=backend(),
    )  # fmt: skip
    assert len(ties.tie) == len(ties.tie_bin) == 10
    assert ties.tie.mean() == pytest.approx((result == 0).mean(), abs=1e-12)  # ten bins of 20; observed 1e-16


def test_pql_of_any_design_is_that_of_the_help_page():
    seeds = model("seeds").frame()
    # Breslow and Clayton's table, as BradleyTerry2's help prints it.
    assert [round(float(v), 4) for v in seeds["estimate"]] == [-0.3754, -0.3634, 1.0116, 0.3524]
    assert model("seeds interaction").names == ("(Intercept)", "seed", "extract", "seed:extract")
    plain = bt.glmmPQL("cbind(r, n - r) ~ seed", data=data("seeds"), backend=backend())
    assert plain.fitter == "glm" and np.isnan(plain.sigma)


def test_data_of_a_users_own_are_the_same_as_rs():
    tables = in_place("BradleyTerry2", lambda: package_data("BradleyTerry2", "flatlizards", backend="live"))
    assert isinstance(tables, dict) and list(tables) == ["contests", "predictors"]
    mine = bt.BTm(1, "winner", "loser", "~ SVL[..] + (1|..)", data=tables, backend=backend())
    same = model("lizards 3.1")
    np.testing.assert_array_equal(mine.coef, same.coef)
    assert mine.sigma == same.sigma and mine.random_names == same.random_names


@pytest.mark.r("BradleyTerry2", "gnm")
def test_every_function_that_bradleyterry2_exports_is_here():
    from pairproof.bridge.process.session import session

    code = "n <- getNamespaceExports('BradleyTerry2'); sort(n[vapply(n, function(f) is.function(getExportedValue('BradleyTerry2', f)), NA)])"
    exported = session().call(code=code, needs=("BradleyTerry2",)).value.values.tolist()
    assert len(exported) >= 8
    assert [name for name in exported if not hasattr(bt, name.replace(".", "_"))] == []
    code = "x <- unclass(utils::methods(class = 'BTm')); sub('[.,].*', '', x)"
    methods = session().call(code=code, needs=("BradleyTerry2",)).value.values.tolist()
    here = {"formula", "print"}  # of which an R object alone has any use
    assert [m for m in methods if m not in here and not hasattr(bt, m) and m != "model"] == []


@pytest.mark.r("BradleyTerry2", "gnm")
def test_predictors_of_gendavidson_may_be_formulas():
    counts = ([*"cbcb"], [*"aaba"], [30, 20, 25, 18], [4, 5, 6, 7], [10, 20, 12, 19])
    sides = {"at_home1": [1, 1, 0, 0], "at_home2": [0, 0, 1, 1]}
    plain = bt.GenDavidson(*counts, home_adv=True, **sides, backend="live")
    as_formula = bt.GenDavidson(*counts, home_adv="~ 1", **sides, backend="live")
    # The same model; gnm starts at the same seed. Observed 0.
    assert plain.params() == pytest.approx(as_formula.params(), rel=1e-10)
    seasons = bt.GenDavidson(*counts, tie_max="~ s", data={"s": ["u", "v", "u", "v"]}, backend="live")
    assert seasons.names == ("tie.max(Intercept)", "tie.maxsv", "b", "c")
    alone = bt.GenDavidson(*counts, backend="live")
    assert seasons.deviance < alone.deviance and seasons.df_residual == alone.df_residual - 1
