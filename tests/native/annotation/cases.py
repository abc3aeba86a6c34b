"""The simulated judgments of annotation_cases.csv by kind; no one's data (numpy default_rng(20261121))."""

from __future__ import annotations

import csv
import functools

import numpy as np
from numpy.typing import NDArray

from tests.places import DATA


@functools.lru_cache(maxsize=None)
def rows(kind: str) -> tuple[dict[str, str], ...]:
    """Rows of the kind item (240), repeat (48), degraded (80) or complete (200)."""
    with open(DATA / "annotation_cases.csv", encoding="utf-8", newline="") as file:
        return tuple(row for row in csv.DictReader(file) if row["kind"] == kind)


def column(kind: str, name: str) -> list[str]:
    return [row[name] for row in rows(kind)]


def scores(kind: str) -> NDArray[np.float64]:
    """In [0, 1]."""
    return np.array([float(s) for s in column(kind, "score")]) / 100.0


def codes(kind: str, name: str) -> NDArray[np.int64]:
    return np.unique(column(kind, name), return_inverse=True)[1].ravel()


def with_originals(kind: str) -> tuple[list[str], list[float], list[float]]:
    """Annotator, own score of the original and this score, in points, of repeats or degraded items."""
    own = {(row["annotator"], row["item"]): float(row["score"]) for row in rows("item")}
    found = rows(kind)
    return (
        [row["annotator"] for row in found],
        [own[row["annotator"], row["of"]] for row in found],
        [float(row["score"]) for row in found],
    )
