"""Tells the files of annotation apart by their content: their header, or their first JSON object.

Each kind has a sentence that says what to do with it, for the commands that want another file.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InputError
from ...files.inputs import unpacked

#: Bytes that are looked at.  The first task of Label Studio with 100 items has less.
_HEAD = 2**18


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    name: str
    what: str
    cure: str


_UPDATE = "add it with 'pairproof easl update C.db FILE'"
_IMPORT = "create a campaign from it with 'pairproof easl import C.db FILE'"
_INIT = "create a campaign from its items with 'pairproof easl init C.db FILE'"
_SHOW = "'pairproof easl demographics C.db FILE' shows it next to the annotators"
_OF_ERRORS = (
    "error weights give no bounded score for a campaign; give each segment a score from 0 to 100 (for"
    " example with the ESA protocol), or compare systems with 'pairproof fit'"
)
_KINDS = (
    ("results", "a results file", _UPDATE),
    ("label-studio", "an export of Label Studio", _UPDATE),
    ("log", "a log of a campaign", _IMPORT),
    ("model", "a model file", _IMPORT),
    ("batch", "a batch of HITs without answers", "annotators answer it; add their results"),
    ("appraise-scores", "a table of scores from Appraise", _IMPORT),
    ("wmt-scores", "a table of direct assessment scores from WMT", _IMPORT),
    ("appraise-batch", "a batch of Appraise", _INIT),
    ("prolific", "a table of demographics from Prolific", _SHOW),
    ("mqm", "a table of MQM errors", _OF_ERRORS),
)
KINDS = {name: Kind(name, what, cure) for name, what, cure in _KINDS}
#: Types of an item in Appraise's tables.
APPRAISE_TYPES = ("TGT", "REF", "BAD", "CHK")


def kind_of_file(raw: bytes, source: str) -> Kind | None:
    """The kind of file that these bytes are; None if it is none that is known."""
    head = unpacked(raw, source)[:_HEAD]
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    name = _of_json(text) if text[:1] in ("{", "[") else _of_header(text)
    return KINDS.get(name)


def refuse_other(raw: bytes, source: str, wanted: Sequence[str], expected: str) -> str:
    """The name of the file's kind, which must be one of `wanted`."""
    kind = kind_of_file(raw, source)
    if kind is not None and kind.name in wanted:
        return kind.name
    found = f"is {kind.what}; {kind.cure}" if kind else "is of an unknown kind"
    raise InputError(f"{source}: {found}; expected {expected}")


def _of_json(text: str) -> str:
    """By the names in the first object, or by those near the beginning where the object is not whole."""
    seen = ("annotations", "data", "annotation_id", "items", "task")
    try:
        first, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        first = {name: None for name in seen if f'"{name}"' in text}
    names = set(first)
    if "annotations" not in names and isinstance(first.get("data"), dict):
        names |= set(first["data"])  # a task of Label Studio that nobody has answered
    rules = (
        ("log", first.get("kind") == "campaign"),
        ("label-studio", {"annotations", "data"} <= names or "annotation_id" in names),
        ("appraise-batch", {"items", "task"} <= names),
        ("results", "Input.id1" in names),
        ("batch", {"id1", "campaign", "batch", "hit"} <= names),
    )
    return next((name for name, holds in rules if holds), "")


def _of_header(text: str) -> str:
    line = text.partition("\n")[0].rstrip("\r")
    delimiter = "\t" if "\t" in line else ";" if line.count(";") > line.count(",") else ","
    cells: list[str]
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return ""
    names = {c.strip() for c in cells}
    words = set(line.split())
    rules = (
        ("results", "Input.id1" in names),
        ("batch", {"id1", "campaign", "batch", "hit"} <= names and "annotator" not in names),
        ("label-studio", {"annotation_id", "annotator"} <= names),
        ("prolific", {"Submission id", "Participant id"} <= names),
        ("wmt-scores", {"HITId", "WorkerId", "sys_id", "type", "score"} <= words),
        ("mqm", {"rater", "category", "severity"} <= {n.casefold() for n in names}),
        ("model", "id" in names and ({"alpha", "beta"} <= names or {"mu", "sigma"} <= names)),
        ("appraise-scores", len(cells) in (9, 11) and cells[3].strip() in APPRAISE_TYPES),
    )
    return next((name for name, holds in rules if holds), "")
