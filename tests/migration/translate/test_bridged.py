"""Calls that stay in R: what Python asks R for, by values, and that R gives the same again."""

from __future__ import annotations

from pathlib import Path

import pytest

from pairproof.migration.migrate import steps_of
from pairproof.migration.translate.python_code import Call, files
from tests.migration.translate.recorded import captured, placed, step_of

#: Variable of the script -> function of the bridge, keywords, words of the reason.
BRIDGED = {
    "one.way": ("psychotools.btmodel", {"undecided": False, "epsilon": 1e-8}, "infinite or not determined"),
    "prior": ("plackettluce.PlackettLuce", {}, "prior"),
    "keen": ("plackettluce.PlackettLuce", {"gamma": (10.0, 10.0)}, "adherence"),
    "grouped": ("plackettluce.PlackettLuce", {"gamma": (5.0, 5.0)}, "adherence"),
    "always": ("plackettluce.PlackettLuce", {}, "no item was ever ranked alone"),
    "drawn": ("plackettluce.pladmm", {"rtol": 1e-5}, "no ties"),
    "mixed": ("lme4.glmer_design", {"nAGQ": 5, "weights": "(weights)"}, "random effects"),
    "two": ("lme4.glmer_design", {"link": "probit"}, "random effects"),
    "firth": ("brglm.brglm_design", {"weights": "(weights)"}, "bias-reduced"),
    "nested": ("eba.eba", {"A": [[1, 5], [2, 5], [3, 6], [4, 6]]}, "aspects"),
}


@pytest.mark.parametrize("variable", BRIDGED)
def test_a_call_that_stays_in_r_is_a_call_of_the_bridge_with_the_reason(variable, tmp_path):
    step = step_of(variable, tmp_path)
    function, keywords, reason = BRIDGED[variable]
    assert step.state == "bridge"
    assert step.translation.code.function == f"pairproof.bridge.{function}"
    assert {k: step.translation.code.keywords[k] for k in keywords} == keywords
    assert reason in step.translation.reason


def test_random_effects_are_named_by_group_and_column(tmp_path):
    code = step_of("two", tmp_path).translation.code
    assert code.arguments[1:] == ("(y)", ["judge", "room"])
    assert code.keywords["effects"] == [["(Intercept)", "hot"], ["(Intercept)"]]
    assert list(files(code)[0].columns) == ["(Intercept)", "hot", "(y)", "judge", "room", "(weights)"]


def test_rankers_in_groups_are_numbers(tmp_path):
    assert step_of("grouped", tmp_path).translation.code.keywords["group"] == [
        k for k in range(1, 11) for _ in "ab"
    ]


def test_a_prior_is_its_mean_and_covariance(tmp_path):
    mean, covariance = step_of("prior", tmp_path).translation.code.keywords["normal"]
    assert mean == [0.0] * 4 and [covariance[k][k] for k in range(4)] == [2.0] * 4


def test_wins_are_whole_numbers_in_the_script(tmp_path):
    wins, items = step_of("nested", tmp_path).translation.code.arguments
    assert wins == [[0, 14, 17, 18], [6, 0, 12, 15], [3, 8, 0, 11], [2, 5, 9, 0]]
    assert items == ["ale", "bitter", "cider", "dark"]


@pytest.mark.parametrize(
    "variable, function", [("line", "fit_bradley_terry"), ("chains", "stochastic_transitivity")]
)
def test_models_of_eba_whose_search_got_far_enough_are_python_s(variable, function, tmp_path):
    step = step_of(variable, tmp_path)
    assert step.state == "native" and step.translation.code.function.endswith(f".{function}")
    assert {a.verdict for a in step.rows} == {"agrees"}


def strings(value: object) -> list[str]:
    if isinstance(value, Call):
        return [s for part in (*value.arguments, *value.keywords.values()) for s in strings(part)]
    if isinstance(value, (list, tuple)):
        return [s for part in value for s in strings(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("variable", BRIDGED)
def test_no_text_of_the_script_reaches_r(variable, tmp_path):
    said = strings(step_of(variable, tmp_path).translation.code)
    assert not [s for s in said if any(sign in s for sign in ("~", "|", "<-", "function"))]


@pytest.mark.r("psychotools", "PlackettLuce", "lme4", "brglm", "eba")
def test_the_whole_script_agrees_with_its_own_run_of_r(tmp_path: Path):
    run = captured()
    assert run.ending == "done", run.message
    steps = steps_of(run, lambda file: placed(file, tmp_path))
    mine = [s for s in steps if s.call.variable]
    assert len(mine) == 36 and not [s.call.text for s in mine if s.state not in ("native", "bridge")]
    assert not [s.call.text for s in mine if not s.rows]
    for step in mine:
        allowed = {"agrees", "explained"} if step.call.variable != "stopped" else {"not-checkable", "agrees"}
        assert {a.verdict for a in step.rows} <= allowed, step.call.text
    # The same call by its values gives the same bits; observed 16.0 digits, with adherence 10.5.
    again = [a.digits for s in mine if s.state == "bridge" for a in s.rows]
    assert min(again) > 6 and sum(d == 16.0 for d in again) > 0.8 * len(again)
