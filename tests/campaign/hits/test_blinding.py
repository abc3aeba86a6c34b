"""Neither the page of a degraded item nor its place in an annotator's work tells what it is."""

from __future__ import annotations

import csv
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from pairproof.campaign import create, open as opened
from pairproof.campaign.hits.registered import register
from pairproof.campaign.storage.design import Design
from pairproof.errors import DataWarning
from tests.campaign.hits.people import rows_of

SOURCES, SYSTEMS = 60, "nsew"
#: People, HITs of a batch and judgments so that everybody has 16 HITs of a batch, four in each quarter of it.
PEOPLE, HITS, JUDGMENTS = 5, 40, 2


def dealt(folder: Path, seed: int, arrange: str, per_hit: int, repeats: float, batches: int = 2) -> Path:
    """A campaign of which so many batches were dealt: 240 items, each second one with a degraded copy."""
    rows = [[f"{s}{y}", f"text {s} {y}", "item", "", f"s{s}", y] for s in range(SOURCES) for y in SYSTEMS]
    rows += [[f"d{name}", f"bad {name}", "degraded", name, s, y] for name, _, _, _, s, y in rows[::2]]
    with (folder / "items.csv").open("w", newline="") as out:
        csv.writer(out).writerows([["id", "sent", "role", "of", "source", "system"], *rows])
    path = folder / f"{seed}.db"
    design = Design(arrange=arrange, judgments=JUDGMENTS, repeats=repeats, degraded=0.1)
    create(path, folder / "items.csv", "easl", per_hit, seed=seed, design=design)
    register(path, [f"p{k}" for k in range(PEOPLE)])
    for _ in range(batches):
        opened(path).next_batch(HITS)
    return path


def quarters(path: Path) -> np.ndarray:
    """int[2, 4]: slots for degraded items, and HITs, in each quarter of the annotators' work in a batch."""
    plans = {(b, h): json.loads(p) for b, h, p in rows_of(path, "SELECT batch, number, plan FROM hit") if p}
    query = "SELECT annotator, batch, hit FROM assignment ORDER BY annotator, batch, place"
    work: dict[tuple[int, int], list[int]] = {}
    for who, batch, hit in rows_of(path, query):
        work.setdefault((who, batch), []).append(plans[batch, hit].count("degraded"))
    found = np.zeros((2, 4), int)
    for own in work.values():
        for k, degraded in enumerate(own):
            found[:, 4 * k // len(own)] += degraded, 1
    return found


@pytest.mark.parametrize(
    ("arrange", "per_hit", "repeats"),
    [("any", 5, 0.1), ("any", 2, 0.2), ("any", 5, 0.0), ("same-source", 4, 0.1)],
)
def test_degraded_items_come_as_often_in_each_quarter_of_an_annotators_work(
    tmp_path, arrange, per_hit, repeats
):
    """Of independent places chi-square is above 16.3 once in 1,000 times; places that are spread give less."""
    degraded, hits = sum(quarters(dealt(tmp_path, seed, arrange, per_hit, repeats)) for seed in range(6))
    assert degraded.sum() >= 60 and hits.min() > 0
    expected = degraded.sum() * hits / hits.sum()
    assert ((degraded - expected) ** 2 / expected).sum() < chi2.isf(0.001, 3)


@pytest.mark.parametrize(
    ("arrange", "per_hit"), [("any", 5), ("any", 2), ("same-source", 4), ("same-source", 6)]
)
def test_no_degraded_item_is_alone_on_its_page_and_the_page_has_as_many_items_as_others(
    tmp_path, arrange, per_hit
):
    path = dealt(tmp_path, 1, arrange, per_hit, 0.1)
    plans = [json.loads(p) for (p,) in rows_of(path, "SELECT plan FROM hit") if p]
    with_degraded = [plan for plan in plans if "degraded" in plan]
    assert len(with_degraded) >= 8
    assert all(set(plan) != {"degraded"} for plan in with_degraded)
    assert {len(plan) for plan in with_degraded} == {len(plan) for plan in plans}


def test_where_a_page_cannot_have_another_item_it_is_said_before_anything_is_dealt(tmp_path):
    rows = [["a1", "s"], ["a2", "s"], ["b1", "t"]]
    table = [[k, k, "item", "", s] for k, s in rows] + [[f"d{k}", k, "degraded", k, s] for k, s in rows]
    for name, kept in (("all", table), ("two", [row for row in table if row[4] == "s"])):
        with (tmp_path / f"{name}.csv").open("w", newline="") as out:
            csv.writer(out).writerows([["id", "sent", "role", "of", "source"], *kept])
    design = Design(arrange="same-source", degraded=0.3)
    with pytest.warns(DataWarning, match="1 degraded item.s. belong to sources with one output, so they and"):
        create(tmp_path / "C.db", tmp_path / "all.csv", per_hit=2, design=design)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        create(tmp_path / "D.db", tmp_path / "two.csv", per_hit=2, design=design)
        create(tmp_path / "E.db", tmp_path / "all.csv", per_hit=2, design=Design(degraded=0.3))
