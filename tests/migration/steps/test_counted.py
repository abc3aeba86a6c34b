"""What Python computes, what it copies from R, and texts and definitions as R has them (counted.R), run by R and migrated."""

from __future__ import annotations

import ast
import html
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pairproof.migration.steps.compared import Constants
from pairproof.migration.translate.as_r import all_equal, written
from tests.migration.captures import Script, bradley_terry, staged
from tests.migration.shares import python
from tests.migration.steps.test_steps import numbers, script
from tests.migration.translate.beside import Migrated, migrated_in

of_r = [pytest.mark.r("BradleyTerry2"), pytest.mark.xdist_group("migrated counted")]
#: R's value of a line -> the numbers that agree there, and those that are R's.
COUNTED = {
    "cbind(est, lev = lev[names(est)])": (3, 3),
    "pchisq(lr, length(est), lower.tail = FALSE)": (0, 1),
    "data.frame(ability = exp(est), wins = wins, ratio = est/lev[names(est)])": (5, 4),
    'for (k in 1:2) cat(k, round(est[k], 4), round(lev[k], 4), "\\n")': (4, 2),
    "lev": (1, 2),
    "sapply(fits, logLik)": (1, 0),
}


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "counted", __file__)


class TestRun:
    pytestmark = of_r

    def test_a_number_that_is_r_s_or_computed_with_it_never_counts_as_agreeing(self, migrated):
        found, _ = migrated
        done = {d.text: d for d in found.done}
        assert {text: (len(done[text].rows), len(done[text].of_r)) for text in COUNTED} == COUNTED
        assert found.exit_code == 0 and {a.verdict for d in found.done for a in d.rows} == {"agrees"}

    def test_the_printed_numbers_of_models_are_all_counted_and_one_sentence_says_it_everywhere(
        self, migrated
    ):
        found, home = migrated
        document = found.to_dict()
        assert document["printed_by_r"] == {
            "numbers": 51, "not_in_python": 13, "computed": 26, "of_r": 12, "differ": 0,
        }  # fmt: skip
        said = (
            "R printed 51 numbers of models: 26 computed by Python and agree, 12 are R's values of that run"
            " written as constants, or computed with them, 13 not in Python"
        )
        assert said in str(found).splitlines()  # beside the calls: Python computes more than half
        source = ast.get_docstring(ast.parse((home / "counted.py").read_text())) or ""
        assert said in " ".join(source.split())
        assert said in " ".join(html.unescape((home / "counted.report.html").read_text()).split())

    def test_every_constant_of_r_carries_the_mark(self, migrated):
        source = (migrated[1] / "counted.py").read_text()
        assert source.count("# R's value of that run") == 6
        assert '"wins": wins.to_numpy()' in source

    def test_what_functions_change_outside_and_what_is_made_of_models_is_about_models(self, migrated):
        states = {d.text: d.state for d in migrated[0].done}
        assert states["best"] == "translated" and states["do.call(rbind, by.list)"] == "comment"

    def test_texts_are_those_that_r_prints(self, migrated):
        found, home = migrated
        ran = python(home, "counted.py", r="none")
        lines = found.captured.output.splitlines()
        assert ran.returncode == 0 and ran.stderr == "lowest: ..Comm Statist\n"
        for line in ("positive: TRUE 5 38 57 4.293384e-07 ", "differ: no", "next line"):
            assert line in lines and line.rstrip() in ran.stdout.splitlines()
        assert '"..JASA: 38%"' in found.captured.output and "..JASA: 38% " in ran.stdout
        assert "4 of 3\n" in ran.stdout

    @pytest.mark.parametrize(
        "line",
        [
            "show(aic_glm(m) + (np.log(m.df_resid + m.rank) - 2) * m.rank)",
            "print(m.df_resid + m.rank)",
            "show(aic_glm(m) + (3 - 2) * m.rank)",
            "print(all_equal(u, u * [1.002, 1.00001, 1.00001], 0.0001))",
            'show(b.iloc[np.argsort([v.casefold() for v in list(b.index)], kind="stable")])',
            'r_2 = dict(zip(["BT"], r_2.values()))',
            'names_fits = "all"  # R\'s value of that run',
        ],
    )
    def test_a_definition_is_r_s(self, line, migrated):
        assert line in (migrated[1] / "counted.py").read_text()

    def test_a_reason_is_true_and_the_same_in_every_run(self, migrated):
        why = {d.text: d.why for d in migrated[0].done}
        assert not [w for w in why.values() if " at 0x" in w or "defect" in w]
        assert why['mean(ab[, "ability"], na.rm = TRUE)'] == (
            "it is computed from a whole vector, and R has JASA in the vector, and Python does not"
        )
        (filled,) = (w for text, w in why.items() if text.startswith("for (n in names(b))"))
        assert filled == "its Python stops: it takes a part that the value does not have in Python"


@pytest.mark.parametrize(
    "value, digits, said",
    [
        (38.0, 7, "38"), (100 * 0.57, 7, "57"), (0.7326397293645839, 7, "0.7326397"), (1e5, 7, "1e+05"),
        (100000, 7, "100000"), (123456789.0, 7, "123456789"), (1e-4, 7, "1e-04"), (0.00012, 7, "0.00012"), (1 / 3, 15, "0.333333333333333"),
        (-0.0, 7, "0"), (-2.5e-10, 7, "-2.5e-10"), (np.float64(4.0), 15, "4"), (np.bool_(True), 7, "TRUE"), (False, 15, "FALSE"),
        (float("nan"), 7, "NaN"), (float("-inf"), 7, "-Inf"), ("x", 7, "x"), (1234567.8, 7, "1234568"),
    ],
)  # fmt: skip
def test_a_number_is_written_as_cat_and_paste_write_it(value: Any, digits: int, said: str) -> None:
    assert written(value, digits) == said  # what R 4.2.2 printed


@pytest.mark.parametrize(
    "target, current, tolerance, equal",
    [
        ([0.05, 0.6, 1.3], [0.0501, 0.600006, 1.300013], 1e-4, True),  # 6.1e-05 of the whole
        ([1.0, 1.0], [1.0002, 1.0], 1e-4, False),  # what is equal is not counted
        (0.0, 1e-10, 1.5e-8, True),  # nothing to be relative to
        (1.0, 1.0 + 1e-7, 1.5e-8, False),
    ],
)
def test_all_equal_goes_by_the_mean_relative_difference(
    target: Any, current: Any, tolerance: float, equal: bool
) -> None:
    assert all_equal(target, current, tolerance) is equal


def test_what_depends_on_a_constant_is_found_through_names_parts_and_loops() -> None:
    values = {"pd": pd, "est": pd.Series({"a": 1.5, "b": 2.5}), "print": print, "show": print, "float": float}
    of = Constants(True)
    known = {True: {"lev": "pd.Series({'a': 0.25, 'b': 0.75})"}, False: {}}

    def r(lines: list[str], printed: str) -> list[str]:
        return of.of_r(printed, of.printed_without(lines, values, known), True)

    assert r(["print(est.iloc[0])"], "1.5") == []
    lines = [
        'lev = pd.Series({"a": 0.25, "b": 0.75})  # R\'s value of that run',
        "print(est.iloc[0], lev.iloc[1])",
    ]
    assert r(lines, "1.5 0.75") == ["0.75"]
    values["lev"] = pd.Series({"a": 0.25, "b": 0.75})
    assert r(["both = est + lev"], "") == [] and "both" in of.values
    assert r(
        ["for k in est.index:", "    print(est.loc[k])", "    print(lev.loc[k])"], "1.5 0.25 2.5 0.75"
    ) == ["0.25", "0.75"]
    assert r(["lev.iloc[0] = est.iloc[0]", "print(lev.iloc[0], lev.iloc[1])"], "1.5 0.75") == ["0.75"]
    assert list(values["lev"]) == [0.25, 0.75]  # run on copies
    assert r(["print(float(lev.missing))"], "1.5 0.75") == ["1.5", "0.75"]  # it stops: all of it
    assert r(["lev = est"], "") == [] and r(["print(lev.iloc[0])"], "1.5") == []


def test_what_is_computed_from_a_constant_of_the_data_alone_is_r_s_and_beside_a_fit_its_own_numbers_are() -> (
    None
):
    of = Constants(False)
    values = {"pd": pd, "print": print, "show": print}
    known: dict[bool, dict[str, str]] = {True: {}, False: {"wins": "pd.Series({'a': 4.25, 'b': 8.5})"}}
    lines = ["wins = pd.Series({'a': 4.25, 'b': 8.5})", "print((wins / 7).iloc[0])"]
    without = of.printed_without(lines, values, known)
    assert of.of_r("0.607143", without, False) == ["0.607143"]
    assert of.of_r("0.607143", without, True) == [] and of.of_r("4.25", without, True) == ["4.25"]


def test_a_constant_of_r_in_a_statement_of_models_is_no_agreement(tmp_path: Path) -> None:
    deviance = script().migration(staged(tmp_path)).steps[0].value.deviance
    made = script()
    made.line(4, "a = bootstrapped(m)", value=numbers(0.625))
    made.line(5, "a", value=numbers(0.625))
    made.line(6, "a * deviance(m)", value=numbers(0.625 * deviance))
    made.line(7, "deviance(m)", value=numbers(deviance))
    found = made.migration(
        staged(tmp_path / "again"), outputs={5: "[1] 0.625\n", 6: f"[1] {0.625 * deviance:.6g}\n"}
    )
    assert [len(d.rows) for d in found.done] == [0, 0, 0, 1]
    assert found.done[1].lines[0] == "a = 0.625  # R's value of that run"
    document = found.to_dict()["printed_by_r"]
    assert (document["numbers"], document["computed"], document["of_r"]) == (2, 0, 2)


def test_the_document_has_the_exit_code_of_the_process_and_r_s_beside_it(tmp_path: Path) -> None:
    made = script()
    made.line(4, "deviance(m)", value=numbers(1.0))
    found = made.migration(staged(tmp_path), exit_code=3)
    assert (found.to_dict()["exit_code"], found.to_dict()["r_exit_code"]) == (found.exit_code, 3) == (1, 3)


def test_a_list_named_by_one_text_has_it_as_its_key(tmp_path: Path) -> None:
    made = Script()
    made.call(3, bradley_terry([9, 5, 4]), variable="m")
    made.line(4, "r = list(x=deviance(m))")
    made.lines[5] = type(made.lines[4])(
        'names(r) <- "BT"',
        ["call", ["sym", "<-"], [["", ["call", ["sym", "names"], [["", ["sym", "r"]]], "names(r)"]], ["", ["str", "BT"]]], 'names(r) <- "BT"'],
    )  # fmt: skip
    done = made.migration(staged(tmp_path)).done
    assert done[1].lines == ('r = dict(zip(["BT"], r.values()))',)
