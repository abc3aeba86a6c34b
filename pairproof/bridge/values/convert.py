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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .formulas import checked
from .nodes import (
    DTYPES,
    INT_NA,
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
    factor,
    frame_node,
    integers,
    is_pandas,
    node_length,
)


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
        from . import frames

        return frames.pandas_to_node(value, where)
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
