"""Python values to R, and R's tables to data frames: the one place where either becomes the other.

Rules, fixed and few:

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
:class:`Formula`                                formula, checked by :mod:`pairproof.bridge.formulas`
:class:`Expr`                                   source put into the call: for code of the program's own, never of a file
=============================================== =========================================================

Integers beyond R's (2**31) become doubles where a double holds them exactly, as if typed into R.  In a pandas float
column NaN means missing and becomes NA; a numpy array keeps NaN and NA apart.  Anything else is a TypeError that
names the column.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.formulas import checked
from pairproof.bridge.values import INT_NA, NA_REAL, NULL, Expr, Formula, Node, RArgument, RList, RValue, RVector

EPOCH = dt.date(1970, 1, 1)


def to_node(value: Any, where: str = "the value") -> Node:
    """What R will see.

    Parameters
    ----------
    value : object
    where : str
        Named in errors: an argument, a column.

    Raises
    ------
    TypeError
        For what has no R form, naming ``where``.
    FormulaError
        For a formula that is more than a model formula.
    OverflowError
        For an integer that neither an R integer nor a double holds exactly.
    """
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
        return ("list", nodes, {"names": _characters([_text(k, where) for k in value])} if nodes else {})
    if isinstance(value, np.ndarray):
        return _array(value, where)
    if type(value).__module__.split(".")[0] == "pandas":
        from pairproof.bridge import frames

        return frames.pandas_to_node(value, where)
    if isinstance(value, (list, tuple)):
        return _sequence(value, where)
    if isinstance(value, bytes):
        return ("raw", np.frombuffer(value, dtype=np.uint8).astype(np.int32), {})
    return _sequence([value], where)


def data_frame(columns: Mapping[str, Any]) -> RArgument:
    """An R data.frame of columns as they are (numpy arrays bit for bit).

    Raises
    ------
    ValueError
        If the columns differ in length; the message gives the lengths.
    """
    nodes = {_text(k, "a column name"): to_node(v, f"column {k!r}") for k, v in columns.items()}
    lengths = {k: _length(n) for k, n in nodes.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of a data frame must be equally long; found {lengths}")
    rows = next(iter(lengths.values()), 0)
    return RArgument(frame_node(list(nodes), list(nodes.values()), integers([INT_NA, -rows])))


def frame_node(names: list[str], columns: list[Node], row_names: Node) -> Node:
    attributes = {"names": _characters(names), "class": _characters(["data.frame"]), "row.names": row_names}
    return ("list", columns, attributes)


def factor(codes: Sequence[int] | NDArray[Any], levels: Sequence[str], ordered: bool = False) -> RArgument:
    """An R factor; ``codes`` count from 0, -1 is NA.

    Raises
    ------
    ValueError
        If a code has no level, or two levels share a name.
    """
    given = np.asarray(codes, dtype=np.int64)
    if len(set(levels)) != len(levels):
        raise ValueError(f"factor levels must differ; found {list(levels)}")
    if given.size and (given.max() >= len(levels) or given.min() < -1):
        raise ValueError(f"factor codes must be -1 to {len(levels) - 1}; found {given.min()} to {given.max()}")
    r_codes = np.where(given < 0, INT_NA, given + 1).astype(np.int32)
    kind = ["ordered", "factor"] if ordered else ["factor"]
    names = _characters([_text(v, "a factor level") for v in levels])
    return RArgument(("int", r_codes, {"levels": names, "class": _characters(kind)}))


def factor_of(values: Sequence[str], levels: Sequence[str] | None = None) -> RArgument:
    """An R factor of text, levels in the stated order (default: order of code points, as R under LC_COLLATE=C)."""
    order = list(levels) if levels is not None else sorted(set(values))
    place = {v: i for i, v in enumerate(order)}
    unknown = sorted({v for v in values if v not in place})
    if unknown:
        raise ValueError(f"{unknown} are not among the levels {order}")
    return factor([place[v] for v in values], order)


# --- vectors --------------------------------------------------------------------------------------------------
def doubles(values: Any) -> Node:
    return ("dbl", np.array(values, dtype=np.float64).ravel(order="F"), {})


def integers(values: Any) -> Node:
    return ("int", np.array(values, dtype=np.int32).ravel(order="F"), {})


def _characters(values: list[str] | list[str | None]) -> Node:
    return ("chr", list(values), {})


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{where}: expected text, found {type(value).__name__} {value!r}")
    return str(value)


def _length(node: Node) -> int:
    dim = node[2].get("dim")
    return int(dim[1][0]) if dim is not None else len(node[1])


def whole_numbers(values: Sequence[int | None], where: str) -> Node:
    """Integers (None is NA) as R integers, or as doubles where R's integers end."""
    present = [v for v in values if v is not None]
    if all(INT_NA < v < 2**31 for v in present):
        return integers([INT_NA if v is None else v for v in values])
    if any(int(float(v)) != v for v in present):
        worst = next(v for v in present if int(float(v)) != v)
        raise OverflowError(f"{where}: {worst} fits neither an R integer nor, exactly, a double; pass it as text")
    return doubles([NA_REAL if v is None else float(v) for v in values])


def dates(values: Sequence[dt.date | None]) -> Node:
    days = [NA_REAL if v is None else float((v - EPOCH).days) for v in values]
    return ("dbl", np.array(days, dtype=np.float64), {"class": _characters(["Date"])})


def moments(microseconds: NDArray[np.int64], na: NDArray[np.bool_], zone: str) -> Node:
    """POSIXct from microseconds since 1970 UTC."""
    seconds = np.where(na, 0, microseconds) / 1e6
    seconds[na] = NA_REAL
    return ("dbl", seconds, {"class": _characters(["POSIXct", "POSIXt"]), "tzone": _characters([zone])})


def _moments_of(values: Sequence[dt.datetime | None], where: str) -> Node:
    zones = {None if v is None or v.tzinfo is None else str(v.tzinfo) for v in values if v is not None}
    if len(zones) > 1:
        raise TypeError(f"{where}: date-times of different time zones {sorted(map(str, zones))}; convert them to one")
    origin = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
    aware = [None if v is None else (v if v.tzinfo else v.replace(tzinfo=dt.timezone.utc)) for v in values]
    micro = np.array([0 if v is None else (v - origin) // dt.timedelta(microseconds=1) for v in aware], dtype=np.int64)
    zone = next(iter(zones), None)
    return moments(micro, np.array([v is None for v in values], dtype=bool), zone or "UTC")


def atoms(values: Sequence[Any], where: str) -> Node | None:
    """Python scalars (None is NA) as one atomic vector; None if they are not of one kind."""
    present = [v for v in values if v is not None]
    if not present:
        return ("lgl", np.full(len(values), INT_NA, dtype=np.int32), {}) if values else None
    if all(isinstance(v, str) for v in present):
        return _characters([None if v is None else str(v) for v in values])
    if all(isinstance(v, (bool, np.bool_)) for v in present):
        return ("lgl", np.array([INT_NA if v is None else int(v) for v in values], dtype=np.int32), {})
    if any(isinstance(v, (bool, np.bool_)) for v in present):
        return None  # True among numbers is a mistake more often than a 1
    if all(isinstance(v, (int, np.integer)) for v in present):
        return whole_numbers([None if v is None else int(v) for v in values], where)
    if all(isinstance(v, (int, float, np.integer, np.floating)) for v in present):
        return doubles([NA_REAL if v is None else exact_double(v, where) for v in values])
    if all(isinstance(v, (complex, np.complexfloating)) for v in present) and len(present) == len(values):
        return ("cplx", np.array(values, dtype=np.complex128), {})
    if all(isinstance(v, dt.datetime) for v in present):
        return _moments_of(values, where)
    if all(isinstance(v, dt.date) and not isinstance(v, dt.datetime) for v in present):
        return dates(values)
    return None


def exact_double(value: Any, where: str) -> float:
    if isinstance(value, (int, np.integer)) and int(float(value)) != int(value):
        raise OverflowError(f"{where}: {value} does not fit a double exactly; pass it as text")
    if isinstance(value, np.longdouble) and np.longdouble(float(value)) != value and value == value:
        raise TypeError(f"{where}: {value!r} has more digits than a double")
    return float(value)


def _sequence(values: Sequence[Any], where: str) -> Node:
    plain = [v.item() if isinstance(v, np.generic) and not isinstance(v, np.longdouble) else v for v in values]
    found = atoms(plain, where)
    if found is not None and any(v is not None for v in plain):
        return found
    if len(plain) == 1 and not isinstance(plain[0], (list, tuple, Mapping, np.ndarray, type(None))):
        if type(plain[0]).__module__.split(".")[0] != "pandas":
            kind = type(plain[0])
            raise TypeError(f"{where}: {kind.__module__}.{kind.__qualname__} has no R form")
    return ("list", [to_node(v, f"{where}[{i}]") for i, v in enumerate(plain)], {})


def _array(array: NDArray[Any], where: str) -> Node:
    if array.ndim == 0:
        return _sequence([array.item()], where)
    flat = array.ravel(order="F")
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        node: Node = ("dbl", flat.astype(np.float64), {})
    elif kind in "iu":
        small = flat.size == 0 or (int(flat.min()) > INT_NA and int(flat.max()) < 2**31)
        node = integers(flat) if small else whole_numbers([int(v) for v in flat], where)
    elif kind == "b":
        node = ("lgl", flat.astype(np.int32), {})
    elif kind == "c" and array.dtype.itemsize <= 16:
        node = ("cplx", flat.astype(np.complex128), {})
    elif kind == "U":
        node = _characters([str(v) for v in flat])
    else:
        found = atoms(flat.tolist(), where) if kind == "O" else None
        if found is None:
            raise TypeError(f"{where}: numpy dtype {array.dtype} has no R form, or its values are of several kinds")
        node = found
    if array.ndim > 1:
        node[2]["dim"] = integers(array.shape)
    return node


def matrix(values: Any, columns: Sequence[str], rows: Sequence[str] | None = None) -> RArgument:
    """An R matrix with column (and row) names."""
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[1] != len(columns):
        raise ValueError(f"expected a matrix with {len(columns)} columns {list(columns)}; found shape {array.shape}")
    tag, payload, attributes = _array(array, "the matrix")
    margins = [NULL if rows is None else _characters(list(rows)), _characters(list(columns))]
    return RArgument((tag, payload, {**attributes, "dimnames": ("list", margins, {})}))


def _value_to_node(value: RValue) -> Node:
    """The way back of :func:`pairproof.bridge.values.from_node`."""
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
    node[2].update({k: _characters(list(v)) for k, v in extra.items() if v is not None})
    node[2].update({k: _value_to_node(v) for k, v in value.attributes.items()})
    return node


def _vector_node(value: RVector) -> Node:
    flat, na = value.values.ravel(order="F"), value.na.ravel(order="F")
    if flat.dtype.kind == "f":
        node: Node = ("dbl", flat.astype(np.float64), {})
    elif flat.dtype.kind in "ib":
        node = ("int" if flat.dtype.kind == "i" else "lgl", np.where(na, INT_NA, flat).astype(np.int32), {})
    elif flat.dtype.kind == "c":
        node = ("cplx", flat, {})
    elif flat.dtype.kind == "u":
        node = ("raw", flat.astype(np.int32), {})
    else:
        node = _characters(flat.tolist())
    if value.values.ndim > 1:
        node[2]["dim"] = integers(value.values.shape)
    if value.dimnames is not None:
        node[2]["dimnames"] = ("list", [NULL if m is None else _characters(list(m)) for m in value.dimnames], {})
    return node
