"""`pairproof audit`: sentences, reports and JSON are of one audit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.cli import main
from tests.boards.simulated import simulate


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    frame = simulate(31, 4_000, 6, 300, both_bad=False)
    bot = frame.iloc[:60].assign(judge="bot", winner="model_a", question_id=[f"b{k}" for k in range(60)])
    path = tmp_path_factory.mktemp("audit") / "votes.csv"
    pd.concat([frame, bot.assign(tstamp=bot.tstamp.min() + 90.0 * np.arange(60))]).to_csv(path, index=False)
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_text_has_every_sentence_and_the_first_places_before_and_after(votes: Path, capsys) -> None:
    code, out, _ = run(capsys, "audit", votes, "--style", "length")
    found = pairproof.audit(pairproof.read(votes), style=["length"])
    assert code == 0 and "bot prefers the first in 60 of 60 votes that are not ties" in out
    assert [f.judges for f in found.flags] == [("bot",)] and found.gone == 60
    said = " ".join(out.split())
    assert all(f.sentence in said for f in found.findings) and all(why in said for why in found.not_looked_at)
    assert "60 of 4,060 votes are left out" in said and all(name in said for name, _ in found.after)


def test_json_is_the_document_of_the_audit(votes: Path, capsys) -> None:
    code, out, _ = run(capsys, "audit", votes, "--json", "--level", "0.99")
    document = json.loads(out)
    assert code == 0 and document["level"] == 0.99 and document["gone"] == 60
    flag = document["findings"][0]
    assert (flag["kind"], flag["severity"], flag["judges"]) == ("judge-order", "flag", ["bot"])
    assert 0 < flag["p"] < 0.01 and flag["numbers"]["first"] == 60
    assert [row["model"] for row in document["after"]][:1] and document["tests"]["order"] == 1
    removed = next(f for f in document["findings"] if f["kind"] == "first-place")["numbers"]["removed"]
    assert set(removed[0]) == {"row", "judge", "first", "second", "score", "votes"}


@pytest.mark.parametrize("suffix", ["html", "md", "json", "txt"])
def test_a_report_has_the_flags(votes: Path, tmp_path: Path, capsys, suffix: str) -> None:
    path = tmp_path / f"audit.{suffix}"
    assert run(capsys, "audit", votes, "--report", path)[0] == 0
    assert "bot prefers the first in 60 of 60 votes" in " ".join(path.read_text(encoding="utf-8").split())


def test_what_the_command_cannot_do_is_said_in_its_options(votes: Path, tmp_path: Path, capsys) -> None:
    code, _, err = run(capsys, "audit", votes, "--time", "when")
    assert code == 3 and "no column 'when'; columns: question_id, judge, tstamp" in err
    code, _, err = run(capsys, "audit", votes, "--time", "language")
    assert code == 3 and "name another column with --time" in err
    code, _, err = run(capsys, "audit", votes, "--report", tmp_path / "a.xml")
    assert code == 3 and "an audit has none" in err
