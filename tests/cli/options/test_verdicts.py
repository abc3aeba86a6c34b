"""What commands do with verdicts: exit code, table, JSON, reports.

The verdicts are made by hand (a stand-in for `validation.run` and `verify`), so that every one of them
occurs; that the real ones are right is tested with the validation itself.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pairproof
import pairproof.validation
from pairproof.bridge.process.policy import backend
from pairproof.cli import main
from pairproof.validation.report.verification import Verification
from pairproof.validation.verdicts.agreement import VERDICTS, Agreement
from tests.places import SCHEMAS as SCHEMAS_FOLDER

SCHEMAS = {
    name: json.loads((SCHEMAS_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    for name in ("fit", "agreements")
}
COUNTS = "first,second,wins,ties,losses\nA,B,61,24,35\n"


def verdict(name: str = "agrees", **changes: Any) -> Agreement:
    parts: dict[str, Any] = dict(
        paper="p",
        claim="c",
        quantity="estimate.A",
        printed="0.2778",
        native=0.2777629,
        r=0.2777629,
        r_call="gnm::gnm",
        r_source="live",
        certified=None,
        digits=15.5,
        verdict=name,
        explanation="",
    )
    return Agreement(**{**parts, **changes})


@pytest.fixture()
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """`answers["agreements"]` is what the stand-ins return; `answers["asked"]` what they were asked."""
    held: dict[str, Any] = {"agreements": [verdict()], "asked": []}

    def run(names, *, r=None, data=None, progress=None, workers=1):
        held["asked"].append((tuple(names), r, backend().record))
        return Verification(tuple(held["agreements"]))

    def verify(fit, *, r=None):
        held["asked"].append((fit.items, r))
        return Verification(tuple(held["agreements"]))

    monkeypatch.setattr(pairproof.validation, "run", run, raising=False)
    monkeypatch.setitem(pairproof.__dict__, "verify", verify)
    return held


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    "agreement, code",
    [
        (verdict(), 0),
        (verdict("agrees-truncated"), 0),
        (verdict("agrees-k-of-m"), 0),
        (verdict("not-checkable"), 0),
        (verdict("explained", explanation="cells: finer", accepted=True), 0),
        (verdict("explained", explanation="cells: finer"), 1),
        (verdict("differs"), 1),
        (verdict("differs-conclusion"), 1),
        (verdict("ambiguous"), 1),
        (verdict("not-estimable", native=None), 1),
        (verdict("not-estimable", native=None, printed=None), 0),
        (verdict("not-run", native=None, r_call=None, r_source=None, r=None), 2),
    ],
)
@pytest.mark.parametrize("command", ["validate", "check"])
def test_each_verdict_gives_the_exit_code_of_the_interface(capsys, answers, command, agreement, code):
    answers["agreements"] = [agreement]
    assert run(capsys, command, "dras-2015")[0] == code


def test_what_r_did_not_answer_is_exit_code_2_only_where_r_is_required(capsys, answers):
    answers["agreements"] = [verdict(), verdict("not-run", r=None, r_source=None, explanation="no R here")]
    assert run(capsys, "validate")[0] == 0
    assert run(capsys, "validate", "--require-r")[0] == 2


def test_the_json_of_verdicts_is_to_the_letter_for_every_verdict(capsys, answers):
    answers["agreements"] = [verdict(v, native=float("nan") if v == "not-run" else 1.5) for v in VERDICTS]
    code, out, _ = run(capsys, "validate", "--json")
    document = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    jsonschema.validate(document, SCHEMAS["agreements"])
    assert (
        code == 1
        and document["summary"] == {v: 1 for v in VERDICTS}
        and len(document["agreements"]) == len(VERDICTS)
    )


def test_names_and_the_way_to_ask_r_reach_the_validation(capsys, answers):
    run(capsys, "validate")
    run(capsys, "validate", "dras-2015", "--r", "recorded")
    run(capsys, "check", "a.claims.toml", "--r", "none")
    assert [asked[:2] for asked in answers["asked"]] == [
        (("dras-2015", "patterns"), None),
        (("dras-2015",), "recorded"),
        (("a.claims.toml",), "none"),
    ]


def test_an_unknown_paper_is_exit_code_3_and_names_those_that_ship(capsys, answers):
    code, out, err = run(capsys, "validate", "dras-2051")
    assert (code, out, answers["asked"]) == (3, "", []) and "'dras-2051'" in err and "dras-2015" in err


def test_reports_of_a_validation_are_written_in_every_form(capsys, answers, tmp_path):
    answers["agreements"] = [verdict(), verdict("differs", quantity="estimate.B", explanation="why")]
    paths = [tmp_path / f"v{suffix}" for suffix in (".html", ".md", ".json", ".xml")]
    code, _, err = run(capsys, "validate", *(x for p in paths for x in ("--report", p)))
    assert code == 1 and err.splitlines() == [f"report: {p}" for p in paths]
    jsonschema.validate(json.loads(paths[2].read_text(encoding="utf-8")), SCHEMAS["agreements"])
    suites = ElementTree.parse(paths[3]).getroot()
    assert len(list(suites.iter("testcase"))) >= 2 and len(list(suites.iter("failure"))) == 1
    assert all("estimate.B" in p.read_text(encoding="utf-8") for p in paths)


def test_fit_with_verify_adds_the_verdicts_and_their_exit_code(capsys, answers, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(COUNTS, encoding="utf-8")
    answers["agreements"] = [verdict(), verdict("differs", quantity="estimate.tie")]
    paths = [tmp_path / f"f{suffix}" for suffix in (".html", ".md", ".json", ".xml")]
    code, out, _ = run(
        capsys,
        "fit",
        table,
        "--verify",
        "--r",
        "both",
        "--json",
        *(x for p in paths for x in ("--report", p)),
    )
    document = json.loads(out)
    jsonschema.validate(document, SCHEMAS["fit"])
    assert code == 1 and answers["asked"] == [(("A", "B"), "both")]
    assert document["summary"] == {"agrees": 1, "differs": 1} and document["params"]["B"] == 0
    assert json.loads(paths[2].read_text(encoding="utf-8")) == document
    assert all("estimate.tie" in p.read_text(encoding="utf-8") for p in paths)


def test_record_asks_r_live_and_says_what_it_wrote(capsys, answers, tmp_path, monkeypatch):
    real = pairproof.validation.run

    def writes(names, *, r=None):
        (tmp_path / "new.json").write_text("{}", encoding="utf-8")
        (tmp_path / "old.json").write_text("changed", encoding="utf-8")
        return real(names, r=r)

    monkeypatch.setattr(pairproof.validation, "run", writes)
    (tmp_path / "old.json").write_text("{}", encoding="utf-8")
    (tmp_path / "same.json").write_text("{}", encoding="utf-8")
    code, out, _ = run(capsys, "record", "dras-2015", "--into", tmp_path, "--json")
    assert code == 0 and json.loads(out) == {
        "directory": str(tmp_path),
        "new": ["new.json"],
        "changed": ["old.json"],
        "unchanged": 1,
        "not_run": [],
    }
    assert answers["asked"] == [(("dras-2015",), None, "once")]
    run(capsys, "record", "dras-2015", "--into", tmp_path, "--again")
    assert answers["asked"][1][2] == "all"


def test_record_is_exit_code_2_when_something_was_not_recorded(capsys, answers, tmp_path):
    answers["agreements"] = [
        verdict("not-run", r=None, r_source=None, explanation="prefmod is not installed")
    ]
    code, out, _ = run(capsys, "record", "--into", tmp_path)
    assert code == 2 and "not recorded: prefmod is not installed" in out
    assert run(capsys, "record", "--report", tmp_path / "x.json")[0] == 3
