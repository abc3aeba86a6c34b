"""R's models on Dras's Table 1, in the paper's column order and as prefmod reads the same columns.

Each against values certified to 50 digits (``tests/certified``), with the digits asked for and those
observed.
"""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.bridge.packages.base import binom_test, friedman_test, glm, glm_poisson, qvcalc
from pairproof.bridge.packages.bradleyterry2 import BTabilities, BTm_counts, GenDavidson, countsToBinomial
from pairproof.bridge.packages.gnm import gnm, gnm_llbt, llbt_frame
from pairproof.bridge.packages.mass import polr
from pairproof.bridge.packages.psychotools import btmodel, paircomp_from_counts
from pairproof.errors import RError
from tests.bridge.conftest import ITEMS, Counts, digits

pytestmark = pytest.mark.r

JUDGES = {"o1": "A", "o2": "B", "o3": "C"}


def frame(counts, ties=True, **more):
    wins, losses = counts.wins, counts.losses
    return llbt_frame(
        counts.first, counts.second, wins, losses, counts.ties if ties else None, items=ITEMS, **more
    )


def by_judge(counts):
    cells = [f"{x}{y} {j}" for x, y, j in zip(counts.first, counts.second, counts.judge)]
    return frame(counts, cell=cells, covariates={"judge": counts.judge})


def worst(found, se, true):
    """Smallest number of digits over estimates and over standard errors."""
    names = [n for n in true["params"] if n in found]
    assert len(names) == len([n for n in true["params"] if true["params"][n] is not None]), (
        names,
        true["params"],
    )
    return (
        min(digits(found[n], true["params"][n], true["bse"][n]) for n in names),
        min(digits(se[n], true["bse"][n]) for n in names),
    )


def renamed(model):
    """R's names as the certified files have them: o1 -> A, o1:judgeJ3 -> A:judge[3]."""
    names = {}
    for name in model.names:
        item, _, level = name.partition(":judgeJ")
        names[name] = JUDGES.get(item, item) + (f":judge[{level}]" if level else "")
    return ({names[n]: b for n, b in model.params().items()}, {names[n]: s for n, s in model.bse().items()})


def test_gnm_gives_the_llbt_with_ties(dras_either, certified):
    counts, name = dras_either
    m = gnm_llbt(frame(counts.pooled()))
    true = certified(f"{name}--llbt-davidson")
    estimates, errors = worst(*renamed(m), true)
    assert (estimates > 13, errors > 13) == (True, True), (estimates, errors)  # observed 15.4 and 15.0
    assert digits(m.deviance, true["deviance"]) > 13 and m.df_residual == 8
    assert m.converged and m.estimable == m.names


def test_gnm_as_it_comes_stops_short_of_the_maximum(dras, certified):
    # Its shortcut for linear predictors carries a ridge of 1e-8: 9.7 digits observed. This is why tight is
    # the default.
    true = certified("dras-table1--llbt-davidson")
    estimates, _ = worst(*renamed(gnm_llbt(frame(dras.pooled()), tight=False)), true)
    assert 8.5 < estimates < 11


def test_gnm_gives_the_judges_effects(dras_either, certified):
    counts, name = dras_either
    f = by_judge(counts)
    m = gnm_llbt(f, f.formula(None, "(o1 + o2 + o3):judge"))
    true = certified(f"{name}--llbt-davidson-by-judge")
    estimates, errors = worst(*renamed(m), true)
    assert (estimates > 12, errors > 12) == (True, True), (estimates, errors)  # observed 14.5 and 14.5
    assert digits(m.deviance, true["deviance"]) > 12 and m.df_residual == 35
    assert len(m.eliminated) == 24


@pytest.mark.parametrize(
    ("order", "printed"), [("right", (30.45544, 220.9466)), ("prefmod", (30.64585, 221.2189))]
)
def test_the_deviances_of_the_paper_come_from_the_wrong_column_order(dras, order, printed):
    counts = (dras if order == "right" else dras.read_as_prefmod()).pooled()
    f = frame(counts)
    without_tie = gnm_llbt(f, "y ~ o1 + o2 + o3")
    assert [round(m.deviance, k) for m, k in ((gnm_llbt(f), 5), (without_tie, 4))] == list(printed)
    assert without_tie.df_residual == 9


def test_glm_refitted_from_its_own_solution_has_the_standard_errors(dras_either, certified):
    counts, name = dras_either
    f = frame(counts.pooled())
    true = certified(f"{name}--llbt-davidson")
    m = glm_poisson("y ~ cell + o1 + o2 + o3 + tie", f.data)
    found, se = renamed(m)
    estimates, errors = worst({k: found[k] for k in true["params"]}, {k: se[k] for k in true["params"]}, true)
    assert (estimates > 13, errors > 13) == (True, True), (estimates, errors)  # observed 15.2 and 14.8
    once = glm("y ~ cell + o1 + o2 + o3 + tie", f.data, epsilon=1e-8, refit=False)
    short = digits(once.standard_error("tie"), true["bse"]["tie"])
    assert short < 9, "R's own standard errors were expected to be worse"  # observed 8.4
    assert m.result.source == "live" and m.result.call.text.startswith("stats::glm(formula = y ~ cell")


def test_gnm_keeps_the_order_of_rows_in_its_fitted_values(dras):
    counts = dras.pooled()
    f = frame(counts)
    mixed = np.random.default_rng(5).permutation(18)
    from pairproof.bridge import data_frame, factor_of

    columns = {
        k: factor_of([v[i] for i in mixed]) if isinstance(v, tuple) else v[mixed]
        for k, v in f.columns.items()
    }
    straight, shuffled = gnm_llbt(f), gnm("y ~ o1 + o2 + o3 + tie", data_frame(columns), "cell")
    np.testing.assert_allclose(shuffled.fitted, straight.fitted[mixed], rtol=1e-12)
    np.testing.assert_allclose(shuffled.coef, straight.coef, rtol=1e-12)


def test_what_is_not_estimable_is_not_a_number_however_tight_the_tolerance(dras):
    # glm's rank tolerance is epsilon / 1000: asked tightly, R itself gives numbers of 1e13 for an aliased
    # column.
    f = frame(dras.pooled())
    m = glm("y ~ cell + o1 + o2 + o3 + o4 + tie", f.data)
    assert np.isnan(m.estimate("o4")) and np.isnan(m.standard_error("o4"))
    assert "o4" not in m.estimable and len(m.vcov) == len(m.names) - 1
    assert m.standard_error("tie") == pytest.approx(0.1622917, abs=1e-7)
    g = gnm_llbt(f, "y ~ o1 + o2 + o3 + o4 + tie")
    assert np.isnan(g.estimate("o4")) and g.vcov_names == ("o1", "o2", "o3", "tie")
    assert g.standard_error("o1") == pytest.approx(0.0792879, abs=1e-7)


@pytest.mark.parametrize("variant", ["drop", "half"])
def test_btm_gives_ties_dropped_and_half_wins(dras, certified, variant):
    counts = dras.pooled()
    wins, losses = (counts.wins, counts.losses) if variant == "drop" else counts.half_wins
    m = BTm_counts(wins, losses, counts.first, counts.second, players=ITEMS)
    true = certified(f"dras-table1--bradley-terry-{variant}")
    found = {p: m.ability(p) for p in "BCD"}
    estimates, errors = worst(found, {p: m.ability_se(p) for p in "BCD"}, true)
    assert (estimates > 13, errors > 13) == (True, True), (estimates, errors)  # observed 15.3 and 15.3
    assert digits(m.deviance, true["deviance"]) > 12 and m.df_residual == 3
    warned = [w.message for w in m.result.warnings]
    assert bool(warned) == (variant == "half") and all("non-integer" in w for w in warned)


def test_btabilities_are_the_coefficients_with_a_zero_for_the_reference(dras):
    counts = dras.pooled()
    m = BTm_counts(counts.wins, counts.losses, counts.first, counts.second, refcat="D")
    a = BTabilities(m)
    assert a.players == tuple("ABCD") and a.ability[3] == 0 == a.se[3]
    np.testing.assert_allclose(a.ability[:3], m.coef, rtol=1e-13)
    np.testing.assert_allclose(a.se[:3], m.se, rtol=1e-13)
    assert round(a.ability[0], 7) == 0.8439203 and m.deviance == pytest.approx(18.9338614, abs=1e-7)


def test_btabilities_with_two_players_stops_as_in_version_1_1_2():
    m = BTm_counts([61], [35], ["A"], ["B"])
    assert m.ability("B") == pytest.approx(-2 * 0.2777631, abs=1e-6)
    if m.result.session.packages["BradleyTerry2"] == "1.1-2":
        with pytest.raises(RError, match="non-conformable"):
            BTabilities(m)


def test_the_home_effect_is_for_the_one_at_home_on_either_side():
    def fit(swap):
        rows = [("a", "b", 7, 3, 1), ("b", "c", 4, 4, 1), ("c", "a", 6, 2, 1), ("a", "c", 5, 5, 0)]
        rows = [(y, x, n, w, -h) if swap else (x, y, w, n, h) for x, y, w, n, h in rows]
        x, y, w, n, h = zip(*rows)
        return BTm_counts(w, n, x, y, at_home=h)

    one, two = fit(False), fit(True)
    assert one.estimate("at.home") == pytest.approx(two.estimate("at.home"), rel=1e-12)
    assert one.deviance == pytest.approx(two.deviance, rel=1e-10)
    assert one.estimate("at.home") > 0


def test_gendavidson_is_the_llbt_on_the_log_odds_scale(dras_either, certified):
    counts, name = dras_either
    counts = counts.pooled()
    m = GenDavidson(
        counts.first, counts.second, counts.wins, counts.ties, counts.losses, players=ITEMS, reference="D"
    )
    true = certified(f"{name}--llbt-davidson")
    found = {**{p: m.estimate(p) / 2 for p in "ABC"}, "tie": m.log_nu}
    se = {**{p: m.standard_error(p) / 2 for p in "ABC"}, "tie": m.standard_error("tie.max")}
    estimates, errors = worst(found, se, true)
    assert (estimates > 12, errors > 12) == (True, True), (estimates, errors)  # observed 15.9 and 15.3
    assert digits(m.deviance, true["deviance"]) > 12 and m.df_residual == 8


def test_gendavidson_marks_players_that_are_not_connected():
    m = GenDavidson(["a", "c"], ["b", "d"], [3, 4], [1, 2], [2, 2])
    assert m.estimable == ("tie.max", "b")


def test_gendavidson_refuses_a_home_effect_without_a_home():
    with pytest.raises(ValueError, match="at_home"):
        GenDavidson(["a"], ["b"], [1], [1], [1], home_adv=True)


def test_btmodel_gives_davidson_its_likelihood_and_worths(dras, certified):
    counts = dras.pooled()
    data = paircomp_from_counts(counts.first, counts.second, counts.wins, counts.losses, counts.ties, ITEMS)
    assert data.shape == (160, 6)
    m = btmodel(data, ITEMS)
    true = certified("dras-table1--llbt-davidson")
    found = {p: m.params()[p] / 2 for p in "ABC"} | {"tie": m.params()["(undecided)"]}
    se = {p: m.bse()[p] / 2 for p in "ABC"} | {"tie": m.bse()["(undecided)"]}
    estimates, errors = worst(found, se, true)
    assert (estimates > 10, errors > 7) == (True, True), (
        estimates,
        errors,
    )  # observed 14.7 and 7.6: one fit, no second
    assert digits(m.loglik, true["llf"]) > 13
    assert min(digits(w, true["worth"]["all"][i]) for w, i in zip(m.worth, ITEMS)) > 10
    assert min(digits(s, true["worth_se"]["all"][i]) for s, i in zip(m.worth_se, ITEMS)) > 7


def test_polr_on_rows_and_mirrors_is_rao_kupper(dras, certified):
    counts = dras.pooled()
    table = (counts.first, counts.second, counts.wins, counts.ties, counts.losses)
    m = polr(*table, items=ITEMS)
    true = certified("dras-table1--bradley-terry-rao-kupper-ref-d")
    found, se = m.params(), m.bse()
    rename = {"delta": "tie"}
    estimates, errors = worst(
        {rename.get(k, k): v for k, v in found.items()}, {rename.get(k, k): v for k, v in se.items()}, true
    )
    assert (estimates > 12, errors > 9) == (True, True), (estimates, errors)  # observed 15.3 and 10.4
    assert digits(m.loglik, true["llf"]) > 13 and abs(m.asymmetry) < 1e-14
    as_it_comes = polr(*table, items=ITEMS, polish=False)
    assert 6 < digits(as_it_comes.params()["A"], true["params"]["A"]) < 12  # observed 7.7


def test_polr_takes_an_order_effect_and_says_what_it_cannot_take():
    x, y = ["a", "b", "c", "a"], ["b", "c", "a", "c"]
    m = polr(x, y, [7, 5, 6, 3], [2, 1, 2, 2], [3, 4, 2, 4], items="abc", order=[1, 1, 1, 0])
    back = polr(y, x, [3, 4, 2, 4], [2, 1, 2, 2], [7, 5, 6, 3], items="abc", order=[-1, -1, -1, 0])
    np.testing.assert_allclose(back.coef, m.coef, rtol=1e-10, atol=1e-12)
    assert m.names == ("a", "b", "order", "delta") and m.params()["order"] > 0
    with pytest.raises(ValueError, match="no ties .* boundary"):
        polr(["a"], ["b"], [3], [0], [2], items="ab")
    with pytest.raises(ValueError, match=r"\['z'\]"):
        polr(["a"], ["z"], [3], [1], [2], items="ab")


def test_saturated_two_item_tables_are_fitted_by_gnm_and_glm():
    # Dras's ModPref, (61, 24, 35): o1 = ln(61/35)/2, g1 = ln 24 - (ln 61 + ln 35)/2
    f = llbt_frame(["1"], ["2"], [61], [35], [24], items=["1", "2"])
    o1, g1 = np.log(61 / 35) / 2, np.log(24) - (np.log(61) + np.log(35)) / 2
    for m in (gnm_llbt(f), glm("y ~ o1 + tie", f.data)):
        # Closed forms of a saturated table, to rounding: observed 2e-15.
        assert m.estimate("o1") == pytest.approx(o1, rel=1e-13)
        assert m.estimate("tie") == pytest.approx(g1, rel=1e-13)
        assert m.standard_error("o1") == pytest.approx(np.sqrt(1 / 61 + 1 / 35) / 2, rel=1e-13)
        assert abs(m.deviance) < 1e-12 and m.df_residual == 0


def test_sign_tests_and_friedman_are_rs():
    assert binom_test(61, 96).p_value == pytest.approx(0.0103459131, abs=1e-10)
    assert binom_test(83, 122).p_value == pytest.approx(8.40739e-05, abs=1e-10)
    with pytest.raises(RError, match="nonnegative and integer"):
        binom_test(121.5, 199)
    ranks = friedman_test([[1, 4, 3, 2], [1, 4, 3, 2], [2, 3, 4, 1], [1, 3, 4, 2]])
    # 12 / (4 * 4 * 5) * (5^2 + 14^2 + 14^2 + 7^2) - 3 * 4 * 5, from the sums of ranks
    assert ranks.df == 3 and ranks.statistic == pytest.approx(9.9) and ranks.p_value < 0.05


def test_quasi_variances_reproduce_the_contrasts(dras):
    counts = dras.pooled()
    a = BTabilities(BTm_counts(counts.wins, counts.losses, counts.first, counts.second))
    q = qvcalc(a.vcov, a.players, a.ability)
    approx = np.add.outer(q.quasi_variance, q.quasi_variance)[np.triu_indices(4, 1)]
    exact = (np.add.outer(np.diag(a.vcov), np.diag(a.vcov)) - 2 * a.vcov)[np.triu_indices(4, 1)]
    errors = np.sqrt(approx / exact) - 1
    assert [errors.min(), errors.max()] == pytest.approx(q.worst_errors.tolist(), rel=1e-3)
    with pytest.raises(RError):
        qvcalc(np.eye(2), ["a", "b"])


def test_counts_to_binomial_lists_pairs_and_drops_those_that_never_met():
    b = countsToBinomial([[0, 3, 1], [2, 0, 0], [4, 0, 0]], ["x", "y", "z"])
    assert (b.player1, b.player2) == (("x", "x"), ("y", "z"))
    assert (b.win1.tolist(), b.win2.tolist()) == ([3, 1], [2, 4])
    with pytest.raises(ValueError, match=r"3 x 3 .* found \(2, 3\)"):
        countsToBinomial(np.zeros((2, 3)), ["x", "y", "z"])


def test_missing_values_are_an_error_and_no_row_is_dropped():
    with pytest.raises(RError, match="missing values"):
        glm("y ~ x", {"y": [1.0, 2.0, None], "x": [1.0, 2.0, 3.0]})
    with pytest.raises(RError, match="missing values"):
        gnm("y ~ x", {"y": [1.0, 2.0, None], "x": [1.0, 2.0, 3.0]})


@pytest.mark.parametrize(("broken", "said"), [
    (dict(first=["A"], second=["Z"], wins=[1], losses=[1]), r"\['Z'\] are not among"),
    (dict(first=["A", "B"], second=["B", "A"], wins=[1], losses=[1, 2]), "first has 2 rows, but {'wins': 1}"),
    (dict(first=["A"], second=["B"], wins=[1], losses=[1], covariates={"y": [1]}), "cannot be called 'y'"),
    (dict(first=["A"], second=["B"], wins=[1], losses=[1], order=[1, 1]), "'order': 2"),
])  # fmt: skip
def test_a_wrong_llbt_frame_is_refused_with_the_numbers(broken, said):
    with pytest.raises(ValueError, match=said):
        llbt_frame(**broken, items=["A", "B"])


def test_separation_is_passed_on_as_r_says_it():
    f = llbt_frame(["a", "a", "b"], ["b", "c", "c"], [9, 9, 5], [0, 0, 4], items="abc")
    m = gnm_llbt(f)
    assert m.result.source == "live"
    assert m.standard_error("o1") > 100 or np.isnan(m.estimate("o1")) or not m.converged


def test_a_family_r_does_not_get_is_refused():
    for fit in (glm, gnm):
        with pytest.raises(ValueError, match="family is 'banana'; expected one of"):
            fit("y ~ 1", {"y": [1.0]}, family="banana")


def test_every_function_says_which_packages_it_needs():
    needs = {
        f.__name__: f.needs for f in (glm, gnm, polr, btmodel, BTm_counts, GenDavidson, qvcalc, binom_test)
    }
    assert needs == {
        "glm": (),
        "gnm": ("gnm",),
        "polr": ("MASS",),
        "btmodel": ("psychotools",),
        "BTm_counts": ("BradleyTerry2",),
        "GenDavidson": ("BradleyTerry2", "gnm"),
        "qvcalc": ("qvcalc",),
        "binom_test": (),
    }


def test_counts_are_pooled_over_judges(dras):
    assert isinstance(dras.pooled(), Counts)
    assert sum(map(sum, (dras.pooled().wins, dras.pooled().ties, dras.pooled().losses))) == 960


@pytest.mark.r("BradleyTerry2", "gnm")
def test_gendavidson_gives_every_player_its_own_ability_whatever_the_order_of_the_players():
    """gnm sorts the players itself; taken by position, London would have Barcelona's ability."""
    counts = ([*"cbcb"], [*"aaba"], [30, 20, 25, 18], [4, 5, 6, 7], [10, 20, 12, 19])
    asked = {
        order: GenDavidson(*counts, players=list(order), reference="a") for order in ("abc", "cab", "bca")
    }
    for model in asked.values():
        for player in "bc":
            # The same model, iterated in another order of the players: observed at most 1e-13.
            same = pytest.approx(asked["abc"].estimate(player), rel=1e-9)
            assert model.estimate(player) == same
            same = pytest.approx(asked["abc"].standard_error(player), rel=1e-9)
            assert model.standard_error(player) == same
    assert asked["cab"].estimate("c") > asked["cab"].estimate("b")
