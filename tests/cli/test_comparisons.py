"""`pairproof fit --ranks --contrasts`: many comparisons on the command line and in the report."""

from __future__ import annotations

import json
import math

import jsonschema
import pytest

import pairproof
from pairproof.cli import main
from tests.places import DATA, SCHEMAS

TABLE = str(DATA / "inference_d24.csv")


def test_json_has_the_ranks_and_contrasts_that_were_asked_for(capsys):
    asked = [
        "--cluster",
        "judge",
        "--ranks",
        "--contrasts",
        "against-one",
        "--against",
        "F",
        "--adjust",
        "holm",
    ]
    assert main(["fit", TABLE, *asked, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads((SCHEMAS / "fit.schema.json").read_text()))
    fit = pairproof.fit_llbt(pairproof.read(TABLE)).clustered("judge")
    assert document["ranks"] == {"all": json.loads(json.dumps(fit.ranks().to_dict()))}
    expected = fit.contrasts("against one", "F", "holm")
    assert [
        row["adjusted"] for row in document["contrasts"]["all"]["contrasts"]
    ] == expected.adjusted.tolist()
    assert document["contrasts"]["all"]["covariance"] == "CR2 by judge (24 clusters)"


def test_json_has_nothing_new_unasked(capsys):
    assert main(["fit", TABLE, "--json"]) == 0
    assert not {"ranks", "contrasts"} & set(json.loads(capsys.readouterr().out))


def test_the_terminal_shows_tables_under_the_fit(capsys):
    assert main(["fit", TABLE, "--ranks", "--contrasts", "all-pairs", "--level", "0.9"]) == 0
    out = capsys.readouterr().out
    assert (
        "Confidence sets of ranks, level 90 %" in out and "15 differences in lambda" in out and "5 %" in out
    )
    assert all(len(line) <= 100 for line in out.splitlines())


def test_the_report_says_which_items_can_be_told_apart_unasked(capsys, tmp_path):
    html, markdown = tmp_path / "fit.html", tmp_path / "fit.md"
    assert main(["fit", TABLE, "--report", str(html), "--report", str(markdown)]) == 0
    text = markdown.read_text()
    for words in (
        "Which items can be distinguished",
        "May be the best",
        "All items equal? Wald chi-square",
        "Not distinguished, a:",
    ):
        assert words in text
    assert "Rank sets" in html.read_text() and html.read_text().count("<svg") == 4
    capsys.readouterr()


def test_an_item_that_shares_no_letter_is_told_apart_from_all_others(capsys, tmp_path):
    report = tmp_path / "fit.md"
    assert main(["fit", str(DATA / "dras_table1.csv"), "--report", str(report)]) == 0
    text = report.read_text()
    assert "Distinguished from all others: A, D, B, C" in text and "Not distinguished" not in text
    capsys.readouterr()


def test_each_group_has_its_ranks_and_one_without_any_difference_says_why(capsys, tmp_path):
    table = tmp_path / "votes.csv"
    table.write_text(
        "judge,first,second,wins,losses\n1,A,B,20,10\n1,B,C,30,12\n2,A,B,9,0\n2,B,C,9,0\n", encoding="ascii"
    )
    assert main(["fit", str(table), "--by", "judge", "--ranks", "--contrasts", "all-pairs", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document["ranks"]) == ["judge=1", "judge=2"]
    jsonschema.validate(document, json.loads((SCHEMAS / "fit.schema.json").read_text()))
    # 9 of 9 won: twice the log-likelihood ratio against equals is 18 log 2, 3.53 squared.
    ranks = document["ranks"]["judge=2"]
    assert ranks["critical"] is None and ranks["critical_between"] < (18 * math.log(2)) ** 0.5
    assert [(row["item"], row["low"], row["high"], row["status"]) for row in ranks["items"]] == [
        ("A", 1, 1, "above all"),
        ("B", 2, 2, "between sets"),
        ("C", 3, 3, "below all"),
    ]
    assert "infinity" in document["contrasts"]["judge=2"]["not_estimable"]


@pytest.mark.parametrize(
    "options, said",
    [
        (["--adjust", "holm"], "--against and --adjust have no effect without --contrasts"),
        (["--contrasts", "against-one"], "--contrasts against-one and --against ITEM must be used together"),
        (
            ["--contrasts", "all-pairs", "--against", "A"],
            "--contrasts against-one and --against ITEM must be used together",
        ),
        (["--level", "0.9"], "--level has no effect without --ranks or --contrasts"),
        (["--contrasts", "against-best", "--adjust", "holm"], "has its own simultaneous method (Hsu)"),
        (["--ranks", "--level", "0.4"], "--level 0.4; expected a number between 0.5 and 1"),
        (["--contrasts", "against-one", "--against", "Z"], "no item 'Z'; the items are A, B, C, D, E, F"),
    ],
)
def test_what_is_asked_wrongly_is_refused(capsys, options, said):
    assert main(["fit", TABLE, *options]) == 3
    assert said in " ".join(capsys.readouterr().err.split())
