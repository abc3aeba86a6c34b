"""Whether a model file or a table of comparisons is one that a campaign exported before, and may be exported
anew.

Neither format has room for a mark, and both are other tools' formats too.  A model file is the campaign's own
if it has the campaign's items in their order and, to the last digit, the mode and variance that pairproof's
arithmetic makes of its parameters; comparisons are, if all are of its items and every source is a HIT as
pairproof names them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

import numpy as np

from ..native.annotation.methods import BETA, ScoreState
from .files import MODEL_COLUMNS, SKILL_COLUMNS
from .guard import MARK, unguard
from .records import About

COMPARISON_COLUMNS = ("first", "second", "outcome", "judge", "source")
_SOURCE = re.compile(r"[0-9]+/[0-9]+|judgment [0-9]+")


def exported_before(content: bytes, a: About, ids: Sequence[str]) -> bool:
    """Whether the campaign wrote these bytes as a model file or as comparisons."""
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
    """The columns of a model file, an item a row, every digit kept."""
    columns = (
        [state.a, state.b, state.score, state.variance]
        if state.method in BETA
        else [state.a, np.sqrt(state.b), state.b]
    )
    return [[number(v) for v in row] for row in zip(*(c.tolist() for c in columns))]


def number(value: float) -> str:
    """Every digit; blank for no value."""
    return "" if np.isnan(value) else repr(value)
