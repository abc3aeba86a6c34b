"""The folder in which a migration is made: tables are written there before anything is computed from them.

What is evaluated is read from the very files that are delivered; only their names may become better later.  The user's
folder is touched when all of it has been shown to work.
"""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path

from ....bridge.values.csv_frames import csv_text
from ....errors import InputError
from ....text import quoted
from ..code.expressions import File
from .file_names import Unique, plain

#: Folder of the tables, beside the script.
DATA = "data"


class Stage:
    """CSV files in a folder of their own; equal tables are one file.

    folder: an empty folder, or one to be made.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._names = Unique()
        self._paths: dict[str, Path] = {}
        self._digests: dict[int, tuple[File, str]] = {}

    def place(self, file: File) -> Path:
        """Where the table is; it is written if no equal one has been.

        Returns Path: `FOLDER/data/NAME.csv`.
        """
        digest = self.digest(file)
        if digest not in self._paths:
            path = self.folder / DATA / f"{self._names.name(plain(file.stem))}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_content(file))
            self._paths[digest] = path
        return self._paths[digest]

    def path_of(self, digest: str) -> Path:
        """Where the table of that digest is."""
        return self._paths[digest]

    def digest(self, file: File) -> str:
        """SHA-256 of the table's CSV text, by which equal tables are found."""
        known = self._digests.get(id(file))
        if known is None:
            # The file is kept beside its digest: the id of a live object belongs to no other.
            known = self._digests[id(file)] = (file, hashlib.sha256(_content(file)).hexdigest())
        return known[1]


def _content(file: File) -> bytes:
    """The table as bytes of a CSV file, read back and compared."""
    text = csv_text(file.columns)
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError as error:
        bad = text[error.start : error.start + 20]
        raise InputError(f"table {quoted(file.stem)}: {bad!a} is no text that UTF-8 can hold") from None
    lines = list(csv.reader(io.StringIO(text, newline="")))
    expected = [list(file.columns), *(list(map(_field, row)) for row in zip(*file.columns.values()))]
    for n, (found, wanted) in enumerate(zip(lines, expected), 1):
        if found != wanted:
            raise InputError(
                f"table {quoted(file.stem)}, line {n}: {quoted(wanted)} comes back from a CSV file as"
                f" {quoted(found)}; such text cannot be kept in one"
            )
    if len(lines) != len(expected):
        raise InputError(
            f"table {quoted(file.stem)}: {len(expected)} lines come back from a CSV file as {len(lines)}"
        )
    return raw


def _field(value: object) -> str:
    """A value as a field of the file; a missing one is empty."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)
