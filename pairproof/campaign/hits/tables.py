"""A batch as a table: our own layout, Mechanical Turk's, or Label Studio's tasks, and what shows it there.

The plain layout holds every column that annotators may see and is a team's own.  The other two are shown as they
are, and hold the text and the columns of `show` only.
"""

from __future__ import annotations

import json
from typing import Literal, get_args

from ...data.options import one_of
from ...errors import InputError
from ...files.guarded import csv_text
from ..formats.files import BATCH_COLUMNS
from ..formats.writers.label_studio_tasks import config_xml, tasks_json
from ..formats.writers.mturk_cells import mturk_csv
from ..formats.writers.mturk_layout import layout
from ..formats.writers.sheet import Sheet
from ..page.texts import Texts
from .chosen import Batch

Style = Literal["plain", "mturk", "label-studio"]
#: Suffixes of a batch's file, by its style.
SUFFIXES: dict[Style, tuple[str, ...]] = {
    "plain": (".csv", ".jsonl", ".html"),
    "mturk": (".csv",),
    "label-studio": (".json",),
}
#: Suffix of what shows a batch in the other tool.
LAYOUTS: dict[Style, str] = {"mturk": ".html", "label-studio": ".xml"}


def check_style(style: str, layout_file: object | None) -> None:
    """Check a style, and that a layout is asked for only where there is one."""
    one_of("style", style, get_args(Style))
    if layout_file is None:
        return
    suffix = next((ending for name, ending in LAYOUTS.items() if name == style), None)
    if suffix is None:
        raise InputError(
            f"--layout {layout_file}: for a batch of another tool; add --for mturk or label-studio"
        )
    if not str(layout_file).lower().endswith(suffix):
        raise InputError(f"--layout {layout_file}: expected a name that ends in {suffix} with --for {style}")


def table(batch: Batch, style: Style, suffix: str) -> str:
    """The text of a batch's file."""
    if style == "plain":
        return plain_table(batch, suffix)
    sheet = sheet_of(batch)
    return mturk_csv(sheet) if style == "mturk" else tasks_json(sheet)


def layout_text(batch: Batch, style: Style, texts: Texts) -> str:
    """What shows the batch in the other tool: a layout of Mechanical Turk, or Label Studio's configuration."""
    show = (batch.text, *batch.show)
    return layout(batch.per_hit, show, texts) if style == "mturk" else config_xml(batch.per_hit, show, texts)


def sheet_of(batch: Batch) -> Sheet:
    """The batch with the columns that annotators see."""
    show = (batch.text, *batch.show)
    if batch.text not in batch.columns:
        raise InputError(
            f"the items have no text but their ids; --for mturk and label-studio need a column {batch.text!r}"
        )
    where = [batch.columns.index(name) for name in show]
    hits = tuple(tuple((name, tuple(cells[k] for k in where)) for name, cells in hit) for hit in batch.hits)
    return Sheet(batch.campaign, batch.per_hit, show, batch.places, hits)


def plain_table(batch: Batch, suffix: str) -> str:
    """A batch as CSV or JSON lines: every item column numbered from 1, then campaign, batch and hit."""
    slots = range(1, batch.per_hit + 1)
    header = [f"{name}{k}" for k in slots for name in ("id", *batch.columns)] + list(BATCH_COLUMNS)
    blank = [""] * (1 + len(batch.columns))
    rows = [
        [cell for name, cells in hit for cell in (name, *cells)]
        + blank * (batch.per_hit - len(hit))
        + [batch.campaign, str(number), str(k)]
        for hit, (number, k) in zip(batch.hits, batch.places)
    ]
    if suffix == ".jsonl":
        return "".join(json.dumps(dict(zip(header, row)), ensure_ascii=False) + "\n" for row in rows)
    return csv_text(header, rows)
