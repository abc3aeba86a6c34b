"""`pairproof leaderboard --out` and `pairproof check`: what is published gives a verdict on each number to anyone."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from pairproof.cli import main
from tests.boards.simulated import simulate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    votes = simulate(11, n_votes=1_500, n_models=5, n_judges=120, pareto=2.0)
    votes.attrs = {}
    votes.to_csv(folder / "votes.csv", index=False)
    out = [
        str(folder / "votes.csv"),
        "--out",
        str(folder / "board"),
        "--quiet",
        "--order-effect",
        "--style",
        "length",
    ]
    assert main(["leaderboard", *out, "--cluster", "judge", "--anchor", "model-2=1200"]) == 0
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_claims_beside_a_board_all_come_out(folder: Path, capsys) -> None:
    code, out, _ = run(capsys, "check", folder / "board" / "leaderboard.toml", "--r", "none", "--json")
    assert code == 0 and json.loads(out)["summary"] == {"agrees": 25}


def test_the_command_that_the_page_prints_checks_its_csv_against_the_votes(folder: Path, capsys) -> None:
    page = (folder / "board" / "index.html").read_text()
    (line,) = re.findall(r"^pairproof (check leaderboard\.csv .*?)(?:</pre>)?$", page, re.MULTILINE)
    words = shlex.split(line.replace("&#39;", "'").replace("VOTES", str(folder / "votes.csv")))
    words[1] = str(folder / "board" / "leaderboard.csv")
    code, out, _ = run(capsys, *words, "--json")
    summary = json.loads(out)["summary"]
    assert code == 0 and set(summary) == {"agrees", "not-checkable"} and summary["agrees"] == 45


def test_a_board_of_other_votes_ends_with_1_and_one_without_votes_is_told_what_to_add(
    folder: Path, capsys
) -> None:
    board = folder / "board" / "leaderboard.csv"
    code, out, _ = run(capsys, "check", board, "--votes", folder / "votes.csv", "--where", "judge!=user-64")
    assert code == 1 and "What needs attention" in out
    for arguments, words in (
        ((board,), "add --votes FILE"),
        ((board, "--anchor", "model-2=1200"), "--anchor is for a printed table; add --votes FILE"),
        ((board, board, "--votes", folder / "votes.csv"), "--votes is for one printed table"),
        ((board, "--votes", folder / "votes.csv", "--anchor", "model-2"), "expected NAME=VALUE"),
        ((board, "--votes", folder / "votes.csv", "--anchor", "model-2=x"), "expected MODEL=RATING"),
        (
            (board, "--votes", folder / "votes.csv", "--anchor", "model-2=1", "--mean", "3"),
            "contradict each other",
        ),
    ):
        code, _, err = run(capsys, "check", *arguments)
        assert code == 3 and words in err
