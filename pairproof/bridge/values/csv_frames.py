"""Data frames of R as CSV files and back, so that the same R columns come out: factors with the order of their levels,
integers, doubles with every digit, logicals, text, NA.

A missing value is an empty field, so an empty text cannot be written.  Doubles are written by Python's `repr`, whole
ones with ".0", which tells them from integers.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from .values import RList, RVector

if TYPE_CHECKING:
    import pandas as pd

_LOGICAL = {"True": True, "False": False}


def columns_of(frame: RList) -> dict[str, list[Any]]:
    """The columns of an R data frame as Python values, missing ones None; a matrix column becomes `NAME.1`, `NAME.2`."""
    found: dict[str, list[Any]] = {}
    for name, column in zip(frame.names or (), frame.values):
        if not isinstance(column, RVector):
            raise InputError(f"column {name} of the data frame is {type(column).__name__}, no vector")
        if column.values.ndim == 2:
            margin = column.dimnames[1] if column.dimnames and column.dimnames[1] else None
            for k in range(column.values.shape[1]):
                label = margin[k] if margin is not None else str(k + 1)
                found[f"{name}.{label}"] = [
                    None if m else v for v, m in zip(column.values[:, k].tolist(), column.na[:, k].tolist())
                ]
        else:
            found[name] = plain(column, name)
    return found


def plain(column: RVector, name: str = "") -> list[Any]:
    """A vector as Python values: None where it is NA (or NaN), the level of a factor."""
    values: list[Any] = [None if m else v for v, m in zip(column.values.tolist(), column.na.tolist())]
    if column.levels is not None:
        values = [None if v is None else column.levels[int(v) - 1] for v in values]
    for v in values:
        if isinstance(v, complex) or v == "" or (isinstance(v, float) and math.isinf(v)):
            raise InputError(f"column {name}: {v!r} cannot be written into a CSV file")
    return [None if isinstance(v, float) and math.isnan(v) else v for v in values]


def factors_of(frame: RList) -> dict[str, list[str]]:
    """Levels of the factors of a data frame."""
    return {
        name: list(column.levels)
        for name, column in zip(frame.names or (), frame.values)
        if isinstance(column, RVector) and column.levels is not None
    }


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as CSV: a line each row, "\\n" at its end, text quoted where it must be.

    columns: str, int, float, bool, or None for a missing value.
    """
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(list(columns))
    for line in zip(*columns.values()):
        writer.writerow(["" if v is None else repr(v) if isinstance(v, float) else v for v in line])
    return out.getvalue()


def read_frame(
    path: str | os.PathLike[str],
    factors: Mapping[str, Sequence[str]] | None = None,
    text: Sequence[str] = (),
    ordered: Sequence[str] = (),
) -> pd.DataFrame:
    """A CSV file as the data frame that R had.

    factors: columns that are factors, with their levels in order.  text: columns that are text though they
    look like numbers.  ordered: factors that are ordered.  Returns DataFrame: integers where every value is
    one without a decimal point, else doubles; logicals of True and False; a missing value where a field is
    empty.
    """
    import pandas as pd

    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{Path(path).name} cannot be read: {error}") from None
    if not lines or any(len(line) != len(lines[0]) for line in lines):
        raise InputError(f"{Path(path).name}: expected lines of as many fields as its first")
    named = dict(factors or {})
    absent = [c for c in (*named, *text, *ordered) if c not in lines[0]]
    if absent:
        raise InputError(f"{Path(path).name} has no column {absent[0]!r}; it has {', '.join(lines[0])}")
    out: dict[str, Any] = {}
    for k, name in enumerate(lines[0]):
        fields = [None if line[k] == "" else line[k] for line in lines[1:]]
        if name in named:
            wrong = next((v for v in fields if v is not None and v not in named[name]), None)
            if wrong is not None:
                raise InputError(f"{Path(path).name}, column {name}: {wrong!r} is no level of it")
            out[name] = pd.Categorical(fields, categories=list(named[name]), ordered=name in ordered)
        else:
            out[name] = _column(fields, name in text)
    return pd.DataFrame(out)


def _column(fields: list[str | None], is_text: bool) -> Any:
    import pandas as pd

    present = [v for v in fields if v is not None]
    if is_text or not present:
        return pd.Series(fields, dtype=object)
    if all(v in _LOGICAL for v in present):
        logicals = [None if v is None else _LOGICAL[v] for v in fields]
        return pd.Series(logicals, dtype=bool if None not in logicals else "boolean")
    for kind in (int, float):
        try:
            numbers = [None if v is None else kind(v) for v in fields]
        except ValueError:
            continue
        if kind is int:
            return pd.Series(numbers, dtype="int64" if None not in numbers else "Int64")
        return pd.Series([math.nan if v is None else v for v in numbers], dtype=float)
    return pd.Series(fields, dtype=object)


def looks_otherwise(values: Sequence[Any]) -> bool:
    """Whether a column of text would be read as numbers or logicals, so that :func:`read_frame` must be told."""
    present = [v for v in values if v is not None]
    if not present or not all(isinstance(v, str) for v in present):
        return False
    if all(v in _LOGICAL for v in present):
        return True
    try:
        for v in present:
            float(v)
    except ValueError:
        return False
    return True
