"""Parquet and Arrow files, and frames in memory that hand over their columns as Arrow has them (polars, pyarrow).

A Parquet file unfolds to forty times its bytes, so that its footer says whether it is read, before a row is.  What has
no rows until it is asked (a lazy frame, a relation of a database, a frame of a cluster) is not pulled into memory: it is
counted where it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ...errors import InputError
from ...files.inputs import LIMIT, MOST_BYTES, most_bytes, open_file, read_file
from ...text import listed
from ..columns import IntArray

#: Rows of a file that are read: positions and counts take 40 bytes a row, the columns of the file as many.
MOST_ROWS = 50_000_000
#: Bytes that a cell takes while it is read, and how many times the most bytes of a text file all of them may:
#: text takes as many.
_CELL, _UNFOLDED = 20, 10
#: Rows that are counted in a second, with room: 2 to 6 seconds for 10^8 were seen.
_COUNTED = 10_000_000
#: The attribute of a frame that names columns of lists, which were not read.
LISTS = "pairproof: columns of lists"
#: Packages whose tables are computed when asked, and the names of such tables in others.
_LAZY_PACKAGES = ("duckdb", "ibis", "dask", "dask_expr", "pyspark")
_LAZY_NAMES = ("LazyFrame", "RecordBatchReader", "Scanner", "Dataset")


def check_size(n_rows: int, n_columns: int, source: str) -> None:
    """Refuse a file that would not fit into memory, by its rows and columns."""
    times = max(1.0, most_bytes() / MOST_BYTES)
    limit = f"or raise the limit (environment variable {LIMIT})"
    if n_rows > MOST_ROWS * times:
        raise InputError(
            f"{source}: {n_rows:,} rows: pairproof.count counts them in about {math.ceil(n_rows / _COUNTED)} s; at most"
            f" {MOST_ROWS * times:,.0f} can be read; count them, {limit}"
        )
    if n_rows * n_columns * _CELL > MOST_BYTES * times * _UNFOLDED:
        raise InputError(
            f"{source}: {n_rows:,} rows of {n_columns:,} columns expand to about {n_rows * n_columns * _CELL / 1e9:.0f} GB;"
            f" keep only the columns you need, count them with pairproof.count, {limit}"
        )


def leaves(schema: Any, source: str) -> dict[str, tuple[str, ...] | None]:
    """Dotted name -> path of each column of an Arrow schema, those inside structs too; None for lists and maps."""
    import pyarrow as pa

    found: list[tuple[str, tuple[str, ...] | None]] = []

    def add(field: Any, path: tuple[str, ...]) -> None:
        path = (*path, field.name)
        if pa.types.is_struct(field.type):
            for k in range(field.type.num_fields):
                add(field.type.field(k), path)
        else:
            held = pa.types.is_nested(field.type) and not pa.types.is_dictionary(field.type)
            found.append((".".join(path), None if held else path))

    for field in schema:
        add(field, ())
    twice = [name for name, n in Counter(name for name, _ in found).items() if n > 1]
    if twice:
        raise InputError(f"{source}: more than one column is named {listed(twice)}; rename or remove one")
    return dict(found)


def leaf(table: Any, path: Sequence[str]) -> Any:
    """A column of a table or a batch, of structs in it where the path has several names."""
    import pyarrow.compute as pc

    column = table.column(path[0])
    return column if len(path) == 1 else pc.struct_field(column, list(path[1:]))


def arrow_file(path: str, suffix: str, expected: str) -> pd.DataFrame:
    """The table in a Parquet or Arrow file."""
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
            with open_file(path, expected) as file:
                return _parquet(pa.parquet, file, path)
        with pa.BufferReader(read_file(path, expected)) as file:
            try:
                reader = pa.ipc.open_file(file)
            except pa.ArrowInvalid:  # Hugging Face's .arrow files are streams
                file.seek(0)
                reader = pa.ipc.open_stream(file)
            table = reader.read_all()
            check_size(table.num_rows, table.num_columns, path)
            return _in_pandas(table, path)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InputError(f"{path}: not a readable {suffix} file: {error}") from error


def _parquet(parquet: Any, file: Any, path: str) -> pd.DataFrame:
    opened = parquet.ParquetFile(file)
    footer, found = opened.metadata, leaves(opened.schema_arrow, path)
    used = [name for name, inside in found.items() if inside]
    check_size(footer.num_rows, len(used), path)
    lists = [name for name, inside in found.items() if not inside]
    if lists:  # read_table would call a column by the last part of its name
        whole = parquet.ParquetFile(file, read_dictionary=_of_few_texts(footer)).read(columns=used)
    else:
        whole = parquet.read_table(file, read_dictionary=_of_few_texts(footer))
    frame = _in_pandas(whole, path)
    frame.attrs[LISTS] = lists
    return frame


def _of_few_texts(footer: Any) -> list[str]:
    """Columns that the file stores as codes of two bytes at most: kept as such, they take a fifth of the time."""
    groups = [footer.row_group(k) for k in range(footer.num_row_groups)]
    few = []
    for k in range(footer.num_columns):
        parts = [group.column(k) for group in groups]
        size = sum(part.total_uncompressed_size for part in parts)
        texts = all(part.physical_type == "BYTE_ARRAY" and part.has_dictionary_page for part in parts)
        if parts and texts and size <= 2 * footer.num_rows:
            few.append(parts[0].path_in_schema)
    return few


def _in_pandas(table: Any, source: str) -> pd.DataFrame:
    """The table, structs by their columns, without columns of lists, whose names its attributes have; integers beside
    blank cells stay integers, since a double does not tell all of them apart."""
    import pyarrow as pa

    found = leaves(table.schema, source)
    lists = [name for name, path in found.items() if not path]
    if lists or any(path and len(path) > 1 for path in found.values()):
        columns = {name: leaf(table, path) for name, path in found.items() if path}
        table = pa.table(columns).replace_schema_metadata(table.schema.metadata)
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    frame.attrs[LISTS] = lists
    return frame


def is_lazy(source: Any) -> bool:
    """Whether a frame has no rows until it is asked for them."""
    kind = type(source)
    package = kind.__module__.lstrip("_").partition(".")[0]
    return package in _LAZY_PACKAGES or kind.__name__.endswith(_LAZY_NAMES)


def coded_text(
    raw: bytes, delimiter: str, n_columns: int, n_rows: int, places: Sequence[int]
) -> dict[int, tuple[IntArray, pd.Index[Any]]] | None:
    """Some columns of a text below its first line, by place: codes of the rows, and the texts they stand for.
    None where pyarrow is not there, or a line has not so many fields, or there are not so many lines with fields.
    """
    try:
        import pyarrow as pa
        import pyarrow.csv as pc
    except ImportError:
        return None
    names = list(map(str, range(n_columns)))
    wanted = [names[k] for k in places]
    try:
        table = pc.read_csv(
            pa.BufferReader(raw),
            read_options=pc.ReadOptions(use_threads=False, column_names=names, skip_rows=1),
            parse_options=pc.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pc.ConvertOptions(
                column_types=dict.fromkeys(wanted, pa.dictionary(pa.int32(), pa.string())),
                include_columns=wanted,
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != n_rows:
        return None
    columns = [table.column(name).unify_dictionaries().combine_chunks() for name in wanted]
    texts = [pd.Index(column.dictionary.to_pylist(), dtype=object) for column in columns]
    return {k: (column.indices.to_numpy(), of) for k, column, of in zip(places, columns, texts)}


def refuse_lazy(source: Any) -> None:
    """Refuse what has no rows until it is asked for them."""
    if is_lazy(source):
        package = type(source).__module__.lstrip("_").partition(".")[0]
        raise InputError(
            f"a {package} {type(source).__name__} has no rows in memory: pairproof.count(frame) counts it"
            " in place, whatever its size; read takes tables in memory"
        )


def has_arrow(source: Any) -> bool:
    """Whether a frame hands over its columns as Arrow has them."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def arrow_frame(source: Any) -> pd.DataFrame:
    """A frame in memory that hands over its columns as Arrow has them."""
    name = f"{type(source).__module__.partition('.')[0]} {type(source).__name__}"
    try:
        import pyarrow as pa
    except ImportError as error:
        raise InputError(
            f"reading a {name} needs pyarrow ({error}); pip install 'pairproof[scale]', or pass a pandas DataFrame"
        ) from error
    try:
        return _in_pandas(pa.table(source), "table")
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"cannot read a table from a {name} ({error}); pass a frame with named columns"
        ) from error
