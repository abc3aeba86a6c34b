"""Takes judgments back: the scores are then as if a judgment had never come, a record of it is kept, and it can
be brought back.

Scores of ra and trueskill depend on the order of all judgments, so they are counted anew from the start; for
every method the state is the one the same judgments without this one give, to the last bit.  A judgment that
was taken back and comes again with the same answers (Mechanical Turk's files hold all results so far) stays
out; with other answers it is a correction, and is taken.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from .batch import now
from .records import JUDGMENT, about, insert_judgment, recount_all
from .store import Store, opened

#: Made when the first judgment is taken back; a campaign without it is one of which none was.  In full (JSON:
#: judgment's columns, and scores as slot, item, value, raw); `undone` is when it was brought back, NULL while
#: it is out.
TABLE = """CREATE TABLE IF NOT EXISTS retraction (
    number INTEGER PRIMARY KEY, at TEXT NOT NULL, why TEXT NOT NULL, identity TEXT NOT NULL, judgment TEXT NOT NULL, undone TEXT
)"""


@dataclass(frozen=True)
class Retraction:
    """A judgment that was taken back.

    Attributes
    ----------
    number : int
        From 1, for `undo`.
    at : str
        Date and time in UTC.
    why : str
    identity, assignment, worker : str
    batch, hit : int or None
        None: a HIT of an older tool.
    raw : tuple of str
        The scores as they came.
    results : str
        Name of the results file it came in.
    undone : str or None
        When it was brought back; None: it is out.
    """

    number: int
    at: str
    why: str
    identity: str
    assignment: str
    worker: str
    batch: int | None
    hit: int | None
    raw: tuple[str, ...]
    results: str
    undone: str | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def take_back(
    path: str | Path,
    why: str,
    *,
    assignments: Sequence[str] = (),
    worker: str | None = None,
    batch: int | None = None,
    hit: int | None = None,
    results: str | None = None,
    row: int | None = None,
    every: bool = False,
) -> tuple[Retraction, ...]:
    """Take judgments back, in one transaction.

    Parameters
    ----------
    path : path
        Of the campaign.
    why : str
        Kept with the record.
    assignments : sequence of str
        AssignmentIds; each must be there.
    worker : str, optional
    batch, hit : int, optional
    results : str, optional
        Name or SHA-256 of the results file in which it came.
    row : int, optional
        Of that file, from 1 below the header.
    every : bool
        Take all that match; otherwise exactly one must, or one for each of `assignments`.

    Returns
    -------
    tuple of Retraction

    Raises
    ------
    InputError
        No reason, nothing to choose by, nothing that matches, or more than one judgment without `every`;
        nothing has changed then.
    """
    if not why.strip():
        raise InputError(
            "a judgment is taken back for a reason, which is kept with it; state one (--why TEXT)"
        )
    if row is not None and results is None:
        raise InputError(f"row {row} is of a results file; name the file too (--results NAME)")
    wanted: list[tuple[str, Any]] = []
    if assignments:
        wanted.append((f"j.assignment IN ({', '.join('?' * len(assignments))})", tuple(assignments)))
    wanted += [
        (f"j.{name} = ?", (value,))
        for name, value in (("worker", worker), ("batch", batch), ("hit", hit), ("row", row))
        if value is not None
    ]
    if results is not None:
        wanted.append(("(r.name = ? OR r.sha256 = ?)", (Path(results).name, results.lower())))
    if not wanted:
        raise InputError(
            "nothing says which judgment; choose by assignment, worker, batch, hit, results or row"
        )
    with opened(path, write=True) as store:
        condition, values = " AND ".join(text for text, _ in wanted), [v for _, some in wanted for v in some]
        query = (
            "SELECT j.number, j.assignment FROM judgment j JOIN received r ON r.number = j.received "
            f"WHERE {condition} ORDER BY j.number"
        )
        found = store.db.execute(query, values).fetchall()
        _check_found(store, [a for _, a in found], assignments, every)
        store.db.execute(TABLE)
        made = [_move_out(store, number, why.strip()) for number, _ in found]
        recount_all(store, about(store))
        kept = {r.number: r for r in retractions(store)}
        return tuple(kept[number] for number in made)


def undo(path: str | Path, numbers: Sequence[int]) -> tuple[Retraction, ...]:
    """Bring judgments back that were taken back, by the numbers of :func:`history`.

    Raises
    ------
    InputError
        No such number, one that was brought back already, or a judgment that was given again since; nothing
        has changed then.
    """
    with opened(path, write=True) as store:
        known = {r.number: r for r in retractions(store)}
        for number in dict.fromkeys(numbers):
            if number not in known:
                raise InputError(
                    f"{path}: no judgment was taken back under number {number}; there are"
                    f" {', '.join(map(str, known)) or 'none'}"
                )
            if known[number].undone is not None:
                raise InputError(
                    f"{path}: number {number} was brought back at {known[number].undone} already"
                )
            _move_in(store, known[number])
        recount_all(store, about(store))
        return tuple(r for r in retractions(store) if r.number in numbers)


def history(path: str | Path) -> tuple[Retraction, ...]:
    """Everything that was ever taken back, also what was brought back since."""
    with opened(path, write=False) as store:
        return tuple(retractions(store))


def retractions(store: Store) -> list[Retraction]:
    """The records of a campaign, in order."""
    if not _has_table(store):
        return []
    names = {number: name for number, name in store.db.execute("SELECT number, name FROM received")}
    found = []
    for number, at, why, identity, text, undone in store.db.execute(
        "SELECT number, at, why, identity, judgment, undone FROM retraction ORDER BY number"
    ):
        j = json.loads(text)
        kept = {name: j[name] for name in ("assignment", "worker", "batch", "hit")}
        raw = tuple(text for *_, text in j["scores"])
        results = names.get(j["received"], "")
        found.append(Retraction(number, at, why, identity, raw=raw, results=results, undone=undone, **kept))
    return found


def n_out(store: Store) -> int:
    """Judgments that are out now."""
    if not _has_table(store):
        return 0
    return int(store.db.execute("SELECT COUNT(*) FROM retraction WHERE undone IS NULL").fetchone()[0])


def stays_out(store: Store, identity: str, items: Sequence[int], values: Sequence[float]) -> bool:
    """Whether a judgment that comes in is one that was taken back, with the answers it had then."""
    if not _has_table(store):
        return False
    now_said = said(items, values)
    kept = store.db.execute(
        "SELECT judgment FROM retraction WHERE identity = ? AND undone IS NULL", (identity,)
    )
    return any([(i, v) for _, i, v, _ in json.loads(text)["scores"]] == now_said for (text,) in kept)


def said(items: Sequence[int], values: Sequence[float]) -> list[tuple[int, float | None]]:
    """Items with their scores as the database has them: None where an annotator could not judge."""
    return [(i, None if math.isnan(v) else v) for i, v in zip(items, values)]


def _has_table(store: Store) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'retraction'"
    return store.db.execute(query).fetchone() is not None


def _check_found(store: Store, found: Sequence[str], assignments: Sequence[str], every: bool) -> None:
    absent = [a for a in assignments if a not in found]
    if absent or not found:
        what = f"AssignmentId {absent[0]!r}" if absent else "what was asked for"
        raise InputError(
            f"{store.path}: no judgment that counts has {what}; 'pairproof easl export --what history' lists"
            " all, and 'easl retract --list' those taken back"
        )
    if len(found) > max(1, len(set(assignments))) and not every:
        raise InputError(
            f"{store.path}: {len(found)} judgments match; say --all to take them all back, or which with"
            " --assignment, --batch, --hit, --row"
        )


def _move_out(store: Store, judgment: int, why: str) -> int:
    row = store.db.execute(
        f"SELECT {', '.join(JUDGMENT)} FROM judgment WHERE number = ?", (judgment,)
    ).fetchone()
    kept = dict(zip(JUDGMENT, row))
    kept["scores"] = store.db.execute(
        "SELECT slot, item, value, raw FROM score WHERE judgment = ? ORDER BY slot", (judgment,)
    ).fetchall()
    store.db.execute("DELETE FROM score WHERE judgment = ?", (judgment,))
    store.db.execute("DELETE FROM judgment WHERE number = ?", (judgment,))
    made = store.db.execute(
        "INSERT INTO retraction (at, why, identity, judgment) VALUES (?, ?, ?, ?)",
        (now(), why, kept["identity"], json.dumps(kept, ensure_ascii=False)),
    ).lastrowid
    return int(made or 0)


def _move_in(store: Store, taken: Retraction) -> None:
    if store.db.execute("SELECT 1 FROM judgment WHERE identity = ?", (taken.identity,)).fetchone():
        raise InputError(
            f"{store.path}: the judgment of number {taken.number} was given again since it was taken back;"
            " take that one back first"
        )
    kept = json.loads(
        store.db.execute("SELECT judgment FROM retraction WHERE number = ?", (taken.number,)).fetchone()[0]
    )
    insert_judgment(store, [kept[name] for name in JUDGMENT], kept["scores"])
    store.db.execute("UPDATE retraction SET undone = ? WHERE number = ?", (now(), taken.number))
