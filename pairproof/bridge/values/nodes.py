"""Makes nodes (:mod:`pairproof.bridge.values.values`): a function for each kind of R vector."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .values import INT_NA, NA_REAL, Node, RArgument

EPOCH = dt.date(1970, 1, 1)


def frame_node(names: list[str], columns: list[Node], row_names: Node) -> Node:
    attributes = {"names": characters(names), "class": characters(["data.frame"]), "row.names": row_names}
    return ("list", columns, attributes)


def factor(codes: Sequence[int] | NDArray[Any], levels: Sequence[str], ordered: bool = False) -> RArgument:
    """An R factor; ``codes`` count from 0, -1 is NA."""
    given = np.asarray(codes, dtype=np.int64)
    if len(set(levels)) != len(levels):
        raise ValueError(f"factor levels must differ; found {list(levels)}")
    if given.size and (given.max() >= len(levels) or given.min() < -1):
        raise ValueError(
            f"factor codes must be -1 to {len(levels) - 1}; found {given.min()} to {given.max()}"
        )
    r_codes = np.where(given < 0, INT_NA, given + 1).astype(np.int32)
    kind = ["ordered", "factor"] if ordered else ["factor"]
    names = characters([checked_text(v, "a factor level") for v in levels])
    return RArgument(("int", r_codes, {"levels": names, "class": characters(kind)}))


def doubles(values: Any) -> Node:
    return ("dbl", np.array(values, dtype=np.float64).ravel(order="F"), {})


def integers(values: Any) -> Node:
    return ("int", np.array(values, dtype=np.int32).ravel(order="F"), {})


def logicals(values: Any) -> Node:
    """From 0, 1 and INT_NA."""
    return ("lgl", np.array(values, dtype=np.int32).ravel(order="F"), {})


def characters(values: Sequence[str | None]) -> Node:
    return ("chr", list(values), {})


def checked_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{where}: expected text, found {type(value).__name__} {value!r}")
    return str(value)


def node_length(node: Node) -> int:
    dim = node[2].get("dim")
    return int(dim[1][0]) if dim is not None else len(node[1])


def whole_numbers(values: Sequence[int | None], where: str) -> Node:
    """Integers (None is NA) as R integers, or as doubles where one is beyond R's integers."""
    present = [v for v in values if v is not None]
    if all(INT_NA < v < 2**31 for v in present):
        return integers([INT_NA if v is None else v for v in values])
    if any(int(float(v)) != v for v in present):
        worst = next(v for v in present if int(float(v)) != v)
        raise OverflowError(
            f"{where}: {worst} fits neither an R integer nor, exactly, a double; pass it as text"
        )
    return doubles([NA_REAL if v is None else float(v) for v in values])


def dates(values: Sequence[dt.date | None]) -> Node:
    tag, days, _ = doubles([NA_REAL if v is None else float((v - EPOCH).days) for v in values])
    return (tag, days, {"class": characters(["Date"])})


def moments(microseconds: NDArray[np.int64], na: NDArray[np.bool_], zone: str) -> Node:
    """POSIXct from microseconds since 1970 UTC."""
    seconds = np.where(na, 0, microseconds) / 1e6
    seconds[na] = NA_REAL
    return ("dbl", seconds, {"class": characters(["POSIXct", "POSIXt"]), "tzone": characters([zone])})


def moments_of(values: Sequence[dt.datetime | None], where: str) -> Node:
    zones = {v.tzinfo and str(v.tzinfo) for v in values if v is not None}
    if len(zones) > 1:
        raise TypeError(
            f"{where}: date-times of different time zones {sorted(map(str, zones))}; convert them to one"
        )
    origin = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
    aware = [origin if v is None else v if v.tzinfo else v.replace(tzinfo=dt.timezone.utc) for v in values]
    micro = np.array([(v - origin) // dt.timedelta(microseconds=1) for v in aware], dtype=np.int64)
    na = np.array([v is None for v in values], dtype=bool)
    return moments(micro, na, zones.pop() or "UTC" if zones else "UTC")


def atoms(values: Sequence[Any], where: str) -> Node | None:
    """Python scalars (None is NA) as one atomic vector; None if they are not of one kind."""
    present = [v for v in values if v is not None]
    if not present:
        return logicals([INT_NA] * len(values)) if values else None
    if all(isinstance(v, str) for v in present):
        return characters([None if v is None else str(v) for v in values])
    if all(isinstance(v, (bool, np.bool_)) for v in present):
        return logicals([INT_NA if v is None else int(v) for v in values])
    if any(isinstance(v, (bool, np.bool_)) for v in present):
        return None  # True among numbers is a mistake more often than a 1
    if all(isinstance(v, (int, np.integer)) for v in present):
        return whole_numbers([None if v is None else int(v) for v in values], where)
    if all(isinstance(v, (int, float, np.integer, np.floating)) for v in present):
        return doubles([NA_REAL if v is None else exact_double(v, where) for v in values])
    if all(isinstance(v, (complex, np.complexfloating)) for v in present) and len(present) == len(values):
        return ("cplx", np.array(values, dtype=np.complex128), {})
    if all(isinstance(v, dt.datetime) for v in present):
        return moments_of(values, where)
    if all(isinstance(v, dt.date) and not isinstance(v, dt.datetime) for v in present):
        return dates(values)
    return None


def exact_double(value: Any, where: str) -> float:
    if isinstance(value, (int, np.integer)) and int(float(value)) != int(value):
        raise OverflowError(f"{where}: {value} does not fit a double exactly; pass it as text")
    if isinstance(value, np.longdouble) and np.longdouble(float(value)) != value and value == value:
        raise TypeError(f"{where}: {value!r} has more digits than a double")
    return float(value)


def array_node(array: NDArray[Any], where: str) -> Node:
    if array.ndim == 0:
        single = atoms([array.item()], where)
        if single is None:
            raise TypeError(f"{where}: numpy dtype {array.dtype} has no R form")
        return single
    flat = array.ravel(order="F")
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        node: Node = ("dbl", flat.astype(np.float64), {})
    elif kind in "iu":
        small = flat.size == 0 or (int(flat.min()) > INT_NA and int(flat.max()) < 2**31)
        node = integers(flat) if small else whole_numbers([int(v) for v in flat], where)
    elif kind == "b":
        node = logicals(flat)
    elif kind == "c" and array.dtype.itemsize <= 16:
        node = ("cplx", flat.astype(np.complex128), {})
    elif kind == "U":
        node = characters([str(v) for v in flat])
    else:
        found = atoms(flat.tolist(), where) if kind == "O" else None
        if found is None:
            raise TypeError(
                f"{where}: numpy dtype {array.dtype} has no R form, or its values are of several kinds"
            )
        node = found
    if array.ndim > 1:
        node[2]["dim"] = integers(array.shape)
    return node
