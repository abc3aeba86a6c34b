"""Prolific's table of demographics beside the annotators of a campaign.

The page takes its annotator's name from `PROLIFIC_PID` in its address, so a participant id is a name in the
campaign.  The table is only read: it decides nothing, and what it says of a person (age, sex, ...) is not taken
in.  It shows who was paid for what: the time that Prolific measured, the time at the HITs, and who has a
submission and no judgments, or judgments and no submission.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...data.reading.sources import load
from ...data.reading.table import Table
from ...errors import InputError
from ...files.inputs import read_file
from ...text import listed
from ..storage.records import about
from ..storage.store import Store, opened
from .kinds import refuse_other

#: Columns that are read.
SUBMISSION, PARTICIPANT, STATUS = "Submission id", "Participant id", "Status"
TAKEN, APPROVALS, CODE = "Time taken", "Total approvals", "Completion code"


@dataclass(frozen=True)
class Submission:
    """A submission on Prolific, with the judgments of the participant.

    submission, participant, status: as in the table.  seconds: time that Prolific measured.  approvals:
    submissions of this participant that were approved so far, in all studies.  judgments, counted: judged
    HITs in the campaign, and those that count.  at_hits: seconds at these HITs; None where the times are not
    known.  pay: pay for the measured time, where the campaign has an hour's pay.
    """

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
    """The submissions of a study beside a campaign.

    without: annotators of the campaign who have judgments and no submission.
    """

    submissions: tuple[Submission, ...]
    without: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"submissions": [asdict(s) for s in self.submissions], "without": list(self.without)}


def demographics(path: str | Path, table: str | Path, encoding: str | None = None) -> Demographics:
    """Read Prolific's table beside a campaign; nothing is written.

    path: the campaign.  table: the CSV file that Prolific exports for a study.
    """
    raw = read_file(table, "Prolific's table of demographics")
    refuse_other(raw, str(table), ("prolific",), "the table of demographics that Prolific exports")
    read = load(str(table), encoding)
    with opened(path, write=False) as store:
        pay, done = about(store).design.pay_hour, _done(store)
    rows, seen = [], set()
    for k in range(read.n_rows):
        cells = {name: str(column.iloc[k]).strip() for name, column in read.columns.items()}
        if cells[SUBMISSION] in seen:
            raise InputError(f"{read.where(k, SUBMISSION)}: {cells[SUBMISSION]!r} stands there twice")
        seen.add(cells[SUBMISSION])
        rows.append(_submission(cells, read, k, pay, done))
    known = {row.participant for row in rows}
    return Demographics(tuple(rows), tuple(sorted(name for name in done if name not in known)))


#: Annotator -> the seconds and whether it counts, for each judgment.
_Done = dict[str, list[tuple["float | None", int]]]


def _done(store: Store) -> _Done:
    found: _Done = defaultdict(list)
    query = (
        "SELECT a.name, j.seconds, j.counted FROM judgment j JOIN annotator a ON a.number = j.annotator"
        " ORDER BY a.name"
    )
    for name, seconds, counted in store.db.execute(query):
        found[name].append((seconds, counted))
    return dict(found)


def _submission(cells: dict[str, str], table: Table, k: int, pay: float | None, done: _Done) -> Submission:
    absent = [name for name in (STATUS,) if name not in cells]
    if absent:
        raise InputError(f"{table.source}: no column {listed(absent)}; found {listed(table.columns)}")
    seconds = _number(cells.get(TAKEN, ""), table, k, TAKEN)
    approvals = _number(cells.get(APPROVALS, ""), table, k, APPROVALS)
    own = done.get(cells[PARTICIPANT], [])
    times = [s for s, _ in own if s is not None]
    return Submission(
        cells[SUBMISSION],
        cells[PARTICIPANT],
        cells[STATUS],
        seconds,
        None if approvals is None else int(approvals),
        len(own),
        sum(counted for _, counted in own),
        math.fsum(times) if times and len(times) == len(own) else None,
        None if pay is None or seconds is None else pay * seconds / 3600.0,
    )


def _number(text: str, table: Table, k: int, column: str) -> float | None:
    """A number; None where Prolific has a word such as DATA_EXPIRED or CONSENT_REVOKED, or nothing."""
    if not text or text.replace("_", "").isalpha():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise InputError(f"{table.where(k, column)}: {text!r}; expected a number of at least 0")
    return value
