"""pairproof's contenders: a fit with standard errors, from a ready table, from a DataFrame of answers, from a
CSV file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons

from .contender import Answer, Prepare, Ready
from .data import Data

ANSWERS = ("first", "tie", "second")


def table_of(data: Data) -> Comparisons:
    columns: dict[str, Any] = {}
    stratum = data.stratum.astype(int) - 1
    if data.covariate == "numeric":
        columns["x"] = data.x[stratum]
    elif data.covariate == "factor":
        columns["judge"] = Factor(stratum, tuple(str(s + 1) for s in range(len(data.x))))
    return Comparisons.build(
        data.items,
        data.first.astype(int) - 1,
        data.second.astype(int) - 1,
        data.wins,
        data.ties if data.tie_category else None,
        data.losses,
        columns=columns,
    )


def answer_of(fit: Any) -> Answer:
    free = ~fit.is_reference
    return Answer(fit.beta[free], fit.standard_errors[free])


def with_standard_errors(fit: Any) -> Any:
    """They are worked out when first asked for; here they are always asked for."""
    if not np.isfinite(fit.standard_errors[~fit.is_reference]).all():
        raise ValueError(f"not everything is estimable: {fit.warnings}")
    return fit


def llbt(data: Data) -> Ready:
    table = table_of(data)
    by = {"none": "", "numeric": "x", "factor": "judge"}[data.covariate]
    return Ready(lambda: with_standard_errors(pairproof.fit_llbt(table, by=by)), answer_of)


def bradley_terry(data: Data) -> Ready:
    table = table_of(data)
    return Ready(lambda: with_standard_errors(pairproof.fit_bradley_terry(table)), answer_of)


def bradley_terry_without_se(data: Data) -> Ready:
    table = table_of(data)
    return Ready(lambda: pairproof.fit_bradley_terry(table), answer_of)


def llbt_without_se(data: Data) -> Ready:
    table = table_of(data)
    return Ready(lambda: pairproof.fit_llbt(table), answer_of)


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


def rows(rows_as: RowsAs) -> Prepare:
    def prepare(data: Data) -> Ready:
        frame = frame_of(data, rows_as)
        return Ready(lambda: with_standard_errors(pairproof.fit_llbt(pairproof.read(frame))), answer_of)

    return prepare


def csv_file(data: Data) -> Ready:
    path = in_csv(data)
    return Ready(lambda: with_standard_errors(pairproof.fit_llbt(pairproof.read(path))), answer_of)


def in_csv(data: Data) -> str:
    folder = tempfile.mkdtemp(dir=_scratch())
    path = Path(folder) / "rows.csv"
    frame_of(data).to_csv(path, index=False)
    return str(path)


def _scratch() -> str | None:
    """The run's own temporary folder, which is removed at its end."""
    import os

    return os.environ.get("PAIRPROOF_BENCHMARK_SCRATCH")


CONTENDERS: dict[str, Callable[[Data], Ready]] = {
    "pairproof": llbt,
    "pairproof BT": bradley_terry,
    "pairproof BT, no standard errors": bradley_terry_without_se,
    "pairproof, no standard errors": llbt_without_se,
    "pairproof, rows of strings": rows("strings"),
    "pairproof, rows of categories": rows("categories"),
    "pairproof, rows of integers": rows("integers"),
    "pairproof, CSV file": csv_file,
}
