"""Annotators registered, listed with what they reached, excluded and restored; Prolific's table beside them.

Prolific's table of demographics is laid beside the annotators of a campaign.  The page takes its
annotator's name from `PROLIFIC_PID` in its address, so a participant id is a name in the campaign.  The
table is only read: it decides nothing, and what it says of a person (age, sex, ...) is not taken in.  It
shows who was paid for what: the time that Prolific measured, the time at the HITs, and who has a
submission and no judgments, or judgments and no submission.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from ...data.reading.sources import Table, load
from ...errors import InputError
from ...files.inputs import read_file
from ...text import listed
from ..formats.campaign_files import refuse_other
from ..storage.design import number_of
from ..storage.records import AnnotatorRow, about, add_annotator, annotator_named, annotator_rows, set_state
from ..storage.rules import settle_and_count
from ..storage.store import Store, opened
from .assigning import Qualification, expire, qualifications, sync_states


@dataclass(frozen=True)
class Person:
    """An annotator with what they have done; without a token their name came with results."""

    name: str
    token: str | None
    state: str
    since: str
    why: str
    open: int
    returned: int
    expired: int
    judgments: int
    counted: int
    qualification: Qualification | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        q = self.qualification
        values = q and {str(condition): value for condition, value in q.values}
        reached = q and {"answered": q.answered, "items": q.items, "met": q.met, "values": values}
        return {**vars(self), "qualification": reached}


def registered(path: str | Path) -> tuple[Person, ...]:
    """The annotators of a campaign, in the order of their names."""
    with opened(path, write=False) as store:
        return _people(store)


def _people(store: Store) -> tuple[Person, ...]:
    reached = qualifications(store, about(store))
    rows = store.db.execute("SELECT annotator, state, COUNT(*) FROM assignment GROUP BY annotator, state")
    given = {(who, state): n for who, state, n in rows}
    rows = store.db.execute(
        "SELECT annotator, COUNT(*), SUM(counted) FROM judgment WHERE annotator IS NOT NULL GROUP BY annotator"
    )
    done = {who: (n, counted) for who, n, counted in rows}

    def person(row: AnnotatorRow) -> Person:
        out = {state: given.get((row.number, state), 0) for state in ("open", "returned", "expired")}
        judgments, counted = done.get(row.number, (0, 0))
        known = (row.name, row.token, row.state, row.since, row.why)
        qualification = reached.get(row.number)
        return Person(*known, **out, judgments=judgments, counted=counted, qualification=qualification)

    return tuple(map(person, annotator_rows(store)))


def register(path: str | Path, names: Sequence[str]) -> tuple[Person, ...]:
    """Register annotators, all of them or none if one cannot be; those registered now."""
    stripped = Counter(name.strip() for name in names)
    for name, times in stripped.items():
        if times > 1:
            raise InputError(f"annotator {name!r} is named {times} times; expected once")
    with opened(path, write=True) as store:
        for name in stripped:
            add_annotator(store, name)
        return tuple(p for p in _people(store) if p.name in stripped)


def exclude(path: str | Path, name: str, why: str) -> tuple[Person, int]:
    """Exclude an annotator, and give what they have out to others; how many judgments count no longer."""
    with opened(path, write=True) as store:
        row = annotator_named(store, name)
        if row.state == "excluded":
            raise InputError(f"annotator {name!r} is already excluded, since {row.since}: {row.why}")
        set_state(store, row.name, "excluded", why)
        query = "UPDATE assignment SET state = 'withdrawn' WHERE annotator = ? AND state = 'open'"
        store.db.execute(query, (row.number,))
        changed = settle_and_count(store, about(store))
        return _person(store, row.name), changed


def restore(path: str | Path, name: str) -> tuple[Person, int]:
    """Let an excluded annotator count again, without the HITs that others got; how many judgments do."""
    with opened(path, write=True) as store:
        row = annotator_named(store, name)
        if row.state != "excluded":
            raise InputError(f"annotator {name!r} is {row.state}, not excluded; there is nothing to restore")
        set_state(store, row.name, "invited" if row.token else "active")
        sync_states(store, about(store))
        changed = settle_and_count(store, about(store))
        expire(store)
        return _person(store, row.name), changed


def _person(store: Store, name: str) -> Person:
    return next(p for p in _people(store) if p.name == name)


#: Columns that are read.
SUBMISSION, PARTICIPANT, STATUS = "Submission id", "Participant id", "Status"
TAKEN, APPROVALS, CODE = "Time taken", "Total approvals", "Completion code"


@dataclass(frozen=True)
class Submission:
    """A submission on Prolific, with the judgments of the participant."""

    submission: str
    participant: str
    status: str
    seconds: float | None
    approvals: int | None
    judgments: int
    counted: int
    at_hits: float | None
    pay: float | None


@dataclass(frozen=True)
class Demographics:
    """The submissions of a study, and the annotators who have judgments `without` one."""

    submissions: tuple[Submission, ...]
    without: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"submissions": [asdict(s) for s in self.submissions], "without": list(self.without)}


def demographics(path: str | Path, table: str | Path, encoding: str | None = None) -> Demographics:
    """Read Prolific's table beside a campaign; nothing is written."""
    raw = read_file(table, "Prolific's table of demographics")
    refuse_other(raw, str(table), ("prolific",), "the table of demographics that Prolific exports")
    read = load(str(table), encoding)
    with opened(path, write=False) as store:
        pay, done = about(store).design.pay_hour, _done(store)
    rows, seen = [], set()
    for k in range(read.n_rows):
        cells = {name: str(column.iloc[k]).strip() for name, column in read.columns.items()}
        if cells[SUBMISSION] in seen:
            raise InputError(f"{read.where(k, SUBMISSION)}: {cells[SUBMISSION]!r} appears twice")
        seen.add(cells[SUBMISSION])
        rows.append(_submission(cells, read, k, pay, done))
    known = {row.participant for row in rows}
    return Demographics(tuple(rows), tuple(sorted(name for name in done if name not in known)))


#: Annotator -> the seconds and whether it counts, for each judgment.
_Done = dict[str, list[tuple["float | None", int]]]


def _done(store: Store) -> _Done:
    rows = store.db.execute(
        "SELECT a.name, j.seconds, j.counted FROM judgment j JOIN annotator a ON a.number = j.annotator"
        " ORDER BY a.name"
    )
    return {name: [row[1:] for row in own] for name, own in groupby(rows, key=itemgetter(0))}


def _submission(cells: dict[str, str], table: Table, k: int, pay: float | None, done: _Done) -> Submission:
    if STATUS not in cells:
        raise InputError(f"{table.source}: no column {STATUS!r}; found {listed(table.columns)}")
    seconds = _number(cells.get(TAKEN, ""), table, k, TAKEN)
    approvals = _number(cells.get(APPROVALS, ""), table, k, APPROVALS)
    own = done.get(cells[PARTICIPANT], [])
    times = [s for s, _ in own if s is not None]
    at_hits = math.fsum(times) if times and len(times) == len(own) else None
    due = None if pay is None or seconds is None else pay * seconds / 3600.0
    named = (cells[SUBMISSION], cells[PARTICIPANT], cells[STATUS])
    measured = (seconds, None if approvals is None else int(approvals))
    return Submission(*named, *measured, len(own), sum(counted for _, counted in own), at_hits, due)


def _number(text: str, table: Table, k: int, column: str) -> float | None:
    """A number; None where Prolific has a word such as DATA_EXPIRED or CONSENT_REVOKED, or nothing."""
    if not text or text.replace("_", "").isalpha():
        return None
    value = number_of(text)
    if not 0 <= value < math.inf:
        raise InputError(f"{table.where(k, column)}: {text!r}; expected a number of at least 0")
    return value
