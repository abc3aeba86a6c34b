"""Campaigns small enough to read, and annotators who answer any batch."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from pairproof.campaign import create, open_batch, status, take_in

SENTENCES = [
    "obama is right",
    "aca is a success",
    "ebola is a virus",
    "democrats are corrupt",
    "hillary will win",
    "cruz is eligible",
    "bush kept us safe",
    "global warming is a religion",
    "harry reid is a democrat",
    "the republicans are useless",
]


def items_file(folder: Path, n: int = 10, name: str = "items.csv") -> Path:
    path = folder / name
    rows = [[str(k + 1), SENTENCES[k % len(SENTENCES)]] for k in range(n)]
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([["id", "sent"], *rows])
    return path


def campaign(
    folder: Path, n: int = 10, method="easl", per_hit: int = 5, name: str = "C.db", **options
) -> Path:
    path = folder / name
    create(path, items_file(folder, n), method, per_hit, seed=7, **options)
    return path


def batch_rows(path: Path, hits: int | None = None) -> list[dict[str, str]]:
    """The next batch, as the rows of its CSV file."""
    out = path.parent / "batch.csv"
    open_batch(path, out, hits)
    return list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))


def answers(
    rows: list[dict[str, str]],
    seed: int = 0,
    worker: str | None = "ann",
    assignments: bool = True,
    per_hit: int = 5,
) -> list[dict[str, str]]:
    """One judgment of every HIT: scores near a truth that rises with the item's id."""
    rng = np.random.default_rng(seed)
    found = []
    for k, row in enumerate(rows):
        judged = {f"Input.{name}": cell for name, cell in row.items()}
        for j in range(1, per_hit + 1):
            truth = 8 * (int(row[f"id{j}"].lstrip("'=")) % 11) + 5
            judged[f"Answer.range{j}"] = str(int(np.clip(truth + rng.normal(0, 12), 0, 100)))
        if worker is not None:
            judged["WorkerId"] = worker
        if assignments:
            judged["AssignmentId"] = f"A{seed}-{worker}-{row['batch']}-{row['hit']}-{k}"
        found.append(judged)
    return found


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    header = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, header, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def run_batches(path: Path, batches: int = 3, per_hit: int = 5) -> None:
    for seed in range(batches):
        take_in(path, write(path.parent / f"r{seed}.csv", answers(batch_rows(path), seed, per_hit=per_hit)))


def scores(path: Path) -> list[dict]:
    return status(path).to_dict()["scores"]
