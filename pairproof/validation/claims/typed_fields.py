"""Fields of a TOML document read with their types; what is of another type is an error that names its
line.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError
from ...text import quoted
from .toml_lines import LineMap, Path as KeyPath


class TypedFields:
    """Values of a document by type; a path is the keys and positions that lead to one.

    Attributes
    ----------
    lines : LineMap
    source : str
        The file, for messages.
    """

    def __init__(self, lines: LineMap, source: str) -> None:
        self.lines = lines
        self.source = source

    def error(self, path: KeyPath, message: str) -> InputError:
        return InputError(f"{self.source}, line {self.lines.line(path)}: {message}")

    def only_keys(self, table: Mapping[str, Any], path: KeyPath, allowed: Sequence[str], what: str) -> None:
        for key in table:
            if key not in allowed:
                near = difflib.get_close_matches(key[:40], allowed, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(allowed)}"
                raise self.error((*path, key), f"{what}: unknown key {quoted(key)}; {hint}")

    def table(self, value: Any, path: KeyPath, what: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            found = "it is missing" if value is None else f"found {quoted(value)}"
            raise self.error(path, f"{what} must be a table; {found}")
        return value

    def text(self, value: Any, path: KeyPath) -> str:
        if not isinstance(value, str):
            raise self.error(path, f"{path[-1]} = {quoted(value)}; expected a string in quotes")
        return value

    def flag(self, table: Mapping[str, Any], key: str, path: KeyPath, what: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            raise self.error((*path, key), f"{what}: {key} = {quoted(value)}; expected true or false")
        return value

    def texts(self, value: Any, path: KeyPath) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.error(path, f"{path[-1]} = {quoted(value)}; expected an array of strings")
        return tuple(value)

    def choice(self, value: Any, path: KeyPath, allowed: Sequence[str]) -> Any:
        if not isinstance(value, str) or value not in allowed:
            found = "it is missing" if value is None else f"found {quoted(value)}"
            raise self.error(path, f"{path[-1]}: {found}; expected one of {', '.join(allowed)}")
        return value

    def pairs(self, value: Any, path: KeyPath) -> tuple[tuple[str, str], ...]:
        if not isinstance(value, list) or not all(
            isinstance(p, list) and len(p) == 2 and all(isinstance(i, str) for i in p) for p in value
        ):
            raise self.error(
                path, f'{path[-1]}: expected an array of pairs of items, such as [["A", "B"], ["A", "C"]]'
            )
        return tuple((p[0], p[1]) for p in value)
