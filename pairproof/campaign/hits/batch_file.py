"""A batch of HITs, and the files it is written to: CSV for Mechanical Turk, JSON lines, or a page."""

from __future__ import annotations

import json

from ..formats.files import BATCH_COLUMNS, csv_text
from ..page.page import page
from .chosen import Batch

SUFFIXES = (".csv", ".jsonl", ".html")


def batch_text(batch: Batch, suffix: str) -> str:
    """The text of a batch's file."""
    if suffix == ".html":
        return page(batch)
    header = [f"{name}{k}" for k in range(1, batch.per_hit + 1) for name in ("id", *batch.columns)] + list(
        BATCH_COLUMNS
    )
    rows = [
        [cell for name, cells in hit for cell in (name, *cells)]
        + [batch.campaign, str(batch.number), str(k + 1)]
        for k, hit in enumerate(batch.hits)
    ]
    if suffix == ".jsonl":
        return "".join(json.dumps(dict(zip(header, row)), ensure_ascii=False) + "\n" for row in rows)
    return csv_text(header, rows)
