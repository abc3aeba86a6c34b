"""What a message shows of things that may be thousands, or a million characters long: the beginning, and how much there is.

A message is read on a screen; what it names is cut to a handful, with the count, so that no input makes a message longer than
a few lines.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

#: Names a message lists, and characters of one of them that it shows.
MOST_NAMES = 12
MOST_CHARACTERS = 80
#: Containers a value holds more of, or deeper, than this are shown by their kind.
_MOST_PARTS = 30


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text; of one longer than `most` its beginning, and its length."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def quoted(value: Any, most: int = MOST_CHARACTERS) -> str:
    """Its repr, cut; of a number with thousands of digits how many it has, of a large container its kind and size."""
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
    known = names if isinstance(names, Collection) else list(names)
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    return ", ".join(map(quoted, islice(known, most))) + more


def named(names: Iterable[str], most: int = MOST_NAMES) -> str:
    """The same without quotes."""
    known = names if isinstance(names, Collection) else list(names)
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    return ", ".join(map(shortened, islice(known, most))) + more


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
