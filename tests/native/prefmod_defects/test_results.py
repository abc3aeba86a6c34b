"""Numbers of results with prefmod's defects, and what they refuse."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.errors import InputError, TooLargeError
from pairproof.native.prefmod_defects.defects_of_models import fit_margins_not_fixed, mixture_of_cells
from pairproof.native.prefmod_defects.defects_of_results import printed_as_prefmod, worth_as_prefmod

TABLE = pairproof.Comparisons.build(
    ["A", "B", "C"], first=[0, 0, 1], second=[1, 2, 2], wins=[6, 8, 5], ties=[2, 1, 3], losses=[4, 3, 4]
)


def test_names_that_r_reads_lose_nothing() -> None:
    fit = pairproof.fit_llbt(TABLE)
    found = printed_as_prefmod(fit, "prefmod:B6")
    # The same number in another way, rounding alone; observed 0.
    assert found == pytest.approx(
        {f"worth.all.{i}": float(w) for i, w in zip("ABC", fit.worth()["worth"])}, abs=1e-15
    )


def test_all_names_unread_make_all_worths_equal() -> None:
    table = pairproof.Comparisons.build(
        ["1 a", "2 b", "3 c", "4 d"], [0, 0, 0, 1], [1, 2, 3, 2], [6, 8, 5, 4], None, [4, 3, 4, 4]
    )
    assert set(worth_as_prefmod(pairproof.fit_llbt(table), "B6")["all"].values()) == {0.25}


def test_one_sided_p_is_half_and_full_cells_count_as_they_are() -> None:
    fit = pairproof.fit_llbt(TABLE)
    found = printed_as_prefmod(fit, ["prefmod:N2", "prefmod:B11"])
    assert found["p.A"] == float(fit.pvalues["A"]) / 2
    assert found["df_resid"] == fit.df_resid


def test_a_defect_that_the_fit_cannot_show_is_refused() -> None:
    fit = pairproof.fit_llbt(TABLE)
    with pytest.raises(InputError, match="B21 is about item covariates"):
        printed_as_prefmod(fit, "B21")
    with pytest.raises(InputError, match="B7 is about categorical subject covariates"):
        printed_as_prefmod(fit, "B7-one-column-of-cov-sel")
    with pytest.raises(InputError, match="B1-ties-as-losses is a defect of the data, not of results"):
        printed_as_prefmod(fit, "B1")
    with pytest.raises(InputError, match="B8-names-within-names is not reproducible"):
        printed_as_prefmod(fit, "B8")


def test_groups_of_one_size_are_not_harmed_by_margins() -> None:
    answers = [
        [1, 1, 1],
        [1, -1, 1],
        [-1, -1, 1],
        [1, 1, -1],
        [1, 1, -1],
        [-1, 1, 1],
        [1, -1, -1],
        [-1, -1, -1],
    ]
    columns = {"S": Factor(np.array([0, 0, 0, 0, 1, 1, 1, 1]), ("1", "2"))}
    table = Respondents.build("ABC", "comparisons", answers, tie_category=False, columns=columns)
    found = fit_margins_not_fixed(table, "S", level_constants=True)
    right = pairproof.fit_llbt(table.to_comparisons(), by="S")
    # The same maximum only where the cells' sums agree: here within the difference of their constants.
    assert found.df == right.df_resid + 2  # three constants and one of S, instead of six
    assert found.deviance >= right.deviance - 1e-12


def test_margins_are_about_groups_of_comparisons() -> None:
    numbers = Respondents.build(
        "AB", "comparisons", [[1], [-1]], tie_category=False, columns={"x": np.array([1.0, 2.0])}
    )
    with pytest.raises(InputError, match="'x' is numeric"):
        fit_margins_not_fixed(numbers, "x")
    with pytest.raises(InputError, match="these are rankings"):
        fit_margins_not_fixed(Respondents.build("AB", "rankings", [[1, 2]]), "x")


def test_a_mixture_of_cells_needs_all_answers_and_few_patterns() -> None:
    gap = Respondents.build("ABC", "comparisons", [[1, 9, 1]], tie_category=False)
    with pytest.raises(InputError, match="comparisons without gaps"):
        mixture_of_cells(gap, 2)
    six = Respondents.build("ABCDEF", "comparisons", [[1] * 15], tie_category=True)
    with pytest.raises(TooLargeError, match=r"3\^15 patterns"):
        mixture_of_cells(six, 2)


def test_one_class_of_cells_is_the_poisson_model_of_the_persons() -> None:
    answers = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]
    table = Respondents.build(
        "ABC", "comparisons", answers, tie_category=False, weights=[30, 9, 8, 10, 25, 8, 9]
    )
    one = mixture_of_cells(table, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = pairproof.fit_llbt(table.to_comparisons())
    # The same number in another way, rounding alone; observed 3e-16.
    assert one.fit.phi[0, 1:] == pytest.approx(fit.beta[:2], abs=1e-12)
    assert one.standard_errors[0, 1:] == pytest.approx(fit.standard_errors[:2], abs=1e-12)


def test_prefmod_alone_shows_what_it_would_print_of_this_fit_and_says_so() -> None:
    gap = pairproof.Comparisons.build(
        ["St. Gallen", "B", "C", "D"],
        [0, 0, 1, 1, 2],
        [1, 2, 2, 3, 3],
        [3, 4, 3, 5, 6],
        None,
        [2, 1, 2, 4, 2],
    )
    with pytest.warns(pairproof.errors.DataWarning, match="defects B11-empty-cells-counted, B6-names-unread"):
        found = printed_as_prefmod(pairproof.fit_llbt(gap), "prefmod")
    assert found["df_resid"] == 3 and "worth.all.St. Gallen" in found
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert printed_as_prefmod(pairproof.fit_llbt(TABLE), "prefmod") == {}
