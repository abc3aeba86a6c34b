"""A batch of HITs, and the files it is written to: CSV for Mechanical Turk, JSON lines, or a page.

The page is one file that an annotator opens in a browser.  It fetches and sends nothing; the annotator saves
the results file.  The page holds the items as JSON in which `<`, `>`, `&` and the line separators are
escaped, so that no markup can begin there, and its script shows them as text only.  A content security policy
forbids every connection.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources

from .files import BATCH_COLUMNS, csv_text

SUFFIXES = (".csv", ".jsonl", ".html")
#: Characters that could end the JSON's own element, or a line of a script.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


@dataclass(frozen=True)
class Batch:
    """A batch of HITs.

    Attributes
    ----------
    campaign : str
    number : int
        From 1.
    per_hit : int
    columns : tuple of str
        The items' columns except `id`.
    hits : tuple of tuple of (id, cells)
        HIT k + 1 is entry k; items in the order of presentation.
    unanswered : int
        Number of HITs of earlier batches without any judgment.
    """

    campaign: str
    number: int
    per_hit: int
    columns: tuple[str, ...]
    hits: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
    unanswered: int = 0


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


def page(batch: Batch) -> str:
    """The page's HTML."""
    folder = resources.files(__package__).joinpath("page_files")

    def part(name: str) -> str:
        return folder.joinpath(name).read_text(encoding="utf-8")

    data = {
        "campaign": batch.campaign,
        "batch": batch.number,
        "columns": list(batch.columns),
        "hits": [[{"id": name, "cells": list(cells)} for name, cells in hit] for hit in batch.hits],
    }
    # Placeholders are replaced in one pass from the outside in, so none in the data is ever replaced.
    before, after = part("annotate.html").split("/*DATA*/")
    style, script = part("annotate.css"), part("annotate.js")
    return (
        before.replace("/*STYLE*/", style)
        + json.dumps(data, ensure_ascii=False).translate(_ESCAPES)
        + after.replace("/*SCRIPT*/", script)
    )
