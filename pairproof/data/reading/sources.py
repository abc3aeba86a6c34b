"""Tables of named columns, loaded from any source: files, standard input, frames, dicts of columns.

Files are CSV, TSV and JSON Lines (also gzipped), Parquet and Arrow.  Each becomes a :class:`Table`, whose
error messages name the place of a cell; nothing is interpreted here beyond what a delimiter, an encoding and
a header are.  Cells of text files stay text ("NA" is a word, "007" keeps its zeros).

Text is decoded strictly (UTF-8 unless a byte order mark or `encoding` says otherwise), the delimiter is the
one of comma, semicolon and tab that splits the header, and every record must have as many fields as the
header: a short last line is what a broken download leaves behind.

JSON Lines have one object a line, each with the same names, as `{"model_a": "x", "winner": "model_a"}`.
Numbers are kept as they are written ("1.0", and integers of any length), true and false are those words, null
is a blank cell.  An array of such objects (`[{...}, {...}]`) is read as well.  Every object has the names of
the first one; a name that is missing would be a blank that nobody wrote.
"""

from __future__ import annotations

import codecs
import csv
import difflib
import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import DataWarning, InputError, warn_the_caller
from ...files.inputs import read_file, read_stream, unpacked
from ...text import listed, named, quoted, shortened
from ..columns import IntArray
from .arrow import LISTS, arrow_file, arrow_frame, check_size, coded_text, has_arrow, refuse_lazy
from .nested import Cells, Later, Lists, flattened, part, parts_of
from .text_tables import is_text_table, one_table

#: The roles that a column can have in a layout; `system1`, `rank1`, ... are roles too.
ROLES = (
    "first", "second", "outcome", "wins", "ties", "losses", "model_a", "model_b", "winner", "loser", "judge", "weight",
    "source", "order", "system", "rank", "ranking", "person", "pref", "baseline",
)  # fmt: skip
#: Those that say who was compared and what came of it: of a large text they are read at once.
_COMPARED = frozenset(ROLES) - {"judge", "source", "order", "system", "rank", "ranking", "person"}
#: Characters of a text from which on that is worth it.
_LARGE_TEXT = 1 << 20
#: A suggestion is for a slip of the finger: not for longer words, nor among more names than these.
_LONGEST_SUGGESTED, _MOST_SUGGESTED = 60, 1000


#: Codes of a column's rows, and the values that they stand for.
Coded = tuple[IntArray, "pd.Index[Any]"]


@dataclass(frozen=True)
class Table:
    """A table whose cells have not been interpreted.
    rows int[n_rows].  first_line: of row 0, where each row is known to be a line; else 0.  coded: columns whose codes
    are known, though the column itself may not have been read.  lines: of each row of a table in a text, if it is from one.
    told: how it was read, in sentences."""

    columns: Mapping[str, Any]
    n_rows: int
    source: str
    text: str = ""
    delimiter: str = ","
    own_names: Mapping[str, str] = field(default_factory=dict)
    rows: NDArray[np.int64] | None = None
    first_line: int = 0
    lines: tuple[int, ...] = ()
    told: tuple[str, ...] = ()
    coded: Mapping[str, Coded] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Columns that are made when they are asked for stay so."""
        object.__setattr__(self, "columns", Cells(parts_of(self.columns)))

    def where(self, row: int, column: str | None = None) -> str:
        """'votes.csv, row 3 (line 4), column 'winner'' for row position 2."""
        row = row if self.rows is None else int(self.rows[row])
        known = bool(self.first_line) or not self.text
        at = row + self.first_line if known else line_of_row(self.text, self.delimiter, row)
        at = self.lines[row] if self.lines else at
        line = f" (line {at})" if self.text or self.first_line or self.lines else ""
        own = self.own_names.get(column or "", column)
        role = "" if own == column else f" (as {column!r})"
        return f"{self.source}, row {row + 1}{line}" + (
            f", column {quoted(own)}{role}" if column is not None else ""
        )

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Some of the rows, whose places in the source messages still know."""
        columns = {name: part(self.columns, name, lambda column: column.iloc[rows]) for name in self.columns}
        coded = {name: (codes[rows], values) for name, (codes, values) in self.coded.items()}
        own = rows if self.rows is None else self.rows[rows]
        return replace(self, columns=columns, n_rows=len(rows), rows=own, coded=coded)

    def only(self, name: str) -> Table:
        """A copy of one column, whose place messages know as before; without the text where each row is a line."""
        columns = {name: part(self.columns, name, lambda column: column.copy())}
        alone = replace(self, columns=columns, coded={})
        return replace(alone, text="", first_line=2) if self._is_plain else alone

    def without(self, names: Collection[str]) -> Table:
        """The table without some of its columns."""
        kept = {name: column for name, column in parts_of(self.columns).items() if name not in names}
        return replace(self, columns=kept)

    def adding(self, columns: Mapping[str, Any]) -> Table:
        """The table with further columns, or others in place of its own."""
        return replace(self, columns={**parts_of(self.columns), **columns})

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the text has a line for each row below the header, and no other."""
        if self.first_line:
            return True
        lines = self.text.count("\n") - self.text.endswith("\n")
        return lines == self.n_rows and self.rows is None and '"' not in self.text

    def codes(self, name: str) -> Coded | None:
        """A column's codes, and the values that they stand for; None where it has none."""
        if name in self.coded:
            return self.coded[name]
        column = self.columns[name]
        known = isinstance(column.dtype, pd.CategoricalDtype)
        return (column.array.codes, column.cat.categories) if known else None

    def dtype(self, name: str) -> Any:
        """The dtype of a column, which is not read for it where its codes are known."""
        return np.dtype(object) if name in self.coded else self.columns[name].dtype

    def refuse(
        self, bad: NDArray[np.bool_], column: str, found: str, cure: str, kind: type[InputError] = InputError
    ) -> InputError:
        """An error about the first of the rows marked in `bad`, with their number."""
        count = int(bad.sum())
        such = f" ({count} such rows)" if count > 1 else ""
        return kind(f"{self.where(int(np.flatnonzero(bad)[0]), column)}: {found}{such}; {cure}")

    def shown(self, column: str, bad: NDArray[np.bool_]) -> str:
        """The first offending cell of a column, as a message shows it."""
        value = self.columns[column].iloc[int(np.flatnonzero(bad)[0])]
        value = value.item() if isinstance(value, np.generic) else value  # numpy 2 writes np.float64(inf)
        blank = _is_missing(value) or isinstance(value, str) and not value.strip()
        return "blank" if blank else quoted(value)

    def check(
        self,
        bad: NDArray[np.bool_],
        column: str,
        found: str | Callable[[], str],
        cure: str,
        kind: type[InputError] = InputError,
    ) -> None:
        """Refuse the table if there are rows marked in `bad`; "{cell}" in `found` is the first one's cell."""
        if bad.any():
            said = found.replace("{cell}", self.shown(column, bad)) if isinstance(found, str) else found()
            raise self.refuse(bad, column, said, cure, kind)

    def need(self, names: Iterable[str], what: str = "", cure: str = "") -> None:
        """Refuse names of columns that are not there, with what they are to be; `cure` where no other is near."""
        absent = [name for name in names if name not in self.columns]
        if absent:
            raise InputError(
                f"{self.source}: no column {listed(absent)}{what}; found {listed(self.columns)}"
                + (suggestion(absent[0], self.columns) or cure)
            )

    def with_roles(self, roles: Mapping[str, str] | None) -> Table:
        """The table with columns called by their roles, `roles` being {role: name of the column}."""
        chosen = dict(roles or {})
        for role, name in chosen.items():
            if role not in ROLES and not re.fullmatch(r"(system|rank)[1-9][0-9]*", role):
                raise InputError(
                    f"column role {quoted(role)} is unknown; the roles are {', '.join(ROLES)}, system1,"
                    " rank1, ..." + suggestion(role, ROLES)
                )
            self.need([name], f" to be {role!r}")
        if len(set(chosen.values())) != len(chosen):
            raise InputError(f"{self.source}: a column was given two roles: {quoted(chosen)}")
        role_of = {name: role for role, name in chosen.items()}
        renamed = [role_of.get(name, name) for name in self.columns]
        for role, name in chosen.items():
            if renamed.count(role) > 1:
                raise InputError(
                    f"{self.source}: column {name!r} was given the role {role!r}, but there is a column {role!r} as"
                    " well; rename or remove that one"
                )
        columns = dict(zip(renamed, parts_of(self.columns).values()))
        coded = {role_of.get(name, name): codes for name, codes in self.coded.items()}
        return replace(self, columns=columns, own_names=chosen, coded=coded)


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


def with_person(table: Table, person: str | None) -> Table:
    """The table with the column that names the persons called `person`."""
    return table if person is None else table.with_roles({"person": person})


def suggestion(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'first'?", or nothing where no known word is near."""
    if len(word) > _LONGEST_SUGGESTED:
        return ""
    # difflib compares letter by letter: names of another length cannot be near, and a thousand are looked at.
    alike = (k for k in known if abs(len(k) - len(word)) <= 0.5 * len(word) + 2)
    plain = {k.strip().casefold(): k for k in islice(alike, _MOST_SUGGESTED + 1)}
    if len(plain) > _MOST_SUGGESTED:  # the nearest may be among those that were not looked at
        return ""
    near = difflib.get_close_matches(word.strip().casefold(), list(plain), n=1)
    return f"; did you mean {plain[near[0]]!r}?" if near else ""


def from_frame(
    frame: Any, source: str, *, text: str = "", delimiter: str = ",", nameless: bool = False
) -> Table:
    """A frame's columns under checked names.

    `nameless` allows the first column to have no name (the row labels of a matrix).
    """
    if isinstance(frame.columns, pd.MultiIndex):
        raise InputError(f"{source}: columns have several levels of names; flatten them to a single level")
    # `items` takes half the time of `iloc` for tens of thousands of columns.
    found = (("" if name is None else str(name), series) for name, series in frame.items())
    columns = list(flattened(found, source))
    columns += [(name, Lists(name, source)) for name in frame.attrs.get(LISTS, ())]
    check_names([name for name, _ in columns], source, nameless)
    return Table(dict(columns), len(frame), source, text, delimiter)


def repeated(names: Iterable[str]) -> list[str]:
    """The names that stand there more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def check_names(names: list[str], source: str, nameless: bool) -> None:
    """Refuse columns without a name, and two columns of the same name."""
    blank = [k + 1 for k, name in enumerate(names) if not name.strip() and not (nameless and k == 0)]
    last = next((k for k in range(len(names), 0, -1) if names[k - 1].strip()), 0)
    if blank and last and blank[0] > last:
        raise InputError(
            f"{source}: the last {len(names) - last} of {len(names)} columns have no name, as Excel saves empty columns; delete"
            f" them, or name them if they have cells (the last with a name is {quoted(names[last - 1])})"
        )
    if blank:
        raise InputError(
            f"{source}: column {named(map(str, blank))} has no name; name it, or remove it (pandas writes"
            " its index like this: use to_csv(index=False)); a square table with labelled rows is layout='matrix'"
        )
    twice = repeated(names)
    if twice:
        raise InputError(f"{source}: more than one column is named {listed(twice)}; rename or remove one")


def _lines(text: str) -> Iterator[str]:
    """The lines one by one; io.StringIO would copy the whole text for the first two."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(line on which it begins, fields) of each record that is not a blank line."""
    # The csv module refuses fields over 131072 characters unless told otherwise; chat exports have longer
    # ones.
    limit = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(_lines(text), delimiter=delimiter)
        begin = 1
        for fields in reader:
            # An empty line gives [], a line of blanks one blank field; a line of `""` is a field, and counts.
            if len(fields) > 1 or (fields and (not fields[0] or fields[0].strip(" \t"))):
                yield begin, fields
            begin = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


def line_of_row(text: str, delimiter: str, row: int) -> int:
    """Line of the file on which data row `row` (0 is the first after the header) begins."""
    for k, (line, _) in enumerate(records(text, delimiter)):
        if k == row + 1:
            return line
    raise IndexError(row)


SUFFIXES = (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz")
#: How JSON begins and no header of a table does.
_BEGINS = re.compile(r"\s*(\{\s*[\"}]|\[\s*(\[\s*)*[\[\]{\"0-9-])")
_WORDS = {True: "true", False: "false", None: ""}
_RECORD = '{"first": "A", "second": "B", "outcome": "first"}'


def is_json(text: str, source: str) -> bool:
    """By the name of the file, or by how the text begins."""
    return source.lower().endswith(SUFFIXES) or _BEGINS.match(text) is not None


def json_frame(text: str, source: str) -> pd.DataFrame:
    """The table, every cell text, but for lists, which no model can use, and objects, whose names are columns."""
    cells = _in_columns(_records(text, source), "every line", "null")
    if not cells:
        raise InputError(
            f"{source}: JSON without a record; expected one line per comparison, such as {_RECORD}"
        )
    return pd.DataFrame({name: _objects(column) for name, column in cells.items()}, dtype=object)


def _in_columns(
    records: Iterable[tuple[str, Mapping[Any, Any]]], each: str, blank: str
) -> dict[Any, list[Any]]:
    """The values of each name, of records that all have the names of the first; with each stands its place."""
    cells: dict[Any, list[Any]] | None = None
    for where, record in records:
        cells = {name: [] for name in record} if cells is None else cells
        if record.keys() != cells.keys():
            lacks = [name for name in cells if name not in record]
            more = [name for name in record if name not in cells]
            said = [f"lacks {listed(lacks, 4)}"] * bool(lacks) + [f"also has {listed(more, 4)}"] * bool(more)
            raise InputError(
                f"{where}: {' and '.join(said)}; {each} needs the names of the first ({listed(map(str, cells), 6)}),"
                f" {blank} for a missing value"
            )
        for name, value in record.items():
            cells[name].append(value)
    return cells or {}


def _objects(values: list[Any]) -> NDArray[np.object_]:
    """A column as it is; lists of one length would become a table."""
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _records(text: str, source: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where it stands, names and values) of each object."""
    if text.lstrip()[:1] == "[":
        for k, record in enumerate(_parsed_json(text, source), 1):
            yield (where := f"{source}, record {k}"), _object(record, where)
        return
    for k, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield (where := f"{source}, line {k}"), _object(_parsed_json(line, where), where)


def _parsed_json(text: str, where: str) -> Any:
    try:
        # The numbers stay text, so that none is rounded and none is too long for Python's integers.
        once = partial(_once, where)
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=once)
    except InputError:
        raise
    except RecursionError as error:
        raise InputError(
            f"{where}: JSON nested too deep for a table; expected an object of names and values"
        ) from error
    except ValueError as error:
        lines = "JSON Lines, one object per line (CSV file names end in .csv)"
        cure = "one complete object per line" if text.lstrip()[:1] == "{" else lines
        raise InputError(f"{where}: not JSON ({shortened(str(error))}); expected {cure}") from error


def _once(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"{where}: the name {quoted(name)} appears twice in one object; keep one")
        found[name] = _WORDS[value] if value is None or value is True or value is False else value
    return found


def _object(record: Any, where: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        what = {list: "a list", str: "a text or number", bool: "true or false"}.get(type(record), "null")
        raise InputError(f"{where}: found {what}; expected an object such as {_RECORD}")
    if not record:
        raise InputError(f"{where}: an empty object; expected, for example, {_RECORD}")
    return record


DELIMITERS = (",", ";", "\t")
#: A first line with which a file tells Excel its delimiter.
_STATED = re.compile('"?sep=([^\\w\\s"]|\t)"?(?=\n)', re.I)
#: Suffixes of formats that are no text.
BINARY = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
#: Longer marks first: the UTF-32 mark begins with the UTF-16 one.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def load(
    source: Any, encoding: str | None = None, *, nameless: bool = False, compared: Collection[str] = ()
) -> Table:
    """The table in a path ("-" is standard input), a frame in memory, a dict of columns or a list of dicts.
    compared: names of further columns that are asked for in any case."""
    if isinstance(source, (str, os.PathLike)):
        table = _load_path(os.fspath(source), encoding, nameless, compared)
    elif isinstance(source, pd.DataFrame):
        table = from_frame(source, "table", nameless=nameless)
    elif isinstance(source, Mapping):
        table = from_frame(_frame_of(source), "table")
    elif is_records(source):
        records = ((f"table, record {k}", record) for k, record in enumerate(source, 1))
        table = from_frame(_frame_of(_in_columns(records, "every record", "None")), "table")
    else:
        refuse_lazy(source)
        if not has_arrow(source):
            raise InputError(
                f"cannot read a table from {type(source).__name__}; pass a path, '-' for standard input, a pandas,"
                " polars or pyarrow frame, a dict of columns or a list of dicts"
            )
        table = from_frame(arrow_frame(source), "table", nameless=nameless)
    if encoding is not None and not isinstance(source, (str, os.PathLike)):
        raise InputError(f"encoding={encoding!r} is for files; this table is in memory")
    if table.n_rows == 0:
        raise InputError(
            f"{table.source}: no rows below the header ({named(table.columns)}); "
            "at least one comparison is needed"
        )
    return table


def warn_if_cut(table: Table) -> None:
    """Say so where a text file ends without a line end in a cell that may have been longer.

    A download that broke off inside the last number leaves a table that looks whole: 12 becomes 1.  Many
    editors end no last line either, so that a table is not refused for it; an outcome's word cannot be cut
    into another one.
    """
    if not table.text or table.text.rstrip(" \t").endswith("\n"):
        return
    name, column = next(reversed(list(table.columns.items())))
    cell = str(column.iloc[-1])
    if cell not in ("first", "second", "tie", "model_a", "model_b", "tie (bothbad)", "both_bad"):
        last = f"its last cell (column {name!r}, {cell[:40]!r}) may be too; end the line if it is complete"
        warn_the_caller(
            f"{table.source}: the last line has no line end; if the file was cut, {last}", DataWarning
        )


def is_records(source: Any) -> bool:
    """Whether these are dicts, one a row."""
    some = isinstance(source, (list, tuple)) and bool(source)
    return some and all(isinstance(record, Mapping) for record in source)


def _frame_of(columns: Mapping[Any, Any]) -> pd.DataFrame:
    lengths = {}
    for name, values in columns.items():
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            raise InputError(
                f"table: column {quoted(name)} is {quoted(values)}; a column is a list, an array or a Series"
            )
        lengths[name] = len(values)
    if len(set(lengths.values())) > 1:
        raise InputError(
            f"table: columns of different lengths: {named(f'{quoted(k)}: {n}' for k, n in lengths.items())}"
        )
    # Series are taken by position: aligning them by their index could reorder or invent rows.
    try:
        frame = pd.DataFrame({k: v.array if isinstance(v, pd.Series) else v for k, v in columns.items()})
        for k, values in enumerate(columns.values()):
            large = frame.dtypes.iloc[k] == float and isinstance(values, (list, tuple))
            if large and any(isinstance(value, int) and abs(value) >= 2**53 for value in values):
                # Beside None they became doubles, which do not tell one from the next.
                frame.isetitem(k, pd.Series(values, dtype=object))
        return frame
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(
            f"table: the columns cannot be combined ({shortened(str(error))}); a column is a list of"
            " texts or numbers, or an array or Series of one dimension"
        ) from error


def _load_path(path: str, encoding: str | None, nameless: bool, compared: Collection[str]) -> Table:
    if path == "-":
        name = "standard input"
        return delimited(read_stream(sys.stdin.buffer, name), name, encoding, nameless, compared)
    suffix, expected = Path(path).suffix.lower(), "a CSV, TSV, JSON, JSON Lines, Parquet or Arrow file"
    if suffix not in BINARY:
        raw = read_file(path, expected, streams=True, instead="count it with pairproof.count, ")
        return delimited(raw, path, encoding, nameless, compared)
    if encoding is not None:
        raise InputError(
            f"{path}: encoding={encoding!r} is for CSV and TSV; {suffix} files contain their own"
        )
    return from_frame(arrow_file(path, suffix, expected), path, nameless=nameless)


def delimited(
    raw: bytes,
    source: str,
    encoding: str | None = None,
    nameless: bool = False,
    compared: Collection[str] = (),
) -> Table:
    """The table in the bytes of a text file, or of a gzipped one; every cell is text.  compared: as of :func:`load`."""
    raw = unpacked(raw, source)
    text = _decode(raw, source, encoding)
    if not text or text.isspace():
        lines = (
            "an object per line, such as " + _RECORD
            if is_json(text, source)
            else "a header line and at least one row"
        )
        raise InputError(f"{source}: the file is empty; expected {lines}")
    if stated := _STATED.match(text):
        text = text[stated.end() :]  # its line end stays, so that lines keep their numbers
        if text.isspace():  # as of a file that is read in pieces, whose header would be this line
            raise InputError(
                f"{source}: no table below its first line, {stated[0]}; delete that line, which is for Excel alone"
            )
    if is_json(text, source):
        return from_frame(json_frame(text, source), source, nameless=nameless)
    if not stated and is_text_table(text, source) and (found := of_text(text, source)) is not None:
        return found
    delimiter = stated[1] if stated else _delimiter(text, source)
    top = list(islice(records(text, delimiter), 2))
    header = top[0][1]
    check_names(header, source, nameless)
    if len(text) >= _LARGE_TEXT and '"' not in text and top[0][0] == 1:
        ascii_as_it_is = encoding is None and len(raw) == len(text)
        body = raw if ascii_as_it_is else text.encode()
        found = _of_lines(text, body, delimiter, header, source, compared)
        if found is not None:
            return found
    if len(top) == 1:
        frame = pd.DataFrame(columns=range(len(header)))
    else:
        n_records = _count_records(text, delimiter, len(header), source)
        check_size(n_records - 1, len(header), source)
        frame = _parsed(text.split("\n", top[1][0] - 1)[-1], delimiter, len(header), source)
        if len(frame) != n_records - 1 and len(frame) != sum(1 for _ in records(text, delimiter)) - 1:
            raise InputError(
                f"{source}: {n_records} lines that are not blank, but only {len(frame)} rows could"
                " be read; look for an unclosed quote"
            )
    frame.columns = pd.Index(header, dtype=object)
    return from_frame(frame, source, text=text, delimiter=delimiter, nameless=nameless)


def of_text(text: str, source: str) -> Table | None:
    """The one table in LaTeX, HTML, Markdown or columns of a text; None where columns are none."""
    table = one_table(text, source)
    if table is None:
        return None
    # a column that has neither a name nor a cell says nothing
    kept = [k for k, name in enumerate(table.header) if name or any(row[k] for row in table.rows)]
    header = pd.Index([table.header[k] for k in kept], dtype=object)
    frame = pd.DataFrame([[row[k] for k in kept] for row in table.rows], columns=header)
    told = f"{source}, line {table.line}: read as {table}"
    return replace(from_frame(frame, source, nameless=True), lines=table.lines, told=(told,))


def _of_lines(
    text: str, raw: bytes, delimiter: str, header: list[str], source: str, compared: Collection[str]
) -> Table | None:
    """The table of a text without quotes, if it has a line for each row and columns of what was compared."""
    places = [k for k, name in enumerate(header) if name in _COMPARED or name in compared]
    if not places or len(header) < 2:
        return None
    n_rows = int(np.count_nonzero(np.frombuffer(raw, np.uint8) == ord("\n"))) - text.endswith("\n")
    check_size(n_rows, len(header), source)
    codes = coded_text(raw, delimiter, len(header), n_rows, places)
    if codes is None:
        return None
    parsed = cache(lambda: _parsed(text.split("\n", 1)[1], delimiter, len(header), source))

    def column(k: int) -> Any:
        return parsed().iloc[:, k]

    columns = {name: Later(partial(column, k)) for k, name in enumerate(header)}
    coded = {header[k]: found for k, found in codes.items()}
    return Table(columns, n_rows, source, text, delimiter, first_line=2, coded=coded)


def _parsed(body: str, delimiter: str, n_columns: int, source: str) -> pd.DataFrame:
    """The lines below the header, every cell as text."""
    # dtype="category" would spare a factorize, but takes 4 times as long on columns of many distinct texts.
    try:
        as_text: dict[str, Any] = {"header": None, "index_col": False, "dtype": str, "na_filter": False}
        return pd.read_csv(
            io.BytesIO(body.encode()), sep=delimiter, names=range(n_columns), encoding="utf-8", **as_text
        )
    except pd.errors.ParserError as error:
        raise InputError(f"{source}: not a readable table: {error}; look for an unclosed quote") from error


def _decode(raw: bytes, source: str, encoding: str | None) -> str:
    for mark, name in MARKS:
        if raw.startswith(mark):
            raw, encoding = raw[len(mark) :], name
            break
    name = encoding or "utf-8"
    try:
        text = raw.decode(name)
    except LookupError as error:
        raise InputError(f"encoding {name!r} is unknown; try utf-8, utf-16, latin-1 or cp1252") from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{source}, line {line}: byte 0x{raw[error.start]:02x} (number {error.start + 1} of the file) is"
            f" not {name}; save the file as UTF-8, or name its encoding, for example encoding='latin-1'"
        ) from error
    if "\0" in text:
        raise InputError(
            f"{source}: contains zero bytes, so it is not text in {name}; if it is UTF-16, use encoding='utf-16',"
            " otherwise save it as a UTF-8 text file"
        )
    # One kind of line end: with "\r" alone and blank lines, pandas' parser loses rows without a word.
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _delimiter(text: str, source: str) -> str:
    """The delimiter that splits the header; a tab wins, since names do not hold tabs."""
    header = {d: next(records(text, d))[1] for d in DELIMITERS}
    if len(header["\t"]) > 1 or source.lower().endswith((".tsv", ".tab", ".tsv.gz", ".tab.gz")):
        return "\t"
    if len(header[","]) > 1 and len(header[","]) == len(header[";"]):
        raise InputError(
            f"{source}: the header splits into {len(header[','])} both at commas and at"
            f" semicolons: {listed(header[','])}; quote names that contain commas or semicolons"
        )
    return ";" if len(header[";"]) > len(header[","]) else ","


def _count_records(text: str, delimiter: str, expected: int, source: str) -> int:
    """How many records there are; refuses one that has not as many fields as the header."""
    count, odd = _quick_count(text, delimiter, expected)
    if odd is not None and '"' in text:
        # A quote inside an unquoted field (5" screen) upsets the quick count; the csv module knows that case.
        lengths = [(line, len(fields)) for line, fields in records(text, delimiter)]
        count, odd = len(lengths), next((pair for pair in lengths if pair[1] != expected), None)
    if odd is not None:
        opens = _opens_a_quote(text, odd[0])
        raise InputError(
            f"{source}, line {odd[0]}: {odd[1]} field(s), but the header has {expected}; "
            "complete the line, or quote a field that contains the delimiter"
            f"{'; or a quote opened there is not closed' if opens else ''}"
        )
    return count


def _opens_a_quote(text: str, line: int) -> bool:
    """Whether a quoted field begins on this line and does not end there."""
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    end = text.find("\n", start)
    return end >= 0 and text.count('"', start, end) % 2 == 1


def _quick_count(text: str, delimiter: str, expected: int) -> tuple[int, tuple[int, int] | None]:
    """(records, (line, fields) of the first that has not `expected` fields); line ends and delimiters count
    where an even number of quotes stands before them."""
    raw = text.encode()
    data = np.frombuffer(raw, np.uint8)
    quotes = np.flatnonzero(data == ord('"'))

    def unquoted(character: str) -> IntArray:
        at: IntArray = np.flatnonzero(data == ord(character))
        return np.delete(at, np.flatnonzero(np.searchsorted(quotes, at) % 2 == 1)) if len(quotes) else at

    ends = np.append(unquoted("\n"), len(data))
    fields = 1 + np.diff(np.searchsorted(unquoted(delimiter), ends), prepend=0)
    starts = np.append(0, ends[:-1] + 1)
    blank = 0
    for k in np.flatnonzero(fields != expected):
        if fields[k] > 1 or raw[starts[k] : ends[k]].strip(b" \t"):
            return 0, (raw.count(b"\n", 0, int(starts[k])) + 1, int(fields[k]))
        blank += 1
    return len(ends) - blank, None
