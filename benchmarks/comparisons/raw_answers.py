"""Raw answers: from a table of a million rows, or from its CSV file, to a fit.

Yardsticks that only count or read, and fit nothing, are shown beside it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

import pairproof

from ..contenders import NOTHING, answer_of, with_standard_errors
from ..harness.data import Data, raw_rows
from ..harness.job import Answer, Job, Prepare, Ready, Target

ANSWERS = ("first", "tie", "second")
RowsAs = Literal["strings", "categories", "integers"]


def frame_of(data: Data, rows_as: RowsAs = "strings") -> pd.DataFrame:
    """One answer a row: `first`, `second`, `outcome`."""
    names = np.array(data.items, dtype=object)
    first, second = data.first.astype(int), data.second.astype(int)
    answer = (data.ties + 2 * data.losses).astype(int)
    frame = pd.DataFrame(
        {
            "first": names[first - 1],
            "second": names[second - 1],
            "outcome": np.array(ANSWERS, dtype=object)[answer],
        }
    )
    if rows_as == "categories":
        return frame.astype("category")
    if rows_as == "integers":
        return frame.assign(first=first, second=second)
    return frame


def in_csv(data: Data) -> str:
    """The rows as a CSV file in the run's own temporary folder, which is removed at its end."""
    folder = tempfile.mkdtemp(dir=os.environ.get("PAIRPROOF_BENCHMARK_SCRATCH"))
    path = Path(folder) / "rows.csv"
    frame_of(data).to_csv(path, index=False)
    return str(path)


def read_and_fitted(source_of: Callable[[Data], Any]) -> Prepare:
    """From a frame or a file to a fit with standard errors."""

    def prepare(data: Data) -> Ready:
        source = source_of(data)
        return Ready(lambda: with_standard_errors(pairproof.fit_llbt(pairproof.read(source))), answer_of)

    return prepare


def yardstick(source_of: Callable[[Data], Any], work: Callable[[Any], Any]) -> Prepare:
    """A piece of work that fits nothing."""

    def prepare(data: Data) -> Ready:
        source = source_of(data)
        return Ready(lambda: work(source), lambda _: Answer(NOTHING, NOTHING))

    return prepare


def counted(frame: pd.DataFrame) -> Any:
    return frame.groupby(["first", "second", "outcome"], sort=False).size()


JOBS = (
    Job(
        "rows-1e6",
        "A million raw answers on 100 items, ties, from the table to a fit",
        lambda: raw_rows(100, 1_000_000),
        lambda: raw_rows(5, 500),
        {
            "pairproof, rows of strings": read_and_fitted(frame_of),
            "pairproof, rows of categories": read_and_fitted(lambda data: frame_of(data, "categories")),
            "pairproof, rows of integers": read_and_fitted(lambda data: frame_of(data, "integers")),
            "pairproof, CSV file": read_and_fitted(in_csv),
            "pandas groupby.size alone": yardstick(frame_of, counted),
            "pandas read_csv alone": yardstick(in_csv, pd.read_csv),
            "R table() alone": "r",
        },
        Target(cpu_ms_below=500.0),
        memory_of=("pairproof, rows of strings",),
    ),
)
