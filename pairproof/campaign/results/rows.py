"""Judgments that come as rows from Python, such as those of a web service."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...data.reading.table import from_frame
from ...errors import InputError
from ...text import quoted
from .results_file import RejectedRule, ResultsFile, results_of_table

if TYPE_CHECKING:
    from pandas import DataFrame

#: Name under which a campaign records rows, in place of a file's.
NAME = "rows from Python"


def results_of_rows(
    rows: Iterable[Mapping[str, Any]] | DataFrame,
    per_hit: int,
    rejected: RejectedRule = "refuse",
    *,
    partial: bool = False,
) -> ResultsFile:
    """The judgments in rows with the keys of a results file's columns.

    rows: one a judged HIT: `Input.id1`, `Answer.range1` (0 to 100), `WorkerId`, `AssignmentId`, ...; values
    are texts, numbers, times, True for "on", and None for a blank, as NaN is in a DataFrame.  per_hit: items
    in a HIT.  partial: accept rows in which some slots have no answer.
    """
    import pandas as pd

    if isinstance(rows, pd.DataFrame):
        # What a frame has no value for is NaN, which is a blank.
        rows = rows.astype(object).where(rows.notna(), None).to_dict("records")
    if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
        raise InputError(f"{NAME}: {type(rows).__name__}; expected a list of rows, or a DataFrame")
    table = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputError(
                f"{NAME}, row {number}: {type(row).__name__}; expected a mapping of columns to values"
            )
        table.append(
            {str(name): _cell(value, f"{NAME}, row {number}, {name!r}") for name, value in row.items()}
        )
    if not table:
        raise InputError(f"{NAME}: none; expected a row for each judged HIT")
    names = list(dict.fromkeys(name for row in table for name in row))
    frame = pd.DataFrame({name: [row.get(name, "") for row in table] for name in names}, dtype=object)
    raw = json.dumps(table, sort_keys=True, ensure_ascii=False).encode("utf-8")
    return results_of_table(raw, from_frame(frame, NAME), per_hit, rejected, partial)


def _cell(value: Any, where: str) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "on"
    if isinstance(value, str):
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise InputError(f"{where}: {quoted(value)}; half of a pair of surrogates is no character")
        return value
    if isinstance(value, dt.datetime) and value == value:  # NaT differs from itself
        return value.isoformat()
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: {quoted(value)}; expected a text, a finite number, or a time")
    return str(int(number)) if number.is_integer() else repr(number)
