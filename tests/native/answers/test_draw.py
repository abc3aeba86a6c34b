"""Answers drawn from worths and from a fit have the probabilities of the model, and the gaps of the table."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.data.respondents import Respondents
from pairproof.errors import InputError
from pairproof.native.answers.drawn_answers import draw_answers, draw_pairs, draw_ranks
from tests.bridge.programs.whole_answers_models import FITS, top

WORTHS = {"A": 4.0, "B": 2.0, "C": 1.0}


def test_comparisons_drawn_from_worths_are_bradley_and_terrys() -> None:
    table = draw_pairs(WORTHS, 20_000, seed=1)
    found = [(table.once[:, k] == 1).mean() for k in range(3)]
    # 4 standard errors of a share of 20,000.
    assert np.abs(np.array(found) - [4 / 6, 4 / 5, 2 / 3]).max() < 4 * np.sqrt(0.25 / 20_000)
    assert not table.tie_category and table.n_persons == 20_000


def test_ties_are_drawn_with_davidsons_prevalence() -> None:
    table = draw_pairs({"A": 1, "B": 1}, 20_000, seed=2, tie_prevalence=2.0)
    assert abs((table.once == 0).mean() - 0.5) < 4 * np.sqrt(0.25 / 20_000)


@pytest.mark.parametrize("model", ["pattern", "plackett-luce"])
def test_the_fit_of_drawn_rankings_has_the_worths_within_its_standard_errors(model) -> None:
    table = draw_ranks(WORTHS, 5_000, seed=3, model=model)
    fit = (
        pairproof.fit_pattern(table).on_scale("log-odds").with_reference("C")
        if model == "pattern"
        else pairproof.fit_plackett_luce(table, reference="C")
    )
    z = (fit.params[:2] - np.log([4.0, 2.0])) / fit.bse[:2]
    assert np.abs(z).max() < 4


def test_a_seed_gives_the_same_answers_again() -> None:
    assert (draw_ranks(WORTHS, 50, seed=7).answers == draw_ranks(WORTHS, 50, seed=7).answers).all()
    assert (draw_ranks(WORTHS, 50, seed=7).answers != draw_ranks(WORTHS, 50, seed=8).answers).any()
    fit = FITS["comparisons"]()
    assert (draw_answers(fit, seed=1).answers == draw_answers(fit, seed=1).answers).all()


@pytest.mark.parametrize(
    "name", ["comparisons", "dependence", "ratings", "ratings twice", "partial rankings by sex", "choices"]
)
def test_answers_drawn_from_a_fit_keep_covariates_and_gaps_and_are_fitted_again(name: str) -> None:
    fit = FITS[name]()
    drawn = draw_answers(fit, seed=5)
    own = fit.respondents
    assert (
        drawn.kind == own.kind and drawn.n_persons == own.n_persons and set(drawn.columns) == set(own.columns)
    )
    if own.weights.max() == 1:
        assert drawn.gaps()["missing"].sum() == own.gaps()["missing"].sum()


def test_the_share_of_each_pattern_is_its_probability() -> None:
    one = FITS["ratings"]()
    many = pairproof.fit_pattern(
        own := Respondents.build(
            "ABCD", "ratings", np.tile(one.respondents.answers, (200, 1, 1)), scale=one.respondents.scale
        )
    )
    drawn = pairproof.fit_pattern(draw_answers(many, seed=9))
    z = (drawn.params - many.params)[:3] / drawn.bse[:3]
    assert own.n_persons == 12_000 and np.abs(z).max() < 4


def test_what_cannot_be_drawn_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="expected two items or more, each with a number above 0"):
        draw_pairs({"A": 1.0, "B": 0.0}, 10, seed=1)
    with pytest.raises(InputError, match="tie_prevalence=-1.0; expected Davidson's nu, 0 or more"):
        draw_pairs(WORTHS, 10, seed=1, tie_prevalence=-1.0)
    with pytest.raises(InputError, match="items that were not presented"):
        draw_answers(FITS["absent items"](), seed=1)


def test_gaps_are_counted_by_comparison_in_persons() -> None:
    table = top()
    gaps = table.gaps()
    assert gaps["missing"].sum() == 30  # thirty rankings of the best two: one comparison is open in each
    assert ((gaps["answered"] + gaps["missing"]) == 60).all() and gaps["share"].tolist() == (
        gaps["missing"] / 60
    ).tolist()
    twice = FITS["ratings twice"]().respondents.gaps()
    assert twice["time"].tolist() == ["first"] * 3 + ["second"] * 3 and not twice["missing"].any()
