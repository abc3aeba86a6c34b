"""`pairproof leaderboard`: from a file of votes to the board, its JSON, CSV and page."""

from __future__ import annotations

import csv
import html
import json
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from pairproof.boards.board import leaderboard
from pairproof.cli import main
from tests.boards.simulated import simulate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    votes = simulate(11, n_votes=1_500, n_models=5, n_judges=120, pareto=2.0)
    votes.attrs = {}
    votes.to_csv(folder / "votes.csv", index=False)
    (folder / "models.csv").write_text("item,licence\n" + "".join(f"model-{k},MIT\n" for k in range(1, 6)))
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_board_is_printed_best_first_with_its_method(folder: Path, capsys) -> None:
    code, out, err = run(capsys, "leaderboard", folder / "votes.csv")
    assert code == 0 and err == ""
    board = leaderboard(str(folder / "votes.csv"))
    lines = [line.split()[1] for line in out.splitlines() if "model-" in line]
    assert lines == [row.model for row in board.rows]
    assert "CR2 by judge" in out and "times those of independent votes" in out


def test_json_csv_and_page_hold_the_numbers_of_the_board(folder: Path, tmp_path: Path, capsys) -> None:
    reports = [tmp_path / name for name in ("board.csv", "board.json", "board.html", "board.md")]
    asked = [option for path in reports for option in ("--report", path)]
    data = ("--item-data", folder / "models.csv", "--anchor", "model-2=1114")
    code, out, _ = run(capsys, "leaderboard", folder / "votes.csv", *data, "--json", *asked)
    assert code == 0
    document = json.loads(out)
    assert document == json.loads(reports[1].read_text())
    rows = list(csv.DictReader(reports[0].open(newline="")))
    assert [float(row["rating"]) for row in rows] == [row["rating"] for row in document["board"]]
    assert {row["licence"] for row in rows} == {"MIT"}
    assert document["scale"] == {
        "name": "elo",
        "anchor": "model-2",
        "at": 1114.0,
        "ties": "half",
        "expected": "ability",
    }
    best = document["board"][0]
    for text in (reports[2].read_text(), reports[3].read_text()):
        assert best["model"] in text and f"{best['rating']:.1f}" in text


def test_boards_by_language_stand_side_by_side(folder: Path, capsys) -> None:
    code, out, _ = run(capsys, "leaderboard", folder / "votes.csv", "--by", "language", "--json")
    levels = [part["level"] for part in json.loads(out)["board"]]
    assert code == 0 and levels == sorted(pd.read_csv(folder / "votes.csv")["language"].unique())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--anchor", "model-2"], "expected NAME=VALUE"),
        (["--anchor", "model-2=high"], "expected MODEL=RATING"),
        (["--anchor", "model-7=1000"], "no item 'model-7'"),
        (["--ties", "none"], "is not one of"),
        (["--by", "planet"], "no column 'planet'"),
        (["--cluster", "planet"], "no column 'planet'"),
        (["--style", "planet"], "planet"),
        (["--where", "language=Klingon"], "Klingon"),
        (["--report", "board.xls"], "expected one of"),
        (["--report", "board.xml"], "JUnit"),
    ],
)
def test_what_is_asked_wrongly_ends_with_3_and_says_what_was_found(folder: Path, capsys, asked, said) -> None:
    code, out, err = run(capsys, "leaderboard", folder / "votes.csv", *asked)
    assert (code, out) == (3, "") and said in err


def test_no_other_command_writes_a_csv_report(folder: Path, tmp_path: Path, capsys) -> None:
    code, _, err = run(capsys, "count", folder / "votes.csv", "--report", tmp_path / "counts.csv")
    assert code == 3 and ".csv" in err and not (tmp_path / "counts.csv").exists()


def test_votes_in_several_files_are_counted_into_one_board(folder: Path, tmp_path: Path, capsys) -> None:
    lines = (folder / "votes.csv").read_text().splitlines()
    for name, part in (("a.csv", lines[1:800]), ("b.csv", lines[800:])):
        (tmp_path / name).write_text("\n".join([lines[0], *part]) + "\n")
    files = (tmp_path / "a.csv", tmp_path / "b.csv")
    code, out, _ = run(capsys, "leaderboard", *files, "--json")
    whole = leaderboard(str(folder / "votes.csv"), cluster="judge")
    found = json.loads(out)
    assert code == 0 and found["clusters"] == {
        "columns": ["judge"],
        "n": [whole.clusters.n[0]],
        "kind": "CR1",
    }
    assert [row["model"] for row in found["board"]] == [row.model for row in whole.rows]
    assert found["board"][0]["rating"] == pytest.approx(whole.rows[0].rating, abs=1e-9)  # counts; observed 0


@pytest.mark.parametrize(
    ("peer", "said"),
    [
        ("arena-rank", "hessian_reg=1e-05 changes no standard error by 1 %"),
        ("fastchat", "400 points are odds of 10 to 1"),
        ("evalica", "evalica has no limits"),
        ("descriptive", "eigen"),
        ("expected-wins", "cluster"),
        ("trueskill", "cluster"),
    ],
)
def test_what_another_board_prints_of_these_votes_comes_with_its_defaults(folder, capsys, peer, said) -> None:
    code, out, _ = run(capsys, "leaderboard", folder / "votes.csv", "--as", peer)
    assert code == 0 and said in out and "model-3" in out
    code, out, _ = run(capsys, "leaderboard", folder / "votes.csv", "--as", peer, "--json")
    assert code == 0 and len(json.loads(out)["rows"]) == 5


def test_a_published_folder_is_checked_by_the_command_that_its_page_names(folder, tmp_path, capsys) -> None:
    code, _, err = run(
        capsys, "leaderboard", folder / "votes.csv", "--style", "length", "--out", tmp_path / "board"
    )
    names = ["index.html", "leaderboard.csv", "leaderboard.json", "leaderboard.toml", "votes.csv"]
    assert code == 0 and sorted(path.name for path in (tmp_path / "board").iterdir()) == names
    code, out, _ = run(capsys, "check", tmp_path / "board" / "leaderboard.toml", "--json")
    assert code == 0 and json.loads(out)["summary"] == {"agrees": 25}


def test_scores_of_translation_tasks_are_of_every_track_by_itself(tmp_path, capsys) -> None:
    rows = [
        f"{a},{b},{w},en,{to}"
        for to in ("de", "cs")
        for a, b, w in (("x", "y", "first"), ("y", "z", "first")) * 30
    ]
    rows += [f"{a},{b},second,en,{to}" for to in ("de", "cs") for a, b in (("x", "y"), ("y", "z")) * 10]
    (tmp_path / "wmt.csv").write_text("\n".join(["first,second,outcome,srclang,trglang", *rows]) + "\n")
    code, out, _ = run(capsys, "leaderboard", tmp_path / "wmt.csv", "--as", "expected-wins", "--json")
    found = json.loads(out)["rows"]
    assert code == 0 and [row["track"] for row in found] == ["en-cs"] * 3 + ["en-de"] * 3
    assert [row["system"] for row in found[:3]] == ["x", "y", "z"]
    code, _, err = run(capsys, "leaderboard", tmp_path / "wmt.csv")
    assert code == 3 and "2 tracks" in err


def test_what_moved_the_ratings_since_an_earlier_board_comes_from_two_files(folder, tmp_path, capsys) -> None:
    lines = (folder / "votes.csv").read_text().splitlines(keepends=True)
    (tmp_path / "earlier.csv").write_text("".join(lines[: len(lines) // 2]))
    asked = ("leaderboard", folder / "votes.csv", "--since", tmp_path / "earlier.csv")
    code, out, _ = run(capsys, *asked, "--json")
    found = json.loads(out)
    assert code == 0 and found["since"] == str(tmp_path / "earlier.csv")
    board = leaderboard(folder / "votes.csv").to_frame().set_index("model")["rating"]
    worst = max(abs(row["after"] - board[row["item"]]) for row in found["rows"])
    assert len(found["rows"]) == 5 and worst < 1e-9  # two fits of the same votes; observed: 0
    assert all(row["mean"] == 0.0 and row["others"] == 0.0 for row in found["rows"])  # the same models
    code, out, err = run(capsys, *asked, "--ties", "davidson", "--out", tmp_path)
    assert code == 3 and out == "" and "omit --ties, --out" in err


def test_the_first_proposal_runs_and_the_page_says_the_command_that_checks_it(tmp_path: Path, capsys) -> None:
    votes = simulate(5, n_votes=900, n_models=5, n_judges=60, pareto=2.0)
    words = {"model_a": "Model_A", "model_b": "Model_B", "tie": "Tie"}
    answers = votes["winner"].map(lambda word: words.get(word, "Both Bad"))
    of_votes = {
        "Model_A": votes["model_a"],
        "Model_B": votes["model_b"],
        "Winner": answers,
        "Judge": votes["judge"],
    }
    lengths = {"Length_A": 300 + votes.index % 97, "Length_B": 300 + votes.index % 89}
    file, page, board = (tmp_path / name for name in ("arena.csv", "page.html", "leaderboard.csv"))
    pd.DataFrame({**of_votes, **lengths}).to_csv(file, index=False)
    code, _, err = run(capsys, "leaderboard", file)
    (proposal,) = re.findall(r"^    pairproof (.*)$", err, re.M)
    assert code == 3 and "tie=Tie" in proposal
    code, _, err = run(
        capsys, *shlex.split(proposal), "--style", "Length", "--report", page, "--report", board
    )
    assert code == 0, err
    (command,) = re.findall(r"pairproof (check leaderboard.csv [^<]*)", html.unescape(page.read_text()))
    words_of_page = [
        {"leaderboard.csv": board, "VOTES": file}.get(word, word) for word in shlex.split(command)
    ]
    code, out, err = run(capsys, *words_of_page, "--r", "none")
    assert code == 0 and "All 45 printed numbers are reproduced" in out, out + err
