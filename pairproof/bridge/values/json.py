"""Nodes as JSON and back: every bit of a double is kept, NA, NaN and Inf differ, and people can read a diff.

``{"dbl": [0.1, "NA"], "attr": {"names": ["a", "b"]}}``; a list with names only is ``{"named": {"coef":
...}}``; NULL is null.  Numbers are written with Python's repr, which reads back to the same double.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .values import INT_NA, NA_BITS, NULL, Node

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
