"""The benchmark of models of contests runs, all contenders find the same estimates, and what is not asked is said."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.contests import __main__ as benchmark, data
from benchmarks.contests.cases import GLMER, cases


@pytest.mark.nightly
@pytest.mark.r("BradleyTerry2")
def test_it_runs_and_peers_have_the_same_estimates(tmp_path, capsys):
    arguments = ["--tiny", "--rounds", "1", "--out", str(tmp_path), "--only", "covariates"]
    assert benchmark.main(arguments) == 0
    document = json.loads((tmp_path / "contests.json").read_text(encoding="utf-8"))
    assert (tmp_path / "contests.md").read_text(encoding="utf-8") + "\n" == capsys.readouterr().out
    found = {p["name"]: p for row in document["rows"] for p in row["peers"]}
    assert not found["BTm"]["trouble"]
    for peer in found.values():
        if not peer["trouble"]:
            # glm's default epsilon; observed 8e-14 at most.
            assert peer["difference"] < 1e-6, peer


@pytest.mark.nightly
@pytest.mark.r("lme4")
def test_glmer_with_the_players_by_hand_is_our_laplace_fit(tmp_path, capsys):
    arguments = ["--tiny", "--rounds", "1", "--out", str(tmp_path), "--only", "Laplace"]
    assert benchmark.main(arguments) == 0
    document = json.loads((tmp_path / "contests.json").read_text(encoding="utf-8"))
    assert "rt$Zt" in GLMER and len(document["rows"]) == 2
    for row in document["rows"]:
        (peer,) = row["peers"]
        # Where glmer's Nelder-Mead stops by itself; observed 4e-4 at most.
        assert not peer["trouble"] and peer["difference"] < 5e-3, peer


def test_peers_are_not_asked_once_the_time_has_gone_or_a_smaller_case_was_stopped():
    case = next(c for c in cases(True) if c.group == "free abilities")
    options = benchmark.asked(["--tiny", "--rounds", "1", "--limit", "0"])
    row = benchmark.run(case, options, set(), -1e9)
    assert {p["trouble"] for p in row["peers"]} == {"not asked: 0 s had gone"}
    row = benchmark.run(case, options, {(case.group, "BTm"), (case.group, "statsmodels GLM")}, -1e9)
    assert {p["trouble"] for p in row["peers"]} == {"not asked: a smaller case was stopped"}


def test_the_data_are_the_same_in_every_run_and_for_every_contender():
    one, again = data.contests(12, 60), data.contests(12, 60)
    assert one.csv() == again.csv()
    rows = np.loadtxt(one.csv().splitlines(), delimiter=",", skiprows=1)
    np.testing.assert_array_equal(rows[:, 3:6] - rows[:, 6:9], one.differences())
    assert (one.incidence().sum(axis=1) == 0).sum() == ((one.first > 0) & (one.second > 0)).sum()
