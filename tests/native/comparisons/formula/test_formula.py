"""The formula of subject covariates."""

from __future__ import annotations

import pytest

from pairproof.errors import FormulaError
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.native.comparisons.formula.subject_formula import Variable, parse
from tests.native.comparisons.counts.tables import dras

judge, age = Variable("judge", False), Variable("age", False)


def test_an_empty_formula_has_no_terms() -> None:
    assert parse("  ").item == parse("").tie == ()


def test_a_star_is_both_and_their_interaction() -> None:
    assert (
        parse("judge*age").item == parse("judge + age + judge:age").item == ((judge,), (age,), (judge, age))
    )


def test_tie_and_order_interactions_are_told_apart_from_those_of_the_items() -> None:
    formula = parse("judge + tie:judge + order:C(age)")
    assert (
        formula.item == ((judge,),)
        and formula.tie == ((judge,),)
        and formula.order == ((Variable("age", True),),)
    )


def test_a_column_with_an_odd_name_is_written_in_backquotes() -> None:
    assert parse("`first language` + C(`år`)").item == (
        (Variable("first language", False),),
        (Variable("år", True),),
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(a + b)^2", "a + b + a:b"),
        ("a / b + b", "a + a:b + b"),
        ("a * b - a:b", "a + b"),
        ("~ a + b", "a + b"),
        ("a + b + a:b + b:a", "a * b"),
        ("(a + b) * C(c) - a:C(c)", "a + b + C(c) + b:C(c)"),
    ],
)
def test_its_algebra_is_that_of_every_formula(text: str, same: str) -> None:
    assert parse(text) == parse(same)


@pytest.mark.parametrize(
    "text",
    [
        "a +",
        "a b",
        "a ++ b",
        "1",
        "a - b",
        "C(",
        "C()",
        "a:b",
        "tie",
        "order",
        "tie:order:a",
        "a + C(a)",
        "log(a)",
    ],
)
def test_what_cannot_be_read_is_refused_quoting_it(text: str) -> None:
    with pytest.raises(FormulaError, match="by="):
        parse(text)


def test_a_number_in_c_is_categorical_and_its_levels_are_named_without_decimals() -> None:
    fit = fit_llbt(dras(), by="C(age)")
    assert "A:age[31]" in fit.names and "A:age[25]" not in fit.names
    assert fit.df_resid == 35 and fit.deviance == pytest.approx(
        107.50001076346524, rel=1e-12
    )  # the judge model; observed 0


def test_the_judge_is_categorical_even_without_c() -> None:
    assert fit_llbt(dras(), by="judge").df_resid == 35


def test_two_crossed_factors_and_their_sum_differ_by_the_interaction() -> None:
    import numpy as np

    from pairproof.data.comparisons import Comparisons
    from tests.native.comparisons.counts.tables import factor

    data = dras()
    codes = data.columns["judge"].codes  # type: ignore[union-attr]  # a factor
    two = Comparisons.build(
        data.items,
        data.first,
        data.second,
        data.wins,
        data.ties,
        data.losses,
        columns={
            "sex": factor([("f", "m")[k % 2] for k in codes]),
            "site": factor([("x", "y")[k // 2] for k in codes]),
        },
    )
    crossed, added = fit_llbt(two, by="sex*site"), fit_llbt(two, by="sex + site")
    by_judge = fit_llbt(data, by="judge")
    assert crossed.llf == pytest.approx(
        by_judge.llf, rel=1e-13
    )  # another coding of the same model; observed 0
    test = crossed.compare(added)
    assert test.df == 3 and test.statistic == pytest.approx(2 * (crossed.llf - added.llf))
    assert np.isfinite(added.bse[added.free]).all()


def test_what_is_no_text_is_an_error_that_says_how_to_ask_for_none():
    with pytest.raises(FormulaError, match="by=None is not text.*'' for none"):
        parse(None)
