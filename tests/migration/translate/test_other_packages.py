"""Functions of qvcalc, survival and eba, run by R and migrated."""

from __future__ import annotations

import pytest

from tests.migration.shares import python, share
from tests.migration.translate.beside import Migrated, assert_no_number_differs, migrated_in, step

pytestmark = [
    pytest.mark.r("BradleyTerry2", "qvcalc", "survival", "eba"),
    pytest.mark.xdist_group("migrated others"),
]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "others")


def test_no_number_differs(migrated):
    assert_no_number_differs(migrated)


@pytest.mark.parametrize(
    "variable, state, shown, numbers, least",
    [
        ("of.fit", "native", ".quasi_variances(...)", 8, 6.0),  # observed 6.4: qvcalc's own glm stops there
        ("of.matrix", "bridge", "qvcalc(...)", 6, 15.0),
        ("conditional", "native", "fit_bradley_terry(...)", 9, 10.0),  # observed 11.0
        ("home", "native", "fit_bradley_terry(...)", 11, 9.0),  # observed 9.9
        ("cox", "native", "fit_bradley_terry(...)", 9, 10.0),
        ("agreement", "bridge", "kendall_u(...)", 5, 15.0),
        ("plain", "bridge", "kendall_u(...)", 5, 15.0),
        ("aspects", "native", "fit_bradley_terry(...)", 19, 3.0),
    ],
)
def test_a_call_becomes_the_function_that_is_meant_with_its_numbers(
    variable, state, shown, numbers, least, migrated
):
    made = step(migrated, variable)
    assert (made.state, made.translation.shown) == (state, shown), made.translation.reason
    assert len(made.rows) == numbers
    assert min(a.digits for a in made.rows) > least
    assert {a.r_call for a in made.rows} == {made.call.function}


@pytest.mark.parametrize(
    "variable, why",
    [
        ("durations", "a model of durations"),
        ("weighted", "has weights"),
        ("three", "its strata are not all two rows"),
    ],
)
def test_other_models_of_survival_are_left_out_with_the_reason(variable, why, migrated):
    made = step(migrated, variable)
    assert made.state == "outside" and why in made.translation.reason


def test_what_r_prints_stands_in_the_script_which_needs_no_r(migrated):
    found, home = migrated
    # R's names of coefficients are of its columns, itemB and so on; the table has the names of the items.
    assert 'columns={"first": "item.chosen", "second": "item.other"}' in (home / "others.py").read_text()
    ran = python(home, "others.py", r="none")
    assert (ran.returncode, ran.stderr) == (0, "")
    # Not there: exp(-coef) a second time, p of small z with more digits, Wald's and the score test,
    # concordance, and the errors in qvcalc's table.
    assert share(found.captured.output, ran.stdout).value >= 0.75  # observed 0.78
