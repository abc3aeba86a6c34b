"""CSV files whose cells no spreadsheet runs.

A spreadsheet takes a cell that begins with = + - @ tab or return for a formula.  Such a cell is written with
an apostrophe before it, so that spreadsheets show it as plain text.  A cell that begins with apostrophes
followed by such a sign gets one too, so that removing one apostrophe is the exact inverse.  Plain numbers are
left as they are.  A file with guarded cells has a last column `guarded`, with 1 in the rows concerned.

Files that are only data for R or for pairproof itself (of a claims file, of a migrated analysis) are not
guarded: an apostrophe would be part of the name that is read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

#: Name of the column that says in which rows cells were guarded.
MARK = "guarded"
_DANGEROUS = re.compile(r"'*[=+\-@\t\r]")
_SUSPECT = re.compile(r"\0'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def guard(cell: str) -> str:
    """The cell, with an apostrophe before it if a spreadsheet would run it as a formula."""
    return "'" + cell if _DANGEROUS.match(cell) and not _NUMBER.fullmatch(cell) else cell


def unguard(cell: str) -> str:
    """The inverse of :func:`guard`, for a cell of a row marked as guarded."""
    return cell[1:] if _GUARDED.match(cell) and not _NUMBER.fullmatch(cell) else cell


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The text of a CSV file with guarded cells, and the last column `guarded` if there are any."""
    table = [list(row) for row in rows]
    # Most tables have no such cell, which one search of all their text shows.
    first = "\0".join("\0".join(row) for row in table)
    safe = [[guard(cell) for cell in row] for row in table] if _SUSPECT.search("\0" + first) else table
    names = [guard(name) for name in header]
    if safe != table:
        safe = [[*new, "1" if new != old else ""] for new, old in zip(safe, table)]
        names = [*names, MARK]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([names, *safe])
    return stream.getvalue()
