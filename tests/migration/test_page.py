"""The report of a migration: what a reader must find in it, in every form."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from pairproof.bridge.capture.recorded import Place
from pairproof.migration.outcome import LeftOut, Migration
from pairproof.migration.report_page import migration_page, output, sentences, where
from pairproof.migration.steps.flow import Done
from pairproof.migration.translate.python_code import Call, File
from pairproof.migration.translate.translation import Step, Translation, outside
from pairproof.report.blocks import Code, Folded, Heading, Table
from tests.migration.made import a_call, a_row, a_run

TABLE = Call("pairproof.read", (File({"first": ["A", "B"], "wins": [3, 1]}, "m"),), {"layout": "counts"})
NATIVE = Translation(
    "native",
    Call("pairproof.fit_bradley_terry", (TABLE,), {"reference": "A"}),
    notes=("Half wins are kept.",),
)
BRIDGE = Translation("bridge", Call("pairproof.bridge.lme4.glmer_design", (TABLE,)), "two random effects")


def migration(*steps: Step, **run: object) -> Migration:
    captured = a_run([s.call for s in steps], **run)
    left = tuple(LeftOut(m, "not a model of paired comparisons") for m in captured.text.mentioned)
    return Migration(captured, steps, left, written=("analysis.py",), ran_seconds=0.4)


def many() -> Migration:
    warned = a_call(variable="m", warnings=(("fitted probabilities\n numerically 0", "glm.fit"),))
    return migration(
        Step(
            warned, NATIVE, rows=(a_row("estimate.A", 9.58), a_row("se.A", 4.1)), said=("2 rows are empty",)
        ),
        Step(a_call(2, 3, "lme4::glmer"), BRIDGE, rows=(a_row("estimate.x", 16.0),)),
        Step(a_call(3, 3, "prefmod::pattR.fit"), NATIVE, refused="NotEstimableError: items fall apart"),
        Step(a_call(4, 3, "BradleyTerry2::BTm", error="no such\ncolumn"), outside("")),
        Step(a_call(5, 3, "PlackettLuce::PlackettLuce", via="PlackettLuce::pltree"), outside("")),
        Step(a_call(6, 3, "stats::glm"), outside("a table of counts")),
    )


def blocks(found: Migration, kind: type) -> list:
    return [b for b in migration_page(found).blocks if isinstance(b, kind)]


def test_it_opens_with_counts_r_and_seconds():
    text = output(many()).render(".txt")
    assert text.splitlines()[:2] == [
        "analysis.R: from R to Python, 2 numbers compared",
        "R 4.2.2, BradleyTerry2 1.1-2",
    ]
    for said in (
        "run by R 4.2.2 in 3.1 s.",
        "1 in Python alone, 1 through R by pairproof.bridge, 1 left out, 1 refused by Python, 1 stopped by R, 1 counted only.",
        "Numbers compared with R's of this run: 2 agree.",
        "1 number of calls that stay in R is R's own.",
        "Fewest digits among those that agree: 4.1, of se.A (BradleyTerry2::BTm).",
        "No number differs without an explanation.",
        "The Python script ran by itself, without R, in 0.4 s.",
        "Written: analysis.py.",
    ):
        assert said in text


def test_every_call_is_a_row_in_the_order_of_the_script():
    table = blocks(many(), Table)[0]
    rows = [[cell.text for cell in cells] for cells, _ in table.body]
    assert [r[0] for r in rows] == ["2", "3", "3", "3", "3", "3", "4"]
    assert {r[-1] for r in rows} == {
        "in Python",
        "stays in R",
        "refused by Python",
        "R stopped",
        "counted",
        "left out",
    }
    assert rows[0] == ["2", "BradleyTerry2::BTm", "fit_bradley_terry", "2", "2", "4.1", "in Python"]


def test_a_section_has_the_lines_of_both_languages_the_data_notes_and_warnings():
    text = output(many()).render(".txt")
    codes = [b.text for b in blocks(many(), Code)]
    assert codes[0] == "m <- BTm(won, left, right, data = clear)"
    assert codes[1].startswith(
        'm = pairproof.fit_bradley_terry(pairproof.read("data/m.csv", layout="counts")'
    )
    for said in (
        "Data: m.csv, 2 rows of 2 columns (first, wins).",
        "Half wins are kept.",
        "R warns: fitted probabilities numerically 0",
        "Python warns: 2 rows are empty",
        "Stays in R: two random effects.",
    ):
        assert said in text


def test_what_is_not_in_python_has_a_section_and_a_reason_each():
    text = output(many()).render(".txt")
    for title, reason in (
        ("Stayed in R", "Two random effects."),
        ("Left out", "A table of counts."),
        ("Refused by Python", "items fall apart"),
        ("R gave an error", "no such column"),
        ("Counted, not translated", "PlackettLuce::pltree fits a model for its own result."),
        ("Not pairwise comparisons", "Not a model of paired comparisons."),
    ):
        assert f"\n{title}\n" in text and reason in text
    assert "bridge.lme4.glmer_design" in text and "nlm(f, 1)" in text


def test_a_number_that_differs_stands_at_the_top():
    bad = a_row("se.B", 2.0, "differs", explanation="2 digits, 7 asked for")
    text = output(migration(Step(a_call(), NATIVE, rows=(a_row("estimate.A"), bad)))).render(".txt")
    assert "1 differs: line 2 se.B." in text and "2 digits, 7 asked for" in text
    assert "No number differs" not in text


def test_a_loop_shows_its_first_evaluations_and_those_that_need_a_look():
    steps = [
        Step(a_call(k, nth=k, keys={"r": f"g{k}"}), NATIVE, rows=(a_row("estimate.A"),)) for k in range(1, 7)
    ]
    steps[4] = replace(steps[4], rows=(a_row("se.A", 1.0, "differs", explanation="1 digit"),))
    found = migration(*steps)
    open_ = [b.text for b in blocks(found, Heading) if b.level == 4]
    assert [t.partition(":")[0] for t in open_] == [f'Evaluation {k} (r = "g{k}")' for k in (1, 2, 3, 5)]
    assert [b.summary.partition(":")[0] for b in blocks(found, Folded)] == [
        f'Evaluation {k} (r = "g{k}")' for k in (4, 6)
    ]


@pytest.mark.parametrize(
    "place, said",
    [
        (Place(3, 4), "3"),
        (Place(3, 3, False), "3?"),
        (Place(0, 0), "?"),
        (Place(2, 2, True, "h.R"), "h.R: 2"),
    ],
)
def test_a_line_is_named_with_its_doubt_and_its_file(place, said):
    assert where(place, "analysis.R") == said


def test_what_the_script_says_is_text_in_html():
    evil = a_call(variable="m", text="BTm(<script>alert(1)</script>)", function="BradleyTerry2::<b>")
    found = migration(Step(replace(evil, place=Place(0, 0)), NATIVE, rows=(a_row("estimate.<i>"),)))
    html = output(found).render(".html")
    assert "<script>alert" not in html and "<b>" not in html.partition("</head>")[2].replace("<b>1</b>", "")
    assert "&lt;script&gt;" in html and "estimate.&lt;i&gt;" in html


def test_junit_has_a_suite_a_call_and_says_what_did_not_run():
    root = ElementTree.fromstring(output(many()).render(".xml"))
    suites = {s.get("name"): s for s in root}
    assert suites["line 2 BradleyTerry2::BTm"].get("tests") == "2"
    assert suites["line 3 prefmod::pattR.fit"].get("failures") == "1"
    assert suites["line 3 stats::glm"].get("skipped") == "1"
    assert "a table of counts" in ElementTree.tostring(suites["line 3 stats::glm"], encoding="unicode")


def test_every_form_is_written(tmp_path):
    for suffix in (".html", ".md", ".txt", ".json", ".xml"):
        path = tmp_path / f"report{suffix}"
        output(many()).write(path)
        assert "estimate.A" in path.read_text(encoding="utf-8").replace("\\", "")
    assert json.loads((tmp_path / "report.json").read_text())["script"] == "analysis.R"


def test_a_run_without_calls_says_so():
    text = output(migration()).render(".txt")
    assert "No call of a fitting function was recorded." in text and "Number by number" not in text


def test_numbers_that_python_computes_copies_and_has_not_are_counted_and_said_first_where_they_are_most() -> (
    None
):
    found = many()
    texts = {
        1: "a  1.25 0.5\nb -3.5\n",
        2: "AIC 120.5\nSignif. codes:  0 '***' 0.001\n[1] 7 12\n",
        3: "9.5\n",
    }
    done = (
        Done(1, Place(1, 1), "coef(m)", "translated", printed=("1.2512", "-3.5"), of_r=("0.5",)),
        Done(2, Place(2, 2), "main()", "comment", why="as it is"),
        Done(3, Place(3, 3), "x", "data"),
    )
    captured = replace(found.captured, outputs=texts)
    found = replace(found, captured=captured, done=done)
    said = "R printed 4 numbers of models: 2 computed by Python and agree"
    constants = "1 are R's values of that run written as constants, or computed with them"
    said = f"{said}, {constants}, 1 not in Python"
    assert said in str(found) and not str(found).startswith(f"analysis.R: {said}")
    assert found.to_dict()["printed_by_r"] == {
        "numbers": 4, "not_in_python": 1, "computed": 2, "of_r": 1, "differ": 0,
    }  # fmt: skip
    most = replace(found, done=(replace(done[0], printed=()), *done[1:]))
    assert str(most).startswith(
        "analysis.R: R printed 4 numbers of models: 0 computed by Python and agree, 1 are"
    )
    assert sentences(most)[0].startswith("R printed 4 numbers")
