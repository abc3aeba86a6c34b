"""The benchmark of the competitions' samplers runs; what was not here is no number, and a wrong answer keeps
no promise.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.competitions import (
    __main__ as competitions,
    data as competitions_data,
    page as competitions_page,
    r as competitions_r,
)
from benchmarks.competitions.agreement import held
from benchmarks.harness.process import NotHere
from pairproof.bridge.packages import jags
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel
from pairproof.native.competitions.irt.gaussian_irt import fit_irt_gaussian


def run(out, capsys):
    assert competitions.main(["--tiny", "--rounds", "1", "--out", str(out)]) == 0
    document = json.loads((out / "competitions.json").read_text(encoding="utf-8"))
    text = (out / "competitions.md").read_text(encoding="utf-8")
    assert text + "\n" == capsys.readouterr().out and competitions_page.page(document) == text
    return document, text


def test_without_r_it_runs_and_its_peers_are_not_here(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(competitions_r.shutil, "which", lambda name: None)
    document, text = run(tmp_path, capsys)
    ours = [row for job in document["jobs"] for row in job["rows"] if row["ours"]]
    peers = [row for job in document["jobs"] for row in job["rows"] if not row["ours"]]
    assert len(ours) == 7 and all(len(row["samples"]) == 1 and not row["trouble"] for row in ours)
    assert len(peers) == 4 and all(
        row["trouble"] == "not here: R is not installed" and "cpu" not in row for row in peers
    )
    assert (
        text.count("| not here: R is not installed |") == 8
    )  # a row of a table of times and one of the checks each
    assert [p["kept"] for p in document["promises"] if "JAGS" in p["promise"]] == [None, None]
    assert "not held against a peer in this run" in document["promises"][0]["found"]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.r
def test_with_r_every_peer_runs_or_is_not_here(tmp_path, capsys):
    document, _ = run(tmp_path, capsys)
    peers = [row for job in document["jobs"] for row in job["rows"] if not row["ours"]]
    assert len(peers) == 4
    for row in peers:
        if row["trouble"]:
            assert row["trouble"].startswith("not here: R package"), row
        else:
            assert row["cpu"] > 0 and row["set_up"] > 0 and row["long"]["ess"] > 0, row


@pytest.mark.r
def test_an_r_package_that_is_not_installed_is_not_here(tmp_path):
    competitions_r.leave_data(competitions_data.competition(2), tmp_path)
    with pytest.raises(NotHere, match="R package no.such.package is not installed"):
        competitions_r.one_chain(
            competitions_r.Peer("no.such.package", "stop()", {}, 1, 1), tmp_path, 13, 1, 2, 1, 60
        )


@pytest.mark.r
def test_r_code_that_stops_is_an_error_with_its_message(tmp_path):
    competitions_r.leave_data(competitions_data.competition(2), tmp_path)
    with pytest.raises(competitions_r.Failed, match="no good"):
        competitions_r.one_chain(
            competitions_r.Peer("stats", "stop('no good')", {}, 1, 1), tmp_path, 13, 1, 2, 1, 60
        )


def test_jags_gets_the_model_of_the_bridge():
    for code in (jags.GAUSSIAN, jags.CATEGORICAL):
        left = competitions_r.without_summing_up(code)
        assert (
            code.endswith(left)
            and "model {" in left
            and "run(text, data" in left
            and "coda.samples" not in left
        )
    with pytest.raises(AssertionError, match="has changed"):
        competitions_r.without_summing_up("text <- 1")


def test_the_competition_is_drawn_from_the_model():
    table = competitions_data.competition(4000, GaussianModel(sd_ability=1e-9))
    assert table.n_rows == 40_000 and len(table.columns["source"].levels) == 4000
    found = np.array([table.ties.mean(), table.wins.mean(), table.losses.mean()])
    # With equal abilities; four standard errors, were the ten comparisons of a segment one. Observed within
    # 0.0013.
    assert np.all(np.abs(found - GaussianModel().preferences(np.array(0.0))) < 4 * 0.5 / np.sqrt(4000))
    again = competitions_data.competition(4000, GaussianModel(sd_ability=1e-9))
    np.testing.assert_array_equal(table.first, again.first)


def test_a_sampler_of_another_model_is_seen_and_keeps_no_promise():
    table = competitions_data.competition(40)
    right, same, wrong = (
        fit_irt_gaussian(
            table, model=GaussianModel(sd_noise=noise), items="fresh", draws=1000, seed=seed
        ).centred
        for noise, seed in ((1.0, 1), (1.0, 2), (2.0, 3))
    )
    assert held(right, same, table.items)["agrees"] and not held(right, wrong, table.items)["agrees"]
    found = competitions_page.promise("fast", "1 ms", True, right=False)
    assert not found["kept"] and "does not count" in found["found"]


def test_memory_added_grows_with_the_comparisons_and_not_faster():
    small, large = competitions_data.cost(500), competitions_data.cost(2000)
    assert large["peak"] / small["peak"] == pytest.approx(4, rel=0.1)  # observed 3.98
