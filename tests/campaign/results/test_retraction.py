"""Results that were cut are refused, and a judgment can be taken back as if it had never come."""

from __future__ import annotations

import gzip
import json
import sqlite3

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pairproof.campaign import export, status, take_back, take_in, take_over, undo
from pairproof.campaign.results.retraction import history
from pairproof.cli import main
from pairproof.errors import InputError
from tests.campaign.helpers import answers, batch_rows, campaign, scores, write

METHODS = ("easl", "da", "ra", "trueskill", "random")


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def two_batches(tmp_path, method="easl", n=20):
    """A campaign, and two judgments of each of its eight HITs in two batches, ready to be taken in."""
    path = campaign(tmp_path, n, method)
    rows = []
    for batch in range(2):
        hits = batch_rows(path)
        rows += answers(hits, batch, "ann") + answers(hits, 7 + batch, "bob")
    return path, rows


def of_campaign(path, tmp_path, name):
    """All that a campaign tells: its status, every number in full, and every export."""
    out = {"status": status(path).to_dict()}
    for what in ("scores", "model", "history", "comparisons"):
        if what == "model" and status(path).about.method == "da":
            continue
        export(path, tmp_path / name, what, force=True)
        out[what] = (tmp_path / name).read_bytes()
    return out


# -- results that were cut -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_results_file_whose_last_record_has_no_line_end_is_refused_and_can_be_accepted(
    tmp_path, capsys, suffix
):
    path, rows = two_batches(tmp_path)
    file = tmp_path / f"r{suffix}"
    if suffix == ".csv":
        # The last number is the last cell, and its last digit is what a broken download loses.
        rows[-1]["Answer.range5"] = "87"
        rows = [{k: r[k] for k in sorted(r, key=lambda name: name == "Answer.range5")} for r in rows]
        text = write(file, rows).read_bytes()
        assert text.endswith(b"87\r\n")
        file.write_bytes(text[:-3])
    else:
        file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    before = path.read_bytes()
    code, _, err = run(capsys, "easl", "update", path, file)
    assert (
        code == 3
        and "the last record has no line end" in err
        and "--accept-unterminated" in err
        and path.read_bytes() == before
    )
    assert ("in column 'Answer.range5' '8'" in err) == (suffix == ".csv")
    assert run(capsys, "easl", "update", path, file, "--accept-unterminated")[0] == 0
    assert status(path).judgments == len(rows)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b"\n  \n\n", b"\n \t"])
def test_every_kind_of_line_end_ends_a_record(tmp_path, end):
    path, rows = two_batches(tmp_path)
    text = write(tmp_path / "r.csv", rows).read_bytes().replace(b"\r\n", b"\r" if end == b"\r" else b"\n")
    (tmp_path / "r.csv").write_bytes(text.rstrip(b"\r\n") + end)
    assert take_in(path, tmp_path / "r.csv").new == len(rows)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_a_line_end_in_another_encoding_is_one(tmp_path, encoding):
    path, rows = two_batches(tmp_path)
    text = write(tmp_path / "r.csv", rows).read_text(encoding="utf-8")
    stated = encoding if encoding.startswith("utf-16-") else None
    (tmp_path / "cut.csv").write_bytes(text.rstrip().encode(encoding))
    with pytest.raises(InputError, match="the last record has no line end"):
        take_in(path, tmp_path / "cut.csv", encoding=stated)
    (tmp_path / "r.csv").write_bytes(text.encode(encoding))
    assert take_in(path, tmp_path / "r.csv", encoding=stated).new == len(rows)


def test_the_line_end_of_a_gzipped_file_is_that_of_what_it_holds(tmp_path):
    path, rows = two_batches(tmp_path)
    text = write(tmp_path / "r.csv", rows).read_bytes()
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(text.rstrip()))
    with pytest.raises(
        InputError, match=f"cut.csv.gz, line {len(rows) + 1}: the last record has no line end"
    ):
        take_in(path, tmp_path / "cut.csv.gz")
    (tmp_path / "r.csv.gz").write_bytes(gzip.compress(text))
    assert take_in(path, tmp_path / "r.csv.gz").new == len(rows)


def test_a_parquet_file_of_results_ends_where_it_says(tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet is read by pyarrow, which is not installed")
    path, rows = two_batches(tmp_path)
    pd.DataFrame(rows).to_parquet(tmp_path / "r.parquet")
    assert take_in(path, tmp_path / "r.parquet").new == len(rows)


def test_import_refuses_a_model_and_results_that_were_cut(tmp_path, capsys):
    path, rows = two_batches(tmp_path)
    take_in(path, write(tmp_path / "r.csv", rows))
    export(path, tmp_path / "m.csv", "model")
    export(path, tmp_path / "h.csv", "history")
    for name in ("m.csv", "h.csv"):
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[:-1])
        code, _, err = run(
            capsys, "easl", "import", tmp_path / "new.db", tmp_path / "m.csv", tmp_path / "h.csv"
        )
        assert (
            code == 3
            and f"{name}, line" in err
            and "the last record has no line end" in err
            and not (tmp_path / "new.db").exists()
        )
        (tmp_path / name).write_bytes(whole)
    (tmp_path / "m.csv").write_bytes((tmp_path / "m.csv").read_bytes()[:-1])
    assert (
        run(
            capsys,
            "easl",
            "import",
            tmp_path / "new.db",
            tmp_path / "m.csv",
            tmp_path / "h.csv",
            "--accept-unterminated",
        )[0]
        == 0
    )
    assert scores(tmp_path / "new.db") == scores(path)


# -- a judgment taken back -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_without_a_judgment_that_was_taken_back_all_is_as_if_it_had_never_come(tmp_path, method):
    path, rows = two_batches(tmp_path, method)
    fresh = path.read_bytes()
    for k in (0, 5, len(rows) - 1):
        path.write_bytes(fresh)
        take_in(path, write(tmp_path / "without.csv", rows[:k] + rows[k + 1 :]))
        expected = of_campaign(path, tmp_path, "x.csv")
        path.write_bytes(fresh)
        take_in(path, write(tmp_path / "all.csv", rows))
        before = of_campaign(path, tmp_path, "x.csv")
        [out] = take_back(path, "wrong", assignments=[rows[k]["AssignmentId"]])
        found = of_campaign(path, tmp_path, "x.csv")
        assert found["status"].pop("taken_back") == 1 and found == expected and found != before
        assert (out.number, out.why, out.worker, out.undone) == (1, "wrong", rows[k]["WorkerId"], None)
        undo(path, [1])
        assert of_campaign(path, tmp_path, "x.csv") == before


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), method=st.sampled_from(METHODS))
def test_in_whatever_order_judgments_come_go_and_return_those_that_count_decide(
    tmp_path_factory, data, method
):
    folder = tmp_path_factory.mktemp("c")
    path, rows = two_batches(folder, method, 10)
    fresh = path.read_bytes()
    order = data.draw(st.permutations(range(len(rows))))
    gone, number_of = set(), {}
    for part in (order[:3], order[3:]):
        take_in(path, write(folder / "r.csv", [rows[k] for k in part]))
        for k in data.draw(st.lists(st.sampled_from(list(part)), unique=True, max_size=3)):
            number_of[k] = take_back(path, "x", assignments=[rows[k]["AssignmentId"]])[0].number
            gone.add(k)
        for k in data.draw(st.lists(st.sampled_from(sorted(gone)), unique=True, max_size=2)) if gone else []:
            undo(path, [number_of[k]])
            gone.discard(k)
    # All files again: what was taken back stays out.
    assert take_in(path, write(folder / "all.csv", rows)).taken_back == len(gone)
    found = json.dumps(
        scores(path)
    )  # as text, in which a variance that one judgment does not give (nan) equals itself
    path.write_bytes(fresh)
    left = [row for k, row in enumerate(rows) if k not in gone]
    take_in(path, write(folder / "left.csv", left))
    assert found == json.dumps(scores(path))


def test_a_judgment_comes_again_as_a_correction_and_not_as_it_was(tmp_path, capsys):
    path, rows = two_batches(tmp_path)
    cut = [dict(r) for r in rows]
    cut[-1]["Answer.range5"] = "8"
    rows[-1]["Answer.range5"] = "87"
    take_in(path, write(tmp_path / "cut.csv", cut))
    with pytest.raises(InputError, match="is in the campaign with a different answer"):
        take_in(path, write(tmp_path / "r.csv", rows))
    code, out, _ = run(
        capsys, "easl", "retract", path, "--assignment", rows[-1]["AssignmentId"], "--why", "the file was cut"
    )
    assert (
        code == 0 and "1 judgment retracted; the scores are recomputed" in out and "the file was cut" in out
    )
    code, out, _ = run(capsys, "easl", "update", path, tmp_path / "cut.csv")
    assert "0 new judgments" in out and "1 were retracted before and stay retracted" in out
    assert (
        f"1 new judgments (5 scores); {len(rows) - 1} were already there"
        in run(capsys, "easl", "update", path, tmp_path / "r.csv")[1]
    )
    code, _, err = run(capsys, "easl", "retract", path, "--undo", "1")
    assert code == 3 and "of retraction 1 has been added again since" in err
    other = campaign(tmp_path, 20, name="other.db")
    before = scores(path)
    export(path, tmp_path / "m.csv", "model")
    export(path, tmp_path / "h.csv", "history")
    other.unlink()
    take_over(other, tmp_path / "m.csv", [tmp_path / "h.csv"])
    assert scores(other) == before


def test_one_is_taken_back_unless_all_are_asked_for_and_the_choice_is_said(tmp_path, capsys):
    path, rows = two_batches(tmp_path)
    take_in(path, write(tmp_path / "r.csv", rows))
    before = path.read_bytes()
    for options, said in (
        ((), "needs a reason"),
        (("--why", "x"), "no judgment specified"),
        (("--worker", "ann"), "needs a reason"),
        (("--worker", "ann", "--why", "x"), "8 judgments match; use --all"),
        (("--worker", "eve", "--why", "x"), "no judgment that counts has these properties"),
        (("--assignment", "A?", "--why", "x"), "AssignmentId 'A?'"),
        (("--row", "2", "--why", "x"), "name the file too"),
        (("--undo", "1"), "no retraction number 1; found none"),
        (("--list", "--why", "x"), "must be used alone"),
        (("--worker", "ann", "--why", "x", "--report", "x.html"), "--report is for 'easl status'"),
    ):
        code, _, err = run(capsys, "easl", "retract", path, *options)
        assert code == 3 and any(s in err for s in said.split("|")), err
    assert path.read_bytes() == before
    chosen = {
        ("--worker", "ann", "--batch", "1", "--hit", "2"): 1,
        ("--results", "r.csv", "--row", "3"): 1,
        ("--worker", "bob", "--all"): 8,
    }
    for options, n in chosen.items():
        code, out, _ = run(capsys, "easl", "retract", path, *options, "--why", "x", "--json")
        assert code == 0 and len(json.loads(out)) == n
    assert (
        status(path).judgments == 16 - 10
        and "10 judgments retracted and not counted" in run(capsys, "easl", "status", path)[1]
    )
    assert json.loads(run(capsys, "easl", "status", path, "--json")[1])["taken_back"] == 10
    assert len(json.loads(run(capsys, "easl", "retract", path, "--list", "--json")[1])) == 10


def test_a_campaign_of_before_is_read_as_it_is_and_learns_to_take_back(tmp_path):
    path, rows = two_batches(tmp_path)
    take_in(path, write(tmp_path / "r.csv", rows))
    db = sqlite3.connect(path)
    assert db.execute("SELECT name FROM sqlite_master WHERE name = 'retraction'").fetchall() == []
    db.close()
    before = path.read_bytes()
    assert history(path) == () and status(path).progress.retracted == 0 and path.read_bytes() == before
    take_back(path, "x", assignments=[rows[0]["AssignmentId"]])
    assert status(path).judgments == 15 and take_in(path, tmp_path / "r.csv").taken_back == 1
