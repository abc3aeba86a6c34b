"""Calls of psychotools and PlackettLuce that become Python, held against what R 4.2.2 gave, without R."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.migration.translate.python_code import Call, files
from tests.migration.translate.recorded import step_of

BTMODELS = {
    "bt": {"reference": "Earl Grey", "ties": "davidson"},
    "no.ties": {"reference": "Ceylon", "ties": "drop"},
    "weighted": {"reference": "Earl Grey", "ties": "davidson"},
    "logit": {"reference": "Earl Grey"},
    "apart.ties": {"reference": "c", "ties": "davidson"},
}
#: As R has it unless told not to.
AS_R = {"pseudo": 0.5, "errors": "rankings"}
RANKINGS = {"plain": {}, "partial": {}, "tied": {}, "pl": AS_R, "counted": AS_R}


@pytest.mark.parametrize("variable", BTMODELS)
def test_a_btmodel_is_the_bradley_terry_model_with_its_reference_and_ties(variable, tmp_path):
    step = step_of(variable, tmp_path)
    assert (step.state, step.translation.shown) == ("native", "fit_bradley_terry(...)"), step.refused
    assert dict(step.translation.code.keywords) == BTMODELS[variable]
    kinds = [a.quantity.kind for a in step.rows]
    n = len(step.value.items) - 1 + ("tie" in step.value.names)
    assert kinds.count("estimate") == kinds.count("se") == n and {"llf", "aic"} <= set(kinds)
    # R's floors at glm's default stop: observed 5.6 digits of a standard error, 10.5 of an estimate.
    assert {a.verdict for a in step.rows} == {"agrees"}


@pytest.mark.parametrize("variable", RANKINGS)
def test_rankings_are_fitted_by_plackett_and_luce_s_model(variable, tmp_path):
    step = step_of(variable, tmp_path)
    assert (step.state, step.translation.shown) == ("native", "fit_plackett_luce(...)"), step.refused
    assert dict(step.translation.code.keywords) == RANKINGS[variable]
    by_kind = {a.quantity.kind: a.verdict for a in step.rows}
    # R stops at 1e-7 of its statistics: observed 7.8 digits of an estimate.
    assert by_kind["estimate"] == by_kind["llf"] == by_kind["se"] == "agrees"


def test_pseudo_rankings_are_said_and_r_s_errors_are_computed_as_r_does(tmp_path):
    step = step_of("pl", tmp_path)
    assert "unless told not to" in step.translation.notes[0] and "pseudo=0.5" in step.translation.notes[0]
    assert 'errors="rankings"' in step.translation.notes[1]
    errors = [a for a in step.rows if a.quantity.kind == "se"]
    # Observed 8.7 digits.
    assert len(errors) == 3 and min(a.digits for a in errors) > 6


def test_a_ranking_has_a_gap_where_an_item_was_not_ranked(tmp_path):
    step = step_of("partial", tmp_path)
    table = step.translation.code.arguments[0]
    assert table.keywords["unranked"] == "absent"
    assert [v.count(None) for v in files(table)[0].columns.values()] == [1, 1, 1, 1]


def test_rankings_with_frequencies_have_weights(tmp_path):
    counted, tied = step_of("counted", tmp_path), step_of("tied", tmp_path)
    assert sum(files(counted.translation.code)[0].columns["weight"]) == 20
    assert files(tied.translation.code)[0].columns["weight"] == [1.0, 2.0] * 10


def test_what_r_stopped_short_of_is_no_agreement(tmp_path):
    step = step_of("stopped", tmp_path)
    # How many parameters R counts does not depend on where it stopped.
    assert {str(a.quantity) for a in step.rows if a.verdict == "agrees"} == {"loglik_df"}
    assert {a.verdict for a in step.rows} == {"not-checkable", "agrees"}
    assert "did not converge" in step.rows[0].explanation


@pytest.mark.parametrize(
    "variable, name", [("worths", "worth"), ("w1", "worth"), ("logs", "params"), ("w2", "params")]
)
def test_item_parameters_are_worths_or_log_worths_around_their_mean(variable, name, tmp_path):
    step = step_of(variable, tmp_path)
    assert step.state == "native" and step.translation.code.name == name, step.refused
    assert step.rows and {a.verdict for a in step.rows} == {"agrees"}
    if name == "params":
        assert sum(a.native for a in step.rows) == pytest.approx(0, abs=1e-12)  # observed 2e-16


def test_log_worths_less_an_item_s_have_it_for_their_reference(tmp_path):
    step = step_of("against", tmp_path)
    assert step.translation.code.of.arguments == ("Ceylon",)
    assert {a.verdict for a in step.rows} == {"agrees"}


def test_errors_of_worths_leave_out_pseudo_rankings_as_r_does(tmp_path):
    # Observed 8.2 digits.
    assert {a.quantity.kind: a.verdict for a in step_of("w3", tmp_path).rows} == {
        "worth": "agrees",
        "worth_se": "agrees",
    }


def test_item_covariates_of_pladmm_are_item_terms(tmp_path):
    step = step_of("covariates", tmp_path)
    assert step.translation.code.keywords == {"item_terms": ["strength", "sweet"]}
    # pladmm stops at 1e-4 of the worths: observed 3.8 digits of an estimate.
    assert {a.verdict for a in step.rows} == {"agrees"}
    assert step.value.llf >= next(a.r for a in step.rows if str(a.quantity) == "llf")
    curved = step_of("curved", tmp_path)
    assert curved.translation.code.keywords == {"item_terms": ["x1", "x2"]}
    assert curved.translation.notes == ("x1 is strength.", "x2 is I(strength^2).")


def test_what_was_evaluated_is_at_the_maximum(tmp_path):
    fit = step_of("plain", tmp_path).value
    ranks = np.array(
        [list(r) for r in zip(*files(step_of("plain", tmp_path).translation.code)[0].columns.values())]
    )
    worth = np.exp(fit.params[list(fit.items)].to_numpy())
    total = 0.0
    for ranking in ranks:
        order = np.argsort(ranking)
        total += sum(np.log(worth[order[k]] / worth[order[k:]].sum()) for k in range(3))
    assert fit.llf == pytest.approx(total, rel=1e-13)  # observed 2e-16


def test_the_code_has_no_text_of_the_script(tmp_path):
    code = step_of("curved", tmp_path).translation.code
    assert isinstance(code, Call) and "I(" not in repr(code.keywords)
