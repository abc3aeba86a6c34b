"""SQLite files of pairproof: their kind and integrity, and SQLite's errors as messages that say what to do.

Every kind has an application id of its own (PRAGMA application_id) and a version of its schema (PRAGMA
user_version); both stand in the file's header, so that another program's database is never taken for ours.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, PairproofError


@dataclass(frozen=True)
class DatabaseKind:
    """A kind of database file.

    Attributes
    ----------
    name : str
        "campaign".
    application : int
        PRAGMA application_id: four letters in ASCII.
    version : int
        PRAGMA user_version, the version of the schema.
    in_use : str
        The message for a file that another process has locked, after its name.
    remedy : str
        What to do about a damaged file.
    older : tuple of int
        Earlier versions that can still be opened; whoever opens one migrates it.
    """

    name: str
    application: int
    version: int
    in_use: str
    remedy: str = "go back to a copy of it"
    older: tuple[int, ...] = ()

    def stamp(self, connection: sqlite3.Connection) -> None:
        """Write the kind and the version into the header of a new database."""
        connection.execute(f"PRAGMA application_id = {self.application}")
        connection.execute(f"PRAGMA user_version = {self.version}")

    def check(self, file: Path, connection: sqlite3.Connection) -> int:
        """Refuse a database of another kind, of another version, or one that is damaged.

        Returns
        -------
        int
            Its version: the present one, or one of `older`.

        Raises
        ------
        InputError
        """
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if application != self.application:
            raise InputError(
                f"{file}: an SQLite database, but no {self.name} of pairproof (application id"
                f" {application:#x}, expected {self.application:#x}); check the name"
            )
        if version > self.version:
            raise InputError(
                f"{file}: written by a newer pairproof (schema {version}, this one knows {self.version});"
                " install that one"
            )
        if version != self.version and version not in self.older:
            raise InputError(
                f"{file}: schema {version}, expected {self.version}; the file is damaged or of an older pairproof: {self.remedy}"
            )
        said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            raise InputError(
                f"{file}: the database is damaged ({' '.join(str(said).split())}); {self.remedy}, nothing was"
                " changed"
            )
        return version

    @contextmanager
    def errors_explained(self, file: Path) -> Iterator[None]:
        """Turn SQLite's errors in the block into ours; the transaction that failed has been undone.

        Raises
        ------
        InputError
            The file is locked, cannot be opened or written, is damaged, or is no database.
        PairproofError
            The disk is full or failing.
        """
        try:
            yield
        except sqlite3.OperationalError as error:
            text = str(error)
            if "locked" in text or "busy" in text:
                raise InputError(f"{file}: {self.in_use}") from error
            if "full" in text or "disk I/O" in text:
                raise PairproofError(
                    f"{file}: the disk is full or failing ({text}); nothing was changed, make room and run"
                    " this again"
                ) from error
            if "readonly" in text or "unable to open" in text:
                raise InputError(
                    f"{file}: cannot be written ({text}); check the permissions of the file and its folder"
                ) from error
            if "no such table" in text or "no such column" in text:
                raise InputError(f"{file}: the database is damaged ({text}); {self.remedy}") from error
            raise
        except sqlite3.DatabaseError as error:
            if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
                raise  # a mistake of this package, not of the file
            raise InputError(
                f"{file}: not a {self.name}, or a damaged one ({error}); {self.remedy}, nothing was changed"
            ) from error
