"""Tables of a claims file: one definition of each, a frozen dataclass whose fields are the table's keys, read
from TOML.

A field made by :func:`entry` is a key; its annotation is the type of the value, and its `Entry` says what it
means and what else is asked of it.  From the same fields :class:`TableReader` reads a TOML document, with the
line in every error, and `tools/claims_schema.py` makes the JSON schema.  A field that is not
made by `entry` stands in no file (the line number, for example).

Types: str, bool, float, Literal, `PrintedText`, `Cell`, another such dataclass, tuple[X, ...], tuple[X, X],
Mapping[str, X], and X | None for "not stated".

The document keeps the lines of its keys, which Python's parser does not.  What is nested deeper, or has
longer integers, than any claims file is refused: Python's parser goes down one level of its own stack for
each level of arrays and inline tables, and refuses integers of more than 4,300 digits; both are mistakes of
the file and not of the program.
"""

from __future__ import annotations

import difflib
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ...errors import InputError
from ...files.inputs import nested_deeper
from ...files.packaged import tomllib
from ...text import quoted, shortened

KeyPath = tuple[Union[str, int], ...]

#: Levels of tables and arrays inside one another; claims files have five ([[claim]], reading, model,
#: item_terms).
MOST_DEEP = 32
#: Parts of one dotted key: parsers take time and memory with the square of their number.
_LONG_KEY = re.compile(
    r"^[ \t]*\[{0,2}(?:[ \t]*(?:[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\[^\n])*\"|'[^'\n]*')[ \t]*\.){"
    + str(MOST_DEEP)
    + "}",
    re.MULTILINE,
)


def parsed_toml(text: str, source: str) -> dict[str, Any]:
    """The document."""
    long_key = _LONG_KEY.search(text)
    if long_key:
        raise _too_deep(f"{source}, line {text.count(chr(10), 0, long_key.start()) + 1}")
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: not TOML: {shortened(str(error), 200)}") from error
    except RecursionError as error:
        raise _too_deep(source) from error
    except ValueError as error:
        found = re.search(r"[0-9](?:_?[0-9]){4299}", text)
        if found is None:
            raise InputError(f"{source}: not TOML: {shortened(str(error), 200)}") from error
        line = text.count("\n", 0, found.start()) + 1
        how = "write counts with at most 15, and what is printed as a string"
        raise InputError(f"{source}, line {line}: a number of more than 4,300 digits; {how}") from error
    if nested_deeper(document, MOST_DEEP + 1):
        raise _too_deep(source)
    return document


def _too_deep(where: str) -> InputError:
    return InputError(
        f"{where}: nested more than {MOST_DEEP} levels deep; a claims file does not need so many: look for an"
        " extra bracket or dot"
    )


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRINGS = re.compile(r'"""(?:\\.|[^\\])*?"""+|\'\'\'.*?\'\'\'+|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)
_ATOM = re.compile(r"[^,\]\}\s#]+(?: [0-9][^,\]\}\s#]*)?")


class LineMap:
    """Line numbers (from 1) of the keys of a valid TOML text.

    The text has been parsed and is not nested deeper than `MOST_DEEP`, so this only follows its strings,
    comments, brackets and keys.

    `line(("claim", 0, "estimate", "A"))` is the line of A in the first claim's estimates; of a path that is
    not there, the line of the longest part of it that is.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [found.start() for found in re.finditer("\n", text)]
        self._at = 0
        self._lines: dict[KeyPath, int] = {(): 1}
        self._counts: dict[KeyPath, int] = {}
        self._read()

    def line(self, path: KeyPath) -> int:
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]

    def source(self, path: KeyPath) -> str:
        """The text of that line, stripped."""
        return self._text.split("\n")[self.line(path) - 1].strip()

    def _read(self) -> None:
        table: KeyPath = ()
        while self._skip():
            if self._text.startswith("[[", self._at):
                self._at += 2
                table = self._array_table(self._key())
                self._at = self._text.index("]]", self._at) + 2
            elif self._text[self._at] == "[":
                self._at += 1
                table = self._inside(self._key())
                self._note(table)
                self._at = self._text.index("]", self._at) + 1
            else:
                self._pair(table)

    def _inside(self, key: list[str]) -> KeyPath:
        """`a.b` as a path: a key that is an array of tables means its last table."""
        path: KeyPath = ()
        for part in key:
            path += (part,)
            if path in self._counts:
                path += (self._counts[path] - 1,)
        return path

    def _array_table(self, key: list[str]) -> KeyPath:
        path = (*self._inside(key[:-1]), key[-1])
        self._note(path)
        number = self._counts.get(path, 0)
        self._counts[path] = number + 1
        self._note((*path, number))
        return (*path, number)

    def _pair(self, table: KeyPath) -> None:
        start = self._at
        path = (*table, *self._key())
        for end in range(len(table) + 1, len(path) + 1):
            self._note(path[:end], start)
        self._skip()
        self._at += 1  # the equals sign
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        self._skip()
        opening = self._text[self._at]
        if opening in "[{":
            self._at += 1
            number = 0
            while self._skip() and self._text[self._at] not in "]}":
                if opening == "{":
                    self._pair(path)
                else:
                    self._note((*path, number))
                    self._value((*path, number))
                number += 1
                self._comma()
            self._at += 1
        else:
            found = _STRINGS.match(self._text, self._at) or _ATOM.match(self._text, self._at)
            assert found is not None, f"not valid TOML at position {self._at}"
            self._at = found.end()

    def _key(self) -> list[str]:
        parts = []
        while True:
            self._skip()
            found = _STRINGS.match(self._text, self._at) or _BARE.match(self._text, self._at)
            assert found is not None, f"not valid TOML at position {self._at}"
            parts.append(found[0][1:-1] if found[0][0] in "\"'" else found[0])
            self._at = found.end()
            self._skip()
            if not self._text.startswith(".", self._at):
                return parts
            self._at += 1

    def _comma(self) -> None:
        if self._skip() and self._text[self._at] == ",":
            self._at += 1

    def _skip(self) -> bool:
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        return self._at < len(self._text)

    def _note(self, path: KeyPath, position: int | None = None) -> None:
        at = self._at if position is None else position
        self._lines.setdefault(path, bisect_left(self._ends, at) + 1)


#: A printed number as it stands on the page: as a bare number it would lose trailing zeros.
PrintedText = NewType("PrintedText", str)
#: A cell of a table.
Cell = Union[str, int, float, bool]
Table = TypeVar("Table")


@dataclass(frozen=True)
class Entry:
    """A key of a table: what it means, and what is asked of its value beside the type."""

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
            if type(None) in get_args(kind):
                kind = Union[tuple(k for k in get_args(kind) if k is not type(None))]
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
        """A table as its dataclass."""
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
            named = f"{e.key} = {{ A = {json.dumps(shortened(value, 20))} }} with its name"
            raise self.error(
                path, f"{what}: {e.key} = {quoted(value)} does not say which parameter; write {named}"
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
        if not isinstance(value, str) or e.pattern and not re.fullmatch(e.pattern, value):
            return False
        return e.test is None or e.test(value)

    def _refusal(self, e: Entry, kind: Any, value: Any, path: KeyPath, what: str) -> InputError:
        if kind is PrintedText:
            bare = self._as_written(path, value)
            loses = f"an unquoted {bare} loses part of the print (such as trailing zeros)"
            return self.error(path, f'{what}, {path[-1]}: {loses}; write it as a string, such as "{bare}"')
        found = ("found" if isinstance(path[-1], int) else f"{path[-1]} =") + f" {quoted(value)}"
        return self.error(path, f"{what}: {found}; expected {_expected(e, kind)}")

    def _as_written(self, path: KeyPath, value: Any) -> str:
        """The number as it stands in the file: 0.190, where Python knows only 0.19."""
        found = re.search(rf"""{re.escape(str(path[-1]))}["']?\s*=\s*([^,}}\s#]+)""", self.lines.source(path))
        return shortened(found[1]) if found else quoted(value)
