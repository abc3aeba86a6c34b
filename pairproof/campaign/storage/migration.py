"""Brings a campaign of schema 1 to schema 2.

Reading such a campaign writes nothing: it is migrated in memory.  The first command that writes leaves a copy
beside it, `C.db.schema1`, and then migrates it in one transaction.  What counted before counts after: answers
that one annotator gave twice to one HIT stay counted (`on_repeat` is "both") until `easl repeats` is asked.
"""

from __future__ import annotations

import filecmp
import json
import os
import sqlite3
from pathlib import Path

from ...errors import InputError
from ...files.outputs import new_part
from .design import Design
from .times import stored_times

#: The first schema, and the end of the name of the copy of a campaign that had it.
OLD = 1
COPY = ".schema1"

#: What schema 2 has and schema 1 has not; the tables are those of schema.sql.
_ADDED = (
    ("item", "role TEXT NOT NULL DEFAULT 'item'"),
    ("item", "of INTEGER"),
    ("item", "source TEXT NOT NULL DEFAULT ''"),
    ("item", "system TEXT NOT NULL DEFAULT ''"),
    ("item", "gold REAL"),
    ("hit", "kind TEXT NOT NULL DEFAULT 'work'"),
    ("hit", "plan TEXT"),
    ("judgment", "annotator INTEGER REFERENCES annotator (number)"),
    ("judgment", "submitted REAL"),
    ("judgment", "seconds REAL"),
    ("judgment", "counted INTEGER NOT NULL DEFAULT 1"),
    ("judgment", "why TEXT NOT NULL DEFAULT ''"),
    ("judgment", "repeat_of INTEGER"),
    ("score", "kind TEXT NOT NULL DEFAULT 'item'"),
)
_NEW = ("annotator", "assignment", "text", "rule", "look", "packed", "state_changed")


def keep_copy(file: Path, connection: sqlite3.Connection) -> Path:
    """Write the campaign as it is beside itself, under a name that nothing has yet.

    A copy of the same content that an interrupted command left is used again.

    Raises
    ------
    InputError
        Too many copies are there.
    """
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
    raise InputError(f"{file}: 99 copies {file.name}{COPY}... are there; remove those that you do not need")


def migrate(connection: sqlite3.Connection, schema: str, version: int) -> None:
    """Bring the campaign to the present schema, inside an open transaction."""
    for table, column in _ADDED:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    for statement in _statements(schema):
        if statement.split("(")[0].split()[2] in _NEW:
            connection.execute(statement)
    _annotators(connection)
    _times(connection)
    (text,) = connection.execute("SELECT value FROM setting WHERE name = 'about'").fetchone()
    stored = json.loads(text)
    if "design" not in stored:
        columns = stored["columns"]
        design = Design(
            text="sent" if "sent" in columns else columns[0] if columns else "id", on_repeat="both"
        )
        stored["design"] = design.to_dict()
        connection.execute("UPDATE setting SET value = ? WHERE name = 'about'", (json.dumps(stored),))
    connection.execute(f"PRAGMA user_version = {version}")


def _statements(schema: str) -> list[str]:
    found, begun = [], ""
    for line in schema.splitlines():
        begun += line.split("--")[0] + "\n"
        if sqlite3.complete_statement(begun):
            found.append(begun.strip())
            begun = ""
    return found


def _annotators(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO annotator (name, state, since) SELECT TRIM(worker), 'active', '' FROM judgment"
        " WHERE TRIM(worker) <> '' GROUP BY TRIM(worker) ORDER BY TRIM(worker)"
    )
    connection.execute(
        "UPDATE judgment SET annotator = (SELECT a.number FROM annotator a WHERE a.name = TRIM(worker))"
    )


def _times(connection: sqlite3.Connection) -> None:
    """Read the times that were stored as they came; one that cannot be read stays unknown, as it was."""
    rows = connection.execute("SELECT number, times FROM judgment").fetchall()
    found = [(*stored_times(json.loads(text)), number) for number, text in rows]
    connection.executemany("UPDATE judgment SET submitted = ?, seconds = ? WHERE number = ?", found)
