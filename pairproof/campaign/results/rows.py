"""Judgments that come as rows from Python, such as those of a web service."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from ...data.reading.table import from_frame
from ...errors import InputError
from .results_file import RejectedRule, ResultsFile, results_of_table

#: Name under which a campaign records rows, in place of a file's.
NAME = "rows from Python"


def results_of_rows(
    rows: Iterable[Mapping[str, Any]],
    per_hit: int,
    rejected: RejectedRule = "refuse",
    *,
    partial: bool = False,
) -> ResultsFile:
    """The judgments in rows with the keys of a results file's columns.

    Parameters
    ----------
    rows : iterable of mapping
        One a judged HIT: `Input.id1`, `Answer.range1` (0 to 100), `WorkerId`, `AssignmentId`, ...; values are
        texts, numbers, True for "on", and None for a blank.
    per_hit : int
        Items in a HIT.
    rejected : {"refuse", "count", "leave-out"}
    partial : bool
        Accept rows in which some slots have no answer.

    Returns
    -------
    ResultsFile

    Raises
    ------
    InputError
        No rows, a row that is no mapping, a value that is no text or number, or as for a file.

    Examples
    --------
    >>> from pairproof.campaign.results.rows import results_of_rows
    >>> said = {"Input.id1": "a", "Answer.range1": 70, "WorkerId": "ann", "AssignmentId": "1"}
    >>> results_of_rows([said], per_hit=1).rows[0].values
    (0.7,)
    """
    import pandas as pd

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
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: {value!r}; expected a text or a finite number")
    return str(int(number)) if number.is_integer() else repr(number)
