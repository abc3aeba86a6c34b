"""A TOML text as a document, with bounds: what is nested deeper, or has longer integers, than any claims file
is no claims file.

Python's parser goes down one level of its own stack for each level of arrays and inline tables, and refuses
integers of more than 4,300 digits; both are mistakes of the file and not of the program.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from ...errors import InputError
from ...text import shortened

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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
    """The document.

    Raises
    ------
    InputError
        Not TOML, nested deeper than `MOST_DEEP`, or with an integer of thousands of digits.
    """
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
    """Refuse what is nested too deep; level by level, without recursion."""
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
