"""How fast: from counts, from a million rows and from a hundred million to fits, beside others.

    python -m benchmarks.speed [--tiny] [--rounds 7] [--out FOLDER]

The page is docs/speed.md, every sample is in results/speed.json.  Contenders of a job take turns in one run,
each in a process of its own with one BLAS thread, as in `python -m benchmarks`.  Peers that are not installed
are named: `pip install choix evalica` brings two, `pip install --no-deps arena-rank` with `pip install jax
jaxtyping optax` the third, which by its own wish would take numpy 2.3.3 and jax 0.8.1.  pyarrow is needed.
"""

from __future__ import annotations

import json
import os
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import pairproof
from pairproof.data.columns import Factor

from . import contenders
from .comparisons.raw_answers import ANSWERS, counted, frame_of, read_and_fitted, yardstick
from .contenders import NOTHING, answer_of, need, table_of, with_standard_errors
from .harness.data import SEED, Data, counts_table, raw_rows
from .harness.job import Answer, Job, Prepare, Ready, too_wide
from .harness.measure import Result, Rules, run_job
from .harness.report import Run, as_json, job_lines, table
from .harness.results import RESULTS, asked

DOCS = RESULTS.parents[1] / "docs"
PEERS = {
    "pairproof BT": contenders.bradley_terry,
    "choix ilsr_pairwise_dense": contenders.choix_dense,
    "evalica bradley_terry": contenders.evalica_bradley_terry,
    "arena-rank BradleyTerry": contenders.arena_rank,
}
WITH_STATSMODELS = {**PEERS, "statsmodels GLM Binomial": contenders.statsmodels_binomial}
#: Shuffles the rows of the large file: a prime, so that it walks through all of them.
STEP = 49_979_687

# -- a million rows ------------------------------------------------------------------------------------------


def six_columns(data: Data) -> Any:
    """Four columns that no model uses, as files of votes have them."""
    rng, n = np.random.default_rng(SEED), len(data.first)
    more = {name: rng.integers(0, m, n) for name, m in (("judge", 100_000), ("turn", 5), ("length", 1200))}
    return frame_of(data).assign(**more, language=rng.choice(["de", "en", "fr"], n))


def arena_rank_of_rows(frame: Any) -> Any:
    """Ties as halves, so that its ratings are another model's."""
    read, model = need("arena_rank.utils.data_utils"), need("arena_rank.models.bradley_terry")
    values = dict(zip(ANSWERS, (1.0, 0.5, 0.0)))
    found = read.PairDataset.from_pandas(frame, ["first", "second"], "outcome", values.get)
    return model.BradleyTerry(len(found.competitors)).compute_ratings_and_cis(found)


def rows_of_neighbours(n_items: int, n_rows: int) -> Data:
    """Answers a row each; every item meets the five before and the five after it in a ring."""
    data, rng = raw_rows(n_items, n_rows), np.random.default_rng(SEED + 2)
    first = rng.integers(0, n_items, n_rows)
    return replace(data, first=first + 1.0, second=(first + rng.integers(1, 6, n_rows)) % n_items + 1.0)


def clustered(kind: str) -> Prepare:
    """Standard errors by judge of a fit that is ready, ten rows a judge."""

    def prepare(data: Data) -> Ready:
        n = max(len(data.first) // 10, 5)
        judge = np.random.default_rng(SEED + 1).integers(0, n, len(data.first))
        columns = {"judge": Factor(judge, tuple(str(k) for k in range(n)))}
        fit = with_standard_errors(pairproof.fit_llbt(replace(table_of(data), columns=columns)))

        def run() -> Any:
            return with_standard_errors(fit.clustered("judge", kind=kind))

        return Ready(run, lambda found: Answer(answer_of(found).estimate, NOTHING))

    return prepare


# -- a hundred million ---------------------------------------------------------------------------------------


def written(data: Data) -> str:
    """The comparisons a row each, shuffled: one Parquet file of six columns in the run's folder."""
    pa, pq = need("pyarrow"), need("pyarrow.parquet")
    n, rng = data.n_comparisons, np.random.default_rng(SEED)
    path = os.path.join(os.environ["PAIRPROOF_BENCHMARK_SCRATCH"], f"votes-{n}.parquet")
    if os.path.exists(path):
        return path
    above = np.cumsum(np.concatenate([data.wins, data.ties, data.losses]))
    models, answers, languages = (
        pa.array(data.items),
        pa.array(["model_a", "tie", "model_b"]),
        pa.array([*"abcdefghij"]),
    )
    writer = None
    for start in range(0, n, 1 << 20):
        k = np.arange(start, min(start + (1 << 20), n)) * STEP % n
        answer, pair = np.divmod(np.searchsorted(above, k, side="right"), len(data.first))
        first, second, turned = data.first[pair] - 1, data.second[pair] - 1, k % 2 == 1
        texts = {
            "model_a": (np.where(turned, second, first), models),
            "model_b": (np.where(turned, first, second), models),
            "winner": (np.where(turned, 2 - answer, answer), answers),
            "language": (rng.integers(0, 10, len(k)), languages),
        }
        columns = {
            name: pa.DictionaryArray.from_arrays(codes.astype(np.int32), levels).cast(pa.string())
            for name, (codes, levels) in texts.items()
        }
        part = pa.table(
            {**columns, "judge": rng.integers(0, 10**6, len(k)), "length": rng.integers(-600, 600, len(k))}
        )
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()
    return path


def counted_and_fitted(source_of: Callable[[str], Any]) -> Prepare:
    """From the file to a fit; a wrong count is far from the maximum."""

    def prepare(data: Data) -> Ready:
        path = written(data)
        source_of(path)  # an engine that is not here is said before anything is timed
        return Ready(
            lambda: with_standard_errors(pairproof.fit_llbt(pairproof.count(source_of(path)))), answer_of
        )

    return prepare


# -- the jobs ------------------------------------------------------------------------------------------------


def of_counts(n: int) -> Job:
    wide = n >= 1000
    return Job(
        f"counts-{n}",
        f"Counts of {n:,} items, all pairs 20 times, to a fit",
        lambda: counts_table(n, 20, False),
        lambda: counts_table(6, 20, False),
        PEERS if wide else WITH_STATSMODELS,
        memory_of=("pairproof BT",),
        not_run={"statsmodels GLM Binomial": too_wide("999", "4 GB")} if wide else {},
    )


def of_judges(n: int, made: Callable[[int, int], Data], *kinds: str) -> Job:
    by_judge = {f"{kind} by judge": CLUSTERED[kind] for kind in kinds}
    return Job(
        f"judges-{n}",
        f"{n:,} items, a million votes of 100,000 judges: a fit, and standard errors by judge of it",
        lambda: made(n, 1_000_000),
        lambda: made(11, 2000),
        {"pairproof": contenders.llbt, **by_judge},
        memory_of=tuple(by_judge),
    )


CLUSTERED = {kind: clustered(kind) for kind in ("CR1", "CR2")}
COUNTED: dict[str, Prepare] = {
    "pairproof.count, no engine": counted_and_fitted(str),
    "pairproof.count, DuckDB": counted_and_fitted(lambda path: need("duckdb").read_parquet(path)),
    "pairproof.count, polars lazy": counted_and_fitted(lambda path: need("polars").scan_parquet(path)),
}
JOBS = (
    *map(of_counts, (20, 100, 1000)),
    Job(
        "votes-1e6",
        "A million rows of votes on 100 items, ties, to a fit",
        lambda: raw_rows(100, 1_000_000),
        lambda: raw_rows(5, 500),
        {
            "pairproof, categories": read_and_fitted(lambda data: frame_of(data, "categories")),
            "pairproof, strings": read_and_fitted(frame_of),
            "pairproof, objects": read_and_fitted(lambda data: frame_of(data).astype(object)),
            "pairproof, strings, four more columns": read_and_fitted(six_columns),
            "arena-rank, strings": yardstick(frame_of, arena_rank_of_rows),
            "pandas groupby.size of strings alone": yardstick(frame_of, counted),
        },
        memory_of=("pairproof, categories", "pairproof, strings", "pairproof, strings, four more columns"),
    ),
    of_judges(100, raw_rows, "CR1", "CR2"),
    of_judges(5000, rows_of_neighbours, "CR1"),
    Job(
        "votes-1e8",
        "A hundred million votes on 100 models in one Parquet file of six columns, to a fit",
        lambda: counts_table(100, 20_203, True),
        lambda: counts_table(6, 20, True),
        COUNTED,
        memory_of=tuple(COUNTED),
    ),
)


def page(run: Run) -> str:
    words = (
        "Made by `python -m benchmarks.speed`; [how to read it](../benchmarks/README.md#how-to-read-a-table)."
        " A table is of one run in which all take turns; CPU and ratios are medians over rounds, estimates"
        " and standard errors the digits shared with the first row, which does not count unless it is at the"
        " maximum of its likelihood. choix and evalica give no standard errors; arena-rank's time is with its"
        " intervals, and with what jax compiles anew for each fit."
    )
    lines = ["# How fast", "", *textwrap.wrap(words, 140)]
    if run.tiny:
        lines += ["", "**Tiny data under the titles: everything runs, and the times mean nothing.**"]
    for result in run.results:
        lines += ["", f"## {result.job.title}", "", *job_lines(result)]
    about = table(["", ""], [[k, v or "not here"] for k, v in run.about.items()])
    return "\n".join([*lines, "", "## Machine and versions", "", *about, ""])


def main(arguments: list[str] | None = None) -> int:
    from .__main__ import describe, load_average

    options = asked(__doc__, 7, arguments)
    rules = Rules(rounds=options.rounds, languages=("python",))
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="pairproof-speed-") as folder:
        about = describe(Path(folder), with_r=False)
        about["load average at the start"] = load_average()
        for job in JOBS:
            results.append(run_job(job.made_tiny() if options.tiny else job, rules, Path(folder)))
            print("\n".join(["", job.title, *job_lines(results[-1])]), flush=True)
    about["load average at the end"] = load_average()
    run = Run(about, rules, results, [], options.tiny)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "speed.json").write_text(json.dumps(as_json(run), indent=1) + "\n", encoding="utf-8")
    (DOCS if options.out == RESULTS else options.out).joinpath("speed.md").write_text(page(run), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
