"""The CSV files of a campaign: reads items and models, and recognises the model files and comparisons that the
campaign exported.  Cells that a spreadsheet would run are guarded as :mod:`pairproof.files.guarded` says.

An exported model file or table of comparisons has no place for a mark that says who wrote it, and both are
also formats of other tools.  A model file is taken for the campaign's own if it has the campaign's items in
their order and, to the last digit, the mode and variance that pairproof computes from its parameters.
Comparisons are taken for the campaign's own if all items are its items and every source is a HIT as pairproof
names them.

The files of annotation are told apart by their content: their header, or their first JSON object.  Each kind has
a sentence that says what to do with it, for the commands that want another file.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...data.reading.sources import Table, from_frame, load
from ...errors import InputError
from ...files.inputs import decoded, member, of_kind, parsed, read_file, unpacked
from ...files.outputs import MARK, unguard
from ...native.annotation.methods import BETA, Method, ScoreState
from ...text import quoted
from ..storage.records import About

#: Number of items in a HIT in the paper's experiments.
PER_HIT = 5
#: Columns of a batch file that do not describe an item.
BATCH_COLUMNS = ("campaign", "batch", "hit")
MODEL_COLUMNS = ("alpha", "beta", "mode", "var")
SKILL_COLUMNS = ("mu", "sigma")
COMPARISON_COLUMNS = ("first", "second", "outcome", "judge", "source")
_SOURCE = re.compile(r"[0-9]+/[0-9]+|judgment [0-9]+")


# -- items and models ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ItemsFile:
    """The items of a file."""

    table: Table
    ids: tuple[str, ...]
    columns: tuple[str, ...]

    def fields(self, columns: Sequence[str]) -> list[list[str]]:
        """The cells of these columns, one row for each item."""
        cells = [cells_of(self.table, name) for name in columns]
        return [list(row) for row in zip(*cells)] if cells else [[] for _ in self.ids]


def read_items(path: str | Path, encoding: str | None = None) -> ItemsFile:
    """Read an items file, a model file, or a batch of Appraise as items."""
    table = _appraise_batch(path) if str(path).lower().endswith(".json") else load(str(path), encoding)
    if "id" not in table.columns:
        raise InputError(
            f"{table.source}: no column 'id'; found {', '.join(map(repr, table.columns))}; expected id, sent"
            " and any other columns; rename the column of names to id, and that of texts to sent"
        )
    ids = cells_of(table, "id")
    seen: dict[str, int] = {}
    for row, name in enumerate(ids):
        if not name.strip():
            raise InputError(f"{table.where(row, 'id')}: blank; every item needs an id")
        before = seen.setdefault(name, row)
        if before < row:
            raise InputError(
                f"{table.where(row, 'id')}: {name!r} is also the id of row {before + 1}; ids must be unique"
            )
    columns = tuple(c for c in table.columns if c not in ("id", MARK))
    taken = [c for c in columns if c in BATCH_COLUMNS]
    if taken:
        raise InputError(
            f"{table.source}: column {', '.join(map(repr, taken))}: batch files use this column"
            " name; rename the column"
        )
    return ItemsFile(table, tuple(ids), columns)


def _appraise_batch(path: str | Path) -> Table:
    """The items of a batch of Appraise as a table."""
    import pandas as pd

    raw, source = read_file(path, "a batch of Appraise"), str(path)
    refuse_other(raw, source, ("appraise-batch",), "a CSV file of items, or a batch of Appraise")
    return from_frame(pd.DataFrame(read_batch(raw, source), dtype=object), source)


def cells_of(table: Table, column: str, mark: str = MARK) -> list[str]:
    """A column as text, without guards; `mark` is the column that says which rows have guarded cells."""
    cells = [str(c) for c in table.columns[column]]
    marks = next((table.columns[name] for name in (mark, MARK) if name in table.columns), None)
    return cells if marks is None else [unguard(c) if str(m) == "1" else c for c, m in zip(cells, marks)]


def check_numbered(columns: Sequence[str], per_hit: int, source: str) -> None:
    """Check that the numbered columns of a batch are distinct; `x` and `x1` could both give the name x11."""
    names = [f"{c}{k}" for c in ("id", *columns) for k in range(1, per_hit + 1)] + list(BATCH_COLUMNS)
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise InputError(
            f"{source}: numbering from 1 to {per_hit} gives two columns the name {twice[0]!r}; rename one"
            f" of {', '.join(map(repr, columns))}"
        )


def check_size(per_hit: int, n_items: int, method: Method, source: str) -> None:
    """Check that a HIT has no more items than there are, and at least two if the method compares items."""
    least = 1 if method == "da" else 2
    if not least <= per_hit <= n_items:
        raise InputError(
            f"{source}: {n_items} item(s), but {per_hit} per HIT; expected {least} to {n_items} with method"
            f" {method} (--per-hit)"
        )


# -- batches of Appraise -------------------------------------------------------------------------------------


#: Appraise's type -> kind of score in a campaign.
APPRAISE_KINDS = {"TGT": "item", "CHK": "repeat", "BAD": "degraded", "REF": "gold"}
#: An item of a batch, as a row of an items file.
BatchItem = dict[str, str]


def systems_of(text: str, where: str) -> tuple[str, ...]:
    """The systems that share an output: "A+B" are two."""
    names = tuple(name.strip() for name in text.split("+"))
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"{where}: {text!r}; expected a system, or different systems joined by +")
    return names


def read_batch(raw: bytes, source: str) -> list[BatchItem]:
    """The items of a batch of Appraise, each once; planned repeats (CHK) are no items of their own."""
    found: dict[str, BatchItem] = {}
    for t, task in enumerate(of_kind(parsed(decoded(raw, source), source), list, source, "the document"), 1):
        where = f"{source}, task {t}"
        entries = member(of_kind(task, dict, where, "it"), "items", list, where)
        for k, entry in enumerate(entries, 1):
            place = f"{where}, item {k}"
            for item in _batch_items(of_kind(entry, dict, place, "it"), place):
                name = item["id"]
                if found.setdefault(name, item) != item:
                    raise InputError(f"{place}: item {quoted(name)} is also in the batch with another text")
    if not found:
        raise InputError(f"{source}: no items to judge; expected a batch of Appraise")
    return list(found.values())


def _batch_items(entry: Mapping[str, Any], where: str) -> list[BatchItem]:
    """The items of an entry: one for each of the systems that share the output, none for a planned repeat."""
    kind = member(entry, "itemType", str, where)
    if kind not in APPRAISE_TYPES:
        raise InputError(f"{where}: itemType {kind!r}; expected {', '.join(APPRAISE_TYPES)}")
    if kind == "CHK":
        return []
    segment = str(member(entry, "itemID", (int, str), where))
    document = member(entry, "documentID", (str, type(None)), where, None)
    segment = f"{document}/{segment}" if document else segment
    text, role = member(entry, "targetText", str, where), APPRAISE_KINDS[kind]
    original = member(entry, "sourceText", str, where, "")
    # A reference has the known score 1.
    known = {"gold": "1" if role == "gold" else "", "source_text": original}
    found = []
    for system in systems_of(member(entry, "targetID", str, where), f"{where}, 'targetID'"):
        of = item_id(segment, system, "item") if role == "degraded" else ""
        own = {"id": item_id(segment, system, role), "sent": text, "role": role, "of": of}
        found.append({**own, "source": segment, "system": system, **known})
    return found


def item_id(segment: str, system: str, role: str) -> str:
    """The id of a system's output for a segment; a degraded one or a reference ends in its kind."""
    name = f"{segment} {system}" if system else segment
    return name + {"item": "", "degraded": " (degraded)", "gold": " (reference)"}[role]


# -- what the campaign exported before -----------------------------------------------------------------------


def exported_before(content: bytes, a: About, ids: Sequence[str]) -> bool:
    """Whether the campaign wrote these bytes as a model file, as comparisons or as a log."""
    if content.startswith(b'{"kind":"campaign","schema":'):
        return f'"id":{json.dumps(a.id)},'.encode() in content[:200]
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))
    except (UnicodeDecodeError, csv.Error):
        return False
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        return False
    header, body = rows[0], rows[1:]
    if header[-1] == MARK:
        header, body = header[:-1], [[unguard(c) if row[-1] == "1" else c for c in row[:-1]] for row in body]
    if tuple(header) == COMPARISON_COLUMNS:
        known = set(ids)
        return all(row[0] in known and row[1] in known and _SOURCE.fullmatch(row[4]) for row in body)
    return _is_model(header, body, a, ids)


def _is_model(header: Sequence[str], body: Sequence[Sequence[str]], a: About, ids: Sequence[str]) -> bool:
    columns = MODEL_COLUMNS if a.method in BETA else (*SKILL_COLUMNS, "var")
    if tuple(header) != ("id", *a.columns, *columns) or [row[0] for row in body] != list(ids):
        return False
    cells = [row[-len(columns) :] for row in body]
    try:
        values = np.array([[float(c) for c in row] for row in cells])
    except ValueError:
        return False
    second = values[:, 1] if a.method in BETA else values[:, 2]
    state = ScoreState(a.method, values[:, 0], second, np.zeros(len(ids), np.int64))
    return model_cells(state) == cells


def model_cells(state: ScoreState) -> list[list[str]]:
    """The cells of a model file, one row per item, with every digit."""
    columns = [state.a, np.sqrt(state.b), state.b]
    if state.method in BETA:
        columns = [state.a, state.b, state.score, state.variance]
    return [[number(v) for v in row] for row in zip(*(c.tolist() for c in columns))]


def number(value: float) -> str:
    """A number as text with every digit; blank for nan."""
    return "" if np.isnan(value) else repr(value)


# -- kinds of files ------------------------------------------------------------------------------------------

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
    ("scores", "a table with one row per score", _IMPORT),
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
        ("scores", {"annotator", "item", "score"} <= names),
        ("mqm", {"rater", "category", "severity"} <= {n.casefold() for n in names}),
        ("model", "id" in names and ({"alpha", "beta"} <= names or {"mu", "sigma"} <= names)),
        ("appraise-scores", len(cells) in (9, 11) and cells[3].strip() in APPRAISE_TYPES),
    )
    return next((name for name, holds in rules if holds), "")
