"""Selective terms: one item, or one item covariate, varies with a subject covariate and the others do not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import AliasError, ComparisonError, FormulaError, InputError
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts import existence
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.native.comparisons.formula.subject_formula import products_of
from pairproof.native.inference.refits import Refitter
from pairproof.native.inference.taken_apart import take_apart
from tests.native.comparisons.counts.cems import SCHOOLS, cems

#: R 4.2.2, prefmod 0.8-37, gnm 1.1-5, help page of llbt.design: gnm(y ~ LAT + EC + LAT:ENG + g1, eliminate =
#: mu:ENG, tolerance = 1e-14) on llbt.design(cemspc, 6, objcovs = data.frame(LAT, EC), cat.scovs = "ENG").
HELP_PAGE = {
    "LAT": (-0.0682960673992276, 0.0248804418367144),
    "EC": (0.041994740093043, 0.0220171471667584),
    "LAT:ENG[2]": (-0.112480021682513, 0.0464481448831387),
    "tie": (-1.39931190277969, 0.0480418706603812),
}
#: gnm's estimates have 13 digits here and its standard errors 13; observed 3e-14 and 1e-13.
OF_GNM = 1e-12


def test_only_latin_schools_vary_with_english_as_on_prefmods_help_page() -> None:
    fit = fit_llbt(cems(), item_terms=["LAT", "EC"], by="LAT:ENG")
    assert fit.names == tuple(HELP_PAGE)
    for name, (estimate, se) in HELP_PAGE.items():
        assert fit.params[name] == pytest.approx(estimate, rel=OF_GNM)
        assert fit.bse[name] == pytest.approx(se, rel=OF_GNM)
    # R prints 721.933383295595 on 56; observed 5e-13 off.
    assert fit.deviance == pytest.approx(721.933383295595, rel=1e-13) and fit.df_resid == 56


def test_the_worths_of_the_schools_that_are_not_latin_keep_their_ratios_in_both_groups() -> None:
    worth = fit_llbt(cems(), item_terms=["LAT", "EC"], by="LAT:ENG").worth()
    good, poor = (
        worth[worth["group"] == f"ENG={e}"].set_index("item")["worth"].loc[list(SCHOOLS)] for e in "12"
    )
    # llbt.worth prints ENG1 .2782555232 (o1, o6) .2558395166 (o4), ENG2 .3070769785 and .2823391422,
    # normalised over the four kinds of school.
    # As printed, to 10 digits; observed 7e-11.
    assert good["London"] / good["St.Gallen"] == pytest.approx(0.2782555232 / 0.2558395166, rel=1e-8)
    # The same number in another way, rounding alone; observed 0.
    assert good["London"] / good["St.Gallen"] == pytest.approx(poor["London"] / poor["St.Gallen"], rel=1e-14)
    # As printed, to 10 digits; observed 2e-10.
    assert good["Paris"] / good["London"] == pytest.approx(0.2231754481 / 0.2782555232, rel=1e-8)
    assert poor["Paris"] / poor["London"] == pytest.approx(0.1966758225 / 0.3070769785, rel=1e-8)


def test_one_school_varies_with_english_also_if_it_is_the_reference() -> None:
    fits = [fit_llbt(cems(), by="Paris:ENG", reference=r) for r in ("Paris", "Stockholm", "sum")]
    for fit in fits:
        assert fit.names[6:] == ("Paris:ENG[2]", "tie") and fit.df_resid == 60 - 7
        # One model, three constraints: the term is no part of them. Observed 4e-16.
        assert fit.params["Paris:ENG[2]"] == pytest.approx(fits[0].params["Paris:ENG[2]"], rel=1e-13)
        assert fit.bse["Paris:ENG[2]"] == pytest.approx(fits[0].bse["Paris:ENG[2]"], rel=1e-12)
        assert fit.deviance == pytest.approx(fits[0].deviance, rel=1e-13)
    moved = fits[0].with_reference("sum")
    np.testing.assert_allclose(moved.params, fits[2].params, atol=1e-13)
    np.testing.assert_allclose(moved.bse, fits[2].bse, rtol=1e-11)


def test_the_term_is_the_difference_of_one_school_to_all_the_others_between_the_groups() -> None:
    fit = fit_llbt(cems(), by="Paris:ENG")
    shift = {}
    for a, b in (("Paris", "London"), ("Paris", "Stockholm"), ("London", "Milano")):
        shift[a, b] = fit.contrast(a, b, group="ENG=2").estimate - fit.contrast(a, b, group="ENG=1").estimate
    term = fit.params["Paris:ENG[2]"]
    # Differences of numbers of order 1; observed 1e-16.
    assert shift["Paris", "London"] == pytest.approx(term, abs=1e-14) == shift["Paris", "Stockholm"]
    assert shift["London", "Milano"] == pytest.approx(0.0, abs=1e-14)


def test_a_term_for_every_item_is_the_model_of_all_items_digit_for_digit() -> None:
    every = " + ".join(f"ENG:`{school}`" for school in SCHOOLS)
    chosen, plain = fit_llbt(cems(), by=every), fit_llbt(cems(), by="ENG")
    assert chosen.names == plain.names and (chosen.beta == plain.beta).all()
    assert chosen.llf == plain.llf and chosen.deviance == plain.deviance and chosen.df_resid == plain.df_resid
    both = fit_llbt(cems(), item_terms=["LAT", "EC"], by="LAT:ENG + EC:ENG")
    all_terms = fit_llbt(cems(), item_terms=["LAT", "EC"], by="ENG")
    assert both.names == all_terms.names and (both.beta == all_terms.beta).all()


def test_all_but_one_item_is_the_model_of_all_items_under_another_name() -> None:
    five = " + ".join(f"`{school}`:ENG" for school in SCHOOLS[:5])
    chosen, plain = fit_llbt(cems(), by=five), fit_llbt(cems(), by="ENG", reference="Stockholm")
    # The two layouts add the cells up in other orders; observed 3e-15 and 2e-14.
    for school in SCHOOLS[:5]:
        name = f"{school}:ENG[2]"
        assert chosen.params[name] == pytest.approx(plain.params[name], abs=1e-13)
        assert chosen.bse[name] == pytest.approx(plain.bse[name], rel=1e-12)
    assert chosen.llf == pytest.approx(plain.llf, rel=1e-14) and chosen.df_resid == plain.df_resid


def test_a_selective_model_lies_inside_that_of_all_items_and_not_beside_another_selection() -> None:
    one, two, every = (fit_llbt(cems(), by=by) for by in ("Paris:ENG", "Paris:ENG + Milano:ENG", "ENG"))
    assert (one.compare(two).df, two.compare(every).df, one.compare(every).df) == (1, 3, 4)
    # The same number in another way, rounding alone; observed 0.
    assert one.compare(every).statistic == pytest.approx(2 * (every.llf - one.llf), rel=1e-12)
    with pytest.raises(ComparisonError, match=r"not nested: London:ENG\[2\] of .* is not in"):
        fit_llbt(cems(), by="London:ENG").compare(two)
    latin = fit_llbt(cems(), by="LAT:ENG")
    assert latin.compare(every).df == 4
    # Latin schools are Paris, Milano and Barcelona: their common change is among their three.
    three = fit_llbt(cems(), by="Paris:ENG + Milano:ENG + Barcelona:ENG")
    assert latin.compare(three).df == 2
    bound = fit_llbt(cems(), item_terms=["LAT", "EC"], by="LAT:ENG")
    assert bound.compare(fit_llbt(cems(), item_terms=["LAT", "EC"], by="ENG")).df == 1
    assert bound.compare(latin).df == 3


def test_an_item_covariate_can_vary_beside_free_items_as_in_table_8_of_bradleyterry2() -> None:
    fit = fit_llbt(cems(), by="LAT:ENG")
    assert fit.names[6:] == ("LAT:ENG[2]", "tie") and fit.spec.constraint == "reference Stockholm"
    with_paris = fit_llbt(cems(), by="LAT:ENG + Paris:ENG")
    # R prints 8 decimals: ENG1:LAT 0.09263745, o2:ENG2 -0.09441726.
    # As printed, to 8 decimals; observed 4e-9.
    assert with_paris.params["LAT:ENG[2]"] == pytest.approx(-0.09263745, abs=2e-8)
    assert with_paris.params["Paris:ENG[2]"] == pytest.approx(-0.09441726, abs=2e-8)


def test_scale_changes_double_selective_terms_as_they_do_items() -> None:
    lam, odds = fit_llbt(cems(), by="Paris:ENG"), fit_bradley_terry(cems(), by="Paris:ENG")
    # The same number in another way, rounding alone; observed 5e-16.
    assert odds.params["Paris:ENG[2]"] == pytest.approx(2 * lam.params["Paris:ENG[2]"], rel=1e-13)
    assert lam.on_scale("log-odds").bse["Paris:ENG[2]"] == pytest.approx(odds.bse["Paris:ENG[2]"], rel=1e-12)


# -- what cannot be ------------------------------------------------------------------------------------------


def with_column(name: str) -> Comparisons:
    table = cems()
    return Comparisons.build(
        table.items,
        table.first,
        table.second,
        table.wins,
        table.ties,
        table.losses,
        columns={**table.columns, name: np.arange(30) % 2 + 0.0},
        item_data=table.item_data,
    )


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        (dict(by="ENG + Paris:ENG"), FormulaError, "Paris:ENG is part of ENG, with which all items vary"),
        (dict(by="Paris*ENG"), FormulaError, "Paris is an item, not a column of the table"),
        (dict(by="Paris:Milano"), FormulaError, "names Paris and Milano"),
        (dict(by="Paris:ENG:C(ENG)"), FormulaError, "written both as"),
        (dict(by="LAT"), FormulaError, r"LAT is an item covariate, not a column.*item_terms=\['LAT'\]"),
        (
            dict(by="LAT:ENG", item_terms=["EC"]),
            FormulaError,
            r"LAT is an item covariate of the table, but not in item_terms=\['EC'\]; add it there",
        ),
        (dict(by="item(Rome):ENG"), FormulaError, r"item\(Rome\), but there is no item 'Rome'"),
        (dict(by="Rome:ENG"), FormulaError, "Rome is neither a column of the table .ENG. nor an item"),
        (
            dict(by="Paris:ENG + Milano:ENG + Barcelona:ENG + LAT:ENG"),
            AliasError,
            r"LAT:ENG\[2\] cannot be distinguished from one another",
        ),
    ],
)
def test_a_term_that_cannot_be_is_refused_with_what_to_do(
    options: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        fit_llbt(cems(), **options)  # type: ignore[arg-type]  # options by name


def test_a_name_with_two_meanings_is_refused_and_can_be_said_in_full() -> None:
    table = with_column("Paris")
    with pytest.raises(
        FormulaError, match=r"Paris is an item and a column of the table; write item\(Paris\) or"
    ):
        fit_llbt(table, by="Paris:ENG")
    assert "Paris:ENG[2]" in fit_llbt(table, by="item(Paris):ENG").names
    assert "London:Paris" in fit_llbt(table, by="Paris").names  # alone, it has always been the column
    full = fit_llbt(table, by="column(Paris)*ENG")
    assert "London:Paris:ENG[2]" in full.names
    latin = with_column("LAT")
    assert fit_llbt(latin, item_terms=["LAT", "EC"], by="item_term(LAT):ENG").params["LAT:ENG[2]"] == (
        pytest.approx(HELP_PAGE["LAT:ENG[2]"][0], rel=OF_GNM)
    )


def test_an_item_covariate_without_a_value_cannot_vary_beside_free_items() -> None:
    table = cems()
    lacking = Comparisons.build(
        table.items,
        table.first,
        table.second,
        table.wins,
        table.ties,
        table.losses,
        columns=table.columns,
        item_data={"LAT": np.array([0, 1, 1, 0, np.nan, 0])},
    )
    with pytest.raises(InputError, match="no value of the item covariate LAT for Barcelona"):
        fit_llbt(lacking, by="LAT:ENG")


def test_a_group_in_which_one_item_always_wins_makes_its_own_term_infinite_and_nothing_else() -> None:
    rows = [(g, i, j, 3 + i, 4 - j) for g in (0, 1) for i in range(3) for j in range(i + 1, 4)]
    g, i, j, wins, losses = np.array(rows).T
    losses = np.where((g == 1) & (i == 0), 0, np.maximum(losses, 1))
    table = Comparisons.build(
        "ABCD", i, j, wins, None, losses, columns={"g": Factor(g, ("no", "yes")), "age": g + 20.0}
    )
    fit = fit_bradley_terry(table, by="A:g", reference="D")
    assert fit.not_estimable == ("A:g[yes]",) and fit.n_infinite == 1
    (said,) = fit.warnings
    assert said.kind == "separated" and "A:g[yes]" in said.terms
    # The comparisons of A in group yes are certain in the limit: what is finite is the fit without them.
    kept = table.select(~((table.first == 0) & (g == 1)))
    rest = fit_bradley_terry(kept, reference="D")
    # The same number in another way, rounding alone; observed 9e-16.
    np.testing.assert_allclose(fit.params[list("ABC")], rest.params[list("ABC")], atol=1e-12)
    assert fit.llf == pytest.approx(rest.llf, rel=1e-13)
    # A slope says the same of two groups.
    assert fit_bradley_terry(table, by="A:age", reference="D").not_estimable == ("A", "A:age")


def test_equal_demands_on_a_direction_of_recession_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of cells, which compare the same items in groups that do not matter, the different ones suffice."""
    table = cems()
    wins = np.where((table.first == 1) & (np.arange(30) > 14), 40.0, table.wins)
    losses = np.where((table.first == 1) & (np.arange(30) > 14), 0.0, table.losses)
    losses = np.where((table.second == 1) & (np.arange(30) > 14), 30.0, losses)
    wins = np.where((table.second == 1) & (np.arange(30) > 14), 0.0, wins)
    always = Comparisons.build(
        table.items, table.first, table.second, wins, None, losses, columns=table.columns
    )
    usual = fit_llbt(always, by="Paris:ENG")
    monkeypatch.setattr(existence, "_MANY_ROWS", 0)
    short = fit_llbt(always, by="Paris:ENG")
    assert usual.not_estimable == short.not_estimable == ("Paris:ENG[2]",)
    # The same number in another way, rounding alone; observed 0.
    np.testing.assert_allclose(short.params, usual.params, rtol=1e-12)
    assert short.llf == pytest.approx(usual.llf, rel=1e-14)


def test_a_refit_to_other_counts_is_the_fit_to_those_counts() -> None:
    fit = fit_llbt(cems(), by="LAT:ENG + Paris:ENG")
    apart = take_apart(fit)
    cells = apart.problem.cells
    gone = (cells.i + 2 * cells.j + cells.pattern) % 5 == 0
    counts = np.where(gone[:, None], 0.0, cells.counts)
    again = Refitter(apart).refit(counts)
    table = cems()
    english = table.columns["ENG"]
    assert isinstance(english, Factor)
    keep = (table.first + 2 * table.second + english.codes) % 5 != 0
    direct = fit_llbt(table.select(keep), by="LAT:ENG + Paris:ENG")
    assert again is not None and again.infinite is None
    np.testing.assert_allclose(again.beta, direct.beta, atol=1e-12)  # observed 2e-15


# -- properties ----------------------------------------------------------------------------------------------


@st.composite
def tables(draw: st.DrawFn) -> Comparisons:
    """Four items, every pair in two groups of two kinds, each outcome at least once."""
    counts = st.lists(st.integers(1, 9), min_size=24, max_size=24)
    i, j = np.triu_indices(4, 1)
    return Comparisons.build(
        "ABCD",
        np.tile(i, 4),
        np.tile(j, 4),
        draw(counts),
        draw(counts),
        draw(counts),
        columns={
            "g": Factor(np.repeat([0, 1], 12), ("no", "yes")),
            "h": Factor(np.tile(np.repeat([0, 1], 6), 2), ("a", "b")),
            "age": np.repeat([1990.0, 1997.5, 2001.0, 2010.0], 6),
        },
        item_data={"x": np.array([1.0, 0.5, 3.0, 2.0])},
    )


def turned(table: Comparisons, rows: NDArray[np.bool_]) -> Comparisons:
    """The same comparisons with the items of some rows exchanged."""
    return Comparisons.build(
        table.items,
        np.where(rows, table.second, table.first),
        np.where(rows, table.first, table.second),
        np.where(rows, table.losses, table.wins),
        table.ties,
        np.where(rows, table.wins, table.losses),
        columns=table.columns,
        item_data=table.item_data,
    )


@given(tables(), st.sampled_from(["B:g", "A:age", "g + B:h", "x:g + D:g"]), st.permutations(range(4)))
@settings(max_examples=25, deadline=None)
def test_neither_the_order_of_items_nor_that_of_rows_nor_their_sides_move_a_selective_term(
    table: Comparisons, by: str, order: list[int]
) -> None:
    fit = fit_bradley_terry(table, by=by, reference="A")
    rows = np.random.default_rng(1).permutation(table.n_rows)
    other = turned(table.select(rows), rows % 2 == 0).with_items(["ABCD"[k] for k in order])
    same = fit_bradley_terry(other, by=by, reference="A")
    # The sums are in another order; a slope on the year costs the intercepts 3 digits. Observed 3e-11.
    np.testing.assert_allclose(same.params[list(fit.names)], fit.params, rtol=1e-8, atol=1e-9)
    assert same.llf == pytest.approx(fit.llf, rel=1e-13) and same.df_resid == fit.df_resid
    assert same.deviance == pytest.approx(fit.deviance, rel=1e-9)


@given(tables(), st.booleans())
@settings(max_examples=15, deadline=None)
def test_the_fitted_wins_of_the_item_that_varies_are_the_observed_ones_in_each_group(
    table: Comparisons, ties: bool
) -> None:
    """The score equation of its term: fitted = observed score of A in group yes."""
    fit = fit_llbt(table, by="A:g", ties="davidson" if ties else "drop")
    cells = fit.cell_table()
    here = (cells.first == 0) & np.array([label == "g=yes" for label in cells.label])
    gap = (cells.observed - cells.fitted)[here]
    assert abs(float((gap[:, 0] - gap[:, 2]).sum())) < 1e-9  # observed 1e-14


def test_the_formula_reads_the_colon_before_the_star_as_r_does() -> None:
    written = [":".join(v.name for v in product) for product in products_of("a*b:c + d")]
    assert written == [
        "a",
        "b:c",
        "a:b:c",
        "d",
    ]  # attr(terms(~ a*b:c + d), "term.labels"), d moved to the end


def test_the_public_functions_name_the_group_of_a_selective_term() -> None:
    fit = pairproof.fit_llbt(cems(), by="Paris:ENG")
    assert list(fit.groups) == ["ENG=1", "ENG=2"]
    term = next(t for t in fit.to_dict()["terms"] if t["name"] == "Paris:ENG[2]")
    assert term == {
        "name": "Paris:ENG[2]",
        "kind": "covariate",
        "item": "Paris",
        "covariate": "ENG",
        "level": "2",
    }
