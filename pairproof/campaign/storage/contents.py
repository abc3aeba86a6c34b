"""Checks the rows of a campaign when it is opened: a file that somebody sent is data, and may be damaged.

SQLite keeps any kind of value in any column, and a text that should be JSON may be anything.  What pairproof
writes is narrower, and everything that reads a campaign counts on it: each cell has its type and range, each
JSON text its form, each row that is named is there, the score of an answer is the one that its text gives, the
state of an item is that of its scores (ra and trueskill, where each depends on all before: their number alone), and
the arrays that repeat the rows (storage/packed.py) repeat them.  One pass over the file checks all of this, so
that no command ends in the middle, or takes memory for a number that no row stands for.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from ...errors import InputError
from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.methods import ADDITIVE
from ...text import quoted, shortened
from .design import KINDS, ROLES, State

_CURE = "The file is damaged, or was edited by hand: restore a copy of it; nothing was changed"


class _Column(NamedTuple):
    """A column, the SQL condition that its cells meet, and what that means."""

    name: str
    condition: str
    expected: str


def _table(key: str, *columns: Iterable[_Column]) -> tuple[tuple[str, ...], tuple[_Column, ...]]:
    """What names a row, and the columns."""
    return tuple(key.split()), tuple(chain.from_iterable(columns))


def _text(*names: str) -> tuple[_Column, ...]:
    return tuple(_Column(name, f"typeof({name}) = 'text'", "a text") for name in names)


def _or_none(columns: Sequence[_Column]) -> tuple[_Column, ...]:
    return tuple(
        _Column(c.name, f"{c.name} IS NULL OR {c.condition}", f"{c.expected}, or nothing") for c in columns
    )


def _one_of(name: str, words: Sequence[str]) -> tuple[_Column]:
    return (_Column(name, f"{name} IN ({', '.join(map(repr, words))})", f"one of {', '.join(words)}"),)


def _whole(*names: str, least: int = 0) -> tuple[_Column, ...]:
    expected = f"a whole number of at least {least}"
    return tuple(_Column(n, f"typeof({n}) = 'integer' AND {n} >= {least}", expected) for n in names)


def _number_or_none(name: str, low: float = -1e300, high: float = 1e300) -> tuple[_Column]:
    within = f"typeof({name}) IN ('real', 'integer') AND {name} BETWEEN {low!r} AND {high!r}"
    span = f" from {low:g} to {high:g}" if high < 1e300 else ""
    return (_Column(name, f"{name} IS NULL OR {within}", f"a number{span}, or nothing"),)


#: An item that another one degrades.
_OF = _Column(
    "of",
    "(role = 'degraded') = (of IS NOT NULL) AND (of IS NULL OR typeof(of) = 'integer' AND of >= 0 AND of < :n AND"
    " of <> position)",
    "the position of another item where the role is degraded, and nothing elsewhere",
)
_POSITION = _Column("position", "position >= 0 AND position < :n", "the items to be numbered from 0")
_NUMBERS_OF_ITEM = chain.from_iterable(map(_number_or_none, ("a0", "b0", "a", "b")))
_PURPOSE = _one_of("kind", ("work", "qualification", "calibration"))
_GIVEN = _one_of("state", ("open", "returned", "expired", "withdrawn"))
_BOTH = _Column("hit", "(batch IS NULL) = (hit IS NULL)", "a batch and a HIT, or neither")
_JUDGMENT = ("identity", "hit_id", "assignment", "worker", "times", "why")
#: Table -> what names a row, and the columns.  :n is the number of items.
_TABLES: dict[str, tuple[tuple[str, ...], tuple[_Column, ...]]] = {
    "setting": _table("name", _text("name", "value")),
    "item": _table(
        *("position", [_POSITION], _text("id", "fields", "source", "system"), _NUMBERS_OF_ITEM),
        *(_whole("n0", "n"), _one_of("role", ROLES), [_OF], _number_or_none("gold", 0.0, 1.0)),
    ),
    "packed": _table("name", _text("name"), [_Column("content", "typeof(content) = 'blob'", "bytes")]),
    "batch": _table("number", _whole("number", "hits"), _text("opened")),
    "hit": _table(
        "batch number", _whole("batch", "number"), _text("items"), _PURPOSE, _or_none(_text("plan"))
    ),
    "annotator": _table(
        *("number", _text("name", "since", "why"), _or_none(_text("token"))),
        _one_of("state", get_args(State)),
    ),
    "assignment": _table(
        *("annotator batch hit", _whole("annotator", "batch", "hit", "place"), _text("given", "shown")),
        *(_or_none(_text("due")), _GIVEN),
    ),
    "received": _table("number", _text("name", "sha256", "taken"), _whole("rows", "new")),
    "judgment": _table(
        *("number", _text(*_JUDGMENT), _or_none(_whole("batch", "hit", "annotator", "repeat_of"))),
        *(_whole("received", "row"), [_BOTH], _number_or_none("submitted"), _number_or_none("seconds", 0.0)),
        [_Column("counted", "counted IN (0, 1)", "0 or 1")],
    ),
    "score": _table(
        *("judgment slot", _whole("judgment", "item"), _whole("slot", least=1)),
        *(_number_or_none("value", 0.0, 1.0), _text("raw"), _one_of("kind", KINDS)),
    ),
    "text": _table("name lang", _text("name", "lang", "dir", "body")),
    "rule": _table("number", _text("name", "value", "fixed"), _whole("after_judgments")),
    "look": _table("number", _text("at", "rule", "answer"), _whole("judgments")),
    "retraction": _table("number", _text("at", "why", "identity", "judgment"), _or_none(_text("undone"))),
}


def check_contents(file: Path, db: sqlite3.Connection) -> None:
    """Refuse a campaign with a cell, a JSON text or a reference that pairproof does not write."""
    _Check(file, db).run()


class _Check:
    """A campaign that is being checked."""

    def __init__(self, file: Path, db: sqlite3.Connection) -> None:
        self.file, self.db = file, db
        self.items = int(db.execute("SELECT COUNT(*) FROM item").fetchone()[0])
        there = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self.tables = {name for (name,) in there} & set(_TABLES)

    def run(self) -> None:
        if not self.items:
            raise self._wrong("item", (), "", "no row", "at least one item")
        for table in sorted(self.tables):
            self._cells(table)
        self._references()
        self._answers()
        self._json()
        self._states()
        self._packed()

    def _wrong(self, table: str, key: Sequence[Any], column: str, found: str, expected: str) -> InputError:
        row = ", ".join(f"{name} {quoted(value, 40)}" for name, value in zip(_TABLES[table][0], key))
        place = f", row {row}" if row else ""
        place += f", column {column!r}" if column else ""
        return InputError(f"{self.file}, table {table!r}{place}: {found}; expected {expected}. {_CURE}")

    # -- cells -----------------------------------------------------------------------------------------------

    def _cells(self, table: str) -> None:
        """Check the type and range of every cell of a table, in one search that SQLite makes."""
        key, columns = _TABLES[table]
        met = [f"COALESCE({column.condition}, 0)" for column in columns]
        which = " ".join(f"WHEN NOT {condition} THEN {k}" for k, condition in enumerate(met))
        what = f"{', '.join(key)}, CASE {which} END"
        query = f"SELECT {what} FROM {table} WHERE NOT ({' AND '.join(met)}) LIMIT 1"
        bound = {"n": self.items} if table == "item" else {}
        found = self.db.execute(query, bound).fetchone()
        if found is None:
            return
        column = columns[found[-1]]
        places = " AND ".join(f"{name} IS ?" for name in key)
        (cell,) = self.db.execute(f"SELECT {column.name} FROM {table} WHERE {places}", found[:-1]).fetchone()
        raise self._wrong(table, found[:-1], column.name, quoted(cell), column.expected)

    def _references(self) -> None:
        """Check that what a row names is there."""
        query = 'SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1'
        found = self.db.execute(query).fetchone()
        if found is not None:
            table, parent = found
            raise self._wrong(table, (), "", f"a row refers to a missing row of table {parent!r}", "it")
        for table in ("judgment", "assignment"):
            key = ", ".join(_TABLES[table][0])
            row = self.db.execute(
                f"SELECT {key} FROM {table} j WHERE j.batch IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hit h"
                " WHERE h.batch = j.batch AND h.number = j.hit) LIMIT 1"
            ).fetchone()
            if row is not None:
                lost = "a HIT that is not in the table 'hit'"
                raise self._wrong(table, row, "hit", lost, "a HIT of the campaign")

    def _answers(self) -> None:
        """Check that each score is the one that its answer gives, to the last digit."""
        rows = self.db.execute(
            "SELECT judgment, slot, value, raw FROM score WHERE value IS NOT NULL AND"
            " (CAST(raw AS REAL) / 100.0 <> value OR raw NOT GLOB '*[0-9]*')"
        )
        for judgment, slot, value, raw in rows:
            given = score_of(raw)
            if given != value:  # SQLite reads a long number less exactly than Python
                says = f"gives {given!r}" if given is not None else "is not a score from 0 to 100"
                raise self._wrong(
                    "score", (judgment, slot), "value", f"{value!r}, but the original answer, {quoted(raw, 40)}, {says}",
                    "the score of the answer",
                )  # fmt: skip

    def _states(self) -> None:
        """Check that the state of each item is what its scores make of the state at the start."""
        (about,) = self.db.execute("SELECT value FROM setting WHERE name = 'about'").fetchone()
        method = json.loads(about).get("method")
        rows = self.db.execute(
            "SELECT position, a0, b0, n0, a, b, n, COALESCE(k, 0), COALESCE(t, 0.0) FROM item LEFT JOIN"
            " (SELECT s.item, COUNT(*) k, SUM(s.value) t FROM score s JOIN judgment j ON j.number = s.judgment"
            " WHERE j.counted AND s.kind = 'item' AND s.value IS NOT NULL GROUP BY s.item) ON item = position"
        )
        for position, a0, b0, n0, a, b, n, k, total in rows:
            if k == 0:
                due = {"a": a0, "b": b0}
            elif method == "da":
                due = {"a": ((a0 or 0.0) * n0 + total) / (n0 + k)}
            else:
                due = {"a": a0 + total, "b": b0 + k - total} if method in ADDITIVE else {}
            for name, found in (("n", n), ("a", a), ("b", b)):
                given = n0 + k if name == "n" else due.get(name, found)
                if not (found == given or (k and _near(found, given))):
                    raise self._wrong(
                        "item", (position,), name, f"{found!r}, but the {k} scores that count give {given!r}",
                        "the value computed from the scores",
                    )  # fmt: skip

    # -- JSON ------------------------------------------------------------------------------------------------

    def _json(self) -> None:
        fields = self._about()
        hits: dict[tuple[Any, ...], Any] = {}

        def cells(value: Any, _: object) -> bool:
            return _texts(value) and len(value) == fields

        def positions(value: Any, key: tuple[Any, ...]) -> bool:
            hits[key] = value
            return self._positions(value)

        def plan(value: Any, key: tuple[Any, ...]) -> bool:
            return isinstance(value, list) and len(value) == len(hits[key]) and all(k in KINDS for k in value)

        def shown(value: Any, key: tuple[Any, ...]) -> bool:
            return _wholes(value) and sorted(value) == list(range(1, len(hits[key[1:]]) + 1))

        every = f"a list of positions of items, 0 to {self.items - 1}"
        kinds = f"a list that names one of {', '.join(KINDS)} for each item of the HIT"
        self._each("item", "fields", cells, f"a list of {fields} texts")
        self._each("hit", "items", positions, every)
        self._each("hit", "plan", plan, kinds)
        self._each("assignment", "shown", shown, "a list with each slot of the HIT once")
        self._each("judgment", "times", lambda v, _: _texts_by_name(v), "an object of texts")
        self._each("rule", "value", lambda v, _: True, "a JSON value")
        self._each("look", "answer", lambda v, _: isinstance(v, dict), "a JSON object")
        self._each("text", "body", _texts_of_page, "as `easl texts` stores it", _JSON_TEXTS)
        if "retraction" in self.tables:
            self._each("retraction", "judgment", self._retracted, "a judgment with its scores")

    def _each(
        self, table: str, column: str, good: Callable[[Any, Any], bool], expected: str, where: str = "1"
    ) -> None:
        """Parse a column of JSON texts and check each value, by the name of its row."""
        key = _TABLES[table][0]
        rows = self.db.execute(
            f"SELECT {', '.join(key)}, {column} FROM {table} WHERE {column} IS NOT NULL AND {where}"
        ).fetchall()
        values = _parsed(rows)
        for k, row in enumerate(rows):
            own = row[:-1]
            value = values[k] if values is not None else self._value(table, own, column, row[-1], expected)
            if not good(value, own):
                raise self._wrong(table, own, column, shortened(row[-1]), expected)

    def _value(self, table: str, key: tuple[Any, ...], column: str, text: str, expected: str) -> Any:
        try:
            return json.loads(text, parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            why = "nested too deep" if isinstance(error, RecursionError) else shortened(str(error))
            found = f"{quoted(text, 40)} is not JSON ({why})"
            raise self._wrong(table, key, column, found, expected) from None

    def _positions(self, value: Any) -> bool:
        return _wholes(value) and bool(value) and all(0 <= k < self.items for k in value)

    def _about(self) -> int:
        """Check the settings; the number of columns of the items file."""
        rows = dict(self.db.execute("SELECT name, value FROM setting").fetchall())
        text = rows.get("about")
        if text is None:
            raise self._wrong("setting", (), "", "no row 'about'", "the settings of the campaign")
        stored = self._value("setting", ("about",), "value", text, "the settings of the campaign")
        columns: Any = stored.get("columns") if isinstance(stored, dict) else None
        if not _texts(columns):
            expected = "settings with the list 'columns'"
            raise self._wrong("setting", ("about",), "value", shortened(text), expected)
        for name, value in rows.items():
            what, of, number = name.partition(" of batch ")
            if of and what in ("judgments", "tokens") and not (_digits(value) and _digits(number)):
                raise self._wrong("setting", (name,), "value", quoted(value), "whole numbers")
        return len(columns)

    def _retracted(self, value: Any, _: object) -> bool:
        if not isinstance(value, dict) or not isinstance(value.get("scores"), list):
            return False
        texts = ("identity", "hit_id", "assignment", "worker", "times")
        wholes = ("batch", "hit", "received", "row")
        try:
            return (
                _texts([value[name] for name in texts])
                and _wholes([value[name] for name in wholes if value[name] is not None])
                and _texts_by_name(json.loads(value["times"]))
                and all(self._retracted_score(*score) for score in value["scores"])
            )
        except (KeyError, TypeError, ValueError, RecursionError):
            return False

    def _retracted_score(self, slot: Any, item: Any, value: Any, raw: Any) -> bool:
        return self._positions([item]) and _wholes([slot]) and (value is None or score_of(raw) == value)

    # -- arrays ----------------------------------------------------------------------------------------------

    def _packed(self) -> None:
        """Check that the arrays repeat the rows."""
        state, roles = packed_parts(self.db, self.items)
        rows = self.db.execute("SELECT a, b, n, role FROM item ORDER BY position").fetchall()
        numbers = np.array([row[:3] for row in rows], np.float64)
        if state is not None and not np.array_equal(numbers, np.stack(state, axis=1), equal_nan=True):
            other = "numbers that differ from the rows of 'item'"
            raise self._wrong("packed", ("state",), "content", other, "the same")
        if roles is not None and [ROLES.index(role) for *_, role in rows] != roles.tolist():
            other = "roles that differ from the rows of 'item'"
            raise self._wrong("packed", ("roles",), "content", other, "the same")


def _near(found: float | None, given: float | None) -> bool:
    """Equal but for the rounding of sums."""
    return found is not None and given is not None and math.isclose(found, given, rel_tol=1e-9, abs_tol=1e-9)


def score_of(raw: str) -> float | None:
    """The score, 0 to 1, that an answer gives as it came; None if it is no score."""
    try:
        value = float(raw) / 100.0
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def _parsed(rows: Sequence[tuple[Any, ...]]) -> list[Any] | None:
    """The JSON texts in the last column; None if one of them is not JSON."""
    try:
        values = json.loads(f"[{','.join(row[-1] for row in rows)}]", parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return values if len(values) == len(rows) else None


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _texts_by_name(value: Any) -> bool:
    return isinstance(value, dict) and _texts([*value.values()])


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(cell, str) for cell in value)


def _wholes(value: Any) -> bool:
    return isinstance(value, list) and all(type(cell) is int and abs(cell) < 2**63 for cell in value)


#: Texts of the page whose body is JSON.
_JSON_TEXTS = "name IN ('anchors', 'examples', 'words') AND body <> ''"


def _texts_of_page(value: Any, key: tuple[Any, ...]) -> bool:
    if key[0] == "words":
        return _texts_by_name(value)
    size, at = (2, 0) if key[0] == "anchors" else (3, 1)
    return isinstance(value, list) and all(
        isinstance(row, list)
        and len(row) == size
        and isinstance(row[at], (int, float))
        and _texts(row[:at] + row[at + 1 :])
        for row in value
    )


# -- the arrays of all items ---------------------------------------------------------------------------------

#: Bytes of an item's state: two floats and a whole number, as arrays one after the other, little-endian.
_BYTES = 24
PackedState = tuple[FloatArray, FloatArray, IntArray]


def packed_parts(db: sqlite3.Connection, items: int) -> tuple[PackedState | None, IntArray | None]:
    """The state and the roles of so many items as arrays, each None where it has to be read row by row."""
    content = dict(db.execute("SELECT name, content FROM packed WHERE name IN ('state', 'roles')"))
    return _state(content.get("state"), items), _roles(content.get("roles"), items)


def _state(content: bytes | None, n: int) -> PackedState | None:
    if content is None or len(content) != n * _BYTES:
        return None
    a, b = (np.frombuffer(content, "<f8", n, at).astype(np.float64) for at in (0, 8 * n))
    return a, b, np.frombuffer(content, "<i8", n, 16 * n).astype(np.int64)


def _roles(content: bytes | None, n: int) -> IntArray | None:
    return None if content is None or len(content) != n else np.frombuffer(content, np.uint8).astype(np.int64)
