"""Reads a results file of any tool that is known, chosen by its content or by name.

============  ========================================================================================
results       `Input.id1 ..., Answer.range1 ...` as CSV or JSON lines: the annotation page, Mechanical
              Turk (also crowd forms), and the loops of both public EASL codes
label-studio  JSON, JSON-MIN or CSV exports of Label Studio
codes         codes that the annotation page shows for places where no file can be sent
============  ========================================================================================

A file of another kind that belongs to annotation (a model file, a table of scores, a log, demographics, MQM)
gets an error that names the command or the file that is wanted instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from ....data.options import one_of
from ....data.reading.sources import BINARY, delimited, load
from ....errors import InputError
from ....files.packed import unpacked
from ...page.code import BEGIN, decode
from ...results.results_file import (
    RejectedRule,
    ResultRow,
    ResultsFile,
    bytes_of,
    check_terminated,
    read_results,
    results_of,
    results_of_table,
    row_of,
)
from ..kinds import kind_of_file
from ..strict_json import decoded, of_kind, parsed
from .label_studio import Exported, from_rows, from_tasks, object_rows, table_rows

Tool = Literal["results", "label-studio", "codes"]
TOOLS: tuple[Tool, ...] = get_args(Tool)


def read_any(
    path: str | Path,
    per_hit: int,
    rejected: RejectedRule = "refuse",
    encoding: str | None = None,
    *,
    accept_unterminated: bool = False,
    partial: bool = False,
    tool: Tool | None = None,
    scale: tuple[float, float] | None = None,
) -> ResultsFile:
    """Read a results file of any known tool.

    per_hit: items in a HIT.  rejected: what to do with assignments that Mechanical Turk's requester rejected.
    accept_unterminated: accept a file whose last record has no line end.  partial: accept rows in which some
    slots have no answer.  tool: default: found from the file's content.  scale: lowest and highest rating,
    where Label Studio's configuration has ratings.
    """
    if tool is not None:
        one_of("tool", tool, TOOLS)
    raw = bytes_of(path)
    chosen = tool or _found(raw, str(path))
    if scale is not None and chosen != "label-studio":
        raise InputError(
            f"{path}: a scale is for ratings of Label Studio; scores in this file are from 0 to 100"
        )
    if chosen == "results":
        return read_results(
            path, per_hit, rejected, encoding, accept_unterminated=accept_unterminated, partial=partial
        )
    if chosen == "codes":
        source = str(path)
        table = delimited(decode(decoded(unpacked(raw, source), source), source).encode("utf-8"), source)
        return results_of_table(raw, replace(table, text=""), per_hit, rejected, partial)
    exported = _label_studio(raw, path, encoding, scale, accept_unterminated)
    rows = tuple(_row(a.cells, a.where, k, per_hit, partial) for k, a in enumerate(exported.annotations, 1))
    _check_once(rows)
    notes = [f"{exported.cancelled} cancelled annotations left out"] if exported.cancelled else []
    if exported.predictions:
        notes.append(f"{exported.predictions} predictions of a model ignored")
    return results_of(str(path), raw, rows, tool="label-studio", notes=tuple(notes))


def _found(raw: bytes, source: str) -> Tool:
    """The tool whose results these are."""
    if Path(source).suffix.lower() in BINARY:
        return "results"  # the other tools write text
    kind = kind_of_file(raw, source)
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(BEGIN.encode()):
        return "codes"
    if kind is None or kind.name == "results":
        return "results"  # its reader says what is missing
    if kind.name == "label-studio":
        return "label-studio"
    raise InputError(f"{source}: is {kind.what}, not a results file; {kind.cure}")


def _label_studio(
    raw: bytes,
    path: str | Path,
    encoding: str | None,
    scale: tuple[float, float] | None,
    accept_unterminated: bool,
) -> Exported:
    source = str(path)
    text = unpacked(raw, source)
    if text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"[", b"{"):
        table = load(source, encoding)
        if not accept_unterminated:
            check_terminated(raw, table)
        return from_rows(table_rows(table), scale)
    document = parsed(decoded(text, source), source)
    tasks = of_kind(document, list, source, "the document")
    if tasks and isinstance(tasks[0], dict) and "annotation_id" in tasks[0]:
        return from_rows(object_rows(tasks, source), scale)
    return from_tasks(tasks, source, scale)


def _row(cells: Any, place: str, number: int, per_hit: int, partial: bool) -> ResultRow:
    def cell(name: str) -> str:
        return str(cells.get(name, ""))

    def where(column: str | None = None) -> str:
        # Messages name the task's data and controls as the tool does.
        return place if column is None else f"{place}, {column.partition('.')[2]!r}"

    present: Callable[[int], bool] = lambda k: f"Input.id{k}" in cells
    if not present(1) or present(per_hit + 1):
        count = next(k for k in range(1, len(cells) + 2) if not present(k)) - 1
        raise InputError(
            f"{place}: its task has {count} items (id1, id2, ...), but this campaign has {per_hit} per HIT;"
            " expected the tasks that 'easl next --for label-studio' wrote"
        )
    return row_of(cell, where, number, per_hit, partial)


def _check_once(rows: tuple[ResultRow, ...]) -> None:
    seen: dict[str, ResultRow] = {}
    for row in rows:
        other = seen.setdefault(row.assignment, row)
        if other is not row:
            raise InputError(
                f"{row.where}: annotation {row.assignment} is also {other.where}; expected each annotation"
                " once"
            )
