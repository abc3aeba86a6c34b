"""Python values to nodes (:mod:`pairproof.bridge.values.values`), by these rules:

=============================================== =========================================================
Python                                          R
=============================================== =========================================================
None                                            NULL
bool, int, float, complex, str, bytes           a vector of length one (bytes: raw)
list, tuple of one of these, None inside        logical, integer, double, character; None is NA
list, tuple of mixed things; dict               list; named list
numpy array                                     vector, matrix or array; every bit of a double is kept
pandas DataFrame, or :func:`data_frame`         data.frame
pandas Categorical (its order of levels)        factor, ordered where it is
date; datetime, Timestamp                       Date; POSIXct (microseconds)
:class:`Formula`                                formula, checked by :mod:`pairproof.bridge.values.formulas`
:class:`Expr`                                   source put into the call: for the program's own code,
                                                never for text of a file
=============================================== =========================================================

Integers beyond R's (2**31) become doubles where a double holds them exactly, as if typed into R.  In a pandas
float column NaN means missing and becomes NA; a numpy array keeps NaN and NA apart.  Anything else is a
TypeError that names the column.

Data frames of R come back column by column, without loss, and as CSV files.  A CSV file brings the same R
columns back: factors with the order of their levels, integers, doubles with every digit, logicals, text, NA.
A missing value is an empty field, so an empty text cannot be written.  Doubles are written by Python's
`repr`, whole ones with ".0", which distinguishes them from integers.

pandas is imported only when a pandas object is sent or a data frame is wanted.
"""

from __future__ import annotations

import csv
import datetime as dt
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ...files.outputs import unguarded_csv
from .formulas import checked
from .nodes import (
    DTYPES,
    INT_NA,
    NA_REAL,
    NULL,
    Expr,
    Formula,
    Node,
    RArgument,
    RList,
    RValue,
    RVector,
    array_node,
    atoms,
    characters,
    checked_text,
    doubles,
    factor,
    frame_node,
    integers,
    is_pandas,
    logicals,
    moments,
    moments_of,
    node_length,
    whole_numbers,
)

if TYPE_CHECKING:
    import pandas as pd


def to_node(value: Any, where: str = "the value") -> Node:
    """The node that R will see for a value."""
    if value is None:
        return NULL
    if isinstance(value, Formula):
        return ("formula", checked(value, where), {})
    if isinstance(value, Expr):
        return ("expr", str(value), {})
    if isinstance(value, RArgument):
        return value.node
    if isinstance(value, (RVector, RList)):
        return _value_to_node(value)
    if isinstance(value, Mapping):
        nodes = [to_node(v, f"{where}[{k!r}]") for k, v in value.items()]
        names = characters([checked_text(k, where) for k in value])
        return ("list", nodes, {"names": names} if nodes else {})
    if isinstance(value, np.ndarray):
        return array_node(value, where)
    if is_pandas(value):
        return _pandas_to_node(value, where)
    if isinstance(value, (list, tuple)):
        return _sequence(value, where)
    if isinstance(value, bytes):
        return ("raw", np.frombuffer(value, dtype=np.uint8).astype(np.int32), {})
    return _sequence([value], where)


def data_frame(columns: Mapping[str, Any]) -> RArgument:
    """An R data.frame of columns as they are (numpy arrays bit for bit)."""
    nodes = {checked_text(k, "a column name"): to_node(v, f"column {k!r}") for k, v in columns.items()}
    lengths = {k: node_length(n) for k, n in nodes.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of a data frame must have equal lengths; found {lengths}")
    rows = next(iter(lengths.values()), 0)
    return RArgument(frame_node(list(nodes), list(nodes.values()), integers([INT_NA, -rows])))


def factor_of(values: Sequence[str], levels: Sequence[str] | None = None) -> RArgument:
    """An R factor of text."""
    order = list(levels) if levels is not None else sorted(set(values))
    place = {v: i for i, v in enumerate(order)}
    unknown = sorted({v for v in values if v not in place})
    if unknown:
        raise ValueError(f"{unknown} are not among the levels {order}")
    return factor([place[v] for v in values], order)


def _sequence(values: Sequence[Any], where: str) -> Node:
    convertible = [isinstance(v, np.generic) and not isinstance(v, np.longdouble) for v in values]
    plain = [v.item() if ok else v for v, ok in zip(values, convertible)]
    found = atoms(plain, where)
    if found is not None and any(v is not None for v in plain):
        return found
    if len(plain) == 1 and not isinstance(plain[0], (list, tuple, Mapping, np.ndarray, type(None))):
        if not is_pandas(plain[0]):
            kind = type(plain[0])
            raise TypeError(f"{where}: {kind.__module__}.{kind.__qualname__} has no R form")
    return ("list", [to_node(v, f"{where}[{i}]") for i, v in enumerate(plain)], {})


def matrix(values: Any, columns: Sequence[str], rows: Sequence[str] | None = None) -> RArgument:
    """An R matrix with column (and row) names.

    values array [rows, columns].
    """
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[1] != len(columns):
        raise ValueError(
            f"expected a matrix with {len(columns)} columns {list(columns)}; found shape {array.shape}"
        )
    tag, payload, attributes = array_node(array, "the matrix")
    return RArgument((tag, payload, {**attributes, "dimnames": _margins([rows, columns])}))


def _value_to_node(value: RValue) -> Node:
    """The inverse of :func:`pairproof.bridge.values.nodes.from_node`."""
    if value is None:
        return NULL
    if isinstance(value, RList):
        extra = {"names": value.names, "class": value.rclass or None}
        node: Node = ("list", [_value_to_node(v) for v in value.values], {})
    elif isinstance(value, RVector):
        extra = {"names": value.names, "levels": value.levels, "class": value.rclass or None}
        node = _vector_node(value)
    else:
        raise TypeError(f"{type(value).__name__} cannot be sent back to R")
    node[2].update({k: characters(list(v)) for k, v in extra.items() if v is not None})
    node[2].update({k: _value_to_node(v) for k, v in value.attributes.items()})
    return node


def _vector_node(value: RVector) -> Node:
    flat, na = value.values.ravel(order="F"), value.na.ravel(order="F")
    tag = {"f": "dbl", "i": "int", "b": "lgl", "c": "cplx", "u": "raw"}.get(flat.dtype.kind, "chr")
    if tag == "chr":
        node = characters(flat.tolist())
    else:
        filled = np.where(na, INT_NA, flat) if tag in ("int", "lgl") else flat
        node = (tag, filled.astype(DTYPES[tag]), {})
    if value.values.ndim > 1:
        node[2]["dim"] = integers(value.values.shape)
    if value.dimnames is not None:
        node[2]["dimnames"] = _margins(value.dimnames)
    return node


def _margins(names: Sequence[Sequence[str] | None]) -> Node:
    return ("list", [NULL if m is None else characters(list(m)) for m in names], {})


# -- data frames ---------------------------------------------------------------------------------------------


def _pandas_to_node(value: Any, where: str) -> Node:
    """A DataFrame, Series or Categorical as R will see it."""
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        return _frame(value, where)
    if isinstance(value, pd.Series):
        return column(value, where if value.name is None else f"column {value.name!r}")
    if isinstance(value, pd.Categorical):
        return column(pd.Series(value), where)
    if value is pd.NA or value is pd.NaT:
        return logicals([INT_NA])
    if isinstance(value, pd.Timestamp):
        return moments_of([value.to_pydatetime()], where)
    raise TypeError(f"{where}: pandas {type(value).__name__} has no R form")


def _frame(frame: pd.DataFrame, where: str) -> Node:
    names = list(frame.columns)
    wrong = [c for c in names if not isinstance(c, str)]
    if wrong:
        raise TypeError(f"{where}: column names must be text; found {wrong[:5]}")
    if len(set(names)) != len(names):
        raise ValueError(
            f"{where}: column names must be unique; repeated: {sorted({c for c in names if names.count(c) > 1})}"
        )
    columns = [column(frame.iloc[:, j], f"column {c!r}") for j, c in enumerate(names)]
    return frame_node([str(c) for c in names], columns, _row_names(frame.index, where))


def _row_names(index: pd.Index, where: str) -> Node:
    labels = index.tolist()
    if labels == list(range(len(labels))):
        return integers([INT_NA, -len(labels)])
    if not index.has_duplicates:
        if all(isinstance(v, str) for v in labels):
            return characters([str(v) for v in labels])
        if all(isinstance(v, int) and INT_NA < v < 2**31 for v in labels):
            return integers(labels)
    raise TypeError(
        f"{where}: R's row names must be unique text or integers; found an index of {index.dtype} "
        f"({'with duplicates' if index.has_duplicates else 'no duplicates'}); call reset_index() first"
    )


def column(series: pd.Series, where: str) -> Node:
    """A column as a node."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(series, where)
    na = np.asarray(series.isna(), dtype=bool)
    kind = getattr(dtype, "kind", "O")
    if kind == "M" or isinstance(dtype, pd.DatetimeTZDtype):
        zone = getattr(series.dt, "tz", None)
        utc = series if zone is None else series.dt.tz_convert("UTC").dt.tz_localize(None)
        micro = utc.to_numpy().astype("datetime64[us]").astype(np.int64)
        return moments(micro, na, "UTC" if zone is None else str(zone))
    if kind == "b":
        return logicals([INT_NA if m else int(v) for v, m in zip(series, na)])
    if kind in "iu":
        if not na.any():
            return array_node(series.to_numpy(dtype=np.int64 if kind == "i" else np.uint64), where)
        return whole_numbers([None if m else int(v) for v, m in zip(series, na)], where)
    if kind == "f" and getattr(dtype, "itemsize", 8) <= 8:
        return _floating(series, na)
    values = [None if m else v for v, m in zip(series.tolist(), na)]
    plain = [v.to_pydatetime() if isinstance(v, pd.Timestamp) else v for v in values]
    found = atoms(plain, where)
    if found is None and len(plain):
        kinds = sorted({type(v).__name__ for v in plain if v is not None})
        raise TypeError(
            f"{where} ({dtype}) contains {' and '.join(kinds)}; R columns have one type: convert it first"
        )
    return characters([]) if found is None else found


def _floating(series: pd.Series, na: np.ndarray[Any, np.dtype[np.bool_]]) -> Node:
    if isinstance(series.dtype, np.dtype):
        values = series.to_numpy(dtype=np.float64).copy()
        values[na] = NA_REAL  # in a pandas float column NaN means missing
        return doubles(values)
    # Float64 and pyarrow columns carry their own mask: NaN inside is NaN, only the mask is NA.
    masked = [
        NA_REAL if v is None or not isinstance(v, (float, np.floating)) else float(v) for v in series.tolist()
    ]
    return doubles(masked)


def _categorical(series: pd.Series, where: str) -> Node:
    levels = series.cat.categories.tolist()
    wrong = [v for v in levels if not isinstance(v, (str, int))]
    if wrong:
        raise TypeError(f"{where}: factor levels must be text or integers; found {wrong[:5]}")
    return factor(np.asarray(series.cat.codes), [str(v) for v in levels], bool(series.cat.ordered)).node


def to_frame(value: RList) -> pd.DataFrame:
    """An R data.frame as pandas: factors as Categorical, NA kept, dates as dates, row names as index."""
    import pandas as pd

    if "data.frame" not in value.rclass or value.names is None:
        raise TypeError(f"expected an R data.frame, found class {list(value.rclass) or 'list'}")
    columns: dict[str, Any] = {}
    for name, item in zip(value.names, value.values):
        if not isinstance(item, RVector) or item.values.ndim != 1:
            raise TypeError(f"column {name!r} of the R data.frame is not a plain vector")
        columns[name] = _pandas_column(item)
    frame = pd.DataFrame(columns)
    rows = value.attributes.get("row.names")
    if isinstance(rows, RVector) and len(rows) == len(frame) and not rows.na.any():
        frame.index = pd.Index(rows.values.tolist())
    return frame


def _pandas_column(item: RVector) -> Any:
    import pandas as pd

    if item.levels is not None:
        codes = np.where(item.na, 0, item.values).astype(np.int64) - 1
        return pd.Categorical.from_codes(
            codes.tolist(), categories=list(item.levels), ordered="ordered" in item.rclass
        )
    if "Date" in item.rclass:
        days = [
            None if not np.isfinite(d) else dt.date(1970, 1, 1) + dt.timedelta(days=int(d))
            for d in item.floats()
        ]
        return np.array(days, dtype=object)
    if "POSIXct" in item.rclass:
        return _moment_column(item)
    kind = item.values.dtype.kind
    if kind == "b" and item.na.any():
        return pd.array([None if m else bool(v) for v, m in zip(item.values, item.na)], dtype="boolean")
    if kind == "i" and item.na.any():
        return pd.arrays.IntegerArray(item.values.astype(np.int32), item.na.copy())
    return item.values


def _moment_column(item: RVector) -> Any:
    import pandas as pd

    known = np.isfinite(item.values)
    micro = np.where(known, np.round(np.where(known, item.values, 0.0) * 1e6), 0).astype(np.int64)
    stamps = micro.view("datetime64[us]").copy()
    stamps[~known] = np.datetime64("NaT", "us")
    zone = item.attributes.get("tzone")
    name = zone.values[0] if isinstance(zone, RVector) and len(zone) else None
    return pd.to_datetime(stamps).tz_localize("UTC").tz_convert(name or "UTC")


_LOGICAL = {"True": True, "False": False}


def columns_of(frame: RList) -> dict[str, list[Any]]:
    """The columns of an R data frame as Python values, missing ones None; a matrix column becomes `NAME.1`, `NAME.2`."""
    found: dict[str, list[Any]] = {}
    for name, column in zip(frame.names or (), frame.values):
        if not isinstance(column, RVector):
            raise InputError(f"column {name} of the data frame is a table or a list, not a vector")
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

    def cell(value: Any) -> str:
        return "" if value is None else repr(value) if isinstance(value, float) else str(value)

    return unguarded_csv([list(columns), *(list(map(cell, row)) for row in zip(*columns.values()))])


def read_frame(
    path: str | os.PathLike[str],
    factors: Mapping[str, Sequence[str]] | None = None,
    text: Sequence[str] = (),
    ordered: Sequence[str] = (),
) -> pd.DataFrame:
    """A CSV file as the data frame that R had."""
    import pandas as pd

    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{Path(path).name} cannot be read: {error}") from None
    if not lines or any(len(line) != len(lines[0]) for line in lines):
        raise InputError(f"{Path(path).name}: expected every line to have as many fields as the first")
    named = dict(factors or {})
    absent = [c for c in (*named, *text, *ordered) if c not in lines[0]]
    if absent:
        raise InputError(f"{Path(path).name} has no column {absent[0]!r}; found {', '.join(lines[0])}")
    out: dict[str, Any] = {}
    for k, name in enumerate(lines[0]):
        fields = [None if line[k] == "" else line[k] for line in lines[1:]]
        if name in named:
            wrong = next((v for v in fields if v is not None and v not in named[name]), None)
            if wrong is not None:
                raise InputError(f"{Path(path).name}, column {name}: {wrong!r} is not a level of it")
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
