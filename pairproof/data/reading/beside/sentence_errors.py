"""Errors and lengths by sentence, one row a sentence and system, from which WER, PER and TER are made.

No row is dropped: a cell that cannot be used is refused, and sentences that only one of two systems has are
named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ....errors import InputError
from ....text import listed, quoted
from ...columns import Factor, FloatArray, IntArray
from ...where import Conditions, Narrowed
from ..cells import DECIMAL_COMMA, chosen_rows, labels, numbers
from ..sources import Table, load, suggestion, warn_if_cut

#: What the columns are called unless stated otherwise; the first two may be absent.
COLUMNS = {"system": "system", "sentence": "sentence", "errors": "errors", "lengths": "length"}
_MEANING = dict(
    zip(COLUMNS, ("the system", "the sentence", "the errors of a sentence", "its length in words"))
)


@dataclass(frozen=True, eq=False)
class SystemErrors:
    """The errors of one system's sentences.  errors float[m]; lengths float[m]."""

    errors: FloatArray
    lengths: FloatArray
    sentences: tuple[str, ...] | None
    clusters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """A table of errors: systems by name, in the order in which the table first names them."""

    source: str
    systems: dict[str, SystemErrors]
    named: bool
    columns: tuple[str, ...]
    narrowed: Narrowed | None = None


@dataclass(frozen=True, eq=False)
class Shared:
    """The sentences of two systems, shared and not.  `first`, second int[k]."""

    first: IntArray
    second: IntArray
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def shared_sentences(first: SystemErrors, second: SystemErrors) -> Shared:
    """The sentences that two systems have in common, and those of one alone."""
    if first.sentences is None or second.sentences is None:
        raise InputError(
            "the sentences have no names, so the errors of the two systems cannot be"
            " paired; add a sentence column"
        )
    at = {name: k for k, name in enumerate(second.sentences)}
    both = [(k, at[name]) for k, name in enumerate(first.sentences) if name in at]
    mine, theirs = np.array(both, np.int64).reshape(-1, 2).T
    known = set(first.sentences)
    alone = tuple(s for s in first.sentences if s not in at)
    return Shared(mine, theirs, alone, tuple(s for s in second.sentences if s not in known))


def read_errors(
    source: Any,
    *,
    system: str | None = None,
    sentence: str | None = None,
    errors: str | None = None,
    lengths: str | None = None,
    encoding: str | None = None,
    clusters: Sequence[str] = (),
    where: Conditions = None,
) -> ErrorTable:
    """Read a long table of errors.

    source: "-" is standard input.  system, sentence, errors, lengths: names of the columns; default
    `COLUMNS`.  A stated column must be there.  encoding: of a text file that is not UTF-8.  clusters: further
    columns, by which sentences go together (a document, a post-editor).  where: only the rows that fulfil
    conditions such as "lang=en".
    """
    table = load(source, encoding)
    warn_if_cut(table)
    table, narrowed = chosen_rows(table, where)
    found = _columns(table, {"system": system, "sentence": sentence, "errors": errors, "lengths": lengths})
    d = _numbers(table, str(found["errors"]), ">= 0")
    l = _numbers(table, str(found["lengths"]), "> 0")
    table.need(clusters, " to cluster by")
    of_clusters = {column: _names(table, column) for column in clusters}
    systems = _names(table, found["system"])
    sentences = _names(table, found["sentence"])
    if sentences is not None:
        _check_once(table, systems, sentences, found)
    of: dict[str, SystemErrors] = {}
    for name, rows in _rows(systems, table.n_rows).items():
        if len(rows) < 2:
            who = f"system {quoted(name)} has" if systems is not None else "there is"
            raise InputError(
                f"{table.where(int(rows[0]))}: {who} 1 sentence; a standard error needs at least 2"
            )
        of[name] = SystemErrors(
            d[rows],
            l[rows],
            None if sentences is None else tuple(sentences.levels[k] for k in sentences.codes[rows]),
            {name: tuple(f.levels[k] for k in f.codes[rows]) for name, f in of_clusters.items() if f},
        )
    return ErrorTable(table.source, of, systems is not None, tuple(table.columns), narrowed)


def _columns(table: Table, stated: dict[str, str | None]) -> dict[str, str | None]:
    """Role -> column; None for one that may be absent and is."""
    found: dict[str, str | None] = {}
    for role, name in stated.items():
        wanted = name if name is not None else COLUMNS[role]
        if wanted in table.columns:
            found[role] = wanted
        elif name is None and role in ("system", "sentence"):
            found[role] = None
        else:
            raise InputError(
                f"{table.source}: no column {quoted(wanted)} for {_MEANING[role]}; found"
                f" {listed(table.columns)}"
                + suggestion(wanted, table.columns)
                + f"; name the right one with --{role} (in Python {role}=)"
            )
    roles: dict[str, str] = {}
    for role, column in found.items():
        if column is not None and roles.setdefault(column, role) != role:
            raise InputError(
                f"{table.source}: column {column!r} cannot be {_MEANING[roles[column]]} and {_MEANING[role]};"
                f" name another one with --{role} (in Python {role}=); found {listed(table.columns)}"
            )
    return found


def _numbers(table: Table, column: str, range_: str) -> FloatArray:
    values, wrong = numbers(table, column)
    bad = wrong | ~np.isfinite(values) | (values < 0 if range_ == ">= 0" else ~(values > 0))
    if bad.any():
        found = table.shown(column, bad)
        cure = "; write decimals with a point" if DECIMAL_COMMA.fullmatch(found.strip("'\" ")) else ""
        if range_ == "> 0" and values[np.flatnonzero(bad)[0]] == 0:
            cure = "; a sentence without reference words has no rate: remove it for every system"
        raise table.refuse(bad, column, f"found {found}", f"expected a finite number {range_}{cure}")
    return values


def _names(table: Table, column: str | None) -> Factor | None:
    if column is None:
        return None
    found = labels(table, column)
    table.check(found.codes < 0, column, "blank", "every row needs a name; otherwise omit the column")
    return found


def _rows(systems: Factor | None, n_rows: int) -> dict[str, IntArray]:
    """System -> its rows, in the order of first appearance."""
    if systems is None:
        return {"": np.arange(n_rows)}
    codes, first = np.unique(systems.codes, return_index=True)
    return {systems.levels[k]: np.flatnonzero(systems.codes == k) for k in codes[np.argsort(first)]}


def _check_once(
    table: Table, systems: Factor | None, sentences: Factor, found: dict[str, str | None]
) -> None:
    key = sentences.codes if systems is None else systems.codes * len(sentences.levels) + sentences.codes
    again = pd.Series(key).duplicated().to_numpy()
    if not again.any():
        return
    row = int(np.flatnonzero(again)[0])
    before = int(np.flatnonzero(key == key[row])[0])
    who = "" if systems is None else f" of system {quoted(systems.levels[systems.codes[row]])}"
    name = "if they are different systems, name the system column with --system"
    cure = name if systems is None else "keep one row of each"
    there = f"{quoted(sentences.levels[sentences.codes[row]])}{who} is already in row {before + 1}"
    raise table.refuse(again, str(found["sentence"]), f"sentence {there}", cure)
