"""`pairproof fit --cluster`: standard errors by cluster on the command line."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

import pairproof
from pairproof.cli import main
from tests.places import DATA, SCHEMAS

TABLE = str(DATA / "inference_d24.csv")


def test_cluster_gives_the_errors_of_the_clustered_fit(capsys):
    assert main(["fit", TABLE, "--cluster", "judge,source", "--cluster-kind", "CR1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads((SCHEMAS / "fit.schema.json").read_text()))
    expected = pairproof.fit_llbt(pairproof.read(TABLE)).clustered("judge", "source", kind="CR1")
    assert document["bse"]["A"] == expected.bse["A"] and document["df"]["A"] == 23.0
    assert document["covariance"] == {"kind": "CR1", "clusters": ["judge", "source"], "n_clusters": [24, 30]}


def test_cr2_is_the_default_and_the_report_says_so(capsys, tmp_path):
    report = tmp_path / "fit.html"
    assert main(["fit", TABLE, "--cluster", "judge", "--report", str(report)]) == 0
    assert "CR2 by judge (24 clusters)" in capsys.readouterr().out
    page = report.read_text()
    assert "CR2 by judge (24 clusters)" in page and re.search(r"<th[^>]*>df</th>", page)


@pytest.mark.parametrize(
    "options, said",
    [
        (["--cluster", "rater"], "no column 'rater' to cluster by; its columns are judge, source"),
        (["--cluster", "judge,judge"], "expected one column, or two different ones"),
        (["--cluster", "judge,source,first"], "expected one column, or two different ones"),
        (["--cluster-kind", "CR1"], "--cluster-kind has no effect without --cluster"),
        (["--cluster", "judge", "--cluster-kind", "CR3"], "'CR3' is not one of"),
    ],
)
def test_bad_options_are_errors_that_say_what_to_do(capsys, options, said):
    assert main(["fit", TABLE, *options]) == 3
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err


def test_one_judge_is_no_cluster(capsys, tmp_path):
    file = tmp_path / "one.csv"
    file.write_text("first,second,wins,losses,judge\nA,B,5,3,j\nB,C,4,2,j\n")
    assert main(["fit", str(file), "--cluster", "judge"]) == 3
    assert "all comparisons are from one cluster" in capsys.readouterr().err


def test_answers_without_a_judge_are_refused_with_their_number(capsys, tmp_path):
    file = tmp_path / "blank.csv"
    file.write_text("first,second,outcome,judge\nA,B,first,j\nB,A,first,k\nA,B,first,\n")
    assert main(["fit", str(file), "--cluster", "judge"]) == 3
    assert "1 of 3 rows have no judge" in capsys.readouterr().err


def test_rows_without_a_judge_are_refused_or_clusters_of_their_own(tmp_path, capsys):
    table = tmp_path / "votes.csv"
    rows = ["j1,A,B,first", ",A,B,second", "j1,A,B,second", "j2,B,A,first", ",A,B,first"]
    table.write_text("judge,first,second,outcome\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert main(["fit", str(table), "--cluster", "judge"]) == 3
    assert (
        "2 of 5 rows have no judge" in (said := capsys.readouterr().err) and "--cluster-missing own" in said
    )
    assert main(["fit", str(table), "--cluster", "judge", "--cluster-missing", "own"]) == 0
    assert "CR2 by judge (4 clusters)" in capsys.readouterr().out
    assert main(["fit", str(table), "--cluster-missing", "own"]) == 3
    assert "--cluster-missing has no effect without --cluster" in capsys.readouterr().err
