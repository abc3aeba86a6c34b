"""The CSV files of a campaign: reads items and models, and recognises the model files and comparisons that the
campaign exported.  Cells that a spreadsheet would run are guarded as :mod:`pairproof.files.guarded` says.

An exported model file or table of comparisons has no place for a mark that says who wrote it, and both are
also formats of other tools.  A model file is taken for the campaign's own if it has the campaign's items in
their order and, to the last digit, the mode and variance that pairproof computes from its parameters.
Comparisons are taken for the campaign's own if all items are its items and every source is a HIT as pairproof
names them.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...data.reading.sources import Table, from_frame, load
from ...errors import InputError
from ...files.inputs import read_file
from ...files.outputs import MARK, unguard
from ...native.annotation.methods import BETA, ScoreState
from ..storage.records import About
from .kinds import refuse_other
from .score_tables import read_batch

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
