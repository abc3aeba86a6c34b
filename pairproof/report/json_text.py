"""JSON documents: nothing but numbers that JSON has, every digit kept, null where there is no value.

Long tables are written ten times as fast as by `json.dumps(..., indent=2)`, and byte for byte the same: the
standard library's fast encoder has no indentation, so it writes all cells at once, and the layout is put
around them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

#: Rows from which on a table is long.
LONG = 1_000
_CELLS = {str, int, float, bool, type(None)}


def rows_text(rows: Any, depth: int) -> str | None:
    """The JSON of a list of flat objects with the same keys, `depth` spaces in; None of anything else."""
    if not isinstance(rows, list) or len(rows) < LONG or type(rows[0]) is not dict or not rows[0]:
        return None
    keys = tuple(rows[0])
    if not all(type(k) is str for k in keys) or not all(type(r) is dict and tuple(r) == keys for r in rows):
        return None
    cells = [cell for row in rows for cell in row.values()]
    if not set(map(type, cells)) <= _CELLS:
        return None
    known = [None if type(c) is float and not math.isfinite(c) else c for c in cells]
    # A line break cannot stand in an encoded cell, where it is written \n.
    encoded = json.dumps(known, allow_nan=False, separators=("\n", ":"))[1:-1].split("\n")
    edge = " " * depth
    lines = ",\n".join(f"{edge}    {json.dumps(key)}: ".replace("%", "%%") + "%s" for key in keys)
    template = f"{edge}  {{\n{lines}\n{edge}  }}"
    table = ",\n".join(template % row for row in zip(*[iter(encoded)] * len(keys)))
    return f"[\n{table}\n{edge}]"


def plain(value: Any) -> Any:
    """The value for JSON: nan and infinities become None, and NumPy's numbers become Python's."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (bool, str, int)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "item"):  # a NumPy scalar
        return plain(value.item())
    raise TypeError(f"{type(value).__name__} cannot be written to JSON")


def json_text(document: Any) -> str:
    """The text of a JSON document; numbers are written with every digit, as by Python's repr."""
    # DEL is the only control character that json does not escape.
    return _json_text(document).replace("\x7f", "\\u007f")


def _json_text(document: Any) -> str:
    tables = {}
    if isinstance(document, Mapping):
        tables = {key: text for key, value in document.items() if (text := rows_text(value, 2)) is not None}
    if not tables:
        return json.dumps(plain(document), indent=2, allow_nan=False)
    parts = []
    for key, value in document.items():
        # A line break in JSON is always one of the layout.
        text = tables[key] if key in tables else _json_text(value).replace("\n", "\n  ")
        parts.append(f"  {json.dumps(str(key))}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}"
