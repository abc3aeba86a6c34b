"""Retracts judgments: the scores are then as if a judgment had never been made, and it is kept on record and
can be restored.

Scores of ra and trueskill depend on the order of all judgments, so they are computed again from the start.
For every method the state is, to the last bit, the one that all other judgments give.  If a retracted
judgment arrives again with the same answers (Mechanical Turk's files hold all results so far) it stays
retracted; with other answers it is a correction, and is added.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..storage.design import now
from ..storage.records import JUDGMENT, about, insert_judgment
from ..storage.rules import settle_and_count
from ..storage.store import RETRACTION, Store, opened


@dataclass(frozen=True)
class Retraction:
    """The record of a retracted judgment; `undone`: when it was restored, None if it is still retracted."""

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
    """Retract judgments, in one transaction.

    Parameters
    ----------
    path : path
        The campaign.
    why : str
        The reason, which is stored with the record.
    assignments : sequence of str
        AssignmentIds; each must exist.
    worker : str, optional
    batch, hit : int, optional
    results : str, optional
        Name or SHA-256 of the results file that held them.
    row : int, optional
        Row of that file, counted from 1 below the header.
    every : bool
        Retract all judgments that match; otherwise exactly one must match, or one for each of `assignments`.

    Returns
    -------
    tuple of Retraction

    Raises
    ------
    InputError
        No reason is given, nothing says which judgment, none matches, or more than one does without `every`.
        Nothing has been changed then.
    """
    if not why.strip():
        raise InputError("a retraction needs a reason, to be stored with it (--why TEXT)")
    if row is not None and results is None:
        raise InputError(f"row {row} is the row of a results file; name the file too (--results NAME)")
    named = {"worker": worker, "batch": batch, "hit": hit, "row": row}
    wanted: dict[str, Sequence[Any]] = {f"j.{k} = ?": (v,) for k, v in named.items() if v is not None}
    if assignments:
        wanted[f"j.assignment IN ({', '.join('?' * len(assignments))})"] = assignments
    if results is not None:
        wanted["(r.name = ? OR r.sha256 = ?)"] = (Path(results).name, results.lower())
    if not wanted:
        ways = "assignment, worker, batch, hit, results or row"
        raise InputError(f"no judgment specified; select by {ways}")
    with opened(path, write=True) as store:
        query = (
            "SELECT j.number, j.assignment FROM judgment j JOIN received r ON r.number = j.received "
            f"WHERE {' AND '.join(wanted)} ORDER BY j.number"
        )
        found = store.db.execute(query, [v for some in wanted.values() for v in some]).fetchall()
        _check_found(store, [a for _, a in found], assignments, every)
        made = [move_out(store, number, why.strip()) for number, _ in found]
        settle_and_count(store, about(store), recount=True)
        kept = {r.number: r for r in retractions(store)}
        return tuple(kept[number] for number in made)


def undo(path: str | Path, numbers: Sequence[int]) -> tuple[Retraction, ...]:
    """Restore retracted judgments, by their numbers in :func:`history`.

    Raises
    ------
    InputError
        There is no such number, the judgment was restored already, or it has been added again since.  Nothing
        has been changed then.
    """
    with opened(path, write=True) as store:
        known = {r.number: r for r in retractions(store)}
        for number in dict.fromkeys(numbers):
            if number not in known:
                there = ", ".join(map(str, known)) or "none"
                raise InputError(f"{path}: no retraction number {number}; found {there}")
            if known[number].undone is not None:
                raise InputError(f"{path}: retraction {number} was already undone, at {known[number].undone}")
            _move_in(store, known[number])
        settle_and_count(store, about(store), recount=True)
        return tuple(r for r in retractions(store) if r.number in numbers)


def history(path: str | Path) -> tuple[Retraction, ...]:
    """All retractions, including those undone since."""
    with opened(path, write=False) as store:
        return tuple(retractions(store))


def retractions(store: Store) -> list[Retraction]:
    """The retractions of an open campaign, in order."""
    names = dict(store.db.execute("SELECT number, name FROM received").fetchall())
    query = "SELECT number, at, why, identity, judgment, undone FROM retraction ORDER BY number"
    found = []
    for number, at, why, identity, text, undone in store.db.execute(query) if has_table(store) else ():
        j = json.loads(text)
        kept = {name: j[name] for name in ("assignment", "worker", "batch", "hit")}
        raw = tuple(text for *_, text in j["scores"])
        results = names.get(j["received"], "")
        found.append(Retraction(number, at, why, identity, raw=raw, results=results, undone=undone, **kept))
    return found


def n_out(store: Store) -> int:
    """Judgments that are out now."""
    query = "SELECT COUNT(*) FROM retraction WHERE undone IS NULL"
    return int(store.value(query)) if has_table(store) else 0


def stays_out(store: Store, identity: str, scores: Sequence[tuple[int, int, float | None, str]]) -> bool:
    """Whether a judgment that arrives was retracted before and has the same answers as then."""
    query = "SELECT judgment FROM retraction WHERE identity = ? AND undone IS NULL"
    kept = store.db.execute(query, (identity,)) if has_table(store) else ()
    now_said = [(item, value) for _, item, value, _ in scores]
    return any([(i, v) for _, i, v, _ in json.loads(text)["scores"]] == now_said for (text,) in kept)


def has_table(store: Store) -> bool:
    """Whether a judgment was ever retracted."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'retraction'"
    return store.value(query) is not None


def _check_found(store: Store, found: Sequence[str], assignments: Sequence[str], every: bool) -> None:
    absent = [a for a in assignments if a not in found]
    if absent or not found:
        what = f"AssignmentId {absent[0]!r}" if absent else "these properties"
        raise InputError(
            f"{store.path}: no judgment that counts has {what}; 'pairproof easl export --what history' lists"
            " all of them, and 'easl retract --list' the retracted ones"
        )
    if len(found) > max(1, len(set(assignments))) and not every:
        raise InputError(
            f"{store.path}: {len(found)} judgments match; use --all to retract all of them, or"
            " select with --assignment, --batch, --hit, --row"
        )


def move_out(store: Store, judgment: int, why: str) -> int:
    """Retract a judgment inside an open transaction; the number of the retraction."""
    store.db.execute(RETRACTION)
    query = f"SELECT {', '.join(JUDGMENT)} FROM judgment WHERE number = ?"
    kept = dict(zip(JUDGMENT, store.db.execute(query, (judgment,)).fetchone()))
    query = "SELECT slot, item, value, raw FROM score WHERE judgment = ? ORDER BY slot"
    kept["scores"] = store.db.execute(query, (judgment,)).fetchall()
    store.db.execute("DELETE FROM score WHERE judgment = ?", (judgment,))
    store.db.execute("DELETE FROM judgment WHERE number = ?", (judgment,))
    text = json.dumps(kept, ensure_ascii=False)
    return store.insert(
        "retraction", {"at": now(), "why": why, "identity": kept["identity"], "judgment": text}
    )


def _move_in(store: Store, taken: Retraction) -> None:
    if store.db.execute("SELECT 1 FROM judgment WHERE identity = ?", (taken.identity,)).fetchone():
        raise InputError(
            f"{store.path}: the judgment of retraction {taken.number} has been added again since; retract"
            " that one first"
        )
    kept = json.loads(store.value("SELECT judgment FROM retraction WHERE number = ?", (taken.number,)))
    insert_judgment(store, [kept[name] for name in JUDGMENT], kept["scores"])
    store.db.execute("UPDATE retraction SET undone = ? WHERE number = ?", (now(), taken.number))
