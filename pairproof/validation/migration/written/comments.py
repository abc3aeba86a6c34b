"""Text of an R script as comments and docstrings of Python: one line of printable characters, whatever it was.

A comment ends at the end of its line, so it is enough that no character of the text ends a line or hides what stands
there: line ends and other blanks become one blank, characters that are not printable (controls, marks of the reading
direction, surrogates) become escapes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ..code.source import WIDTH

#: Lines of one comment; a longer text is cut.
MOST_LINES = 3
#: Characters of a text that are looked at.
_MOST = 4 * WIDTH


def one_line(text: str, most: int = _MOST) -> str:
    """The text as one line of printable characters; a longer one than `most` ends in "..."."""
    flat = " ".join(text[: 4 * most].split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in flat)
    return shown if len(shown) <= most and len(text) <= 4 * most else shown[: most - 4].rstrip() + " ..."


def comment(text: str, indent: str = "", lines: int = MOST_LINES) -> Iterator[str]:
    """Lines of a comment.

    text: any text.  indent: of the block that it stands in.  lines: lines at most; what is cut off is shown
    as "...".
    """
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
