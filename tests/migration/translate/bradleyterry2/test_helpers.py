"""What an analysis does with a BTm, recorded: abilities, tests of terms, residuals, predictions, step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pairproof.bridge.capture.recorded import RecordedCall
from pairproof.bridge.values.nodes import RLang
from pairproof.migration.translate.bradleyterry2.recorded_btm import summands, terms_of
from tests.migration.translate.bradleyterry2.league import by_name, calls, done


def helper(text: str) -> RecordedCall:
    return next(c for c in calls() if c.text.startswith(text))


@pytest.mark.parametrize(
    "text, code, rows, least",
    [
        # Digits observed: 8.4, 9.6, 6.1, 14.6, 14.4, 14.1, 6.5, 13.2, 9.1, 14.9;
        # on Debian 13 (another libm, LAPACK and numpy) 12.6 of anova(team, field) and drop1(field).
        ("BTabilities(field)", "m.abilities()", 10, 8.0),
        ("BTabilities(named)", "m.abilities()", 10, 9.0),
        ("qvcalc(", "m.quasi_variances()", 10, 5.5),
        ("anova(field)", "pairproof.anova(m)", 10, 13.0),
        ("anova(team, field", "pairproof.anova(m, m)", 7, 12.0),
        ("drop1(field", "pairproof.drop1(m)", 12, 12.0),
        ("drop1(random", "pairproof.drop1(m)", 2, 6.0),
        ("residuals(plain)", 'pairproof.contest_residuals(m, "deviance")', 12, 12.0),
        ('residuals(plain, "grouped")', "pairproof.item_residuals(m)", 10, 8.5),
        (
            "predict(field)",
            'pairproof.predict(m, pairproof.bridge.read_frame("field_contests.csv"))',
            12,
            14.0,
        ),
    ],
)
def test_a_helper_is_the_verb_of_the_fit_and_its_numbers_are_rs(tmp_path, text, code, rows, least):
    found = done(helper(text), tmp_path)
    assert found.text == code
    assert (len(found.rows), found.verdicts) == (rows, {"agrees"})
    assert found.fewest >= least


def test_add1_without_random_effects_is_right_in_python_and_rs_table_is_named_as_wrong(tmp_path):
    found = done(helper("add1(team"), tmp_path)
    assert found.text == 'pairproof.add1(m, "at.home")'
    wrong = {str(a.quantity): a for a in found.rows if a.verdict == "not-checkable"}
    assert wrong["add1.at.home.Df"].native == 1 and wrong["add1.at.home.Df"].r == 3
    assert wrong["add1.at.home.LRT"].explanation.startswith(
        "BradleyTerry2's add1 is wrong for models without random effects"
    )
    # R's own anova of the same two models has the likelihood ratio that ours is.
    of_r = {str(a.quantity): a.r for a in done(helper("anova(team, field"), tmp_path).rows}
    assert wrong["add1.at.home.LRT"].native == pytest.approx(
        of_r["anova.2.Deviance"], rel=1e-9
    )  # observed 1e-13


def test_the_chosen_model_of_step_is_its_fit_and_the_path_a_note(tmp_path):
    found = done(by_name("chosen"), tmp_path)
    assert found.text == done(by_name("field"), tmp_path).text.replace("field.csv", "chosen.csv")
    assert found.translation.notes[0] == "The model that R's step chose. Its path: start (AIC 41.26)."
    assert found.verdicts == {"agrees"}


@pytest.mark.parametrize(
    "text, function, reason",
    [
        ("BTabilities(paid)", "BTabilities", "the players' covariates stay in R"),
        ("predict(field, type", "predict", "standard errors of probabilities stay in R"),
        ("predict(paid", "predict", "the covariates of its newdata stay in R, like those of its model"),
    ],
)
def test_what_python_does_not_say_is_asked_of_r_with_the_model_as_values(tmp_path, text, function, reason):
    found = done(helper(text), tmp_path)
    assert (found.translation.route, found.translation.reason) == ("bridge", reason)
    assert found.text.startswith(f"pairproof.bridge.bradleyterry2.{function}(")
    assert "pairproof.bridge.bradleyterry2.BTm(" in found.text


@pytest.mark.parametrize("start", ["BTabilities", "anova", "drop1", "add1", "residuals", "predict"])
def test_a_helper_of_a_model_of_another_run_is_left_out_with_the_reason(tmp_path, start):
    found = done(replace(helper(start), fits={}), tmp_path).translation
    assert (found.route, found.code) == ("outside", None)
    assert found.reason.endswith("is not a model from a recorded call of this run")


@pytest.mark.parametrize("start", ["BTabilities", "anova", "drop1", "add1", "residuals", "predict", "qvcalc"])
def test_a_helper_without_its_value_is_left_out(tmp_path, start):
    found = done(replace(helper(start), result={}), tmp_path).translation
    assert found.route == "outside" and "recorded" in found.reason


def test_a_scope_that_is_no_formula_is_left_out(tmp_path):
    call = helper("add1(team")
    found = done(
        replace(call, values={**call.values, "scope": RLang("~ . + system('x')")}), tmp_path
    ).translation
    assert found.route == "outside" and found.reason.startswith("its scope stays in R")


def test_the_summands_of_a_formula_are_told_with_their_signs():
    assert summands("a + b:c - (d + e)^2 + f(x - 1)") == ["+ a", "+ b:c", "- (d + e)^2", "+ f(x - 1)"]
    assert terms_of("~. + head.length[..] + SVL[..] + (1 | ..)") == ["head.length[..]", "SVL[..]"]
