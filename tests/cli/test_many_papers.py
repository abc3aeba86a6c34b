"""`pairproof check` of folders, its attachment, and `check-numbers`, as commands."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pairproof.cli import main
from tests.validation.fakes import write_paper


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def write(folder: Path, paper: str, old: str = "", new: str = "") -> Path:
    return write_paper(folder, paper, paper, old, new)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("one", "two"):
        write(folder, name)
    return folder


def test_a_folder_gives_a_line_a_paper_an_index_and_a_page_each(
    papers: Path, tmp_path: Path, capsys: Any
) -> None:
    write(papers, "three", '"1.4364"', '"1.0364"')
    (papers / "bad.claims.toml").write_text("[paper]\n")
    out = tmp_path / "out"
    asked = ("check", papers, "--out", out, "--r", "none")
    code, shown, err = run(capsys, *asked, "--workers", 1)
    assert code == 3 and err == f"index: {out}/index.html\n"
    assert "4 papers: 3 checked, 1 could not be checked" in shown
    rows = list(csv.DictReader((out / "index.csv").open(encoding="utf-8")))
    assert {r["paper"]: r["exit_code"] for r in rows} == {"bad": "3", "one": "0", "three": "1", "two": "0"}
    index = (out / "index.html").read_text(encoding="utf-8")
    assert '<a href="one.html">one</a>' in index and "no id" not in (out / "one.html").read_text(
        encoding="utf-8"
    )
    assert "<h1>one: " in (out / "one.html").read_text(encoding="utf-8")
    assert run(capsys, *asked)[1].startswith(
        "4 papers: 0 checked, 3 kept from an earlier run, 1 could not be checked"
    )
    assert run(capsys, *asked, "--force")[1].startswith("4 papers: 3 checked, 1 could")


def test_json_of_many_is_one_document_with_a_line_a_paper(papers: Path, tmp_path: Path, capsys: Any) -> None:
    report = tmp_path / "all.html"
    code, out, err = run(capsys, "check", papers, "--r", "none", "--json", "--report", report)
    document = json.loads(out)
    assert (code, err) == (0, f"report: {report}\n")
    assert [p["paper"] for p in document["papers"]] == ["one", "two"]
    assert {a["paper"] for a in document["agreements"]} == {"one", "two"}
    assert document["summary"]["agrees"] == len(document["agreements"])
    page = report.read_text(encoding="utf-8")
    for paper in ("one", "two"):
        assert f">{paper}: baseball</h3>" in page  # every heading carries the paper


def test_several_files_are_checked_as_a_folder_is_and_one_bad_file_alone_ends_with_3(
    papers: Path, capsys: Any
) -> None:
    bad = papers / "bad.claims.toml"
    bad.write_text("x = ")
    one = papers / "one.claims.toml"
    assert run(capsys, "check", one, bad, "--r", "none")[0] == 3
    assert run(capsys, "check", bad, "--r", "none")[0] == 3
    assert run(capsys, "check", bad, papers / "none.claims.toml", "--r", "none")[0] == 3


def test_an_interruption_keeps_what_is_done_and_the_same_command_goes_on(
    papers: Path, tmp_path: Path
) -> None:
    for k in range(16):
        write(papers, f"paper-{k}")
    out = tmp_path / "out"
    code = "import sys; from pairproof.cli import main; sys.exit(main())"
    asked = [
        sys.executable,
        "-c",
        code,
        "check",
        str(papers),
        "--out",
        str(out),
        "--r",
        "none",
        "--workers",
        "2",
    ]
    restored = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    with subprocess.Popen(
        asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **restored
    ) as process:
        until = time.monotonic() + 120
        while len(list(out.glob("*.json"))) < 3 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        shown, err = process.communicate(timeout=60)
    kept = len(list(out.glob("*.json")))
    assert (
        process.returncode == 130 and "run the same command to continue" in err and "interrupted: " in shown
    )
    assert 3 <= kept <= 18 and (out / "index.csv").is_file()
    again = subprocess.run(asked, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0
    found = re.match(r"18 papers: (\d+) checked, (\d+) kept from an earlier run", again.stdout)
    assert found is not None, again.stdout[:200]
    done, taken = int(found[1]), int(found[2])
    # A worker may have kept a paper before the command heard of it, never the other way round.
    assert taken + done == 18 and taken >= kept - 2 and taken >= 3


def test_the_attachment_is_of_one_paper_and_says_how_to_make_it_again(
    papers: Path, tmp_path: Path, capsys: Any
) -> None:
    one, page = papers / "one.claims.toml", tmp_path / "for the editor.md"
    code, _, err = run(capsys, "check", one, "--r", "none", "--attachment", page)
    assert code == 0 and err == f"attachment: {page}\n"
    assert f"pairproof check {one} --r none --attachment '{page}'" in page.read_text(encoding="utf-8")
    for wrong in ((papers, page), (one, tmp_path / "a.pdf")):
        code, _, err = run(capsys, "check", wrong[0], "--attachment", wrong[1])
        assert code == 3 and "--attachment" in err


def test_numbers_without_data_are_checked_by_a_command_of_their_own(tmp_path: Path, capsys: Any) -> None:
    table = tmp_path / "table.csv"
    table.write_text("item,estimate,se,z\nA,0.500,0.100,5.00\nB,0.200,0.100,2.00\n")
    code, out, err = run(capsys, "check-numbers", table)
    assert (code, err) == (0, "") and "2 of 2 checks" in out
    table.write_text(table.read_text().replace("2.00", "2.90"))
    report = tmp_path / "r.html"
    code, out, _ = run(capsys, "check-numbers", table, "--json", "--report", report)
    document = json.loads(out)
    assert code == 1 and document["summary"] == {"agrees": 1, "differs": 1, "not-checkable": 4}
    assert any("the data are needed" in line for line in document["said"]) and report.is_file()
    table.write_text("nothing\n")
    assert run(capsys, "check-numbers", table)[0] == 3
    code, _, err = run(capsys, "check", table)
    assert code == 3 and f"pairproof check-numbers {table}" in err
