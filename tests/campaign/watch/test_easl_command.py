"""`pairproof easl`: words, JSON, exit codes."""

from __future__ import annotations

import csv
import json
import sqlite3

import pytest

from pairproof.campaign import export
from pairproof.cli import main
from pairproof.cli.easl.creating import METHODS, POOLS
from pairproof.errors import InputError
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
    results = write(tmp_path / "r.csv", answers(list(csv.DictReader(out.open(encoding="utf-8")))))
    assert run(capsys, "easl", "update", db, results) == (0, f"{results}: 2 new judgments (10 scores)\n", "")
    assert (
        run(capsys, "easl", "update", db, results)[1]
        == f"{results}: 0 new judgments (0 scores); 2 were already there and count once\n"
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
    assert code == 0 and "2 judgments by 1 named annotator: 10 scores" in said and "0.10 to  0.20  #" in said
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
    assert code == 3 and "request agreement or systems too" in err
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
        "2 HITs of earlier batches are not yet answered"
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
    assert code == 0 and all(option in out for option in ("--json", "--seed", "--quiet", "--debug"))
    assert ("--report" in out) == (name == "status")  # which alone writes one


# -- what a campaign will cost -------------------------------------------------------------------------------


def made(tmp_path, capsys, rows: list[str], *options: str) -> tuple[str, dict]:
    """What `easl init` says of items with these lines, and its JSON."""
    items = tmp_path / "own.csv"
    items.write_text("\n".join(["id,sent,source,system", *rows]) + "\n", encoding="utf-8")
    said = run(capsys, "easl", "init", tmp_path / "a.db", items, *options)
    document = run(capsys, "easl", "init", tmp_path / "b.db", items, *options, "--json")
    assert (said[0], document[0]) == (0, 0), said
    return said[1], json.loads(document[1])


def test_init_says_what_a_batch_and_enough_scores_will_cost(tmp_path, capsys):
    rows = [f"i{k},text {k},s{k // 2},{'ab'[k % 2]}" for k in range(60)]
    how = ("--method", "random", "--judgments", "3", "--pay-hour", "18", "--seconds", "20")
    said, found = made(tmp_path, capsys, rows, *how)
    # 60 items in HITs of 5 are 12 HITs; 3 annotators each are 36 judgments of 5 items at 20 s: one hour.
    assert (found["hits"], found["judgments"], found["scores"], found["hours"]) == (12, 36, 3.0, 1.0)
    assert (found["cost"], found["batches"]) == (18.0, 4)
    lines = said.splitlines()
    assert lines[1] == (
        "A batch is 12 HITs, 36 judgments and 3 scores per item: 1.0 hours, cost 18.00 at 20 s per item (--seconds)"
    )
    assert lines[2] == "10 scores per item take 4 batches: 4.0 hours, cost 72.00"


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--method", "easl"), "--method random shows all 8 items equally often, as a comparison of 2 systems needs; easl does not"),
     (("--method", "easl", "--col", "system="), "easl suits at least 10 scores per item"),
     (("--method", "ra", "--col", "system="), "ra uses only the order within a HIT"),
     (("--method", "da", "--per-hit", "1"), "da suits any number of items and systems"),
     (("--judgments", "5"), "Annotators: at least 5")],
)  # fmt: skip
def test_init_says_which_method_suits_the_items(tmp_path, capsys, options, said):
    rows = [f"i{k},text {k},s{k // 2},{'ab'[k % 2]}" for k in range(8)]
    assert said in made(tmp_path, capsys, rows, *options)[1]["suits"]


def test_checks_and_whole_sources_are_in_the_cost(tmp_path, capsys):
    rows = [f"i{k},text {k},s{k // 4},{'abcd'[k % 4]}" for k in range(20)]
    found = made(tmp_path, capsys, rows, "--repeats", ".2")[1]
    assert (found["hits"], found["scores"]) == (5, 1.0)  # 25 slots, 5 of them for repeats
    (tmp_path / "a.db").unlink(), (tmp_path / "b.db").unlink()
    found = made(tmp_path, capsys, rows, "--design", "same-source", "--per-hit", "5")[1]
    assert (found["hits"], found["scores"]) == (5, 1.0)


# -- many files at once --------------------------------------------------------------------------------------


def test_a_bad_file_among_many_adds_nothing_and_does_not_stop_the_others(tmp_path, capsys):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    good = [write(tmp_path / f"{who}.csv", answers(rows, k, who)) for k, who in enumerate(("ann", "bob"))]
    spoilt = answers(rows, 2, "cat")
    spoilt[1]["Answer.range2"] = "1000"
    bad = write(tmp_path / "cat.csv", spoilt)
    code, said, err = run(capsys, "easl", "update", path, good[0], bad, tmp_path / "none.csv", good[1])
    lines = said.splitlines()
    assert (code, err, len(lines)) == (3, "", 5)
    assert lines[0] == f"{good[0]}: 2 new judgments (10 scores)" and lines[3].endswith(
        "2 new judgments (10 scores)"
    )
    assert lines[1].startswith(
        f"{bad}: nothing added: InputError: {bad}, row 2 (line 3), column 'Answer.range2': 1000 is outside"
    )
    assert lines[2].startswith(f"{tmp_path / 'none.csv'}: nothing added: ")
    assert lines[4] == "4 files, 2 with errors: 4 new judgments"
    code, said, _ = run(capsys, "easl", "update", path, *good, bad, "--json")
    found = json.loads(said)
    assert (
        code == 3
        and [row.get("known") for row in found] == [2, 2, None]
        and "1000 is outside" in found[2]["error"]
    )
    code, said, _ = run(capsys, "easl", "update", path, *good)
    assert code == 0 and said.endswith("2 files, 0 with errors: 0 new judgments\n")


def test_files_at_once_are_files_one_after_another(tmp_path, capsys):
    scores = []
    for name, at_once in (("a", True), ("b", False)):
        (tmp_path / name).mkdir()
        path = campaign(tmp_path / name, method="trueskill")
        rows = batch_rows(path)
        files = [write(tmp_path / name / f"{k}.csv", answers(rows, k, f"w{k}")) for k in range(3)]
        for some in [files] if at_once else [[file] for file in files[::-1]]:
            assert run(capsys, "easl", "update", path, *some)[0] == 0
        scores.append(json.loads(run(capsys, "easl", "status", path, "--json")[1])["scores"])
    assert scores[0] == scores[1]


# -- corrected scores ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["location", "precision"])
def test_corrected_scores_are_written_as_status_shows_them(tmp_path, capsys, model):
    path, out = campaign(tmp_path), tmp_path / "s.csv"
    for batch in range(2):
        rows = batch_rows(path)
        for k in range(4):
            file = write(tmp_path / f"{batch}{k}.csv", answers(rows, 4 * batch + k, f"w{k}"))
            assert run(capsys, "easl", "update", path, file)[0] == 0
    shown = json.loads(run(capsys, "easl", "status", path, "--model", model, "--json")[1])["model"]
    code, said, err = run(capsys, "easl", "export", path, out, "--model", model)
    assert (code, said) == (0, f"{out}: 10 rows (scores)\n") and err.strip() == shown["why"]
    written = list(csv.DictReader(out.open(encoding="utf-8")))
    assert list(written[0]) == ["id", "sent", "raw", "raw_low", "raw_high", "score", "low", "high", "n"]
    own = ("raw", "raw_low", "raw_high", "score", "low", "high", "n")
    assert [(r["id"], *(float(r[c]) for c in own)) for r in written] == [
        (r["id"], *(r[c] for c in own)) for r in shown["scores"]
    ]
    assert (
        run(capsys, "easl", "export", path, out, "--model", model)[0] == 0
    ), "its own file may be written again"


def test_a_model_corrects_scores_and_nothing_else(tmp_path, capsys):
    path = campaign(tmp_path)
    code, _, err = run(
        capsys, "easl", "export", path, tmp_path / "h.csv", "--what", "log", "--model", "location"
    )
    assert code == 3 and "--model corrects scores; use it with --what scores" in err
    with pytest.raises(InputError, match="model 'location' corrects scores"):
        export(path, tmp_path / "h.csv", "history", model="location")


# -- the demonstration ---------------------------------------------------------------------------------------


def test_the_demonstration_shows_every_step_and_leaves_a_campaign_to_go_on_with(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, said, err = run(capsys, "easl", "demo")
    assert (code, err) == (0, "")
    for step in ("example items > items.csv", "easl init", "easl annotators add", "easl next", "easl update demo.db results/*.csv",
                 "easl status", "easl stop", "easl export demo.db scores.csv"):  # fmt: skip
        assert f"\n$ pairproof {step}" in said
    assert (
        said.count("4 new judgments (20 scores)") == 4 and "4 files, 0 with errors: 8 new judgments" in said
    )
    made = {"items.csv", "demo.db", "hits-1.csv", "hits-2.csv", "pages", "results", "scores.csv"}
    assert {path.name for path in tmp_path.iterdir()} == made
    assert (
        len(list((tmp_path / "pages").glob("*.html"))) == 4
        and len(list((tmp_path / "results").iterdir())) == 4
    )
    assert run(capsys, "easl", "next", "demo.db", "--out", "hits-3.csv")[0] == 0
    document = json.loads(run(capsys, "easl", "status", "demo.db", "--json")[1])
    assert (document["judgments"], len(document["scores"])) == (16, 20)
    code, _, err = run(capsys, "easl", "demo")
    assert code == 3 and "items.csv already exists; run 'easl demo' in an empty folder" in err


def test_the_demonstration_as_json_is_its_steps(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, said, _ = run(capsys, "easl", "demo", "--json")
    steps = json.loads(said)
    assert code == 0 and all(row["command"] and row["what"] for row in steps)
    assert [row["command"].split()[1:3] for row in steps[:2]] == [["example", "items"], ["easl", "init"]]
