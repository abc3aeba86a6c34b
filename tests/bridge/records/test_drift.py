"""What is drift of a live answer from its record, and what is told and is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pairproof.bridge.process.policy import DRIFT_FLOOR
from pairproof.bridge.records.calls import Answer, RCondition
from pairproof.bridge.records.drift import (
    _doubles,
    _text,
    digits_shared,
    drift,
    drift_floors,
    floor_for,
    matters,
    r_changes,
    read_drift_floors,
    said_of_stopping,
    said_of_words,
)
from pairproof.bridge.records.record_files import PACKAGED, read_record
from pairproof.bridge.values.convert import to_node
from pairproof.bridge.values.nodes import RVector
from pairproof.errors import InputError
from tests.places import RECORDS


def test_digits_shared_are_relative_and_absolute_only_around_zero():
    assert digits_shared(1.0, 1.0) == 16
    # Digits are shown with one decimal, so a tenth is the same digit (here and below; observed within .03).
    assert digits_shared(1e5, 1e5 * (1 + 1e-8)) == pytest.approx(8, abs=0.1)
    assert digits_shared(1e-5, 1.001e-5) == pytest.approx(3, abs=0.1)
    assert digits_shared(1.0, -1.0) == 0
    assert digits_shared(2e-15, -4e-15) == pytest.approx(14.2, abs=0.1), "two zeros of a saturated model"
    assert matters([], 9) == []


def model_answer(iterations=8, converged=True, coef=0.5, warnings=(), output=(), error=None):
    """What a fit's reduction gives, as an answer."""
    value = to_node(
        {"coef": [coef], "converged": converged, "iterations": iterations, "calls": [iterations, 3]}
    )
    return Answer(
        value,
        output,
        tuple(RCondition(w, "f()") for w in warnings),
        (),
        error and RCondition(error, "solve()"),
        True,
        0.1,
    )


SINGULAR = "system is computationally singular: reciprocal condition number = {}"


@pytest.mark.parametrize(("live", "told"), [
    ({"iterations": 500, "converged": False}, "converged False, recorded True; iterations 500, recorded 8"),
    ({"warnings": ("non-integer counts", "Fitting algorithm has either not converged or converged\nto a non-solution")},
     "about-stopping Fitting algorithm has either not converged or converged to a non-solution, recorded nothing"),
    ({"warnings": ("glm.fit: algorithm did not converge", "non-integer counts")}, "glm.fit: algorithm did not converge, recorded nothing"),
    ({"warnings": ("non-integer counts", "glm.fit: fitted probabilities numerically 0 or 1 occurred")}, "numerically 0 or 1"),
    ({"output": ("Deviance: 30.45544", "Number of iterations: 5")}, "Number of iterations: 5, recorded Number of iterations: 4"),
])  # fmt: skip
def test_how_an_algorithm_came_to_its_end_is_told_and_is_no_drift(live, told):
    standing = {
        "warnings": ("non-integer counts",),
        "output": ("Deviance: 30.45544", "Number of iterations: 4"),
    }
    found = drift(model_answer(**standing), model_answer(**{**standing, **live}))
    assert found and matters(found, 16.0) == []
    assert told in said_of_stopping(found) and said_of_stopping(found).startswith(
        "R stopped differently than in the record: "
    )


@pytest.mark.parametrize("live", [
    {"coef": 0.5 + 1e-6}, {"output": ("Deviance: 31", "Number of iterations: 4")}, {"error": SINGULAR.format("1e-17")},
])  # fmt: skip
def test_numbers_and_errors_are_drift_beside_other_steps_too(live):
    standing = {
        "warnings": ("non-integer counts",),
        "output": ("Deviance: 30.45544", "Number of iterations: 4"),
    }
    found = drift(
        model_answer(**standing), model_answer(**{**standing, "iterations": 9, "converged": False, **live})
    )
    assert matters(found, 9.0), found
    assert said_of_stopping(found)


def test_an_error_in_other_words_is_told_and_one_that_came_or_went_is_drift():
    one = model_answer(error=SINGULAR.format("1.26157e-16"))
    in_another_call = replace(one, error=replace(one.error, call="solve.default(H)"))
    numbered = model_answer(error=SINGULAR.format("2.1e-9"))
    for other in (numbered, in_another_call, model_answer(error="the matrix is not invertible")):
        found = drift(one, other)
        assert found and matters(found, 16.0) == [] and said_of_words(found)
    came, went = (matters(drift(a, b), 1.0) for a, b in ((model_answer(), one), (one, model_answer())))
    assert [d.what for d in came] == ["new error"] and [d.what for d in went] == ["missing error"]


def table_of_tests(columns, values, heading="Analysis of Deviance Table", **more):
    """What anova's reduction gives, as an answer."""
    matrix = RVector(np.array(values, float), np.zeros(np.shape(values), bool))
    node = to_node({"columns": list(columns), "values": matrix, "heading": [heading], **more})
    return Answer(node, (), (), (), None, True, 0.1)


def test_a_table_with_one_column_more_is_told_and_its_other_columns_are_compared():
    """R 4.5's anova of a glm has Pr(>Chi), R 4.2's has not."""
    old = table_of_tests(["Df", "Deviance"], [[1.0, 30.5], [2.0, 12.25]])
    new = table_of_tests(
        ["Df", "Deviance", "Pr(>Chi)"], [[1.0, 30.5, 0.1], [2.0, 12.25, 0.2]], "Deviance", n=3
    )
    found = drift(old, new)
    assert {d.field for d in found} == {"value", "value/columns", "value/values", "value/heading[0]"}
    assert matters(found, 16.0) == [] and "columns Pr(>Chi), recorded nothing" in said_of_words(found)
    other = table_of_tests(["Df", "Deviance", "Pr(>Chi)"], [[1.0, 30.5, 0.1], [2.0, 12.5, 0.2]])
    assert [d.field for d in matters(drift(old, other), 9.0)] == ["value/values[3]"]
    assert {d.field for d in matters(drift(other, old), 16.0)} >= {
        "value/values",
        "value/columns",
    }, "a column went"
    renamed = table_of_tests(["Df", "AIC"], [[1.0, 30.5], [2.0, 12.25]])
    assert [d.field for d in matters(drift(old, renamed), 16.0)] == ["value/columns[1]"], "under another name"


FLOOR = (
    '[[floor]]\nr_call = "f"\npart = "{part}"\ndigits = {digits}\nobserved = 5\nwhy = "a reason in words"\n'
)


def recorded_calls() -> set[str]:
    """The names of the calls of all records: the shipped ones, and those that only tests and pages ask for."""
    return {read_record(path).name for folder in (PACKAGED, RECORDS) for path in folder.glob("*.json")}


def test_every_drift_floor_lies_below_what_was_observed_with_a_margin_and_is_of_a_recorded_call():
    names = recorded_calls()
    for floor in drift_floors().values():
        assert floor.r_call in names, floor
        assert floor.observed - floor.digits >= 0.5 or floor.digits == 0, floor
        assert floor.digits < DRIFT_FLOOR, f"{floor} is no lower than the floor of all"


def test_a_floor_of_one_part_holds_for_it_alone_and_beside_that_of_all_parts(monkeypatch):
    floors = read_drift_floors(FLOOR.format(part="*", digits=4) + FLOOR.format(part="coef", digits=2))
    monkeypatch.setattr("pairproof.bridge.records.drift.drift_floors", lambda: floors)
    near, far = (drift(model_answer(), model_answer(coef=0.5 + gap)) for gap in (1e-5, 1e-2))
    assert matters(near, 9.0) and not matters(near, 9.0, "f") and matters(far, 9.0, "f")
    assert (
        floor_for("f", "vcov", 9.0) == 4
        and floor_for("g", "vcov", 9.0) == 9
        and floor_for("f", "coef", 1.0) == 1
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[floor]]\nr_call = "f"\n', "keys"),
        (FLOOR.format(part="*", digits=6), "digits 6 and observed 5"),
        (FLOOR.format(part="*", digits=4).replace("a reason in words", "so"), "not a reason"),
        (2 * FLOOR.format(part="*", digits=4), "already"),
    ],
)
def test_a_drift_floor_without_its_parts_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        read_drift_floors(text)


def test_what_a_newer_version_answers_in_another_way_is_no_drift_with_it_alone():
    """lme4 2.0 adds constants to the likelihood by quadrature."""
    names = recorded_calls()
    assert all(change.r_call in names and len(change.why.split()) > 3 for change in r_changes())
    one, other = (table_of_tests(["loglik"], [[p]], loglik=[p], n=[p]) for p in (0.5, 0.25))
    found = [d for d in drift(one, other) if d.field in ("value/loglik[0]", "value/n[0]")]
    assert len(matters(found, 9.0, "lme4::glmer", {"lme4": "1.1.31"})) == 2
    assert [d.field for d in matters(found, 9.0, "lme4::glmer", {"lme4": "2.0.0"})] == ["value/n[0]"]
    assert len(matters(found, 9.0, "stats::t.test", {"lme4": "2.0.0"})) == len(matters(found, 9.0)) == 2


def test_effects_of_a_variance_at_its_boundary_are_measured_by_their_unit_and_all_of_them_are():
    """Of two searches of lmer one ends at 3.3e-9 and the other at 4.5e-9 instead of 0; scores go from 0 to 1."""

    def answer(part, *values):
        return Answer(to_node({part: list(values)}), (), (), (), None, True, 0.1)

    def left(part, other):
        found = drift(answer(part, 3.3e-9, 0.25), answer(part, 4.5e-9, other), "lme4::lmer")
        return [d.field for d in matters(found, 9.0, "lme4::lmer")]

    assert left("conditional", 0.25) == left("predictions", 0.25) == []
    assert left("conditional", 0.25 + 1e-6) == ["value/conditional[1]"], "behind one that shares fewer digits"
    assert left("variances", 0.25) == ["value/variances[0]"]


def test_an_error_inside_an_answer_that_came_is_drift_and_one_in_other_words_is_not():
    fine, failed, worded = (
        table_of_tests(["Df"], [[1.0]], vcov_error=[e]) for e in ("", "singular", "not invertible")
    )
    assert matters(drift(failed, worded), 16.0) == []
    assert matters(drift(fine, failed), 16.0) and matters(drift(failed, fine), 16.0)


def test_attributes_that_gnm_puts_on_its_flag_are_told_with_it():
    def answer(value, attributes):
        flag = ("lgl", to_node([value])[1], {name: to_node(v) for name, v in attributes.items()})
        node = ("list", [to_node([0.5]), flag], {"names": to_node(["coef", "converged"])})
        return Answer(node, (), (), (), None, True, 0.1)

    found = drift(answer(False, {"criterion": 1e-6, "score": [1.0, 2.0]}), answer(True, {}))
    assert {d.field for d in found} == {
        "value/converged@criterion",
        "value/converged@score",
        "value/converged[0]",
    }
    assert matters(found, 16.0) == []


def test_a_tiny_element_is_held_to_the_rounding_of_its_vector_and_to_its_own_digits_beyond_that():
    def digits(small, other, largest):
        (found,) = _doubles(
            "value/fitted", ["0", "1"], np.array([small, largest]), np.array([other, largest])
        )
        return found.digits

    # As gnm gave it with the reference BLAS and with OpenBLAS.
    assert digits(2.750008033330421e-09, 2.7500128195606437e-09, 40.0) > 15
    assert digits(2.75e-09, 2.76e-09, 40.0) < 3, "1e-11 is no rounding of 40"
    assert digits(2.750008e-09, 2.750012e-09, 1e-9) < 7, "alone, its own digits count"
    assert digits(1.0, 1.0 + 1e-6, 1e3) == pytest.approx(
        6, abs=0.1
    )  # -log10(1e-6), to the tenth that a report shows


def test_a_flag_that_became_a_word_or_another_length_is_drift():
    found = drift(model_answer(), model_answer(converged="yes"))
    assert [d.what for d in matters(found, 9.0)] == ["type"]


def test_numbers_inside_text_are_compared_as_numbers_and_words_exactly():
    noise = _text(
        "error",
        "singular: reciprocal condition number = 1.26157e-16",
        "singular: reciprocal condition number = 2.1e-17",
    )
    assert noise.digits > 15, "another BLAS, the same error"
    assert _text("output", "Residual df = 8 ", "Residual df = 9 ").digits < 1
    assert _text("output", "Deviance: 30.45544", "Deviance: 30.45545").digits == pytest.approx(6.5, abs=0.1)
    assert _text("output", "df 8", "dof 8").digits is None and _text("output", "1 2", "1 2 3").digits is None


def test_where_nlm_stopped_is_told_and_is_no_drift():
    """A gradient near zero has no digits in common with another one near zero; prefmod prints code and steps."""

    def ended(gradient, code, steps, coef=0.5):
        value = {"coef": [coef], "gradient": gradient, "code": code}
        line = f"no of iterations:  {steps}  (Code: {code} )"
        return Answer(to_node(value), (line,), (), (), None, True, 0.1)

    stopped = drift(ended([1e-6, 3e-6], 1, 12), ended([-2e-6, 3e-5], 2, 13))
    assert {d.field.split("[")[0] for d in stopped} == {"output", "value/gradient", "value/code"}
    assert matters(stopped, 9.0) == []
    assert [d.field for d in matters(drift(ended([1e-6], 1, 12), ended([1e-6], 1, 12, 0.6)), 9.0)] == [
        "value/coef[0]"
    ]
