"""The verdict on a migration, its lines and its JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from pairproof.bridge.capture.recorded import LARGE, Mentioned, Place
from pairproof.bridge.values.nodes import RList, ROpaque, RVector
from pairproof.migration.migrate import steps_of
from pairproof.migration.outcome import LeftOut, Migration, counts, fewest, left_out
from pairproof.migration.translate.python_code import Call
from pairproof.migration.translate.translation import Step, Translation, by_package, outside
from tests.migration.made import a_call, a_row, a_run

NATIVE = Translation("native", Call("pairproof.fit_bradley_terry", ({},), {"reference": "A"}))
BRIDGE = Translation(
    "bridge", Call("pairproof.bridge.lme4.glmer_contests", ({},)), "two random effects of judges"
)


def migration(*steps: Step, **run: object) -> Migration:
    captured = a_run([s.call for s in steps], **run)
    return Migration(
        captured,
        steps,
        tuple(LeftOut(m, "not a model of paired comparisons") for m in captured.text.mentioned),
    )


def test_a_line_says_the_call_the_python_and_the_fewest_digits():
    found = migration(Step(a_call(), NATIVE, rows=(a_row("estimate.A"), a_row("se.A", 9.63))))
    assert str(found).splitlines() == [
        "analysis.R: 1 call of a fitting function in 4 lines, run by R 4.2.2 in 3.1 s",
        "  line 2  BTm(...)  -> fit_bradley_terry(...)  2 numbers agree, to at least 9.6 digits (se.A)",
        "  line 4  nlm(...)  -> left out                not a model of paired comparisons",
    ]
    assert found.exit_code == 0


def test_calls_of_a_loop_are_one_line():
    steps = [Step(a_call(k, nth=k), NATIVE, rows=(a_row("estimate.A"),)) for k in (1, 2, 3)]
    found = migration(*steps)
    assert len(found.sites) == 1 and found.sites[0].states == {"native": 3}
    assert "BTm(...) x 3" in str(found) and "3 numbers agree" in str(found)
    assert "1 call of a fitting function (3 evaluated)" in str(found)


@pytest.mark.parametrize(
    "step, said, code",
    [
        (Step(a_call(error="no such column"), outside("")), "R gave an error: no such column", 0),
        (Step(a_call(kept=False), outside("")), "not kept (too many calls): counted, not translated", 2),
        (Step(a_call(via="psychotree::pltree"), outside("")), "through psychotree::pltree: counted", 0),
        (Step(a_call(), NATIVE, refused="InputError: a tie"), "refused by Python: InputError: a tie", 2),
        (Step(a_call(), outside("a table of counts")), "-> left out", 0),
        (
            Step(a_call(), BRIDGE, rows=(a_row("estimate.A"),)),
            "stays in R, through pairproof.bridge; 1 number of R's own",
            0,
        ),
        (
            Step(a_call(), NATIVE, rows=(a_row("se.A", 3.0, "differs", explanation="3 digits"),)),
            "1 DIFFER, first se.A",
            1,
        ),
        (
            Step(a_call(), NATIVE, rows=(a_row("se.A", 3.0, "explained", explanation="R is wrong"),)),
            "1 explained (R is",
            0,
        ),
        (Step(a_call(), NATIVE, rows=(a_row("se.A", 3.0, "not-checkable"),)), "1 not checkable", 0),
        (Step(a_call(), NATIVE), "no numbers to compare", 0),
    ],
)
def test_what_became_of_a_call_is_said_and_decides_the_exit_code(step, said, code):
    found = migration(step)
    assert said in str(found) and found.exit_code == code


@pytest.mark.parametrize(
    "run, code",
    [
        ({"ending": "error", "message": "R stopped: x"}, 2),
        ({"ending": "time", "message": "stopped after 600 s"}, 2),
        ({"ending": "killed"}, 2),
        ({"ending": "quit", "exit_code": 3}, 0),
        ({"lost": 2, "why_lost": "too large"}, 2),
    ],
)
def test_a_run_that_did_not_end_by_itself_never_counts_as_done(run, code):
    assert migration(Step(a_call(), NATIVE, rows=(a_row("estimate.A"),)), **run).exit_code == code


def test_a_number_that_differs_comes_before_a_run_that_stopped():
    step = Step(a_call(), NATIVE, rows=(a_row("se.A", 3.0, "differs"),))
    assert migration(step, ending="error").exit_code == 1


def test_evaluations_beyond_the_number_kept_are_told_beside_those_that_were_compared():
    rows = (a_row("estimate.A"),)
    steps = (Step(a_call(), NATIVE, rows=rows), *(Step(a_call(kept=False), outside("")) for _ in range(3)))
    found = migration(*steps)
    assert "1 number agrees" in str(found) and "; 3 not kept (too many calls), and not compared" in str(found)
    assert found.exit_code == 0


def test_update_and_step_are_the_users_own_calls_and_a_trees_are_not():
    assert not by_package(a_call(via="stats::update")) and not by_package(a_call(via="stats::step"))
    assert not by_package(a_call()) and by_package(a_call(via="psychotree::pltree"))


def test_numbers_are_counted_by_what_became_of_them():
    rows = [
        a_row("estimate.A"),
        a_row("se.A", 5.0),
        a_row("llf", 2.0, "differs"),
        a_row("aic", 2.0, "differs", accepted=True),
        a_row("deviance", 2.0, "not-checkable"),
    ]
    assert counts(rows) == {
        "numbers": 5,
        "agree": 2,
        "explained": 1,
        "differ": 1,
        "not_estimable": 0,
        "not_checkable": 1,
        "not_run": 0,
    }
    least = fewest(rows)
    assert least is not None and str(least.quantity) == "se.A" and fewest([]) is None


def test_the_json_has_every_call_and_every_number():
    step = Step(a_call(), NATIVE, rows=(a_row("estimate.A"), a_row("se.A", 9.63)), said=("half wins",))
    content = json.loads(json.dumps(migration(step).to_dict(), allow_nan=False))
    (call,) = content["calls"]
    assert call["line"] == 2 and call["state"] == "native" and call["python"] == "fit_bradley_terry(...)"
    assert call["numbers"] == 2 and call["fewest_digits"] == 9.63 and call["fewest_in"] == "se.A"
    assert call["python_warnings"] == ["half wins"]
    assert [a["line"] for a in content["agreements"]] == [2, 2] and content["r_version"] == "4.2.2"
    assert content["left_out"] == [
        {"line": 4, "function": "nlm", "r_call": "nlm(f, 1)", "reason": "not a model of paired comparisons"}
    ]


def test_a_call_that_r_did_not_come_to_is_named_and_one_that_ran_is_not():
    ran, other = a_call(), Mentioned(Place(4, 4, file="analysis.R"), 4, "BTm", "", "BTm(y, a, b)")
    captured = a_run([replace(ran, place=Place(2, 2, file="analysis.R"))])
    stands = Mentioned(Place(2, 2, file="analysis.R"), 2, "BTm", "", ran.text)
    text = replace(captured.text, mentioned=(stands, other))
    assert left_out(replace(captured, text=text)) == (LeftOut(other, "R did not reach it"),)
    ended = replace(captured, text=text, ending="error")
    assert left_out(ended) == (LeftOut(other, "R ended before reaching it"),)
    unsure = replace(ended, calls=(replace(ran, place=Place(2, 2, sure=False, file="analysis.R")),))
    assert left_out(unsure) == ()


def test_a_line_says_from_where_a_call_in_a_function_ran():
    found = migration(Step(a_call(task=3), NATIVE, rows=(a_row("estimate.A"),)))
    assert "  line 2, from 3  BTm(...)  -> fit_bradley_terry(...)  1 number agrees" in str(found)


def test_reasons_in_the_lines_are_short():
    found = migration(Step(a_call(), outside("a long reason " * 20)))
    assert max(map(len, str(found).splitlines())) <= 120
    assert found.to_dict()["calls"][0]["reason"].startswith("a long reason a long") and len(str(found)) < 400


def test_a_number_that_the_data_do_not_determine_is_counted_and_digits_are_rounded_down():
    rows = (a_row("estimate.A", 9.68), a_row("estimate.C", 3.0, "not-estimable"))
    found = migration(Step(a_call(), NATIVE, rows=rows))
    assert "fewest" not in str(
        found
    ) and "to 9.6 digits (estimate.A); 1 not estimable, whatever R prints" in str(found)
    assert repr(found) == "<Migration of analysis.R: 1 calls in its text, 2 numbers, 1 agree, 0 differ>"


@pytest.mark.parametrize(
    "x, why",
    [
        (LARGE, "x of its result has more than 6,000,000 numbers, which is the most that is recorded"),
        (ROpaque("closure"), "x of its result is ROpaque, expected a vector"),
        (RList(()), "x of its result is RList, expected a vector"),
    ],
)
@pytest.mark.parametrize("function", ["BradleyTerry2::BTm", "stats::glm", "stats::nobody"])
def test_a_value_that_was_too_large_or_is_of_another_kind_leaves_its_call_out_with_the_reason(
    function, x, why
):
    side = RVector(np.array([1, 2]), np.zeros(2, bool), None, None, ("A", "B"), ("factor",))
    ones = RVector(np.ones(2), np.zeros(2, bool), None, None, None, ())
    result = {"player1": side, "player2": side, "y": ones, "prior_weights": ones, "x": x}
    (step,) = steps_of(a_run([a_call(function=function, result=result)]), lambda file: file)
    assert step.state == "outside" and step.translation.code is None
    assert why in step.translation.reason or function != "BradleyTerry2::BTm"
