"""The SQLite file in which a learning-curve experiment stores its results.

Every result is written in its own transaction before the next one is computed, so a run that is killed loses
at most the result that it was computing.  The file is locked for as long as a run works on it
(https://www.sqlite.org/pragma.html#pragma_locking_mode); a second run is refused at once.
"""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DataWarning, InputError
from ...files.database import DatabaseKind, Schema
from ...files.outputs import check
from ..irt.note import Note
from .summary import Result

Key = tuple[str, str, int, int]

#: One column for each field of a result; `notes` is a JSON list of [kind, text], `bits` and `sizes` are
#: little-endian doubles.
_SCHEMA = (
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE result (
        track TEXT, model TEXT, train_size INTEGER, trial INTEGER, perplexity REAL, n_train INTEGER,
        test_size INTEGER, impossible INTEGER, unseen INTEGER, notes TEXT, bits BLOB, sizes BLOB,
        PRIMARY KEY (track, model, train_size, trial))""",
)
#: "PPLC" in ASCII. Version 4: 1 and 2 were files of JSON lines, 3 had no kinds of notes.
STATE = DatabaseKind(
    "state of a learning-curve experiment",
    0x50504C43,
    4,
    "another process works on this state; wait for it, or name another file",
    lambda version: Schema(_SCHEMA),
    "name another file, or remove it: what it held is computed again",
)
_COLUMNS = [f.name for f in fields(Result)]
_SQLITE, _JSON_LINES = b"SQLite format 3\0", b'{"pairproof": "learning-curve"'


class State:
    """The results of an experiment, and the open database they are kept in (None: they are not kept).

    done: what the file held when it was opened.
    """

    def __init__(self, path: Path | None = None, connection: sqlite3.Connection | None = None) -> None:
        self._path, self._db = path, connection
        rows = (
            connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM result") if connection is not None else ()
        )
        results = [self._result(row) for row in rows]
        self.done: dict[Key, Result] = {r.key: r for r in results}

    def write(self, result: Result) -> None:
        """Keep a result."""
        if self._db is None or self._path is None:
            return
        *numbers, notes, bits, sizes = astuple(result)
        blobs = [np.array(values, "<f8").tobytes() for values in (bits, sizes)]
        places = ", ".join("?" * len(_COLUMNS))
        with STATE.errors_explained(self._path):
            self._db.execute(f"INSERT INTO result VALUES ({places})", (*numbers, json.dumps(notes), *blobs))

    def _result(self, row: tuple[Any, ...]) -> Result:
        values = dict(zip(_COLUMNS, row))
        try:
            values["notes"] = tuple(Note(*note) for note in json.loads(values["notes"]))
            for name in ("bits", "sizes"):
                values[name] = tuple(np.frombuffer(values[name], "<f8").tolist())
            return Result(**values)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{self._path}: the result of {', '.join(map(str, row[:4]))} cannot be read ({error}); the file"
                f" is damaged: {STATE.remedy}"
            ) from error


@contextmanager
def opened(path: Path | None, settings: Mapping[str, Any]) -> Iterator[State]:
    """The state in a file, made if there is none; locked until the end of the block.

    path: none: nothing is kept.  settings: seed, options and data of the experiment; an old file must have
    been made with the same.
    """
    if path is None:
        yield State()
        return
    check(path, force=True, again=True)
    _check_head(path)
    with STATE.errors_explained(path):
        connection = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    with closing(connection):
        with STATE.errors_explained(path):
            # The lock that the first transaction takes is kept until the connection is closed.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            if path.stat().st_size == 0:
                _create(connection, settings)
            connection.execute("COMMIT")
            STATE.check(path, connection)
            _check_settings(path, dict(connection.execute("SELECT name, value FROM setting")), settings)
            state = State(path, connection)
        yield state


def _check_head(file: Path) -> None:
    """Refuse a file that is no SQLite database before SQLite opens it; an empty one will be a new state."""
    head = b""
    if file.exists():
        with file.open("rb") as opened_file:
            head = opened_file.read(len(_JSON_LINES))
    if head.startswith(_JSON_LINES):
        raise InputError(
            f"{file}: a state in JSON lines, as pairproof kept it before; states are SQLite databases now."
            " Name another file: what this one holds is computed again"
        )
    if head and not head.startswith(_SQLITE):
        raise InputError(f"{file}: holds {head[:20]!r}..., which is no {STATE.name}; name another file")


def _create(connection: sqlite3.Connection, settings: Mapping[str, Any]) -> None:
    STATE.stamp(connection)
    for statement in _SCHEMA:
        connection.execute(statement)
    values = {**settings, "numpy": np.__version__}
    connection.executemany(
        "INSERT INTO setting VALUES (?, ?)", [(name, json.dumps(value)) for name, value in values.items()]
    )


def _check_settings(file: Path, found: Mapping[str, str], expected: Mapping[str, Any]) -> None:
    """The experiment of the file must be this one; another version of numpy is only warned of."""
    # What only the file states, such as clusters, was not asked for now.
    asked = {**dict.fromkeys(set(found) - {"numpy"}), **expected}
    for name, value in asked.items():
        if found.get(name) != json.dumps(value):
            what = "other data" if name == "tracks" else f"{name} {found.get(name)}, not {json.dumps(value)}"
            raise InputError(
                f"{file}: is the state of an experiment with {what}; continue that one, or name another file"
                " for this one"
            )
    version = json.loads(found.get("numpy", "null"))
    if version != np.__version__:
        warnings.warn(
            f"{file}: was begun with numpy {version}, this is {np.__version__}; what is added now may differ in"
            " random draws from what that version would have given",
            DataWarning,
            stacklevel=5,
        )
