"""The database file of a campaign: opens and checks it, and writes it in whole transactions."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import InputError
from ...files.database import DatabaseKind
from ...files.inputs import checked_name, regular
from ...files.outputs import check, new_part, remove_stale
from .contents import check_contents
from .migration import OLD, add_arrays, keep_copy, lacks_arrays, migrate, schema, script

#: Seconds to wait for another command that is writing.
PATIENCE = 5.0
#: "PPEA" in ASCII, and the version of the schema in schema.sql.
CAMPAIGN = DatabaseKind(
    "campaign",
    0x50504541,
    2,
    f"another command is writing to this campaign (waited {PATIENCE:g} s); nothing was changed, run this again"
    " when it has ended",
    schema,
    older=(OLD,),
)


class Store:
    """An open campaign file; make one with :func:`opened` or :func:`created`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.db = connection

    def setting(self, name: str) -> str:
        row = self.db.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise InputError(
                f"{self.path}: has no setting {name!r}; the file is damaged: restore a copy of it"
            )
        return str(row[0])


@contextmanager
def opened(path: str | Path, *, write: bool) -> Iterator[Store]:
    """Open a campaign file for the duration of a `with` block.

    write: true: the block is one transaction, committed at its end; an error in it leaves the file as it was.
    False: the block reads one consistent state.
    """
    file = regular(path, f"a campaign ('pairproof easl init {path} ITEMS.csv' makes one)")
    with CAMPAIGN.errors_explained(file):
        connection = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
        try:
            version = CAMPAIGN.check(file, connection)
            if version == OLD or lacks_arrays(connection):
                connection = _migrated(file, connection, version, write=write)
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                check_contents(file, connection)
                yield Store(file, connection)
            except BaseException:
                connection.execute("ROLLBACK") if connection.in_transaction else None
                raise
            connection.execute("COMMIT")
        finally:
            connection.close()


def _migrated(file: Path, connection: sqlite3.Connection, version: int, *, write: bool) -> sqlite3.Connection:
    """A connection to the campaign in the present schema: the file itself, after a copy of it, or, to read, a
    copy in memory.
    """
    if write:
        if version == OLD:
            keep_copy(file, connection)
        connection.execute("BEGIN IMMEDIATE")
        _bring(file, connection)
        connection.execute("COMMIT")
        return connection
    inside = sqlite3.connect(":memory:", isolation_level=None)
    connection.backup(inside)
    connection.close()
    inside.execute("BEGIN")
    _bring(file, inside)
    inside.execute("COMMIT")
    return inside


def _bring(file: Path, connection: sqlite3.Connection) -> None:
    """Bring a campaign to the present schema; another command may have done it while this one waited."""
    if int(connection.execute("PRAGMA user_version").fetchone()[0]) == OLD:
        try:
            migrate(connection, CAMPAIGN.version)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"{file}: a campaign of schema {OLD} whose settings or times cannot be read ({error}); the file is"
                f" damaged: {CAMPAIGN.remedy}"
            ) from error
    add_arrays(connection)


@contextmanager
def created(path: str | Path) -> Iterator[Store]:
    """Create a campaign file: at the end of the `with` block there is a complete file or none."""
    file = Path(checked_name(path))
    if os.path.lexists(file):
        raise _exists(path)
    check(file)
    remove_stale(file)
    with new_part(file) as part:
        with CAMPAIGN.errors_explained(file):
            connection = sqlite3.connect(part, isolation_level=None)
            try:
                CAMPAIGN.stamp(connection)
                connection.executescript(f"BEGIN;\n{script()}")
                yield Store(file, connection)
                connection.execute("COMMIT")
            finally:
                connection.close()
                part.with_name(part.name + "-journal").unlink(missing_ok=True)
        try:
            os.link(part, file)  # unlike renaming, this fails if the file has been created in the meantime
        except FileExistsError as error:
            raise _exists(path) from error
        except OSError:
            part.replace(file)  # the file system has no links


def _exists(path: str | Path) -> InputError:
    return InputError(
        f"{path}: exists already; a campaign is created only once: choose another name, or remove the file"
    )
