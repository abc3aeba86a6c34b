"""Engines count for themselves: 100 million votes of one file, clusters of processes, one killed mid-run."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof import InputError
from pairproof.data.counting import streams
from tests.data.counting.kinds import KINDS

ENGINES = sorted(
    {module for needs, _ in KINDS.values() for module in needs} | {"pyspark", "dask.distributed"}
)
#: Rows i = 0, 1, ... of the clusters' tables: all columns have periods that divide this.
PERIOD = 7 * 5 * 3 * 4
ANSWERS = ("model_a", "tie", "model_b")


@pytest.mark.parametrize("module", ENGINES)
def test_an_engine_is_here_or_named(module: str) -> None:
    found = pytest.importorskip(module, reason=f"{module} is not installed; no votes of it were counted")
    assert found.__name__ == module


def test_all_that_is_used_of_narwhals_is_in_its_stable_face() -> None:
    nw = pytest.importorskip(
        "narwhals.stable.v2", reason="narwhals is not installed; its names were not looked up"
    )
    frame = nw.from_native(pd.DataFrame({"x": [1, 1, 2]})).lazy()
    for name in ("group_by", "collect_schema", "select", "sink_parquet"):
        assert callable(getattr(frame, name))
    counted = frame.group_by("x").agg(nw.len().alias("n")).head(9).collect()
    assert sorted(zip(counted["x"].to_list(), counted["n"].to_list())) == [(1, 2), (2, 1)]


def test_an_engine_that_this_narwhals_cannot_take_is_named_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nw = pytest.importorskip(
        "narwhals.stable.v2", reason="narwhals is not installed; it was not made to fail"
    )

    def too_old(_: Any) -> None:
        raise ModuleNotFoundError("No module named 'duckdb.typing'")  # narwhals 2.0 on DuckDB 2

    monkeypatch.setattr(nw, "from_native", too_old)
    with pytest.raises(InputError, match=r"duckdb.typing.*pip install -U narwhals"):
        streams.stream_of(object())


# -- one file of 100 million ---------------------------------------------------------------------------------

#: What a process prints that has counted: its comparisons, then the most memory that it ever held, in bytes.
COUNTED_ALONE = """
import sys
import pairproof
table = pairproof.count(sys.argv[1], by=["language"])
table.save(sys.argv[2])
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


def one_file(path: Path, n: int) -> tuple[list[str], np.ndarray[Any, Any]]:
    """n votes in a Parquet file.  The models, and how often each (first, second, answer, language) occurs."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    r = np.random.default_rng(8)
    models = [f"model-{k:03d}" for k in range(100)]
    levels = {
        "model_a": models,
        "model_b": models,
        "winner": [*ANSWERS],
        "language": [f"l{k}" for k in range(10)],
    }
    shape = tuple(len(of) for of in levels.values())
    ability, counts, writer = np.linspace(-1, 1, 100), np.zeros(int(np.prod(shape)), np.int64), None
    for start in range(0, n, 1 << 20):
        m = min(1 << 20, n - start)
        a = r.integers(0, 100, m, np.int32)
        b = (a + r.integers(1, 100, m, np.int32)) % 100
        u = r.logistic(ability[a] - ability[b])
        codes = (a, b, (u < 0.2).astype(np.int32) + (u < -0.2), r.integers(0, 10, m, np.int32))
        counts += np.bincount(np.ravel_multi_index(codes, shape), minlength=len(counts))
        columns = {
            name: pa.DictionaryArray.from_arrays(code.astype(np.int32), pa.array(of)).cast(pa.string())
            for code, (name, of) in zip(codes, levels.items())
        }
        columns["judge"] = pa.array(r.integers(0, 1_000_000, m))
        part = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()
    return models, counts.reshape(shape)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.skipif(
    not os.path.exists("/proc/self/status"), reason="no /proc here; most memory held cannot be read"
)
def test_a_hundred_million_votes_are_counted_exactly_within_2_gb() -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed; 1e8 votes were not written")
    with tempfile.TemporaryDirectory() as folder:  # pytest keeps its own folders, and this one is large
        path, kept = Path(folder, "votes.parquet"), Path(folder, "counts.json.gz")
        models, expected = one_file(path, 100_000_000)
        assert path.stat().st_size > 5e8  # 0.7 GB
        ran = subprocess.run(
            [sys.executable, "-c", COUNTED_ALONE, path, kept], capture_output=True, text=True, timeout=3000
        )
        assert ran.returncode == 0, ran.stderr
        table = pairproof.load(kept)
    assert int(ran.stdout) * 1024 < 2e9  # observed: 0.53 GB, as with 3e7
    assert table.items == tuple(models) and table.n_comparisons == 100_000_000
    found = np.zeros_like(expected)
    for o, counts in enumerate((table.wins, table.ties, table.losses)):
        np.add.at(
            found, (table.first, table.second, o, table.columns["language"].codes), counts.astype(np.int64)
        )
    assert (found == expected).all()


# -- clusters of processes -----------------------------------------------------------------------------------


def periodic(i: np.ndarray[Any, Any]) -> pd.DataFrame:
    """Rows by their number; the same in Spark's words in `of_spark`."""
    models, answers = np.array([f"m{k}" for k in range(7)], object), np.array(ANSWERS, object)
    columns = {
        "model_a": models[i % 7],
        "model_b": models[(i % 7 + 1 + i % 5) % 7],
        "winner": answers[i % 3],
        "k": i % 4,
    }
    return pd.DataFrame(columns)


def is_exact(table: pairproof.Comparisons, n: int, times: int = 1) -> None:
    """The table is that of rows 0 to n - 1, so many times over."""
    weight = (n // PERIOD + (np.arange(PERIOD) < n % PERIOD)) * times
    expected = pairproof.count(periodic(np.arange(PERIOD)).assign(weight=weight), by="k")
    assert table.n_comparisons == n * times
    pd.testing.assert_frame_equal(table.to_frame(), expected.to_frame())


def killed_while(run: Callable[[], Any], ready: Callable[[], Any], pid: Callable[[], int]) -> tuple[Any, Any]:
    """What `run` returns, and what `ready` said when the process was killed: `run` was not done."""
    said: list[Any] = []
    done = threading.Event()

    def kill() -> None:
        while not done.is_set():
            now = ready()
            if now:
                os.kill(pid(), signal.SIGKILL)
                said.append(now)
                return
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        found = run()
    finally:
        done.set()
        killer.join()
    assert said, "the run had ended before anything was killed"
    return found, said[0]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A cluster on this machine: two workers with an executor each, processes of their own."""
    pytest.importorskip("narwhals", reason="narwhals is not installed; votes of Spark were not counted")
    pytest.importorskip("pyspark", reason="pyspark is not installed; votes of Spark were not counted")
    from pyspark.sql import SparkSession

    try:
        session = (
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "4")
            .getOrCreate()
        )
    except Exception as error:  # what PySpark raises without Java differs by version
        pytest.skip(f"no Spark cluster on this machine (is Java 17 there?): {error}"[:300])
    yield session
    session.stop()


def of_spark(session: Any, n: int) -> Any:
    f = importlib.import_module("pyspark.sql.functions")
    i = f.col("id")

    def model(number: Any) -> Any:
        return f.concat(f.lit("m"), number.cast("string"))

    answer = f.element_at(f.array(*map(f.lit, ANSWERS)), (i % 3 + 1).cast("int"))
    columns = {
        "model_a": model(i % 7),
        "model_b": model((i % 7 + 1 + i % 5) % 7),
        "winner": answer,
        "k": i % 4,
    }
    return session.range(0, n, numPartitions=8).select(*(c.alias(name) for name, c in columns.items()))


def executors(session: Any) -> list[int]:
    """Process ids of the executors: children of the driver's own Java."""
    children = session._jvm.java.lang.ProcessHandle.current().children().toArray()
    pids = [int(child.pid()) for child in children]
    return [
        pid for pid in pids if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_votes_of_spark_are_counted_by_its_cluster_and_refused_in_our_words(spark: Any) -> None:
    is_exact(pairproof.count(of_spark(spark, 10_000_000), by="k"), 10_000_000)
    frame = of_spark(spark, 1000)
    with pytest.raises(InputError, match="no column 'kk' to count by"):
        pairproof.count(frame, by="kk")
    with pytest.raises(InputError, match="'winner', 'Winner' differ only in case"):
        pairproof.count(frame.withColumnRenamed("k", "Winner"))
    none = spark.createDataFrame(
        [("A", "B", "tie"), ("A", None, "bad")], "model_a string, model_b string, winner string"
    )
    with pytest.raises(InputError, match=r"'model_b' is missing in 1 row.*'bad' \(1 row\) mean nothing"):
        pairproof.count(none)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.skipif(
    not os.path.exists("/proc/self/status"), reason="no /proc here; executors cannot be distinguished"
)
def test_an_executor_of_spark_that_is_killed_in_mid_run_costs_no_vote(spark: Any) -> None:
    part = of_spark(spark, 10_000_000)
    whole = part.unionAll(part).unionAll(part.unionAll(part))
    before, tracker = executors(spark), spark.sparkContext.statusTracker()
    assert len(before) == 2

    def under_way() -> Any:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info and 4 <= info.numCompletedTasks < info.numTasks - 8:
                return info.numCompletedTasks, info.numTasks

    table, (done, of) = killed_while(lambda: pairproof.count(whole, by="k"), under_way, lambda: before[0])
    is_exact(table, 10_000_000, 4)
    assert done < of == 32 and before[0] not in executors(spark)


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    """Two workers, processes of their own."""
    pytest.importorskip("narwhals", reason="narwhals is not installed; votes of Dask were not counted")
    pytest.importorskip(
        "dask.dataframe", reason="dask.dataframe is not installed; votes of Dask were not counted"
    )
    distributed = pytest.importorskip(
        "dask.distributed", reason="distributed is not installed; no cluster of Dask"
    )
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as client:
        yield client


def of_dask(parts: int, n: int) -> Any:
    dd = importlib.import_module("dask.dataframe")

    def part(k: int, n: int = n) -> pd.DataFrame:
        return periodic(np.arange(k * n, (k + 1) * n))

    return dd.from_map(part, range(parts), meta=periodic(np.arange(0)))


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")
def test_votes_of_dask_are_counted_by_its_workers(dask: Any) -> None:
    is_exact(pairproof.count(of_dask(10, 1_000_000), by="k"), 10_000_000)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")
def test_a_worker_of_dask_that_is_killed_in_mid_run_costs_no_vote(dask: Any) -> None:
    before = list(dask.run(os.getpid).values())

    def under_way() -> int:
        """Tasks whose results a worker holds, as the scheduler knows."""
        return sum(map(len, dask.has_what().values()))

    assert under_way() == 0  # nothing is left of another run
    table, _ = killed_while(
        lambda: pairproof.count(of_dask(60, 500_000), by="k"), under_way, lambda: before[0]
    )
    is_exact(table, 30_000_000)
    assert before[0] not in dask.run(os.getpid).values()
