"""The benchmark of annotator models runs, and who is fast has found the same maximum."""

from __future__ import annotations

import json

import pytest

from benchmarks import annotator_models


@pytest.mark.nightly
def test_it_runs_and_every_contender_has_the_same_likelihood(tmp_path, capsys):
    assert annotator_models.main(["--tiny", "--rounds", "1", "--out", str(tmp_path)]) == 0
    document = json.loads((tmp_path / "annotator-models.json").read_text(encoding="utf-8"))
    assert (tmp_path / "annotator-models.md").read_text(encoding="utf-8") + "\n" == capsys.readouterr().out
    own = {row["model"]: row for row in document["rows"] if row["who"] == "pairproof"}
    assert list(own) == ["location", "precision", "systems"]
    for row in document["rows"]:
        # Others stop by their own rules, at a flat maximum; observed 4e-7 at most.
        assert row["loglik"] == pytest.approx(own[row["model"]]["loglik"], abs=1e-3)
        assert len(row["samples"]) == 1 and (row["ratio"] == 1.0 or row["who"] != "pairproof")
    assert all(f"| not here | | {name}" in annotator_models.page(document) for name in document["absent"])
