"""Where rows come from: files, in batches; frames of any engine, which count for themselves.

    a path, a glob, a list of paths    Parquet and Arrow by batches, large CSV and TSV by pieces (pyarrow); else as `read`
    a pandas frame, a dict of columns  in memory
    polars, Arrow, DuckDB, Ibis,       by narwhals: group_by(columns).agg(len()), run by the engine that holds the rows
    Dask, PySpark

No frame of all rows is ever made.
"""

from __future__ import annotations

import glob
import hashlib
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from ...errors import InputError
from ...files.inputs import note, regular
from ...text import listed, named, quoted
from ..adding import Part
from ..reading.arrow import leaf, leaves
from ..reading.nested import refuse_lists
from ..reading.sources import BINARY, Table, load, repeated
from .tally import Coded, Tally

#: Told how many rows have been counted, of how many if that is known.
Progress = Callable[[int, "int | None"], None]
#: Rows of a batch; and bytes from where on a text file is read in pieces, if pyarrow is there.
BATCH = 1 << 20
LARGE_TEXT = 64 << 20
#: The engines' name for the number of rows; a column of it is refused.
N = "__pairproof_n"
_SCALE = "pip install 'pairproof[scale]'"


class Batches(Protocol):
    """Rows by batches; of columns in `plain` that are whole numbers or floats, all there, the numbers themselves."""

    def __call__(self, columns: Sequence[str], plain: Collection[str] = ()) -> Iterator[list[Coded]]:
        """Of each batch, these columns."""


@dataclass(frozen=True)
class Stream:
    """Rows somewhere, whose columns have names and can be asked for.

    names: of the columns, by the source's own spelling.
    sink: writes columns to a Parquet file, where the rows are an engine's; None: `batches` can be asked again and again.
    counts: of an engine that counts distinct rows itself.
    """

    source: str
    names: tuple[str, ...]
    batches: Batches
    parts: Callable[[int], tuple[Part, ...]]
    folds_case: bool = False
    sink: Callable[[Sequence[str], str], None] | None = None
    counts: Callable[[Sequence[str], Tally], None] | None = None

    def distinct(self, columns: Sequence[str], tally: Tally) -> None:
        """Count the distinct rows of these columns."""
        if self.counts is not None:
            self.counts(columns, tally)
            return
        for batch in self.batches(columns, tally.cuts):
            tally.add(batch)


def stream_of(
    source: Any, name: str | None = None, encoding: str | None = None, told: Progress | None = None
) -> Stream:
    """The rows of any source that can be counted."""
    paths = paths_of(source)
    if paths is not None:
        return _of_files(paths, name, encoding, told)
    if isinstance(source, (pd.DataFrame, Mapping)) or isinstance(source, list):
        return _in_memory(load(source, encoding), name)
    return _by_narwhals(source, name)


@contextmanager
def spooled(stream: Stream, columns: Sequence[str], folder: str | None = None) -> Iterator[Batches]:
    """Batches that can be asked more than once: an engine writes the columns to a file first, deleted afterwards."""
    if stream.sink is None:
        yield stream.batches
        return
    with tempfile.TemporaryDirectory(prefix="pairproof-rows-", dir=folder) as inside:
        path = os.path.join(inside, "rows.parquet")
        stream.sink(columns, path)
        # Dask and Spark write a folder, with a file for each partition.
        parts = sorted(glob.glob(os.path.join(path, "*.parquet"))) if os.path.isdir(path) else [path]
        yield _of_files(parts, None, None, None).batches


def paths_of(source: Any) -> list[str] | None:
    """The files that a path, a glob or a list of these names; None for a frame."""
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        if not any(sign in text for sign in "*?[") or os.path.exists(text):
            return [text]
        found = sorted(glob.glob(text, recursive=True))
        if not found:
            raise InputError(f"{text}: no such file; expected a path, or a glob such as votes/*.parquet")
        return found
    of_paths = isinstance(source, (list, tuple)) and all(isinstance(s, (str, os.PathLike)) for s in source)
    if not of_paths or not source:
        return None
    found = [path for one in source for path in paths_of(one) or ()]
    if twice := repeated(found):
        raise InputError(
            f"{listed(twice)} named more than once; name each file once, so that its votes do not count twice"
        )
    return found


def _tallied(name: str | None, source: str) -> Callable[[int], tuple[Part, ...]]:
    digest = hashlib.sha256(f"name {name}".encode()).hexdigest() if name else ""
    return lambda n: (Part(name or source, n, digest),)


# -- in memory -----------------------------------------------------------------------------------------------


def _in_memory(table: Table, name: str | None) -> Stream:
    def batches(columns: Sequence[str], plain: Collection[str] = ()) -> Iterator[list[Coded]]:
        yield [_factorized(table.columns[one], one, table.source, one in plain) for one in columns]

    return Stream(table.source, tuple(table.columns), batches, _tallied(name, table.source))


def _factorized(series: Any, name: str, source: str, plain: bool = False) -> Coded:
    if plain and isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf":
        return series.to_numpy(), None
    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.cat.codes.to_numpy(), series.cat.categories.tolist()
    try:
        codes, values = pd.factorize(series)
    except TypeError as error:
        raise InputError(f"{source}: column {name!r} holds neither text nor numbers: {error}") from error
    return codes, list(values.to_numpy(object) if hasattr(values, "to_numpy") else values)


# -- files ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _File:
    """One file: its columns' names, its rows if known, and its batches."""

    path: str
    names: tuple[str, ...]
    n_rows: int | None
    batches: Batches


def _of_files(paths: list[str], name: str | None, encoding: str | None, told: Progress | None) -> Stream:
    """Files one after another; text that is read whole is held one file at a time."""
    source = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more"
    binary = [Path(path).suffix.lower() in BINARY for path in paths]
    known = {path: _opened(path, encoding) for path, at_once in zip(paths, binary) if at_once}
    first = known.setdefault(paths[0], known.get(paths[0]) or _opened(paths[0], encoding))
    rows = [known[path].n_rows if path in known else None for path in paths]
    of_all = None if None in rows else sum(n or 0 for n in rows)
    seen: dict[str, int] = {}

    def batches(columns: Sequence[str], plain: Collection[str] = ()) -> Iterator[list[Coded]]:
        done = 0
        for path in paths:
            file = known.get(path) or _opened(path, encoding)
            _check_names(file, first, columns)
            seen[path] = 0
            for batch in file.batches(columns, plain):
                yield batch
                seen[path] += len(batch[0][0])
                done += len(batch[0][0])
                if told is not None:
                    told(done, of_all)

    def parts(n: int) -> tuple[Part, ...]:
        if name:
            return _tallied(name, source)(n)
        of: dict[str, str] = {}
        for path in paths:
            other = of.setdefault(_file_digest(path), path)
            if other != path:
                raise InputError(
                    f"{path} and {other} contain the same bytes; omit one, or, if these are different"
                    " votes, give the files one name= (--name)"
                )
        if len(paths) == 1:
            seen[paths[0]] = n
        return tuple(sorted(Part(os.path.basename(path), seen[path], digest) for digest, path in of.items()))

    return Stream(source, first.names, batches, parts)


def _file_digest(path: str) -> str:
    if path == "-":
        return ""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 22):
            found.update(piece)
    return found.hexdigest()


def _check_names(file: _File, first: _File, columns: Sequence[str]) -> None:
    """Files that are counted together have the columns that are counted, and none that would change the counts."""
    absent = [name for name in columns if name not in file.names]
    more = [name for name in ("weight", "ties") if name in file.names and name not in first.names]
    if absent or more:
        found = [f"lacks {listed(absent)}"] * bool(absent) + [f"has {listed(more)}, which counts"] * bool(
            more
        )
        raise InputError(
            f"{file.path}: {' and '.join(found)}; {first.path} differs: count files of one kind at a time,"
            " and add the counts"
        )


def _opened(path: str, encoding: str | None) -> _File:
    suffix = Path(path).suffix.lower()
    if path == "-":
        return _whole(path, encoding)
    regular(path, "a CSV, TSV, JSON Lines, Parquet or Arrow file")
    note(path)
    if suffix in BINARY:
        if encoding is not None:
            raise InputError(f"{path}: encoding={encoding!r} is for text; {suffix} files contain their own")
        return _of_arrow(path, suffix)
    if os.path.getsize(path) >= LARGE_TEXT and suffix in (".csv", ".tsv", ".tab"):
        try:
            import pyarrow.csv
        except ImportError:
            return _whole(path, encoding)
        return _of_large_text(path, encoding)
    return _whole(path, encoding)


def _whole(path: str, encoding: str | None) -> _File:
    """A file that is read as `read` does, with all its checks."""
    stream = _in_memory(load(path, encoding), None)
    return _File(path, stream.names, None, stream.batches)


def _arrow(path: str) -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(f"{path}: needs pyarrow ({error}); {_SCALE}") from error
    return pyarrow


def _of_arrow(path: str, suffix: str) -> _File:
    pa = _arrow(path)
    unreadable = (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError)

    def guarded(batches: Callable[[Sequence[str]], Iterator[Any]]) -> Batches:
        def of(columns: Sequence[str], plain: Collection[str] = ()) -> Iterator[list[Coded]]:
            try:
                for column in columns:
                    if names[column] is None:
                        refuse_lists(column, path)
                for batch in batches(columns):
                    found = {column: leaf(batch, names[column] or ()) for column in columns}
                    yield [_coded(found[column], column, path, column in plain) for column in columns]
            except unreadable as error:
                raise InputError(f"{path}: not a readable {suffix} file: {error}") from error

        return of

    try:
        if suffix in (".parquet", ".pq"):
            with pa.parquet.ParquetFile(path) as file:
                schema, n_rows = file.schema_arrow, file.metadata.num_rows
            names = leaves(schema, path)
            texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]

            def of_parquet(columns: Sequence[str]) -> Iterator[Any]:
                coded = [name for name in columns if name in texts]
                with pa.parquet.ParquetFile(path, read_dictionary=coded, pre_buffer=False) as file:
                    yield from file.iter_batches(BATCH, columns=list(columns))

            return _File(path, tuple(names), n_rows, guarded(of_parquet))
        with _reader(pa, path) as reader:
            names = leaves(reader.schema, path)

        def of_ipc(columns: Sequence[str]) -> Iterator[Any]:
            with _reader(pa, path) as reader:
                if hasattr(reader, "num_record_batches"):
                    yield from (reader.get_batch(k) for k in range(reader.num_record_batches))
                else:
                    yield from reader

        return _File(path, tuple(names), None, guarded(of_ipc))
    except unreadable as error:
        raise InputError(f"{path}: not a readable {suffix} file: {error}") from error


def _reader(pa: Any, path: str) -> Any:
    """A reader of an Arrow file, or of a stream, as Hugging Face writes them."""
    mapped = pa.memory_map(path)
    try:
        return pa.ipc.open_file(mapped)
    except pa.ArrowInvalid:
        mapped.seek(0)
        return pa.ipc.open_stream(mapped)


def _coded(column: Any, name: str, source: str, plain: bool = False) -> Coded:
    """An Arrow column as codes and levels."""
    import pyarrow as pa

    number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if plain and number and not column.null_count:
        return column.to_numpy(zero_copy_only=False), None
    if not pa.types.is_dictionary(column.type):
        try:
            column = column.dictionary_encode()
        except (pa.ArrowNotImplementedError, AttributeError) as error:
            raise InputError(f"{source}: column {name!r} holds neither text nor numbers: {error}") from error
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    indices = column.indices
    codes = (indices.fill_null(-1) if indices.null_count else indices).to_numpy(zero_copy_only=False)
    return codes, column.dictionary.to_pylist()


def _of_large_text(path: str, encoding: str | None) -> _File:
    """A large CSV or TSV file, in pieces; every cell is text, and each record has as many fields as the header."""
    import pyarrow as pa
    import pyarrow.csv as pc

    from ..reading.sources import delimited

    with open(path, "rb") as file:
        head = file.read(1 << 20)
    # The header is read by the rules for any text file; two lines hold it and one record, unless that is cut.
    lines = head.split(b"\n")
    top = delimited(b"\n".join(lines[: max(1, min(len(lines) - 1, 1))]) + b"\n", path, encoding)
    names = tuple(top.columns)

    def batches(columns: Sequence[str], plain: Collection[str] = ()) -> Iterator[list[Coded]]:
        try:
            reader = pc.open_csv(
                path,
                read_options=pc.ReadOptions(block_size=1 << 24, encoding=encoding or "utf8"),
                parse_options=pc.ParseOptions(delimiter=top.delimiter, newlines_in_values=True),
                convert_options=pc.ConvertOptions(
                    column_types=dict.fromkeys(columns, pa.dictionary(pa.int32(), pa.string())),
                    include_columns=list(columns),
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                yield [_coded(batch.column(column), column, path) for column in columns]
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            raise InputError(f"{path}: not a readable table: {error}") from error

    return _File(path, names, None, batches)


# -- engines -------------------------------------------------------------------------------------------------


def _by_narwhals(source: Any, name: str | None) -> Stream:
    kind = f"{type(source).__module__.partition('.')[0]}.{type(source).__name__}"
    try:
        import narwhals.stable.v2 as nw
    except ImportError as error:
        raise InputError(
            f"cannot count a {kind} without narwhals ({error}); {_SCALE}, or give a path, a pandas frame or a dict of"
            " columns"
        ) from error
    try:
        frame = nw.from_native(source).lazy()
    except ImportError as error:
        raise InputError(
            f"this version of narwhals cannot read a {kind} ({error}); update both: pip install -U narwhals"
            f" {kind.partition('.')[0]}"
        ) from error
    except TypeError as error:
        raise InputError(
            f"cannot count rows of a {kind}; expected a path, a glob, a list of paths, a dict of columns, or a frame of"
            f" pandas, polars, pyarrow, DuckDB, Ibis, Dask or PySpark (narwhals says: {error})"
        ) from error
    about = name or f"a frame of {kind.partition('.')[0]}"
    fields = list(_fields(frame.collect_schema(), nw))
    paths, names = dict(fields), tuple(column for column, _ in fields)
    if len(paths) < len(names):
        raise InputError(
            f"{about}: more than one column is named {listed(repeated(names))}; rename or remove one"
        )

    def chosen(columns: Sequence[str], names: Sequence[str]) -> Any:
        """The frame of these columns, those inside structs among them, under names."""
        for column in columns:
            if paths[column][1]:
                refuse_lists(column, about)
        try:
            return frame.select(*(_field(nw, paths[old][0]).alias(new) for old, new in zip(columns, names)))
        except (AttributeError, NotImplementedError, TypeError) as error:
            raise InputError(
                f"{about}: this engine does not return nested columns ({error}); provide {listed(columns)}"
                " as separate columns"
            ) from error

    def distinct(columns: Sequence[str], tally: Tally) -> None:
        if N in names:
            raise InputError(f"a column is named {N!r}, a name that counting needs; rename it")
        inside = any(len(paths[column][0]) > 1 for column in columns)
        # engines take a dot in a name of their own for a field of a struct
        keys = [f"{N}_{k}" for k in range(len(columns))] if inside else list(columns)
        counted = chosen(columns, keys).group_by(*keys).agg(nw.len().alias(N)).head(tally.most + 1)
        grouped = counted.collect()
        series = (pd.Series(grouped[key].to_list(), dtype=object) for key in keys)
        coded = [_factorized(of, column, "table") for of, column in zip(series, columns)]
        tally.check(len(coded[0][0]))
        tally.add(coded, np.array(grouped[N].to_list(), np.int64))

    def sink(columns: Sequence[str], path: str) -> None:
        chosen(columns, columns).sink_parquet(path)

    def batches(columns: Sequence[str], plain: Collection[str] = ()) -> Iterator[list[Coded]]:
        with spooled(found, columns) as of_file:
            yield from of_file(columns, plain)

    folds = str(getattr(frame, "implementation", "")).rpartition(".")[2].lower() in ("duckdb", "pyspark")
    found = Stream(about, names, batches, _tallied(name, kind), folds, sink, distinct)
    return found


def _fields(schema: Any, nw: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[Any, bool]]]:
    """Dotted name, path and whether it holds lists of each column, those inside structs too."""
    for name, dtype in schema.items():
        if isinstance(dtype, nw.Struct):
            yield from _fields({part.name: part.dtype for part in dtype.fields}, nw, (*path, name))
        else:
            yield ".".join((*path, name)), ((*path, name), isinstance(dtype, (nw.List, nw.Array)))


def _field(nw: Any, path: Sequence[str]) -> Any:
    found = nw.col(path[0])
    for name in path[1:]:
        found = found.struct.field(name)
    return found


def check_case(stream: Stream, wanted: Sequence[str]) -> None:
    """Refuse columns that differ in case only, where the engine does not distinguish them."""
    if not stream.folds_case:
        return
    for column in wanted:
        alike = [name for name in stream.names if name.casefold() == column.casefold()]
        if len(alike) > 1:
            raise InputError(
                f"{stream.source}: the columns {named(map(quoted, alike))} differ only in case, which this"
                " engine does not distinguish; rename one"
            )


def too_many(most: int, by: Sequence[str], where: Sequence[str] = ()) -> str:
    """What a count says that would have too many rows."""
    chosen = f" with where on {listed(where)}" if where else ""
    cure = "filter the file or the frame first, " if where else ""
    return (
        f"by={list(by)}{chosen} gives more than {most:,} different rows; {cure}count by fewer columns or by buckets of them,"
        f" cluster through rows=, or set a larger most_cells={2 * most}"
    )
