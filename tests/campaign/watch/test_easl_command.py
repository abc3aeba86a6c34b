"""`pairproof easl`: words, JSON, exit codes."""

from __future__ import annotations

import json
import sqlite3

import pytest

from pairproof.cli import main
from pairproof.cli.easl.creating import METHODS, POOLS
from tests.campaign.helpers import answers, batch_rows, campaign, items_file, write


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_commands_of_the_interface_from_first_to_last(tmp_path, capsys):
    db, out = tmp_path / "C.db", tmp_path / "hits.csv"
    code, said, _ = run(
        capsys, "easl", "init", db, items_file(tmp_path), "--method", "easl", "--per-hit", "5", "--seed", "1"
    )
    assert code == 0 and "method easl, 5 items per HIT" in said
    code, said, _ = run(capsys, "easl", "next", db, "--hits", "2", "--out", out)
    assert code == 0 and said == f"batch 1: 2 HITs of 5 items in {out}\n"
    import csv

    results = write(tmp_path / "r.csv", answers(list(csv.DictReader(out.open(encoding="utf-8")))))
    assert run(capsys, "easl", "update", db, results) == (0, f"{results}: 2 new judgments (10 scores)\n", "")
    assert (
        run(capsys, "easl", "update", db, results)[1]
        == f"{results}: 0 new judgments (0 scores); 2 were there already and count once\n"
    )
    code, said, err = run(capsys, "easl", "status", db, "--json")
    document = json.loads(said)
    assert (code, err) == (0, "") and list(document)[:4] == ["method", "batches", "judgments", "scores"]
    assert (document["method"], document["batches"], document["judgments"], len(document["scores"])) == (
        "easl",
        1,
        2,
        10,
    )
    names = ["id", "score", "alpha", "beta", "var", "n", "low", "high"]
    assert all(list(row) == names for row in document["scores"])
    code, said, _ = run(capsys, "easl", "status", db)
    assert code == 0 and "2 judgments by 1 named annotators: 10 scores" in said and "0.10 to  0.20  #" in said
    assert (
        run(capsys, "easl", "export", db, tmp_path / "s.csv")[1]
        == f"{tmp_path / 's.csv'}: 10 rows (scores)\n"
    )
    assert run(capsys, "easl", "export", db, tmp_path / "h.csv", "--what", "history")[0] == 0
    code, said, err = run(
        capsys, "easl", "import", tmp_path / "new.db", tmp_path / "s.csv", tmp_path / "h.csv", "--json"
    )
    assert (
        code == 0
        and json.loads(said)["model_is"] == "after"
        and "The results, added to the initial state, give the model" in err
    )
    assert (
        run(capsys, "easl", "status", tmp_path / "new.db", "--json")[1]
        == run(capsys, "easl", "status", db, "--json")[1]
    )


def test_every_number_of_the_json_keeps_every_digit(tmp_path, capsys):
    path = campaign(tmp_path)
    rows = answers(batch_rows(path))
    rows[0]["Answer.range1"] = "33.333333333333336"
    main(["easl", "update", str(path), str(write(tmp_path / "r.csv", rows))])
    capsys.readouterr()
    scores = {r["id"]: r for r in json.loads(run(capsys, "easl", "status", path, "--json")[1])["scores"]}
    assert scores[rows[0]["Input.id1"]]["alpha"] == 1.3333333333333335


@pytest.mark.parametrize("suffix", [".html", ".md", ".json"])
def test_status_writes_reports(tmp_path, capsys, suffix):
    path = campaign(tmp_path)
    run(capsys, "easl", "update", path, write(tmp_path / "r.csv", answers(batch_rows(path))))
    report = tmp_path / f"status{suffix}"
    assert run(capsys, "easl", "status", path, "--report", report, "--level", "0.9")[0] == 0
    text = report.read_text(encoding="utf-8")
    assert {".html": "<svg", ".md": "| id | score |", ".json": '"method": "easl"'}[suffix] in text


def test_agreement_and_systems_come_only_where_they_are_asked_for(tmp_path, capsys):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    run(capsys, "easl", "update", path, write(tmp_path / "r.csv", answers(rows) + answers(rows, 1, "bob")))
    document = json.loads(
        run(capsys, "easl", "status", path, "--agreement", "--standardise", "z-scores", "--json")[1]
    )
    assert document["agreement"]["pairs"] == 1 and set(document["agreement"]["rest"]) == {"ann", "bob"}
    code, _, err = run(capsys, "easl", "status", path, "--standardise", "z-scores")
    assert code == 3 and "ask for agreement or systems too" in err
    assert "Agreement of annotators" in run(capsys, "easl", "status", path, "--agreement")[1]


@pytest.mark.parametrize(("arguments", "said"), [
    (["next", "C.db"], "Missing option '--out'"), (["init", "C.db", "items.csv", "--method", "elo"], "'elo' is not one of"),
    (["init", "C.db", "items.csv", "--per-hit", "0"], "0 is not in the range"), (["update", "none.db", "r.csv"], "no such file; expected a campaign"),
    (["status", "items.csv"], "not a campaign, or a damaged one"), (["import", "C.db", "items.csv"], "a model file has alpha and beta"),
    (["import", "C.db", "items.csv", "--model-is", "after"], "no results file is given"), (["init", "C.db", "items.csv", "--gamma", "0"], "--gamma 0.0"),
    (["init", "C.db", "items.csv", "--report", "x.html"], "--report is for 'easl status'"), (["status", "C.db", "--report", "x.xml"], "a campaign has none"),
    (["restart"], "No such command 'restart'"),
])  # fmt: skip
def test_bad_usage_is_exit_code_3_and_two_lines(tmp_path, capsys, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    items_file(tmp_path)
    code, out, err = run(capsys, "easl", *arguments)
    assert (code, out) == (3, "") and said in err and len(err.strip().splitlines()) <= 2
    assert not (tmp_path / "C.db").exists()


def test_a_fault_of_the_file_system_is_exit_code_2_and_not_a_defect(tmp_path, capsys, monkeypatch):
    path = campaign(tmp_path)

    class Full(sqlite3.Connection):
        def execute(self, query, *rest):
            if query.startswith("INSERT INTO batch"):
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(query, *rest)

    connect = sqlite3.connect
    monkeypatch.setattr(
        "pairproof.campaign.storage.store.sqlite3.connect", lambda *a, **k: connect(*a, factory=Full, **k)
    )
    code, _, err = run(capsys, "easl", "next", path, "--out", tmp_path / "b.csv")
    assert (
        code == 2
        and "the disk is full or failing" in err
        and "nothing was changed" in err
        and "defect" not in err
    )


def test_results_that_cannot_be_told_apart_later_are_said(tmp_path, capsys):
    path = campaign(tmp_path)
    file = write(tmp_path / "r.csv", answers(batch_rows(path), 1, None, assignments=False))
    assert "2 rows have neither AssignmentId nor WorkerId" in run(capsys, "easl", "update", path, file)[2]
    assert "HITs of earlier batches" not in run(capsys, "easl", "next", path, "--out", tmp_path / "b.csv")[2]
    assert (
        "2 HITs of earlier batches are not answered yet"
        in run(capsys, "easl", "next", path, "--out", tmp_path / "b.csv")[2]
    )


def test_a_page_answered_in_0_s_is_flagged(tmp_path, capsys):
    path = campaign(tmp_path, 40)
    rows = answers(batch_rows(path), 1)
    for k, row in enumerate(rows):
        row["WorkTimeInSeconds"] = "0" if k == 3 else "60"
    run(capsys, "easl", "update", path, write(tmp_path / "r.csv", rows))
    assert "ann: fast (1 HIT(s) answered in less than 1 s)" in run(capsys, "easl", "status", path)[1]
    (found,) = json.loads(run(capsys, "easl", "status", path, "--annotators", "--json")[1])["annotators"]
    assert found["instant"] == 1 and set(found["flags"]) == {"fast"}


def test_the_command_offers_what_the_methods_are():
    from pairproof.native.annotation import allocation, methods

    assert METHODS == methods.METHODS and POOLS == allocation.POOLS


@pytest.mark.parametrize("name", ["init", "next", "update", "status", "export", "import"])
def test_every_command_shows_its_help_with_the_shared_options(capsys, name):
    code, out, _ = run(capsys, "easl", name, "--help")
    assert code == 0 and all(
        option in out for option in ("--json", "--report", "--seed", "--quiet", "--debug")
    )
