"""Values as R has them: nodes, which are sent and recorded, and the two types that a caller reads.

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

``attributes`` maps names to nodes: names, dim, dimnames, levels, class, row.names, tzone and any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

    It goes to R only as :func:`pairproof.bridge.values.formulas.checked` writes it anew.
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
    return np.logical_and(np.isnan(flat), low == np.uint64(1954))


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
