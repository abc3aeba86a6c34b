"""pandas' data frames to R's and back, column by column, without loss.

pandas is imported only when a pandas object is sent or a data frame is wanted.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from .nodes import (
    array_node,
    atoms,
    characters,
    doubles,
    factor,
    frame_node,
    integers,
    logicals,
    moments,
    moments_of,
    whole_numbers,
)
from .values import INT_NA, NA_REAL, Node, RList, RVector

if TYPE_CHECKING:
    import pandas as pd


def pandas_to_node(value: Any, where: str) -> Node:
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
            f"{where}: column names must differ; twice: {sorted({c for c in names if names.count(c) > 1})}"
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
        f"{where}: R's row names must be distinct text or integers; found an index of {index.dtype} "
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
            f"{where} ({dtype}) holds {' and '.join(kinds)}; R columns have one type: convert it first"
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
