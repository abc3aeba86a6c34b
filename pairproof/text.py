"""Values and names in messages, shortened and made safe for a terminal.

Of a long list or a long text a message shows the beginning and the size.  Terminal control characters, and
characters that change the reading direction, are written as escapes.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from itertools import islice
from typing import Any

WIDTH = 100
#: Longer names are cut to this, with an ellipsis; six columns of numbers fill the rest of the width.
NAME_WIDTH = 36


def plural(n: int, word: str) -> str:
    """ "1 row", "1,200 rows"."""
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def number(x: float, digits: int = 4, se: float = 0.0) -> str:
    """Fixed decimals where they show something, else scientific; `-` for nan.

    se: of an estimate; where it has these decimals the estimate has them too, 0.0000 for 1e-6 with an error of 0.2.
    """
    if math.isnan(x):
        return "-"
    least = 10.0**-digits * 5
    if (x == 0 or abs(x) >= least or se >= least) and abs(x) < 1e6:
        text = f"{x:.{digits}f}"
        return text.removeprefix("-") if float(text) == 0.0 else text
    return f"{x:.3e}"


def fixed(x: float) -> str:
    """Four decimals: a deviance of 1e-30 is 0.0000; `-` for nan; 4.4704e+89 where a double has no decimals left."""
    return "-" if math.isnan(x) else f"{x:.4f}" if abs(x) < 2**53 else f"{x:.5g}"


def shorten(name: str, width: int = NAME_WIDTH) -> str:
    """A name shortened to the width of its column, without terminal control characters."""
    name = label(name)
    return name if len(name) <= width else f"{name[: width - 1]}…"


#: Names a message lists, and characters of one of them that it shows.
MOST_NAMES = 12
MOST_CHARACTERS = 80
#: Containers a value holds more of, or deeper, than this are shown by their kind.
_MOST_PARTS = 30


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text; of one longer than `most` its beginning, and its length."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def quoted(value: Any, most: int = MOST_CHARACTERS) -> str:
    """The value's repr, shortened: the number of digits for one with thousands, kind and size for a large
    container.
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= most else f"{value[:most]!r}... ({len(value):,} characters)"
    if isinstance(value, int) and value.bit_length() > 4 * most:
        # repr() refuses integers of more than 4,300 digits.
        return f"an integer of about {int(value.bit_length() * 0.30103) + 1:,} digits"
    if isinstance(value, (list, tuple, dict, set, frozenset)) and not _small(value):
        what = {"dict": "table"}.get(type(value).__name__, type(value).__name__)
        return f"a {what} of {len(value):,}"
    return shortened(repr(value), most)


def listed(names: Iterable[Any], most: int = MOST_NAMES) -> str:
    """ "'a', 'b' and 5 more": the names quoted, at most `most` of them."""
    return _joined(names, quoted, most)


def named(names: Iterable[str], most: int = MOST_NAMES) -> str:
    """ "a, b and 5 more": the names without quotes, at most `most` of them."""
    return _joined(names, shortened, most)


def _joined(names: Iterable[Any], shown: Callable[[Any], str], most: int) -> str:
    known = names if isinstance(names, Collection) else list(names)
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    return ", ".join(map(shown, islice(known, most))) + more


def _small(value: Any) -> bool:
    """Whether a container has few parts, counted at all depths and without recursion."""
    waiting, seen = [value], 0
    while waiting:
        part = waiting.pop()
        seen += 1
        if seen > _MOST_PARTS or isinstance(part, int) and part.bit_length() > 4 * MOST_CHARACTERS:
            return False
        if isinstance(part, dict):
            waiting.extend(islice(part.keys(), _MOST_PARTS))
            waiting.extend(islice(part.values(), _MOST_PARTS))
        elif isinstance(part, (list, tuple, set, frozenset)):
            waiting.extend(islice(part, _MOST_PARTS))
    return True


_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_FORMAT = "\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f"
_UNSAFE = re.compile(f"[{_CONTROLS}{_FORMAT}]")
_UNSAFE_IN_LABEL = re.compile(f"[\t\n{_CONTROLS}{_FORMAT}]")


def count_words(number: float) -> str:
    """A count with commas; beyond what a double holds to the last digit, "4.498e+90"."""
    return f"{number:,.0f}" if number < 2**53 else f"{Decimal(number):.3e}"


def safe(text: str) -> str:
    """A text of lines, fit for a terminal: line ends and tabs stay, controls are shown as `\\x1b` or
    `\\u202e`.
    """
    return _UNSAFE.sub(_spelt, text)


def label(text: str) -> str:
    """A name inside a line: as :func:`safe`, and line ends and tabs are spelt out too, so that no name makes
    a line of its own.
    """
    return _UNSAFE_IN_LABEL.sub(_spelt, text)


def _spelt(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml(value: Any) -> str:
    """A value as TOML writes it; JSON's escapes of a string are TOML's."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(toml_lines(value)) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def toml_lines(table: Mapping[str, Any]) -> list[str]:
    """The lines `key = value` of a table; a key that is no bare one is quoted."""
    return [
        f"{key if _BARE_KEY.fullmatch(key) else toml(key)} = {toml(value)}" for key, value in table.items()
    ]


#: Arguments of readers whose options are called otherwise: `ties` and `cells` are options of models too.
FLAGS = {"cells": "--item-cells", "ties": "--tied-by", "columns": "--col"}


def flag(argument: str) -> str:
    """The option that sets an argument of a reader."""
    return FLAGS.get(argument, f"--{argument.replace('_', '-')}")


def as_typed(argument: str, value: Any) -> list[str]:
    """The option that sets an argument of a reader, with its value, as they are typed; nothing where there is none."""
    option = flag(argument)
    if isinstance(value, Mapping) and argument in ("columns", "rename"):
        return [word for name, own in value.items() for word in (option, f"{name}={own}")]
    if isinstance(value, Mapping):
        lists = {answer: own if isinstance(own, list) else [own] for answer, own in value.items()}
        return [option, ",".join(f"{answer}={code}" for answer, own in lists.items() for code in own)]
    if isinstance(value, str):
        return [option, value] * bool(value)
    if argument == "where":
        return [word for condition in value for word in (option, str(condition))]
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(p if isinstance(p, str) else ":".join(p) for p in value)
    return [option, line.getvalue()]
