"""JSON Lines: one object a line, each with the same names, as `{"model_a": "x", "model_b": "y", "winner":
"model_a"}`.

Cells are text, as in a CSV file: numbers are kept as they are written ("1.0", and integers of any length),
true and false are those words, null is a blank cell.  An array of such objects (`[{...}, {...}]`) is read as
well.  As every record of a CSV file has as many fields as its header, every object has the names of the first
one; a name that is missing would be a blank that nobody wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from ...errors import DataWarning, InputError, warn_the_caller
from ...text import listed, quoted, shortened

SUFFIXES = (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz")
#: How JSON begins and no header of a table does.
_BEGINS = re.compile(r"\s*(\{\s*[\"}]|\[\s*(\[\s*)*[\[\]{\"0-9-])")
_WORDS = {True: "true", False: "false", None: ""}


def is_json(text: str, source: str) -> bool:
    """By the name of the file, or by how the text begins."""
    return source.lower().endswith(SUFFIXES) or _BEGINS.match(text) is not None


def json_frame(text: str, source: str) -> pd.DataFrame:
    """The table, every cell text.

    Columns of which a cell is a list or an object are left out with a warning: no model can use them, and
    exports of chats carry whole conversations so.
    """
    cells: dict[str, list[Any]] = {}
    nested: set[str] = set()
    for where, record in _records(text, source):
        if not cells:
            cells = {name: [] for name in record}
        if record.keys() != cells.keys():
            raise InputError(
                f"{where}: {_difference(record, cells)}; every line needs the names of the first"
                f" ({listed(cells, 6)}), null where there is no value"
            )
        for name, value in record.items():
            if isinstance(value, (list, dict)):
                nested.add(name)
                value = None
            cells[name].append(value if isinstance(value, str) else _WORDS[value])
    if not cells:
        raise InputError(
            f'{source}: JSON without a record; expected a line for each comparison, such as {{"first": "A",'
            ' "second": "B", "outcome": "first"}'
        )
    if nested:
        warn_the_caller(
            (
                f"{source}: {listed(sorted(nested))} left out: lists or objects stand there, of which no"
                " model can make use"
            ),
            DataWarning,
        )
    return pd.DataFrame({name: column for name, column in cells.items() if name not in nested}, dtype=object)


def _records(text: str, source: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where it stands, names and values) of each object."""
    if text.lstrip()[:1] == "[":
        document = _parsed(text, source)
        for k, record in enumerate(document):
            where = f"{source}, record {k + 1}"
            yield where, _object(record, where)
        return
    for k, line in enumerate(text.split("\n")):
        if line.strip():
            where = f"{source}, line {k + 1}"
            yield where, _object(_parsed(line, where), where)


def _parsed(text: str, where: str) -> Any:
    try:
        # The numbers stay text, so that none is rounded and none is too long for Python's integers.
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_once)
    except _Twice as error:
        raise InputError(
            f"{where}: the name {quoted(error.args[0])} stands twice in one object; keep one"
        ) from error
    except RecursionError as error:
        raise InputError(
            f"{where}: JSON nested too deep for a table; expected an object of names and values"
        ) from error
    except ValueError as error:
        cure = (
            "one whole object a line"
            if text.lstrip()[:1] == "{"
            else "JSON Lines, an object a line; a CSV file's name ends in .csv"
        )
        raise InputError(f"{where}: not JSON ({shortened(str(error))}); expected {cure}") from error


class _Twice(Exception):
    """A name that stands twice in an object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _Twice(name)
            seen.add(name)
    return found


def _object(record: Any, where: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        what = {list: "a list", str: "a text or number", bool: "true or false"}.get(type(record), "null")
        raise InputError(
            f'{where}: found {what}; expected an object such as {{"first": "A", "second": "B", "outcome":'
            ' "first"}'
        )
    if not record:
        raise InputError(
            f'{where}: an object without names; expected {{"first": "A", "second": "B", "outcome": "first"}}'
            " or the like"
        )
    return record


def _difference(record: dict[str, Any], cells: dict[str, Any]) -> str:
    absent = [name for name in cells if name not in record]
    more = [name for name in record if name not in cells]
    return " and ".join(
        [f"lacks {listed(absent, 4)}"] * bool(absent) + [f"has {listed(more, 4)} besides"] * bool(more)
    )
