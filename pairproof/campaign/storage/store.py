"""The database file of a campaign: opens and checks it, writes it in whole transactions, migrates schema 1.

Reading a campaign of schema 1 writes nothing: it is migrated in memory.  The first command that writes
leaves a copy beside it, `C.db.schema1`, and then migrates it in one transaction.  What counted before
counts after: answers that one annotator gave twice to one HIT stay counted (`on_repeat` is "both") until
`easl repeats` is asked.
"""

from __future__ import annotations

import filecmp
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.database import DatabaseKind, Schema, statements
from ...files.inputs import checked_name, regular
from ...files.outputs import check, new_part, remove_stale
from ...files.packaged import packaged_text
from .contents import check_contents
from .design import Design, stored_times

#: The first schema, and the end of the name of the copy of a campaign that had it.
OLD = 1
COPY = ".schema1"

#: The table is created when the first judgment is retracted, so a campaign without it has no retractions.
#: `judgment` is the whole judgment as JSON (its columns, and its scores as slot, item, value, raw); `undone`
#: is when it was restored, NULL while it is retracted.
RETRACTION = """CREATE TABLE IF NOT EXISTS retraction (
    number INTEGER PRIMARY KEY, at TEXT NOT NULL, why TEXT NOT NULL, identity TEXT NOT NULL, judgment TEXT NOT NULL, undone TEXT
)"""

#: Tables that schema 2 has and schema 1 has not; the columns are those of schema_1_to_2.sql.
_NEW = ("annotator", "assignment", "text", "rule", "look", "packed", "state_changed")
#: What the first files of schema 2 had not yet; it repeats other rows, and is made when it is missing.
_ARRAYS = ("packed", "state_changed")


def script(name: str = "schema.sql") -> str:
    """An SQL script of this folder; that of the name which is not given makes a new campaign."""
    return packaged_text(__package__, name)


@cache
def schema(version: int) -> Schema:
    """The schema of the campaigns of a version."""
    every = statements(script("schema_1.sql" if version == OLD else "schema.sql"))
    retraction = RETRACTION.replace("IF NOT EXISTS ", "")
    later = tuple(statement for statement in every if _created(statement) in _ARRAYS)
    return Schema(tuple(s for s in every if s not in later), (retraction, *later))


def _created(statement: str) -> str:
    return statement.split("(")[0].split()[2]


def lacks_arrays(connection: sqlite3.Connection) -> bool:
    """Whether the campaign was written before there were arrays beside the rows."""
    query = f"SELECT COUNT(*) FROM sqlite_master WHERE name IN {_ARRAYS!r}"
    return int(connection.execute(query).fetchone()[0]) < len(_ARRAYS)


def add_arrays(connection: sqlite3.Connection) -> None:
    """Make what the first files of schema 2 had not yet, inside an open transaction."""
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    for statement in statements(script()):
        if _created(statement) in _ARRAYS and _created(statement) not in there:
            connection.execute(statement)


def keep_copy(file: Path, connection: sqlite3.Connection) -> Path:
    """Write the campaign beside itself, or take the same copy that an interrupted command left."""
    for number in range(1, 100):
        copy = file.with_name(file.name + COPY + (f".{number}" if number > 1 else ""))
        with new_part(copy) as part:
            part.unlink(missing_ok=True)
            connection.execute("VACUUM INTO ?", (str(part),))
            if os.path.lexists(copy):
                if filecmp.cmp(part, copy, shallow=False):
                    return copy
                continue
            try:
                os.link(part, copy)
            except FileExistsError:
                continue
            except OSError:
                part.replace(copy)  # the file system has no links
        return copy
    raise InputError(f"{file}: 99 copies {file.name}{COPY}... exist; remove those that you do not need")


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the campaign to the present schema, inside an open transaction."""
    made = (statement for statement in statements(script()) if _created(statement) in _NEW)
    for statement in (*statements(script("schema_1_to_2.sql")), *made):
        connection.execute(statement)
    connection.execute(
        "INSERT INTO annotator (name, state, since) SELECT TRIM(worker), 'active', '' FROM judgment"
        " WHERE TRIM(worker) <> '' GROUP BY TRIM(worker) ORDER BY TRIM(worker)"
    )
    connection.execute(
        "UPDATE judgment SET annotator = (SELECT a.number FROM annotator a WHERE a.name = TRIM(worker))"
    )
    # Times were stored as they came; one that cannot be read stays unknown, as it was.
    rows = connection.execute("SELECT number, times FROM judgment").fetchall()
    found = [(*stored_times(json.loads(text)), number) for number, text in rows]
    connection.executemany("UPDATE judgment SET submitted = ?, seconds = ? WHERE number = ?", found)
    (text,) = connection.execute("SELECT value FROM setting WHERE name = 'about'").fetchone()
    stored = json.loads(text)
    if "design" not in stored:
        columns = stored["columns"]
        text_column = "sent" if "sent" in columns else columns[0] if columns else "id"
        stored["design"] = asdict(Design(text=text_column, on_repeat="both"))
        connection.execute("UPDATE setting SET value = ? WHERE name = 'about'", (json.dumps(stored),))
    connection.execute(f"PRAGMA user_version = {version}")


#: Seconds to wait for another command that is writing.
PATIENCE = 5.0
_BUSY = (
    f"another command is writing to this campaign (waited {PATIENCE:g} s); nothing was changed, run this again"
    " when it has finished"
)
#: "PPEA" in ASCII, and the version of the schema in schema.sql.
CAMPAIGN = DatabaseKind("campaign", 0x50504541, 2, _BUSY, schema, older=(OLD,))


class Store:
    """An open campaign file; make one with :func:`opened` or :func:`created`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.db = connection

    def value(self, query: str, parameters: Sequence[Any] = ()) -> Any:
        """The first cell that a query finds; None if it finds none."""
        row = self.db.execute(query, parameters).fetchone()
        return None if row is None else row[0]

    def insert(self, table: str, row: Mapping[str, Any]) -> int:
        """Insert a row, by its columns; its number."""
        query = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        return int(self.db.execute(query, tuple(row.values())).lastrowid or 0)


@contextmanager
def opened(path: str | Path, *, write: bool) -> Iterator[Store]:
    """Open a campaign for a `with` block: to write, as one transaction; to read, in one consistent state."""
    file = regular(path, f"a campaign ('pairproof easl init {path} ITEMS.csv' creates one)")
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
    """A connection to the campaign in the present schema: the file, after a copy of it, or one in memory."""
    brought = connection
    if not write:
        brought = sqlite3.connect(":memory:", isolation_level=None)
        connection.backup(brought)
        connection.close()
    elif version == OLD:
        keep_copy(file, connection)
    brought.execute("BEGIN IMMEDIATE")
    _bring(file, brought)
    brought.execute("COMMIT")
    return brought


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
    cure = "choose another name, or remove the file"
    return InputError(f"{path}: already exists; a campaign is created only once: {cure}")
