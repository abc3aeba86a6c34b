"""`pairproof tree`: from a file to groups, a picture, JSON and reports."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import pairproof
from pairproof.cli import main
from tests.native.answers.trees.persons_made import pairs_of, respondents, two_groups

PAIRS = (
    "--layout",
    "pairs",
    "--items",
    "A,B,C,D",
    "--pair-order",
    "prefmod",
    "--coding",
    "first=1,second=-1",
)


@pytest.fixture()
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    answers, columns = two_groups(11, 90)
    with (tmp_path / "p.csv").open("w", newline="", encoding="utf-8") as file:
        names = [f"{'ABCD'[i]}:{'ABCD'[j]}" for i, j in pairs_of(4)]
        csv.writer(file).writerows(
            [
                [*names, "z", "f"],
                *([*answers[k].tolist(), columns["z"][k], columns["f"][k]] for k in range(90)),
            ]
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_prints_the_tree_of_python(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers, columns = two_groups(11, 90)
    tree = pairproof.fit_tree(respondents(answers, "ABCD", columns))
    code, out, _ = run(capsys, "tree", "p.csv", *PAIRS)
    assert code == 0 and out.strip() == tree.summary()
    code, out, err = run(capsys, "tree", "p.csv", *PAIRS, "--json")
    own = tree.to_dict()
    assert code == 0 and json.loads(out) == json.loads(json.dumps(own | {"source": "p.csv"}))
    assert "Note: p of a numeric covariate" in err


def test_options_reach_the_tree(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "tree", "p.csv", *PAIRS, "--covariates", "ordered(f),z", "--most-depth", "0", "--alpha", "0.2",
        "--adjust", "none", "--minimum", "9", "--reference", "C", "--missing", "leave-out", "--json",
    )  # fmt: skip
    found = json.loads(out)
    assert code == 0 and found["leaves"] == [1] and found["nodes"][0]["params"]["C"] == 0
    assert [c["kind"] for c in found["covariates"]] == ["ordered", "numeric"]
    assert (found["alpha"], found["adjust"], found["minimum"], found["most_depth"]) == (0.2, "none", 9, 0)
    assert found["nodes"][0]["reason"] == "depth 0, the most that was asked for"


def test_picture_and_reports_are_written_and_written_again(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = ("--plot", "t.png", "--report", "t.html", "--report", "t.md", "--report", "t.json")
    for _ in range(2):
        code, _, err = run(capsys, "tree", "p.csv", *PAIRS, *outputs)
        assert code == 0 and "picture: t.png" in err
    html = (here / "t.html").read_text(encoding="utf-8")
    assert "<svg" in html and "Tests of instability" in html and "node 2" in html
    assert (here / "t.png").read_bytes().startswith(b"\x89PNG")
    (here / "t.png").write_bytes(b"mine")
    code, _, err = run(capsys, "tree", "p.csv", *PAIRS, "--plot", "t.png")
    assert code == 3 and "is not as pairproof wrote it" in err and (here / "t.png").read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--plot", "t.gif"), "the name must end in .png, .svg, .pdf"),
        (("--plot", "p.csv"), "is read by this command"),
        (("--pairs", "a"), "--pairs is for tables of persons: use --layout pairs or paircomp"),
        (("--layout", "pairs", "--items", "A,B"), "pairproof tree p.csv --layout pairs --items A,B"),
        (("--report", "t.xml"), "a JUnit report"),
        ((*PAIRS, "--covariates", "age"), "no covariate 'age' of persons; there are 'z', 'f'"),
        ((*PAIRS, "--reference", "E"), "reference 'E' is not an item"),
    ],
)
def test_wrong_options_are_named(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = run(capsys, "tree", "p.csv", *arguments)
    assert (code, out) == (3, "") and said in err


def test_a_table_with_judges_is_recognised(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f"A,B,{'first' if (k < 20) == (k % 4 > 0) else 'second'},j{k},{'x' if k < 20 else 'y'}"
        for k in range(40)
    ]
    (here / "v.csv").write_text("\n".join(["first,second,outcome,rater,team", *rows, ""]), encoding="utf-8")
    code, out, _ = run(capsys, "tree", "v.csv", "--col", "judge=rater")
    assert code == 0 and "2 team in {x}: 20 judges; A > B" in out and "3 team in {y}: 20 judges; B > A" in out
    code, out, err = run(capsys, "tree", "v.csv")
    assert code == 3 and "no column 'judge'" in err
