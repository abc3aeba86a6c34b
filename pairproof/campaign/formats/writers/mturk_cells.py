"""Cells of a batch file for Mechanical Turk, which puts them into the layout as markup.

A layout's `${sent1}` is replaced by the cell of the column `sent1` without any escaping, so a text with `<`
would change the page.  Cells are therefore written as HTML: `& < > " ' $` as character references (the last
one so that no text names another variable), characters above U+FFFF too, because Mechanical Turk refuses files
that hold them, and line breaks, which its reader of CSV files takes for the end of a row.  A first character
that would make the cell a formula in a spreadsheet is written in the same way, so no apostrophe is shown to
annotators.  Mechanical Turk returns the cells as they were sent; :func:`plain` is the exact inverse.
"""

from __future__ import annotations

import csv
import html
import io
import re

from ....files.guarded import unguard
from ..files import BATCH_COLUMNS
from .sheet import Sheet

_ESCAPED = re.compile(r"[&<>\"'$\r\n\U00010000-\U0010ffff]|^[=+\-@\t]")
_REFERENCE = re.compile(r"&#([0-9]{1,7});")


def cell(text: str) -> str:
    """The text as a cell that Mechanical Turk shows as this text.

    >>> cell("a < b & $5")
    'a &#60; b &#38; &#36;5'
    """
    return _ESCAPED.sub(lambda found: f"&#{ord(found[0])};", text)


def plain(text: str) -> str:
    """The inverse of :func:`cell`.

    >>> plain(cell("'=1' <b>"))
    "'=1' <b>"
    """

    def character(found: re.Match[str]) -> str:
        number = int(found[1])
        return chr(number) if number <= 0x10FFFF else found[0]

    return _REFERENCE.sub(character, text)


def readings(written: str) -> tuple[str, ...]:
    """The ids that an `Input.id` cell can stand for: as it is, without a guard, or without HTML's escapes.

    Tools that unescape and escape again write `&lt;` for `&#60;`, which is the same text in HTML.

    >>> readings("&lt;a")
    ('&lt;a', '<a')
    """
    return tuple(dict.fromkeys((written, unguard(written), plain(written), html.unescape(written))))


def mturk_csv(sheet: Sheet) -> str:
    """A batch as CSV for Mechanical Turk.

    Returns str: one row a HIT: `id1`, the columns shown with 1, `id2`, ..., then campaign, batch and hit.
    """
    slots = range(1, sheet.per_hit + 1)
    header = [f"{name}{k}" for k in slots for name in ("id", *sheet.show)] + list(BATCH_COLUMNS)
    rows = []
    for (batch, number), hit in zip(sheet.places, sheet.hits):
        cells = [cell(text) for name, fields in hit for text in (name, *fields)]
        blank = [""] * ((sheet.per_hit - len(hit)) * (1 + len(sheet.show)))
        rows.append([*cells, *blank, sheet.campaign, str(batch), str(number)])
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([header, *rows])
    return stream.getvalue()
