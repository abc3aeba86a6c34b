"""What a migration says of itself is true: which numbers are Python's, which are R's, which are lost, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pairproof.bridge.values.nodes import RList, RVector
from pairproof.migration.outcome import printed_by_r
from pairproof.migration.steps.compared import NUMBER, counted, masked, same, unshown
from pairproof.migration.translate.as_r import formatted
from pairproof.migration.translate.translation import Translation
from tests.migration.captures import Script, bradley_terry, staged
from tests.migration.steps.test_steps import numbers, script
from tests.migration.translate.beside import Migrated, migrated_in


@pytest.mark.parametrize(
    "words, text, agree",
    [
        ({"digits": 3}, "1925.23 4.29 46.39", True),
        ({"digits": 3}, "1.93e+03 4.29 46.4", False),
        ({"digits": 2, "nsmall": 3}, "1925.234 4.293 46.390", True),
    ],
)
def test_the_numbers_of_a_vector_have_one_format(words: dict[str, int], text: str, agree: bool) -> None:
    found = formatted(pd.Series([1925.234, 4.293, 46.39], list("abc")), **words)
    assert list(found.index) == list("abc") and len({*map(len, found)}) == 1
    assert ([v.strip() for v in found] == text.split()) is agree


@pytest.mark.parametrize(
    "value, words, text",
    [
        ([-2.949, -0.4787, 0.0], {"digits": 2}, "-2.95 -0.48  0.00"),
        ([0.004, 12.3, 4.29], {"digits": 2}, " 0.004 12.300  4.290"),
        (1925.23, {"digits": 3}, "1925"), (1.234e-5, {"digits": 2}, "1.2e-05"), (123456.78, {"nsmall": 2}, "123456.78"),
        ([1e5, 1.0], {}, "1e+05 1e+00"), ([1e-10, 1.0], {"digits": 3}, "1e-10 1e+00"), ([1, 100], {}, "  1 100"),
        ([99.97, 1e-4], {"digits": 3}, "1e+02 1e-04"), (0.5, {"digits": 3, "width": 6}, "   0.5"), (True, {}, "TRUE"),
    ],
)  # fmt: skip
def test_format_is_r_s(value: Any, words: dict[str, int], text: str) -> None:
    found = formatted(np.array(value) if isinstance(value, list) else value, **words)
    assert (" ".join(found) if isinstance(found, list) else found) == text  # what R 4.2.2 printed


@pytest.mark.parametrize(
    "ours, theirs, coarser, one",
    [
        ("1.93e+03", "1925.23", False, False), ("-2.9", "-2.95", False, False), ("-2.949", "-2.95", False, True),
        ("2.5", "2.50", False, True), ("123456.78", "123456.8", False, True), ("-2.9", "-2.95", True, True), ("38", "38.02", False, False),
    ],
)  # fmt: skip
def test_python_may_show_more_digits_than_r_and_not_fewer(
    ours: str, theirs: str, coarser: bool, one: bool
) -> None:
    assert same(ours, theirs, coarser) is one


def test_a_format_of_a_vector_is_r_s_or_the_statement_differs(tmp_path: Path) -> None:
    fit = script().migration(staged(tmp_path)).steps[0].value
    shown = formatted(np.array([fit.deviance, 1925.23]), 3)
    for texts, state in ((shown, "translated"), ([shown[0], "1.93e+03"], "comment")):
        made = script()
        column = RVector(np.array(texts, object), np.zeros(2, bool))
        made.line(4, "format(c(deviance(m), 1925.23), digits=3)", value=column)
        (done,) = made.migration(staged(tmp_path / state)).done
        assert done.state == state, done
    assert done.why == "R has the text '1.93e+03' and Python '1925.230'"


@pytest.mark.parametrize(
    "text, found",
    [
        ("claude-3-opus 0.5 llama-3-70b gpt-4o -1.25", ["0.5", "-1.25"]), ("gemini-1-5 claude-3.5-sonnet mistral-7", []),
        ("a -3 0.1-0.2 2024-05-01 x=-3", ["-3", "0.1", "0.2", "2024", "05", "01", "-3"]), ("3-1 [1] 2", ["3", "1", "2"]),
    ],
)  # fmt: skip
def test_digits_of_names_are_no_numbers(text: str, found: list[str]) -> None:
    assert NUMBER.findall(text) == found


@pytest.mark.parametrize(
    "text, labels, found",
    [  # as R 4.2.2 prints them
        (" 2008-9 2009-10 \n   2.85    0.50 \n", {"2008-9", "2009-10"}, ["2.85", "0.50"]),
        ("   season  dev\n1  2008-9 2.85\n2 2009-10 0.00\n", {"2008-9", "2009-10"}, ["2.85", "0.00"]),
        (" 2008  2009 \n2.850 0.500 \n", {"2008", "2009"}, ["2.850", "0.500"]),
        ("       est   se\n1043 0.500 0.25\n2008 2.850 1043\n", {"1043", "2008"}, ["0.500", "0.25", "2.850", "1043"]),
        ("I((a - b)/100) 2.18613614\n", {"I((a - b)/100)"}, ["2.18613614"]), ("12008-9 0.25", {"2008-9"}, ["12008", "0.25"]),
    ],
)  # fmt: skip
def test_digits_of_labels_are_no_numbers(text: str, labels: set[str], found: list[str]) -> None:
    assert counted(masked(text, labels)) == found
    shown = unshown(masked(text, labels), None, [], [])
    assert shown.split()[-1] == found[-1] and shown.isascii()


def test_a_printed_vector_whose_names_have_digits_does_not_differ(tmp_path: Path) -> None:
    fit = script().migration(staged(tmp_path)).steps[0].value
    a, b = fit.params[["Ceylon", "Darjeeling"]].tolist()
    made = script()
    made.line(4, "for k in 1: print(coef(m))")
    made.lines[4].tree[2][1][1] = ["num", 1]
    printed = f"claude-3-opus gpt-4o\n {a:.7g} {b:.7g}\n"
    found = made.migration(staged(tmp_path / "again"), outputs={4: printed})
    assert found.exit_code == 0 and found.to_dict()["printed_by_r"]["numbers"] == 2


BRIDGE = Translation("bridge", reason="its search stops early")


def test_what_r_answered_is_r_s_and_not_computed_by_python(tmp_path: Path) -> None:
    deviance = script().migration(staged(tmp_path)).steps[0].value.deviance
    made = script()
    made.call(4, bradley_terry([12, 3, 6], stem="e"), "eba(tea)", "eba::eba", variable="e")
    made.translations[2] = BRIDGE
    made.line(5, "deviance(e)")
    made.line(6, "deviance(e) + deviance(m)")
    made.line(7, "deviance(m)")
    other = made.migration(staged(tmp_path / "values")).steps[1].value.deviance
    printed = {5: other, 6: other + deviance, 7: deviance}
    outputs = {line: f"[1] {value:.7g}\n" for line, value in printed.items()}
    for line, value in printed.items():
        made.line(line, made.lines[line].text, value=numbers(value))
    found = made.migration(staged(tmp_path / "again"), outputs=outputs)
    document = found.to_dict()
    assert document["printed_by_r"] == {
        "numbers": 3, "not_in_python": 0, "computed": 1, "of_r": 2, "differ": 0,
    }  # fmt: skip
    assert [len(d.rows) for d in found.done] == [0, 0, 1]
    fit, theirs = document["calls"]
    assert (fit["agree"], fit["of_r"], theirs["agree"], theirs["of_r"]) == (5, 0, 0, 5)
    assert len(found.compared) == 6 and len(found.agreements) == 11
    assert "stays in R, through pairproof.bridge; 5 numbers of R's own" in str(found)


@pytest.mark.parametrize(
    "before, line",
    [
        (["l = list()", 'l["a"] = deviance(m)'], "fivenum(l)"),
        (["z = numeric(2)", "z[1] = deviance(m)"], "fivenum(z)"),
        (["z = numeric(2)", "z[i] = strange(coef(m))"], "fivenum(z)"),
        (["for k in names(coef(m)): a = strange(k)"], "fivenum(a)"),
        (["b = bootstrap(10, coef(BTm(won, left, right)))"], "fivenum(b)"),
    ],
)
def test_what_is_filled_with_numbers_of_models_is_of_models(
    before: list[str], line: str, tmp_path: Path
) -> None:
    made = script()
    for k, spelled in enumerate(before, 4):
        made.line(k, spelled)
    if "bootstrap" in before[-1]:
        for nth in range(1, 3):
            text = "BTm(won, left, right)"
            made.call(4, bradley_terry([8, 4 + nth, 4], stem="f"), text, nth=nth, keys={"i": nth})
        made.lines[4].tree[2][1][1][2][1][1][2][0][1][3] = text
    last = 4 + len(before)
    made.line(last, line)
    found = made.migration(staged(tmp_path), outputs={last: "[1] 1.609013\n"})
    assert (found.done[-1].state, found.done[-1].why) in [
        ("comment", "fivenum() is not supported"),
        ("comment", f"the Python script has no value for {line[-2]}"),
    ]
    assert found.to_dict()["printed_by_r"]["not_in_python"] == 1


def test_a_fit_of_this_field_that_has_no_python_is_a_model_and_its_numbers_are_counted(
    tmp_path: Path,
) -> None:
    made = Script()
    made.call(3, None, "eba.order(tea)", "eba::eba.order", variable="o")
    made.line(3, "o = eba_order(tea)", "o <- eba.order(tea)")
    made.call(5, None, "OptiPt(x)", "eba::OptiPt", via="eba::summary.eba.order")
    made.line(4, "o")
    made.line(5, "summary(o)")
    found = made.migration(staged(tmp_path), outputs={4: "0.125 0.5\n", 5: "chi 3.25\n"})
    assert [d.state for d in found.done] == ["comment"] * 3
    assert found.to_dict()["printed_by_r"]["not_in_python"] == 3


def test_what_r_prints_and_python_does_not_stands_in_a_comment_at_its_place(tmp_path: Path) -> None:
    deviance = script().migration(staged(tmp_path)).steps[0].value.deviance
    made = script()
    frame = RList((numbers(deviance, 2.5), numbers(8.0, 7.0)), ("Deviance", "Resid. Df"), ("data.frame",))
    made.line(4, "print(deviance(m))")
    made.line(5, "d = deviance(m)")
    printed = f"{deviance:.7g}\n\nStrong:   0.405 0.0566\nAIC: 302.08\nSignif. codes: 0.001\n"
    found = made.migration(staged(tmp_path / "again"), outputs={4: printed})
    assert unshown(printed, frame, [repr(deviance)], []) == ("Resid. Df 8 7; Strong 0.405 0.0566; AIC 302.08")
    assert unshown(printed, None, [repr(deviance), "0.4051", "302.08"], ["0.057"]) == ""
    assert found.done[1].lines == ("d = m.deviance",)


def test_the_comment_stands_under_the_python_of_its_statement(tmp_path: Path) -> None:
    made = script()
    made.line(4, "print(deviance(m))")
    found = made.migration(staged(tmp_path), outputs={4: "AIC: 302.08\n"})
    assert found.done[0].lines == ("show(m.deviance)", "# R also printed here: AIC 302.08")


def whys(tmp_path: Path, *lines: str) -> list[str]:
    made = script()
    for k, spelled in enumerate(lines, 4):
        made.line(k, spelled)
    return [d.why for d in made.migration(staged(tmp_path)).done]


def test_a_reason_says_what_took_a_variable_its_python(tmp_path: Path) -> None:
    found = whys(tmp_path, "z = numeric(2)", "z[1] = strange(m)", "sum(z)")
    assert found[1:] == [
        "strange() is not supported",
        "the Python script has no value for z after line 5, which changes it",
    ]


def test_the_first_reason_of_a_statement_in_a_loop_stands(tmp_path: Path) -> None:
    loop = "for k in numeric(2): z[1] = strange(coef(m)); print(deviance(m))"
    _, why = whys(tmp_path, "z = numeric(2)", loop)
    assert why == "strange() is not supported"


@pytest.mark.parametrize(
    "lines, why",
    [
        (["cf = c(deviance(m), 2)", "coef(cf)"], "coef() of this value is not supported"),
        (["cf = strange(m)", "deviance(cf)"], "the Python script has no value for cf"),
        (
            ["g = lambda v: sum(v)", "r = c(g, deviance(m))"],
            "g() is a function of the script, and this use of it is not supported",
        ),
    ],
)
def test_a_reason_is_of_what_is_not_there(lines: list[str], why: str, tmp_path: Path) -> None:
    assert whys(tmp_path, *lines)[-1] == why


def test_what_r_s_own_answer_lacks_is_no_difference(tmp_path: Path) -> None:
    made = script()
    made.call(4, bradley_terry([12, 3, 6], stem="e"), "eba(tea)", "eba::eba", variable="e")
    made.translations[2] = BRIDGE
    made.line(5, "deviance(e) * NaN", value=numbers(0.0))
    made.lines[5].tree[2][1][1] = ["na"]
    found = made.migration(staged(tmp_path), outputs={5: "[1] 0.000\n"})
    assert found.exit_code == 0 and "DIFFER" not in str(found)
    assert found.to_dict()["printed_by_r"]["not_in_python"] == 1


@pytest.mark.parametrize(
    "lines, why",
    [
        (['coef(m)["Oolong"]'], "Python cannot compute it: it takes a part that the value does not have in Python"),
        (["f = lambda v: strange(v)", "deviance(m) + f(deviance(m))"], "strange() is not supported"),
    ],
)  # fmt: skip
def test_reasons_are_in_words_of_the_script(lines: list[str], why: str, tmp_path: Path) -> None:
    assert whys(tmp_path, *lines)[-1] == why


def test_a_function_of_data_makes_no_data_a_model(tmp_path: Path) -> None:
    made = script()
    made.line(4, "prep = lambda d: droplevels(d)")
    made.line(5, "half = prep(arena)")
    found = made.migration(staged(tmp_path))
    assert [d.state for d in found.done] == ["comment", "data"]


def test_a_result_of_a_test_that_is_left_out_and_what_is_computed_with_it_are_r_s(tmp_path: Path) -> None:
    made = script()
    p = [0.4239501953125002, 0.0351562500000000, 0.1795654296875001]
    made.mention(4, "binom.test")
    made.line(4, "p = sapply(tea, binom_test)", value=numbers(*p))
    made.lines[4].tree[2][1][1][2][1][1][1] = "binom.test"
    made.line(5, 'q = p.adjust(p, "holm")', value=numbers(0.4239501953125002, 0.10546875, 0.3591308593750002))
    made.line(6, "round(q, 4)", value=numbers(0.424, 0.1055, 0.3591))
    found = made.migration(staged(tmp_path), outputs={6: "[1] 0.4240 0.1055 0.3591\n"})
    assert [d.state for d in found.done] == ["comment", "translated", "translated"]
    assert found.to_dict()["printed_by_r"] == {
        "numbers": 3, "not_in_python": 0, "computed": 0, "of_r": 3, "differ": 0,
    }  # fmt: skip


def test_a_rounded_number_of_the_data_is_r_s_where_its_constant_is(tmp_path: Path) -> None:
    made = script()
    made.line(4, "lev = strange(tea)", value=numbers(0.123456, 2.0))
    made.line(5, "round(c(deviance(m), lev), 3)")
    deviance = script().migration(staged(tmp_path)).steps[0].value.deviance
    found = made.migration(staged(tmp_path / "again"), outputs={5: f"[1] {deviance:.3f} 0.123 2.000\n"})
    assert sorted(map(float, found.done[-1].of_r)) == [0.123, 2.0]


def test_a_fit_that_is_no_model_of_comparisons_is_left_out_and_its_numbers_are_counted(
    tmp_path: Path,
) -> None:
    made = script()
    made.call(4, None, "glm(score ~ elo)", "stats::glm", variable="lin")
    made.line(4, "lin = glm(score)", "lin <- glm(score ~ elo)")
    made.line(5, "coef(lin)")
    found = made.migration(staged(tmp_path), outputs={5: "0.0662 2.1861\n"})
    assert [d.state for d in found.done] == ["comment", "comment"]
    assert found.to_dict()["printed_by_r"]["not_in_python"] == 2
    assert any("glm" in line and "-> left out" in line for line in str(found).splitlines())


def counts_of(found: Any, start: str) -> tuple[int, ...]:
    """What became of the numbers that R printed at the expression that begins so: computed, R's, differ, not in Python."""
    done = next(d for d in found.done if d.text.startswith(start))
    n = printed_by_r(found.captured, [done])
    return n["computed"], n["of_r"], n["differ"], n["not_in_python"]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "honest", __file__)


@pytest.mark.r("BradleyTerry2")
@pytest.mark.xdist_group("migrated honest")
class TestRun:
    def test_numbers_of_tests_and_fits_that_are_left_out_are_not_python_s(self, migrated):
        found, _ = migrated
        assert counts_of(found, "round(st, 4)") == (0, 0, 0, 6)
        assert {"binom.test", "glm"} <= {
            s.first.call.name for s in found.sites if s.first.state == "outside"
        } | {left.mentioned.function for left in found.left_out}

    def test_numbers_within_labels_are_no_numbers(self, migrated):
        found, home = migrated
        assert counts_of(found, "summary(lin)") == (0, 0, 0, 8)
        assert [counts_of(found, text) for text in ("print(x)", "data.frame(season")] == [(2, 0, 0, 0)] * 2
        assert "also printed here: 2008" not in (home / "honest.py").read_text()

    def test_add1_of_terms_that_lack_values_is_r_s_of_another_model_and_says_so(self, migrated):
        found, home = migrated
        several, one = (s for s in found.steps if s.call.name == "add1.BTm")
        rows = {str(a.quantity): a for a in several.rows}
        lrt, p = (rows[f"add1.condition[..].{c}"] for c in ("LRT", "Pr(>Chi)"))
        assert (lrt.verdict, round(lrt.r, 4), round(lrt.native, 4)) == ("explained", 5.3543, 0.4248)
        assert rows["add1.repro.tactic[..].LRT"].verdict == "agrees" and p.r < 0.05 < p.native
        assert {a.verdict for a in one.rows} == {"agrees"}
        # R's own fits in which those 13 players have abilities of their own.
        refit = next(d for d in found.done if d.text == "deviance(own) - deviance(both)")
        assert refit.rows[0].r == pytest.approx(lrt.r, rel=1e-7)  # observed 1e-9
        assert counts_of(found, "add1(few, ~. + repro") == (4, 0, 6, 0)
        said = "(13 more; <none> has deviance 73.32714, the fit 95.36138)"
        assert said in " ".join((home / "honest.py").read_text().replace("\n#", "").split())

    def test_a_loop_goes_on_where_data_that_only_fits_use_are_prepared_by_r(self, migrated):
        found, home = migrated
        assert counts_of(found, "for (g in groups)") == (2, 0, 0, 0)
        assert counts_of(found, "sapply(out") == (6, 0, 0, 0)
        source = (home / "honest.py").read_text()
        assert "# data of R: z <- prep(" in source and 'pd.Series([0], index=["x"])' in source
