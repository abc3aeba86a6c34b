"""One definition of a table of a claims file: a frozen dataclass, whose fields are the table's keys.

A field made by :func:`entry` is a key; its annotation is the type of the value, and its `Entry` says what it
means and what else is asked of it.  From the same fields :class:`TableReader` reads a TOML document, with the
line in every error, and :mod:`pairproof.validation.claims.schema` makes the JSON schema.  A field that is not
made by `entry` stands in no file (the line number, for example).

Types: str, bool, float, Literal, `PrintedText`, `Cell`, another such dataclass, tuple[X, ...], tuple[X, X],
Mapping[str, X], and X | None for "not stated".
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ...errors import InputError
from ...text import quoted, shortened
from .toml_document import KeyPath, LineMap

#: A printed number as it stands on the page: as a bare number it would lose trailing zeros.
PrintedText = NewType("PrintedText", str)
#: A cell of a table.
Cell = Union[str, int, float, bool]
Table = TypeVar("Table")


@dataclass(frozen=True)
class Entry:
    """A key of a table: what it means, and what is asked of its value beside the type.

    key: as in the file.  name: of the dataclass's field.  kind: with None taken away.  pattern: regular
    expression for the whole of each string; "" for any.  test: of each string, where a pattern does not say
    it.  below: a number must be at least 0 and less than this.  expected: what an error says was expected; ""
    for what the type says.  if_empty: what an error says of an empty array; "" if it may be empty.  or_one: a
    single string may stand for an array of one.
    """

    meaning: str
    key: str = ""
    name: str = ""
    kind: Any = None
    required: bool = False
    pattern: str = ""
    test: Callable[[str], bool] | None = None
    below: float | None = None
    expected: str = ""
    if_empty: str = ""
    or_one: bool = False


def entry(meaning: str, default: Any = MISSING, **asked: Any) -> Any:
    """A dataclass field that is a key of the file; `asked` are further attributes of its :class:`Entry`."""
    metadata = {"entry": Entry(meaning, **asked)}
    if default is dict:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


@lru_cache(maxsize=None)
def entries(table: Any) -> Mapping[str, Entry]:
    """The entries of a dataclass by their key in the file, those by position before those by keyword."""
    kinds = get_type_hints(table)
    found = {}
    for f in sorted(fields(table), key=lambda f: f.kw_only is True):
        if "entry" in f.metadata:
            e: Entry = f.metadata["entry"]
            kind, key = kinds[f.name], e.key or f.name
            kind = get_args(kind)[0] if type(None) in get_args(kind) else kind
            required = f.default is MISSING and f.default_factory is MISSING
            found[key] = replace(e, key=key, name=f.name, kind=kind, required=required)
    return found


def choices(kind: Any) -> tuple[Any, ...]:
    """The values of a Literal, or of a union of them; () for another type.  "" means "not stated"."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(value for part in get_args(kind) for value in choices(part))


def _expected(e: Entry, kind: Any) -> str:
    """What an error says was expected of a value of this type."""
    if e.expected:
        return e.expected
    if values := [v for v in choices(kind) if v != ""]:
        return f"one of {', '.join(values)}" if isinstance(values[0], str) else " or ".join(map(str, values))
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        if is_dataclass(inner):
            return f"an array of tables, [[claim.{e.key}]]"
        return "an array of strings" if inner is str else "an array of arrays"
    if get_origin(kind) is Mapping:
        return "a table"
    return {
        str: "a string in quotes",
        bool: "true or false",
        float: "a number, 0 or more",
        Cell: "a number, a string, true or false",
    }[kind]


class TableReader:
    """Reader of a TOML document's tables as dataclasses; its errors name the file and the line.

    A path is the keys and positions that lead to a value; `what` names its table in messages.

    source: the file, for messages.
    """

    def __init__(self, lines: LineMap, source: str) -> None:
        self.lines = lines
        self.source = source

    def error(self, path: KeyPath, message: str) -> InputError:
        return InputError(f"{self.source}, line {self.lines.line(path)}: {message}")

    def table(self, value: Any, path: KeyPath, what: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            found = "it is missing" if value is None else f"found {quoted(value)}"
            raise self.error(path, f"{what} must be a table; {found}")
        return value

    def only_keys(
        self, table: Mapping[str, Any], path: KeyPath, allowed: Mapping[str, Any], what: str
    ) -> None:
        for key in table:
            if key not in allowed:
                near = difflib.get_close_matches(key[:40], allowed, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(allowed)}"
                raise self.error((*path, key), f"{what}: unknown key {quoted(key)}; {hint}")

    def read(self, kind: type[Table], value: Any, path: KeyPath, what: str, **given: Any) -> Table:
        """A table as its dataclass.

        given: fields that stand in no file.
        """
        table = self.table(value, path, what)
        known = entries(cast(Any, kind))
        self.only_keys(table, path, known, what)
        for key, e in known.items():
            if key in table:
                given[e.name] = self._value(e, e.kind, table[key], (*path, key), what)
            elif e.required:
                raise self.error(path, f"{what} has no {key}; expected {_expected(e, e.kind)}")
        found = kind(**given)
        for message, *at in getattr(found, "faults", tuple)():
            raise self.error((*path, *at), f"{what}: {message}")
        return found

    def _value(self, e: Entry, kind: Any, value: Any, path: KeyPath, what: str) -> Any:
        if is_dataclass(kind):
            assert isinstance(kind, type)
            return self.read(kind, value, path, f"{what}, {e.key}")
        if get_origin(kind) is Mapping:
            return self._mapping(e, get_args(kind)[1], value, path, what)
        if get_origin(kind) is tuple:
            return self._array(e, kind, value, path, what)
        if not self._holds(e, kind, value):
            raise self._refusal(e, kind, value, path, what)
        return float(value) if kind is float else value

    def _mapping(self, e: Entry, inner: Any, value: Any, path: KeyPath, what: str) -> dict[str, Any]:
        if inner is PrintedText and isinstance(value, str):
            example = json.dumps(shortened(value, 20))
            raise self.error(
                path,
                f"{what}: {e.key} = {quoted(value)} does not say of what; write {e.key} = {{ A = {example} }}"
                " with the parameter's name",
            )
        here = f"{what}, {path[-1]}"
        table = self.table(value, path, here)
        if inner is Any:
            return table
        return {k: self._value(e, inner, v, (*path, k), here) for k, v in table.items()}

    def _array(self, e: Entry, kind: Any, value: Any, path: KeyPath, what: str) -> tuple[Any, ...]:
        inner, *rest = get_args(kind)
        if e.or_one and isinstance(value, str):
            return (value,)
        if not isinstance(value, list) or rest != [...] and len(value) != 1 + len(rest):
            raise self._refusal(e, kind, value, path, what)
        if not value and e.if_empty:
            raise self.error(path, f"{what}: {e.key} = []; {e.if_empty}")
        if is_dataclass(inner):
            return tuple(self._value(e, inner, v, (*path, k), what) for k, v in enumerate(value))
        one = f"{what}, " + ("value" if isinstance(path[-1], int) else str(path[-1]).removesuffix("s"))
        return tuple(self._value(e, inner, v, (*path, k), f"{one} {k + 1}") for k, v in enumerate(value))

    def _holds(self, e: Entry, kind: Any, value: Any) -> bool:
        """Whether a single value has the type, and what else is asked of it."""
        if allowed := choices(kind):
            return any(type(value) is type(a) and value == a for a in allowed)
        if kind == Cell:
            return isinstance(value, (str, int, float))
        if kind is float:
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            return number and (e.below is None or 0 <= value < e.below)
        if kind is bool:
            return isinstance(value, bool)
        return (
            isinstance(value, str)
            and (not e.pattern or re.fullmatch(e.pattern, value) is not None)
            and (e.test is None or e.test(value))
        )

    def _refusal(self, e: Entry, kind: Any, value: Any, path: KeyPath, what: str) -> InputError:
        if kind is PrintedText:
            bare = self._as_written(path, value)
            return self.error(
                path,
                f"{what}, {path[-1]}: a bare {bare} loses what is printed (trailing zeros, for example);"
                f' write it as a string, such as "{bare}"',
            )
        found = ("found" if isinstance(path[-1], int) else f"{path[-1]} =") + f" {quoted(value)}"
        return self.error(path, f"{what}: {found}; expected {_expected(e, kind)}")

    def _as_written(self, path: KeyPath, value: Any) -> str:
        """The number as it stands in the file: 0.190, where Python knows only 0.19."""
        found = re.search(rf"""{re.escape(str(path[-1]))}["']?\s*=\s*([^,}}\s#]+)""", self.lines.source(path))
        return shortened(found[1]) if found else quoted(value)
