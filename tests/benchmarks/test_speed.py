"""The page of speeds is made, on tiny data, by its own command; nothing is timed here."""

from __future__ import annotations

import json

import numpy as np
import pytest

import pairproof
from benchmarks import speed
from benchmarks.harness.data import counts_table


def test_its_command_writes_the_page_and_every_sample(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed; no file of votes was written")
    chosen = [job for job in speed.JOBS if job.name in ("counts-20", "judges-5000", "votes-1e8")]
    monkeypatch.setattr(speed, "JOBS", chosen)
    assert speed.main(["--tiny", "--rounds", "1", "--out", str(tmp_path)]) == 0
    page, document = (tmp_path / "speed.md").read_text("utf-8"), json.loads(
        (tmp_path / "speed.json").read_text("utf-8")
    )
    assert page.startswith("# How fast\n") and "the times mean nothing" in page
    assert [job["name"] for job in document["jobs"]] == [job.name for job in chosen]
    for job in document["jobs"]:
        assert f"## {job['title']}" in page and job["does_not_count"] is None
        for contender in job["contenders"]:
            # A peer is not here, or stops early: evalica's 6 digits of tiny data are the fewest.
            digits = contender["estimate_digits"]
            assert (contender["trouble"] or "not here").startswith("not here")
            assert digits is None or digits > 4, contender


def test_the_large_file_holds_each_comparison_once(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed; no file of votes was written")
    monkeypatch.setenv("PAIRPROOF_BENCHMARK_SCRATCH", str(tmp_path))
    data = counts_table(6, 20, True)
    table = pairproof.count(speed.written(data))
    pairs = {
        (data.items[int(i) - 1], data.items[int(j) - 1]): of
        for i, j, *of in np.stack(
            [data.first, data.second, data.wins, data.ties, data.losses], axis=1
        ).tolist()
    }
    assert {pair: list(of) for pair, of in table.pooled().items()} == pairs
    large = next(job for job in speed.JOBS if job.name == "votes-1e8").data()
    assert large.n_comparisons % speed.STEP and table.n_rows == 30
