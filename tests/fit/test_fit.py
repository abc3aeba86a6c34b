"""What a `Fit` does with its numbers: constraint, scale, contrasts, tests, worths, probabilities,
comparison.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.errors import ComparisonError, InputError, ItemError, NotEstimableError
from pairproof.fit.fit import Fit
from pairproof.fit.inference.likelihood_ratio import why_not_nested
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from tests.certified.load import load
from tests.hand_made import counts, dras, modpref, one_pair

TABLE = dras()


@pytest.fixture(scope="module")
def pooled() -> Fit:
    return fit_llbt(TABLE)


@pytest.fixture(scope="module")
def by_judge() -> Fit:
    return fit_llbt(TABLE, by="judge")


SEPARATED = counts("A B 5 0 3; A C 6 0 0; B C 4 0 0", ties=False)
DISCONNECTED = counts("A B 5 2 3; C D 6 1 2")
NO_TIE_SEEN = counts("A B 5 0 3; B C 4 0 2; A C 3 0 2")


# -- parameters ----------------------------------------------------------------------------------------------


def test_modpref_by_hand_has_the_numbers_dras_prints():
    frame = modpref().to_frame().round(4)
    assert frame.loc["A", ["estimate", "se", "p"]].tolist() == [0.2778, 0.1060, 0.0088]
    assert frame.loc["tie", ["estimate", "se", "p"]].tolist() == [-0.6551, 0.2300, 0.0044]
    assert frame["z"].round(3)[["A", "tie"]].tolist() == [2.620, -2.848]
    assert round(modpref().contrast("A", "B").odds, 2) == 1.74


def test_a_reference_is_zero_and_has_no_other_number():
    frame = modpref().to_frame()
    assert frame.loc["B", "estimate"] == 0.0
    assert frame.loc["B", ["se", "z", "p", "low", "high"]].isna().all()
    assert "B" not in modpref().cov_params().index


def test_an_interval_is_the_estimate_plus_and_minus_its_quantile_times_the_standard_error():
    fit = modpref()
    narrow, wide = fit.conf_int(level=0.5), fit.conf_int(0.01)
    # 0.6744897501960817 and 2.5758293035489004: normal quantiles at 0.75 and 0.995, from tables.
    assert narrow.loc["A", "high"] - fit.params["A"] == pytest.approx(
        0.6744897501960817 * fit.bse["A"], rel=1e-14
    )
    assert fit.params["tie"] - wide.loc["tie", "low"] == pytest.approx(
        2.5758293035489004 * fit.bse["tie"], rel=1e-14
    )
    for alpha in (0, 1, 95):
        with pytest.raises(InputError, match="between 0 and 0.5"):
            fit.conf_int(alpha)


def test_an_engine_that_hands_over_arrays_of_another_length_or_infinite_numbers_is_refused():
    with pytest.raises(InputError, match="3 terms"):
        modpref(is_reference=np.array([True]))
    with pytest.raises(InputError, match=r"not finite for \['tie'\].*null_space"):
        modpref(beta=np.array([0.3, 0.0, -np.inf]))


# -- constraint and scale ------------------------------------------------------------------------------------


@pytest.mark.parametrize("reference", ["A", "B", "C", "sum"])
def test_changing_the_constraint_afterwards_gives_what_fitting_under_it_gives(by_judge, reference):
    moved, direct = by_judge.with_reference(reference), fit_llbt(TABLE, by="judge", reference=reference)
    assert moved.constraint == direct.constraint and moved.spec == direct.spec
    # Both run the same solver to its rule; what differs is the order of the arithmetic. Observed: 3e-15.
    np.testing.assert_allclose(moved.params, direct.params, rtol=0, atol=1e-12)
    np.testing.assert_allclose(moved.bse, direct.bse, rtol=1e-12)
    np.testing.assert_allclose(moved.cov_params(), direct.cov_params(), rtol=0, atol=1e-13)


def test_going_to_a_sum_constraint_and_back_changes_nothing(by_judge):
    back = by_judge.with_reference("sum").with_reference("B").with_reference("D")
    np.testing.assert_allclose(back.to_frame(), by_judge.to_frame(), rtol=0, atol=1e-13)
    assert (back.is_reference == by_judge.is_reference).all()


@pytest.mark.parametrize(
    "case", ["dras-table1--llbt-davidson-ref-sum", "dras-table1--llbt-davidson-by-judge-ref-sum"]
)
def test_a_sum_constraint_has_the_certified_standard_errors_and_parameter_count(case):
    certified = load(case, as_text=True)
    fit = fit_llbt(TABLE, by=certified["model"]["by"] or "", reference="sum")
    assert fit.n_estimable == certified["n_params"] == fit.with_reference("A").n_estimable
    for name, text in certified["bse"].items():
        assert fit.bse[name] == pytest.approx(float(text), rel=1e-12), name
    assert fit.aic == pytest.approx(float(certified["aic"]), rel=1e-14)
    assert fit.bic == pytest.approx(float(certified["bic"]), rel=1e-14)


def test_a_sum_constraint_centres_the_items_within_each_judges_effects(by_judge):
    centred = by_judge.with_reference("sum").params
    for suffix in ("", ":judge[2]", ":judge[3]", ":judge[4]"):
        assert abs(sum(centred[item + suffix] for item in "ABCD")) < 1e-14
    assert centred["tie"] == by_judge.params["tie"]


def test_after_centring_all_four_effects_of_judge_3_are_significant_and_against_d_only_two(by_judge):
    # spec/conventions.md: "o1:SUBJ3 and o2:SUBJ3 and no other" holds against reference D only.
    centred = by_judge.with_reference("sum").zvalues
    assert [round(centred[f"{i}:judge[3]"], 2) for i in "ABCD"] == [-5.82, -3.26, 5.02, 3.64]
    against_d = by_judge.pvalues.filter(like="judge")
    assert list(against_d[against_d < 0.05].index) == ["A:judge[3]", "B:judge[3]"]


def test_log_odds_are_twice_the_lambdas_and_neither_tie_nor_order_is_doubled(pooled):
    doubled = pooled.on_scale("log-odds")
    assert doubled.params["A"] == 2 * pooled.params["A"] and doubled.bse["A"] == 2 * pooled.bse["A"]
    assert doubled.params["tie"] == pooled.params["tie"] and doubled.bse["tie"] == pooled.bse["tie"]
    assert doubled.on_scale("lambda").params.equals(pooled.params)
    assert pooled.on_scale("lambda") is pooled
    ordered = fit_llbt(TABLE, order_effect=True)
    assert ordered.on_scale("log-odds").params["order"] == ordered.params["order"]


def test_worths_probabilities_and_odds_do_not_depend_on_scale_or_constraint(by_judge):
    for other in (
        by_judge.on_scale("log-odds"),
        by_judge.with_reference("sum"),
        by_judge.with_reference("B").on_scale("log-odds"),
    ):
        np.testing.assert_allclose(
            other.worth()[["worth", "se"]], by_judge.worth()[["worth", "se"]], rtol=1e-12
        )
        np.testing.assert_allclose(
            other.probabilities().iloc[:, 3:], by_judge.probabilities().iloc[:, 3:], rtol=1e-12
        )
        assert other.contrast("A", "B", group="judge=3").odds == pytest.approx(
            by_judge.contrast("A", "B", group="judge=3").odds
        )


def test_the_bradley_terry_fit_is_the_llbt_on_the_other_scale(pooled):
    other = fit_bradley_terry(TABLE).on_scale("lambda").with_reference("D")
    np.testing.assert_allclose(other.params, pooled.params, rtol=0, atol=1e-12)
    assert other.llf == pytest.approx(pooled.llf, rel=1e-15)


def test_an_unknown_reference_or_scale_is_refused_by_name(pooled):
    with pytest.raises(ItemError, match="no item 'a'; the items are A, B, C, D"):
        pooled.with_reference("a")
    with pytest.raises(InputError, match="expected one of 'lambda', 'log-odds'"):
        pooled.on_scale("odds")
    with pytest.raises(InputError, match="no reference item"):
        fit_llbt(TABLE, item_terms=["length"]).with_reference("A")


# -- contrasts and tests -------------------------------------------------------------------------------------


def test_a_contrast_has_the_standard_error_of_the_difference_under_every_constraint(pooled):
    direct = pooled.with_reference("B").to_frame().loc["A"]
    contrast = pooled.contrast("A", "B")
    assert contrast.estimate == pytest.approx(direct["estimate"], rel=1e-14)
    assert contrast.se == pytest.approx(direct["se"], rel=1e-14)
    assert (contrast.low, contrast.high) == pytest.approx((direct["low"], direct["high"]))
    assert contrast.log_odds == 2 * contrast.estimate and contrast.odds == pytest.approx(
        math.exp(contrast.log_odds)
    )
    flipped = pooled.contrast("B", "A")
    assert flipped.estimate == -contrast.estimate and flipped.se == contrast.se


def test_a_contrast_in_a_model_with_groups_asks_which(by_judge):
    with pytest.raises(InputError, match="4 groups; name one of judge=1, judge=2, judge=3, judge=4"):
        by_judge.contrast("A", "B")
    with pytest.raises(InputError, match="no group 'judge=9'"):
        by_judge.contrast("A", "B", group="judge=9")
    assert by_judge.contrast("A", "D", group="judge=3") == by_judge.contrast("A", "D", at={"judge": "3"})


def test_a_level_that_does_not_exist_is_refused_rather_than_read_as_the_reference_level(by_judge):
    with pytest.raises(InputError, match="judge='J3'; its levels are '1', '2', '3', '4'"):
        by_judge.contrast("A", "B", at={"judge": "J3"})
    with pytest.raises(InputError, match=r"expected a value for each of \['judge'\]"):
        by_judge.worth(at={"age": 30})
    with pytest.raises(InputError, match="slope for it; expected a number"):
        fit_llbt(TABLE, by="age").worth(at={"age": "old"})


def test_an_unknown_item_is_answered_with_the_nearest_name():
    fit = one_pair(61, 24, 35, items=("Google", "Bing"))
    with pytest.raises(ItemError, match="did you mean 'Google'"):
        fit.contrast("Gogle", "Bing")


def test_a_wald_test_of_one_parameter_is_the_square_of_its_z(pooled):
    test = pooled.wald(["A"])
    assert test.statistic == pytest.approx(pooled.zvalues["A"] ** 2, rel=1e-13) and test.df == 1
    assert test.p == pytest.approx(pooled.pvalues["A"], rel=1e-10)


def test_a_wald_test_of_all_items_does_not_depend_on_the_reference(pooled):
    one, other = pooled.wald(["A", "B", "C"]), pooled.with_reference("A").wald(["B", "C", "D"])
    assert one.df == other.df == 3 and one.statistic == pytest.approx(other.statistic, rel=1e-12)


@pytest.mark.parametrize("reference", ["D", "sum"])
def test_a_covariate_stands_for_the_parameters_of_all_its_terms(reference):
    fit = fit_llbt(TABLE, by="judge").with_reference(reference)
    listed = [name for name in fit.params.index if ":judge[" in name and not name.startswith("D:")]
    test = fit.wald("judge")
    assert test == fit.wald(["judge"]) == fit.wald(listed) and test.df == len(listed) == 9
    assert fit.wald("tie") == fit.wald(["tie"])


def test_a_covariate_that_a_person_lacks_is_told_of_persons_and_not_of_their_comparisons():
    how = {
        "layout": "prefmod",
        "items": [*"ABC"],
        "pair_order": "prefmod",
        "coding": {"first": 1, "second": -1},
    }
    rows = [
        dict(zip(("a", "b", "c", "who", "sex"), (1, -1, 1, k, sex)))
        for k, sex in (("x", "f"), ("y", ""), ("z", ""))
    ]
    table = pairproof.read(rows, **how, columns={"person": "who"})
    with pytest.raises(
        InputError, match=r"'sex', .*, for 2 persons, the first 'y' \(6 comparisons\); .* where='sex!='"
    ):
        fit_llbt(table, by="sex")
    assert fit_llbt(table.where("sex!="), by="sex").n_comparisons == 3
    unknown = table.changed(columns={**table.columns, "person": Factor(np.full(table.n_rows, -1), ("x",))})
    with pytest.raises(InputError, match=r"no value in column 'sex', .* \(6 such rows\)"):  # none is x's
        fit_llbt(unknown, by="sex")


def test_a_comparison_term_that_rows_alone_have_takes_any_number():
    rows = pd.DataFrame(
        {
            "model_a": [*"ABC"] * 4,
            "model_b": [*"BCA"] * 4,
            "winner": ["model_a", "model_b"] * 6,
            "z": range(12),
        }
    )
    held = pairproof.fit_bradley_terry(pairproof.read(rows), comparison_terms="z")
    counted = pairproof.fit_bradley_terry(pairproof.count(rows), comparison_terms="z", rows=rows)
    here, there = (fit.probabilities(comparison={"z": 1.0})["p_first"] for fit in (held, counted))
    np.testing.assert_allclose(here, there, rtol=1e-9)  # two solvers; seen: 1e-13


def test_a_wald_test_names_what_cannot_be_tested(pooled):
    for names, error, said in [
        (["D"], NotEstimableError, "D: a reference"),
        (["E"], InputError, r"no parameters \['E'\]"),
        ([], InputError, "no parameters were named; found"),
        ("edad", InputError, r"no parameters \['edad'\].*name a covariate .* this model has none"),
        (["A", "A"], InputError, "twice"),
    ]:
        with pytest.raises(error, match=said):
            pooled.wald(names)
    with pytest.raises(
        InputError, match=r"wald\(.*\): expected names of parameters .* contrast_of\(function, what\)"
    ):
        pooled.wald(np.eye(2))
    with pytest.raises(InputError, match=r"at=95; expected values of covariates, .*; a level is level=0.95"):
        pooled.worth(95)
    with pytest.raises(NotEstimableError, match="linearly dependent"):
        pooled.with_reference("sum").wald(["A", "B", "C", "D"])


# -- worths and probabilities --------------------------------------------------------------------------------


def test_worths_of_two_items_have_the_delta_method_standard_error_in_closed_form():
    # w = a/(a+b), and by the delta method se = w (1 - w) sqrt(1/a + 1/b).
    worth = modpref().worth()
    w = 61 / 96
    assert worth["worth"].tolist() == pytest.approx([w, 1 - w], rel=1e-15)
    assert worth["se"].tolist() == pytest.approx([w * (1 - w) * math.sqrt(1 / 61 + 1 / 35)] * 2, rel=1e-13)


def test_probabilities_of_a_saturated_pair_are_the_observed_shares_from_either_side():
    p = modpref().probabilities()
    assert p.loc[0, ["p_first", "p_tie", "p_second"]].tolist() == pytest.approx(
        [61 / 120, 24 / 120, 35 / 120], rel=1e-14
    )
    assert p.loc[1, ["p_first", "p_tie", "p_second"]].tolist() == pytest.approx(
        [35 / 120, 24 / 120, 61 / 120], rel=1e-14
    )


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "drop", "none"])
def test_probabilities_sum_to_one_and_mirror_when_the_sides_change(ties):
    p = fit_llbt(TABLE, ties=ties, by="judge").probabilities()
    np.testing.assert_allclose(p[["p_first", "p_tie", "p_second"]].sum(axis=1), 1.0, rtol=1e-14)
    there = p.set_index(["group", "first", "second"])
    for (group, a, b), row in there.iterrows():
        back = there.loc[(group, b, a)]
        assert (row["p_first"], row["p_tie"]) == pytest.approx((back["p_second"], back["p_tie"]), rel=1e-12)
    assert (p["p_tie"] == 0).all() == (ties in ("half", "drop"))


def test_the_order_effect_enters_probabilities_only_when_asked_for(pooled):
    fit = fit_llbt(TABLE, order_effect=True)
    neutral, ordered = fit.probabilities(), fit.probabilities(order=True)
    gain = np.log(ordered["p_first"] / ordered["p_second"]) - np.log(neutral["p_first"] / neutral["p_second"])
    np.testing.assert_allclose(gain, fit.params["order"], rtol=1e-12)
    with pytest.raises(InputError, match="no order effect"):
        pooled.probabilities(order=True)


def test_worths_at_a_numeric_covariate_follow_its_slope():
    fit = fit_llbt(TABLE, by="age")
    young, old = fit.worth(at={"age": 20}), fit.worth(at={"age": 60})
    assert (young["worth"].sum(), old["worth"].sum()) == pytest.approx((1, 1))
    ratio = math.log(old["worth"][0] / old["worth"][3]) - math.log(young["worth"][0] / young["worth"][3])
    assert ratio == pytest.approx(2 * 40 * fit.params["A:age"], rel=1e-12)


def test_quasi_variances_reproduce_the_variance_of_each_difference_nearly(pooled):
    frame = pooled.quasi_variances().set_index("item")
    for a in "ABCD":
        for b in "ABCD":
            if a < b:
                exact = 2 * pooled.contrast(a, b).se  # log worth = 2 lambda
                approximate = math.sqrt(frame.loc[a, "quasi_variance"] + frame.loc[b, "quasi_variance"])
                assert abs(approximate / exact - 1) <= frame_error(pooled) + 1e-12
    with pytest.raises(NotEstimableError, match="at least 3 items"):
        modpref().quasi_variances()


def frame_error(fit: Fit) -> float:
    return float(fit.quasi_variances().attrs["worst_error"])


def test_a_separate_item_beside_item_covariates_has_its_own_ability():
    fit = fit_llbt(TABLE, item_terms=["length"], separate=["A"])
    gap = fit.contrast("A", "D")
    assert gap.estimate == pytest.approx(fit.params["A"] - 5 * fit.params["length"], rel=1e-13)
    assert fit.worth()["worth"].sum() == pytest.approx(1)


# -- what is not estimable -----------------------------------------------------------------------------------


def test_separated_items_have_no_number_but_their_differences_inside_a_set_do():
    fit = fit_llbt(SEPARATED)
    assert fit.not_estimable == ("A", "B") and fit.params[["A", "B"]].isna().all()
    assert fit.contrast("A", "B").log_odds == pytest.approx(math.log(5 / 3), rel=1e-9)
    with pytest.raises(NotEstimableError, match="A - C is not estimable.*separated"):
        fit.contrast("A", "C")
    p = fit.probabilities().set_index(["first", "second"])
    assert p.loc[("A", "B"), "p_first"] == pytest.approx(5 / 8) and p.loc[("A", "C"), "p_first"] == 1.0
    # By the odds of 5 to 3; seen: 2e-16 off.
    assert fit.worth()["worth"].to_numpy()[:2] == pytest.approx([0.625, 0.375], rel=1e-9)
    assert math.isnan(fit.worth()["worth"][2]) and fit.cov_params().shape == (0, 0)


def test_another_reference_moves_the_loss_to_the_item_that_is_apart():
    assert fit_llbt(SEPARATED).with_reference("B").not_estimable == ("C",)
    assert fit_llbt(SEPARATED).with_reference("sum").not_estimable == ("C",)
    assert {fit_llbt(SEPARATED).with_reference(r).n_estimable for r in ("A", "B", "C", "sum")} == {1}


def test_items_that_were_never_joined_lose_their_difference_and_nothing_else():
    fit = fit_llbt(DISCONNECTED)
    assert fit.not_estimable == ("A", "B") and fit.n_estimable == 3
    assert math.isfinite(fit.contrast("A", "B").se)
    with pytest.raises(NotEstimableError, match="not connected"):
        fit.contrast("A", "D")
    with pytest.raises(NotEstimableError, match="need 3 comparable items"):
        fit.quasi_variances()


def test_without_a_single_tie_the_tie_parameter_has_no_number_but_a_tie_has_probability_zero():
    fit = fit_llbt(NO_TIE_SEEN)
    assert fit.not_estimable == ("tie",)
    assert (fit.probabilities()["p_tie"] == 0).all() and fit.probabilities()["p_first"].notna().all()


def test_a_tie_parameter_at_its_boundary_stays_there_under_another_constraint():
    fit = fit_llbt(NO_TIE_SEEN, ties="rao-kupper")
    for reference in ("A", "sum"):
        moved = fit.with_reference(reference)
        assert (
            moved.params["tie"] == 0
            and math.isnan(moved.bse["tie"])
            and moved.n_estimable == fit.n_estimable == 2
        )


# -- comparing models ----------------------------------------------------------------------------------------


def test_dras_judge_model_improves_by_173_41_on_9(pooled, by_judge):
    test = by_judge.compare(pooled)
    assert (round(test.statistic, 2), test.df) == (173.41, 9)
    assert pooled.compare(by_judge) == test
    assert "LLBT, Davidson ties inside LLBT, Davidson ties, by judge" in str(test)


def test_the_table_of_the_deviance_and_the_scale_do_not_change_a_comparison(pooled, by_judge):
    finer = fit_llbt(TABLE, cells=["judge"])
    assert finer.df_resid == 44 and round(finer.deviance, 3) == 280.913
    assert by_judge.compare(finer).statistic == pytest.approx(by_judge.compare(pooled).statistic, rel=1e-12)
    assert fit_bradley_terry(TABLE, by="judge").compare(pooled).statistic == pytest.approx(
        by_judge.compare(pooled).statistic, rel=1e-12
    )


def test_fits_of_other_data_and_quasi_likelihoods_are_not_compared(pooled):
    with pytest.raises(ComparisonError, match="different comparisons.*ties kept in one and dropped"):
        pooled.compare(fit_llbt(TABLE, ties="drop"))
    half = fit_llbt(TABLE, ties="half")
    with pytest.raises(ComparisonError, match="quasi-likelihood"):
        half.compare(fit_llbt(TABLE, ties="half", by="judge"))
    with pytest.raises(
        ComparisonError, match="both models fit 4 parameters to these data; there is nothing to test"
    ):
        pooled.compare(fit_llbt(TABLE, reference="A"))


NESTED = [
    (dict(ties="none"), dict()),
    (dict(), dict(by="judge")),
    (dict(), dict(order_effect=True)),
    (dict(item_terms=["length"]), dict()),
    (dict(item_terms=["length"]), dict(item_terms=["length", "kind"])),
    (dict(item_terms=["length"], by="judge"), dict(by="judge")),
    (dict(), dict(by="judge + tie:judge")),
    (dict(by="age"), dict(by="C(age)")),  # a straight line through the levels is one of their patterns
    (dict(by="age"), dict(by="judge")),  # age is a property of the judge
    (dict(item_terms=["length"]), dict(item_terms=["length"], separate=["A"])),
]
NOT_NESTED = [
    (dict(ties="davidson"), dict(ties="rao-kupper", by="judge"), "neither is a special case"),
    (dict(ties="none"), dict(ties="rao-kupper"), "neither is a special case"),
    (dict(), dict(ties="none", by="judge"), "a free tie parameter"),
    (dict(order_effect=True), dict(by="judge"), "a free order effect"),
    (dict(by="age"), dict(order_effect=True, by="tie:judge"), "A:age of"),
    (dict(by="C(age)"), dict(by="age"), r"A:age\[30\]"),
    (
        dict(),
        dict(item_terms=["length"], by="judge"),
        "free in LLBT, Davidson ties but restricted to the covariate",
    ),
    (dict(item_terms=["kind"]), dict(item_terms=["length"], by="judge"), r"kind\[neural\]"),
    (dict(by="tie:judge"), dict(by="judge"), r"tie:judge\[2\]"),
]


@pytest.mark.parametrize("smaller, larger", NESTED)
def test_a_special_case_is_recognised_and_is_no_better_than_the_model_around_it(smaller, larger):
    small, large = fit_llbt(TABLE, **smaller), fit_llbt(TABLE, **larger)
    assert why_not_nested(small, large) == ""
    assert small.llf <= large.llf + 1e-9
    if large.rank > small.rank:
        assert large.compare(small).df == large.rank - small.rank


@pytest.mark.parametrize("smaller, larger, why", NOT_NESTED)
def test_models_that_are_not_nested_are_told_apart_with_the_reason(smaller, larger, why):
    import re

    reason = why_not_nested(fit_llbt(TABLE, **smaller), fit_llbt(TABLE, **larger))
    assert re.search(why, reason), reason


# -- the Poisson log-likelihood of gnm -----------------------------------------------------------------------


def test_the_poisson_log_likelihood_is_the_one_gnm_prints(pooled):
    # conventions.md, "llf": gnm's logLik of Dras's pooled model is -59.60.
    assert round(pooled.llf_poisson, 2) == -59.60


@pytest.mark.parametrize(
    "changed",
    [
        lambda fit: fit,
        lambda fit: fit.with_reference("sum"),
        lambda fit: fit.on_scale("log-odds").with_reference("B"),
    ],
)
@pytest.mark.parametrize("by", [None, "judge"])
def test_a_fit_survives_pickling_with_everything_that_can_be_asked_of_it(by, changed):
    import pickle

    fit = changed(fit_llbt(TABLE, by=by or ""))
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.params, fit.params, equal_nan=True) and np.array_equal(
        again.cov_params(), fit.cov_params(), equal_nan=True
    )
    assert str(again.summary()) == str(fit.summary()) and again.worth().equals(fit.worth())
    assert (
        np.array_equal(again.cell_table().fitted, fit.cell_table().fitted)
        and again.to_dict() == fit.to_dict()
    )


def test_abilities_are_the_items_own_parameters_or_what_their_covariates_say():
    table = pairproof.read(
        {"first": ["A", "C", "A"], "second": ["B", "B", "C"], "wins": [1, 1, 3], "losses": [1, 3, 2]},
        item_data={"item": ["A", "B", "C"], "x": [1.0, 2.0, 4.0]},
    )
    free = pairproof.fit_bradley_terry(table, reference="B")
    frame = free.abilities().set_index("item")
    assert frame["ability"].to_dict() == free.params.to_dict()
    assert frame.loc["B"].tolist() == [0.0, 0.0]
    assert frame["se"].drop("B").tolist() == pytest.approx(
        free.bse.drop("B").tolist(), rel=1e-14
    )  # observed 0
    of_x = pairproof.fit_bradley_terry(table, formula="x")
    # a_i = x_i b, and its standard error |x_i| se(b); observed 0
    assert of_x.abilities()["ability"].tolist() == pytest.approx(
        [k * of_x.params["x"] for k in (1, 2, 4)], rel=1e-14
    )
    assert of_x.abilities()["se"].tolist() == pytest.approx([k * of_x.bse["x"] for k in (1, 2, 4)], rel=1e-14)


def test_an_ability_that_is_not_estimable_has_no_number():
    table = pairproof.read({"first": ["A", "C"], "second": ["B", "D"], "wins": [1, 2], "losses": [1, 1]})
    frame = pairproof.fit_bradley_terry(table).abilities()
    assert frame["ability"].isna().tolist() == [False, False, True, True]
    assert frame["se"].isna().tolist() == [False, False, True, True]


def test_a_level_in_place_of_alpha_is_refused_with_how_a_level_is_given(pooled):
    for ask in (
        pooled.conf_int,
        pooled.to_frame,
        pooled.on_scale("elo").conf_int,
        pooled.on_scale("elo").to_frame,
    ):
        with pytest.raises(InputError, match=r"alpha=0.95; expected 1 minus .* conf_int\(level=0.95\)"):
            ask(0.95)
    assert pooled.conf_int(level=0.9).equals(pooled.conf_int(1.0 - 0.9))
    with pytest.raises(InputError, match="level=2"):
        pooled.conf_int(level=2)


def test_preferences_fitted_as_counts_have_no_p_of_deviance_and_a_caution_with_the_cure():
    soft = {"model_a": [*"ABCABC"], "model_b": [*"BCABCA"], "pref": [0.3, 0.4, 0.7, 0.2, 0.5, 0.6]}
    for fit in (pairproof.fit_llbt, pairproof.fit_bradley_terry):
        found = fit(pairproof.read(soft))
        said = next(str(w) for w in found.warnings if w.kind == "fractional-counts")
        assert (
            "5 of 6 rows have fractional counts" in said
            and "fit.clustered() takes them from the spread" in said
        )
        assert "1 preferences of one half are ties" in said
        assert found.quasi_likelihood and "no p-value" in found.goodness_of_fit().caution
    halves = pairproof.Comparisons.build("AB", [0], [1], [6.5], None, [3.5])  # ties of old, as half wins
    assert not fit(halves).quasi_likelihood and not fit(halves).warnings


def test_a_time_as_covariate_is_said_to_be_a_category_at_each_value():
    rows = pd.DataFrame(
        {"first": [*"AB"] * 6, "second": [*"BA"] * 6, "outcome": ["first", "second", "second"] * 4}
    )
    for values, said in ((pd.date_range("2026-01-01", periods=12, freq="h"), True), ([*"xyz"] * 4, False)):
        found = fit_llbt(pairproof.read(rows.assign(day=values)), by="day").warnings
        assert any("day has 12 different values in 12 rows" in str(w) for w in found) == said


def test_where_all_comparisons_are_ties_it_is_the_tie_parameter_that_is_infinite():
    ties = pairproof.Comparisons.build("ABC", [0, 1], [1, 2], [0, 0], [3, 2], [0, 0])
    said = " ".join(map(str, fit_llbt(ties).warnings))
    assert (
        "all comparisons are ties" in said
        and "tie goes to infinity, and these data hold nothing on the items" in said
    )
