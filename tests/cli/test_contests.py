"""`pairproof fit` and `pairproof predict` of Bradley-Terry models by formula, with links, random effects and reduced bias."""

from __future__ import annotations

import csv
import json

import jsonschema
import numpy as np
import pytest

import pairproof
from pairproof.cli import main
from pairproof.files import outputs as made_by
from pairproof.files.outputs import unguard
from tests.places import SCHEMAS

#: The four players of random effects' vectors, with a judge, an offset and weights beside them.
ROWS = "first,second,wins,losses,judge,z,w,bad\nA,B,3,7,1,0,1,1\nA,C,6,4,1,0,1,1\nA,D,1,9,1,0,1,1\nB,C,8,2,2,0,1,-1\n"
ROWS += "B,D,2,8,2,0,1,1\nC,D,1,9,2,0,1,1\n"
TIES = "first,second,wins,ties,losses\nA,B,9,5,2\nB,C,8,4,4\nA,C,11,2,2\nB,A,5,6,5\nC,B,4,6,5\nC,A,2,4,9\n"
ITEMS = "item,x\nA,0\nB,1\nC,2\nD,4\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, text in (("t.csv", ROWS), ("ties.csv", TIES), ("items.csv", ITEMS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(capsys, *arguments):
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def fitted(capsys, *options):
    code, out, _ = ran(capsys, "fit", *options, "--model", "bradley-terry", "--json")
    assert code == 0
    document = json.loads(out)
    jsonschema.validate(document, json.loads((SCHEMAS / "fit.schema.json").read_text()))
    return document


WAYS = {
    "formula": (("t.csv", "--item-data", "items.csv", "--formula", "x"), {"formula": "x"}),
    "random": (("t.csv", "--random", "item", "--method", "pql"), {"random": "item", "method": "pql"}),
    "mixed": (
        ("t.csv", "--item-data", "items.csv", "--formula", "x + (1 | item)"),
        {"formula": "x + (1 | item)"},
    ),
    "by judge": (
        ("t.csv", "--random", "item:judge", "--method", "pql"),
        {"random": "item:judge", "method": "pql"},
    ),
    "link": (("t.csv", "--link", "probit", "--order-effect"), {"link": "probit", "order_effect": True}),
    "offset": (("t.csv", "--offset", "z", "--weights", "w"), {"offset": "z", "weights": "w"}),
    "bias": (("t.csv", "--reduce-bias", "median"), {"reduce_bias": "median"}),
    "ties": (("ties.csv", "--order-effect", "--tie-shift"), {"order_effect": True, "tie_shift": True}),
}


@pytest.mark.parametrize("way", WAYS)
def test_an_option_is_the_argument_of_the_same_name_and_its_json_fits_the_schema(capsys, way):
    options, arguments = WAYS[way]
    table = pairproof.read(options[0], item_data="items.csv" if "--item-data" in options else None)
    fit = pairproof.fit_bradley_terry(table, **arguments)
    assert fitted(capsys, *options) == json.loads(json.dumps(fit.to_dict()))


def test_json_says_what_was_stated_and_what_is_null(capsys):
    document = fitted(
        capsys, "t.csv", "--item-data", "items.csv", "--formula", "x + (1 | item)", "--method", "pql"
    )
    assert (document["formula"], document["random"], document["method"]) == (
        "x + (1 | item)",
        ["item"],
        "pql",
    )
    assert document["llf"] is document["aic"] is document["deviance"] is None
    assert [c["name"] for c in document["components"]] == ["item"] and document["components"][0]["p"] is None
    assert [e["item"] for e in document["effects"]] == list("ABCD")
    assert fitted(capsys, "t.csv", "--link", "cauchit")["scale"] == "cauchit"
    assert (
        "formula" not in fitted(capsys, "t.csv")
        and fitted(capsys, "t.csv", "--formula", "item")["formula"] == "item"
    )


def test_no_standard_errors_by_cluster_are_promised_where_there_are_none(capsys):
    for options in (("--link", "cauchit"), ("--random", "item", "--method", "pql")):
        out = ran(capsys, "fit", "t.csv", "--model", "bradley-terry", *options)[1]
        assert "--cluster" not in out and "Clusters:" not in out
    for options in (("--formula", "item"), ("--link", "probit")):
        assert "--cluster" in ran(capsys, "fit", "t.csv", "--model", "bradley-terry", *options)[1]
    found = fitted(capsys, "t.csv", "--link", "probit", "--cluster", "judge")
    assert found["covariance"]["kind"] == "CR2" and "se_of" not in found


def test_where_keeps_rows_and_the_items_that_they_compare(capsys):
    for judge, items in (("1", "ABCD"), ("2", "BCD")):
        document = fitted(capsys, "t.csv", "--where", f"judge={judge}", "--link", "probit")
        assert document["items"] == list(items) and document["n_comparisons"] == 30
    assert ran(capsys, "fit", "t.csv", "--where", "judge=1", "--where", "judge=2")[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--link", "probit"), "--link: only for --model bradley-terry; add it"),
        (("--model", "bradley-terry", "--weights", "bad"), "row 4: -1.0; expected a finite number >= 0"),
        (("--model", "bradley-terry", "--offset", "q"), "--offset q: the column is not in the table"),
        (("--model", "bradley-terry", "--formula", "SVL[..]"), "R's index is not written here"),
        (
            ("--model", "bradley-terry", "--formula", "item + (1 | judge)"),
            "(1 | item:judge) lets each judge's",
        ),
        (("--model", "bradley-terry", "--random", "judge"), "cancels"),
        (("--model", "bradley-terry", "--method", "pql"), "there are none"),
        (("--model", "bradley-terry", "--where", "judge=9"), "no row has '9'; the values are 1, 2"),
        (("--model", "bradley-terry", "--where", "judge"), "expected NAME=VALUE"),
    ],
)
def test_wrong_options_are_refused_with_what_to_do(capsys, options, message):
    code, out, err = ran(capsys, "fit", "t.csv", *options)
    assert (code, out) == (3, "") and message in err


def test_the_report_of_random_effects_has_sigma_and_the_predicted_effects(capsys, folder):
    code, out, _ = ran(
        capsys,
        "fit",
        "t.csv",
        "--model",
        "bradley-terry",
        "--random",
        "item",
        "--report",
        "o.html",
        "--report",
        "o.md",
    )
    assert code == 0 and "Predicted effects" in out and "nan" not in out
    text = (folder / "o.md").read_text()
    fit = pairproof.fit_bradley_terry(pairproof.read("t.csv"), random="item")
    assert "## Random effects" in text and f"{fit.sigma:.4f}" in text and "nan" not in text
    assert f"{fit.effects()['effect'].max():.4f}" in text
    page = (folder / "o.html").read_text()
    assert "Predicted effects" in page and "Worths of predicted abilities" in page


def test_the_report_of_reduced_bias_stands_beside_maximum_likelihood(capsys, folder):
    rows = "first,second,wins,losses\nA,B,5,0\nA,C,5,0\nB,C,3,2\n"
    (folder / "separated.csv").write_text(rows, encoding="utf-8")
    command = (
        "--model",
        "bradley-terry",
        "--reduce-bias",
        "mean",
        "--reference",
        "B",
        "--report",
        "o.md",
        "--force",
    )
    assert ran(capsys, "fit", "separated.csv", *command)[0] == 0
    text = (folder / "o.md").read_text()
    assert "## Reduced bias" in text and "none finite" in text
    # B against C is determined without A: log(3/2) by maximum likelihood.
    assert f"{-np.log(1.5):.4f}" in text


def test_the_report_of_a_link_has_probabilities_and_no_worths(capsys, folder):
    assert (
        ran(capsys, "fit", "t.csv", "--model", "bradley-terry", "--link", "probit", "--report", "o.md")[0]
        == 0
    )
    text = (folder / "o.md").read_text()
    fit = pairproof.fit_bradley_terry(pairproof.read("t.csv"), link="probit")
    assert "## Probabilities" in text and "## Worths" not in text
    assert f"{fit.probabilities()['p_first'][0]:.3f}" in text


def test_the_report_of_general_ties_says_where_ties_are_most_probable(capsys, folder):
    options = ("--order-effect", "--tie-shift", "--report", "o.md")
    assert ran(capsys, "fit", "ties.csv", "--model", "bradley-terry", *options)[0] == 0
    assert "## Ties" in (folder / "o.md").read_text()


@pytest.mark.r
def test_with_verdicts_the_report_has_the_sections_of_the_fit_too(capsys, folder):
    command = ("fit", "t.csv", "--model", "bradley-terry", "--random", "item", "--verify", "--report", "o.md")
    code, _, _ = ran(capsys, *command)
    text = (folder / "o.md").read_text()
    fit = pairproof.fit_bradley_terry(pairproof.read("t.csv"), random="item")
    assert code == 0 and "## Random effects" in text and "Number by number" in text
    assert f"{fit.sigma:.4f}" in text and f"{fit.effects()['effect'].max():.4f}" in text


NEW = "first,second\nE,A\nA,D\n"


def test_predict_gives_the_numbers_of_python_for_new_pairs_and_items(capsys, folder):
    (folder / "new.csv").write_text(NEW, encoding="utf-8")
    (folder / "more.csv").write_text("item,x\nE,3\nA,0\n", encoding="utf-8")
    command = ("t.csv", "--item-data", "items.csv", "--formula", "x + (1 | item)", "--new", "new.csv")
    code, out, err = ran(capsys, "predict", *command, "--new-items", "more.csv", "--out", "o.csv", "--json")
    assert code == 0 and "1 of its items are also in t.csv" in err
    rows = json.loads(out)["predictions"]
    fit = pairproof.fit_bradley_terry(
        pairproof.read("t.csv", item_data="items.csv"), formula="x + (1 | item)"
    )
    frame = pairproof.predict(fit, {"first": ["E", "A"], "second": ["A", "D"]}, item_data={"E": {"x": 3.0}})
    assert [row["eta"] for row in rows] == frame["eta"].tolist() and rows[0]["new"] == 1
    # The vector of a new player with x = 3 against the first; seen: 2e-8 off, as the modes it is made of are.
    # The specification's is 1.8e-8 off, at its own modes: observed 1.8e-8.
    assert rows[0]["eta"] == pytest.approx(1.222922462, abs=5e-8)
    assert (folder / "o.csv").read_text().splitlines()[1].startswith(f"E,A,{float(frame['eta'][0])!r},")
    assert made_by.is_ours(folder / "o.csv")


def test_predictions_hold_no_cell_that_a_spreadsheet_would_run(capsys, folder):
    name = "=cmd()"
    rows = [["first", "second", "wins", "losses"], [name, "-B", 6, 4], ["-B", "@C", 5, 5], [name, "@C", 7, 3]]
    with (folder / "names.csv").open("w", newline="") as out:
        csv.writer(out).writerows(rows)
    with (folder / "next.csv").open("w", newline="") as out:
        csv.writer(out).writerows([["first", "second"], [name, "@C"]])
    assert ran(capsys, "predict", "names.csv", "--new", "next.csv", "--out", "o.csv")[0] == 0
    (found,) = csv.DictReader((folder / "o.csv").open())
    assert (found["first"], found["second"], found["guarded"]) == ("'" + name, "'@C", "1")
    assert unguard(found["first"]) == name and float(found["eta"]) > 0
    assert ran(capsys, "predict", "names.csv", "--new", "next.csv", "--out", "o.csv", "--force")[0] == 0


@pytest.mark.nightly
def test_predict_says_how_its_limits_take_sigma(capsys, folder):
    (folder / "new.csv").write_text("first,second\nA,D\n", encoding="utf-8")
    command = ("predict", "t.csv", "--item-data", "items.csv", "--new", "new.csv")
    shown, limits = {}, {}
    for sigma in ("uncertain", "known"):
        options = (*command, "--formula", "x + (1 | item)", "--sigma", sigma)
        shown[sigma] = " ".join(ran(capsys, *options)[1].split())
        document = json.loads(ran(capsys, *options, "--json")[1])
        assert document["sigma"].startswith(sigma)
        limits[sigma] = [document["predictions"][0][k] for k in ("low", "high")]
    assert "the 95 % limits include the uncertainty of sigma" in shown["uncertain"]
    assert "the 95 % limits treat sigma as known" in shown["known"]
    fit = pairproof.fit_bradley_terry(
        pairproof.read("t.csv", item_data="items.csv"), formula="x + (1 | item)"
    )
    for sigma, found in limits.items():
        frame = pairproof.predict(fit, {"first": ["A"], "second": ["D"]}, sigma=sigma)
        assert found == frame.loc[0, ["low", "high"]].tolist()
    assert limits["uncertain"] != limits["known"]
    code, _, err = ran(capsys, *command, "--formula", "x", "--sigma", "known")
    assert code == 3 and "--sigma: the model has no random effects" in err


def test_predict_shows_a_table(capsys, folder):
    (folder / "new.csv").write_text("first,second\nA,B\n", encoding="utf-8")
    code, out, _ = ran(capsys, "predict", "ties.csv", "--tie-scale", "--new", "new.csv", "--report", "o.html")
    assert code == 0 and "P(tie)" in out and "1 comparison\n" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--new", "new.csv"),
            "'E' is not among the items of t.csv (A, B, C, D); its ability is a free parameter",
        ),
        (("--new", "nothing.csv"), "no such file"),
        (("--new", "new.csv", "--out", "o.txt"), "predictions are written as CSV"),
        (("--new", "new.csv", "--out", "new.csv", "--force"), "is read by this command"),
        (("--new", "new.csv", "--formula", "x", "--item-data", "items.csv"), "--new-items"),
    ],
)
def test_predict_says_what_is_missing(capsys, folder, options, message):
    (folder / "new.csv").write_text(NEW, encoding="utf-8")
    code, out, err = ran(capsys, "predict", "t.csv", *options)
    assert (code, out) == (3, "") and message in err
    assert (folder / "new.csv").read_text() == NEW
