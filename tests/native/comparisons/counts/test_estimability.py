"""Separated, disconnected, saturated and degenerate tables: the right number or none, with the reason by
name.
"""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import AliasError, FormulaError, InputError, ItemError, NotEstimableError
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from tests.native.comparisons.counts.tables import DRAS, dras, factor, random_table, table

UNBEATEN = [
    ("A", "B", 5, 0),
    ("A", "C", 5, 0),
    ("A", "D", 6, 0),
    ("B", "C", 3, 2),
    ("B", "D", 4, 1),
    ("C", "D", 2, 3),
]
CLOSE = 1e-12  # two routes to the same maximum in doubles; observed 3e-15


def test_an_unbeaten_item_has_no_number_and_the_others_are_those_of_the_table_without_it() -> None:
    fit = fit_bradley_terry(table("ABCD", UNBEATEN), reference="D")
    rest = fit_bradley_terry(table("BCD", [r for r in UNBEATEN if r[0] != "A"]), reference="D")
    assert fit.not_estimable == ("A",)
    assert np.isnan(fit.params["A"]) and np.isnan(fit.bse["A"])
    for item in "BC":
        assert abs(fit.params[item] - rest.params[item]) < CLOSE
        assert abs(fit.bse[item] - rest.bse[item]) < CLOSE
    assert abs(fit.llf - rest.llf) < CLOSE
    assert any("A won every comparison" in str(w) for w in fit.warnings)


def test_df_of_a_separated_fit_is_rs() -> None:
    # R counts all three free abilities: 6 cells - 3.
    assert fit_bradley_terry(table("ABCD", UNBEATEN)).df_resid == 3


def test_a_contrast_inside_a_set_is_estimable_though_both_items_have_no_number() -> None:
    fit = fit_bradley_terry(table("ABCD", UNBEATEN))  # reference A, the unbeaten one
    assert fit.not_estimable == ("B", "C", "D")
    inside = fit.contrast("B", "C")
    other = fit_bradley_terry(table("ABCD", UNBEATEN), reference="C")
    assert abs(inside.estimate - other.params["B"]) < CLOSE and abs(inside.se - other.bse["B"]) < CLOSE
    with pytest.raises(NotEstimableError, match="A - B"):
        fit.contrast("A", "B")
    assert "with reference 'B' (--reference B)" in str(fit.warnings[0])


def test_a_winless_item_is_named() -> None:
    rows = [("A", "B", 3, 2), ("A", "C", 4, 0), ("B", "C", 5, 0)]
    fit = fit_bradley_terry(table("ABC", rows))
    assert fit.not_estimable == ("C",)
    assert "C lost every comparison" in str(fit.warnings[0])


def test_two_sets_of_which_one_always_beats_the_other_are_separated_though_no_item_is_unbeaten() -> None:
    rows = [
        ("A", "B", 2, 1),
        ("C", "D", 1, 2),
        ("A", "C", 4, 0),
        ("B", "D", 4, 0),
        ("A", "D", 4, 0),
        ("B", "C", 4, 0),
    ]
    fit = fit_bradley_terry(table("ABCD", rows))
    assert fit.not_estimable == ("C", "D")
    assert abs(fit.params["B"] - np.log(1 / 2)) < CLOSE
    assert abs(fit.contrast("D", "C").estimate - np.log(2)) < CLOSE


def test_ties_keep_an_unbeaten_item_finite() -> None:
    rows = [("A", "B", 5, 1, 0), ("A", "C", 5, 0, 0), ("B", "C", 3, 1, 2)]
    assert fit_llbt(table("ABC", rows, ties=True)).not_estimable == ()


def test_davidson_separation_is_found_where_every_item_is_joined_by_ties() -> None:
    # lambda_A = 1, lambda_C = .5, lambda_B = 0 and gamma between .5 and 1 predict every outcome with
    # certainty.
    fit = fit_llbt(table("ABC", [("A", "B", 1, 0, 0), ("B", "C", 0, 1, 0), ("C", "A", 0, 1, 0)], ties=True))
    assert set(fit.not_estimable) == {"A", "B", "tie"}
    assert fit.llf == 0.0 and [w.kind for w in fit.warnings] == ["separated"]


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_a_table_of_nothing_but_ties_estimates_nothing(ties: str) -> None:
    fit = fit_llbt(table("ABC", [("A", "B", 0, 4, 0), ("B", "C", 0, 3, 0), ("C", "A", 0, 2, 0)], ties=True), ties=ties)  # type: ignore[arg-type]  # parametrised
    assert set(fit.not_estimable) == {"A", "B", "tie"}


def test_a_tie_category_without_ties_leaves_the_items_estimable() -> None:
    with_category = table("ABC", [("A", "B", 3, 0, 2), ("A", "C", 4, 0, 1), ("B", "C", 3, 0, 2)], ties=True)
    fit = fit_llbt(with_category)
    binary = fit_llbt(with_category.without_ties())
    assert fit.not_estimable == ("tie",) and np.isnan(fit.params["tie"])
    assert np.allclose(
        fit.params[:3], binary.params, rtol=0, atol=1e-14
    )  # the same solver on the same cells; observed 0
    assert fit.df_resid == binary.df_resid + 3 - 1  # three more cells, one more parameter
    assert fit.deviance == pytest.approx(binary.deviance, rel=1e-12)  # doubles; observed 1e-16


def test_under_rao_kupper_a_table_without_ties_is_at_the_boundary() -> None:
    fit = fit_llbt(table("AB", [("A", "B", 3, 0, 2)], ties=True), ties="rao-kupper")
    assert fit.params["tie"] == 0.0 and np.isnan(fit.bse["tie"]) and fit.not_estimable == ()
    assert [w.kind for w in fit.warnings] == ["tie-at-boundary"]


def test_disconnected_items_are_named_with_their_sets_and_differences_inside_are_right() -> None:
    fit = fit_llbt(table("ABCD", [("A", "B", 5, 2), ("C", "D", 2, 3)]))
    assert fit.not_estimable == ("A", "B")
    assert "A, B | C, D" in str(fit.warnings[0])
    assert abs(fit.contrast("A", "B").log_odds - np.log(5 / 2)) < CLOSE
    assert fit.df_resid == 0  # two cells, two differences (prefmod says 3)


def test_an_item_never_compared_is_named() -> None:
    fit = fit_bradley_terry(table("ABC", [("A", "B", 3, 2)]))
    assert fit.not_estimable == ("C",)


def test_a_judge_who_never_saw_the_reference_has_no_effects_and_is_named() -> None:
    rows = [("A", "B", 5, 3), ("B", "C", 4, 3), ("A", "C", 6, 2), ("C", "D", 3, 4), ("B", "D", 4, 4)]
    rows += [("A", "B", 4, 3), ("B", "C", 2, 3), ("A", "C", 6, 1)]
    data = table("ABCD", rows, judge=factor(["1"] * 5 + ["2"] * 3))
    fit = fit_llbt(data, by="judge")
    assert fit.not_estimable == ("A:judge[2]", "B:judge[2]", "C:judge[2]")
    assert "judge=2: A, B, C | D" in str(fit.warnings[0])
    against_c = fit_llbt(data, by="judge", reference="C")
    assert against_c.not_estimable == ("D:judge[2]",)
    assert fit.contrast("A", "B", group="judge=2").estimate == pytest.approx(
        against_c.contrast("A", "B", group="judge=2").estimate, rel=1e-12
    )  # observed 1e-16


def test_one_judge_of_a_common_tie_parameter_may_be_separated_alone() -> None:
    rows = [
        ("A", "B", 5, 1, 3),
        ("B", "C", 4, 2, 3),
        ("A", "C", 6, 1, 2),
        ("A", "B", 4, 0, 0),
        ("B", "C", 2, 1, 3),
        ("A", "C", 6, 0, 0),
    ]
    fit = fit_llbt(
        table("ABC", rows, ties=True, judge=factor(["1"] * 3 + ["2"] * 3)), by="judge", reference="C"
    )
    assert fit.not_estimable == ("A:judge[2]",)
    assert np.isfinite(fit.params["tie"]) and np.isfinite(fit.params["B:judge[2]"])


def test_a_judge_without_ties_has_no_tie_effect_but_the_others_do() -> None:
    rows = [
        ("A", "B", 5, 1, 3),
        ("B", "C", 4, 2, 3),
        ("A", "C", 6, 1, 2),
        ("A", "B", 4, 0, 3),
        ("B", "C", 2, 0, 3),
        ("A", "C", 6, 0, 1),
    ]
    fit = fit_llbt(table("ABC", rows, ties=True, judge=factor(["1"] * 3 + ["2"] * 3)), by="judge + tie:judge")
    assert fit.not_estimable == ("tie:judge[2]",)
    alone = fit_llbt(table("ABC", rows[:3], ties=True))
    assert abs(fit.params["tie"] - alone.params["tie"]) < CLOSE


def test_an_order_effect_that_only_one_item_ever_has_is_not_told_from_the_item() -> None:
    fit = fit_bradley_terry(table("AB", [("A", "B", 5, 3)]), order_effect=True)
    assert set(fit.not_estimable) == {"B", "order"}
    assert fit.warnings[0].kind == "not-identified"


def test_an_order_effect_without_exception_is_infinite_and_the_items_may_be_too() -> None:
    fit = fit_bradley_terry(table("AB", [("A", "B", 5, 0), ("B", "A", 4, 0)]), order_effect=True)
    assert set(fit.not_estimable) == {"B", "order"} and fit.warnings[0].kind == "separated"


def test_a_slope_separated_at_its_ends_leaves_the_middle_estimable() -> None:
    data = table("AB", [("A", "B", 3, 0), ("A", "B", 0, 4), ("A", "B", 2, 1)], x=np.array([1.0, -1.0, 0.0]))
    fit = fit_llbt(data, by="x")
    assert fit.not_estimable == ("A:x",)
    assert fit.params["A"] == pytest.approx(
        np.log(2) / 2, rel=1e-12
    )  # only the row x = 0 is left; observed 1e-16


def test_the_saturated_two_item_table_that_stops_prefmod_has_its_closed_form() -> None:
    fit = fit_llbt(table(["+", "-"], [("+", "-", 61, 24, 35)], ties=True))
    assert fit.params["+"] == pytest.approx(np.log(61 / 35) / 2, rel=1e-14)  # Dras 2015; observed equal
    assert fit.params["tie"] == pytest.approx(
        np.log(24) - (np.log(61) + np.log(35)) / 2, rel=1e-14
    )  # observed 2e-16
    assert fit.df_resid == 0 and 0 <= fit.deviance < 1e-12


def test_an_empty_cell_does_not_count() -> None:
    rows = [("A", "B", 3, 2), ("B", "C", 3, 2), ("A", "C", 0, 0)]
    assert fit_llbt(table("ABC", rows)).df_resid == 0  # prefmod says 1


def test_a_covariate_that_the_judge_determines_is_refused_naming_both() -> None:
    with pytest.raises(AliasError, match=r"age .*judge\[2\], judge\[3\], judge\[4\]"):
        fit_llbt(dras(), by="judge + age")


def test_an_item_covariate_that_is_the_same_for_all_items_is_refused() -> None:
    data = dras(item_data={"size": np.ones(4)})
    with pytest.raises(AliasError, match="size .*the same for all items"):
        fit_bradley_terry(data, item_terms=["size"])


def test_a_constant_subject_covariate_is_refused() -> None:
    data = table("AB", [("A", "B", 3, 2), ("A", "B", 1, 2)], x=np.array([4.0, 4.0]))
    with pytest.raises(AliasError, match="x .*constant"):
        fit_llbt(data, by="x")


def test_a_missing_value_in_a_column_the_model_uses_names_its_row() -> None:
    data = table("AB", [("A", "B", 3, 2), ("A", "B", 1, 2)], x=np.array([4.0, np.nan]))
    with pytest.raises(InputError, match="row 2: no value in column 'x'"):
        fit_llbt(data, by="x")
    assert fit_llbt(data).df_resid == 0  # a model that does not use x has no reason to mind


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        (dict(reference="E"), ItemError, "reference 'E' is not an item; the items are A, B, C, D"),
        (dict(by="sex"), FormulaError, "no column 'sex' .* judge, age"),
        (dict(by="judge +"), FormulaError, "unexpected"),
        (dict(by="judge:age"), FormulaError, "without its parts"),
        (dict(by="order:judge"), FormulaError, "order_effect is not asked for"),
        (dict(by="tie:judge", ties="none"), FormulaError, "ties='none' has none"),
        (dict(item_terms=["size"]), FormulaError, "no item covariate 'size'"),
        (dict(separate=["A"]), InputError, "only beside item_terms"),
        (dict(item_terms=["size"], reference="A"), InputError, "reference='A' beside item_terms"),
        (dict(ties="davison"), InputError, "expected one of 'davidson'"),
        (dict(cells="sex"), FormulaError, "no column 'sex'"),
    ],
)
def test_a_wrong_option_is_refused_with_what_there_is(
    wrong: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        fit_llbt(dras(), **wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_davidson_on_an_instrument_without_ties_is_refused_with_the_way_out() -> None:
    with pytest.raises(InputError, match="no tie category.*ties='none'"):
        fit_llbt(table("AB", [("A", "B", 3, 2)]), ties="davidson")


def test_dropping_ties_from_a_table_of_ties_is_refused() -> None:
    with pytest.raises(InputError, match=r"no comparisons are left .*4 ties"):
        fit_llbt(table("AB", [("A", "B", 0, 4, 0)], ties=True), ties="drop")


def test_an_order_column_that_is_neither_0_nor_1_is_refused_naming_the_row() -> None:
    data = table("AB", [("A", "B", 3, 2), ("B", "A", 1, 2)], order=np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="row 2: order is 2.0"):
        fit_bradley_terry(data, order_effect=True)


def test_neutral_ground_everywhere_leaves_no_order_effect_to_estimate() -> None:
    data = table("AB", [("A", "B", 3, 2), ("B", "A", 1, 2)], order=np.array([0.0, 0.0]))
    with pytest.raises(InputError, match="every row has order 0"):
        fit_bradley_terry(data, order_effect=True)


def test_a_level_nobody_has_is_left_out_and_said() -> None:
    from pairproof.data.columns import Factor
    from pairproof.data.comparisons import Comparisons

    base = dras()
    judge = Factor(base.columns["judge"].codes, ("1", "2", "3", "4", "5"))  # type: ignore[union-attr]  # a factor
    data = Comparisons.build(
        base.items, base.first, base.second, base.wins, base.ties, base.losses, columns={"judge": judge}
    )
    fit = fit_llbt(data, by="judge")
    assert not any("judge[5]" in n for n in fit.names)
    assert any("level(s) 5 of judge have no comparisons" in str(w) for w in fit.warnings)


def test_dropped_and_halved_ties_are_counted_in_a_warning() -> None:
    ties = sum(cell[1] for judge in DRAS for cell in judge)
    (dropped,), (halved,) = (fit_llbt(dras(), ties=ties).warnings for ties in ("drop", "half"))
    assert dropped.kind == "ties-dropped" and halved.kind == "ties-as-half-wins"
    assert str(dropped).startswith(f"{ties} of 960 comparisons are ties and were dropped")
    assert "half a win each way" in str(halved)


def test_a_large_separated_table_is_solved_in_the_blink_of_an_eye() -> None:
    data = random_table(3, n_items=120, per_pair=3, ties=False)
    wins = np.where(data.first == 0, data.wins + data.losses, data.wins)
    losses = np.where(data.first == 0, 0.0, data.losses)
    from pairproof.data.comparisons import Comparisons

    fit = fit_bradley_terry(
        Comparisons.build(data.items, data.first, data.second, wins, None, losses), reference="i1"
    )
    assert fit.not_estimable == ("i0",)
    rest = data.select((data.first != 0) & (data.second != 0))
    other = fit_bradley_terry(rest, reference="i1")
    assert np.nanmax(np.abs(fit.params - other.params)[1:]) < CLOSE


def test_every_parameter_without_a_number_is_among_the_terms_of_a_warning() -> None:
    """The warnings are values: nobody has to read the sentence, which names twelve at most."""
    rng = np.random.default_rng(1)
    items = [f"i{k:02d}" for k in range(16)]
    rows = [(items[a], items[b], 3, 2) for a in range(15) for b in range(a + 1, 15) if rng.random() < 0.9]
    rows += [(items[15], items[k], 4, 0) for k in range(15)]
    unbeaten = fit_llbt(table(items, rows))
    (said,) = unbeaten.warnings
    assert said.kind == "separated" and said.terms == unbeaten.not_estimable and len(said.terms) == 15
    assert "and 3 more" in str(said)
    document = unbeaten.to_dict()
    assert document["warnings"] == [str(said), *document["warnings"][1:]]
    assert document["warning_kinds"] == ["separated", "no-worth"]


def test_after_another_reference_what_no_warning_is_about_is_named_in_the_json() -> None:
    """B and C have no number against A; against B it is A and C, and no warning of the fit was about A."""
    fit = fit_llbt(table("ABC", [("A", "B", 5, 0), ("B", "C", 4, 0)]), reference="A").with_reference("B")
    document = fit.to_dict()
    assert document["not_estimable"] == ["A", "C"]
    assert document["warning_kinds"] == ["separated", "not-estimable", "no-worth"]
    assert document["warnings"][1] == "not estimable from these data, so null: A"
