"""`--compare`: a likelihood-ratio test against a smaller model, in `fit` as in `fit-answers`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import pairproof
from pairproof.cli import main
from pairproof.cli.commands import fit, fit_answers
from tests.cli.test_commands import DRAS
from tests.cli.test_contests import ITEMS, ROWS
from tests.places import SCHEMAS

SCHEMA = json.loads((SCHEMAS / "fit.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("dras.csv", DRAS), ("t.csv", ROWS), ("items.csv", ITEMS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    code = main(["fit", *arguments])
    return code, *capsys.readouterr()


def comparison(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    return document["comparison"]


def test_by_is_tested_against_the_model_without_it(capsys):
    table = pairproof.read("dras.csv")
    test = pairproof.fit_llbt(table, by="judge").compare(pairproof.fit_llbt(table))
    found = comparison(capsys, "dras.csv", "--by", "judge", "--compare", "by=")
    assert (found["statistic"], found["df"], found["p"]) == (test.statistic, test.df, test.p)
    assert found["other"] == "LLBT, Davidson ties" and found["why_not"] == ""
    code, out, _ = run(capsys, "dras.csv", "--by", "judge", "--compare", "by=")
    assert code == 0 and str(test).split(":")[0] in out and "LLBT, Davidson ties: log-likelihood" in out


def test_several_options_change_at_once_and_the_larger_model_may_be_the_other(capsys):
    table = pairproof.read("dras.csv")
    larger = pairproof.fit_llbt(table, by="judge", order_effect=True)
    found = comparison(capsys, "dras.csv", "--compare", "by=judge", "--compare", "order-effect=yes")
    assert found["statistic"] == larger.compare(pairproof.fit_llbt(table)).statistic
    assert (found["llf"], found["rank"]) == (larger.llf, larger.rank)


@pytest.mark.parametrize(
    ("asked", "change", "arguments"),
    [
        (("--formula", "x"), "formula=item", {"formula": "item"}),
        (("--item-terms", "x"), "item-terms=", {}),
        (("--order-effect",), "order-effect=no", {}),
        (("--comparison-terms", "w"), "comparison-terms=w,bad", {"comparison_terms": ["w", "bad"]}),
        (("--formula", "x", "--separate", "D"), "separate=", {"formula": "x"}),
    ],
)
def test_a_value_is_read_as_the_option_itself_reads_it(capsys, asked, change, arguments):
    options = ("t.csv", "--model", "bradley-terry", "--item-data", "items.csv")
    found = comparison(capsys, *options, *asked, "--compare", change)
    other = pairproof.fit_bradley_terry(pairproof.read("t.csv", item_data="items.csv"), **arguments)
    assert (found["other"], found["llf"]) == (other.title, other.llf)


def test_what_cannot_be_tested_is_compared_by_aic_and_says_why(capsys):
    found = comparison(capsys, "dras.csv", "--compare", "ties=half")
    assert found["p"] is None and "different comparisons" in found["why_not"]
    code, out, _ = run(capsys, "dras.csv", "--compare", "ties=half")
    assert code == 0 and "No likelihood-ratio test: the fits use different comparisons" in out


def test_the_report_and_verify_have_the_comparison_too(capsys, here):
    code, _, err = run(
        capsys, "dras.csv", "--by", "judge", "--compare", "by=", "--report", "o.md", "--report", "o.json"
    )
    assert code == 0, err
    assert "## Another model" in (here / "o.md").read_text(encoding="utf-8")
    assert json.loads((here / "o.json").read_text(encoding="utf-8"))["comparison"]["df"] == 3
    code, out, _ = run(capsys, "dras.csv", "--compare", "ties=none", "--verify", "--r", "none", "--json")
    assert {"agreements", "comparison"} <= set(json.loads(out))


def test_a_caution_on_the_test_stands_on_a_line_of_its_own(capsys, here):
    files = ("o.md", "o.html", "o.txt")
    asked = ("dras.csv", "--compare", "ties=none", "--cluster", "judge")
    code, out, err = run(capsys, *asked, *(word for name in files for word in ("--report", name)))
    assert code == 0, err
    for text in (out, *((here / name).read_text(encoding="utf-8") for name in files)):
        assert "Caution: the likelihood ratio assumes" in " ".join(text.split()) and "\\n" not in text


def test_each_track_is_compared_by_itself(capsys):
    code, out, _ = run(capsys, "dras.csv", "--tracks", "judge", "--compare", "ties=none", "--json")
    assert code == 0 and all("comparison" in part for part in json.loads(out)["tracks"].values())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--compare", "byy=judge"), "expected one of by, ties, order-effect"),
        (("--compare", "ties=thirds"), "--compare ties=thirds: expected davidson or rao-kupper"),
        (("--compare", "order-effect=maybe"), "expected yes or no"),
        (("--compare", "formula=item"), "--formula: only for --model bradley-terry"),
        (("--compare", "item-terms=x", "--reference", "A"), "omit one of them"),
        (("--compare", "by"), "expected NAME=VALUE"),
    ],
)
def test_bad_usage_is_exit_code_3(capsys, options, said):
    code, out, err = run(capsys, "dras.csv", *options)
    assert (code, out) == (3, "") and said in err


@pytest.mark.parametrize("module", [fit, fit_answers])
def test_what_can_be_compared_is_an_option_of_the_command(module):
    assert {f"--{name}" for name in module.COMPARED} <= {o for p in module.command.params for o in p.opts}
