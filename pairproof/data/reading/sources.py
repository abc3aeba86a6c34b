"""Load a table from a source: CSV, TSV and JSON Lines files (also gzipped), standard input, Parquet and Arrow,
frames, dicts of columns.

Text is decoded strictly (UTF-8 unless a byte order mark or `encoding` says otherwise), the delimiter is the
one of comma, semicolon and tab that splits the header, and every record must have as many fields as the
header: a short last line is what a broken download leaves behind.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import DataWarning, InputError, warn_the_caller
from ...files.inputs import read_file, read_stream
from ...files.packed import unpacked
from ...text import listed, named, quoted, shortened
from .json_lines import is_json, json_frame
from .table import Table, check_names, from_frame, records

DELIMITERS = (",", ";", "\t")
#: Suffixes of formats that are no text.
BINARY = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
IntArray = NDArray[np.int64]
#: Longer marks first: the UTF-32 mark begins with the UTF-16 one.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def load(source: Any, encoding: str | None = None, *, nameless: bool = False) -> Table:
    """The table in a path ("-" is standard input), a DataFrame or a dict of columns."""
    if isinstance(source, pd.DataFrame):
        table = from_frame(source, "table", nameless=nameless)
    elif isinstance(source, Mapping):
        table = from_frame(_frame_of(source), "table")
    elif isinstance(source, (str, os.PathLike)):
        return _load_path(os.fspath(source), encoding, nameless)
    else:
        raise InputError(
            f"cannot read a table from {type(source).__name__}; pass a path, '-' for standard input, a pandas"
            " DataFrame, or a dict of columns"
        )
    if encoding is not None:
        raise InputError(f"encoding={encoding!r} is for files; this table is in memory")
    return _with_rows(table)


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
    if cell not in ("first", "second", "tie", "model_a", "model_b", "tie (bothbad)"):
        warn_the_caller(
            (
                f"{table.source}: the last line has no line end; if the file was cut, its last cell (column"
                f" {name!r}, {cell[:40]!r}) may be too; end the line if it is whole"
            ),
            DataWarning,
        )


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
        return pd.DataFrame({k: v.array if isinstance(v, pd.Series) else v for k, v in columns.items()})
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(
            f"table: the columns cannot be put side by side ({shortened(str(error))}); a column is a list of"
            " texts or numbers, or an array or Series of one dimension"
        ) from error


def _with_rows(table: Table) -> Table:
    if table.n_rows == 0:
        raise InputError(
            f"{table.source}: no rows below the header ({named(table.columns)}); "
            "at least one comparison is needed"
        )
    return table


def _load_path(path: str, encoding: str | None, nameless: bool) -> Table:
    if path == "-":
        return _with_rows(
            delimited(read_stream(sys.stdin.buffer, "standard input"), "standard input", encoding, nameless)
        )
    suffix = Path(path).suffix.lower()
    raw = read_file(path, "a CSV, TSV, Parquet or Arrow file", streams=True)
    if suffix in BINARY:
        if encoding is not None:
            raise InputError(
                f"{path}: encoding={encoding!r} is for CSV and TSV; {suffix} files hold their own"
            )
        return _with_rows(from_frame(_arrow(raw, path, suffix), path, nameless=nameless))
    return _with_rows(delimited(raw, path, encoding, nameless))


def _arrow(raw: bytes, path: str, suffix: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(
            f"{path}: reading {suffix} files needs pyarrow ({error}); pip install 'pairproof[arrow]', or save"
            " as CSV"
        ) from error
    try:
        if suffix in (".parquet", ".pq"):
            return pa.parquet.read_table(pa.BufferReader(raw)).to_pandas()
        with pa.BufferReader(raw) as file:
            try:
                reader = pa.ipc.open_file(file)
            except pa.ArrowInvalid:  # Hugging Face's .arrow files are streams
                file.seek(0)
                reader = pa.ipc.open_stream(file)
            return reader.read_all().to_pandas()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{path}: not a readable {suffix} file: {error}") from error


def delimited(raw: bytes, source: str, encoding: str | None = None, nameless: bool = False) -> Table:
    """The table in the bytes of a text file, or of a gzipped one; every cell is text."""
    text = _decode(unpacked(raw, source), source, encoding)
    if not text.strip():
        raise InputError(f"{source}: the file is empty; expected a header line and at least one row")
    if is_json(text, source):
        return from_frame(json_frame(text, source), source, nameless=nameless)
    delimiter = _delimiter(text, source)
    top = list(islice(records(text, delimiter), 2))
    header = top[0][1]
    check_names(header, source, nameless)
    if len(top) == 1:
        frame = pd.DataFrame(columns=range(len(header)))
    else:
        n_records = _count_records(text, delimiter, len(header), source)
        frame = _parsed(text.split("\n", top[1][0] - 1)[-1], delimiter, len(header), source)
        if len(frame) != n_records - 1 and len(frame) != sum(1 for _ in records(text, delimiter)) - 1:
            raise InputError(
                f"{source}: {n_records} lines beside blank ones, but {len(frame)} rows could be read; "
                "look for a quote that is not closed"
            )
    frame.columns = pd.Index(header, dtype=object)
    return from_frame(frame, source, text=text, delimiter=delimiter, nameless=nameless)


def _parsed(body: str, delimiter: str, n_columns: int, source: str) -> pd.DataFrame:
    """The lines below the header, every cell as text."""
    # dtype="category" would spare a factorize, but takes 4 times as long on columns of many distinct texts.
    try:
        return pd.read_csv(
            io.BytesIO(body.encode()),
            sep=delimiter,
            header=None,
            names=range(n_columns),
            index_col=False,
            dtype=str,
            na_filter=False,
            encoding="utf-8",
        )
    except pd.errors.ParserError as error:
        raise InputError(
            f"{source}: not a readable table: {error}; look for a quote that is not closed"
        ) from error


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
            f" not {name}; save the file as UTF-8, or say what it is, for example encoding='latin-1'"
        ) from error
    if "\0" in text:
        raise InputError(
            f"{source}: holds zero bytes, so it is not text in {name}; if it is UTF-16 say encoding='utf-16',"
            " else save it as a UTF-8 text file"
        )
    # One kind of line end: with "\r" alone and blank lines, pandas' parser loses rows without a word.
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _delimiter(text: str, source: str) -> str:
    """The delimiter that splits the header; a tab wins, since names do not hold tabs."""
    header = {d: next(records(text, d))[1] for d in DELIMITERS}
    if len(header["\t"]) > 1 or source.lower().endswith((".tsv", ".tab", ".tsv.gz", ".tab.gz")):
        return "\t"
    if len(header[","]) > 1 and len(header[","]) == len(header[";"]):
        raise InputError(
            f"{source}: the header splits into {len(header[','])} at commas and at semicolons alike:"
            f" {listed(header[','])}; quote names that hold the one or the other"
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
        quote = (
            "; or a quote that opens there is not closed" if _opens_a_quote(text, delimiter, odd[0]) else ""
        )
        raise InputError(
            f"{source}, line {odd[0]}: {odd[1]} field(s), but the header has {expected}; "
            f"complete the line, or quote a field that holds the delimiter{quote}"
        )
    return count


def _opens_a_quote(text: str, delimiter: str, line: int) -> bool:
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
