"""Reads results files from annotators and Mechanical Turk; an error names its file, row and column.

`Input.id1 ...` and `Answer.range1 ...` (0 to 100), `Answer.na1 = on` for "cannot judge", optional `HITId`,
`AssignmentId`, `WorkerId`, times, and `Input.campaign`, `Input.batch`, `Input.hit`; as CSV, or as JSON lines
with the same keys.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ...data.options import one_of
from ...data.reading.sources import BINARY, load
from ...data.reading.table import Table, from_frame, suggestion
from ...errors import InputError
from ...files.inputs import read_file
from ...files.packed import unpacked
from ..formats.files import MARK, cells_of

TIMES = ("AcceptTime", "SubmitTime", "WorkTimeInSeconds")
YES, NO = ("on", "true", "yes", "1"), ("", "off", "false", "no", "0")
#: What to do with assignments whose AssignmentStatus is Rejected; the user must choose.
RejectedRule = Literal["refuse", "count", "leave-out"]
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class ResultRow:
    """One judged HIT.

    Attributes
    ----------
    row : int
        From 1, below the header.
    where : str
        "results.csv, row 3 (line 4)", for messages.
    campaign, batch, hit : str
        "" if the file does not have them.
    ids : tuple of str
    values : tuple of float
        In [0, 1]; nan: could not judge.
    raw : tuple of str
        Scores as they are in the file.
    hit_id, assignment, worker : str
    times : mapping of str to str
    absent : tuple of int
        Slots, from 1, that a campaign with partial HITs leaves unanswered; their values are nan.
    """

    row: int
    where: str
    campaign: str
    batch: str
    hit: str
    ids: tuple[str, ...]
    values: tuple[float, ...]
    raw: tuple[str, ...]
    hit_id: str
    assignment: str
    worker: str
    times: Mapping[str, str]
    absent: tuple[int, ...] = ()


@dataclass(frozen=True)
class ResultsFile:
    """A results file.

    Attributes
    ----------
    name, sha256 : str
    rows : tuple of ResultRow
    left_out : int
        Number of rejected assignments that were left out.
    nameless : int
        Number of rows with neither AssignmentId nor WorkerId, which only their file and row identify.
    """

    name: str
    sha256: str
    rows: tuple[ResultRow, ...]
    left_out: int
    nameless: int


def read_results(
    path: str | Path,
    per_hit: int,
    rejected: RejectedRule = "refuse",
    encoding: str | None = None,
    *,
    accept_unterminated: bool = False,
) -> ResultsFile:
    """Read a results file.

    Parameters
    ----------
    path : path
    per_hit : int
        Items in a HIT.
    rejected : {"refuse", "count", "leave-out"}
    encoding : str, optional
    accept_unterminated : bool
        Accept a file whose last record has no line end.

    Raises
    ------
    InputError
        The last record has no line end, a column is missing, a score is blank, not a number or outside 0 to
        100, a HIT has an item twice, an assignment was rejected and `rejected` is "refuse", or the text has
        another encoding.
    """
    one_of("rejected", rejected, get_args(RejectedRule))
    file = Path(path)
    if str(path) == "-":
        raise InputError(
            "results must be read from a file, because its hash is stored with them; found -, standard input"
        )
    raw = read_file(path, "a file of results")
    table = _json_lines(raw, file) if file.suffix.lower() == ".jsonl" else load(str(path), encoding)
    _check_columns(table, per_hit)
    if not accept_unterminated:
        check_terminated(raw, table)
    sha256 = hashlib.sha256(raw).hexdigest()
    # Mechanical Turk returns the mark of a guarded row as one of its inputs.
    columns = {
        name: cells_of(table, name, f"Input.{MARK}" if name.startswith("Input.") else MARK)
        for name in table.columns
    }
    status = columns.get("AssignmentStatus", [])
    turned_down = {k for k, s in enumerate(status) if s.strip().casefold() == "rejected"}
    if turned_down and rejected == "refuse":
        raise InputError(
            f"{table.where(min(turned_down), 'AssignmentStatus')}: Rejected ({len(turned_down)} such rows);"
            " choose --rejected count or --rejected leave-out"
        )
    keep = [k for k in range(table.n_rows) if not (k in turned_down and rejected == "leave-out")]
    rows = tuple(_row(table, columns, k, per_hit) for k in keep)
    nameless = sum(not (r.assignment or r.worker) for r in rows)
    return ResultsFile(table.source, sha256, rows, table.n_rows - len(keep), nameless)


def check_terminated(raw: bytes, table: Table) -> None:
    """Refuse a file whose last record has no line end; it may have been cut off, and `8` may have been `87`.

    Raises
    ------
    InputError
    """
    if Path(table.source).suffix.lower() in BINARY:
        return  # a format that stores its own length
    raw = unpacked(raw, table.source)
    # In UTF-16 and UTF-32 a line end has zero bytes around it.
    end = raw.rstrip(b"\0 \t")[-1:]
    if end in (b"\n", b"\r"):
        return
    line = raw.rstrip(b"\0 \t").replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
    last = ""
    if table.text != "":
        name, column = list(table.columns.items())[-1]
        last = f", in column {name!r} {str(column.iloc[-1])[:40]!r}"
    raise InputError(
        f"{table.source}, line {line}: the last record has no line end{last}; the file may have been cut off."
        " Fetch it again, or if it is complete use --accept-unterminated (accept_unterminated=True in Python)"
    )


def _json_lines(raw: bytes, file: Path) -> Table:
    import pandas as pd

    rows = []
    try:
        # Not splitlines, because U+2028 in a text does not end a line of JSON.
        lines = raw.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file}: byte number {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{file}, line {number}: not JSON: {error}") from error
        if not isinstance(row, dict) or any(isinstance(v, (list, dict)) for v in row.values()):
            raise InputError(
                f'{file}, line {number}: expected an object of texts and numbers, such as {{"Input.id1":'
                ' "7"}'
            )
        rows.append(
            {k: "" if v is None or v is False else "on" if v is True else str(v) for k, v in row.items()}
        )
    if not rows:
        raise InputError(f"{file}: no rows; expected results")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return from_frame(
        pd.DataFrame({name: [row.get(name, "") for row in rows] for name in names}, dtype=object), str(file)
    )


def _check_columns(table: Table, per_hit: int) -> None:
    for k in range(1, per_hit + 1):
        for name in (f"Input.id{k}", f"Answer.range{k}"):
            if name not in table.columns:
                raise InputError(
                    f"{table.source}: no column {name!r} (this campaign has {per_hit} items per HIT); found "
                    f"{', '.join(map(repr, list(table.columns)[:12]))}{suggestion(name, table.columns)}"
                )
    for name in (f"Input.id{per_hit + 1}", f"Answer.range{per_hit + 1}"):
        if name in table.columns:
            raise InputError(
                f"{table.source}: column {name!r}, but this campaign has {per_hit} items per HIT; these are"
                " results of another campaign"
            )


def _row(table: Table, columns: Mapping[str, list[str]], k: int, per_hit: int) -> ResultRow:
    def cell(name: str) -> str:
        return columns[name][k].strip() if name in columns else ""

    ids = tuple(columns[f"Input.id{j}"][k] for j in range(1, per_hit + 1))
    for j, name in enumerate(ids):
        if not name.strip():
            raise InputError(f"{table.where(k, f'Input.id{j + 1}')}: blank; expected an item's id")
        if name in ids[:j]:
            raise InputError(
                f"{table.where(k, f'Input.id{j + 1}')}: item {name!r} appears twice in this HIT; expected"
                f" {per_hit} different items"
            )
    values, raw = [], []
    for j in range(1, per_hit + 1):
        text = cell(f"Answer.range{j}")
        raw.append(text)
        values.append(
            math.nan if _cannot_judge(table, k, j, cell(f"Answer.na{j}")) else _score(table, k, j, text)
        )
    hit_id, assignment, worker = cell("HITId"), cell("AssignmentId"), cell("WorkerId")
    campaign, batch, hit = cell("Input.campaign"), cell("Input.batch"), cell("Input.hit")
    times = {name: cell(name) for name in TIMES if cell(name)}
    placed, answered = (campaign, batch, hit), (ids, tuple(values), tuple(raw))
    return ResultRow(k + 1, table.where(k), *placed, *answered, hit_id, assignment, worker, times)


def identity(row: ResultRow, batch: int | None, hit: int | None, sha256: str) -> str:
    """The identity of a judgment; two rows with the same identity are the same judgment.

    It is the AssignmentId; without one, the WorkerId and HIT; without either, the file and row.  An export
    writes an identity of the last kind as an AssignmentId that begins with `file:`.
    """
    if row.assignment.startswith("file:"):
        return row.assignment
    if row.assignment:
        return f"assignment:{row.assignment}"
    if row.worker:
        where = (
            f"{batch}/{hit}" if batch is not None else row.hit_id or json.dumps(row.ids, ensure_ascii=False)
        )
        return f"worker:{json.dumps(row.worker, ensure_ascii=False)}@{where}"
    return f"file:{sha256}:{row.row}"


def _cannot_judge(table: Table, k: int, j: int, text: str) -> bool:
    word = text.casefold()
    if word not in (*YES, *NO):
        raise InputError(
            f"{table.where(k, f'Answer.na{j}')}: {text!r}; expected 'on' (cannot judge) or nothing"
        )
    return word in YES


def _score(table: Table, k: int, j: int, text: str) -> float:
    where = table.where(k, f"Answer.range{j}")
    if not text:
        raise InputError(f"{where}: blank; expected a score from 0 to 100, or 'on' in Answer.na{j}")
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{where}: {text!r} is not a number; expected a score from 0 to 100")
    value = float(text)
    if not 0 <= value <= 100:
        raise InputError(f"{where}: {text} is outside 0 to 100")
    return value / 100.0
