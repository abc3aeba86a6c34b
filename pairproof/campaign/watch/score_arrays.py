"""Every score of a campaign in arrays, one row a score, and sorted into what they say of annotators.

own scores
    counted scores of items and of calibration items
repeats
    planned ones, against the score of the same item given first; and HITs that an annotator answered twice,
    the answer that counts against the one set aside
degraded
    a degraded copy against the annotator's own score of the original
gold
    items with a known score; attention checks are passed within .05 of what they ask for
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.scores.annotator_agreement import spearman
from ...native.annotation.scores.annotator_quality import Pairs
from ..storage.design import KINDS
from ..storage.records import Items
from ..storage.store import Store, opened


@dataclass(frozen=True, eq=False)
class Answers:
    """The scores of a campaign, one row each, ordered by batch, HIT, identity and slot.

    All are arrays[n]. batch, hit: -1 of an older tool. slot: from 1. annotator: index into `names`; -1:
    nobody is named. kind: index into :data:`pairproof.campaign.storage.design.KINDS`. value: 0 to 1; nan:
    could not judge. repeat_of: the judgment that counts in place of this one; -1. seconds, submitted: on
    the HIT; since 1970 (UTC); nan: not known.
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
        return np.asarray(self.counted & (self.kind == 0) & ~np.isnan(self.value))

    @property
    def named(self) -> NDArray[np.bool_]:
        """Rows that count, with a value and an annotator's name."""
        return self.counted & ~np.isnan(self.value) & (self.annotator >= 0)

    def of_whom(self, k: int, item: int | None = None) -> tuple[int, int]:
        """Who gave row k, and the item (default: its own)."""
        return int(self.annotator[k]), int(self.item[k]) if item is None else item


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
    who, kind = tuple(map(index.get, who)), tuple(code[k] for k in kind)
    whole = map(_whole, (judgment, batch, hit, slot, who, item, kind))
    known = (np.array(value, np.float64), np.array(counted, bool), _whole(repeat_of))
    times = (np.array(seconds, np.float64), np.array(submitted, np.float64))
    found: tuple[Any, ...] = (*whole, *known, *times, tuple(name for _, name in people))
    return Answers(*found)


def _whole(column: tuple[int | None, ...]) -> IntArray:
    return np.array([-1 if v is None else v for v in column], np.int64)


ITEM, REPEAT, DEGRADED, GOLD, CALIBRATION, ATTENTION = (
    KINDS.index(kind) for kind in ("item", "repeat", "degraded", "gold", "calibration", "attention")
)
#: An attention check asks for one score; so far off it is failed.
TOLERANCE = 0.05


@dataclass(frozen=True)
class Gold:
    """An annotator against known scores: mean absolute difference, Spearman's rho (nan below 3 items)."""

    n: int
    error: float
    rho: float


def own_scores(answers: Answers) -> NDArray[np.bool_]:
    """bool[n]: counted scores of items and calibration items, without the checks."""
    return answers.counted & np.isin(answers.kind, (ITEM, CALIBRATION)) & ~np.isnan(answers.value)


def repeats_of(answers: Answers) -> Pairs:
    """Planned repeats: an annotator's score of an item, and the score in the slot that repeats it."""
    first: dict[tuple[int, int], float] = {}
    for k in np.flatnonzero(answers.named & (answers.kind != REPEAT)).tolist():
        first.setdefault(answers.of_whom(k), float(answers.value[k]))
    again = np.flatnonzero(answers.named & (answers.kind == REPEAT)).tolist()
    return _pairs(answers, [(k, first.get(answers.of_whom(k))) for k in again])


def answered_twice(answers: Answers) -> Pairs:
    """HITs that an annotator answered more than once: each score that counts, and the one set aside."""
    again = np.flatnonzero((answers.repeat_of >= 0) & (answers.annotator >= 0) & ~np.isnan(answers.value))
    held = np.flatnonzero(np.isin(answers.judgment, answers.repeat_of[again]) & ~np.isnan(answers.value))
    places = zip(answers.judgment[held].tolist(), answers.slot[held].tolist())
    counts = dict(zip(places, answers.value[held].tolist()))
    twins = zip(answers.repeat_of[again].tolist(), answers.slot[again].tolist())
    return _pairs(answers, [(k, counts.get(twin)) for k, twin in zip(again.tolist(), twins)])


def degraded_pairs(answers: Answers, items: Items) -> Pairs:
    """An annotator's own scores of an original and of its degraded copy, the first with the first, and so on.

    A score is paired with one score, not with the mean of several: under careless answers the two are then
    exchangeable, while a mean lies above the usual value where scores are skewed, and the test would be passed.
    """
    worse = np.flatnonzero(answers.named & (answers.kind == DEGRADED))
    original = items.of[answers.item[worse]]
    held = np.flatnonzero(answers.named & (answers.kind == ITEM) & np.isin(answers.item, original))
    given: dict[tuple[int, int], list[float]] = defaultdict(list)
    for k in held.tolist():
        given[answers.of_whom(k)].append(float(answers.value[k]))
    own = [(k, given[answers.of_whom(k, of)]) for k, of in zip(worse.tolist(), original.tolist())]
    return _pairs(answers, [(k, mine.pop(0) if mine else None) for k, mine in own])


def _pairs(answers: Answers, rows: list[tuple[int, float | None]]) -> Pairs:
    """Rows of answers as second scores, each with the first, which is None where there is none."""
    known = [(k, first) for k, first in rows if first is not None]
    at = [k for k, _ in known]
    names = [answers.names[who] for who in answers.annotator[at].tolist()]
    return Pairs(names, [first for _, first in known], answers.value[at].tolist())


def among(pairs: Pairs, known: set[str]) -> Pairs:
    rows = [row for row in zip(pairs.annotator, pairs.first, pairs.second) if row[0] in known]
    return Pairs([name for name, *_ in rows], [first for _, first, _ in rows], [again for *_, again in rows])


def seconds_of(answers: Answers) -> dict[str, list[float]]:
    """Seconds of each HIT that counts, by annotator."""
    _, at = np.unique(answers.judgment, return_index=True)
    at = at[answers.counted[at] & (answers.annotator[at] >= 0) & ~np.isnan(answers.seconds[at])]
    found: dict[str, list[float]] = {}
    for who, time in zip(answers.annotator[at].tolist(), answers.seconds[at].tolist()):
        found.setdefault(answers.names[who], []).append(time)
    return found


def against_gold(answers: Answers, items: Items, counted: NDArray[np.bool_]) -> Gold:
    """Against known scores of all items but attention checks and degraded ones."""
    rows = counted & (answers.kind != ATTENTION) & (answers.kind != DEGRADED) & ~np.isnan(answers.value)
    rows &= ~np.isnan(items.gold[answers.item])
    if not rows.any():
        return Gold(0, float("nan"), float("nan"))
    said, known = answers.value[rows], items.gold[answers.item[rows]]
    rho = spearman(said, known) if len(np.unique(answers.item[rows])) >= 3 else float("nan")
    return Gold(len(said), float(np.mean(np.abs(said - known))), rho)


def failed_checks(answers: Answers, items: Items, counted: NDArray[np.bool_]) -> tuple[int, int]:
    """Attention checks among the rows, and those failed; one without a score is failed too."""
    rows = counted & (answers.kind == ATTENTION)
    # 1e-9 lets .05 itself pass whatever its rounding.
    passed = np.abs(answers.value[rows] - items.gold[answers.item[rows]]) <= TOLERANCE + 1e-9
    return len(passed), int((~passed).sum())


def known(value: Any) -> Any:
    """The value for JSON: None for a number that is not known."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


#: A campaign: its file, or the open file.
Campaign = Union[Store, str, Path]


@contextmanager
def reading(campaign: Campaign, *, write: bool = False) -> Iterator[Store]:
    """The campaign as an open store, in which one consistent state is read."""
    if isinstance(campaign, Store):
        yield campaign
        return
    with opened(campaign, write=write) as store:
        yield store
