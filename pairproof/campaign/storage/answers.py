"""Every score of a campaign in arrays, one row a score, for statistics on annotators, items and systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...native.annotation.beta import FloatArray, IntArray
from .design import KINDS
from .store import Store


@dataclass(frozen=True, eq=False)
class Answers:
    """The scores of a campaign, one row each, ordered by batch, HIT, identity and slot.

    judgment int[n]: number of the judgment that the score belongs to.  batch, hit int[n]: -1 for a HIT of an
    older tool.  slot int[n]: place in the HIT, from 1.  annotator int[n]: index into `names`; -1: nobody is
    named.  item int[n]: position of the item.  kind int[n]: index into
    :data:`pairproof.campaign.storage.design.KINDS`.  value float[n]: 0 to 1; nan: could not judge.  counted
    bool[n]: whether the judgment counts; the items' state is that of the counted rows of kind item.
    repeat_of int[n]: number of the judgment that counts in place of this repeat; -1 for all others.  seconds,
    submitted float[n]: time spent on the HIT; when it was returned, in seconds since 1970 (UTC); nan if not
    known.  names: annotators who gave a judgment, in the order of their names.
    """

    judgment: IntArray
    batch: IntArray
    hit: IntArray
    slot: IntArray
    annotator: IntArray
    item: IntArray
    kind: IntArray
    value: FloatArray
    counted: NDArray[np.bool_]
    repeat_of: IntArray
    seconds: FloatArray
    submitted: FloatArray
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.judgment)

    @property
    def scores(self) -> NDArray[np.bool_]:
        """Rows that give the items' scores: counted, of kind item, with a value."""
        found: NDArray[np.bool_] = self.counted & (self.kind == 0) & ~np.isnan(self.value)
        return found


_QUERY = (
    "SELECT j.number, j.batch, j.hit, s.slot, j.annotator, s.item, s.kind, s.value, j.counted, j.repeat_of,"
    " j.seconds, j.submitted FROM judgment j JOIN score s ON s.judgment = j.number"
    " ORDER BY j.batch IS NOT NULL, j.batch, j.hit, j.identity, s.slot"
)


def answers_of(store: Store) -> Answers:
    """All scores of an open campaign, those that do not count included."""
    people = store.db.execute(
        "SELECT number, name FROM annotator WHERE number IN (SELECT annotator FROM judgment) ORDER BY name"
    ).fetchall()
    index = {number: k for k, (number, _) in enumerate(people)}
    code = {name: k for k, name in enumerate(KINDS)}
    rows = store.db.execute(_QUERY).fetchall()
    columns = list(zip(*rows)) if rows else [()] * 12
    judgment, batch, hit, slot, who, item, kind, value, counted, repeat_of, seconds, submitted = columns
    return Answers(
        _whole(judgment),
        _whole(batch),
        _whole(hit),
        _whole(slot),
        np.array([-1 if w is None else index[w] for w in who], np.int64),
        _whole(item),
        np.array([code[k] for k in kind], np.int64),
        np.array(value, np.float64),
        np.array(counted, bool),
        _whole(repeat_of),
        np.array(seconds, np.float64),
        np.array(submitted, np.float64),
        tuple(name for _, name in people),
    )


def _whole(column: tuple[int | None, ...]) -> IntArray:
    return np.array([-1 if v is None else v for v in column], np.int64)
