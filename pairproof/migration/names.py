"""Words of an R script, which are data, as names of Python, names of files, comments and docstrings.

========================  ===================  ==========================================================
R                         Python               because
========================  ===================  ==========================================================
``m``                     ``m``
``fit.1``, ``fits$a``     ``fit_1``, ``fits_a``  other characters than letters and digits become "_"
``lambda``, ``print``     ``lambda_``, ...     Python's own words
``pairproof``, ``Path``   ``pairproof_``, ...  words of the script that is written
none                      ``fit_12``           after the line
========================  ===================  ==========================================================

A file's name has a fixed alphabet, and none is given twice, also where case does not count: whatever the word
holds (a slash, "..", a newline, a name that Windows keeps for a device), the file lies in the folder that it
was meant for.

A comment is one line of printable characters.  It ends at the end of its line, so it is enough that no
character of the text ends a line or hides what stands there: line ends and other blanks become one blank,
characters that are not printable (controls, marks of the reading direction, surrogates) become escapes.
"""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from .translate.python_code import WIDTH

#: Names that a script that is written uses itself.
OWN = ("pairproof", "Path", "HERE")
_MOST = 60
_TAKEN = frozenset([*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *OWN])


def identifier(word: str) -> str:
    """A word as a Python name; "" if nothing is left of it."""
    # Python itself takes names that differ in their compatibility form only for one name.
    normal = unicodedata.normalize("NFKC", word[: 4 * _MOST])
    name = "".join(c if c == "_" or ("a" + c).isidentifier() else "_" for c in normal)
    name = re.sub(r"__+", "_", name)[:_MOST].strip("_")
    if not name:
        return ""
    if not name.isidentifier():
        # A digit, or a mark that joins the letter before it, so that both become one.
        name = unicodedata.normalize("NFKC", "x" + name)
    return name + "_" if name in _TAKEN else name


class Names:
    """Python names given so far, each to one thing, and names that are taken."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*_TAKEN, *taken}
        self._next: dict[str, int] = {}

    def name(self, word: str, otherwise: str) -> str:
        """The word as a name; where it is taken, the first of NAME_2, NAME_3, ... that is free."""
        return _free(identifier(word) or identifier(otherwise) or "value", self._taken, self._next)


def _free(wanted: str, taken: set[str], following: dict[str, int], key: Callable[[str], str] = str) -> str:
    """The name, or the first of NAME_2, NAME_3, ... that is free by its key; it is taken from now on."""
    found, n = wanted, following.get(key(wanted), 2)
    while key(found) in taken:
        found, n = f"{wanted}_{n}", n + 1
    following[key(wanted)] = n
    taken.add(key(found))
    return found


#: Characters of a name; further ones are cut off.
MOST = 60
#: Names that Windows keeps for devices, with any suffix.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10))]
)


def plain(word: str, otherwise: str = "table") -> str:
    """A word as a file's name without its suffix: ASCII letters, digits, "_" and "-"."""
    ascii_only = unicodedata.normalize("NFKD", word[: 4 * MOST]).encode("ascii", "ignore").decode("ascii")
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", ascii_only).strip("_-")[:MOST].rstrip("_-")
    if not name:
        return otherwise
    return name + "_" if name.casefold() in _DEVICES else name


class Unique:
    """Names given so far; each new one differs from all of them, also without regard to case."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.casefold() for name in taken}
        self._next: dict[str, int] = {}

    def name(self, wanted: str) -> str:
        """The name, or the first of NAME_2, NAME_3, ... that is free; it is taken from now on."""
        return _free(wanted, self._taken, self._next, str.casefold)


#: Lines of one comment; a longer text is cut.
MOST_LINES = 3
#: Characters of a text that are looked at.
_MOST_COLUMNS = 4 * WIDTH


def one_line(text: str, most: int = _MOST_COLUMNS) -> str:
    """The text as one line of printable characters; a longer one than `most` ends in "..."."""
    flat = " ".join(text[: 4 * most].split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in flat)
    return shown if len(shown) <= most and len(text) <= 4 * most else shown[: most - 4].rstrip() + " ..."


def comment(text: str, indent: str = "", lines: int = MOST_LINES) -> Iterator[str]:
    """Lines of a comment in a block so far indented, at most `lines`; what is cut off is shown as "..."."""
    found = textwrap.wrap(
        one_line(text),
        width=WIDTH - len(indent) - 2,
        subsequent_indent="    ",
        max_lines=lines,
        placeholder=" ...",
        break_on_hyphens=False,
    )
    for line in found or [""]:
        yield f"{indent}# {line}".rstrip()


def beside(statement: str, text: str) -> Iterator[str]:
    """A statement with a comment on its line, or above it where there is no room; of several lines above the first."""
    said = one_line(text)
    if "\n" not in statement and len(statement) + len(said) + 4 <= WIDTH:
        yield f"{statement}  # {said}"
        return
    yield from comment(text, statement[: len(statement) - len(statement.lstrip())])
    yield from statement.split("\n")


def docstring(paragraphs: list[str]) -> Iterator[str]:
    """Lines of a docstring, its first paragraph one line."""
    escaped = [one_line(p).replace("\\", "\\\\").replace('"', '\\"') for p in paragraphs]
    first = escaped[0]
    if len(escaped) == 1 and len(first) + 6 <= WIDTH:
        yield f'"""{first}"""'
        return
    yield f'"""{first}'
    for paragraph in escaped[1:]:
        yield ""
        # No escape may be cut in two at the end of a line, which only happens to a word longer than a line.
        yield from textwrap.wrap(paragraph, width=WIDTH, break_on_hyphens=False, break_long_words=False)
    yield '"""'
