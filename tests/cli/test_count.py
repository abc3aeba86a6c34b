"""`pairproof count`: counts are kept, added to, and fitted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.cli import main

DAYS = (
    ["A,B,first,en", "B,A,tie,de", "C,A,second,en", "B,C,first,en"],
    ["A,C,first,de", "C,B,first,en", "B,A,first,en"],
)


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    for k, lines in enumerate(DAYS):
        (tmp_path / f"day-{k}.csv").write_text("\n".join(["first,second,outcome,language", *lines]) + "\n")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_days_that_are_added_one_by_one_are_the_votes_counted_at_once(votes: Path, capsys) -> None:
    kept = votes / "counts.json"
    assert run(capsys, "count", votes / "day-0.csv", "--by", "language", "--out", kept)[0] == 0
    code, out, _ = run(capsys, "count", votes / "day-1.csv", "--by", "language", "--add", kept)
    assert code == 0 and "7 comparisons of 3 items" in out and "counted from 2 parts" in out
    whole = pairproof.count(str(votes / "day-*.csv"), by="language")
    pd.testing.assert_frame_equal(pairproof.load(kept).to_frame(), whole.to_frame())
    code, out, _ = run(capsys, "count", f"{votes}/day-*.csv", "--by", "language", "--json")
    found = json.loads(out)
    assert code == 0 and found["digest"] == whole.digest() and found["comparisons"] == 7
    assert [(part["name"], part["comparisons"]) for part in found["parts"]] == [
        ("day-0.csv", 4),
        ("day-1.csv", 3),
    ]


def test_a_day_that_is_in_is_refused_and_nothing_changes(votes: Path, capsys) -> None:
    kept = votes / "counts.json.gz"
    run(capsys, "count", votes / "day-0.csv", "--out", kept)
    before = kept.read_bytes()
    code, _, err = run(capsys, "count", votes / "day-0.csv", "--add", kept)
    assert code == 3 and "day-0.csv (4 votes) has already been added" in err
    assert kept.read_bytes() == before


def test_kept_counts_are_fitted_as_the_votes_are(votes: Path, capsys) -> None:
    kept, both = votes / "counts.json", votes / "both.csv"
    run(capsys, "count", votes / "day-0.csv", votes / "day-1.csv", "--by", "language", "--out", kept)
    both.write_text("\n".join(["first,second,outcome,language", *DAYS[0], *DAYS[1]]) + "\n")
    fits = [json.loads(run(capsys, "fit", path, "--json")[1]) for path in (kept, both)]
    for key in ("params", "bse", "llf", "deviance", "df_resid"):
        assert fits[0][key] == fits[1][key]
    code, _, err = run(capsys, "fit", kept, "--items", "C,B,A")
    assert code == 3 and "contains counts, but --items applies to votes" in err


def test_bad_input_is_named_and_nothing_is_written(votes: Path, capsys) -> None:
    kept = votes / "counts.json"
    for arguments, said in (
        (["nothing-*.csv"], "no such file"),
        ([votes / "day-0.csv", "--by", "langage"], "did you mean 'language'"),
        ([votes / "day-0.csv", "--by", "language", "--most-cells", "2"], "--most-cells"),
        ([votes / "day-0.csv", "--add", votes / "day-1.csv"], "not a file of counts"),
    ):
        code, _, err = run(capsys, "count", *arguments, "--out", kept)
        assert code == 3 and said in err, err
    assert run(capsys, "count", votes / "day-0.csv", "--out", votes / "day-0.csv")[0] == 3
    assert not kept.exists()
    code, _, err = run(capsys, "count", votes / "day-0.csv")
    assert code == 0 and "were not saved" in err


def test_the_votes_that_were_counted_are_gone_through_for_clusters_and_terms(votes: Path, capsys) -> None:
    r = np.random.default_rng(5)
    a = r.integers(0, 3, 300)
    b = (a + r.integers(1, 3, 300)) % 3
    names, answers = np.array(list("ABC")), np.array(["first", "second"])
    table = {"first": names[a], "second": names[b], "outcome": answers[r.integers(0, 2, 300)]}
    pd.DataFrame({**table, "judge": r.integers(0, 40, 300), "length": r.integers(-9, 9, 300)}).to_csv(
        votes / "votes.csv", index=False
    )
    kept, whole = votes / "counts.json", votes / "votes.csv"
    run(capsys, "count", whole, "--out", kept)
    through = ("--rows", whole, "--cluster", "judge", "--json")
    found = json.loads(run(capsys, "fit", kept, *through)[1])
    held = json.loads(run(capsys, "fit", whole, "--cluster", "judge", "--cluster-kind", "CR1", "--json")[1])
    model = ("--model", "bradley-terry", "--comparison-terms", "length")
    terms = [
        json.loads(run(capsys, "fit", t, *model, *more)[1])
        for t, more in ((kept, through), (whole, ["--json"]))
    ]
    for name, value in held["bse"].items():
        assert value is None or found["bse"][name] == pytest.approx(value, rel=1e-12)  # seen: 1e-15
    for name, value in terms[1]["params"].items():
        assert terms[0]["params"][name] == pytest.approx(value, abs=1e-10)  # seen: 1e-15
    code, _, err = run(capsys, "fit", kept, "--rows", whole)
    assert code == 3 and "--rows has no effect without --cluster" in err
    code, _, err = run(capsys, "fit", kept, "--rows", votes / "day-0.csv", "--cluster", "language")
    assert code == 3 and "not the rows of this fit" in err
