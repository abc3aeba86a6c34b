"""The benchmark of whole answers runs, who is fast has found the same maximum, and what R cannot do is said."""

from __future__ import annotations

import json

import pytest

from benchmarks.answers import __main__ as answers, data, r
from benchmarks.answers.cases import cases


@pytest.mark.r("prefmod")
def test_it_runs_and_every_contender_has_the_same_likelihood(tmp_path, capsys):
    assert answers.main(["--tiny", "--rounds", "1", "--out", str(tmp_path), "--only", "4 items"]) == 0
    document = json.loads((tmp_path / "answers.json").read_text(encoding="utf-8"))
    assert (tmp_path / "answers.md").read_text(encoding="utf-8") + "\n" == capsys.readouterr().out
    groups = [c.group for c in cases(True) if "4 items" in c.name]
    assert [row["group"] for row in document["rows"]] == groups and len(set(groups)) == 3
    for row in document["rows"]:
        if row["trouble"]:
            assert row["who"] == "PlackettLuce" and "not here" in row["trouble"], row
            continue
        # prefmod's nlm stops by its gradient, below the maximum: observed 7e-10 at most, and 1.4e-5 in
        # estimates.
        assert -1e-9 < row["llf_above"] < 1e-7 and row["difference"] < 1e-4, row


@pytest.mark.nightly
@pytest.mark.r("prefmod")
def test_an_r_that_takes_too_long_or_stops_is_said_and_is_no_number():
    csv = data.rankings(7, 60).csv()
    slow = r.fit("prefmod", "{while (TRUE) sqrt(2)}", csv, 1.0, 4.0)
    assert slow.trouble == "stopped after 1 s of CPU time" and slow.seconds != slow.seconds
    wrong = r.fit("prefmod", "stop('no such fit')", csv, 20.0, 4.0)
    assert "no such fit" in wrong.trouble and not len(wrong.estimates)


def test_r_that_is_not_installed_is_said(monkeypatch):
    monkeypatch.setattr(r.shutil, "which", lambda name: None)
    assert r.fit("prefmod", "1", "V1\n1\n", 1.0, 1.0).trouble == "not here: R is not installed"


def test_the_data_are_the_same_in_every_run_and_gaps_are_na():
    twice = [data.partial_with_ties(6, 30, 3).csv() for _ in range(2)]
    assert twice[0] == twice[1] and "NA" in twice[0]
    assert data.comparisons(4, 30, True, 0.2).csv().count("NA") > 10
    assert data.ratings(3, 10, 5, 2).table.n_times == 2
