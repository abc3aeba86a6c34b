"""Links, offsets, reduced bias, general ties and random effects through `fit_bradley_terry`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.data.columns import Factor
from pairproof.errors import ComparisonError, ConvergenceError, InputError, NotEstimableError
from tests.native.comparisons.contests.contests_tables import four_players, judged, separated, with_ties


def test_the_logit_by_this_engine_is_the_logit_of_the_plain_one():
    """An offset of 0 takes the other engine to the same maximum."""
    table = four_players()
    plain = pairproof.fit_bradley_terry(table, item_terms=["x"])
    other = pairproof.fit_bradley_terry(table, item_terms=["x"], offset=np.zeros(table.n_rows))
    assert other.contests is not None and plain.contests is None
    # Two Newton iterations to the same maximum: observed 1e-16.
    np.testing.assert_allclose(other.params, plain.params, rtol=0, atol=1e-13)
    np.testing.assert_allclose(other.bse, plain.bse, rtol=1e-12)  # observed 2e-16
    assert other.deviance == pytest.approx(plain.deviance, rel=1e-12)  # observed 1e-15
    assert (other.df_resid, other.df_null) == (plain.df_resid, plain.df_null)
    assert other.null_deviance == pytest.approx(plain.null_deviance, rel=1e-12)


@pytest.mark.parametrize("options", [{}, {"order_effect": True}, {"reference": "sum"}, {"reference": "C"}])
def test_davidson_by_the_general_engine_is_davidson(options):
    table = with_ties()
    plain = pairproof.fit_bradley_terry(table, **options)
    other = pairproof.fit_bradley_terry(table, offset=np.zeros(table.n_rows), **options)
    assert plain.names == other.names
    # Two iterations to the same maximum: observed 4e-15.
    np.testing.assert_allclose(other.params, plain.params, rtol=0, atol=1e-12)
    np.testing.assert_allclose(other.bse, plain.bse, rtol=1e-11)  # observed 1e-14
    assert other.deviance == pytest.approx(plain.deviance, rel=1e-11)
    assert other.null_deviance == pytest.approx(plain.null_deviance, rel=1e-11)
    assert (other.df_resid, other.df_null) == (plain.df_resid, plain.df_null)
    wanted = plain.probabilities(level=0.9).drop(columns="group")
    found = other.probabilities(level=0.9).drop(columns="group")[list(wanted.columns)]
    # Limits by differences instead of derivatives: observed 1.2e-11.
    np.testing.assert_allclose(
        found.iloc[:, 2:].to_numpy(float), wanted.iloc[:, 2:].to_numpy(float), atol=1e-8
    )


def test_laplace_of_four_players_is_that_of_the_specification():
    """sigma .70671206164 (log's SE .545775), beta .45593646984 (.281477), LR 6.153862862206, p .006556269695924."""
    fit = pairproof.fit_bradley_terry(four_players(), item_terms=["x"], random="item", method="laplace")
    assert fit.random_effects is not None
    # The search stops where the gradient vanishes: observed 3e-12, printed to 11 digits.
    assert fit.sigma == pytest.approx(0.70671206164, abs=1e-10)
    assert fit.params["x"] == pytest.approx(0.45593646984, abs=1e-10)
    assert fit.bse["x"] == pytest.approx(0.281477, abs=1e-6)  # printed to six digits
    assert fit.component().lr == pytest.approx(6.153862862206, abs=1e-10)
    assert fit.p_sigma == pytest.approx(0.006556269695924, abs=1e-12)
    # 10 digits are printed; the modes there are 1.2e-8 off, as they do not sum to 0.
    modes = fit.effects()["effect"]
    np.testing.assert_allclose(modes, [0.144886948, 0.441509310, -0.882661341, 0.296265095], atol=2.5e-8)
    assert abs(modes.sum()) < 1e-12


def test_quadrature_of_eight_judges_is_that_of_the_specification():
    """sigma 1.0890208794, b2 -.3828268145, b3 -.5561834643, log L -34.600610078296 (with binomial coefficients)."""
    fit = pairproof.fit_bradley_terry(judged(), random="item:judge")
    assert fit.of_contests.method == "quadrature"
    assert fit.sigma == pytest.approx(1.0890208794, abs=2e-10)  # printed to 10 decimals; observed 4e-11
    np.testing.assert_allclose(fit.params[["B", "C"]], [-0.3828268145, -0.5561834643], atol=2e-10)
    np.testing.assert_allclose(fit.bse[["B", "C"]], [0.659501, 0.658707], atol=1e-6)
    assert fit.sigma_se == pytest.approx(0.335290, abs=1e-6)


def test_pql_of_four_players_is_that_of_the_specification():
    fit = pairproof.fit_bradley_terry(four_players(), item_terms=["x"], random="item", method="pql")
    # R at tol 1e-13, 15 digits: observed 1e-14.
    assert fit.sigma == pytest.approx(0.864170689763473, abs=1e-12)
    assert fit.params["x"] == pytest.approx(0.441342689294456, abs=1e-12)
    assert fit.bse["x"] == pytest.approx(0.325786347391968, abs=1e-12)
    assert np.isnan(fit.llf) and np.isnan(fit.aic)
    with pytest.raises(ComparisonError, match="no log-likelihood"):
        fit.compare(pairproof.fit_bradley_terry(four_players(), random="item", method="pql"))


def test_contrasts_with_random_effects_are_of_predicted_abilities():
    """BradleyTerry2, level 1 of its PQL fit: eta -.7765452 (.4693594) for players 1 and 2."""
    fit = pairproof.fit_bradley_terry(four_players(), item_terms=["x"], random="item", method="pql")
    found = fit.contrast("A", "B")
    # Printed to 7 decimals: observed 1.1e-8, 3.2e-8 and 1.1e-8.
    assert found.estimate == pytest.approx(-0.7765452, abs=1e-7)  # printed to 7 decimals
    assert found.se == pytest.approx(0.4693594, abs=1e-7)
    assert fit.predicted().params["B"] == pytest.approx(0.7765452, abs=1e-7)


@pytest.mark.parametrize(
    ("kind", "b", "c"),
    [
        ("mean", -2.93135268278164, -3.66827581935505),
        ("jeffreys", -2.93135268278164, -3.66827581935505),
        ("median", -3.95348322823367, -4.65956768506173),
    ],
)
def test_reduced_bias_of_a_separated_table_is_that_of_brglm2(kind, b, c):
    fit = pairproof.fit_bradley_terry(separated(), reduce_bias=kind)
    # brglm2 at epsilon 1e-14: observed 5e-15.
    np.testing.assert_allclose(fit.params[["B", "C", "D"]], [b, c, c], atol=1e-13)
    assert "no goodness of fit" in fit.summary().replace("\n             ", " ")
    with pytest.raises(ComparisonError, match="not the maximum"):
        fit.compare(pairproof.fit_bradley_terry(separated()))


def test_what_is_separated_is_named_and_the_rest_estimated():
    fit = pairproof.fit_bradley_terry(separated(), link="probit", reference="B")
    plain = pairproof.fit_bradley_terry(separated(), reference="B")
    assert fit.not_estimable == plain.not_estimable == ("A",)
    assert (fit.rank, fit.n_infinite, fit.df_resid) == (plain.rank, plain.n_infinite, plain.df_resid)
    assert [w.kind for w in fit.warnings] == ["separated"]
    assert fit.contrast("C", "D").se > 0
    # Certain rows are fitted exactly, so that they leave nothing in the deviance.
    table = fit.cell_table()
    np.testing.assert_array_equal(table.fitted[:3, 0], table.observed[:3, 0])


def test_sets_that_were_never_compared_are_told():
    table = pairproof.Comparisons.build("ABCD", [0, 2], [1, 3], [3, 2], None, [1, 4])
    fit = pairproof.fit_bradley_terry(table, link="cauchit")
    assert fit.not_estimable == ("C", "D") and "A, B | C, D" in str(fit.warnings[0])
    # Its own scale: tan(pi (3/4 - 1/2)) = 1.
    assert fit.contrast("A", "B").estimate == pytest.approx(1.0, abs=1e-12)


def test_reduced_bias_of_sets_that_were_never_compared_is_that_of_each_set():
    """log((3 + 1/2) / (1 + 1/2)) and log((2 + 1/2) / (4 + 1/2)): half a win more each way (Firth 1993)."""
    table = pairproof.Comparisons.build("ABCD", [0, 2], [1, 3], [3, 2], None, [1, 4])
    fit = pairproof.fit_bradley_terry(table, reduce_bias="mean")
    assert fit.not_estimable == ("C", "D") and "A, B | C, D" in str(fit.warnings[0])
    assert fit.contrast("A", "B").estimate == pytest.approx(np.log(3.5 / 1.5), abs=1e-12)  # observed 1e-16
    assert fit.contrast("C", "D").estimate == pytest.approx(np.log(2.5 / 4.5), abs=1e-12)
    assert fit.df_resid == 0


def test_a_shift_and_a_scale_are_tested_against_davidson():
    table = with_ties()
    davidson = pairproof.fit_bradley_terry(table, order_effect=True)
    general = pairproof.fit_bradley_terry(table, order_effect=True, tie_scale=True)
    test = davidson.compare(general)
    assert test.df == 1 and test.statistic > 0
    assert general.compare(davidson).statistic == test.statistic


def test_subsets_count_rows_once():
    table = four_players()
    mask = np.array([True, True, False, True, True, True])
    by_mask = pairproof.fit_bradley_terry(table, subset=mask)
    by_place = pairproof.fit_bradley_terry(table, subset=[0, 1, 3, 4, 5])
    direct = pairproof.fit_bradley_terry(table.select(mask))
    np.testing.assert_array_equal(by_mask.params, by_place.params)
    np.testing.assert_array_equal(by_mask.bse, direct.bse)
    for subset, words in (
        ([0, 0], "occurs twice"),
        ([-1], "negative"),
        ([6], "position 6"),
        ([True], "mask of shape"),
        ([], "no row"),
    ):
        with pytest.raises(InputError, match=words):
            pairproof.fit_bradley_terry(
                table, subset=np.array(subset, dtype=bool if subset == [True] else int)
            )


@given(st.floats(0.25, 8.0), st.sampled_from(["probit", "cauchit", "logit"]))
def test_weights_multiply_information(weight, link):
    table = four_players()
    one = pairproof.fit_bradley_terry(table, link=link)
    many = pairproof.fit_bradley_terry(table, link=link, weights=np.full(table.n_rows, weight))
    # The same score times a constant: observed 4e-15, and 1e-15 of standard errors.
    np.testing.assert_allclose(many.params, one.params, atol=1e-12)
    np.testing.assert_allclose(many.bse[1:], one.bse[1:] / np.sqrt(weight), rtol=1e-12)


@settings(max_examples=20)  # each example is six fits
@given(st.permutations(range(6)), st.lists(st.booleans(), min_size=6, max_size=6))
def test_rows_may_be_permuted_and_sides_exchanged(order, turned):
    table = four_players()
    rows, swap = np.array(order), np.array(turned)
    first = np.where(swap, table.second[rows], table.first[rows])
    second = np.where(swap, table.first[rows], table.second[rows])
    wins = np.where(swap, table.losses[rows], table.wins[rows])
    losses = np.where(swap, table.wins[rows], table.losses[rows])
    other = pairproof.Comparisons.build(
        "ABCD", first, second, wins, None, losses, item_data=dict(table.item_data)
    )
    for options in (
        {"link": "probit"},
        {"reduce_bias": "median"},
        {"item_terms": ["x"], "random": "item", "method": "pql"},
    ):
        a, b = (pairproof.fit_bradley_terry(t, **options) for t in (table, other))
        # The same problem in another order of summation: observed 4e-16, and 6e-16 of standard errors.
        np.testing.assert_allclose(a.params, b.params, atol=1e-12)
        assert a.contrast("A", "D").se == pytest.approx(b.contrast("A", "D").se, rel=1e-11)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"link": "cloglog"}, "link='cloglog'; expected one of 'logit', 'probit', 'cauchit'"),
        ({"random": "judge"}, "cancels; 'item:judge' lets"),
        ({"random": "set"}, "expected one of 'item', 'item:judge'"),
        ({"random": "item:judge"}, "needs a column judge"),
        ({"random": "item", "reduce_bias": "mean"}, "reduce_bias with random effects"),
        ({"method": "laplace"}, "there are none"),
        ({"random": "item", "reference": "A"}, "no item has an ability of 0"),
        ({"link": "probit", "by": "judge"}, "write the interaction into the formula"),
        ({"offset": "z"}, "not in the table"),
        ({"offset": np.zeros(2)}, "shape \\(2,\\); the table has 6 rows"),
        ({"weights": np.full(6, -1.0)}, "row 1: -1.0"),
        ({"weights": "w"}, "not in the table"),
        ({"tie_scale": True}, "of Davidson's model"),
        ({"link": "probit", "ties": "rao-kupper"}, "maximum likelihood with the logit only"),
        ({"reduce_bias": "firth"}, "expected one of 'mean'"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(options, words):
    with pytest.raises(InputError, match=words):
        pairproof.fit_bradley_terry(four_players(), **options)


def test_ties_and_a_link_without_ties_are_refused():
    with pytest.raises(InputError, match="6 ties and a tie category"):
        pairproof.fit_bradley_terry(with_ties(), link="probit")
    half = pairproof.fit_bradley_terry(with_ties(), link="probit", ties="half")
    assert half.quasi_likelihood and "half a win" in str(half.warnings[0])


def test_what_there_is_for_the_plain_logit_only_is_refused():
    fit = pairproof.fit_bradley_terry(four_players(), link="probit")
    for call in (fit.worth, lambda: fit.on_scale("lambda")):
        with pytest.raises(InputError, match="logit"):
            call()


def test_the_json_of_a_fit_says_link_bias_and_effects():
    found = pairproof.fit_bradley_terry(four_players(), item_terms=["x"], random="item").to_dict()
    assert found["random"] == ["item"] and found["method"] == "laplace"
    assert found["components"][0]["name"] == "item" and len(found["effects"]) == 4
    assert found["worth"]["all"]["A"] == pytest.approx(0.0891, abs=1e-4)
    assert pairproof.fit_bradley_terry(four_players(), link="probit").to_dict()["worth"] == {}


def apart_and_merged():
    """Two sets of three that never met, and the same contests with D called A, which only fixes what nothing tells."""
    first, second = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [1, 2, 0, 2, 0, 1, 4, 5, 3, 5, 3, 4]
    wins, ties = [9, 14, 6, 11, 3, 5, 8, 12, 10, 7, 4, 9], [5, 3, 6, 4, 2, 6, 4, 3, 5, 4, 2, 3]
    losses = [6, 3, 9, 5, 15, 8, 7, 4, 6, 9, 13, 8]
    merged = [[{3: 0, 4: 3, 5: 4}.get(k, k) for k in side] for side in (first, second)]
    apart = pairproof.Comparisons.build("ABCDEF", first, second, wins, ties, losses)
    return apart, pairproof.Comparisons.build("ABCEF", *merged, wins, ties, losses)


@pytest.mark.parametrize(
    "options",
    [
        {"offset": np.zeros(12)},
        {"order_effect": True, "tie_shift": True},
        {"order_effect": True, "tie_scale": True},
        {"reduce_bias": "mean"},
        {"reduce_bias": "mean", "order_effect": True, "ties": "half"},
    ],
)
def test_sets_that_never_met_are_named_and_the_rest_is_estimated(options):
    options = {"ties": "davidson", **options}
    apart, merged = (pairproof.fit_bradley_terry(t, **options) for t in apart_and_merged())
    (warning,) = [w for w in apart.warnings if w.kind == "not-connected"]
    assert warning.terms == ("D", "E", "F") and "A, B, C | D, E, F" in warning.text
    assert np.isnan(apart.params[["D", "E", "F"]]).all() and np.isnan(apart.bse["E"])
    same = [n for n in merged.names if n not in "AEF"]
    # The same design after one column is fixed, the rows in the same order: observed 0 everywhere.
    np.testing.assert_allclose(apart.params[same], merged.params[same], atol=1e-11)
    np.testing.assert_allclose(apart.bse[same], merged.bse[same], rtol=1e-10)
    assert apart.contrast("E", "D").estimate == pytest.approx(merged.contrast("E", "A").estimate, abs=1e-11)
    assert apart.contrast("E", "D").se == pytest.approx(merged.contrast("E", "A").se, rel=1e-10)
    assert apart.llf == pytest.approx(merged.llf, rel=1e-13)
    assert (apart.rank, apart.df_resid) == (merged.rank, merged.df_resid)
    profiles = [pairproof.profile(f) for f in (apart, merged)]
    # Limits are roots found by other paths: observed 3e-13.
    np.testing.assert_allclose(profiles[0].loc[same], profiles[1].loc[same], atol=1e-8)
    assert profiles[0].loc["E", "profile_high"] == np.inf


def test_ties_without_bounds_are_told_in_the_names_of_the_result():
    table = pairproof.Comparisons.build(
        "ABCD",
        [0, 0, 1, 2, 2, 3],
        [1, 1, 0, 3, 3, 2],
        [9, 4, 3, 7, 2, 4],
        [2, 3, 2, 3, 1, 2],
        [4, 5, 6, 3, 6, 5],
    )
    with pytest.raises(ConvergenceError, match="infinite tie-scale .*Leave out tie-scale"):
        pairproof.fit_bradley_terry(table, ties="davidson", tie_scale=True)


@pytest.mark.parametrize(
    "options", [{"method": "laplace"}, {"method": "pql"}, {"random": ("item", "item:judge")}]
)
def test_rows_without_a_count_change_no_random_effect(options):
    """Such a row is left where its ties were dropped, or where a weight is 0."""
    table = judged()
    options = {"random": "item", **options}
    wanted = pairproof.fit_bradley_terry(table, **options)
    empty = pairproof.Comparisons.build(
        table.items,
        np.append(table.first, [2, 0]),
        np.append(table.second, [0, 1]),
        np.append(table.wins, [0, 3]),
        None,
        np.append(table.losses, [0, 1]),
        columns={
            "judge": Factor(np.append(table.columns["judge"].codes, [0, 7]), table.columns["judge"].levels)
        },
    )
    found = pairproof.fit_bradley_terry(empty, weights=np.append(np.ones(24), [1, 0]), **options)
    for one, other in zip(found.components, wanted.components):
        assert one.sigma == pytest.approx(other.sigma, rel=1e-12)  # the same contests: observed 0
    np.testing.assert_allclose(found.effects()["effect"], wanted.effects()["effect"], atol=1e-12)
    assert found.df_resid == wanted.df_resid


def test_a_column_order_that_is_not_asked_for_may_hold_anything():
    """Both engines leave it alone: with a link, too, it may be the number of the question."""
    four = four_players()
    numbered = replace(four, columns={"order": np.arange(6.0)})
    for options in ({}, {"link": "probit"}, {"random": "item"}):
        one, other = (pairproof.fit_bradley_terry(t, **options) for t in (four, numbered))
        assert one.llf == other.llf
    with pytest.raises(InputError, match="order is 2.0"):
        pairproof.fit_bradley_terry(numbered, link="probit", order_effect=True)


@pytest.mark.parametrize(
    "options", [{"formula": "item"}, {"link": "probit"}, {"formula": "item", "link": "probit"}]
)
def test_separate_items_beside_free_ones_are_refused(options):
    with pytest.raises(InputError, match=r"separate=\['A'\]"):
        pairproof.fit_bradley_terry(four_players(), separate=["A"], **options)


def test_a_warning_names_what_has_no_estimate_and_the_sum_runs_over_the_others():
    """A won all; B, C and D have beaten one another."""
    for table, options in ((separated(), {"link": "probit"}), (separated(), {"offset": np.zeros(6)})):
        fit = pairproof.fit_bradley_terry(table, reference="sum", **options)
        assert fit.not_estimable == fit.warnings[0].terms == ("A",)
        assert fit.constraint == "3 of 4 items sum to zero" and abs(fit.params["B":"D"].sum()) < 1e-12


def test_a_shift_of_ties_that_has_no_bound_is_an_error():
    """The only tie is on neutral ground, and none of the 99 contests with an advantage is tied."""
    home = np.array([1.0, 1, 1, 0, 0, 0])
    table = pairproof.Comparisons.build(
        "ABC",
        [0, 0, 1, 1, 2, 2],
        [1, 2, 2, 0, 0, 1],
        [3, 4, 2, 2, 3, 3],
        [0, 0, 0, 0, 0, 1],
        [30, 30, 30, 2, 1, 3],
        columns={"order": home},
    )
    with pytest.raises(ConvergenceError, match="infinite tie-shift .*Leave out tie-shift"):
        pairproof.fit_bradley_terry(table, order_effect=True, tie_shift=True)


def test_what_has_no_estimate_at_all_has_tables_without_numbers():
    """The item named first won all: no pair of items has a probability; no parameter is tested."""
    first = pairproof.Comparisons.build("ABC", [0, 0, 1, 1, 2, 2], [1, 2, 2, 0, 0, 1], [4] * 6, None, [0] * 6)
    fit = pairproof.fit_bradley_terry(first, order_effect=True)
    assert fit.probabilities(level=0.9)["p_first"].isna().all()
    nothing = pairproof.fit_bradley_terry(four_players(), formula="1")
    with pytest.raises(NotEstimableError, match="makes all items equal"):
        nothing.test_equal_items()
    apart = pairproof.Comparisons.build("AB", [0], [1], [7], None, [3])
    unknown = pairproof.fit_bradley_terry(apart, order_effect=True, reduce_bias="mean").profile()
    assert unknown["estimate"].isna().all() and np.isinf(unknown["profile_high"]).all()
