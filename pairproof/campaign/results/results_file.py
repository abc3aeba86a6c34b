"""Reads results from annotators and Mechanical Turk, as files or rows; an error names file, row and column.

`Input.id1 ...` and `Answer.range1 ...` (0 to 100), `Answer.na1 = on` for "cannot judge", optional
`HITId`, `AssignmentId`, `WorkerId`, times, and `Input.campaign`, `Input.batch`, `Input.hit`,
`Input.token`; as CSV, as JSON lines with the same keys, or as rows from Python, such as those of a web
service.  `Answer.touched1`, which the layout for Mechanical Turk has, says whether the slider was moved: a
score whose slider was not touched is no answer.  A slot without an answer is an error, or, where the
campaign accepts partial answers, is left blank.  Files of other tools are turned into the same cells by
:mod:`pairproof.campaign.results.readers`.

A layout with `<crowd-form>` returns all answers of an assignment as one JSON text in the column
`Answer.taskAnswers`, `[{"range1":73,"na2":{"on":true}}]`: a list of one object for each form, a crowd
slider as a number (or the number as text) and a checkbox as an object with the member `on`.  Other
elements nest in the same way, for example a radio group as `{"very easy": true, "easy": false}`.  Exports
of other layouts name the members of such an object in the columns, `Answer.na2.on`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ...data.options import one_of
from ...data.reading.sources import BINARY, Table, from_frame, load, records, suggestion
from ...errors import InputError
from ...files.inputs import decoded, json_kind_of, of_kind, parsed, read_file, unpacked
from ...files.outputs import MARK, NUMBER
from ...text import quoted
from ..formats.campaign_files import cells_of
from ..storage.design import submitted_and_seconds

if TYPE_CHECKING:
    from pandas import DataFrame


def places_of(table: Table) -> list[str]:
    """'results.csv, row 3 (line 4)' for each row."""
    if not table.text:
        return [table.where(k) for k in range(table.n_rows)]
    lines = [line for line, _ in records(table.text, table.delimiter)][1:]
    return [f"{table.source}, row {k + 1} (line {line})" for k, line in enumerate(lines)]


COLUMN = "Answer.taskAnswers"


def answer_columns(
    source: str, places: Sequence[str], columns: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """The columns, with those that `Answer.taskAnswers` holds as JSON as columns of their own."""
    found = {name: list(cells) for name, cells in columns.items()}
    for name in [n for n in found if n.startswith("Answer.") and n.endswith(".on")]:
        _put(found, name[: -len(".on")], found.pop(name), source)
    if COLUMN not in found:
        return found
    cells = zip(places, found.pop(COLUMN))
    answers = [_answers(cell, f"{place}, column {COLUMN!r}") for place, cell in cells]
    for name in dict.fromkeys(name for row in answers for name in row):
        _put(found, f"Answer.{name}", [row.get(name, "") for row in answers], source)
    return found


def _put(found: dict[str, list[str]], name: str, cells: list[str], source: str) -> None:
    if name in found:
        raise InputError(f"{source}: {name!r} appears in two columns; expected one answer, so remove one")
    found[name] = cells


def _answers(cell: str, where: str) -> dict[str, str]:
    """The answers of one assignment; a blank cell has none."""
    if not cell.strip():
        return {}
    forms = of_kind(parsed(cell, where), list, where, "the JSON")
    found: dict[str, str] = {}
    for form in forms:
        for name, value in of_kind(form, dict, where, "a form").items():
            if name in found:
                raise InputError(f"{where}: {quoted(name)} is answered in two forms; expected one answer")
            found[name] = _text(value, f"{where}, {quoted(name)}")
    return found


def _text(value: Any, where: str) -> str:
    if isinstance(value, dict) and set(value) == {"on"}:
        value = of_kind(value["on"], bool, where, "'on'")
    if isinstance(value, dict):
        chosen = [str(name) for name, on in value.items() if on is True]
        return chosen[0] if len(chosen) == 1 else ""
    if isinstance(value, list):
        raise InputError(f"{where}: {json_kind_of(value)}; expected a number, a text or an object")
    return _plain(value)


def _plain(value: Any) -> str:
    """A value of JSON as a cell."""
    return "" if value is None or value is False else "on" if value is True else str(value)


TIMES = ("AcceptTime", "SubmitTime", "WorkTimeInSeconds")
#: When an answer was last edited, which Label Studio says; kept beside the other times.
UPDATED = "UpdateTime"
YES, NO = ("on", "true", "yes", "1"), ("", "off", "false", "no", "0")
#: What to do with assignments whose AssignmentStatus is Rejected; the user must choose.
RejectedRule = Literal["refuse", "count", "leave-out"]


@dataclass(frozen=True)
class ResultRow:
    """One judged HIT; what the file does not say is "".

    values: in [0, 1]; nan: could not judge, or a slot, from 1, in `absent`. raw: scores as they are in
    the file.
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
    token: str = ""


@dataclass(frozen=True)
class ResultsFile:
    """A results file; nameless rows have neither AssignmentId nor WorkerId, notes say what is left out."""

    name: str
    sha256: str
    rows: tuple[ResultRow, ...]
    left_out: int
    nameless: int
    tool: str = "results"
    notes: tuple[str, ...] = ()


def read_results(
    path: str | Path,
    per_hit: int,
    rejected: RejectedRule = "refuse",
    encoding: str | None = None,
    *,
    accept_unterminated: bool = False,
    partial: bool = False,
) -> ResultsFile:
    """Read a results file."""
    raw, file = bytes_of(path), Path(path)
    table = _json_lines(raw, file) if file.suffix.lower() == ".jsonl" else load(str(path), encoding)
    found = results_of_table(raw, table, per_hit, rejected, partial)
    if not accept_unterminated:
        check_terminated(raw, table)
    return found


def results_of_table(
    raw: bytes, table: Table, per_hit: int, rejected: RejectedRule = "refuse", partial: bool = False
) -> ResultsFile:
    """The results in a table whose columns are those of a results file; `raw` are the bytes of its file."""
    one_of("rejected", rejected, get_args(RejectedRule))
    # Mechanical Turk returns the mark of a guarded row as one of its inputs.
    marks = {name: f"Input.{MARK}" if name.startswith("Input.") else MARK for name in table.columns}
    cells = {name: cells_of(table, name, mark) for name, mark in marks.items()}
    places = places_of(table)
    columns = answer_columns(table.source, places, cells)
    _check_columns(table.source, columns, per_hit)
    status = columns.get("AssignmentStatus", [])
    turned_down = {k for k, s in enumerate(status) if s.strip().casefold() == "rejected"}
    if turned_down and rejected == "refuse":
        raise InputError(
            f"{table.where(min(turned_down), 'AssignmentStatus')}: Rejected ({len(turned_down)} such rows);"
            " choose --rejected count or --rejected leave-out"
        )
    keep = [k for k in range(table.n_rows) if not (k in turned_down and rejected == "leave-out")]

    def row(k: int) -> ResultRow:
        def cell(name: str) -> str:
            return columns[name][k] if name in columns else ""

        def where(column: str | None = None) -> str:
            return places[k] + ("" if column is None else f", column {column!r}")

        return row_of(cell, where, k + 1, per_hit, partial)

    return results_of(table.source, raw, tuple(row(k) for k in keep), table.n_rows - len(keep))


def bytes_of(path: str | Path) -> bytes:
    """The bytes of a results file; its hash is stored with the judgments, so it must be a file."""
    if str(path) == "-":
        raise InputError(
            "results must be read from a file, because its hash is stored with them; found -, standard input"
        )
    return read_file(path, "a file of results")


def results_of(
    name: str,
    raw: bytes,
    rows: tuple[ResultRow, ...],
    left_out: int = 0,
    tool: str = "results",
    notes: tuple[str, ...] = (),
) -> ResultsFile:
    """A results file of these rows, with the hash of its bytes and the number of rows that nobody signed."""
    nameless = sum(not (r.assignment or r.worker) for r in rows)
    return ResultsFile(name, hashlib.sha256(raw).hexdigest(), rows, left_out, nameless, tool, notes)


def check_terminated(raw: bytes, table: Table) -> None:
    """Refuse a file whose last record has no line end; it may have been cut off, and `8` may have been `87`."""
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
    rows = []
    # Not splitlines, because U+2028 in a text does not end a line of JSON.
    lines = decoded(raw, str(file)).replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = parsed(line, f"{file}, line {number}")
        if not isinstance(row, dict) or any(isinstance(v, (list, dict)) for v in row.values()):
            raise InputError(
                f'{file}, line {number}: expected an object of texts and numbers, such as {{"Input.id1":'
                ' "7"}'
            )
        rows.append({name: _plain(value) for name, value in row.items()})
    if not rows:
        raise InputError(f"{file}: no rows; expected results")
    return _table_of(rows, str(file))


def _table_of(rows: Sequence[Mapping[str, str]], source: str) -> Table:
    """Rows by column as a table; what a row has not is blank."""
    import pandas as pd

    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = {name: [row.get(name, "") for row in rows] for name in names}
    return from_frame(pd.DataFrame(cells, dtype=object), source)


def _check_columns(source: str, columns: Mapping[str, object], per_hit: int) -> None:
    found = ", ".join(map(repr, list(columns)[:12]))
    for k in range(1, per_hit + 1):
        # A slider that a checkbox switches off is not sent: a file may have the checkbox's column alone.
        given = f"Answer.na{k}" in columns
        for name in (f"Input.id{k}", *(() if given else (f"Answer.range{k}",))):
            if name not in columns:
                raise InputError(
                    f"{source}: no column {name!r} (this campaign has {per_hit} items per HIT); found "
                    f"{found}{suggestion(name, columns)}"
                )
    for name in (f"Input.id{per_hit + 1}", f"Answer.range{per_hit + 1}"):
        if name in columns:
            said = f"column {name!r}, but this campaign has {per_hit} items per HIT"
            raise InputError(f"{source}: {said}; these are results of another campaign")


def row_of(
    cell: Callable[[str], str], where: Callable[[str | None], str], number: int, per_hit: int, partial: bool
) -> ResultRow:
    """The judged HIT in the cells of a row, checked; `where` names a column's cell, or the row."""

    def plain(name: str) -> str:
        return cell(name).strip()

    placed = (plain("Input.campaign"), plain("Input.batch"), plain("Input.hit"))

    def untouched(j: int) -> bool:
        """Whether the file says that the slider was not moved; one without the column does not say so."""
        column = f"Answer.touched{j}"
        return _yes_or_no(where, column, plain(column), "1 (touched) or 0") is False

    ids = _ids(cell, where, per_hit, smaller=bool(placed[1] and placed[2]))
    values, raw, absent = [], [], []
    for j in range(1, len(ids) + 1):
        text, blank = plain(f"Answer.range{j}"), f"Answer.na{j}"
        no_answer = _yes_or_no(where, blank, plain(blank), "'on' (cannot judge) or nothing")
        if not no_answer and text and untouched(j):
            text = ""
        if not no_answer and not text and partial:
            absent.append(j)
        values.append(math.nan if no_answer or not text and partial else _score(where, j, text))
        raw.append(text)
    if len(absent) == len(ids):
        raise InputError(f"{where(None)}: no slot of this HIT has an answer; remove the row")
    for j in range(len(ids) + 1, per_hit + 1):
        touched = not untouched(j)
        if plain(f"Answer.range{j}") and touched or plain(f"Answer.na{j}").casefold() in YES:
            raise InputError(f"{where(f'Answer.range{j}')}: an answer, but Input.id{j} names no item")
    times = {name: plain(name) for name in (*TIMES, UPDATED) if plain(name)}
    submitted_and_seconds(times, where(None))  # refuses times that cannot be read
    answered = (ids, tuple(values), tuple(raw))
    named = (plain("HITId"), plain("AssignmentId"), plain("WorkerId"))
    token = plain("Input.token")
    return ResultRow(number, where(None), *placed, *answered, *named, times, tuple(absent), token)


def _ids(
    cell: Callable[[str], str], where: Callable[[str | None], str], per_hit: int, *, smaller: bool
) -> tuple[str, ...]:
    """The items of a HIT; where `smaller`, the last ones may be missing."""
    ids: list[str] = []
    for j in range(1, per_hit + 1):
        name = cell(f"Input.id{j}")
        if not name.strip():
            if not (smaller and ids) or any(cell(f"Input.id{k}").strip() for k in range(j, per_hit + 1)):
                raise InputError(f"{where(f'Input.id{j}')}: blank; expected an item's id")
            break
        if name in ids:
            raise InputError(
                f"{where(f'Input.id{j}')}: item {name!r} appears twice in this HIT; expected"
                f" {per_hit} different items"
            )
        ids.append(name)
    return tuple(ids)


def identity(row: ResultRow, batch: int | None, hit: int | None, sha256: str) -> str:
    """The identity of a judgment; two rows with the same identity are the same judgment.

    It is the AssignmentId; without one, the WorkerId and HIT; without either, the file and row.  An export
    writes an identity of the last kind as an AssignmentId that begins with `file:`.
    """
    if row.assignment:
        return row.assignment if row.assignment.startswith("file:") else f"assignment:{row.assignment}"
    if row.worker:
        alone = row.hit_id or json.dumps(row.ids, ensure_ascii=False)
        where = f"{batch}/{hit}" if batch is not None else alone
        return f"worker:{json.dumps(row.worker, ensure_ascii=False)}@{where}"
    return f"file:{sha256}:{row.row}"


def _yes_or_no(where: Callable[[str | None], str], column: str, text: str, expected: str) -> bool | None:
    """Whether a cell says yes; None for a blank."""
    word = text.casefold()
    if word not in (*YES, *NO):
        raise InputError(f"{where(column)}: {text!r}; expected {expected}")
    return None if not word else word in YES


def _score(where: Callable[[str | None], str], j: int, text: str) -> float:
    place = where(f"Answer.range{j}")
    if not text:
        raise InputError(f"{place}: blank; expected a score from 0 to 100, or 'on' in Answer.na{j}")
    if not NUMBER.fullmatch(text):
        raise InputError(f"{place}: {text!r} is not a number; expected a score from 0 to 100")
    value = float(text)
    if not 0 <= value <= 100:
        raise InputError(f"{place}: {text} is outside 0 to 100")
    return value / 100.0


#: Name under which a campaign records rows, in place of a file's.
NAME = "rows from Python"


def results_of_rows(
    rows: Iterable[Mapping[str, Any]] | DataFrame,
    per_hit: int,
    rejected: RejectedRule = "refuse",
    *,
    partial: bool = False,
) -> ResultsFile:
    """The judgments in rows with a results file's columns; True is on, None and NaN are blanks."""
    import pandas as pd

    if isinstance(rows, pd.DataFrame):
        # What a frame has no value for is NaN, which is a blank.
        rows = rows.astype(object).where(rows.notna(), None).to_dict("records")
    if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
        raise InputError(f"{NAME}: {type(rows).__name__}; expected a list of rows, or a DataFrame")
    table = []
    for number, row in enumerate(rows, 1):
        where = f"{NAME}, row {number}"
        if not isinstance(row, Mapping):
            raise InputError(f"{where}: {type(row).__name__}; expected a mapping of columns to values")
        table.append({str(name): _cell(value, f"{where}, {name!r}") for name, value in row.items()})
    if not table:
        raise InputError(f"{NAME}: none; expected a row for each judged HIT")
    raw = json.dumps(table, sort_keys=True, ensure_ascii=False).encode("utf-8")
    return results_of_table(raw, _table_of(table, NAME), per_hit, rejected, partial)


def _cell(value: Any, where: str) -> str:
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise InputError(f"{where}: {quoted(value)}; half of a surrogate pair is not a character")
    if value is None or isinstance(value, (bool, str)):
        return _plain(value)
    if isinstance(value, dt.datetime) and value == value:  # NaT differs from itself
        return value.isoformat()
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: {quoted(value)}; expected a text, a finite number, or a time")
    return str(int(number)) if number.is_integer() else repr(number)
