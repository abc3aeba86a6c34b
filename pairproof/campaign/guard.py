"""Cells that a spreadsheet would run as a formula, made harmless in what we write, and put back when we read
it again.

A cell that begins with = + - @ tab or return gets an apostrophe before it, which spreadsheets show as plain
text; so does one that begins with apostrophes and then such a sign, so that taking one apostrophe away is the
exact inverse.  Plain numbers stay.  A file in which a cell was changed has a last column `guarded` with 1 in
that row.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

#: Of a file in which cells were guarded.
MARK = "guarded"
_DANGEROUS = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def guard(cell: str) -> str:
    """The cell, harmless."""
    return "'" + cell if _DANGEROUS.match(cell) and not _NUMBER.fullmatch(cell) else cell


def unguard(cell: str) -> str:
    """The inverse of :func:`guard`, for a cell of a row marked as guarded."""
    return cell[1:] if _GUARDED.match(cell) and not _NUMBER.fullmatch(cell) else cell


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A CSV file: UTF-8, lines end with a newline, cells guarded, `guarded` as last column where one had to
    be.
    """
    table = [list(row) for row in rows]
    safe = [[guard(cell) for cell in row] for row in table]
    names = [guard(name) for name in header]
    changed = [row != kept for row, kept in zip(safe, table)]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    mark = any(changed)
    writer.writerow([*names, MARK] if mark else names)
    (
        writer.writerows([*row, "1" if was else ""] for row, was in zip(safe, changed))
        if mark
        else writer.writerows(safe)
    )
    return stream.getvalue()
