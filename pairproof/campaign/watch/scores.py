"""The items' scores with their intervals, with and without an annotator model, side by side.

raw is the campaign's own score with its interval; location, precision and scale are the levels of
:mod:`pairproof.native.annotation.scores.annotator_model`, fitted to the scores that count, calibration items
included: everybody judges these, so they tell annotators apart.

The beta distributions of EASL and of random HITs count a score s as s successes and 1 - s failures, so their
intervals are far too wide: at a nominal 95 % they cover .999 to 1.  They are calibrated as soon as the spread
within items is known (:mod:`pairproof.native.annotation.methods`); the method's own stay
available by name.  The distributions of ra are not sums of scores, and are shown as they are.

Every score of a campaign stands in arrays, one row a score, sorted into what it says of annotators:

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
from typing import TYPE_CHECKING, Any, Literal, Union, get_args

import numpy as np
from numpy.typing import NDArray

from ...data.options import one_of
from ...errors import NotEstimableError
from ...native.annotation import beta
from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.coded_judgments import check_level
from ...native.annotation.methods import Method, ScoreState, calibration
from ...native.annotation.scores.annotator_agreement import spearman
from ...native.annotation.scores.annotator_model import AnnotatorModel, Level, annotator_model
from ...native.annotation.scores.annotator_quality import Pairs
from ..storage.design import KINDS
from ..storage.records import Items, about, counted_scores, items_of, state_of
from ..storage.store import Store, opened

if TYPE_CHECKING:
    import pandas as pd


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


# -- the items' scores and their intervals -------------------------------------------------------------------

#: Which intervals are asked for; calibrated ones fall back to the method's own where they cannot be had.
Kind = Literal["calibrated", "beta"]
#: Methods whose distributions are sums of scores, and can be calibrated.
CALIBRATED: tuple[Method, ...] = ("easl", "random")
#: Scores beyond the first of each item from which on a spread is used: with 20 degrees of freedom its own
#: 95 % interval goes from .77 to 1.44 of it (chi-square).
FEWEST_REPEATED = 20

ASSUMED = (
    "they cover the mean of many more scores by these annotators, if scores of an item are independent;"
    " they do not include a shift that all scores of an item share"
)
_OWN = {
    "ra": "ra's distributions are not sums of scores, so they cannot be calibrated",
    "trueskill": "with the method's own variance",
    "da": "from the item's own scores; none below two scores, or where all are equal",
}


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals float[n_items] of the items' scores, and what they are.

    kind: which these are, whichever were asked for. k: throws of a coin that one score is worth,
    spread: standard deviation within an item; nan if not known. why: what they assume, or why they are
    not calibrated.
    """

    low: FloatArray
    high: FloatArray
    level: float
    kind: str
    k: float
    spread: float
    why: str

    @property
    def sentence(self) -> str:
        """Which intervals these are, for people."""
        if self.kind == "calibrated":
            return (
                f"{self.level:.0%} intervals are calibrated: a score counts as k = {self.k:.3g} coin"
                f" tosses (spread within items {self.spread:.4f}); {self.why}"
            )
        return f"{self.level:.0%} intervals are {_TITLES[self.kind]}: {self.why}"


_TITLES = {"beta": "the beta distribution's own, not calibrated", "normal": "normal", "t": "Student's t"}


@dataclass(frozen=True)
class Spread:
    """The spread of the scores of an item, and how many are beyond the first of each."""

    value: float
    free: int


def spread_of(item: IntArray, value: FloatArray) -> Spread:
    """Pooled standard deviation within items, of scores without nan; to the last bit the same in any order."""
    order = np.lexsort((value, item))
    item, value = item[order], value[order]
    count = np.bincount(item)
    free = len(value) - int((count > 0).sum())
    if free == 0:
        return Spread(float("nan"), 0)
    mean = np.bincount(item, value) / np.maximum(count, 1)
    return Spread(float(np.sqrt(np.sum((value - mean[item]) ** 2) / free)), free)


def stored_spread(store: Store) -> Spread:
    """The spread within the items of an open campaign, from the counted scores of items alone."""
    return spread_of(*counted_scores(store))


def intervals_of(
    state: ScoreState,
    spread: Spread,
    level: float = 0.95,
    kind: Kind = "calibrated",
    which: IntArray | None = None,
) -> Intervals:
    """Intervals of the scores of a campaign's items, or of those at the positions `which`; kind beta: EASL's own."""
    one_of("intervals", kind, get_args(Kind))
    check_level(level)
    k, why = _factor(state, spread, kind)
    part = state
    if which is not None:
        part = ScoreState(state.method, state.a[which], state.b[which], state.n[which])
    if not np.isnan(k):
        low, high = beta.interval(1.0 + k * (part.a - 1.0), 1.0 + k * (part.b - 1.0), level)
        return Intervals(low, high, level, "calibrated", k, spread.value, why)
    name = {"da": "t", "trueskill": "normal"}.get(state.method, "beta")
    return Intervals(*part.interval(level), level, name, k, spread.value, why)


def _factor(state: ScoreState, spread: Spread, kind: Kind) -> tuple[float, str]:
    """The factor k, nan where intervals are the method's own; and what they assume, or why."""
    nan = float("nan")
    if state.method not in CALIBRATED:
        return nan, _OWN[state.method]
    if kind == "beta":
        return nan, "requested by name; they count a score as one coin toss and are far too wide"
    if spread.free < FEWEST_REPEATED:
        return nan, (
            f"{spread.free} scores beyond the first of each item, but {FEWEST_REPEATED} are needed to"
            " calibrate them; until then they are far too wide"
        )
    if spread.value == 0.0:
        return nan, "all scores of each item are equal, so there is no spread for calibration"
    judged = (state.a > 1.0) | (state.b > 1.0)
    score = state.score[judged]
    if not (score * (1.0 - score)).any():
        return nan, "all scores are at the ends of the scale, so they cannot be calibrated"
    return calibration(state.a, state.b, spread.value), ASSUMED


#: HITs of annotators up to which a HIT has an effect of its own in the annotator model: the equations have as
#: many unknowns, and 1,500 of them take some seconds.
MOST_SITTINGS = 1_500


@dataclass(frozen=True, eq=False)
class ItemScores:
    """The scores of a campaign's items, arrays[n_items].

    raw, low, high: the campaign's own. score, score_low, score_high: by the model, not cut at the ends of
    the scale; nan without a score; the same with model raw. intervals, why: what the intervals and the
    model are, in sentences.
    """

    items: tuple[str, ...]
    n: IntArray
    raw: FloatArray
    low: FloatArray
    high: FloatArray
    intervals: str
    model: Level
    why: str
    score: FloatArray
    score_low: FloatArray
    score_high: FloatArray
    fit: AnnotatorModel | None
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `easl status --model`."""
        rows = _rows({"id": self.items, **self._columns})
        found: dict[str, Any] = {"model": self.model, "why": self.why, "level": self.level, "scores": rows}
        if self.fit is not None:
            own = vars(self.fit)
            per = {name: own[name] for name in ("location", "noise", "slope", "location_sd")}
            found["annotators"] = _rows({"annotator": self.fit.annotators, **per})
            found |= {name: known(own[name]) for name in ("item_sd", "annotator_sd", "hit_sd")}
        return found

    @property
    def _columns(self) -> dict[str, FloatArray | IntArray]:
        raw: dict[str, FloatArray | IntArray] = {"n": self.n, "raw": self.raw}
        raw |= {"raw_low": self.low, "raw_high": self.high}
        return {**raw, "score": self.score, "low": self.score_low, "high": self.score_high}

    def to_frame(self) -> pd.DataFrame:
        """A row an item: n, raw with its interval, and the model's score with its interval."""
        import pandas as pd

        return pd.DataFrame(self._columns, index=pd.Index(self.items, name="id"))


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Columns as the rows of a JSON document."""
    cells = zip(*(c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values()))
    return [{name: known(v) for name, v in zip(columns, row)} for row in cells]


def item_scores(
    campaign: Campaign, model: Level = "raw", *, level: float = 0.95, kind: Kind = "calibrated"
) -> ItemScores:
    """The scores of a campaign's items, with a model of the annotators or without.

    kind: intervals of the raw scores.
    """
    one_of("model", model, get_args(Level))
    with reading(campaign) as store:
        answers, items = answers_of(store), items_of(store)
        state, spread = state_of(store, about(store).method), stored_spread(store)
    own = intervals_of(state, spread, level, kind)
    at = items.scored
    ids = tuple(items.ids[k] for k in at.tolist())
    raw = (state.n[at], state.score[at], own.low[at], own.high[at])
    if model == "raw":
        why = "the campaign's own scores, not corrected for annotators"
        return ItemScores(ids, *raw, own.sentence, "raw", why, *raw[1:], None, level)
    fit, why = corrected(answers, model)
    score, low, high = (np.full(len(items.ids), np.nan) for _ in range(3))
    judged = np.array([int(name) for name in fit.items], np.int64)
    score[judged] = fit.score
    low[judged], high[judged] = fit.interval(level)
    return ItemScores(ids, *raw, own.sentence, model, why, score[at], low[at], high[at], fit, level)


#: What each level corrects for.
_CORRECTS: dict[Level, str] = {
    "raw": "",
    "location": "corrected for annotators who score higher or lower than others",
    "precision": "corrected for annotators' locations, with more weight for precise annotators",
    "scale": "corrected for annotators' locations and use of the scale, with more weight for precise annotators",
}


def corrected(answers: Answers, model: Level) -> tuple[AnnotatorModel, str]:
    """The annotator model of a level, and what it says of itself."""
    rows = own_scores(answers)
    nobody = int((rows & (answers.annotator < 0)).sum())
    if nobody:
        raise NotEstimableError(
            f"annotator model of level {model}: {nobody} scores have no annotator name, which the model needs for"
            " each score (raw scores do not)"
        )
    if not rows.any():
        raise NotEstimableError(f"annotator model of level {model}: there are no scores yet")
    names = np.array(answers.names, dtype=object)[answers.annotator[rows]]
    sitting, about_hits = _sittings(answers, rows, model)
    item = answers.item[rows].tolist()
    fit = annotator_model(item, names.tolist(), answers.value[rows], sitting, model)
    common = "intervals include the uncertainty of these annotators' level, which all items share"
    return fit, "; ".join((_CORRECTS[model], about_hits, common, *fit.cautions))


def _sittings(answers: Answers, rows: Any, model: Level) -> tuple[list[int] | None, str]:
    """The judgment as the label of a HIT within its annotator, where HITs can have effects; and a sentence."""
    judgment = answers.judgment[rows]
    found, n = np.unique(judgment, return_counts=True)
    if model == "scale":
        return None, "HITs have no effects at this level"
    if n.max() < 2:
        return None, "each HIT has one item, so HITs have no effects"
    if len(found) > MOST_SITTINGS:
        return None, f"{len(found)} HITs are too many for HIT effects ({MOST_SITTINGS} at most)"
    return judgment.tolist(), "each HIT has its own effect"
