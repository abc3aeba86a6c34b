"""The benchmark of scalar annotation runs, and what it could not ask is no number."""

from __future__ import annotations

import json

from benchmarks import annotation


def test_it_runs_and_writes_its_page(tmp_path, capsys):
    assert annotation.main(["--tiny", "--rounds", "2", "--out", str(tmp_path)]) == 0
    document = json.loads((tmp_path / "annotation.json").read_text(encoding="utf-8"))
    assert (tmp_path / "annotation.md").read_text(encoding="utf-8") + "\n" == capsys.readouterr().out
    assert all(
        len(row["samples"]) == 2 for row in (*document["updates"].values(), *document["batches"].values())
    )
    assert set(document["absent"]).isdisjoint(document["updates"]) and set(document["absent"]) <= {
        "trueskill",
        "openskill",
    }
    assert all(f"| {name} | not here |" in annotation.page(document) for name in document["absent"])


def test_both_ways_to_the_next_batch_draw_batches():
    state = annotation.state(100)
    found = annotation.by_definition(state, 20)
    assert len(found) == 20 and all(len(set(row.tolist())) == 4 for row in found)
