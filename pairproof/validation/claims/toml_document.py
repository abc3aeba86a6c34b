"""A TOML text as a document, and the lines of its keys, which Python's parser does not keep.

What is nested deeper, or has longer integers, than any claims file is refused: Python's parser goes down one
level of its own stack for each level of arrays and inline tables, and refuses integers of more than 4,300
digits; both are mistakes of the file and not of the program.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from typing import Any, Union

from ...errors import InputError
from ...text import shortened

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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
        raise InputError(
            f"{source}, line {text.count(chr(10), 0, found.start()) + 1}: a number of more than 4,300 digits;"
            " write counts with at most 15, and what is printed as a string"
        ) from error
    _check_depth(document, source)
    return document


def _check_depth(document: dict[str, Any], source: str) -> None:
    """Refuse a document that is nested too deep; level by level, without recursion."""
    level: list[Any] = [document]
    for _ in range(MOST_DEEP + 1):
        inner: list[Any] = []
        for value in level:
            inner.extend(value.values() if isinstance(value, dict) else value)
        level = [value for value in inner if isinstance(value, (dict, list))]
        if not level:
            return
    raise _too_deep(source)


def _too_deep(where: str) -> InputError:
    return InputError(
        f"{where}: nested more than {MOST_DEEP} levels deep; a claims file has tables within tables, but not"
        " so many: look for a bracket or a dot too many"
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
        if opening == "[":
            self._at += 1
            number = 0
            while self._skip() and self._text[self._at] != "]":
                self._note((*path, number))
                self._value((*path, number))
                number += 1
                self._comma()
            self._at += 1
        elif opening == "{":
            self._at += 1
            while self._skip() and self._text[self._at] != "}":
                self._pair(path)
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
            quoted = _STRINGS.match(self._text, self._at)
            if quoted:
                parts.append(quoted[0][1:-1])
                self._at = quoted.end()
            else:
                bare = _BARE.match(self._text, self._at)
                assert bare is not None, f"not valid TOML at position {self._at}"
                parts.append(bare[0])
                self._at = bare.end()
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
