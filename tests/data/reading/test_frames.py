"""Frames in memory of other packages, lists of dicts, and what is too large or has no rows yet."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

from pairproof.data.reading import arrow, read
from pairproof.errors import InputError

LARGE = 2**53 + 1
VOTES = {
    "model_a": ["A", "B", "C", "A"],
    "model_b": ["B", "C", "A", "C"],
    "winner": ["model_a", "tie", "model_b", "model_a"],
    "judge": [1, None, LARGE, 3],
    "length": [1.5, None, 2.0, 3.0],
    "lang": ["en", None, "de", "en"],
}
TEXTS = ("model_a", "model_b", "winner", "lang")
RECORDS = [dict(zip(VOTES, row)) for row in zip(*VOTES.values())]


def polars_frames():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame = pl.DataFrame(VOTES)
    return [frame, frame.with_columns(pl.col(*TEXTS).cast(pl.Categorical)), frame.rechunk()]


def arrow_frames():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    table = pa.table(VOTES)
    wide = pa.schema([(f.name, pa.large_string() if f.name in TEXTS else f.type) for f in table.schema])
    coded = {name: column.dictionary_encode() if name in TEXTS else column for name, column in
             zip(table.column_names, table.columns)}  # fmt: skip
    parts = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    return [table, pa.RecordBatch.from_pydict(VOTES), table.cast(wide), pa.table(coded), parts]


def other_frames():
    nullable = {**VOTES, "judge": pd.array(VOTES["judge"], dtype="Int64")}
    return [RECORDS, tuple(RECORDS), pd.DataFrame(nullable), VOTES]


@pytest.mark.parametrize(
    "frames", [polars_frames, arrow_frames, other_frames], ids=["polars", "arrow", "others"]
)
def test_a_table_is_the_same_from_every_kind_of_frame(frames):
    known = read({**VOTES, "judge": ["1", None, str(LARGE), "3"]})
    for frame in frames():
        table = read(frame)
        assert table.digest() == known.digest()
        pd.testing.assert_frame_equal(table.to_frame(), known.to_frame())
        assert table.columns["judge"].levels == ("1", "3", str(LARGE))


def test_a_frame_of_arrow_is_a_series_or_an_array_to_no_reader():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with pytest.raises(InputError, match="cannot read a table from a pyarrow Int64Array"):
        read(pa.array([1]))


def lazy_frames():
    if "polars" in sys.modules or pytest.importorskip("polars", reason="polars is not installed"):
        import polars as pl

        yield pl.DataFrame(VOTES).lazy()
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    yield duckdb.sql("select 'A' as model_a")


def test_a_frame_without_rows_yet_is_sent_to_count():
    for frame in lazy_frames():
        with pytest.raises(InputError, match=r"has no rows in memory.*pairproof\.count\(frame\)"):
            read(frame)


@pytest.mark.parametrize(
    "module, name",
    [
        ("ibis.expr.types", "Table"),
        ("dask.dataframe", "DataFrame"),
        ("pyspark.sql", "DataFrame"),
        ("polars", "LazyFrame"),
    ],
)
def test_a_frame_of_a_cluster_or_database_is_known_by_its_package(module, name):
    kind = type(name, (), {"__module__": module, "__arrow_c_stream__": None})
    with pytest.raises(
        InputError, match=rf"a {module.split('.')[0]} {name} has no rows in memory.*pairproof\.count"
    ):
        read(kind())


def test_a_stream_is_not_used_up():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    stream = pa.RecordBatchReader.from_batches(pa.table(VOTES).schema, pa.table(VOTES).to_batches())
    with pytest.raises(InputError, match="RecordBatchReader has no rows in memory"):
        read(stream)
    assert stream.read_all().num_rows == 4


def test_without_pyarrow_it_is_said_what_to_install(monkeypatch):
    kind = type("DataFrame", (), {"__module__": "polars.dataframe.frame", "__arrow_c_stream__": None})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        InputError, match=r"a polars DataFrame needs pyarrow .*pip install 'pairproof\[scale\]'"
    ):
        read(kind())


def test_records_of_other_names_are_refused_with_their_place():
    with pytest.raises(InputError, match="record 2: lacks 'lang'; every record needs the names of the first"):
        read([RECORDS[0], {name: cell for name, cell in RECORDS[1].items() if name != "lang"}])


def parquet(tmp_path, columns, **options):
    pa = pytest.importorskip("pyarrow", reason="Parquet is read by pyarrow, which is not installed")
    import pyarrow.parquet

    path = tmp_path / "votes.parquet"
    pa.parquet.write_table(pa.table(columns), path, **options)
    return path


@pytest.mark.parametrize(
    "options", [{}, {"use_dictionary": False}, {"row_group_size": 3}], ids=["codes", "texts", "parts"]
)
def test_parquet_is_the_same_however_its_texts_are_stored(tmp_path, options):
    columns = {name: cells * 50 for name, cells in VOTES.items()}
    table = read(parquet(tmp_path, columns, **options))
    known = read({**columns, "judge": ["1", None, str(LARGE), "3"] * 50})
    assert table.digest() == known.digest()
    pd.testing.assert_frame_equal(table.to_frame(), known.to_frame())


def test_a_file_of_too_many_rows_is_sent_to_count_by_its_footer(tmp_path, monkeypatch):
    path = parquet(tmp_path, {name: cells * 30 for name, cells in VOTES.items()})
    monkeypatch.setattr(arrow, "MOST_ROWS", 100)
    said = r"votes\.parquet: 120 rows: pairproof\.count counts them in about 1 s; at most 100 can be read"
    with pytest.raises(InputError, match=said):
        read(path)
    path.with_suffix(".csv").write_text(
        pd.DataFrame(VOTES).iloc[[0, 2] * 60].to_csv(index=False), encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"votes\.csv: 120 rows: pairproof\.count"):
        read(path.with_suffix(".csv"))


def test_the_seconds_that_counting_takes_are_said():
    with pytest.raises(InputError, match="x: 100,000,000 rows: pairproof.count counts them in about 10 s"):
        arrow.check_size(100_000_000, 3, "x")
    with pytest.raises(
        InputError, match="x: 40,000,000 rows of 100 columns expand to about 80 GB; keep only the columns"
    ):
        arrow.check_size(40_000_000, 100, "x")
    arrow.check_size(50_000_000, 10, "x")


def test_a_text_file_of_too_many_bytes_is_sent_to_count(tmp_path, monkeypatch):
    path = tmp_path / "votes.csv"
    path.write_bytes(b"a" * 2**20 + b"b")
    monkeypatch.setenv("PAIRPROOF_MOST_MB", "1")
    with pytest.raises(
        InputError, match="at most 1,048,576 are read; check the name, count it with pairproof.count, or"
    ):
        read(path)


def test_the_limit_of_the_environment_raises_that_of_rows(monkeypatch):
    monkeypatch.setenv("PAIRPROOF_MOST_MB", "8192")
    arrow.check_size(200_000_000, 3, "x")
    monkeypatch.setenv("PAIRPROOF_MOST_MB", "1")
    arrow.check_size(50_000_000, 3, "x")
