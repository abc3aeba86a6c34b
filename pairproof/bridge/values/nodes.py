"""Values as R has them: nodes, made by a function for each kind of R vector, and as JSON.

A node is ``(tag, payload, attributes)``:

========== =============================================== ==========================================
tag        payload                                         R
========== =============================================== ==========================================
null       None                                            NULL
lgl, int   int32[n], NA as -2**31                          logical, integer
dbl        float64[n], every bit as R has it               double; NA is one of the NaN bit patterns
cplx, raw  complex128[n]; int32[n] in 0..255               complex, raw
chr        list of str, NA as None                         character
list       list of nodes                                   list
lang       str                                             a call, symbol or formula, as text
opaque     str                                             what has no plain form (function, environment)
formula    str                                             only towards R: made with as.formula
expr       str                                             only towards R: put into the call as typed
========== =============================================== ==========================================

``attributes`` maps names to nodes: names, dim, dimnames, levels, class, row.names, tzone and any other. JSON
keeps every bit of a double (Python's repr reads back to the same double), tells NA, NaN and Inf apart, and is
readable in a diff: ``{"dbl": [0.1, "NA"], "attr": {"names": ["a", "b"]}}``, a list with names only
``{"named": {...}}``.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

Node = tuple[str, Any, dict[str, Any]]

INT_NA = -(2**31)
NA_BITS = 0x7FF00000000007A2  # R's NA_real_: a NaN whose low word is 1954 (R sources, arithmetic.c)
NA_REAL: float = float(np.array([NA_BITS], dtype=np.uint64).view(np.float64)[0])

NULL: Node = ("null", None, {})
#: Tag -> type of the payload, where that is an array; little-endian, as numbers are sent and hashed.
DTYPES = {"dbl": "<f8", "cplx": "<c16", "int": "<i4", "lgl": "<i4", "raw": "<i4"}


class Formula(str):
    """R formula text, e.g. ``Formula("y ~ o1 + o2")``; whitespace does not matter.

    It goes to R only as :func:`pairproof.bridge.values.formulas.checked` writes it again.
    """


class Expr(str):
    """R source put into the call unevaluated, as if typed: ``Expr("prefmod::cemspc")``,
    ``Expr("pair:judge")``.

    Source is code: write it in the program, never make it of text from a file.
    """


@dataclass(frozen=True, eq=False)
class RArgument:
    """A value already in R's form, made by :func:`pairproof.bridge.values.convert.data_frame` and others."""

    node: Node


@dataclass(frozen=True)
class RLang:
    """R code as text: a call, a symbol, a formula."""

    text: str


@dataclass(frozen=True)
class ROpaque:
    """An R value that has no plain form (a function, an environment); ``what`` is R's ``typeof``."""

    what: str


@dataclass(frozen=True, eq=False)
class RVector:
    """An atomic R vector.

    values array[n] or array of R's dim: float64, int32, bool, complex128, uint8 or object (str or None).
    Where ``na`` is true an integer is 0, a logical False, a string None; a double keeps R's NA bits.  na: R's
    NA. NaN is not NA: it is ``isnan(values) & ~na``.  rclass: R's class attribute, e.g. ("factor",).
    attributes: any further R attributes.
    """

    values: NDArray[Any]
    na: NDArray[np.bool_]
    names: tuple[str, ...] | None = None
    dimnames: tuple[tuple[str, ...] | None, ...] | None = None
    levels: tuple[str, ...] | None = None
    rclass: tuple[str, ...] = ()
    attributes: Mapping[str, "RValue"] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    def margin(self, k: int) -> tuple[str, ...]:
        """Names along a dimension; () where it has none."""
        return (self.dimnames[k] if self.dimnames else None) or ()

    def scalar(self) -> Any:
        """The one element, as a Python value; None where it is NA."""
        if self.values.size != 1:
            raise ValueError(f"expected one value from R, found {self.values.size}")
        if self.na.ravel()[0]:
            return None
        value = self.values.ravel()[0]
        return value.item() if isinstance(value, np.generic) else value

    def floats(self) -> NDArray[np.float64]:
        """As float64, integer and logical NA as R's NA."""
        if self.values.dtype.kind not in "fib":
            raise TypeError(f"expected numbers from R, found {self.values.dtype} {self.values!r}")
        out = np.array(self.values, dtype=np.float64)
        if self.values.dtype.kind != "f":
            out[self.na] = NA_REAL
        return out

    def by_name(self) -> dict[str, Any]:
        """Name to Python value, NA as None."""
        if self.names is None:
            raise ValueError("this R vector has no names")
        return {n: None if m else v for n, v, m in zip(self.names, self.values.tolist(), self.na.tolist())}


@dataclass(frozen=True, eq=False)
class RList:
    """An R list (a data frame too): values, names, class.  ``value["coef"]``, ``value[0]``."""

    values: tuple["RValue", ...]
    names: tuple[str, ...] | None = None
    rclass: tuple[str, ...] = ()
    attributes: Mapping[str, "RValue"] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator["RValue"]:
        return iter(self.values)

    def __contains__(self, name: object) -> bool:
        return self.names is not None and name in self.names

    def __getitem__(self, key: str | int) -> Any:
        """The element of that name or place.  (Any: an R list holds anything; see :meth:`vector`.)"""
        if isinstance(key, int):
            return self.values[key]
        if key not in self:
            raise KeyError(f"{key!r} is not in the R list, which has {list(self.names or ())}")
        assert self.names is not None
        return self.values[self.names.index(key)]

    @property
    def row_names(self) -> RVector | None:
        """R's names of a data frame's rows; None where it has none."""
        found = self.attributes.get("row.names")
        return found if isinstance(found, RVector) else None

    def vector(self, key: str | int) -> RVector:
        """The element, which must be an atomic vector."""
        found = self[key]
        if not isinstance(found, RVector):
            raise TypeError(f"expected an R vector at {key!r}, found {type(found).__name__}")
        return found


RValue = Union[RVector, RList, RLang, ROpaque, None]


def is_na(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where doubles are R's NA (not merely NaN): NaN with low word 1954, as R_IsNA decides."""
    flat = np.ascontiguousarray(values)
    low: NDArray[np.uint64] = flat.view(np.uint64) & np.uint64(0xFFFFFFFF)
    return np.asarray(np.logical_and(np.isnan(flat), low == np.uint64(1954)))


def _strings(node: Node | None) -> tuple[str, ...] | None:
    if node is None or node[0] == "null":
        return None
    if node[0] == "chr":
        return tuple("NA" if s is None else s for s in node[1])
    if node[0] in ("int", "dbl"):
        return tuple(str(v) for v in node[1].tolist())
    return None


def from_node(node: Node) -> RValue:
    """A node as the value that a caller reads."""
    tag, payload, raw = node
    if tag == "null":
        return None
    if tag in ("lang", "formula", "expr"):
        return RLang(payload)
    if tag == "opaque":
        return ROpaque(payload)
    attributes = dict(raw)
    names = _strings(attributes.pop("names", None))
    rclass = _strings(attributes.pop("class", None)) or ()
    if tag == "list":
        rest = {k: from_node(v) for k, v in attributes.items()}
        return RList(tuple(from_node(n) for n in payload), names, rclass, rest)
    dim = attributes.pop("dim", None)
    dimnames = attributes.pop("dimnames", None)
    levels = _strings(attributes.pop("levels", None))
    values, na = _atomic(tag, payload)
    if dim is not None:
        shape = tuple(dim[1].tolist())
        values, na = values.reshape(shape, order="F"), na.reshape(shape, order="F")
    margins = None if dimnames is None else tuple(_strings(n) for n in dimnames[1])
    return RVector(
        values, na, names, margins, levels, rclass, {k: from_node(v) for k, v in attributes.items()}
    )


def _atomic(tag: str, payload: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    if tag == "chr":
        values = np.empty(len(payload), dtype=object)
        values[:] = payload
        return values, np.array([s is None for s in payload], dtype=bool)
    if tag == "dbl":
        return payload, is_na(payload)
    if tag == "cplx":
        return payload, is_na(np.ascontiguousarray(payload.real))
    if tag == "raw":
        return payload.astype(np.uint8), np.zeros(len(payload), dtype=bool)
    na = payload == INT_NA
    clean = np.where(na, 0, payload)
    return (clean.astype(bool) if tag == "lgl" else clean.astype(np.int32)), na


EPOCH = dt.date(1970, 1, 1)


def is_pandas(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "pandas"


def frame_node(names: list[str], columns: list[Node], row_names: Node) -> Node:
    attributes = {"names": characters(names), "class": characters(["data.frame"]), "row.names": row_names}
    return ("list", columns, attributes)


def factor(codes: Sequence[int] | NDArray[Any], levels: Sequence[str], ordered: bool = False) -> RArgument:
    """An R factor; ``codes`` count from 0, -1 is NA."""
    given = np.asarray(codes, dtype=np.int64)
    if len(set(levels)) != len(levels):
        raise ValueError(f"factor levels must be unique; found {list(levels)}")
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
                f"{where}: numpy dtype {array.dtype} has no R form, or its values have several types"
            )
        node = found
    if array.ndim > 1:
        node[2]["dim"] = integers(array.shape)
    return node


NAN_BITS = 0x7FF8000000000000  # R's and Python's NaN; any other bit pattern is written out
LINE = 112


def dump(node: Node) -> Any:
    """A node as JSON values."""
    tag, payload, attributes = node
    if tag == "null":
        return None
    if tag == "list":
        names = attributes.get("names")
        if names is not None and len(attributes) == 1 and _usable_keys(names):
            return {"named": {k: dump(v) for k, v in zip(names[1], payload)}}
        out: dict[str, Any] = {"list": [dump(v) for v in payload]}
    else:
        out = {tag: _dump_payload(tag, payload)}
    if attributes:
        out["attr"] = {k: list(v[1]) if _plain_text(v) else dump(v) for k, v in attributes.items()}
    return out


def load(value: Any) -> Node:
    """The node that :func:`dump` wrote."""
    if value is None:
        return NULL
    if not isinstance(value, dict):
        raise ValueError(f"expected a node, found {type(value).__name__} {str(value)[:60]}")
    attributes = {
        k: ("chr", v, {}) if isinstance(v, list) else load(v) for k, v in value.get("attr", {}).items()
    }
    if "named" in value:
        named = value["named"]
        return ("list", [load(v) for v in named.values()], {"names": ("chr", list(named), {})})
    tag = next((k for k in value if k != "attr"), "nothing")
    if tag == "list":
        return ("list", [load(v) for v in value["list"]], attributes)
    return (tag, _load_payload(tag, value.get(tag)), attributes)


def _usable_keys(names: Node) -> bool:
    keys = names[1]
    return (
        bool(keys) and len(set(keys)) == len(keys) and all(isinstance(k, str) for k in keys) and not names[2]
    )


def _plain_text(node: Node) -> bool:
    return node[0] == "chr" and not node[2]


def _dump_payload(tag: str, payload: Any) -> Any:
    if tag in ("int", "lgl"):
        return [None if v == INT_NA else v for v in payload.tolist()]
    if tag == "raw":
        return payload.tolist()
    if tag == "dbl":
        return [_dump_double(v) for v in payload]
    if tag == "cplx":
        return [[_dump_double(v.real), _dump_double(v.imag)] for v in payload]
    return payload if isinstance(payload, str) else list(payload)


def _dump_double(value: np.float64) -> Any:
    number = float(value)
    if math.isnan(number):
        bits = int(np.array([value], dtype=np.float64).view(np.uint64)[0])
        return {NA_BITS: "NA", NAN_BITS: "NaN"}.get(bits, f"NaN:{bits:016x}")
    if math.isinf(number):
        return "Inf" if number > 0 else "-Inf"
    return number


def _load_doubles(values: list[Any]) -> NDArray[np.float64]:
    out = np.array([0.0 if isinstance(v, str) else v for v in values], dtype=np.float64)
    for i, value in enumerate(values):
        if isinstance(value, str):
            if value in ("Inf", "-Inf"):
                out[i] = math.inf if value == "Inf" else -math.inf
                continue
            bits = {"NA": NA_BITS, "NaN": NAN_BITS}.get(value)
            out.view(np.uint64)[i] = int(value.split(":")[1], 16) if bits is None else bits
    return out


def _load_payload(tag: str, values: Any) -> Any:
    if tag == "dbl":
        return _load_doubles(values)
    if tag in ("int", "lgl"):
        return np.array([INT_NA if v is None else v for v in values], dtype=np.int32)
    if tag == "raw":
        return np.array(values, dtype=np.int32)
    if tag == "cplx":
        pairs = _load_doubles([v for pair in values for v in pair]).reshape(-1, 2)
        out = np.empty(len(pairs), dtype=np.complex128)
        out.real, out.imag = pairs[:, 0], pairs[:, 1]
        return out
    if tag in ("chr", "lang", "opaque", "formula", "expr"):
        return values
    raise ValueError(f"unknown kind of value {tag!r}")


def pretty(value: Any, indent: int = 0) -> str:
    """JSON text: one key a line, rows of numbers filled up to a line's width."""
    pad = " " * (indent + 1)
    if isinstance(value, dict) and value:
        inner = [
            f"{pad}{json.dumps(k, ensure_ascii=False)}: {pretty(v, indent + 1)}" for k, v in value.items()
        ]
        short = "{" + ", ".join(line.strip() for line in inner) + "}"
        if len(short) + indent < LINE and "\n" not in short and indent > 1:
            return short
        return "{\n" + ",\n".join(inner) + "\n" + " " * indent + "}"
    if isinstance(value, list) and value:
        if any(isinstance(v, (dict, list)) for v in value):
            return "[\n" + ",\n".join(pad + pretty(v, indent + 1) for v in value) + "\n" + " " * indent + "]"
        if len(value) > 1 and any(
            isinstance(v, str) and " " in v for v in value
        ):  # lines of code or of output
            return "[\n" + ",\n".join(pad + pretty(v) for v in value) + "\n" + " " * indent + "]"
        return _filled([json.dumps(v, ensure_ascii=False, allow_nan=False) for v in value], indent)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _filled(items: list[str], indent: int) -> str:
    flat = "[" + ", ".join(items) + "]"
    if len(flat) + indent < LINE:
        return flat
    pad, lines, line = " " * (indent + 1), [], ""
    for item in items:
        if line and len(pad) + len(line) + len(item) + 2 > LINE:
            lines.append(line)
            line = ""
        line += (", " if line else "") + item
    lines.append(line)
    return "[\n" + ",\n".join(pad + text for text in lines) + "\n" + " " * indent + "]"
