"""next-pairs: its text, its JSON, its report, and bad usage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pairproof.cli import main
from pairproof.files.outputs import DOCUMENTS
from tests.boards.simulated import simulate


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    frame = simulate(4, 600, 8)[["model_a", "model_b", "winner", "judge", "prompt"]]
    frame.to_csv(path, index=False)
    return path


def document(capsys: Any, *arguments: object) -> dict[str, Any]:
    assert main([str(a) for a in ("next-pairs", *arguments, "--json")]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_pairs_are_given_as_text_json_and_report(capsys: Any, votes: Path, tmp_path: Path) -> None:
    report = tmp_path / "next.html"
    found = document(capsys, votes, "--n", 50, "--report", report)
    assert DOCUMENTS["next-pairs"] <= found.keys()
    assert sum(pair["votes"] for pair in found["pairs"]) == found["n"] == 50
    assert "Pairs to ask next" in report.read_text(encoding="utf-8")
    assert main(["next-pairs", str(votes), "--n", "50"]) == 0
    assert f"who is best ({found['best']} now)" in capsys.readouterr().out


def test_the_clusters_are_the_judges_unless_told_otherwise(capsys: Any, votes: Path) -> None:
    as_found = document(capsys, votes)["differences"]
    assert as_found == document(capsys, votes, "--cluster", "judge,prompt")["differences"]
    assert as_found != document(capsys, votes, "--cluster", "none")["differences"]
    assert document(capsys, votes, "--focus", "model-3")["focus"] == "model-3"


def test_an_unknown_item_in_focus_ends_with_3(capsys: Any, votes: Path) -> None:
    assert main(["next-pairs", str(votes), "--focus", "nobody"]) == 3
    assert "no item 'nobody'" in capsys.readouterr().err
