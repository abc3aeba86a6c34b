"""Reads the files of a page's texts: instructions (plain text) and examples (a table)."""

from __future__ import annotations

from pathlib import Path

from ...data.reading.sources import load
from ...data.reading.table import suggestion
from ...errors import InputError, TooLargeError
from ...files.inputs import read_file
from ..formats.files import cells_of
from .texts import MOST_CHARACTERS, Example

_COLUMNS = ("text", "score", "why")
#: Most examples; an annotator reads all of them before the first item.
MOST_EXAMPLES = 100


def read_instructions(path: str | Path) -> str:
    """The instructions of a text file.

    path: UTF-8; paragraphs are separated by blank lines, and no markup is interpreted.  Returns str: with
    `\\n` at the ends of lines.
    """
    raw = read_file(path, "a text file of instructions", most=4 * MOST_CHARACTERS)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte number {error.start + 1} is not UTF-8; save it as UTF-8") from error
    if "\0" in text:
        raise InputError(f"{path}: holds zero characters; expected plain text in UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise InputError(f"{path}: empty; expected the instructions, in paragraphs separated by blank lines")
    if len(text) > MOST_CHARACTERS:
        raise TooLargeError(f"{path}: {len(text):,} characters; expected at most {MOST_CHARACTERS:,}")
    return text


def read_examples(path: str | Path, encoding: str | None = None) -> tuple[Example, ...]:
    """The examples of a table.

    path: CSV or TSV with the columns `text`, `score` (0 to 100), and `why`, which may be left out.  encoding:
    if it is not UTF-8.  Returns tuple of Example: in the order of the file.
    """
    table = load(str(path), encoding)
    for name in ("text", "score"):
        if name not in table.columns:
            raise InputError(
                f"{table.source}: no column {name!r}; found {', '.join(map(repr, table.columns))}; expected"
                " text, score and why"
            )
    for name in table.columns:
        if name not in (*_COLUMNS, "guarded"):
            raise InputError(
                f"{table.source}: column {name!r}; examples have text, score and why"
                f"{suggestion(name, _COLUMNS)}"
            )
    if table.n_rows > MOST_EXAMPLES:
        raise TooLargeError(f"{table.source}: {table.n_rows} examples; expected at most {MOST_EXAMPLES}")
    texts, scores = cells_of(table, "text"), cells_of(table, "score")
    whys = cells_of(table, "why") if "why" in table.columns else [""] * table.n_rows
    found = []
    for row, (text, cell, why) in enumerate(zip(texts, scores, whys)):
        if not text.strip():
            raise InputError(f"{table.where(row, 'text')}: blank; expected the text of an example")
        if max(len(text), len(why)) > MOST_CHARACTERS:
            raise TooLargeError(f"{table.where(row)}: more than {MOST_CHARACTERS:,} characters")
        try:
            score = float(cell) if cell.isascii() and "_" not in cell else float("nan")
        except ValueError:
            score = float("nan")
        if not 0 <= score <= 100:
            raise InputError(f"{table.where(row, 'score')}: {cell[:40]!r}; expected a number from 0 to 100")
        found.append(Example(text, score + 0.0, why))
    return tuple(found)
