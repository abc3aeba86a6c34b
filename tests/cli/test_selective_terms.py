"""`pairproof fit` with selective terms and terms of the comparison."""

from __future__ import annotations

import json

import jsonschema
import pytest

import pairproof
from pairproof.cli import main
from tests.places import DATA, SCHEMAS

DRAS = str(DATA / "dras_table1.csv")
ROWS = "first,second,wins,losses,longer,side\nA,B,31,19,0.6,left\nB,A,24,26,0.9,right\nA,C,35,15,0.4,left\n"
ROWS += "C,A,15,35,-0.2,right\nB,C,28,22,0.8,left\nC,B,21,29,-0.5,left\n"


@pytest.fixture
def answers(tmp_path):
    file = tmp_path / "answers.csv"
    file.write_text(ROWS)
    return str(file)


def fitted(capsys, *options):
    assert main(["fit", *options, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads((SCHEMAS / "fit.schema.json").read_text()))
    return document


def test_by_takes_one_item(capsys):
    document = fitted(capsys, DRAS, "--by", "A:judge")
    fit = pairproof.fit_llbt(pairproof.read(DRAS), by="A:judge")
    assert (
        document["params"]["A:judge[3]"] == fit.params["A:judge[3]"]
        and "B:judge[3]" not in document["params"]
    )
    (term,) = (t for t in document["terms"] if t["name"] == "A:judge[3]")
    assert term == {
        "name": "A:judge[3]",
        "kind": "covariate",
        "item": "A",
        "covariate": "judge",
        "level": "3",
    }


def test_comparison_terms_are_named_as_in_python_and_need_no_order_effect(capsys, answers):
    document = fitted(capsys, answers, "--comparison-terms", "longer,C(side)", "--model", "bradley-terry")
    fit = pairproof.fit_bradley_terry(pairproof.read(answers), comparison_terms=["longer", "C(side)"])
    assert (
        list(document["params"]) == ["A", "B", "C", "longer", "side[left]", "side[right]"] == list(fit.names)
    )
    assert document["params"]["longer"] == fit.params["longer"] and document["df_resid"] == fit.df_resid == 1
    kinds = {t["name"]: (t["kind"], t["covariate"], t["level"]) for t in document["terms"]}
    assert kinds["longer"] == ("comparison", "longer", None)
    assert kinds["side[left]"] == ("comparison", "side", "left")
    assert main(["fit", answers, "--comparison-terms", "longer"]) == 0
    out = capsys.readouterr().out
    assert "comparison terms longer" in out and "pair of items x value of longer" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "E:judge"], "E is neither a column of the table (judge) nor an item (A, B, C, D)"),
        (["--by", "judge + A:judge"], "A:judge is part of judge, with which all items vary"),
        (["--comparison-terms", "longer"], "no column 'longer'"),
    ],
)
def test_bad_terms_are_errors_that_say_what_to_do(capsys, options, said):
    assert main(["fit", DRAS, *options]) == 3
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err


CLAIMS = """
[paper]
id = "judge-model"
title = "A judge that likes long answers"
note = "Made for this test."

[data.votes]
kind = "counts"
items = ["A", "B", "C"]
columns = ["first", "second", "wins", "losses", "longer"]
rows = [
    ["A", "B", 31, 19, 0.6], ["B", "A", 24, 26, 0.9], ["A", "C", 35, 15, 0.4],
    ["C", "A", 15, 35, -0.2], ["B", "C", 28, 22, 0.8], ["C", "B", 21, 29, -0.5],
]

[[claim]]
id = "table-1"
where = "Table 1"
data = "votes"
model = { family = "bradley-terry", comparison_terms = "longer" }
estimate = { B = "-.420", C = "-.665", longer = ".217" }
se = { longer = ".263" }
"""


def test_a_claims_file_states_them_and_the_checker_fits_them(capsys, tmp_path):
    file = tmp_path / "judge.toml"
    for printed, code, verdict in ((".217", 0, "agrees"), (".317", 1, "differs")):
        file.write_text(CLAIMS.replace('longer = ".217"', f'longer = "{printed}"'))
        assert main(["check", str(file), "--r", "none", "--json"]) == code
        out, err = capsys.readouterr()
        found = {a["quantity"]: a["verdict"] for a in json.loads(out)["agreements"]}
        assert found["estimate.longer"] == verdict and found["estimate.B"] == "agrees", (out, err)
