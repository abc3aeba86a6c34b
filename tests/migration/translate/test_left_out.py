"""What is not translated is said with a reason, never guessed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pairproof.bridge.values.nodes import RLang
from pairproof.migration.migrate import translators
from pairproof.migration.outcome import REASONS
from pairproof.migration.translate.translation import Context
from tests.migration.made import a_call, a_run
from tests.migration.translate.recorded import calls

MINE = [
    name
    for name in translators()
    if name.split("::")[0] in ("psychotools", "PlackettLuce", "lme4", "brglm", "eba") and "qvcalc" not in name
]


def translated(call):
    return translators()[call.function](call, Context(a_run([call])))


@pytest.mark.parametrize("function", MINE)
def test_a_call_of_which_nothing_was_recorded_is_left_out_with_a_reason(function):
    found = translated(a_call(function=function))
    assert found.route == "outside" and len(found.reason.split()) > 3


@pytest.mark.parametrize(
    "variable, argument",
    [("prior", "normal"), ("keen", "gamma"), ("plain", "npseudo"), ("mixed", "nAGQ"), ("nested", "A")],
)
def test_an_argument_that_was_not_recorded_is_not_taken_for_its_default(variable, argument):
    call = next(c for c in calls() if c.variable == variable)
    without = {k: v for k, v in call.values.items() if k != argument}
    kept = {k: v for k, v in call.result.items() if k != argument}
    found = translated(replace(call, values=without, result=kept))
    assert (found.route, found.reason) == ("outside", f"its {argument} could not be recorded")


def test_a_function_is_not_both_recorded_and_left_out():
    assert not {name.partition("::")[2].partition(".")[0] for name in translators()} & set(REASONS)
    assert not {name.partition("::")[2] for name in translators()} & set(REASONS)


def test_every_reason_is_a_phrase():
    assert len(REASONS) > 120 and all(
        len(why.split()) > 3 and not why.endswith(".") for why in REASONS.values()
    )
    assert "linear" in REASONS["lm"] and "likelihood" in REASONS["nlm"] and "test" in REASONS["t.test"]


def test_a_value_that_is_no_data_is_no_paircomp():
    found = translated(a_call(function="psychotools::btmodel", values={"y": RLang("y")}))
    assert found.route == "outside" and "paircomp" in found.reason
