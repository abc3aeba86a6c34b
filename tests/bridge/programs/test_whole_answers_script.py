"""The R script of a fit of whole answers is run by Rscript and prints the fit's numbers."""

from __future__ import annotations

import re

import pytest

import pairproof
from pairproof.data.respondents import Respondents
from pairproof.errors import InputError
from tests.bridge.programs.whole_answers_models import FITS, comparisons
from tests.bridge.test_script import reproduced, run

#: Observed fewest digits over the scripts below: estimates 12.7 (fruit's ties), standard errors 13.6,
#: deviance 13.8, log-likelihood 15; slack for another BLAS and another R.
FLOORS = {"estimate": 11.0, "se": 11.0, "deviance": 11.0, "df_resid": 16.0, "llf": 13.0}


@pytest.mark.nightly
@pytest.mark.r()
@pytest.mark.parametrize("name", FITS)
def test_rscript_prints_the_numbers_of_the_fit(name: str, tmp_path) -> None:
    fit = FITS[name]()
    found = reproduced(fit, run(pairproof.to_r(fit), tmp_path))
    assert {kind: found[kind] for kind in FLOORS if found[kind] < FLOORS[kind]} == {}


@pytest.mark.r()
def test_six_items_with_three_categories_are_fitted_comparison_by_comparison(tmp_path) -> None:
    # 3^15 answers are not listed: without dependence each comparison is an answer of its own.
    answers = [
        [1, 0, -1, 1, 1, 0, -1, -1, 0, 1, 1, -1, 0, 1, 9],
        [-1, 1, 1, 0, -1, 1, 0, 1, -1, 1, 0, 0, 1, -1, 1],
    ]
    fit = pairproof.fit_pattern(Respondents.build("ABCDEF", "comparisons", answers * 3, tie_category=True))
    text = pairproof.to_r(fit)
    assert 'kind <- "apart"' in text
    found = reproduced(fit, run(text, tmp_path))
    assert {kind: found[kind] for kind in FLOORS if found[kind] < FLOORS[kind]} == {}


@pytest.mark.r()
def test_a_name_reaches_r_as_text(tmp_path) -> None:
    items = ['"); quit(); c("', "B\nC", "ä\\"]
    fit = pairproof.fit_pattern(
        Respondents.build(items, "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
    )
    text = pairproof.to_r(fit)
    assert text.isascii() and re.search(r"^quit", text, re.MULTILINE) is None
    assert 'colnames(design) <- c("\\"); quit(); c(\\"", "B\\nC")' in text


def test_too_many_answers_are_refused_with_their_number() -> None:
    answers = [list(range(1, 11)), list(range(10, 0, -1)), [2, 1, *range(3, 11)]]
    fit = pairproof.fit_pattern(Respondents.build("ABCDEFGHIJ", "rankings", answers))
    with pytest.raises(
        InputError, match=r"no R script: .* would be 163,296,000 numbers in R; at most 5,000,000"
    ):
        pairproof.to_r(fit)


def test_a_clustered_fit_says_that_the_script_has_the_standard_errors_of_the_model() -> None:
    text = pairproof.to_r(pairproof.fit_pattern(comparisons()).clustered())
    assert (
        "# The fit's standard errors are CR1 by person (60 clusters). Those of this script are the model's."
        in text
    )
