"""The database file of a campaign: opened, checked, written in whole transactions, and every fault of it in
words.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from ..errors import InputError, PairproofError
from ..files.inputs import checked_name, regular
from ..files.outputs import check, new_part, remove_stale

#: PRAGMA application_id: "PPEA" in ASCII.
APPLICATION = 0x50504541
#: PRAGMA user_version of the schema in schema.sql.
VERSION = 1
#: Seconds to wait for another command that is writing.
PATIENCE = 5.0


class Store:
    """An open campaign file; make one with :func:`opened` or :func:`created`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.db = connection

    def setting(self, name: str) -> str:
        row = self.db.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise InputError(f"{self.path}: holds no {name!r}; the file is damaged: go back to a copy of it")
        return str(row[0])


@contextmanager
def opened(path: str | Path, *, write: bool) -> Iterator[Store]:
    """The campaign in a file.

    Parameters
    ----------
    path : path
    write : bool
        The block is one transaction, committed at its end; an error in it leaves the file as it was.  Without
        it the block reads one consistent state.

    Raises
    ------
    InputError
        No such file, no campaign, one of a newer pairproof, a damaged one, or another command is writing.
    PairproofError
        The disk is full or failing.
    """
    file = regular(path, f"a campaign ('pairproof easl init {path} ITEMS.csv' makes one)")
    with faults(file):
        connection = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
        try:
            _check(file, connection)
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield Store(file, connection)
            except BaseException:
                connection.execute("ROLLBACK") if connection.in_transaction else None
                raise
            connection.execute("COMMIT")
        finally:
            connection.close()


@contextmanager
def created(path: str | Path) -> Iterator[Store]:
    """A new campaign file: there is either a whole one at the end of the block, or none.

    Raises
    ------
    InputError
        The file exists already, or cannot be made there.
    PairproofError
        The disk is full or failing.
    """
    file = Path(checked_name(path))
    if os.path.lexists(file):
        raise _exists(path)
    check(file)
    remove_stale(file)
    with new_part(file) as part:
        with faults(file):
            connection = sqlite3.connect(part, isolation_level=None)
            try:
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
                script = resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8")
                connection.executescript(f"BEGIN;\n{script}")
                yield Store(file, connection)
                connection.execute("COMMIT")
            finally:
                connection.close()
                part.with_name(part.name + "-journal").unlink(missing_ok=True)
        try:
            os.link(part, file)  # unlike a renaming, not over a file that has come there in the meantime
        except FileExistsError as error:
            raise _exists(path) from error
        except OSError:
            part.replace(file)  # a file system without links


def _exists(path: str | Path) -> InputError:
    return InputError(
        f"{path}: exists already; a campaign is made once: choose another name, or remove the file"
    )


def _check(file: Path, connection: sqlite3.Connection) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise InputError(
            f"{file}: an SQLite database, but no campaign of pairproof (application id {application:#x},"
            f" expected {APPLICATION:#x}); check the name"
        )
    if version > VERSION:
        raise InputError(
            f"{file}: written by a newer pairproof (schema {version}, this one knows {VERSION}); install"
            " that one"
        )
    if version != VERSION:
        raise InputError(
            f"{file}: schema {version}, expected {VERSION}; the file is damaged: go back to a copy of it"
        )
    said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        raise InputError(
            f"{file}: the database is damaged ({' '.join(str(said).split())}); go back to a copy of it,"
            " nothing was changed"
        )


@contextmanager
def faults(file: Path) -> Iterator[None]:
    """SQLite's errors in words; the transaction they stopped has been undone."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise InputError(
                f"{file}: another command is writing to this campaign (waited {PATIENCE:g} s); nothing was"
                " changed, run this again when it has ended"
            ) from error
        if "full" in text or "disk I/O" in text:
            raise PairproofError(
                f"{file}: the disk is full or failing ({text}); nothing was changed, make room and run this"
                " again"
            ) from error
        if "readonly" in text or "unable to open" in text:
            raise InputError(
                f"{file}: cannot be written ({text}); check the permissions of the file and its folder"
            ) from error
        if "no such table" in text or "no such column" in text:
            raise InputError(f"{file}: the database is damaged ({text}); go back to a copy of it") from error
        raise
    except sqlite3.DatabaseError as error:
        if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
            raise  # ours, not the file's
        raise InputError(
            f"{file}: not a campaign, or a damaged one ({error}); go back to a copy of it, nothing was"
            " changed"
        ) from error
