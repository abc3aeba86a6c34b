"""Campaigns with checks and registered annotators, and what annotators return."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import numpy as np

from pairproof.campaign import create, open_batch, take_in
from pairproof.campaign.hits.registered import register
from pairproof.campaign.storage.design import Design
from tests.campaign.helpers import write

PEOPLE = ("ann", "bob", "cas", "dan")
SOURCES, SYSTEMS = 10, 4
#: Rows of the items file: 40 items, 20 degraded, 6 gold, 1 attention, 3 calibration, 4 qualification.
ITEM_IDS = [f"i{k}" for k in range(40)]


def items_with_checks(folder: Path) -> Path:
    """Ten sources by four systems, and items of every other role."""
    rows = [[f"i{k}", f"text {k}", f"s{k // 4}", f"y{k % 4}", "item", "", ""] for k in range(40)]
    rows += [
        [f"d{k}", f"bad {k}", f"s{k // 4}", f"y{k % 4}", "degraded", f"i{k}", ""] for k in range(0, 40, 2)
    ]
    rows += [[f"g{k}", f"known {k}", "", "", "gold", "", str(k / 5)] for k in range(6)]
    rows += [["t0", "move to 20", "", "", "attention", "", "0.2"]]
    rows += [[f"c{k}", f"common {k}", "", "", "calibration", "", ""] for k in range(3)]
    rows += [[f"q{k}", f"asked {k}", "", "", "qualification", "", str(k / 3)] for k in range(4)]
    path = folder / "items.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([["id", "sent", "source", "system", "role", "of", "gold"], *rows])
    return path


def checked_campaign(
    folder: Path, people=PEOPLE, name: str = "C.db", method="easl", per_hit=5, **design
) -> Path:
    path = folder / name
    create(path, items_with_checks(folder), method, per_hit, seed=7, design=Design(**design))
    if people:
        register(path, people)
    return path


def rows_of(path: Path, query: str, *parameters: object) -> list[tuple]:
    db = sqlite3.connect(path)
    try:
        return db.execute(query, parameters).fetchall()
    finally:
        db.close()


def hits_of(path: Path) -> dict[tuple[int, int], tuple[str, list[str], list[str]]]:
    """(batch, hit) -> its kind, the ids of its items, and what each slot is for."""
    ids = [name for (name,) in rows_of(path, "SELECT id FROM item ORDER BY position")]
    return {
        (b, h): (kind, [ids[i] for i in json.loads(items)], json.loads(plan) if plan else [])
        for b, h, kind, items, plan in rows_of(path, "SELECT batch, number, kind, items, plan FROM hit")
    }


def given_to(path: Path) -> dict[str, list[tuple[int, int]]]:
    """Annotator -> HITs that they have or had, in their own order."""
    found: dict[str, list[tuple[int, int]]] = {}
    query = (
        "SELECT p.name, s.batch, s.hit FROM assignment s JOIN annotator p ON p.number = s.annotator"
        " ORDER BY p.name, s.batch, s.place"
    )
    for name, batch, hit in rows_of(path, query):
        found.setdefault(name, []).append((batch, hit))
    return found


def returns(path: Path, name: str, seed: int = 1, noise: float = 0.05, batch: int | None = None) -> int:
    """Answer an annotator's HITs of the last batch, and those of earlier ones that are open."""
    return take_in(path, results_by(path, name, seed, noise)).new


def results_by(path: Path, name: str, seed: int = 1, noise: float = 0.05) -> Path:
    """A file of an annotator's answers, not added to the campaign."""
    out = path.parent / f"{name}.csv"
    open_batch(path, out, again=True, annotator=name)
    rng = np.random.default_rng(seed)
    known = dict(rows_of(path, "SELECT id, gold FROM item"))
    token = dict(rows_of(path, "SELECT name, token FROM annotator"))[name] or ""
    judged = []
    for row in csv.DictReader(out.open(encoding="utf-8")):
        one = {f"Input.{k}": v for k, v in row.items()} | {"WorkerId": name}
        one["AssignmentId"] = f"{name}-{row['batch']}-{row['hit']}"
        one["Input.token"] = token  # as their page writes it
        for k in range(1, 6):
            item, one[f"Answer.range{k}"] = row[f"id{k}"], ""
            if item:
                truth = known[item] if known[item] is not None else int(item[1:]) / 40
                one[f"Answer.range{k}"] = str(round(100 * float(np.clip(truth + rng.normal(0, noise), 0, 1))))
        judged.append(one)
    return write(path.parent / f"r-{name}.csv", judged)
