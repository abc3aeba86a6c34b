"""The rankings in judged HITs as paired comparisons: what `pairproof fit` reads."""

from __future__ import annotations

import csv

from pairproof import read
from pairproof.campaign import create, export, take_in
from pairproof.campaign.storage.design import Design
from tests.campaign.helpers import batch_rows, write


def judged(tmp_path, scores, **design):
    """A HIT of four items and a degraded one, with these scores (None: no answer)."""
    items = tmp_path / "items.csv"
    lines = ["id,sent,role,of", *(f"{k},t{k},," for k in "abcd"), "x,bad a,degraded,a"]
    items.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = tmp_path / "C.db"
    create(path, items, per_hit=4, seed=1, design=Design(**design))
    row = next(iter(batch_rows(path, 1)))
    said = {f"Input.{name}": cell for name, cell in row.items()} | {"WorkerId": "ann", "AssignmentId": "1"}
    for k in range(1, 5):
        given = scores.get(row[f"id{k}"])
        said |= {f"Answer.range{k}": "" if given is None else str(given)}
    take_in(path, write(tmp_path / "r.csv", [said]))
    export(path, tmp_path / "pairs.csv", "comparisons")
    return list(csv.DictReader((tmp_path / "pairs.csv").open(encoding="utf-8")))


def outcomes(rows):
    """Each pair once, in the order of the alphabet: which of the two was better."""
    found = {}
    for r in rows:
        first, second, outcome = r["first"], r["second"], r["outcome"]
        if first > second:
            first, second = second, first
            outcome = {"first": "second", "second": "first"}.get(outcome, outcome)
        found[first + second] = outcome
    return found


def test_a_hit_of_four_scores_is_six_comparisons_that_a_model_can_be_fitted_to(tmp_path):
    rows = judged(tmp_path, {"a": 90, "b": 60, "c": 60, "d": 10})
    assert outcomes(rows) == {
        "ab": "first", "ac": "first", "ad": "first", "bc": "tie", "bd": "first", "cd": "first"
    }  # fmt: skip
    assert {r["judge"] for r in rows} == {"ann"} and {r["source"] for r in rows} == {"1/1"}
    assert read(tmp_path / "pairs.csv").items == ("a", "b", "c", "d")


def test_items_without_an_answer_are_compared_with_nothing(tmp_path):
    rows = judged(tmp_path, {"a": 90, "b": 60}, partial=True)
    assert outcomes(rows) == {"ab": "first"}
