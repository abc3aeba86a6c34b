"""Reads a results file of any tool that is known, chosen by its content or by name.

results       `Input.id1 ..., Answer.range1 ...` as CSV or JSON lines: the annotation page, Mechanical
              Turk (also crowd forms), and the loops of both public EASL codes
label-studio  JSON, JSON-MIN or CSV exports of Label Studio
codes         codes that the annotation page shows for places where no file can be sent

A file of another kind that belongs to annotation gets an error that names the command or the file that is
wanted.

Label Studio: a task holds the HIT as `data` (the keys of a batch: `campaign, batch, hit, id1, sent1,
...`) and its annotations; the controls are called `range1 ...` (Number, or Rating) and `na1 ...`
(Choices).  An annotation is one judgment: AssignmentId `ls:PROJECT:ANNOTATION`, WorkerId the annotator,
SubmitTime when it was created.  Cancelled annotations (skipped tasks) are left out and counted;
predictions of a model are no judgments.  CSV and JSON-MIN do not hold the project, nor, of older versions,
whether an annotation was cancelled.

A code is `PP1.BODY.CHECK`: BODY is the results' CSV in UTF-8, deflated (RFC 1951) and written in
base64url without padding (RFC 4648); CHECK is the CRC-32 of the CSV's bytes in eight hexadecimal
digits.  The check tells a code that was cut off or changed on its way; it is no signature.  A text may hold
several codes, one after the other, and line breaks anywhere within one.
"""

from __future__ import annotations

import base64
import binascii
import csv
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from ...data.options import one_of
from ...data.reading.sources import BINARY, Table, delimited, load
from ...errors import InputError, TooLargeError
from ...files.inputs import decoded, json_kind_of, member, of_kind, parsed, unpacked
from ...files.outputs import MARK, unguarded_csv
from ...text import quoted
from ..formats.campaign_files import BATCH_COLUMNS, kind_of_file
from ..formats.score_tables import Scale, rescaled
from . import results_file as results

#: Begins every code of this version.
BEGIN = "PP1."
#: Most characters of a text of codes: 1,000 codes of 100 HITs each.
MOST_CHARACTERS = 10_000_000
#: Most bytes of one code's CSV, some 100,000 HITs.  Deflate shrinks at most 1032 to 1, so that a short code
#: could otherwise fill the memory.
MOST_BYTES = 20_000_000
#: A body can end in PP1, so that PP1. stands before its check too; a new code begins only after a check.
_NEXT = re.compile(rf"(?:^|(?<=\.[0-9a-f]{{8}})){re.escape(BEGIN)}")
_CODE = re.compile(r"([A-Za-z0-9_-]*)\.([0-9a-f]{8})")
_PLACE = tuple(f"Input.{name}" for name in BATCH_COLUMNS)
_COLUMNS = ("AssignmentId", "WorkerId", *_PLACE, "Input.id1", "Answer.range1")


def decode(text: str, source: str = "code") -> str:
    """The results' CSV of one or several codes, all rows in their order in one table."""
    if len(text) > MOST_CHARACTERS:
        raise TooLargeError(
            f"{source}: {len(text):,} characters; expected at most {MOST_CHARACTERS:,}. Split the file"
        )
    joined = "".join(text.lstrip("\ufeff").split())
    before = joined.split(BEGIN)[0]
    if before or not joined:
        found = f"text that is not a code, {before[:40]!r}" if before else "nothing"
        raise InputError(
            f"{source}: {found}; expected codes that begin with {BEGIN}, as the page shows them, and nothing else"
        )
    codes = _NEXT.split(joined)[1:]
    tables = [_table(code, f"{source}, code {k}") for k, code in enumerate(codes, 1)]
    return _joined(tables)


def _table(code: str, where: str) -> list[list[str]]:
    """The cells of one code's CSV, its header first."""
    raw = _unpacked(code, where)
    try:
        rows = list(csv.reader(io.StringIO(raw.decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{where}: holds no CSV in UTF-8 ({error}); expected a page's results") from error
    header = rows[0] if rows else []
    for name in _COLUMNS:
        if name not in header:
            found = ", ".join(repr(n[:40]) for n in header[:12]) or "nothing"
            raise InputError(f"{where}: no column {name!r}; found {found}; expected a page's results")
    if len(set(header)) < len(header) or any(len(row) != len(header) for row in rows):
        width = len(set(header))
        raise InputError(f"{where}: its rows do not all have the {width} columns of a page's results")
    return rows


def _unpacked(code: str, where: str) -> bytes:
    match = _CODE.fullmatch(code)
    if not match:
        odd = re.search(r"[^A-Za-z0-9_.-]", code)
        found = f"the character {odd[0]!r}" if odd else f"it ends in {code[-20:]!r}"
        raise InputError(
            f"{where}: {found}; expected {BEGIN}, letters and digits, a point and 8 hexadecimal digits. It may not"
            " have been copied completely; copy it again"
        )
    body, check = match.groups()
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj(-15)
        raw = unpacking.decompress(packed, MOST_BYTES + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise InputError(f"{where}: cannot be unpacked ({error}); copy it again from the page") from error
    if len(raw) > MOST_BYTES:
        raise TooLargeError(f"{where}: unpacks to more than {MOST_BYTES:,} bytes, which no page produces")
    if not unpacking.eof or unpacking.unused_data or f"{zlib.crc32(raw):08x}" != check:
        raise InputError(
            f"{where}: its check {check} does not match its contents, so it was cut off or changed; copy"
            " it again from the page"
        )
    return raw


def _joined(tables: list[list[list[str]]]) -> str:
    """One table of all rows; columns that some codes do not have are blank there, and the mark of guards is last."""
    names = dict.fromkeys(name for table in tables for name in table[0])
    header = [n for n in names if n != MARK] + [n for n in names if n == MARK]
    cells = (dict(zip(table[0], row)) for table in tables for row in table[1:])
    return unguarded_csv([header, *([own.get(name, "") for name in header] for own in cells)])


#: Columns of a CSV export that are neither data of the task nor answers.
OWN_COLUMNS = (
    "agreement", "annotation_id", "annotator", "created_at", "id", "lead_time", "updated_at", "was_cancelled"
)  # fmt: skip
#: Times of a results file, and what Label Studio calls them.
MOMENTS = (("SubmitTime", "created_at"), ("UpdateTime", "updated_at"))


@dataclass(frozen=True)
class Exported:
    """The annotations of an export: the place of each, and its cells under the names of a results file."""

    annotations: list[tuple[str, Mapping[str, str]]]
    cancelled: int
    predictions: int = 0


def from_tasks(document: Any, source: str, scale: Scale | None = None) -> Exported:
    """The annotations of a JSON export, a list of tasks; `scale`: the lowest and the highest rating."""
    found: list[tuple[str, Mapping[str, str]]] = []
    cancelled = predictions = 0
    for t, task in enumerate(of_kind(document, list, source, "the document"), 1):
        where = f"{source}, task {t}"
        task = of_kind(task, dict, where, "it")
        inputs = _inputs(member(task, "data", dict, where))
        project = member(task, "project", (int, str, type(None)), where, None)
        predictions += len(member(task, "predictions", list, where, []))
        for a, annotation in enumerate(member(task, "annotations", list, where), 1):
            place = f"{where}, annotation {a}"
            annotation = of_kind(annotation, dict, place, "it")
            if member(annotation, "was_cancelled", (bool, type(None)), place, False):
                cancelled += 1
                continue
            answers = _answers(member(annotation, "result", list, place), place, scale)
            signed = _signature(annotation, "" if project is None else str(project), place)
            found.append((place, {**inputs, **answers, **signed}))
    return Exported(found, cancelled, predictions)


def _inputs(data: Mapping[str, Any]) -> dict[str, str]:
    return {f"Input.{name}": _plain(v) for name, v in data.items() if not isinstance(v, (dict, list))}


def _signature(annotation: Mapping[str, Any], project: str, where: str) -> dict[str, str]:
    number = member(annotation, "id", (int, str), where)
    who = member(annotation, "completed_by", (int, str, dict, type(None)), where, None)
    if isinstance(who, dict):
        # The CSV export names annotators by their address too.
        who = who.get("email") or who.get("id")
    seconds = member(annotation, "lead_time", (int, float, type(None)), where, None)
    named = {"AssignmentId": f"ls:{project}:{number}", "WorkerId": "" if who is None else str(who)}
    times = {ours: member(annotation, theirs, (str, type(None)), where, None) for ours, theirs in MOMENTS}
    times["WorkTimeInSeconds"] = None if seconds is None else repr(seconds)
    return {**named, **{name: text for name, text in times.items() if text}}


def _answers(result: list[Any], where: str, scale: Scale | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for region in result:
        region = of_kind(region, dict, where, "an entry of 'result'")
        control = member(region, "from_name", str, where)
        if not _is_ours(control):
            continue
        name, kind = f"Answer.{control}", member(region, "type", str, where).casefold()
        if name in found:
            raise InputError(f"{where}: {quoted(control)} is answered twice; expected one answer")
        value = member(member(region, "value", dict, where), kind, (int, float, list), where)
        found[name] = _cell(kind, value, f"{where}, {quoted(control)}", scale)
    return found


def _is_ours(control: str) -> bool:
    """Whether a control of the configuration is the score, or the mark 'cannot judge', of a slot."""
    stem = control.rstrip("0123456789")
    return stem in ("range", "na") and stem != control


def _cell(kind: str, value: Any, where: str, scale: Scale | None) -> str:
    if kind == "choices" and isinstance(value, list):
        return "on" if value else ""
    if kind in ("number", "rating") and not isinstance(value, list):
        return repr(value) if kind == "number" else rescaled(value, where, scale)
    raise InputError(
        f"{where}: {json_kind_of(value)} as the answer to a control of type {quoted(kind)}; expected type number (0 to"
        " 100), rating, or choices for 'cannot judge'"
    )


# -- CSV and JSON-MIN ----------------------------------------------------------------------------------------


def from_rows(rows: Iterator[tuple[str, Mapping[str, Any]]], scale: Scale | None = None) -> Exported:
    """The annotations of a CSV or JSON-MIN export: the place of each row, and its cells by column."""
    found: list[tuple[str, Mapping[str, str]]] = []
    cancelled = 0
    for where, row in rows:
        own = {name: row.get(name) for name in OWN_COLUMNS}
        if str(own["was_cancelled"] or "").casefold() in ("true", "1", "yes"):
            cancelled += 1
            continue
        if own["annotation_id"] in (None, ""):
            raise InputError(f"{where}: no annotation_id; expected one row per annotation")
        cells = {"AssignmentId": f"ls::{own['annotation_id']}", "WorkerId": _plain(own["annotator"])}
        named = (*MOMENTS, ("WorkTimeInSeconds", "lead_time"))
        cells.update({ours: _plain(own[theirs]) for ours, theirs in named})
        for name, value in row.items():
            if _is_ours(name):
                cells[f"Answer.{name}"] = _flat(name, value, f"{where}, column {name!r}", scale)
            elif name not in OWN_COLUMNS:
                cells[f"Input.{name}"] = _plain(value)
        found.append((where, cells))
    return Exported(found, cancelled)


def table_rows(table: Table) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a CSV export, with their places."""
    names = list(table.columns)
    for place, *row in zip(results.places_of(table), *(table.columns[name] for name in names)):
        yield place, dict(zip(names, map(str, row)))


def object_rows(document: list[Any], source: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSON-MIN export, with their places."""
    for k, record in enumerate(document, 1):
        yield f"{source}, record {k}", of_kind(record, dict, f"{source}, record {k}", "it")


def _plain(value: Any) -> str:
    return "" if value is None or isinstance(value, (dict, list)) else str(value)


def _flat(name: str, value: Any, where: str, scale: Scale | None) -> str:
    """An answer in one cell: 73, `[{"number": 73}]`, `[{"rating": 4}]`, or the chosen words."""
    if name.startswith("na"):
        words = _plain(value) if not isinstance(value, (dict, list)) else "on" if value else ""
        return "on" if words.strip() not in ("", "[]") else ""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = parsed(value, where)
    entries = value if isinstance(value, list) else [value]
    if len(entries) > 1:
        raise InputError(f"{where}: {len(entries)} answers; expected one")
    entry = entries[0] if entries else None
    if isinstance(entry, dict):
        kind = next((k for k in ("number", "rating") if k in entry), None)
        if kind is None:
            raise InputError(f'{where}: found {quoted(entry)}; expected a number, as {{"number": 73}}')
        return _cell(kind, of_kind(entry[kind], (int, float), where, kind), where, scale)
    text = "" if entry is None else str(entry)
    if scale is None or not text:
        return text
    try:
        rating = float(text)
    except ValueError:
        raise InputError(f"{where}: {text!r} is not a number; expected a rating") from None
    return rescaled(rating, where, scale)


Tool = Literal["results", "label-studio", "codes"]


def read_any(
    path: str | Path,
    per_hit: int,
    rejected: results.RejectedRule = "refuse",
    encoding: str | None = None,
    *,
    accept_unterminated: bool = False,
    partial: bool = False,
    tool: Tool | None = None,
    scale: tuple[float, float] | None = None,
) -> results.ResultsFile:
    """Read a results file of any known tool, found from its content; `scale` is of ratings."""
    if tool is not None:
        one_of("tool", tool, get_args(Tool))
    raw, source = results.bytes_of(path), str(path)
    chosen = tool or _found(raw, source)
    if scale is not None and chosen != "label-studio":
        why = "scores in this file are from 0 to 100"
        raise InputError(f"{path}: a scale is for ratings of Label Studio; {why}")
    if chosen == "results":
        how = {"accept_unterminated": accept_unterminated, "partial": partial}
        return results.read_results(path, per_hit, rejected, encoding, **how)
    if chosen == "codes":
        table = delimited(decode(decoded(unpacked(raw, source), source), source).encode("utf-8"), source)
        return results.results_of_table(raw, replace(table, text=""), per_hit, rejected, partial)
    exported = _label_studio(raw, source, encoding, scale, accept_unterminated)
    placed = enumerate(exported.annotations, 1)
    rows = tuple(_row(cells, where, k, per_hit, partial) for k, (where, cells) in placed)
    seen: dict[str, results.ResultRow] = {}
    for row in rows:
        other = seen.setdefault(row.assignment, row)
        if other is not row:
            also = f"annotation {row.assignment} is also {other.where}"
            raise InputError(f"{row.where}: {also}; expected each annotation once")
    notes = [f"{exported.cancelled} cancelled annotations left out"] if exported.cancelled else []
    if exported.predictions:
        notes.append(f"{exported.predictions} predictions of a model ignored")
    return results.results_of(source, raw, rows, tool="label-studio", notes=tuple(notes))


def _found(raw: bytes, source: str) -> Tool:
    """The tool whose results these are."""
    if Path(source).suffix.lower() in BINARY:
        return "results"  # the other tools write text
    kind = kind_of_file(raw, source)
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(BEGIN.encode()):
        return "codes"
    if kind is not None and kind.name not in ("results", "label-studio"):
        raise InputError(f"{source}: is {kind.what}, not a results file; {kind.cure}")
    # The reader of results says what is missing.
    return "label-studio" if kind is not None and kind.name != "results" else "results"


def _label_studio(
    raw: bytes, source: str, encoding: str | None, scale: Scale | None, accept_unterminated: bool
) -> Exported:
    text = unpacked(raw, source)
    if text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"[", b"{"):
        table = load(source, encoding)
        if not accept_unterminated:
            results.check_terminated(raw, table)
        return from_rows(table_rows(table), scale)
    document = parsed(decoded(text, source), source)
    tasks = of_kind(document, list, source, "the document")
    if tasks and isinstance(tasks[0], dict) and "annotation_id" in tasks[0]:
        return from_rows(object_rows(tasks, source), scale)
    return from_tasks(tasks, source, scale)


def _row(cells: Any, place: str, number: int, per_hit: int, partial: bool) -> results.ResultRow:
    def cell(name: str) -> str:
        return str(cells.get(name, ""))

    def where(column: str | None = None) -> str:
        # Messages name the task's data and controls as the tool does.
        return place if column is None else f"{place}, {column.partition('.')[2]!r}"

    if "Input.id1" not in cells or f"Input.id{per_hit + 1}" in cells:
        count = next(k for k in range(len(cells) + 1) if f"Input.id{k + 1}" not in cells)
        raise InputError(
            f"{place}: its task has {count} items (id1, id2, ...), but this campaign has {per_hit} per HIT;"
            " expected the tasks that 'easl next --for label-studio' wrote"
        )
    return results.row_of(cell, where, number, per_hit, partial)
