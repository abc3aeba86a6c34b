"""Selective terms in models of whole answers: one item, or one item covariate, varies with a subject covariate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pairproof
from pairproof.data.respondents import Respondents
from pairproof.errors import ComparisonError, FormulaError
from tests.native.answers.tables import votes

#: Observed 13 digits and more.
CLOSE = 1e-11


def with_x(table: Respondents) -> Respondents:
    return replace(table, item_data={"x": np.arange(len(table.items)) ** 2.0})


@pytest.mark.parametrize("by", ["A:sex", "D:sex", "sex + B:age", "x:sex", "item(A):age + x:sex"])
@pytest.mark.parametrize("ties", [0.0, 0.2])
def test_the_pattern_model_is_the_llbt_with_the_same_selection(by: str, ties: float) -> None:
    table = with_x(votes(ties=ties))
    fit, llbt = pairproof.fit_pattern(table, by=by), pairproof.fit_llbt(table.to_comparisons(), by=by)
    assert fit.names == llbt.names
    np.testing.assert_allclose(fit.params, llbt.params, rtol=CLOSE, atol=CLOSE)
    np.testing.assert_allclose(fit.bse, llbt.bse, rtol=CLOSE)
    # The same number in another way, rounding alone; observed 2e-15.
    assert fit.llf == pytest.approx(llbt.llf, rel=1e-12)


def test_item_covariates_can_vary_one_by_one() -> None:
    table = replace(votes(), item_data={"x": np.array([0.0, 1, 4, 9]), "z": np.array([1.0, 0, 0, 1])})
    fit = pairproof.fit_pattern(table, item_terms=["x", "z"], by="x:sex")
    llbt = pairproof.fit_llbt(table.to_comparisons(), item_terms=["x", "z"], by="x:sex")
    assert fit.names == llbt.names and fit.names[:2] == ("x", "z") and "z:sex" not in "".join(fit.names)
    np.testing.assert_allclose(fit.params, llbt.params, rtol=CLOSE)
    assert fit.compare(pairproof.fit_pattern(table, item_terms=["x", "z"], by="sex")).df == 1
    assert fit.compare(pairproof.fit_pattern(table, by="x:sex")).df == 1


def test_a_selection_lies_inside_that_of_all_items_under_any_reference() -> None:
    table = votes()
    one, every = pairproof.fit_pattern(table, by="A:sex", reference="A"), pairproof.fit_pattern(
        table, by="sex"
    )
    assert one.compare(every).df == 2
    with pytest.raises(ComparisonError, match="not nested"):
        one.compare(pairproof.fit_pattern(table, by="B:sex + C:sex"))
    term = next(n for n in one.names if n.startswith("A:sex"))
    moved = one.with_reference("sum")
    assert moved.params[term] == pytest.approx(one.params[term], rel=CLOSE)
    assert pairproof.fit_pattern(table, by="A:sex", reference="sum").params[term] == pytest.approx(
        one.params[term], rel=CLOSE
    )


def test_a_selection_of_every_item_is_the_model_of_all_items_digit_for_digit() -> None:
    table = votes()
    chosen = pairproof.fit_pattern(table, by=" + ".join(f"{item}:sex" for item in table.items))
    plain = pairproof.fit_pattern(table, by="sex")
    assert chosen.names == plain.names and (chosen.beta == plain.beta).all() and chosen.llf == plain.llf


def test_it_stands_beside_dependence_between_comparisons() -> None:
    table = votes()
    one, every = (
        pairproof.fit_pattern(table, by=by, dependence=True) for by in ("A:sex + B:sex + C:sex", "sex")
    )
    # Three of the four items: the model of all of them under another name.
    for item in "ABC":
        (name,) = (n for n in one.names if n.startswith(f"{item}:sex"))
        # The same number in another way, rounding alone; observed 0.
        assert one.params[name] == pytest.approx(every.params[name], rel=1e-8, abs=1e-9)
    # The same number in another way, rounding alone; observed 0.
    assert one.llf == pytest.approx(every.llf, rel=1e-12) and one.df_resid == every.df_resid


def test_a_selective_ranking_model_keeps_the_other_items_ratios() -> None:
    rng = np.random.default_rng(3)
    ranks = np.argsort(np.argsort(rng.gumbel(size=(60, 4)) - [0.0, 0.3, 0.6, 0.9], axis=1), axis=1) + 1
    group = np.repeat([0.0, 1.0], 30)
    table = Respondents.build("ABCD", "rankings", ranks[:, None, :], columns={"g": group})
    fit = pairproof.fit_plackett_luce(table, by="B:g")
    assert fit.names == ("A", "B", "C", "D", "B:g")
    low, high = (fit.worth(at={"g": g}).set_index("item")["worth"] for g in (0.0, 1.0))
    # The same number in another way, rounding alone; observed 7e-16.
    assert low["A"] / low["C"] == pytest.approx(high["A"] / high["C"], rel=1e-12)
    assert np.log(high["B"] / high["A"]) - np.log(low["B"] / low["A"]) == pytest.approx(
        fit.params["B:g"], rel=1e-10
    )
    assert fit.compare(pairproof.fit_plackett_luce(table, by="g")).df == 2
    with pytest.raises(FormulaError, match="E is neither a column of the table"):
        pairproof.fit_plackett_luce(table, by="E:g")
