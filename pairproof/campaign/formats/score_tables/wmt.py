"""The tables of direct assessment scores that WMT publishes, in the layout of Graham's tools.

`HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time`: in the raw tables the names
are parted by spaces and the rows by tabs; tables of later steps have tabs throughout.  Types are SYSTEM (an
output), REPEAT (the same annotator again), REF (a reference) and BAD_REF (a degraded output); a system's name
may stand in quotes.  Tables of the step `good-stnd` hold standardised scores: they are refused, because
campaigns keep what annotators said.
"""

from __future__ import annotations

import math

from ....errors import InputError
from ....text import listed
from ..strict_json import decoded
from .judged import JudgedLine, number, score, systems_of

#: Type in the table -> kind of score in a campaign.
KIND_OF = {"SYSTEM": "item", "REPEAT": "repeat", "BAD_REF": "degraded", "REF": "gold"}
NEEDED = ("WorkerId", "Input.src", "Input.trg", "sys_id", "type", "sid", "score")


def read_scores(raw: bytes, source: str) -> list[JudgedLine]:
    """The scores of a table."""
    rows = [line.rstrip("\r") for line in decoded(raw, source).split("\n")]
    names = rows[0].split("\t") if "\t" in rows[0] else rows[0].split()
    names = [_unquoted(name) for name in names]
    absent = [name for name in NEEDED if name not in names]
    if absent or len(set(names)) < len(names):
        what = f"no column {listed(absent)}" if absent else "a column stands twice"
        raise InputError(f"{source}: {what}; found {listed(names)}")
    lines = [
        _line(dict(zip(names, _cells(row, len(names), source, k))), f"{source}, line {k}")
        for k, row in enumerate(rows[1:], 2)
        if row.strip()
    ]
    if not lines:
        raise InputError(f"{source}: no rows below the header")
    return lines


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _cells(row: str, width: int, source: str, k: int) -> list[str]:
    cells = [_unquoted(c) for c in row.split("\t")]
    if len(cells) != width:
        raise InputError(
            f"{source}, line {k}: {len(cells)} fields parted by tabs, but the header has {width} names; was"
            " the file saved by a spreadsheet?"
        )
    return cells


def _line(row: dict[str, str], where: str) -> JudgedLine:
    kind = row["type"]
    if kind not in KIND_OF:
        raise InputError(f"{where}, column 'type': {kind!r}; expected {', '.join(KIND_OF)}")
    if not row["WorkerId"] or not row["sid"]:
        raise InputError(f"{where}: no WorkerId or no sid; expected both")
    given = row["score"]
    hit = row.get("HITId", "")
    seconds = row.get("time", "")
    spent = math.nan
    if seconds not in ("", "NA"):
        spent = number(seconds, f"{where}, column 'time'", "seconds")
    return JudgedLine(
        where,
        row["WorkerId"],
        systems_of(row["sys_id"], f"{where}, column 'sys_id'"),
        row["sid"],
        KIND_OF[kind],
        score(given, f"{where}, column 'score'"),
        given,
        f"{row['Input.src']}-{row['Input.trg']}",
        hit="" if hit == "NA" else hit,
        # Tables in which nobody took times have 0.
        seconds=spent if spent > 0 else math.nan,
    )
