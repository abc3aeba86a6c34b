"""SQLite files of pairproof: their kind, schema and integrity, and SQLite's errors as messages that say what to do.

Every kind has an application id of its own (PRAGMA application_id) and a version of its schema (PRAGMA
user_version); both stand in the file's header, so that another program's database is never taken for ours.

A schema is more than a description: a trigger runs when a row is written, a view when it is read, a CHECK, a
DEFAULT or a generated column whenever a row is touched.  So a file is used only if its schema is, statement by
statement, the one that pairproof wrote; anything else in it is named, before any table of the file is read.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, PairproofError
from ..text import quoted

#: Parts of an SQL statement; comments and blanks say nothing.
_PARTS = re.compile(r"--[^\n]*|/\*.*?\*/|\s+|'(?:[^']|'')*'|\"\w+\"|\w+|.", re.DOTALL)
#: What SQLite's ANALYZE leaves, which tools for databases run unasked; it only guides the order of a search.
_STATISTICS = (
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
)
#: Most parts of a schema that are looked at; ours has 16.
_MOST_PARTS = 200


@dataclass(frozen=True)
class Schema:
    """The statements that make the schema of a file."""

    needed: tuple[str, ...]
    also: tuple[str, ...] = ()

    def foreign(self, found: Iterable[tuple[str, str, str, str | None]]) -> list[str]:
        """What a file's schema has and this one has not, or the other way round, each in words."""
        parts = {_named(sql): _words(sql) for sql in (*_STATISTICS, *self.also, *self.needed)}
        missing = {_named(sql) for sql in self.needed}
        said = []
        for kind, name, table, sql in found:
            key = (str(kind).casefold(), str(name).casefold())
            if sql is None and key[0] == "index" and key[1].startswith("sqlite_autoindex_"):
                continue  # SQLite's own, of PRIMARY KEY and UNIQUE
            words = _words(sql) if isinstance(sql, str) else []
            if key not in parts:
                said.append(_stranger(*key, quoted(name, 40), quoted(table, 40), words))
            elif words != parts[key]:
                said.append(f"{key[0]} {quoted(name, 40)} {_difference(words, parts[key])}")
            missing.discard(key)
        return said + [f"no {kind} {name!r}" for kind, name in sorted(missing)]


def statements(script: str) -> tuple[str, ...]:
    """The statements of an SQL script, without comments, in their order."""
    found, begun = [], ""
    for line in script.splitlines():
        begun += line.split("--")[0] + "\n"
        if sqlite3.complete_statement(begun):
            found.append(begun.strip())
            begun = ""
    return tuple(found)


def _words(sql: str) -> list[str]:
    """A statement's words without comments and blanks; letters count as SQLite takes them, and quotes of names
    that need none, which tools add, are taken off.
    """
    parts = _PARTS.findall(sql.strip().removesuffix(";"))
    told = (part for part in parts if not part.isspace() and not part.startswith(("--", "/*")))
    bare = (part.strip('"') if len(part) > 1 and part[0] != "'" else part for part in told)
    return [part if part.startswith("'") else part.casefold() for part in bare]


def _named(sql: str) -> tuple[str, str]:
    """The type and the name of what a CREATE statement creates."""
    kind, name = _words(sql)[1:3]
    return kind, name


def _stranger(kind: str, name: str, shown: str, table: str, words: list[str]) -> str:
    if kind == "table" and words[1:2] == ["virtual"]:
        return f"virtual table {shown}"
    if kind in ("trigger", "index"):
        return f"{kind} {shown} on {table}"
    return f"{kind if kind in ('table', 'view') else 'object'} {shown}"


def _difference(found: list[str], ours: list[str]) -> str:
    """Where a statement begins to differ from ours."""
    shorter = min(len(found), len(ours))
    at = next((k for k, (a, b) in enumerate(zip(found, ours)) if a != b), shorter)
    tail = next((k for k, (a, b) in enumerate(zip(found[::-1], ours[::-1])) if a != b), shorter)
    tail = min(tail, shorter - at)

    def part(words: list[str]) -> str:
        own = " ".join(words[at : len(words) - tail])
        return quoted(own, 60) if own else "nothing"

    before = " ".join(ours[max(at - 3, 0) : at])
    return f"has {part(found)} after {before!r} where pairproof writes {part(ours)}"


@dataclass(frozen=True)
class DatabaseKind:
    """A kind of database file."""

    name: str
    application: int
    version: int
    in_use: str
    schema: Callable[[int], Schema]
    remedy: str = "restore a copy of it"
    older: tuple[int, ...] = ()

    def stamp(self, connection: sqlite3.Connection) -> None:
        """Write the kind and the version into the header of a new database."""
        connection.execute(f"PRAGMA application_id = {self.application}")
        connection.execute(f"PRAGMA user_version = {self.version}")

    def check(self, file: Path, connection: sqlite3.Connection) -> int:
        """Refuse a database of another kind, of another version, with a schema that is not ours, or damaged.

        Nothing that the file's own schema says has run before that is known.
        """
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if application != self.application:
            ids = f"application id {application:#x}, expected {self.application:#x}"
            raise InputError(
                f"{file}: an SQLite database, but not a {self.name} of pairproof ({ids}); check the name"
            )
        if version > self.version:
            newer = f"schema {version}; this version supports {self.version}"
            raise InputError(f"{file}: written by a newer pairproof ({newer}); install that version")
        if version != self.version and version not in self.older:
            raise InputError(
                f"{file}: schema {version}, expected {self.version}; the file is damaged or of an older pairproof: {self.remedy}"
            )
        self._check_schema(file, connection, version)
        said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            raise InputError(
                f"{file}: the database is damaged ({' '.join(str(said).split())}); {self.remedy}, nothing was"
                " changed"
            )
        return version

    def _check_schema(self, file: Path, connection: sqlite3.Connection, version: int) -> None:
        """Refuse a schema that differs from the one of its version, and name what is foreign in it."""
        rows = connection.execute(
            f"SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name LIMIT {_MOST_PARTS}"
        ).fetchall()
        foreign = self.schema(version).foreign(rows)
        if foreign:
            raise InputError(
                f"{file}: its schema is not the one that pairproof writes: {'; '.join(foreign[:8])}"
                f"{f'; and {len(foreign) - 8} more' if len(foreign) > 8 else ''}. Such a file can change or"
                f" stop computations, so nothing in it was read or changed: {self.remedy}, or ask its author"
            )

    @contextmanager
    def errors_explained(self, file: Path) -> Iterator[None]:
        """Turn SQLite's errors in the block into ours; the transaction that failed has been undone."""
        try:
            yield
        except sqlite3.OperationalError as error:
            text = str(error)
            if "locked" in text or "busy" in text:
                raise InputError(f"{file}: {self.in_use}") from error
            if "full" in text or "disk I/O" in text:
                raise PairproofError(
                    f"{file}: the disk is full or failing ({text}); nothing was changed; free some"
                    " space and run this again"
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
