"""Whole numbers that may be codes: a slope is taken, and the other model is named until somebody says which is meant."""

from __future__ import annotations

import json

import numpy as np
import pytest

import pairproof
from pairproof.cli import main
from pairproof.errors import FormulaError
from pairproof.validation import verify

RNG = np.random.default_rng(9)


def table(values=(1, 2, 3)) -> pairproof.Comparisons:
    n = 60 * len(values)
    pairs = np.array([(0, 1), (0, 2), (1, 2)] * (n // 3))
    won = (RNG.random(n) < 0.6).astype(float)
    return pairproof.Comparisons.build(
        "ABC", *pairs.T, won, None, 1 - won, columns={"EDU": np.repeat(np.array(values, float), 60)}
    )


def notes(fit):
    return [w.text for w in fit.warnings if w.kind == "codes-as-slope"]


def test_codes_are_named_with_both_models_and_the_way_to_say_which():
    data = table()
    slope = pairproof.fit_llbt(data, by="EDU")
    (note,) = notes(slope)
    assert note.startswith("EDU (1, 2, 3) is taken as a number: one effect, for a step of 1.")
    assert "C(EDU) is another model, with 2 effects in its place, one for each level against 1" in note
    assert "prefmod" in note and "slope(EDU) if the slope is meant" in note
    assert note in " ".join(slope.summary().split()) and note in slope.to_dict()["warnings"]
    meant, factor = pairproof.fit_llbt(data, by="slope(EDU)"), pairproof.fit_llbt(data, by="C(EDU)")
    assert not notes(meant) and not notes(factor)
    assert meant.params.to_dict() == slope.params.to_dict() and meant.df_resid == slope.df_resid
    assert "A:EDU[2]" in factor.params and factor.df_resid < slope.df_resid


def test_two_codes_are_one_model_with_other_main_effects_and_none_and_one_say_nothing_to_ask():
    data = table((1, 2))
    slope, factor = pairproof.fit_llbt(data, by="EDU"), pairproof.fit_llbt(data, by="C(EDU)")
    assert slope.deviance == pytest.approx(factor.deviance)
    (note,) = notes(slope)
    assert "C(EDU) is the same model with its main effects at EDU 1, not at EDU 0" in note
    assert slope.params["A"] + slope.params["A:EDU"] == pytest.approx(factor.params["A"])
    assert not notes(pairproof.fit_llbt(table((0, 1)), by="EDU"))


@pytest.mark.parametrize("values", [tuple(range(11)), (1, 2.5, 4)])
def test_many_numbers_and_fractions_are_no_codes(values):
    assert not notes(pairproof.fit_llbt(table(values), by="EDU"))


@pytest.mark.parametrize("by", ["A:slope(EDU)", "EDU + A:EDU", "slope(EDU) + tie:slope(EDU)"])
def test_slope_is_said_wherever_a_column_stands(by):
    data = table()
    if "tie" in by:
        data = pairproof.Comparisons.build(
            data.items,
            data.first,
            data.second,
            data.wins,
            data.losses * 0 + 1,
            data.losses,
            columns=data.columns,
        )
    if by == "EDU + A:EDU":
        with pytest.raises(FormulaError):
            pairproof.fit_llbt(data, by=by)
        return
    assert not notes(pairproof.fit_llbt(data, by=by))


def test_a_slope_of_categories_is_refused():
    data = pairproof.read(
        {"first": ["A", "A"], "second": ["B", "B"], "outcome": ["first", "second"], "lang": ["de", "en"]}
    )
    with pytest.raises(
        FormulaError, match=r"slope\(lang\): lang is categorical \(de, en\), and has no numbers"
    ):
        pairproof.fit_llbt(data, by="slope(lang)")


def test_whole_answers_have_the_same_note():
    ranks = {
        "A": [1, 2, 1, 3, 2, 1],
        "B": [2, 1, 3, 1, 3, 2],
        "C": [3, 3, 2, 2, 1, 3],
        "EDU": [1, 2, 3, 1, 2, 3],
    }
    answers = pairproof.read_respondents(ranks, "ranks", items=["A", "B", "C"])
    assert len(notes(pairproof.fit_plackett_luce(answers, by="EDU"))) == 1
    assert not notes(pairproof.fit_plackett_luce(answers, by="slope(EDU)"))


def test_verify_says_that_the_model_is_not_prefmods_own():
    found = verify.verify(pairproof.fit_llbt(table(), by="EDU"), r="none")
    said = " ".join(str(found).split())
    assert (
        "R was asked for the same slope, which is not the model of prefmod's llbtPC.fit and pattPC.fit"
        in said
    )
    assert "C(EDU) is another model" in said
    assert "same slope" not in str(verify.verify(pairproof.fit_llbt(table(), by="slope(EDU)"), r="none"))


def test_the_command_says_it_on_standard_error_beside_json(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(table().to_frame().to_csv(index=False))
    assert main(["fit", str(path), "--by", "EDU", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "EDU (1, 2, 3) is taken as a number" in err
    assert any("slope(EDU)" in text for text in json.loads(out)["warnings"])


@pytest.mark.r("prefmod")
def test_training_delivery_by_learning_type_is_two_models():
    """Issue 25: ltype as a slope 43.4 on 32, as prefmod's factor 34.0 on 24."""
    trdel = pairproof.bridge.package_data("prefmod", "trdel")
    data = pairproof.read(
        trdel, layout="prefmod", items=list("ABCDE"), pair_order="prefmod", coding={"first": 1, "second": 2}
    )
    slope, factor = pairproof.fit_llbt(data, by="ltype"), pairproof.fit_llbt(data, by="C(ltype)")
    assert (round(slope.deviance, 1), slope.df_resid) == (43.4, 32)
    assert (round(factor.deviance, 1), factor.df_resid) == (34.0, 24)
    assert notes(slope) and not notes(factor)
