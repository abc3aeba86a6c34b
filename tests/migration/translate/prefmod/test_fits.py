"""Fits of prefmod of two runs that were kept, in Python, beside the numbers that R gave in them."""

from __future__ import annotations

import pytest

from pairproof.migration.translate.python_code import Call, source
from tests.migration.translate.prefmod.made import calls_of, step, steps_of

RUNS = ("llbt", "patterns")
#: Calls whose numbers R has wrong, and the defect that explains them.
WRONG = {
    "llbtPC.fit(transform": "B10-covariate-not-in-elim",
    "pattPC.fit(misread": "B1-ties-as-losses",
    "pattR.fit(empty": "B5-rows-shifted",
}
#: Calls that stay in R, and words of the reason.
IN_R = {
    "llbt.fit(colours$y": "its design has no columns of items",
    "pattPC.fit(gaps, 3, MISalpha = c(TRUE, TRUE, FALSE), MISbeta": "the likelihood is flat along them",
    "pattnpml.fit(": "it mixes cells of the table of patterns, not persons",
}


@pytest.mark.parametrize("run", RUNS)
def test_every_call_of_a_fit_has_python_code(run: str) -> None:
    fits = [s for s in steps_of(run).values() if ".design" not in s.call.function]
    assert len(fits) > 8
    assert [s.call.text for s in fits if s.translation.code is None or s.refused] == []


@pytest.mark.parametrize("run", RUNS)
def test_numbers_that_differ_are_defects_of_r_named_as_such(run: str) -> None:
    for text, s in steps_of(run).items():
        codes = {a.code for a in s.rows if a.verdict == "explained"}
        wanted = {code for begins, code in WRONG.items() if text.startswith(begins)}
        assert codes == wanted, text
        assert {a.verdict for a in s.rows} <= {"agrees", "explained"}, text
        if s.translation.route == "native":
            assert len(s.rows) >= 3, text


@pytest.mark.parametrize("begins", IN_R)
def test_what_python_has_no_model_for_stays_in_r_with_a_reason(begins: str) -> None:
    (found,) = (s for run in RUNS for text, s in steps_of(run).items() if text.startswith(begins))
    assert found.translation.route == "bridge"
    assert IN_R[begins] in found.translation.reason


def test_every_coefficient_and_standard_error_is_compared() -> None:
    for text, s in {**steps_of("llbt"), **steps_of("patterns")}.items():
        coef = s.call.vector("coef")
        if coef is None or s.translation.route != "native" or any(text.startswith(b) for b in WRONG):
            continue
        known = int((coef.floats() == coef.floats()).sum())  # gnm has NA for the reference
        kinds = [a.quantity.kind for a in s.rows]
        assert kinds.count("estimate") == known, text
        assert kinds.count("se") == known, text


def test_pattern_models_are_compared_by_their_maximum_and_by_the_value_that_r_stores() -> None:
    found = {str(a.quantity): a for a in step("patterns", "pattPC.fit(d, 3, formel = ~sex * age").rows}
    # nlm's minimum is the maximum to 10 digits and more, what R stores is beside it by 1e-9 to 1e-6 of
    # itself; the stored value is compared with the same step beside the maximum: 9.0 digits asked for, 10.5
    # seen and more.
    assert found["llf"].digits is not None and found["llf"].digits > 9.5
    assert found["ll"].digits is not None and found["ll"].digits > 9.5
    assert found["fl"].digits is not None and found["fl"].digits > 13


def test_deviance_and_df_of_llbt_fit_are_those_of_its_blocks() -> None:
    found = {str(a.quantity): a for a in step("llbt", "llbt.fit(design$y").rows}
    assert found["df_resid"].native == found["df_resid"].r == 6 * 3 - 6 - 5
    # llbt.fit stops at a relative change of 1e-4, which is squared in the deviance: floor 7.5, 9 seen.
    assert found["deviance"].digits is not None and found["deviance"].digits > 7.5


def test_rows_that_prefmod_leaves_out_are_named_with_their_numbers() -> None:
    missing = step("llbt", "llbtPC.fit(gaps").translation
    assert missing.notes[0].startswith("prefmod leaves out row 2 of 30: a value is missing")
    tied = step("patterns", "pattR.fit(partial").translation
    assert tied.notes[0] == "prefmod leaves out row 5 of 30: equal ranks; so does this script"


def test_the_code_is_readable_and_leaves_defaults_out() -> None:
    code = source(
        step("patterns", "pattPC.fit(d, 3, formel = ~sex * age").translation.code, str, lambda f: "FILE"
    )
    assert code.replace("\n", "").replace("  ", "").replace(",)", ")") == (
        'pairproof.fit_pattern(pairproof.read_respondents(FILE,"pairs",items=["o1", "o2", "o3"],'
        'pair_order="prefmod",'
        'coding={"first": 0, "tie": 1, "second": 2},levels={"sex": [1, 2], "age": [1, 2]}),by="sex * age")'
    )


def test_a_seed_of_the_time_of_day_is_stated_in_the_code() -> None:
    (call,) = (c for c in calls_of("patterns") if c.function == "prefmod::pattnpml.fit")
    found = step("patterns", "pattnpml.fit").translation
    assert isinstance(found.code, Call)
    assert call.number("seed_used") == found.code.keywords["seed"]
    assert found.code.keywords["EMdev_change"] == 0.001  # R's own default
    assert any("time of day" in note for note in found.notes)


def test_worths_are_compared_group_by_group() -> None:
    of_both = [str(a.quantity) for a in step("patterns", "patt.worth(both").rows]
    assert len(of_both) == 12 and "worth.sex=2,age=1.o3" in of_both
    of_times = [str(a.quantity) for a in step("patterns", "patt.worth(twice").rows]
    assert [q for q in of_times if "time=2" in q] and len(of_times) == 6
    lambdas = step("llbt", 'llbt.worth(sexes, outmat = "est"').rows
    assert {str(a.quantity).split(".")[0] for a in lambdas} == {"lambda"} and len(lambdas) == 6


def test_flags_of_check_mis_are_those_of_the_gaps() -> None:
    found = step("patterns", 'checkMIS(gaps, 3, MISmodel = "comp")')
    assert {str(a.quantity): a.r for a in found.rows} == {
        "missing.o1:o2": 1.0,
        "missing.o1:o3": 1.0,
        "missing.o2:o3": 1.0,
    }
    assert found.value["missing"].tolist() == [3, 9, 1]
